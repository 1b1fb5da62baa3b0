#include "supple/scene/load_motion.h"

#include <fmt/format.h>

#include <cmath>

#include "supple/anim/test_motion.h"
#include "supple/anim/track_views.h"
#include "supple/base/error.h"
#include "supple/io/motion_csv.h"
#include "supple/io/point_cache.h"
#include "supple/scene/enrich_body.h"
#include "supple/scene/job.h"
#include "supple/scene/load_body.h"
#include "supple/scene/load_character.h"
#include "supple/scene/load_maps.h"
#include "supple/scene/start.h"

namespace supple {

namespace {

// The motion of the attached points, and how many frames it has.
std::shared_ptr<const Track> attached_motion(Job& job, const Points& rest, int& frames) {
  const AttachConfig& a = job.config.attach;
  const TimelineConfig& time = job.config.timeline;
  if (!time.test_motion.empty()) {
    const Vec3 up = up_of(job.config.world);
    frames = time.frames.value_or(test_motion_frames(time.test_motion, job.fps, {.up = up}));
    begin_unmoved(job);  // it rests before and after
    return make_test_motion(time.test_motion, rest, longest_side(job.base.mesh.vertices), job.fps, {.up = up});
  }
  frames = time.frames.value_or(49);
  const FilePath& file = a.track.empty() ? a.rigid : a.track;
  if (file.empty()) {
    begin_unmoved(job);
    return nullptr;
  }
  note_input(job, file);
  // The run's frames among the motion's.
  const auto first = [&] { return time.range ? (*time.range)[0] : 0; };
  const auto last = [&] { return time.range ? (*time.range)[1] : frames - 1; };
  if (!a.track.empty()) {
    const PointCache cache = read_point_cache(file.path);
    if (cache.n_points != static_cast<int>(rest.size()))
      throw InputError(job.config.locate("attach.track"),
                       fmt::format("'{}' has {} points, {} are attached", file.text, cache.n_points, rest.size()),
                       "the track needs one point for each attached vertex, in the same order");
    std::vector<VecX> samples;
    for (int s = 0; s < cache.n_samples; ++s) {
      VecX x(3 * cache.n_points);
      for (Eigen::Index i = 0; i < x.size(); ++i) x[i] = cache.sample(s)[i];
      samples.push_back(std::move(x));
    }
    if (!time.frames) frames = cache.n_samples;
    return begun_track(job, std::move(samples), first(), last());
  }
  std::vector<RigidKey> keys = read_motion_csv(file.path);
  if (!time.frames) frames = static_cast<int>(std::floor(keys.back().t * job.fps + 1e-6)) + 1;
  return begun_rigid_track(job, std::move(keys), rest, first(), last());
}

}  // namespace

std::shared_ptr<const Track> load_motion(Job& job, const Body& body, int& frames) {
  if (job.enrich) return enrich_motion(job, body, frames);
  if (job.character && job.config.timeline.test_motion.empty()) return character_motion(job, body, frames);
  std::shared_ptr<const Track> motion = attached_motion(job, body.attached, frames);
  if (!motion || body.followers.empty()) return motion;
  Points followers;
  for (int v : body.followers) followers.push_back(body.spec.mesh.vertices[v]);
  return with_followers(motion, body.attached, followers);
}

}  // namespace supple
