#include "supple/pipeline/live/motion.h"

#include <algorithm>
#include <cmath>

#include "supple/anim/frame_count.h"
#include "supple/anim/loop_track.h"
#include "supple/anim/rigid_cuts.h"
#include "supple/anim/test_motion.h"
#include "supple/anim/track.h"
#include "supple/pipeline/character/clip_motion.h"

namespace supple::pipeline::live {

namespace {

constexpr double kWholeFrame = 0.01;  // of a frame, that the last one may be too early
constexpr int kCycles = 3;  // of a loop that come before the one that counts: jiggle has then forgotten how it began

Vec3 axis_of(const Mat3& m) { return Vec3(m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1)) / 2; }

// Origin and the tips of the axes, flat: what a track of a rigid frame moves.
const Points& frame_points() {
  static const Points points = {Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()};
  return points;
}

VecX points_of(const BoneFrame& frame) {
  VecX x(12);
  x.head<3>() = frame.origin;
  for (int c = 0; c < 3; ++c) x.segment<3>(3 * (c + 1)) = frame.origin + frame.axes.col(c);
  return x;
}

Mat3 axes_in(const VecX& x) {
  Mat3 m;
  for (int c = 0; c < 3; ++c) m.col(c) = x.segment<3>(3 * (c + 1)) - x.head<3>();
  return m;
}

BoneMotion sampled(const Track& track, double from, double step, size_t count, bool settles = false) {
  BoneMotion out;
  out.step = step;
  const std::vector<double> cuts = settles ? track.cuts() : std::vector<double>();
  for (size_t i = 0; i < count; ++i) {
    const double t = from + static_cast<double>(i) * step;
    const VecX x1 = track.at(t, 1), x2 = track.at(t, 2);
    const Mat3 axes = axes_in(track.at(t)), inverse = axes.transpose();
    out.axes.push_back(axes);
    out.acceleration.push_back(inverse * x2.head<3>());
    out.turning.push_back(axis_of(inverse * axes_in(x1)));
    out.turning_rate.push_back(axis_of(inverse * axes_in(x2)));
    for (double cut : cuts)
      if (cut > t - step && cut <= t) out.cuts.push_back(i);
  }
  return out;
}

}  // namespace

BoneFrame rigid_frame(const Affine& world, double scale) {
  BoneFrame frame;
  frame.origin = scale * world.translation();
  Mat3 m = world.linear();
  if (m.determinant() < 0) m.col(0) *= -1;
  for (int c = 0; c < 3; ++c) m.col(c).normalize();
  frame.axes = Quat(m).normalized().toRotationMatrix();
  return frame;
}

ClipPlan plan_clip(const Character& character, const Drawn& drawn, const Clip& clip, double scale, double fps,
                   const TimelineConfig& timeline) {
  const std::string& loop = timeline.loop;
  ClipPlan plan;
  plan.clip = &clip, plan.fps = fps;
  const int frames =
      frames_within(clip.end - clip.start + kWholeFrame / fps, fps, {character.file, 0, 0, "clip '" + clip.name + "'"});
  std::vector<VecX> samples;
  for (int f = 0; f < frames; ++f) {
    plan.times.push_back(std::min(clip.start + f / fps, clip.end));
    plan.nodes.push_back(node_matrices(character, clip, plan.times.back()));
    VecX x(12 * static_cast<Eigen::Index>(drawn.bones.size()));
    for (size_t b = 0; b < drawn.bones.size(); ++b)
      x.segment<12>(12 * static_cast<Eigen::Index>(b)) =
          points_of(rigid_frame(plan.nodes.back()[static_cast<size_t>(drawn.bones[b].node)], scale));
    samples.push_back(std::move(x));
  }
  if (frames >= 2 && timeline.cuts != "off") {
    ClipFrames all{.fps = fps, .times = plan.times, .poses = {}};
    for (double t : plan.times) all.poses.push_back(pose_at(character, drawn, clip, t));
    plan.cuts = find_clip_cuts(character, drawn, all, all, true).frames;
    bridge_frames(samples, 1 / fps, plan.cuts);
  }
  if (frames < 2 || loop == "false") return plan;
  Seam seam = find_seam(samples, 1 / fps);
  plan.one_more = ends_before_first(samples, 1 / fps, loop == "true", seam);
  plan.loops = seam.kind == Seam::Kind::closed || loop == "true";
  plan.one_more = plan.one_more && plan.loops;
  plan.carry = seam.carry;
  return plan;
}

ClipMotion clip_motion(const ClipPlan& plan, int node, double scale, bool settles) {
  ClipMotion out;
  std::vector<RigidKey> keys;
  const auto add = [&](size_t f, double t) {
    const BoneFrame frame = rigid_frame(plan.nodes[f][static_cast<size_t>(node)], scale);
    RigidKey key;
    key.t = t, key.translation = frame.origin;
    Quat turn(frame.axes);
    if (!keys.empty() && turn.coeffs().dot(keys.back().quaternion) < 0) turn.coeffs() *= -1;
    key.quaternion = turn.coeffs();
    keys.push_back(key);
  };
  const size_t frames = plan.times.size();
  for (size_t f = 0; f < frames; ++f) add(f, static_cast<double>(f) / plan.fps);
  bridge_keys(keys, plan.cuts);
  const std::vector<int> leaps = plan.cuts.leaps();
  out.per_frame = static_cast<size_t>(std::max(1.0, std::round(kLiveRate / plan.fps)));
  const double step = 1 / (plan.fps * static_cast<double>(out.per_frame));
  const size_t own = out.per_frame * (frames - 1) + 1;
  if (frames < 2) {
    const VecX x = points_of(rigid_frame(plan.nodes[0][static_cast<size_t>(node)], scale));
    const auto still =
        make_function_track(4, [x](double, int derivative) { return derivative == 0 ? x : VecX(VecX::Zero(12)); });
    out.motion = sampled(*still, 0, step, own);
    return out;
  }
  std::unique_ptr<Track> track;
  if (plan.loops && frames >= 4) {
    if (plan.one_more) add(0, static_cast<double>(frames) / plan.fps);
    track = make_looped_rigid_track(keys, frame_points(), plan.carry, leaps);
    out.lead = kCycles * out.per_frame * (keys.size() - 1);
  } else {
    if (leaps.empty() || leaps.back() + 3 < static_cast<int>(frames)) continue_end(keys);
    track = make_rigid_track(keys, frame_points(), TrackStart::moving, leaps);
  }
  out.motion = sampled(*track, -step * static_cast<double>(out.lead), step, out.lead + own, settles);
  return out;
}

std::vector<BoneMotion> usual_motions(const BoneFrame& frame, double size, const Vec3& up) {
  constexpr double kFps = 60;
  // The track turns about the mean of its points: around the bone, as far out as the body goes.
  Points points;
  for (const Vec3& p : frame_points()) points.push_back(frame.origin + frame.axes * p);
  std::vector<BoneMotion> out;
  for (const char* name : {"hop", "stop", "twist"}) {  // not the shake: it may meet the flesh in resonance
    const auto track = make_test_motion(name, points, size, kFps, {.up = up, .still_s = 1});
    const double end = (test_motion_frames(name, kFps, {.up = up, .still_s = 1}) - 1) / kFps;
    out.push_back(sampled(*track, 0, 1 / kLiveRate, static_cast<size_t>(end * kLiveRate) + 1));
  }
  return out;
}

}  // namespace supple::pipeline::live
