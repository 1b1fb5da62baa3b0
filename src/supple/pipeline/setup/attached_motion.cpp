#include "supple/pipeline/setup/attached_motion.h"

#include <fmt/format.h>

#include <cmath>

#include "supple/anim/frame_count.h"
#include "supple/anim/test_motion.h"
#include "supple/anim/track_views.h"
#include "supple/base/error.h"
#include "supple/io/motion_csv.h"
#include "supple/io/point_cache.h"

namespace supple::pipeline {

namespace {

std::shared_ptr<const Track> moved(const ShotInput& in, StartPlanner& planner, int& frames, Notes& notes) {
  const AttachConfig& a = in.config.attach;
  const TimelineConfig& time = in.config.timeline;
  const Points& rest = in.body.attached;
  const double fps = in.adjusted.fps;
  if (!time.test_motion.empty()) {
    const Vec3 up = up_of(in.config.world);
    frames = time.frames.value_or(test_motion_frames(time.test_motion, fps, {.up = up}));
    planner.begin_unmoved();  // it rests before and after
    return make_test_motion(time.test_motion, rest, longest_side(in.adjusted.base.mesh.vertices), fps, {.up = up});
  }
  frames = time.frames.value_or(49);
  const FilePath& file = a.track.empty() ? a.rigid : a.track;
  if (file.empty()) {
    planner.begin_unmoved();
    return nullptr;
  }
  notes.input(file);
  // The run's frames among the motion's.
  const auto first = [&] { return time.range ? (*time.range)[0] : 0; };
  const auto last = [&] { return time.range ? (*time.range)[1] : frames - 1; };
  if (!a.track.empty()) {
    const PointCache cache = read_point_cache(file.path);
    if (cache.n_points != static_cast<int>(rest.size()))
      throw InputError(in.config.locate("attach.track"),
                       fmt::format("'{}' has {} points, {} are attached", file.text, cache.n_points, rest.size()),
                       "the track needs one point for each attached vertex, in the same order");
    std::vector<VecX> samples;
    for (int s = 0; s < cache.n_samples; ++s) {
      VecX x(3 * cache.n_points);
      for (Eigen::Index i = 0; i < x.size(); ++i) x[i] = cache.sample(s)[i];
      samples.push_back(std::move(x));
    }
    if (!time.frames) frames = cache.n_samples;
    return planner.begun(std::move(samples), first(), last());
  }
  std::vector<RigidKey> keys = read_motion_csv(file.path);
  if (!time.frames) frames = frames_within(keys.back().t, fps, {.file = file.path});
  return planner.begun_rigid(std::move(keys), rest, first(), last());
}

}  // namespace

std::shared_ptr<const Track> attached_motion(const ShotInput& in, StartPlanner& planner, int& frames, Notes& notes) {
  std::shared_ptr<const Track> motion = moved(in, planner, frames, notes);
  if (!motion || in.body.followers.empty()) return motion;
  Points followers;
  for (int v : in.body.followers) followers.push_back(in.body.spec.mesh.vertices[v]);
  return with_followers(motion, in.body.attached, followers);
}

}  // namespace supple::pipeline
