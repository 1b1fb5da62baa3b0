#include "supple/scene/live_motion.h"

#include <algorithm>
#include <cmath>

#include "supple/anim/loop_track.h"
#include "supple/anim/test_motion.h"
#include "supple/anim/track.h"

namespace supple {

namespace {

constexpr int kCycles = 3;  // of a loop that come before the one that counts: jiggle has then forgotten how it began

Vec3 axis_of(const Mat3& m) { return Vec3(m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1)) / 2; }

// Origin and the tips of the axes, flat: what a track of a rigid frame moves.
const Points& frame_points() {
  static const Points points = {Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()};
  return points;
}

Mat3 axes_in(const VecX& x) {
  Mat3 m;
  for (int c = 0; c < 3; ++c) m.col(c) = x.segment<3>(3 * (c + 1)) - x.head<3>();
  return m;
}

BoneMotion sampled(const Track& track, double from, double step, size_t count) {
  BoneMotion out;
  out.step = step;
  const std::vector<double> cuts = track.cuts();
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

ClipMotion clip_motion(const Character& character, const Clip& clip, int node, double scale, double fps) {
  ClipMotion out;
  const int frames = std::max(1, static_cast<int>(std::lround((clip.end - clip.start) * fps)) + 1);
  std::vector<RigidKey> keys;
  std::vector<VecX> samples;
  for (int f = 0; f < frames; ++f) {
    const double t = std::min(clip.start + f / fps, clip.end);
    out.times.push_back(t);
    const BoneFrame frame = rigid_frame(node_matrices(character, clip, t)[static_cast<size_t>(node)], scale);
    RigidKey key;
    key.t = f / fps, key.translation = frame.origin;
    Quat turn(frame.axes);
    if (f > 0 && turn.coeffs().dot(keys.back().quaternion) < 0) turn.coeffs() *= -1;
    key.quaternion = turn.coeffs();
    keys.push_back(key);
    VecX x(12);
    x.head<3>() = frame.origin;
    for (int c = 0; c < 3; ++c) x.segment<3>(3 * (c + 1)) = frame.origin + frame.axes.col(c);
    samples.push_back(x);
  }
  out.per_frame = static_cast<size_t>(std::max(1.0, std::round(kLiveRate / fps)));
  const double step = 1 / (fps * static_cast<double>(out.per_frame));
  const size_t own = out.per_frame * static_cast<size_t>(frames - 1) + 1;
  if (frames < 2) {
    const auto still = make_function_track(
        4, [x = samples[0]](double, int derivative) { return derivative == 0 ? x : VecX(VecX::Zero(12)); });
    out.motion = sampled(*still, 0, step, own);
    return out;
  }
  const Seam seam = find_seam(samples, 1 / fps);
  out.loops = seam.kind == Seam::Kind::closed;
  std::unique_ptr<Track> track;
  if (out.loops) {
    track = make_looped_rigid_track(keys, frame_points(), seam.carry);
    out.lead = kCycles * (own - 1);
  } else {
    continue_end(keys);
    track = make_rigid_track(keys, frame_points(), TrackStart::moving);
  }
  out.motion = sampled(*track, -step * static_cast<double>(out.lead), step, out.lead + own);
  return out;
}

std::vector<BoneMotion> usual_motions(const BoneFrame& frame, double size, const Vec3& up) {
  constexpr double kFps = 60;
  // The track turns about the mean of its points: around the bone, as far out as the body goes.
  Points points;
  for (const Vec3& p : frame_points()) points.push_back(frame.origin + frame.axes * p);
  std::vector<BoneMotion> out;
  for (const char* name : {"hop", "stop", "twist", "shake"}) {
    const auto track = make_test_motion(name, points, size, kFps, {.up = up, .still_s = 1});
    const double end = (test_motion_frames(name, kFps, {.up = up, .still_s = 1}) - 1) / kFps;
    out.push_back(sampled(*track, 0, 1 / kLiveRate, static_cast<size_t>(end * kLiveRate) + 1));
  }
  return out;
}

}  // namespace supple
