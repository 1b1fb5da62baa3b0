#include "supple/pipeline/character/character_subject.h"

#include <algorithm>
#include <cmath>

#include "supple/anim/loop_track.h"
#include "supple/anim/track_views.h"
#include "supple/contact/contact_bodies.h"
#include "supple/io/gltf/gltf_read.h"
#include "supple/mesh/rigid_fit.h"
#include "supple/pipeline/character/cached_character.h"
#include "supple/pipeline/character/clip_motion.h"
#include "supple/pipeline/character/flesh_body.h"
#include "supple/pipeline/character/flesh_plan.h"
#include "supple/pipeline/character/report.h"
#include "supple/pipeline/setup/attached_motion.h"
#include "supple/pipeline/setup/stage_cache.h"
#include "supple/sim/static_solver.h"

namespace supple::pipeline {

namespace {

constexpr int kPoseSteps = 10;  // from the bound pose to the first of the clip
// Flesh on a character is seen, not measured: what is left of a seam fades.
constexpr double kUnseenSeam = 0.02;  // of the swing
constexpr int kMostPeriods = 6;

void note_files(const SceneConfig& config, Notes& notes) {
  notes.input(config.surface.file);
  for (const FilePath* file : {&config.surface.cache, &config.surface.rest.file, &config.attach.vertices.file,
                               &config.attach.points, &config.attach.track, &config.attach.rigid})
    if (!file->empty()) notes.input(*file);
}

// The points of body.attached in a pose, flat; moved: those of the scene's own track.
VecX attached_at(const CharacterSetup& c, const Body& body, const Pose& pose, const VecX& moved) {
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
std::vector<VecX> way_to_start(const CharacterSubject& subject, const ShotInput& in, const VecX& moved) {
  const CharacterSetup& c = subject.setup();
  const Body& body = in.body;
  const Clip& clip = find_clip(c.character, in.config.surface.clip);
  const auto& range = in.config.timeline.range;
  const double t0 = subject.clip().times[static_cast<size_t>(range ? (*range)[0] : 0)];
  const auto towards = [&](const Clip& which, double t, double share) {
    const VecX own = moved.size() > 0 ? attached_towards(c.attached, moved, share) : moved;
    return attached_at(c, body, pose_towards(c.character, c.drawn, which, t, share), own);
  };
  std::vector<VecX> stages;
  if (!c.rest_clip.empty() && c.rest_clip == clip.name && c.rest_time == t0 && moved.size() == 0)
    return {flatten(body.attached), towards(clip, t0, 1)};
  for (int k = 0; k < kPoseSteps && !c.rest_clip.empty(); ++k)
    stages.push_back(attached_at(c, body,
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
VecX first_equilibrium(const CharacterSubject& subject, const ShotInput& in, const VecX& moved) {
  const Body& body = in.body;
  const Model& model = *in.adjusted.model;
  const std::vector<VecX> stages = way_to_start(subject, in, moved);
  const std::shared_ptr<const Track> track = make_function_track(
      static_cast<int>(body.attached.size()),
      [&](double t, int derivative) { return derivative == 0 ? stages[static_cast<size_t>(std::lround(t))] : VecX(); });
  Drive drive = rest_drive(model);
  split_drive(body, track, drive);
  // As the static track will solve for it, so that both are the same where only the dials are others.
  const Model statics(static_spec(model.spec()));
  const SolverConfig& how = in.config.solver;
  const std::string key = stage_digest()
                              .add(static_digest(statics.spec()))
                              .add(stages)
                              .add(in.adjusted.sagged)
                              .add(how.linear)
                              .add(how.tolerance)
                              .text();
  VecX u = found_vector("start", key, 3 * statics.n_vertices());
  if (u.size() == 0) {
    StaticSolver solver(statics, drive, how.linear, how.tolerance);
    u = in.adjusted.sagged;
    for (size_t k = 1; k < stages.size(); ++k) u = solver.solve(static_cast<double>(k), u).u;
    keep_vector("start", key, u);
  }
  // As seen from the driven points.
  const RigidMotion m = fit_rigid_motion(flatten(body.attached), stages.back());
  VecX local(u.size());
  for (int i = 0; i < model.n_vertices(); ++i) {
    const Vec3& rest = model.mesh().vertices[i];
    local.segment<3>(3 * i) = m.R.transpose() * (rest + u.segment<3>(3 * i) - m.to) + m.from - rest;
  }
  return local;
}

// At another rate than that of its keys a clip goes in straight lines from one to the next, whose corners would kick
// the flesh at a beat that is not the motion's. It is led through the keys smoothly instead, and moves the same at any
// rate.
void follow_keys(const ClipFrames& clip, const ClipFrames& own, std::vector<VecX> keys, const MotionCuts& cuts,
                 std::vector<VecX>& samples) {
  // A clip may end between two frames, and what is left of it then goes straight.
  if (const double full = 0.999 / own.fps; own.times.back() - own.times[own.times.size() - 2] < full) keys.pop_back();
  const double end = own.times[keys.size() - 1] + 1e-9;
  bridge_frames(keys, 1 / own.fps, cuts);
  continue_end(keys);
  const auto track = make_sampled_track(std::move(keys), 1 / own.fps, TrackStart::moving, cuts.leaps());
  for (size_t f = 0; f < samples.size(); ++f)
    if (clip.times[f] <= end) samples[f] = track->at(clip.times[f] - own.times[0]);
}

std::shared_ptr<const Track> points_on(std::shared_ptr<const Track> all, const std::vector<PointTie>& points) {
  std::vector<CarriedPoint> list;
  for (const PointTie& p : points) list.push_back({p.vertices, p.weights});
  return carried_points(std::move(all), std::move(list));
}

// The weight that the drawn shape stands under: that of the body, where dials make it softer or stiffer too.
VecX authored_weight(const AdjustedBody& body) {
  VecX weight = gravity_load(*body.model->mass(), body.base.gravity);
  for (Eigen::Index v = 0; v < body.fields.authored_mu.size(); ++v) {
    const double flesh = body.base.gravity_scale.size() > 0 ? body.base.gravity_scale[v] : 1;
    weight.segment<3>(3 * v) *= flesh * body.fields.authored_mu[v];
  }
  return weight;
}

}  // namespace

CharacterSubject::CharacterSubject(const SceneConfig& config, std::shared_ptr<const CharacterSetup> setup)
    : setup_(setup ? std::move(setup) : set_up_character(config, config.surface.clip)), appearance_(setup_) {
  const CharacterSetup& c = *setup_;
  if (c.character.clips.empty()) {
    clip_ = {.fps = config.timeline.fps.value_or(24), .times = {0}, .poses = {rest_pose(c.character, c.drawn)}};
    keyed_ = clip_;
    cuts_ = std::make_shared<const ClipCuts>();
    return;
  }
  const Clip& clip = find_clip(c.character, config.surface.clip);
  clip_ = frames_of(c.character, c.drawn, clip, rate_of(config, clip));
  keyed_ = frames_of(c.character, c.drawn, clip, keyed_rate_of(config, clip));
  cuts_ = std::make_shared<const ClipCuts>(find_clip_cuts(c.character, c.drawn, clip_, keyed_, finds_cuts(config)));
}

const RigidMotion* CharacterSubject::aside(int clip_frame) const {
  for (const auto& [frame, motion] : cuts_->aside)
    if (frame == clip_frame) return &motion;
  return nullptr;
}

const Pose& CharacterSubject::pose(int clip_frame) const {
  return clip_.poses[std::min(static_cast<size_t>(clip_frame), clip_.poses.size() - 1)];
}

Body CharacterSubject::held_body(const SceneConfig& config, Notes& notes) const {
  note_files(config, notes);
  notes.warn(setup_->warnings);
  return flesh_body(config, setup_->cage.mesh, setup_->flesh, notes);
}

FleshPlan CharacterSubject::plan(const SceneConfig& config) const {
  FleshPlan plan = plan_flesh(config, *setup_);
  if (goes_by_track(config))
    for (FleshConfig& f : plan.flesh) f.inertia = 1;
  return plan;
}

SceneConfig CharacterSubject::held(SceneConfig config) const {
  if (holds_drawn_shape(config)) config.surface.rest.word = "bound";
  return config;
}

// How far bones throw the flesh says nothing of what a track does.
bool CharacterSubject::goes_by_track(const SceneConfig& config) const {
  return setup_->attached.moved && config.flesh.empty() && !config.material.inertia;
}

Body CharacterSubject::body(const SceneConfig& config, Notes& notes) const {
  Body body = held_body(config, notes);
  if (holds_drawn_shape(config) && config.is_set("surface.rest"))
    notes.warn("surface.rest has no say while output.shape is \"keep\": strains count from the drawn pose");
  body.flesh = config.flesh.empty() ? plan(config).flesh : config.flesh;
  set_flesh(held(config), *setup_, body, notes);
  if (holds_drawn_shape(config)) body.steps_per_s = kStepsPerSecond;
  if (goes_by_track(config)) body.inertia.resize(0);
  return body;
}

bool CharacterSubject::holds_drawn_shape(const SceneConfig& config) const {
  return config.output.shape == "keep" && !setup_->attached.moved;
}

// Where skinning takes all tet vertices is one track. It is the shape that flesh departs from, and what is driven or
// held by springs goes along with it.
ShotMotion CharacterSubject::drawn_shape_motion(const ShotInput& in, Notes& notes) const {
  ShotMotion out;
  const CharacterSetup& c = *setup_;
  const ModelSpec& spec = in.adjusted.model->spec();
  StartPlanner planner(in.config, fps(), spec, in.around, notes);
  const TimelineConfig& time = in.config.timeline;
  std::shared_ptr<const Track> shape;
  if (!time.test_motion.empty()) {
    Body all = in.body;
    all.attached = c.cage.mesh.vertices;
    shape = attached_motion({in.config, all, in.adjusted, in.around}, planner, out.frames, notes);
  } else {
    DrawnMotion drawn = clip_motion(c.flesh.points, clip_, keyed_, *cuts_);
    out.frames = time.frames.value_or(static_cast<int>(drawn.samples.size()));
    shape = planner.begun_drawn(std::move(drawn), time.range ? (*time.range)[0] : 0,
                                time.range ? (*time.range)[1] : out.frames - 1);
  }
  out.start = planner.plan();
  out.start.unseen_seam = kUnseenSeam, out.start.most_periods = kMostPeriods;
  out.drive.vertices = some_points(shape, spec.driven);
  if (!in.body.spec.springs.empty()) out.drive.springs = points_on(shape, in.body.spec.springs);
  if (!in.body.spec.ties.empty()) out.drive.ties = points_on(shape, in.body.spec.ties);
  out.drive.carried = authored_weight(in.adjusted);
  out.drive.shape = std::move(shape);
  return out;
}

ShotMotion CharacterSubject::motion(const ShotInput& in, Notes& notes) const {
  if (holds_drawn_shape(in.config)) return drawn_shape_motion(in, notes);
  ShotMotion out;
  const CharacterSetup& c = *setup_;
  const Model& model = *in.adjusted.model;
  StartPlanner planner(in.config, fps(), model.spec(), in.around, notes);
  const TimelineConfig& time = in.config.timeline;
  std::shared_ptr<const Track> motion;
  if (!time.test_motion.empty()) {
    motion = attached_motion(in, planner, out.frames, notes);
  } else {
    std::vector<VecX> samples;
    const std::vector<VecX> moved =
        attached_samples(in.config, c.attached, c.scale, fps(), static_cast<int>(clip_.poses.size()));
    const auto moved_at = [&](size_t frame) { return moved.empty() ? VecX() : moved[frame]; };
    for (size_t f = 0; f < clip_.poses.size(); ++f)
      samples.push_back(attached_at(c, in.body, clip_.poses[f], moved_at(f)));
    out.frames = time.frames.value_or(static_cast<int>(samples.size()));
    const int first = time.range ? (*time.range)[0] : 0;
    out.first_guess = first_equilibrium(*this, in, moved_at(static_cast<size_t>(first)));
    if (moved.empty() && keyed_.fps != clip_.fps && keyed_.poses.size() >= 3) {
      std::vector<VecX> keys;
      for (const Pose& pose : keyed_.poses) keys.push_back(attached_at(c, in.body, pose, VecX()));
      follow_keys(clip_, keyed_, std::move(keys), cuts_->keys, samples);
    } else if (moved.empty()) {
      bridge_frames(samples, 1 / clip_.fps, cuts_->frames);
    }
    const int last = time.range ? (*time.range)[1] : out.frames - 1;
    motion = moved.empty() ? planner.begun(std::move(samples), cuts_->frames, first, last)
                           : planner.begun(std::move(samples), first, last);
  }
  out.start = planner.plan();
  out.start.unseen_seam = kUnseenSeam, out.start.most_periods = kMostPeriods;
  out.drive = rest_drive(model);
  if (motion) split_drive(in.body, motion, out.drive);
  return out;
}

DrawnSurface CharacterSubject::surface(const SceneConfig&, const TetMesh&, Notes&) const {
  DrawnSurface out;
  out.mesh.vertices = setup_->drawn.vertices.rest;
  out.mesh.triangles = setup_->drawn.triangles;
  out.mesh.normals = setup_->drawn.normals;
  return out;
}

std::unique_ptr<Drawing> CharacterSubject::drawing(const SceneConfig& config, const ModelSpec& base, const Model& model,
                                                   const DrawnSurface&, int first_frame) const {
  return std::make_unique<CharacterDrawing>(*this, config, base, model, first_frame);
}

DepartingSurface CharacterSubject::departing(const SceneConfig& config, const ModelSpec&, const DrawnSurface&) const {
  const CharacterSetup& c = *setup_;
  DepartingSurface out;
  out.mesh = c.skin;
  for (double s : c.flesh.skin_softness) out.hard.push_back(s == 0);
  Places places = places_of(config, c);
  out.painted = places.painted(config.output.mix_map, config.locate("output.mix_map"), 1);
  out.tet = c.cage.tet;
  out.named = places.regions();
  out.softness = c.flesh.skin_softness;
  out.of_drawn = c.skin_of;
  return out;
}

std::optional<TouchingSurface> CharacterSubject::touching(const SceneConfig&, const DrawnSurface&) const {
  const CharacterSetup& c = *setup_;
  TouchingSurface out{c.skin, {}};
  out.embedding.tet = c.cage.tet;
  const Points& x = c.cage.mesh.vertices;
  for (size_t i = 0; i < c.skin.vertices.size(); ++i) {
    const Tet& t = c.cage.mesh.tets[out.embedding.tet[i]];
    out.embedding.weights.push_back(barycentric(c.skin.vertices[i], x[t[0]], x[t[1]], x[t[2]], x[t[3]]));
  }
  return out;
}

std::shared_ptr<const Track> CharacterSubject::drawn_motion(const SceneConfig& config, const StartPlan& start) const {
  if (config.output.shape != "keep" || start.period != 0) return nullptr;
  const CharacterSetup& c = *setup_;
  const std::vector<int> points = surface_points(c.skin.vertices);
  std::vector<VecX> samples;
  for (const Pose& pose : clip_.poses) {
    const Points all = posed(c.drawn.vertices, pose);
    VecX x(3 * static_cast<Eigen::Index>(points.size()));
    for (size_t k = 0; k < points.size(); ++k)
      x.segment<3>(3 * static_cast<Eigen::Index>(k)) = all[static_cast<size_t>(c.skin_source[points[k]])];
    samples.push_back(std::move(x));
  }
  bridge_frames(samples, 1 / fps(), cuts_->frames);
  return make_sampled_track(std::move(samples), 1 / fps(),
                            start.start == "moving" ? TrackStart::moving : TrackStart::rest, cuts_->frames.leaps());
}

std::string CharacterSubject::name_of_vertex(int v) const {
  const SkinWeights& w = setup_->flesh.points.skin;
  int best = w.first[v];
  for (int k = best; k < w.first[v + 1]; ++k)
    if (w.weight[k] > w.weight[best]) best = k;
  return best < w.first[v + 1] ? setup_->drawn.bones[w.bone[best]].name : "";
}

SubjectReport CharacterSubject::report(const SubjectReportInput&) const {
  return {.key = "character",
          .json = character_json(*setup_),
          .departure = {},
          .tables = {piece_table(*setup_)},
          .plots = {}};
}

std::optional<Image> CharacterSubject::softness_picture() const { return pipeline::softness_picture(*setup_); }

}  // namespace supple::pipeline
