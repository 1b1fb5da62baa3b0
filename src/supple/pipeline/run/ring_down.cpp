#include "supple/pipeline/run/ring_down.h"

#include <algorithm>
#include <cmath>

#include "supple/base/error.h"
#include "supple/mesh/rigid_fit.h"
#include "supple/sim/analysis.h"
#include "supple/sim/parts.h"
#include "supple/sim/static_solver.h"
#include "supple/tune/estimators.h"

namespace supple::pipeline {

namespace {

constexpr double kPeriods = 3;       // two are needed
constexpr double kOtherSwing = 1.4;  // times as fast as the swing that was let go, or as slow, is another one
constexpr int kFewestSteps = 40, kMostSteps = 2000;
constexpr double kBends = 1e-3;    // of the size: what is driven is no rigid body
constexpr size_t kMostParts = 12;  // of one body
constexpr double kLight = 0.01;    // of the mass

using Held = std::shared_ptr<const Track>;

Held still(VecX x) {
  const auto n = static_cast<int>(x.size() / 3);
  return make_function_track(
      n, [x = std::move(x)](double, int derivative) { return derivative == 0 ? x : VecX(VecX::Zero(x.size())); });
}
Held held(const Held& track, double t) { return track ? still(track->at(t)) : nullptr; }

Drive held(const Drive& drive, double t) {
  Drive out{held(drive.vertices, t), held(drive.ties, t), held(drive.springs, t)};
  out.shape = held(drive.shape, t);
  out.carried = drive.carried;
  out.hold_factors(drive, t);
  return out;
}

VecX some(const VecX& all, const std::vector<int>& vertices) {
  VecX out(3 * static_cast<Eigen::Index>(vertices.size()));
  for (size_t i = 0; i < vertices.size(); ++i)
    out.segment<3>(3 * static_cast<Eigen::Index>(i)) = all.segment<3>(3 * vertices[i]);
  return out;
}

// Of the points of ties, those that held_around keeps.
Held kept_points(const Held& track, const std::vector<PointTie>& ties, const std::vector<char>& mine) {
  if (!track) return nullptr;
  const VecX all = track->at(0);
  std::vector<int> kept;
  for (size_t i = 0; i < ties.size(); ++i) {
    bool touches = false;
    for (int c = 0; c < 4; ++c)
      touches = touches || (mine[static_cast<size_t>(ties[i].vertices[c])] && ties[i].weights[c] != 0);
    if (touches) kept.push_back(static_cast<int>(i));
  }
  return still(some(all, kept));
}

// What is let go: a part with all else where u has it, or the whole.
struct Bell {
  std::unique_ptr<Model> model;
  Drive drive;
  VecX u;
};
Bell bell_of(const Model& model, Drive drive, const VecX& u, const std::vector<int>* vertices) {
  Bell out;
  ModelSpec spec = model.spec();
  std::vector<int> kept;
  const VecX rest = flatten(model.mesh().vertices);
  out.u = u;
  if (vertices) {
    spec = held_around(model, *vertices, &kept).spec();
    std::vector<char> mine(static_cast<size_t>(model.n_vertices()), 0);
    for (int v : *vertices) mine[static_cast<size_t>(v)] = 1;
    if (const VecX& scale = model.spec().gravity_scale; scale.size() > 0) {
      spec.gravity_scale.resize(static_cast<Eigen::Index>(kept.size()));
      for (size_t i = 0; i < kept.size(); ++i) spec.gravity_scale[static_cast<Eigen::Index>(i)] = scale[kept[i]];
    }
    out.u = some(u, kept);
    const VecX place = some(rest, kept) + out.u;
    drive.vertices = spec.driven.empty() ? nullptr : still(some(place, spec.driven));
    drive.ties = kept_points(drive.ties, model.spec().ties, mine);
    drive.springs = kept_points(drive.springs, model.spec().springs, mine);
    drive.spring_factors = {};
    if (drive.shape) drive.shape = still(place);
  }
  // The drawn shape is an equilibrium, whatever weight it was drawn under.
  if (drive.shape) spec.gravity = Vec3::Zero(), drive.carried.resize(0);
  out.model = std::make_unique<Model>(std::move(spec));
  out.drive = std::move(drive);
  return out;
}

// Its slowest swing. That of flesh about a drawn shape is known where it is bound, and turns along.
bool slowest(const Bell& bell, const std::string& linear, double& hz, VecX& shape) {
  const bool drawn = bell.drive.shape != nullptr;
  Modes modes = natural_modes(*bell.model, 1, linear, drawn ? VecX() : bell.u);
  if (!modes.ok && !drawn) modes = natural_modes(*bell.model, 1, linear);
  if (!modes.ok || !(modes.frequencies_hz[0] > 0)) return false;
  hz = modes.frequencies_hz[0], shape = modes.shapes.col(0);
  if (!drawn) return true;
  const VecX rest = flatten(bell.model->mesh().vertices);
  const Mat3 R = fit_rigid_motion(rest, VecX(rest + bell.u)).R;
  for (Eigen::Index i = 0; i < shape.size(); i += 3) shape.segment<3>(i) = R * Vec3(shape.segment<3>(i));
  return true;
}

bool bends(const Job& job, int frame) {
  for (const auto* track : {&job.shot.drive.vertices, &job.shot.drive.ties, &job.shot.drive.springs}) {
    if (!*track || (*track)->n_points() < 4) continue;
    const VecX a = (*track)->at(job.shot.start_time()), b = (*track)->at(job.shot.start_time() + frame / job.shot.fps);
    const RigidMotion m = fit_rigid_motion(a, b);
    for (Eigen::Index i = 0; i < a.size(); i += 3)
      if ((m(Vec3(a.segment<3>(i))) - b.segment<3>(i)).norm() > kBends * job.body->model->size()) return true;
  }
  return false;
}

}  // namespace

Ring ring_down(const Job& job, int part, int frame, double release_m, const PointCache* statics) {
  Ring out;
  const Model& model = *job.body->model;
  const double t = job.shot.start_time() + frame / job.shot.fps, h = job.body->step();
  const std::string& linear = job.config.solver.linear;
  const Drive drive = held(job.shot.drive, t);
  const VecX rest = flatten(model.mesh().vertices);
  VecX u;
  if (drive.shape) {
    u = drive.shape->at(t) - rest;
  } else {
    VecX guess = frame == 0 && job.shot.first_guess.size() == 0 ? job.body->sagged : VecX();
    if (statics && frame < statics->n_samples) guess = flatten(statics->points(frame)) - rest;
    StaticSolver solver(model, drive, linear, std::min(1e-7, job.config.solver.tolerance));
    const StaticSolver::Result p = solver.solve(t, guess);
    if (!p.converged) {
      out.trouble = "no equilibrium to ring about";
      return out;
    }
    u = p.u;
  }
  const bool whole = part < 0 || job.body->parts.size() < 2;
  const Bell bell = bell_of(model, drive, u, whole ? nullptr : &job.body->parts[static_cast<size_t>(part)].vertices);
  double hz = 0;
  VecX shape;
  if (!slowest(bell, linear, hz, shape)) {
    out.trouble = "nothing vibrates";
    return out;
  }
  const VecX weights = bell.model->mass()->multiply(shape);
  StepperOptions options = job.stepper_options();
  // A small release needs its forces resolved, not those of the load it hangs under.
  options.tolerance = std::min(options.tolerance, 1e-8);
  Stepper stepper(*bell.model, bell.drive, options);
  State state =
      stepper.start(t, bell.u + release_m * std::sqrt(bell.model->free_mass()) * shape, VecX::Zero(shape.size()));
  const int steps = std::clamp(static_cast<int>(std::ceil(kPeriods / (hz * h))), kFewestSteps, kMostSteps);
  std::vector<double> y = {weights.dot(state.u - bell.u)};
  try {
    for (int i = 0; i < steps; ++i) {
      stepper.step(state, h);
      y.push_back(weights.dot(state.u - bell.u));
    }
  } catch (const SimulationFailure& failure) {
    out.trouble = failure.what();
    return out;
  }
  const RingEstimate e = estimate_ring(y, h);
  out.found = e.found;
  out.frequency_hz = e.frequency_hz, out.half_life_s = e.half_life_s;
  out.trouble = e.found ? "" : e.reason;
  if (e.found && std::abs(std::log(e.frequency_hz / hz)) > std::log(kOtherSwing)) {
    out.found = false;
    out.trouble = "what rings is not the swing that was let go";
  }
  return out;
}

std::vector<RingDown> ring_downs(const Job& job, double release_m, const PointCache* statics) {
  const size_t n = std::max<size_t>(1, job.body->parts.size());
  std::vector<RingDown> out(n);
  const int last = job.shot.n_frames() - 1;
  std::vector<int> frames = {0};
  if (last >= 4 && (statics || job.shot.drive.shape) && (bends(job, last / 2) || bends(job, last / 4)))
    frames = {last / 4, last / 2, 3 * last / 4};
  double mass = 0;
  for (const PartNumbers& p : job.body->parts) mass += p.mass;
  for (size_t i = 0; i < std::min(n, kMostParts); ++i) {
    if (n > 1 && (job.body->parts[i].mass < kLight * mass || job.body->split->list[i].shared)) continue;
    std::vector<std::pair<double, double>> found;
    for (int frame : frames) {
      const Ring ring = ring_down(job, n > 1 ? static_cast<int>(i) : -1, frame, release_m, statics);
      if (!ring.found) {
        out[i].trouble = ring.trouble;
        continue;
      }
      found.emplace_back(ring.frequency_hz, ring.half_life_s);
      out[i].frames.push_back(frame);
    }
    if (found.empty()) continue;
    std::sort(found.begin(), found.end());
    std::vector<double> half_lives;
    for (const auto& f : found) half_lives.push_back(f.second);
    std::sort(half_lives.begin(), half_lives.end());
    out[i].frequency_hz = found[found.size() / 2].first;
    out[i].half_life_s = half_lives[half_lives.size() / 2];
    out[i].least_hz = found.front().first, out[i].most_hz = found.back().first;
  }
  return out;
}

}  // namespace supple::pipeline
