#include "supple/scene/load_character.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "supple/anim/track.h"
#include "supple/base/error.h"
#include "supple/io/gltf_read.h"
#include "supple/mesh/rigid_fit.h"
#include "supple/scene/flesh_defaults.h"
#include "supple/scene/job.h"
#include "supple/scene/load_maps.h"
#include "supple/scene/start.h"
#include "supple/sim/rest_shape.h"
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

// Connected flesh that no bone holds would fall out of the character: it follows.
std::vector<double> held_softness(Job& job, const TetMesh& mesh, std::vector<double> softness) {
  std::vector<int> component;
  const int n = connected_components(mesh, component);
  std::vector<char> held(static_cast<size_t>(n), 0);
  for (int v = 0; v < mesh.n_vertices(); ++v)
    if (component[v] >= 0 && softness[v] == 0) held[component[v]] = 1;
  const auto loose = std::count(held.begin(), held.end(), 0);
  if (loose > 0) job.warnings.push_back(fmt::format("{} loose pieces of flesh have no core and only follow", loose));
  for (int v = 0; v < mesh.n_vertices(); ++v)
    if (component[v] < 0 || !held[component[v]]) softness[v] = 0;
  return softness;
}

// Driven vertices, and springs that fade towards the free flesh.
void attach_flesh(const std::vector<double>& softness, Body& body) {
  ModelSpec& spec = body.spec;
  std::vector<int> tet_of(spec.mesh.vertices.size(), -1);
  for (int t = 0; t < spec.mesh.n_tets(); ++t)
    for (int v : spec.mesh.tets[t]) tet_of[v] = t;
  for (int v = 0; v < spec.mesh.n_vertices(); ++v)
    if (softness[v] == 0) spec.driven.push_back(v), body.attached.push_back(spec.mesh.vertices[v]);
  for (int v = 0; v < spec.mesh.n_vertices(); ++v) {
    if (softness[v] <= 0 || softness[v] >= 1 || tet_of[v] < 0) continue;
    PointTie tie{spec.mesh.tets[tet_of[v]], Eigen::Vector4d::Zero()};
    for (int c = 0; c < 4; ++c)
      if (tie.vertices[c] == v) tie.weights[c] = 1;
    spec.springs.push_back(tie);
    body.attached.push_back(spec.mesh.vertices[v]);
    body.spring_vertices.push_back(v);
  }
}

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
  StaticSolver solver(*job.model, drive, job.config.solver.linear, job.config.solver.tolerance);
  VecX u = job.sagged;
  for (int k = 1; k <= kPoseSteps; ++k) u = solver.solve(k, u).u;
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

Body character_body(Job& job) {
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

  Body body;
  ModelSpec& spec = body.spec;
  spec.mesh = c.cage.mesh;
  spec.mesh.tet_region = c.flesh.region;
  for (const FleshRegion& r : c.flesh.regions) spec.mesh.region_names.push_back(r.name);
  for (int& r : spec.mesh.tet_region)
    if (r < 0) r = static_cast<int>(c.flesh.regions.size());
  spec.mesh.region_names.push_back(kCoreRegion);
  set_model_options(config, spec);
  attach_flesh(held_softness(job, spec.mesh, c.flesh.softness), body);
  set_materials(job, body);
  set_flesh_defaults(job, body);
  if (config.surface.rest == "authored") {
    const RestShape rest = solve_rest_shape(spec, 1e-3, config.solver.linear);
    spec.mesh.vertices = rest.vertices;
    spec.gravity_scale = rest.gravity_scale;
    job.warnings.insert(job.warnings.end(), rest.warnings.begin(), rest.warnings.end());
  }
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
