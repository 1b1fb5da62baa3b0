#include "supple/pipeline/trials/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "supple/base/error.h"
#include "supple/pipeline/job/begin.h"
#include "supple/sim/analysis.h"

namespace supple::pipeline {

namespace {
constexpr double kRingPeriods = 6;  // recorded of a ring-down
constexpr int kMostRingSteps = 4000;

std::shared_ptr<const Track> held(const std::shared_ptr<const Track>& track, double t) {
  if (!track) return nullptr;
  const VecX x = track->at(t);
  return make_function_track(track->n_points(),
                             [x](double, int derivative) { return derivative == 0 ? x : VecX(VecX::Zero(x.size())); });
}

// Mass-weighted mean displacement, over the free mass.
double rms(const Model& model, const VecX& u) {
  return std::sqrt(std::max(0.0, u.dot(model.mass()->multiply(u))) / model.free_mass());
}
}  // namespace

std::string key_of(const Scalings& s) {
  return fmt::format("{:.17g} {:.17g} {:.17g} {:.17g}", s.chi, s.mu, s.ck, s.epsilon);
}

Job SceneExperiment::scaled(const Scalings& s) const {
  const bool plain = s.chi == 1 && s.mu == 1 && s.ck == 1 && s.epsilon == 1;
  return with_scalings(plain ? base_ : shaped_, s);
}

Motion motion_of(Simulation& simulation) {
  const Amplitude& a = simulation.amplitude();
  return {.ok = true, .amplitude = a.value(), .rms_m = a.time_mean(), .peak_m = a.largest_peak, .trouble = ""};
}

double SceneExperiment::sag(double load) {
  // Stiffness as in the scene without dials: only the ratio to gravity matters.
  const Job job = scaled({.mu = load});
  const Model& model = *job.body->model;
  if (model.gravity_force().isZero(0)) return 0;
  StaticSolver solver(model, rest_drive(model), job.config.solver.linear, std::min(1e-7, job.config.solver.tolerance));
  const StaticSolver::Result r = solver.solve(0, sagged_);
  if (!r.converged) return std::numeric_limits<double>::quiet_NaN();
  sagged_ = r.u;
  return rms(model, r.u);
}

Ring SceneExperiment::ring(const Scalings& scalings, double release_m) {
  // Inertia's scale has no part in it: nothing drives the flesh.
  Scalings s = scalings;
  s.epsilon = 1;
  const std::string key = fmt::format("{} {:.17g}", key_of(s), release_m);
  if (const auto known = rings.find(key); known != rings.end()) return known->second;
  return rings[key] = measure_ring(scaled(s), release_m);
}

// Released along the first mode about the sagged state, all driven points held at the first frame.
Ring SceneExperiment::measure_ring(const Job& job, double release_m) {
  Ring out;
  const Model& model = *job.body->model;
  const double t0 = job.shot.start_time(), h = job.body->step();
  Drive drive{held(job.shot.drive.vertices, t0), held(job.shot.drive.ties, t0), held(job.shot.drive.springs, t0)};
  drive.hold_factors(job.shot.drive, t0);
  const std::string& linear = job.config.solver.linear;
  StaticSolver statics(model, drive, linear, job.config.solver.tolerance);
  const StaticSolver::Result p = statics.solve(t0, VecX());
  if (!p.converged) {
    out.trouble = "no equilibrium to ring about";
    return out;
  }
  Modes modes = natural_modes(model, 1, linear, p.u);
  if (!modes.ok) modes = natural_modes(model, 1, linear);
  if (!modes.ok || modes.frequencies_hz[0] <= 0) {
    out.trouble = "nothing vibrates: " + modes.message;
    return out;
  }
  const VecX shape = modes.shapes.col(0), weights = model.mass()->multiply(shape);
  StepperOptions options = job.stepper_options();
  // A small release needs its forces resolved, not those of the load it hangs under.
  options.tolerance = std::min(options.tolerance, 1e-8);
  Stepper stepper(model, drive, options);
  State state = stepper.start(t0, p.u + release_m * std::sqrt(model.free_mass()) * shape, VecX::Zero(shape.size()));
  const int steps =
      std::clamp(static_cast<int>(std::ceil(kRingPeriods / (modes.frequencies_hz[0] * h))), 40, kMostRingSteps);
  std::vector<double> y = {weights.dot(state.u - p.u)};
  for (int i = 0; i < steps; ++i) {
    if (watch.cancelled()) throw Cancelled();
    stepper.step(state, h);
    y.push_back(weights.dot(state.u - p.u));
  }
  const RingEstimate e = estimate_ring(y, h);
  out.found = e.found;
  out.frequency_hz = e.frequency_hz;
  out.half_life_s = e.half_life_s;
  out.trouble = e.found ? "" : e.reason;
  return out;
}

const Recorded& SceneExperiment::record(const Scalings& scalings) {
  const std::string key = key_of(scalings);
  if (const auto known = runs.find(key); known != runs.end()) return known->second;
  const Job job = scaled(scalings);
  ++simulated;
  Recorded recorded;
  try {
    recorded = measure_run(job);
  } catch (const SimulationFailure& e) {
    recorded.motion.trouble =
        fmt::format("at frame {:.1f}: {}", (e.time_s() - job.shot.start_time()) * job.shot.fps, e.cause());
  }
  return runs[key] = std::move(recorded);
}

Recorded SceneExperiment::measure_run(const Job& job) {
  Recorded out;
  const Model& model = *job.body->model;
  SimulationSpec spec = simulation_spec(job);
  spec.knots = knots_;
  Simulation sim(model, std::move(spec));
  begin(sim, job, {.cancelled = watch.cancelled});
  const Vec3 g = gravity_of(job.config.world);
  const Vec3 up = g.norm() > 0 ? Vec3(-g.normalized()) : Vec3(0, 1, 0);
  std::vector<VecX> heights;
  VecX liveliness = VecX::Zero(model.n_vertices());
  for (int frame = 1; frame < job.shot.n_frames(); ++frame) {
    for (int k = 0; k < job.body->substeps; ++k) {
      if (watch.cancelled()) throw Cancelled();
      sim.step();
    }
    const VecX d = sim.state().u - sim.p();
    VecX height(model.n_vertices());
    for (int i = 0; i < model.n_vertices(); ++i) {
      height[i] = up.dot(d.segment<3>(3 * i));
      liveliness[i] += height[i] * height[i];
    }
    heights.push_back(std::move(height));
    watch.progress(fmt::format("motion {}", simulated), frame, job.shot.n_frames() - 1);
  }
  Eigen::Index liveliest = 0;
  if (liveliness.size() > 0) liveliness.maxCoeff(&liveliest);
  out.low.push_back(0);
  for (const VecX& h : heights) out.low.push_back(h[liveliest]);
  out.motion = motion_of(sim);
  return out;
}

double last_moving_frame(const Job& job) {
  auto points = [&](int frame) {
    VecX x(0);
    for (const auto* track : {&job.shot.drive.vertices, &job.shot.drive.ties, &job.shot.drive.springs})
      if (*track) x = (*track)->at(frame / job.shot.fps);
    return x;
  };
  const VecX last = points(job.shot.last_frame);
  int frame = job.shot.last_frame;
  while (frame > job.shot.first_frame &&
         (points(frame - 1) - last).cwiseAbs().maxCoeff() <= 1e-6 * job.body->model->size())
    --frame;
  return frame - job.shot.first_frame;
}

}  // namespace supple::pipeline
