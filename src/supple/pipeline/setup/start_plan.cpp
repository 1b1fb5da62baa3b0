#include "supple/pipeline/setup/start_plan.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "supple/anim/pose_track.h"
#include "supple/anim/rigid_cuts.h"
#include "supple/base/error.h"
#include "supple/mesh/tri_mesh.h"
#include "supple/pipeline/setup/surroundings.h"

namespace supple::pipeline {

namespace {

using Kind = Seam::Kind;
// A change of pose or pace over the seam, beside those of the motion, that no one would keep.
constexpr double kLeap = 0.5, kKick = 2.5;
constexpr const char* kEndHeld = "its last pose is held to the end of the run";
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

// Beyond a leap in its last steps a motion has none to go on as. Of so many frames, or keys.
bool ends_in(const std::vector<int>& leaps, size_t frames) {
  return !leaps.empty() && leaps.back() + 3 >= static_cast<int>(frames);
}

std::string travel(const RigidMotion& carry) {
  const double angle = Eigen::AngleAxisd(carry.R).angle() * 180 / M_PI, way = (carry.to - carry.from).norm();
  if (carry.R.isIdentity(1e-6) && way < 1e-9) return "";
  std::string text = fmt::format(", each cycle {:.3g} m", way);
  if (!carry.R.isIdentity(1e-6)) text += fmt::format(" and {:.3g} degrees", angle);
  return text + " on from the last";
}

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

std::vector<std::string> words_for(const MotionCuts& cuts, const SceneConfig& config) {
  std::vector<std::string> words;
  if (const std::string leaps = describe_leaps(cuts); !leaps.empty())
    words.push_back(fmt::format(
        "the motion is cut at frame {}: the flesh {}", leaps,
        config.timeline.cuts == "settle" ? "begins anew there, settled" : "goes on as it was, seen from the body"));
  if (const std::string bridged = describe_bridged(cuts); !bridged.empty())
    words.push_back(
        fmt::format("frame {} is no part of the motion: the flesh passes over it (timeline.cuts = \"off\" "
                    "takes all as it is)",
                    bridged));
  return words;
}

std::string StartPlan::text() const {
  if (loop) return fmt::format("loop of {} frames: {}", period, why);
  return fmt::format("start: {}{}", start, why.empty() ? "" : " (" + why + ")");
}

// Why the flesh could not repeat even though the motion does; empty when it could.
std::string StartPlanner::hindrance(const RigidMotion& carry) const {
  const ModelSpec& spec = spec_;
  if (around_ && !around_->bodies.empty()) return "other bodies are not back where they were";
  if (around_ && around_->animated()) return "obstacles move";
  if (around_ && passes(*around_, carry)) return "it goes past things, from one cycle to the next";
  if (carry.R.isIdentity(1e-6)) return "";
  if ((carry.R * spec.gravity - spec.gravity).norm() > kAgainstGravity * spec.gravity.norm())
    return "it turns against gravity from one cycle to the next";
  if (spec.material == MaterialModel::linear)
    return "it turns from one cycle to the next, and the linear material does not turn with it";
  return "";
}

void StartPlanner::plan_loop(const RigidMotion& carry, int period, const std::string& why) {
  plan_.loop = true;
  plan_.start = "moving";
  plan_.period = period;
  plan_.carry = carry;
  plan_.why = why + travel(carry);
}

void StartPlanner::refuse_loop(const std::string& why) const {
  throw InputError(config_.locate("timeline.loop"), "the motion cannot be repeated: " + why,
                   "Let it end in the pose and at the speed it begins with, or leave timeline.loop out.");
}

void StartPlanner::need_auto_start() const {
  if (config_.timeline.start != "auto")
    throw InputError(config_.locate("timeline.start"), "timeline.start has no say beside timeline.loop = true",
                     "Leave one of them out.");
}

// As the motion is, where the scene does not ask for a loop. True when it is to be one.
bool StartPlanner::choose_by_itself(bool repeats, const RigidMotion& carry, int period, const std::string& why) {
  const std::string& start = config_.timeline.start;
  plan_.start = start == "auto" ? "moving" : start;
  plan_.why = start == "auto" ? why : "as the scene says";
  if (start != "auto" || config_.timeline.loop == "false" || !repeats) return false;
  if (const std::string against = hindrance(carry); !against.empty()) {
    plan_.why = against;
    return false;
  }
  plan_loop(carry, period, why);
  return true;
}

// True when the motion is to be looped. Else plan_.start and why are settled. `seam` is that of the run's frames,
// `period` their number of steps.
bool StartPlanner::choose(const Seam& seam, int period) {
  if (!loop_asked()) return choose_by_itself(seam.kind == Kind::closed, seam.carry, period, describe(seam));
  need_auto_start();
  if (seam.kind == Kind::short_clip || seam.kind == Kind::still) refuse_loop(describe(seam));
  if (const std::string why = hindrance(seam.carry); !why.empty()) refuse_loop(why);
  if (seam.kind == Kind::apart || seam.kind == Kind::different) {
    if (seam.pose_m * fps_ > kLeap * seam.usual || seam.rough > kKick) refuse_loop(describe(seam));
    notes_.warn("the motion does not quite repeat: " + describe(seam));
  }
  plan_loop(seam.carry, period, describe(seam));
  return true;
}

bool StartPlanner::choose(const PoseCycle& cycle) {
  if (!loop_asked()) return choose_by_itself(cycle.repeats(), cycle.carry, cycle.steps, describe(cycle));
  need_auto_start();
  if (!cycle.repeats()) refuse_loop(describe(cycle));
  if (const std::string why = hindrance(cycle.carry); !why.empty()) refuse_loop(why);
  plan_loop(cycle.carry, cycle.steps, describe(cycle));
  return true;
}

void StartPlanner::begin_unmoved() {
  if (loop_asked()) refuse_loop("there is none");
  plan_.start = config_.timeline.start == "settled" ? "settled" : "rest";
  plan_.why = "nothing moves it";
}

double StartPlanner::size() const { return longest_side(spec_.mesh.vertices); }

// cuts: of the run's frames.
void StartPlanner::note_cuts(MotionCuts cuts) {
  for (const std::string& text : words_for(cuts, config_)) notes_.warn(text);
  plan_.cuts = std::move(cuts);
}

std::shared_ptr<const Track> StartPlanner::begun(std::vector<VecX> samples, int first, int last) {
  const double dt = 1 / fps_;
  make_sampled_track(samples, dt, TrackStart::rest, {});  // names what is wrong with the samples
  MotionCuts cuts;
  if (finds_cuts(config_)) cuts = find_motion_cuts(samples, dt, {.drives_only = true, .body = size()});
  bridge_frames(samples, dt, cuts);
  return begun(std::move(samples), cuts, finds_cuts(config_), first, last);
}

std::shared_ptr<const Track> StartPlanner::begun(std::vector<VecX> samples, const MotionCuts& cuts, int first,
                                                 int last) {
  return begun(std::move(samples), cuts, false, first, last);
}

// partly: points may jump by themselves too, which the track finds.
std::shared_ptr<const Track> StartPlanner::begun(std::vector<VecX> samples, const MotionCuts& cuts, bool partly,
                                                 int first, int last) {
  const double dt = 1 / fps_;
  note_cuts(cuts_within(cuts, first, last));
  Seam seam;
  std::vector<VecX> clip;
  if (first >= 0 && last < static_cast<int>(samples.size()) && first < last)
    clip.assign(samples.begin() + first, samples.begin() + last + 1);
  if (!clip.empty()) seam = find_seam(clip, dt);
  const bool held = last >= static_cast<int>(samples.size());
  if (held && loop_asked()) refuse_loop(kEndHeld);
  if (ends_before_first(clip, dt, loop_asked(), seam)) clip.push_back(clip[0]);
  if (choose(seam, static_cast<int>(clip.size()) - 1))
    return partly ? make_looped_track(clip, dt, seam.carry, first * dt)
                  : make_looped_track(clip, dt, seam.carry, plan_.cuts.leaps(), first * dt);
  if (held && config_.timeline.start == "auto") plan_.why = kEndHeld;
  if (plan_.start == "moving" && !held && !ends_in(cuts.leaps(), samples.size())) continue_end(samples);
  return partly ? make_sampled_track(std::move(samples), dt, track_start())
                : make_sampled_track(std::move(samples), dt, track_start(), cuts.leaps());
}

std::shared_ptr<const Track> StartPlanner::begun_drawn(DrawnMotion m, int first, int last) {
  const double dt = 1 / fps_;
  const int n = static_cast<int>(m.samples.size());
  const bool held = last >= n;
  if (held && loop_asked()) refuse_loop(kEndHeld);
  PoseCycle cycle;
  note_cuts(cuts_within(m.cuts, first, last));
  const std::vector<int> cuts = plan_.cuts.leaps();
  if (first >= 0 && first < last && !held)
    cycle = find_pose_cycle({m.drawn.begin() + first, m.drawn.begin() + last + 1}, cuts);
  if (choose(cycle))
    return make_pose_track({m.samples.begin() + first, m.samples.begin() + last + 1}, dt, cuts, cycle,
                           TrackStart::moving, first * dt);
  if (held && config_.timeline.start == "auto") plan_.why = kEndHeld;
  return make_pose_track(std::move(m.samples), dt, m.cuts.leaps(), {}, track_start(), 0, held);
}

std::shared_ptr<const Track> StartPlanner::begun_rigid(std::vector<RigidKey> keys, const Points& rest, int first,
                                                       int last) {
  make_rigid_track(keys, corners(rest), TrackStart::rest, {});  // names what is wrong with the keys
  MotionCuts cuts;
  if (finds_cuts(config_))
    cuts = find_motion_cuts(box_places(keys, corners(rest)), times_of(keys), {.drives_only = true, .body = size()});
  bridge_keys(keys, cuts);
  const std::vector<int> leaps = cuts.leaps();
  const auto track = make_rigid_track(keys, corners(rest), TrackStart::rest, leaps);
  const double t0 = first / fps_, t1 = last / fps_, slack = 1e-6 / fps_;
  // Told by frames; a new place is there from the first frame on that has it.
  for (MotionCut& c : cuts.list) {
    const double frame = keys[static_cast<size_t>(c.frame)].t * fps_;
    c.frame = static_cast<int>(c.is_leap() ? std::ceil(frame - 1e-6) : std::lround(frame));
  }
  note_cuts(cuts_within(cuts, first, last));
  Seam seam;
  bool even = std::abs(keys[0].t - t0) < slack && std::abs(keys.back().t - t1) < slack;
  const double dt = (t1 - t0) / static_cast<double>(std::max<size_t>(1, keys.size() - 1));
  std::vector<VecX> poses;
  for (size_t k = 0; k < keys.size() && even; ++k) {
    even = std::abs(keys[k].t - t0 - static_cast<double>(k) * dt) < 1e-3 * dt;
    poses.push_back(track->at(keys[k].t));
  }
  if (even) seam = find_seam(poses, dt);
  if (!even && loop_asked()) refuse_loop("its keys are not even, or do not begin and end with the run");
  const bool longer = even && std::abs(dt * fps_ - 1) < 1e-6 && ends_before_first(poses, dt, loop_asked(), seam);
  if (choose(seam, last - first + longer)) {
    if (longer) {
      keys.push_back(keys[0]);
      keys.back().t = t1 + dt;
    }
    return make_looped_rigid_track(std::move(keys), rest, seam.carry, leaps);
  }
  if (!even && config_.timeline.start == "auto") plan_.why = "keys that are uneven or cut off are no loop";
  // Beyond the run's last frame the motion goes on, if it is not held there.
  if (plan_.start == "moving" && keys.back().t > t1 - slack && !ends_in(leaps, keys.size())) continue_end(keys);
  return make_rigid_track(std::move(keys), rest, track_start(), leaps);
}

}  // namespace supple::pipeline
