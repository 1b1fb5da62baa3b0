#include "supple/pipeline/character/clip_motion.h"

#include <algorithm>

#include "supple/anim/pose_cuts.h"
#include "supple/anim/pose_track.h"
#include "supple/base/parallel.h"

namespace supple::pipeline {

namespace {

constexpr size_t kDrawnPoints = 1000;  // that say what a pose is

std::vector<VecX> each_pose(const std::vector<Pose>& poses, const std::function<VecX(const Pose&)>& at) {
  std::vector<VecX> samples(poses.size());
  parallel_for(poses.size(), 1, [&](size_t begin, size_t end) {
    for (size_t f = begin; f < end; ++f) samples[f] = at(poses[f]);
  });
  return samples;
}

// Drawn vertices, evenly from the file's list: those of skinned meshes, which are the body, where there are any.
std::vector<int> points_of_body(const CharacterSetup& c) {
  std::vector<int> all, skinned;
  for (const DrawnPrimitive& p : c.drawn.primitives)
    for (int v = p.first_vertex; v < p.first_vertex + p.n_vertices; ++v) {
      all.push_back(v);
      if (c.character.nodes[p.node].skin >= 0) skinned.push_back(v);
    }
  const std::vector<int>& body = skinned.empty() ? all : skinned;
  std::vector<int> some;
  const size_t n = std::min(kDrawnPoints, body.size());
  for (size_t k = 0; k < n; ++k) some.push_back(body[k * body.size() / n]);
  return some;
}

}  // namespace

DrawnMotion clip_motion(const CharacterSetup& c, const SkinnedPoints& points, const ClipFrames& clip,
                        const ClipFrames& keyed) {
  const SkinnedPoints body = only(c.drawn.vertices, points_of_body(c));
  const auto drawn = [&](const Pose& pose) { return flatten(posed(body, pose)); };
  const auto tets = [&](const Pose& pose) { return flatten(posed(points, pose)); };
  DrawnMotion out;
  out.drawn = each_pose(clip.poses, drawn);
  out.samples = each_pose(clip.poses, tets);
  if (keyed.fps == clip.fps || keyed.poses.size() < 3) {
    out.cuts = find_pose_cuts(out.drawn);
    return out;
  }
  // A clip may end between two frames, and what is left of it then goes straight.
  std::vector<Pose> keys = keyed.poses;
  if (keyed.times.back() - keyed.times[keyed.times.size() - 2] < 0.999 / keyed.fps) keys.pop_back();
  std::vector<double> times;
  for (double t : clip.times)
    if (t <= keyed.times[keys.size() - 1] + 1e-9) times.push_back(t - keyed.times[0]);
  const std::vector<int> leaps = find_pose_cuts(each_pose(keys, drawn));
  std::vector<VecX> led = led_through_keys(each_pose(keys, tets), 1 / keyed.fps, leaps, times);
  std::move(led.begin(), led.end(), out.samples.begin());
  out.cuts = cuts_between(leaps, 1 / keyed.fps, times);
  return out;
}

}  // namespace supple::pipeline
