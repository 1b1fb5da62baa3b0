#include "supple/scene/load_character.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "supple/anim/track.h"
#include "supple/base/error.h"
#include "supple/io/gltf_read.h"
#include "supple/mesh/rigid_fit.h"
#include "supple/scene/flesh_body.h"
#include "supple/scene/flesh_plan.h"
#include "supple/scene/job.h"
#include "supple/scene/load_maps.h"
#include "supple/scene/stage_cache.h"
#include "supple/scene/start.h"
#include "supple/sim/static_solver.h"

namespace supple {

namespace {

constexpr int kPoseSteps = 10;  // from the bound pose to the first of the clip

class Slice : public Track {
 public:
  Slice(std::shared_ptr<const Track> whole, int first, int count)
      : whole_(std::move(whole)), first_(first), count_(count) {}
  int n_points() const override { return count_; }
  double duration() const override { return whole_->duration(); }
  std::vector<double> cuts() const override { return whole_->cuts(); }
  VecX at(double t, int derivative) const override { return whole_->at(t, derivative).segment(3 * first_, 3 * count_); }

 private:
  std::shared_ptr<const Track> whole_;
  int first_, count_;
};

// The flesh's points of body.attached in a pose, flat.
VecX attached_at(const Job& job, const Body& body, const Pose& pose) {
  const Points all = posed(job.character->flesh.points, pose);
  Points some;
  for (int v : body.spec.driven) some.push_back(all[v]);
  for (int v : body.spring_vertices) some.push_back(all[v]);
  return flatten(some);
}

// p at the first frame, reached from the bound pose joint by joint: from the rest shape at once, limbs that are bound
// far from their first pose would be crushed on the way.
VecX first_equilibrium(const Job& job, const Body& body) {
  const CharacterSetup& c = *job.character;
  const Clip& clip = find_clip(c.character, job.config.surface.clip);
  const double t0 =
      job.clip.times[static_cast<size_t>(job.config.timeline.range ? (*job.config.timeline.range)[0] : 0)];
  std::vector<VecX> stages;
  for (int k = 0; k <= kPoseSteps; ++k)
    stages.push_back(
        attached_at(job, body, pose_towards(c.character, c.drawn, clip, t0, static_cast<double>(k) / kPoseSteps)));
  const std::shared_ptr<const Track> track = make_function_track(
      static_cast<int>(body.attached.size()),
      [&](double t, int derivative) { return derivative == 0 ? stages[static_cast<size_t>(std::lround(t))] : VecX(); });
  Drive drive = rest_drive(*job.model);
  split_drive(body, track, drive);
  // As the static track will solve for it, so that both are the same where only the dials are others.
  const Model statics(static_spec(job.model->spec()));
  const SolverConfig& how = job.config.solver;
  const std::string key = stage_digest()
                              .add(static_digest(statics.spec()))
                              .add(stages)
                              .add(job.sagged)
                              .add(how.linear)
                              .add(how.tolerance)
                              .text();
  VecX u = found_vector("start", key, 3 * statics.n_vertices());
  if (u.size() == 0) {
    StaticSolver solver(statics, drive, how.linear, how.tolerance);
    u = job.sagged;
    for (int k = 1; k <= kPoseSteps; ++k) u = solver.solve(k, u).u;
    keep_vector("start", key, u);
  }
  // As seen from the driven points.
  const RigidMotion m = fit_rigid_motion(flatten(body.attached), stages.back());
  VecX local(u.size());
  for (int i = 0; i < job.model->n_vertices(); ++i) {
    const Vec3& rest = job.model->mesh().vertices[i];
    local.segment<3>(3 * i) = m.R.transpose() * (rest + u.segment<3>(3 * i) - m.to) + m.from - rest;
  }
  return local;
}

}  // namespace

void read_character(Job& job) {
  const SceneConfig& config = job.config;
  note_input(job, config.surface.file);
  if (!job.character) job.character = set_up_character(config, {config.surface.clip});
  const CharacterSetup& c = *job.character;
  job.warnings.insert(job.warnings.end(), c.warnings.begin(), c.warnings.end());
  if (!c.character.clips.empty()) {
    const Clip& clip = find_clip(c.character, config.surface.clip);
    job.fps = config.timeline.fps.value_or(frame_rate(clip));
    job.clip = frames_of(c.character, c.drawn, clip, job.fps);
  } else {
    job.clip = {.fps = job.fps, .times = {0}, .poses = {rest_pose(c.character, c.drawn)}};
  }
}

Body character_body(Job& job) {
  read_character(job);
  const CharacterSetup& c = *job.character;
  Body body = flesh_body(job, c.cage.mesh, c.flesh);
  set_flesh(job, body);
  return body;
}

std::shared_ptr<const Track> character_motion(Job& job, const Body& body, int& frames) {
  std::vector<VecX> samples;
  for (const Pose& pose : job.clip.poses) samples.push_back(attached_at(job, body, pose));
  const TimelineConfig& time = job.config.timeline;
  frames = time.frames.value_or(static_cast<int>(samples.size()));
  job.first_guess = first_equilibrium(job, body);
  return begun_track(job, std::move(samples), time.range ? (*time.range)[0] : 0,
                     time.range ? (*time.range)[1] : frames - 1);
}

void split_drive(const Body& body, std::shared_ptr<const Track> motion, Drive& drive) {
  const int n_driven = static_cast<int>(body.spec.driven.size());
  const int n_springs = static_cast<int>(body.spring_vertices.size());
  if (n_driven > 0) drive.vertices = std::make_shared<Slice>(motion, 0, n_driven);
  if (n_springs > 0) drive.springs = std::make_shared<Slice>(motion, n_driven, n_springs);
}

}  // namespace supple
