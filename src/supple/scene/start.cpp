#include "supple/scene/start.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <optional>

#include "supple/anim/loop_track.h"
#include "supple/base/error.h"
#include "supple/scene/job.h"
#include "supple/scene/run.h"
#include "supple/scene/surroundings.h"

namespace supple {

namespace {

constexpr double kUnseenSeam = 0.02;  // of the swing
constexpr int kCharacterPeriods = 6;

using Kind = Seam::Kind;
// A change of pose or pace over the seam, beside those of the motion, that no one would keep.
constexpr double kLeap = 0.5, kKick = 2.5;
constexpr const char* kHeld = "its last pose is held to the end of the run";
constexpr double kAgainstGravity = 0.01;  // change of gravity's direction from one cycle to the next

// Whether things that stay are somewhere else as seen from the next cycle.
bool passes(const Surroundings& around, const RigidMotion& carry) {
  const bool stays = carry.R.isIdentity(1e-6) && (carry.to - carry.from).norm() < 1e-9;
  if (stays) return false;
  const auto along = [&](const ContactPlane& p) {
    return (carry.R * p.normal - p.normal).norm() < 1e-6 && std::abs(p.normal.dot(carry.to - carry.from)) < 1e-6;
  };
  return !around.obstacles.empty() || !std::all_of(around.planes.begin(), around.planes.end(), along);
}

// Why the flesh could not repeat even though the motion does; empty when it could.
std::string hindrance(const Job& job, const RigidMotion& carry) {
  const ModelSpec& spec = job.model->spec();
  if (job.surroundings && !job.surroundings->bodies.empty()) return "other bodies are not back where they were";
  if (job.surroundings && job.surroundings->animated()) return "obstacles move";
  if (job.surroundings && passes(*job.surroundings, carry)) return "it goes past things, from one cycle to the next";
  if (carry.R.isIdentity(1e-6)) return "";
  if ((carry.R * spec.gravity - spec.gravity).norm() > kAgainstGravity * spec.gravity.norm())
    return "it turns against gravity from one cycle to the next";
  if (spec.material == MaterialModel::linear)
    return "it turns from one cycle to the next, and the linear material does not turn with it";
  return "";
}

std::string travel(const RigidMotion& carry) {
  const double angle = Eigen::AngleAxisd(carry.R).angle() * 180 / M_PI, way = (carry.to - carry.from).norm();
  if (carry.R.isIdentity(1e-6) && way < 1e-9) return "";
  std::string text = fmt::format(", each cycle {:.3g} m", way);
  if (!carry.R.isIdentity(1e-6)) text += fmt::format(" and {:.3g} degrees", angle);
  return text + " on from the last";
}

// Decides; `seam` is that of the run's frames, `period` their number of steps.
void plan_loop(Job& job, const Seam& seam, int period) {
  job.start.loop = true;
  job.start.start = "moving";
  job.start.period = period;
  job.start.carry = seam.carry;
  job.start.why = describe(seam) + travel(seam.carry);
}

bool loop_asked(const Job& job) { return job.config.timeline.loop == "true"; }

void refuse_loop(const Job& job, const std::string& why) {
  throw InputError(job.config.locate("timeline.loop"), "the motion cannot be repeated: " + why,
                   "Let it end in the pose and at the speed it begins with, or leave timeline.loop out.");
}

// True when the motion is to be looped. Else job.start.start and why are settled.
bool choose(Job& job, const Seam& seam, int period) {
  const std::string& start = job.config.timeline.start;
  if (loop_asked(job)) {
    if (start != "auto")
      throw InputError(job.config.locate("timeline.start"), "timeline.start has no say beside timeline.loop = true",
                       "Leave one of them out.");
    if (seam.kind == Kind::short_clip || seam.kind == Kind::still) refuse_loop(job, describe(seam));
    if (const std::string why = hindrance(job, seam.carry); !why.empty()) refuse_loop(job, why);
    if (seam.kind == Kind::apart || seam.kind == Kind::different) {
      if (seam.pose_m * job.fps > kLeap * seam.usual || seam.rough > kKick) refuse_loop(job, describe(seam));
      job.warnings.push_back("the motion does not quite repeat: " + describe(seam));
    }
    plan_loop(job, seam, period);
    return true;
  }
  job.start.start = start == "auto" ? "moving" : start;
  job.start.why = start == "auto" ? describe(seam) : "as the scene says";
  if (start != "auto" || job.config.timeline.loop == "false" || seam.kind != Kind::closed) return false;
  if (const std::string why = hindrance(job, seam.carry); !why.empty()) {
    job.start.why = why;
    return false;
  }
  plan_loop(job, seam, period);
  return true;
}

TrackStart track_start(const Job& job) { return job.start.start == "moving" ? TrackStart::moving : TrackStart::rest; }

// Corners of a box around the points, which show any rotation.
Points corners(const Points& points) {
  Box box;
  if (!points.empty()) box.low = box.high = points[0];
  for (const Vec3& x : points) box.low = box.low.cwiseMin(x), box.high = box.high.cwiseMax(x);
  const double least = std::max(0.1 * box.size().maxCoeff(), 1e-3);
  box.high = box.high.cwiseMax(box.low + Vec3::Constant(least));
  Points list;
  for (int c = 0; c < 8; ++c)
    list.emplace_back((c & 1) ? box.high.x() : box.low.x(), (c & 2) ? box.high.y() : box.low.y(),
                      (c & 4) ? box.high.z() : box.low.z());
  return list;
}

}  // namespace

std::string StartPlan::text() const {
  if (loop) return fmt::format("loop of {} frames: {}", period, why);
  return fmt::format("start: {}{}", start, why.empty() ? "" : " (" + why + ")");
}

void begin_unmoved(Job& job) {
  if (loop_asked(job)) refuse_loop(job, "there is none");
  job.start.start = job.config.timeline.start == "settled" ? "settled" : "rest";
  job.start.why = "nothing moves it";
}

std::shared_ptr<const Track> begun_track(Job& job, std::vector<VecX> samples, int first, int last) {
  const double dt = 1 / job.fps;
  Seam seam;
  std::vector<VecX> clip;
  if (first >= 0 && last < static_cast<int>(samples.size()) && first < last)
    clip.assign(samples.begin() + first, samples.begin() + last + 1);
  make_sampled_track(samples, dt);  // names what is wrong with the samples
  if (!clip.empty()) seam = find_seam(clip, dt);
  const bool held = last >= static_cast<int>(samples.size());
  if (held && loop_asked(job)) refuse_loop(job, kHeld);
  if (ends_before_first(clip, dt, loop_asked(job), seam)) clip.push_back(clip[0]);
  if (choose(job, seam, static_cast<int>(clip.size()) - 1)) return make_looped_track(clip, dt, seam.carry, first * dt);
  if (held && job.config.timeline.start == "auto") job.start.why = kHeld;
  if (job.start.start == "moving" && !held) continue_end(samples);
  return make_sampled_track(std::move(samples), dt, track_start(job));
}

std::shared_ptr<const Track> begun_rigid_track(Job& job, std::vector<RigidKey> keys, const Points& rest, int first,
                                               int last) {
  const auto track = make_rigid_track(keys, corners(rest));  // names what is wrong with the keys
  const double t0 = first / job.fps, t1 = last / job.fps, slack = 1e-6 / job.fps;
  Seam seam;
  bool even = std::abs(keys[0].t - t0) < slack && std::abs(keys.back().t - t1) < slack;
  const double dt = (t1 - t0) / static_cast<double>(std::max<size_t>(1, keys.size() - 1));
  std::vector<VecX> poses;
  for (size_t k = 0; k < keys.size() && even; ++k) {
    even = std::abs(keys[k].t - t0 - static_cast<double>(k) * dt) < 1e-3 * dt;
    poses.push_back(track->at(keys[k].t));
  }
  if (even) seam = find_seam(poses, dt);
  if (!even && loop_asked(job)) refuse_loop(job, "its keys are not even, or do not begin and end with the run");
  const bool longer = even && std::abs(dt * job.fps - 1) < 1e-6 && ends_before_first(poses, dt, loop_asked(job), seam);
  if (choose(job, seam, last - first + longer)) {
    if (longer) {
      keys.push_back(keys[0]);
      keys.back().t = t1 + dt;
    }
    return make_looped_rigid_track(std::move(keys), rest, seam.carry);
  }
  if (!even && job.config.timeline.start == "auto") job.start.why = "keys that are uneven or cut off are no loop";
  // Beyond the run's last frame the motion goes on, if it is not held there.
  if (job.start.start == "moving" && keys.back().t > t1 - slack) continue_end(keys);
  return make_rigid_track(std::move(keys), rest, track_start(job));
}

Beginning begin(Simulation& simulation, const Job& job, const Watch& watch) {
  Beginning out;
  const double pre_roll = job.config.timeline.pre_roll / job.fps;
  if (job.start.loop) {
    PeriodicOptions options{.frames = job.start.period, .carry = job.start.carry};
    // Flesh on a character is seen, not measured: what is left of the seam fades.
    // Mixed states may pass through one another.
    if (simulation.model().contact()) options.mixed = 1;
    if (job.character) options.good_enough = kUnseenSeam, options.max_periods = kCharacterPeriods;
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
  if (job.start.start == "settled" && !job.model->loose_parts().empty()) {
    out.text = "parts that nothing holds cannot settle: the start is that of \"rest\"";
    simulation.start(false, pre_roll);
  } else if (job.start.start == "settled") {
    // Other bodies do not settle with it, and it settles without them.
    std::optional<Simulation> alone;
    if (simulation.model().contact()) alone.emplace(*job.model, simulation_spec(job));
    Settled s = settle(alone ? *alone : simulation, watch);
    s.u.conservativeResizeLike(VecX::Zero(3 * simulation.model().n_vertices()));
    const long lead = std::lround(pre_roll / simulation.step_length());
    const double t = simulation.spec().t_start - static_cast<double>(lead) * simulation.step_length();
    simulation.start_at(t, s.u, VecX::Zero(s.u.size()));
    out.text = s.still ? fmt::format("still after {} long steps", s.steps)
                       : fmt::format("not still after {} long steps: the last one moved it by {:.2g} mm", s.steps,
                                     1e3 * s.moving_m);
  } else {
    simulation.start(job.start.start == "moving", pre_roll);
  }
  while (simulation.steps_done() < 0) {
    if (watch.cancelled()) throw Cancelled();
    simulation.step();
  }
  return out;
}

void put(Checkpoint& c, const Beginning& b) {
  c.numbers["looped"] = b.looped, c.numbers["loop_closed"] = b.closed;
  c.numbers["loop_error"] = b.closing_error, c.numbers["loop_periods"] = b.periods;
  c.numbers["fade_seam"] = b.fade.seam, c.numbers["fade_frames"] = static_cast<double>(b.fade.q.size());
  for (size_t k = 0; k < b.fade.q.size(); ++k) c.vectors[fmt::format("fade{}", k)] = b.fade.q[k];
}

Beginning get_beginning(const Checkpoint& c) {
  Beginning b;
  b.looped = c.numbers.at("looped") != 0, b.closed = c.numbers.at("loop_closed") != 0;
  b.closing_error = c.numbers.at("loop_error"), b.periods = static_cast<int>(c.numbers.at("loop_periods"));
  b.fade.seam = static_cast<int>(c.numbers.at("fade_seam"));
  for (int k = 0; k < static_cast<int>(c.numbers.at("fade_frames")); ++k)
    b.fade.q.push_back(c.vectors.at(fmt::format("fade{}", k)));
  return b;
}

}  // namespace supple
