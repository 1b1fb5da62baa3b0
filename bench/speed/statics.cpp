// The equilibrium of the next pose, from those before it, as a run solves for it.
#include <fmt/format.h>

#include "bench.h"
#include "supple/base/timer.h"
#include "supple/inertia/static_track.h"

namespace supple::bench {

namespace {

constexpr double kFps = 24;

void next_poses(Bench& bench, const std::string& id, const std::string& label, const Model& model, const Drive& drive,
                double bar) {
  CholmodYardstick f(step_matrix(model, 0));
  StaticTrack track(model, drive, {.knot_spacing = 1 / kFps});
  // The first time asked for takes the knots around it; from then on a frame takes one. Half way between knots, so that
  // rounding cannot tell otherwise.
  auto time = [](int frame) { return (frame + 0.5) / kFps; };
  int frame = 0;
  for (; frame < 4; ++frame) track.at(time(frame));
  const int solves = track.solves(), newton = track.newton_iterations(), first = frame;
  std::vector<double> seconds;
  f.sample();
  for (; frame < first + 2 * bench.options.repeats; ++frame) {
    const Timer timer;
    track.at(time(frame));
    seconds.push_back(timer.seconds());
    if (frame % 3 == 0) f.sample();
  }
  f.sample();
  Row row = row_of(id, label, seconds);
  set_yardstick(row, "F", f.seconds(), "F");
  row.bar = bar;
  const double frames = frame - first;
  row.details = {{"tets", static_cast<double>(model.mesh().tets.size())},
                 {"solves a frame", (track.solves() - solves) / frames},
                 {"Newton a frame", (track.newton_iterations() - newton) / frames},
                 {"not converged", static_cast<double>(track.unconverged())}};
  bench.add(std::move(row));
}

}  // namespace

void measure_static(Bench& bench) {
  bench.heading("Static solve of the next pose, warm, 24 poses a second");
  for (int n_tets : sizes_up_to(bench, 100000)) {
    const std::string size = size_name(n_tets);
    const double bar = n_tets == 20000 ? 0.5 : kUnknown;
    for (Shape shape : bench.options.shapes) {
      const Model model = make_model({.shape = shape, .n_tets = n_tets});
      next_poses(bench, fmt::format("static/{}/{}", name_of(shape), size),
                 fmt::format("next pose, tilted {} {}", name_of(shape), size), model, tilt(model), bar);
    }
    const Model core = core_model(n_tets);
    next_poses(bench, "static/core/" + size, "next pose, deforming core " + size, core, core_drive(core, 40, kFps),
               bar);
  }
}

}  // namespace supple::bench
