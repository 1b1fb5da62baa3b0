#include "supple/pipeline/job/begin.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "supple/base/error.h"
#include "supple/inertia/settle.h"

namespace supple::pipeline {

StartResult begin(Simulation& simulation, const Job& job, const Watch& watch) {
  StartResult out;
  const double pre_roll = job.config.timeline.pre_roll / job.shot.fps;
  if (job.shot.start.loop) {
    PeriodicOptions options{.frames = job.shot.start.period, .carry = job.shot.start.carry};
    // Mixed states may pass through one another.
    if (simulation.model().contact()) options.mixed = 1;
    if (job.shot.start.unseen_seam) options.good_enough = *job.shot.start.unseen_seam;
    if (job.shot.start.most_periods) options.max_periods = *job.shot.start.most_periods;
    const PeriodicResponse r = find_periodic(simulation, options, watch);
    out.looped = true;
    out.closed = r.closed;
    out.closing_error = r.closing_error;
    out.periods = r.periods;
    out.fade = r.fade;
    out.text = r.closed ? fmt::format("the loop closes to {:.2g} % after {} periods{}", 100 * r.closing_error,
                                      r.periods, r.fade.empty() ? "" : ", and the rest fades")
                        : fmt::format(
                              "the loop does not close by itself ({:.2g} % open after {} periods{}): its last "
                              "{} frames fade into what leads to the first",
                              100 * r.closing_error, r.periods, r.trouble.empty() ? "" : "; " + r.trouble,
                              r.fade.q.size() - 1);
    return out;
  }
  if (job.shot.start.start == "settled" && !job.body->model->loose_parts().empty()) {
    out.text = "parts that nothing holds cannot settle: the start is that of \"rest\"";
    simulation.start(false, pre_roll);
  } else if (job.shot.start.start == "settled") {
    // Other bodies do not settle with it, and it settles without them.
    std::optional<Simulation> alone;
    if (simulation.model().contact()) alone.emplace(*job.body->model, simulation_spec(job));
    Settled s = settle(alone ? *alone : simulation, simulation.spec().t_start, watch);
    s.u.conservativeResizeLike(VecX::Zero(3 * simulation.model().n_vertices()));
    const long lead = std::lround(pre_roll / simulation.step_length());
    const double t = simulation.spec().t_start - static_cast<double>(lead) * simulation.step_length();
    simulation.start_at(t, s.u, VecX::Zero(s.u.size()));
    out.text = s.still ? fmt::format("still after {} long steps", s.steps)
                       : fmt::format("not still after {} long steps: the last one moved it by {:.2g} mm", s.steps,
                                     1e3 * s.moving_m);
  } else {
    simulation.start(job.shot.start.start == "moving", pre_roll);
  }
  for (const long lead = -simulation.steps_done(); simulation.steps_done() < 0;) {
    if (watch.cancelled()) throw Cancelled();
    simulation.step();
    watch.progress("warming up", static_cast<int>(lead + simulation.steps_done()), static_cast<int>(lead));
  }
  return out;
}

void put(Checkpoint& c, const StartResult& b) {
  c.numbers["looped"] = b.looped, c.numbers["loop_closed"] = b.closed;
  c.numbers["loop_error"] = b.closing_error, c.numbers["loop_periods"] = b.periods;
  c.numbers["fade_seam"] = b.fade.seam, c.numbers["fade_frames"] = static_cast<double>(b.fade.q.size());
  for (size_t k = 0; k < b.fade.q.size(); ++k) c.vectors[fmt::format("fade{}", k)] = b.fade.q[k];
}

StartResult get_beginning(const Checkpoint& c) {
  StartResult b;
  b.looped = c.numbers.at("looped") != 0, b.closed = c.numbers.at("loop_closed") != 0;
  b.closing_error = c.numbers.at("loop_error"), b.periods = static_cast<int>(c.numbers.at("loop_periods"));
  b.fade.seam = static_cast<int>(c.numbers.at("fade_seam"));
  for (int k = 0; k < static_cast<int>(c.numbers.at("fade_frames")); ++k)
    b.fade.q.push_back(c.vectors.at(fmt::format("fade{}", k)));
  return b;
}

}  // namespace supple::pipeline
