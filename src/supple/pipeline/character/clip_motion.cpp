#include "supple/pipeline/character/clip_motion.h"

#include <algorithm>

#include "supple/anim/pose_track.h"
#include "supple/base/parallel.h"

namespace supple::pipeline {

namespace {

constexpr size_t kDrawnPoints = 1000;  // that say what a pose is

std::vector<VecX> each_pose(const SkinnedPoints& points, const std::vector<Pose>& poses) {
  std::vector<VecX> samples(poses.size());
  parallel_for(poses.size(), 1, [&](size_t begin, size_t end) {
    for (size_t f = begin; f < end; ++f) samples[f] = flatten(posed(points, poses[f]));
  });
  return samples;
}

// Drawn vertices, evenly from the file's list: those of skinned meshes, which are the body, where there are any.
std::vector<int> points_of_body(const Character& character, const Drawn& drawn) {
  std::vector<int> all, skinned;
  for (const DrawnPrimitive& p : drawn.primitives)
    for (int v = p.first_vertex; v < p.first_vertex + p.n_vertices; ++v) {
      all.push_back(v);
      if (character.nodes[p.node].skin >= 0) skinned.push_back(v);
    }
  const std::vector<int>& body = skinned.empty() ? all : skinned;
  std::vector<int> some;
  const size_t n = std::min(kDrawnPoints, body.size());
  for (size_t k = 0; k < n; ++k) some.push_back(body[k * body.size() / n]);
  return some;
}

bool goes_by_keys(const ClipFrames& clip, const ClipFrames& keyed) {
  return keyed.fps != clip.fps && keyed.poses.size() >= 3;
}

// A clip may end between two frames, and what is left of it then goes straight.
size_t whole_keys(const ClipFrames& keyed) {
  const size_t n = keyed.times.size();
  return keyed.times[n - 1] - keyed.times[n - 2] < 0.999 / keyed.fps ? n - 1 : n;
}

// What keys say of the frames up to the last of them, in order.
std::vector<VecX> led(const SkinnedPoints& points, const ClipFrames& clip, const ClipFrames& keyed,
                      const ClipCuts& cuts) {
  std::vector<Pose> poses = keyed.poses;
  poses.resize(whole_keys(keyed));
  std::vector<double> times;
  for (double t : clip.times)
    if (t <= keyed.times[poses.size() - 1] + 1e-9) times.push_back(t - keyed.times[0]);
  std::vector<VecX> keys = each_pose(points, poses);
  bridge_frames(keys, 1 / keyed.fps, cuts.keys);
  return led_through_keys(std::move(keys), 1 / keyed.fps, cuts.keys.leaps(), times);
}

}  // namespace

ClipCuts find_clip_cuts(const Character& character, const Drawn& drawn, const ClipFrames& clip, const ClipFrames& keyed,
                        bool find) {
  ClipCuts out;
  const SkinnedPoints body = only(drawn.vertices, points_of_body(character, drawn));
  out.drawn = each_pose(body, clip.poses);
  if (!find) return out;
  const std::vector<VecX> as_it_is = out.drawn;
  if (!goes_by_keys(clip, keyed)) {
    out.keys = out.frames = find_motion_cuts(out.drawn, 1 / clip.fps);
    bridge_frames(out.drawn, 1 / clip.fps, out.frames);
    for (int f : out.frames.bridged())
      out.aside.emplace_back(f, fit_rigid_motion(out.drawn[static_cast<size_t>(f)], as_it_is[static_cast<size_t>(f)]));
    return out;
  }
  std::vector<Pose> keys = keyed.poses;
  keys.resize(whole_keys(keyed));
  out.keys = find_motion_cuts(each_pose(body, keys), 1 / keyed.fps);
  out.frames = cuts_at_rate(out.keys, 1 / keyed.fps, clip.fps);
  const std::vector<int> bridged = out.keys.bridged();
  if (bridged.empty()) return out;
  // A key that is off draws the frames up to the next ones there.
  const std::vector<VecX> smooth = led(body, clip, keyed, out);
  for (size_t f = 0; f < smooth.size(); ++f) {
    const double key = (clip.times[f] - keyed.times[0]) * keyed.fps;
    if (std::none_of(bridged.begin(), bridged.end(), [&](int k) { return std::abs(key - k) < 1 - 1e-6; })) continue;
    out.drawn[f] = smooth[f];
    out.aside.emplace_back(static_cast<int>(f), fit_rigid_motion(smooth[f], as_it_is[f]));
  }
  return out;
}

DrawnMotion clip_motion(const SkinnedPoints& points, const ClipFrames& clip, const ClipFrames& keyed,
                        const ClipCuts& cuts) {
  DrawnMotion out;
  out.drawn = cuts.drawn, out.cuts = cuts.frames;
  out.samples = each_pose(points, clip.poses);
  if (goes_by_keys(clip, keyed)) {
    std::vector<VecX> smooth = led(points, clip, keyed, cuts);
    std::move(smooth.begin(), smooth.end(), out.samples.begin());
  } else {
    bridge_frames(out.samples, 1 / clip.fps, cuts.frames);
  }
  return out;
}

}  // namespace supple::pipeline
