#include "supple/scene/load_character.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "supple/anim/loop_track.h"
#include "supple/anim/track.h"
#include "supple/anim/track_views.h"
#include "supple/base/error.h"
#include "supple/io/gltf_read.h"
#include "supple/mesh/rigid_fit.h"
#include "supple/scene/flesh_body.h"
#include "supple/scene/flesh_plan.h"
#include "supple/scene/job.h"
#include "supple/scene/load_maps.h"
#include "supple/scene/stage_cache.h"
#include "supple/scene/start.h"
#include "supple/scene/surface_cache.h"
#include "supple/sim/static_solver.h"

namespace supple {

namespace {

constexpr int kPoseSteps = 10;  // from the bound pose to the first of the clip

// The points of body.attached in a pose, flat; moved: those of the scene's own track.
VecX attached_at(const Job& job, const Body& body, const Pose& pose, const VecX& moved) {
  const CharacterSetup& c = *job.character;
  const Points all = posed(c.flesh.points, pose);
  std::vector<int> track(moved.size() > 0 ? all.size() : 0, -1);
  for (size_t i = 0; i < c.attached.vertices.size() && !track.empty(); ++i)
    track[c.attached.vertices[i]] = static_cast<int>(i);
  Points some;
  for (int v : body.spec.driven)
    some.push_back(track.empty() || track[v] < 0 ? all[v] : Vec3(moved.segment<3>(3 * track[v])));
  for (int v : body.spring_vertices) some.push_back(all[v]);
  for (size_t i = 0; i < c.flesh.held_points.size(); ++i) {
    const PointTie& p = c.flesh.held_points[i];
    Vec3 x = Vec3::Zero();
    for (int k = 0; k < 4; ++k) x += p.weights[k] * all[p.vertices[k]];
    some.push_back(moved.size() > 0 ? Vec3(moved.segment<3>(3 * static_cast<Eigen::Index>(i))) : x);
  }
  return flatten(some);
}

// The way from the rest shape to the first frame, joint by joint: at once, limbs that are bound far from their first
// pose would be crushed on the way.
std::vector<VecX> way_to_start(const Job& job, const Body& body, const VecX& moved) {
  const CharacterSetup& c = *job.character;
  const Clip& clip = find_clip(c.character, job.config.surface.clip);
  const double t0 =
      job.clip.times[static_cast<size_t>(job.config.timeline.range ? (*job.config.timeline.range)[0] : 0)];
  const auto towards = [&](const Clip& which, double t, double share) {
    const VecX own = moved.size() > 0 ? attached_towards(c.attached, moved, share) : moved;
    return attached_at(job, body, pose_towards(c.character, c.drawn, which, t, share), own);
  };
  std::vector<VecX> stages;
  if (!c.rest_clip.empty() && c.rest_clip == clip.name && c.rest_time == t0 && moved.size() == 0)
    return {flatten(body.attached), towards(clip, t0, 1)};
  for (int k = 0; k < kPoseSteps && !c.rest_clip.empty(); ++k)
    stages.push_back(attached_at(job, body,
                                 pose_towards(c.character, c.drawn, find_clip(c.character, c.rest_clip), c.rest_time,
                                              1 - static_cast<double>(k) / kPoseSteps),
                                 moved.size() > 0 ? flatten(c.attached.bound) : moved));
  const VecX bound = towards(clip, t0, 0), rest = flatten(body.attached);
  for (int k = 0; k < kPoseSteps && c.rest_clip.empty() && !c.flesh.at_rest.empty(); ++k)
    stages.push_back(rest + static_cast<double>(k) / kPoseSteps * (bound - rest));
  for (int k = 0; k <= kPoseSteps; ++k) stages.push_back(towards(clip, t0, static_cast<double>(k) / kPoseSteps));
  return stages;
}

// p at the first frame, reached that way.
VecX first_equilibrium(const Job& job, const Body& body, const VecX& moved) {
  const std::vector<VecX> stages = way_to_start(job, body, moved);
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
    for (size_t k = 1; k < stages.size(); ++k) u = solver.solve(static_cast<double>(k), u).u;
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

// At another rate than that of its keys a clip goes in straight lines from one to the next, whose corners would kick
// the flesh at a beat that is not the motion's. It is led through the keys smoothly instead, and moves the same at any
// rate.
void follow_keys(const Job& job, const Body& body, std::vector<VecX>& samples) {
  const ClipFrames own = clip_as_keyed(job);
  if (own.fps == job.fps || own.poses.size() < 3) return;
  std::vector<VecX> keys;
  for (const Pose& pose : own.poses) keys.push_back(attached_at(job, body, pose, VecX()));
  // A clip may end between two frames, and what is left of it then goes straight.
  if (const double full = 0.999 / own.fps; own.times.back() - own.times[own.times.size() - 2] < full) keys.pop_back();
  const double end = own.times[keys.size() - 1] + 1e-9;
  continue_end(keys);
  const auto track = make_sampled_track(std::move(keys), 1 / own.fps, TrackStart::moving);
  for (size_t f = 0; f < samples.size(); ++f)
    if (job.clip.times[f] <= end) samples[f] = track->at(job.clip.times[f] - own.times[0]);
}

}  // namespace

void read_character(Job& job) {
  const SceneConfig& config = job.config;
  note_input(job, config.surface.file);
  for (const FilePath* file : {&config.surface.cache, &config.surface.rest.file, &config.attach.vertices.file,
                               &config.attach.points, &config.attach.track, &config.attach.rigid})
    if (!file->empty()) note_input(job, *file);
  if (!job.character) job.character = set_up_character(config, {config.surface.clip});
  const CharacterSetup& c = *job.character;
  job.warnings.insert(job.warnings.end(), c.warnings.begin(), c.warnings.end());
  if (!c.character.clips.empty()) {
    const Clip& clip = find_clip(c.character, config.surface.clip);
    job.fps = rate_of(config, clip);
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
  // How far bones throw the flesh says nothing of what a track does.
  if (c.attached.moved && job.config.flesh.empty() && !job.config.material.inertia) {
    for (FleshConfig& f : job.flesh) f.inertia = 1;
    job.inertia.resize(0);
  }
  return body;
}

ClipFrames clip_as_keyed(const Job& job) {
  const CharacterSetup& c = *job.character;
  if (c.character.clips.empty()) return job.clip;
  const Clip& clip = find_clip(c.character, job.config.surface.clip);
  return frames_of(c.character, c.drawn, clip, keyed_rate_of(job.config, clip));
}

std::shared_ptr<const Track> character_motion(Job& job, const Body& body, int& frames) {
  std::vector<VecX> samples;
  const CharacterSetup& c = *job.character;
  const std::vector<VecX> moved =
      attached_samples(job.config, c.attached, c.scale, job.fps, static_cast<int>(job.clip.poses.size()));
  const auto moved_at = [&](size_t frame) { return moved.empty() ? VecX() : moved[frame]; };
  for (size_t f = 0; f < job.clip.poses.size(); ++f)
    samples.push_back(attached_at(job, body, job.clip.poses[f], moved_at(f)));
  const TimelineConfig& time = job.config.timeline;
  frames = time.frames.value_or(static_cast<int>(samples.size()));
  const int first = time.range ? (*time.range)[0] : 0;
  job.first_guess = first_equilibrium(job, body, moved_at(static_cast<size_t>(first)));
  if (moved.empty()) follow_keys(job, body, samples);
  return begun_track(job, std::move(samples), first, time.range ? (*time.range)[1] : frames - 1);
}

void split_drive(const Body& body, std::shared_ptr<const Track> motion, Drive& drive) {
  const int n_driven = static_cast<int>(body.spec.driven.size());
  const int n_springs = static_cast<int>(body.spec.springs.size());
  const int n_ties = static_cast<int>(body.spec.ties.size());
  if (n_driven > 0) drive.vertices = points_in_a_row(motion, 0, n_driven);
  if (n_springs > 0) drive.springs = points_in_a_row(motion, n_driven, n_springs);
  if (n_ties > 0) drive.ties = points_in_a_row(motion, n_driven + n_springs, n_ties);
}

}  // namespace supple
