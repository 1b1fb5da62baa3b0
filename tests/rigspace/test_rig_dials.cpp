// The four dials on a rigged beam: what is asked for against what the motion shows.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <functional>

#include "supple/base/error.h"
#include "supple/inertia/amplitude.h"
#include "supple/inertia/simulation.h"
#include "supple/rigspace/rig_inertia.h"
#include "supple/rigspace/rig_response.h"
#include "supple/sim/analysis.h"
#include "supple/sim/ringdown.h"
#include "tests/rigspace/bending_rig.h"
#include "tests/rigspace/simple_rigs.h"

namespace supple {

using test::BendingBeamOptions;
using test::smooth_ramp;

namespace {

const std::vector<int> kBends = {2, 3};
constexpr double kFps = 24;

// Up by 60 mm and down again within 0.4 s, then still.
VecX hop(double t) {
  VecX p = VecX::Zero(4);
  p[0] = 0.06 * (smooth_ramp(t / 0.2) - smooth_ramp((t - 0.2) / 0.2));
  return p;
}

// Turned by a radian about z within half a second while it goes up.
VecX turn(double t) {
  VecX p = hop(t);
  p[1] = smooth_ramp(t / 0.5);
  return p;
}

RigBodySpec beam(const RigScales& scales = {}, Interior interior = Interior::dynamic) {
  BendingBeamOptions o;
  o.parameters.youngs_modulus = 1e5;
  o.parameters.stiffness_damping = stiffness_damping_for(0.5, 2.3);
  o.gravity = Vec3(0, -9.81, 0);
  o.interior = interior;
  return scaled(test::bending_beam_spec(o), scales);
}

std::unique_ptr<RigBody> make(RigBodySpec spec) {
  Points surface;
  for (int v : spec.rigged) surface.push_back(spec.model.mesh.vertices[static_cast<size_t>(v)]);
  return std::make_unique<RigBody>(std::move(spec), std::make_shared<test::BendingRig>(surface, 0.4, 2));
}

struct Shot {
  std::vector<VecX> p;     // of every step
  std::vector<VecX> hang;  // where it would be in equilibrium
  double amplitude = 0;    // time mean [m]
};

struct ShotOptions {
  KeyedParameters keyed = hop;
  double seconds = 1;
  int substeps = 5;
  double epsilon = 1;
  Integrator integrator = Integrator::tr_bdf2;
};

RigStepOptions step_options(const ShotOptions& o) {
  RigStepOptions options;
  options.integrator = o.integrator;
  options.newton.tolerance = 1e-8;
  return options;
}

// Parameters of every step, from equilibrium on.
std::vector<VecX> run(RigStepper& stepper, const ShotOptions& o, const std::function<void(const State&)>& each = {}) {
  const double rate = kFps * o.substeps;
  State state = stepper.equilibrium(0);
  std::vector<VecX> p = {state.q};
  for (int k = 1; k <= std::lround(o.seconds * rate); ++k) {
    stepper.step(state, 1 / rate);
    p.push_back(state.q);
    if (each) each(state);
  }
  return p;
}

Shot shoot(const RigBody& body, const ShotOptions& o) {
  const double rate = kFps * o.substeps;
  RigStepper hanging(body, kBends, o.keyed, step_options(o));
  // One equilibrium a step.
  RigEquilibria equilibria = rig_equilibria(hanging, 0, rate, 1 + static_cast<int>(std::lround(o.seconds * rate)));
  Adjustment adjustment;
  if (o.epsilon != 1) adjustment.epsilon = VecX::Constant(body.n_vertices(), o.epsilon);
  RigInertia inertia(body, equilibria.track, adjustment);
  RigStepper stepper(body, kBends, o.keyed, step_options(o), &inertia);
  const VecX rest = flatten(body.model().mesh().vertices);
  const VertexFrames frames(*body.model().elements());
  Amplitude amplitude(*body.mass());
  Shot shot;
  shot.p = run(stepper, o, [&](const State& state) {
    const VecX p = equilibria.track->at(state.t) - rest;
    amplitude.add(local_displacement(frames, state.u, p), 1 / rate);
  });
  shot.hang = std::move(equilibria.parameters);
  shot.amplitude = amplitude.time_mean();
  return shot;
}

// Of the first bend after the hop.
Ringdown ringdown_of(const RigBody& body, double seconds) {
  const ShotOptions o{.seconds = seconds, .substeps = 8};
  RigStepper stepper(body, kBends, o.keyed, step_options(o));
  const std::vector<VecX> p = run(stepper, o);
  std::vector<double> y;
  const double rate = kFps * o.substeps;
  for (auto k = static_cast<size_t>(0.42 * rate); k < p.size(); ++k) y.push_back(p[k][2]);
  return fit_ringdown(y, 1 / rate);
}

double largest_departure(const Shot& a, const std::vector<VecX>& b) {
  double worst = 0;
  for (size_t k = 0; k < a.p.size(); ++k) worst = std::max(worst, (a.p[k] - b[k]).cwiseAbs().maxCoeff());
  return worst;
}

}  // namespace

TEST(RigDials, NoInertiaIsTheEquilibrium) {
  for (const Interior interior : {Interior::dynamic, Interior::fixed})
    for (const Integrator integrator : {Integrator::backward_euler, Integrator::tr_bdf2}) {
      RigBodySpec spec = beam({}, interior);
      for (MaterialParameters& m : spec.model.per_tet) m.stiffness_damping = 0;
      const auto body = make(spec);
      ShotOptions o{.keyed = turn, .seconds = 0.5, .substeps = 2, .integrator = integrator};
      const Shot full = shoot(*body, o);
      o.epsilon = 0;
      const Shot none = shoot(*body, o);
      const double moved = largest_departure(full, full.hang);
      EXPECT_GT(moved, 0.02);
      EXPECT_LT(largest_departure(none, none.hang) / moved, integrator == Integrator::tr_bdf2 ? 1e-3 : 1e-5);
    }
}

TEST(RigDials, FullInertiaIsPlainPhysics) {
  const auto body = make(beam());
  const ShotOptions o{.keyed = turn, .seconds = 0.25, .substeps = 2};
  const Shot with = shoot(*body, o);
  RigStepper stepper(*body, kBends, o.keyed, step_options(o));
  const std::vector<VecX> plain = run(stepper, o);
  ASSERT_EQ(plain.size(), with.p.size());
  for (size_t k = 0; k < plain.size(); ++k) EXPECT_EQ(plain[k], with.p[k]);
}

TEST(RigDials, FrequencyIsMet) {
  const auto plain = make(beam());
  const Ringdown before = ringdown_of(*plain, 2.5);
  ASSERT_TRUE(before.found);
  RigStepper stepper(*plain, kBends, hop, {});
  // What the swings about the shape it hangs in say.
  const double hz = rig_swings(*plain, kBends, stepper.equilibrium(0).q).hz[0];
  EXPECT_NEAR(before.natural_hz, hz, 0.01 * hz);
  for (const double ratio : {0.5, 2.0}) {
    // Sag and half-life kept.
    const double chi2 = ratio * ratio;
    const auto body = make(beam({.stiffness = chi2, .gravity = chi2, .damping = 1 / chi2}));
    const Ringdown after = ringdown_of(*body, ratio < 1 ? 4 : 2);
    ASSERT_TRUE(after.found);
    EXPECT_NEAR(after.natural_hz / before.natural_hz, ratio, 0.005 * ratio);
    EXPECT_NEAR(after.half_life_s / before.half_life_s, 1, 0.02);
  }
}

TEST(RigDials, HalfLifeIsMet) {
  const Ringdown before = ringdown_of(*make(beam()), 2.5);
  for (const double ratio : {0.5, 2.0}) {
    const Ringdown after = ringdown_of(*make(beam({.damping = 1 / ratio})), 2.5);
    EXPECT_NEAR(after.half_life_s / before.half_life_s, ratio, 0.02 * ratio);
    EXPECT_NEAR(after.natural_hz / before.natural_hz, 1, 0.005);
  }
}

TEST(RigDials, SagIsMet) {
  const KeyedParameters keyed = [](double) { return VecX(VecX::Zero(4)); };
  // A sag small beside the beam goes as gravity does, one of a fifth of its length less than that.
  for (const double stiffness : {100.0, 1.0}) {
    const double before = rig_sag(*make(beam({.stiffness = stiffness})), kBends, keyed);
    for (const double ratio : {0.5, 2.0}) {
      const double after = rig_sag(*make(beam({.stiffness = stiffness, .gravity = ratio})), kBends, keyed);
      EXPECT_NEAR(after / before, ratio, (stiffness > 1 ? 0.01 : 0.2) * ratio);
    }
  }
}

TEST(RigDials, AmplitudeIsMet) {
  for (const KeyedParameters& keyed : {KeyedParameters(hop), KeyedParameters(turn)}) {
    ShotOptions o{.keyed = keyed, .seconds = 1.5, .substeps = 5};
    const auto body = make(beam());
    const double before = shoot(*body, o).amplitude;
    for (const double ratio : {0.5, 2.0}) {
      o.epsilon = ratio;
      const double after = shoot(*body, o).amplitude;
      EXPECT_NEAR(after / before, ratio, 0.06 * ratio);
    }
  }
}

// A parameter for every coordinate, and none inside: what the engine's own stepper does with adjusted inertia.
TEST(RigDials, OfFullRankIsAdjustedInertia) {
  test::BeamOptions o{.nx = 4, .ny = 1, .nz = 1, .gravity = Vec3(0, -9.81, 0)};
  o.parameters.youngs_modulus = 5e5;
  const auto carried = [](const Vec3& x, double t) {
    const VecX p = turn(t);
    return Vec3(Eigen::AngleAxisd(3 * p[1], Vec3::UnitZ()) * x + Vec3(0, p[0], 0));
  };
  const double h = 1 / kFps;
  const int steps = 15;
  for (const double epsilon : {0.4, 1.5}) {
    const Model model(test::beam_spec(o));
    Adjustment adjustment;
    adjustment.epsilon = VecX::Constant(model.n_vertices(), epsilon);
    SimulationSpec spec;
    spec.drive.vertices = test::moved(model, [&](const Vec3& x, double t, int d) {
      const double e = 1e-4;
      if (d == 0) return carried(x, t);
      if (d == 1) return Vec3((carried(x, t + e) - carried(x, t - e)) / (2 * e));
      return Vec3((carried(x, t + e) - 2 * carried(x, t) + carried(x, t - e)) / (e * e));
    });
    spec.adjustment = adjustment;
    spec.stepper.integrator = Integrator::backward_euler;
    spec.stepper.tolerance = 1e-9;
    spec.frame = h, spec.t_end = steps * h;
    spec.solve_every_step = true;
    Simulation simulation(model, spec);
    simulation.start(false);

    test::RiggedBeam beam = test::rigged_beam(o);
    std::vector<int> held, free;
    for (size_t i = 0; i < beam.surface.size(); ++i)
      for (int c = 0; c < 3; ++c) (beam.surface[i][0] < 1e-9 ? held : free).push_back(3 * static_cast<int>(i) + c);
    const RigBody body(beam.spec, std::make_shared<test::CoordinateRig>(beam.surface));
    ASSERT_EQ(body.n_interior(), 0);
    const KeyedParameters keyed = [&](double t) {
      VecX p = VecX::Zero(3 * static_cast<Eigen::Index>(beam.surface.size()));
      for (int a : held)
        p[a] = (carried(beam.surface[static_cast<size_t>(a / 3)], t) - beam.surface[static_cast<size_t>(a / 3)])[a % 3];
      return p;
    };
    RigStepOptions options;
    options.newton.tolerance = 1e-9;
    options.bend_limit = 0;
    RigStepper hanging(body, free, keyed, options);
    RigInertia inertia(body, rig_equilibria(hanging, 0, kFps, steps + 1).track, adjustment);
    RigStepper stepper(body, free, keyed, options, &inertia);
    State state = stepper.equilibrium(0);
    double off = 0, swing = 0;
    for (int k = 0; k < steps; ++k) {
      simulation.step();
      stepper.step(state, h);
      off = std::max(off, (state.u - simulation.state().u).cwiseAbs().maxCoeff());
      swing = std::max(swing, (state.u - state.p).cwiseAbs().maxCoeff());
    }
    EXPECT_GT(swing, 0.01);
    EXPECT_LT(off / swing, 1e-7);
  }
}

TEST(RigDials, TellsWhatDoesNotFit) {
  const auto body = make(beam());
  Adjustment half;
  half.epsilon = VecX::Constant(body->n_vertices(), 0.5);
  EXPECT_THROW(RigInertia(*body, nullptr, half), InputError);
  const auto few =
      std::shared_ptr<const Track>(make_function_track(3, [](double, int) { return VecX(VecX::Zero(9)); }));
  EXPECT_THROW(RigInertia(*body, few, half), InputError);
  EXPECT_NO_THROW(RigInertia(*body, nullptr, Adjustment{}));
}

}  // namespace supple
