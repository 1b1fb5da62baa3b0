// Swings, sag and equilibria in rig space against what is known of them otherwise.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "supple/base/error.h"
#include "supple/rigspace/rig_response.h"
#include "supple/sim/analysis.h"
#include "tests/rigspace/bending_rig.h"
#include "tests/rigspace/simple_rigs.h"

namespace supple {

using test::bending_beam;
using test::BendingBeamOptions;

namespace {

// A parameter for every coordinate of the surface.
struct FullRank {
  std::unique_ptr<RigBody> body;
  std::vector<int> free;
  std::unique_ptr<Model> held;  // the same tets with the face x = 0 driven
};

FullRank full_rank(const BendingBeamOptions& o) {
  FullRank f;
  Points surface;
  RigBodySpec spec = test::bending_beam_spec(o, &surface);
  ModelSpec held = spec.model;
  for (int v = 0; v < held.mesh.n_vertices(); ++v)
    if (held.mesh.vertices[static_cast<size_t>(v)][0] < 1e-9) held.driven.push_back(v);
  f.held = std::make_unique<Model>(held);
  for (size_t i = 0; i < surface.size(); ++i)
    for (int c = 0; c < 3; ++c)
      if (surface[i][0] > 1e-9) f.free.push_back(3 * static_cast<int>(i) + c);
  f.body = std::make_unique<RigBody>(std::move(spec), std::make_shared<test::CoordinateRig>(surface));
  return f;
}

KeyedParameters rest_of(const RigBody& body) {
  return [p = body.rig()->rest()](double) { return p; };
}

}  // namespace

TEST(RigSwings, OfFullRankAreTheModes) {
  // One tet thick: no vertex inside, so that nothing is left out.
  const FullRank f = full_rank({.nx = 4, .ny = 1, .nz = 1});
  ASSERT_EQ(f.body->n_interior(), 0);
  const RigSwings swings = rig_swings(*f.body, f.free);
  const Modes modes = natural_modes(*f.held, 5);
  ASSERT_TRUE(modes.ok);
  ASSERT_EQ(swings.hz.size(), static_cast<Eigen::Index>(f.free.size()));
  for (int k = 0; k < 5; ++k) EXPECT_NEAR(swings.hz[k], modes.frequencies_hz[k], 1e-7 * modes.frequencies_hz[k]);
}

TEST(RigSwings, InteriorWithoutSwingsOfItsOwnCostsLittle) {
  const FullRank f = full_rank({.nx = 5});
  ASSERT_GT(f.body->n_interior(), 0);
  const RigSwings swings = rig_swings(*f.body, f.free);
  const Modes modes = natural_modes(*f.held, 3);
  for (int k = 0; k < 3; ++k) {
    EXPECT_GE(swings.hz[k], modes.frequencies_hz[k] * (1 - 1e-9));
    EXPECT_LE(swings.hz[k], modes.frequencies_hz[k] * 1.01);
  }
}

TEST(RigSwings, OfTheBendingRigAreOrderedAndScaled) {
  const auto body = bending_beam();
  const RigSwings swings = rig_swings(*body, {2, 3});
  ASSERT_EQ(swings.hz.size(), 2);
  EXPECT_GT(swings.hz[0], 0.5);
  EXPECT_LT(swings.hz[0], swings.hz[1]);
  for (int k = 0; k < 2; ++k) {
    const VecX motion = body->rigged_jacobian(body->rig()->rest(), 0, {2, 3}) * swings.shapes.col(k);
    double longest = 0;
    for (Eigen::Index i = 0; i < motion.size(); i += 3) longest = std::max(longest, motion.segment<3>(i).norm());
    EXPECT_NEAR(longest, 1, 1e-12);
  }
  // Rayleigh: more parameters, a slower slowest swing; as the square root of the stiffness.
  EXPECT_LT(swings.hz[0], rig_swings(*body, {2}).hz[0]);
  BendingBeamOptions stiff;
  stiff.parameters.youngs_modulus *= 4;
  EXPECT_NEAR(rig_swings(*bending_beam(stiff), {2, 3}).hz[0], 2 * swings.hz[0], 1e-9 * swings.hz[0]);
}

TEST(RigSwings, WhatMeetsNoResistanceIsLeftOut) {
  const auto body = bending_beam();
  const RigSwings both = rig_swings(*body, {2, 3});
  // Up and turn move it rigidly: they take part in the swings of a free body, and have none themselves.
  const RigSwings loose = rig_swings(*body, {0, 1, 2, 3});
  ASSERT_EQ(loose.hz.size(), 2);
  EXPECT_GT(loose.hz[0], both.hz[0]);
  EXPECT_EQ(rig_swings(*body, {0, 1}).hz.size(), 0);
  EXPECT_EQ(rig_swings(*body, {}).hz.size(), 0);
}

TEST(RigSwings, HangingBodySwingsAsAPendulum) {
  // Gravity along x: the beam hangs along it from the origin and turns about z as a rigid pendulum.
  BendingBeamOptions o{.nx = 8, .ny = 1, .nz = 1, .bends = 0, .gravity = Vec3(9.81, 0, 0)};
  o.parameters.youngs_modulus = 1e9;  // hangs without stretching
  const auto body = bending_beam(o);
  const RigSwings swings = rig_swings(*body, {1}, body->rig()->rest());
  ASSERT_EQ(swings.hz.size(), 1);
  double mass = 0, moment = 0, inertia = 0;
  for (int v = 0; v < body->n_vertices(); ++v) {
    const double m = body->mass()->per_vertex()[v];
    const Vec3& x = body->model().mesh().vertices[static_cast<size_t>(v)];
    mass += m, moment += m * x[0], inertia += m * (x[0] * x[0] + x[1] * x[1]);
  }
  EXPECT_NEAR(moment / mass, 0.2, 0.01);
  const double hz = std::sqrt(9.81 * moment / inertia) / (2 * std::numbers::pi);
  EXPECT_NEAR(swings.hz[0], hz, 1e-6 * hz);
  // Without loads nothing pulls it back, nor where others balance its weight.
  EXPECT_EQ(rig_swings(*body, {1}).hz.size(), 0);
  EXPECT_EQ(rig_swings(*body, {1}, body->rig()->rest(), 0, true).hz.size(), 0);
}

TEST(RigSag, IsTheDistanceToTheEquilibrium) {
  BendingBeamOptions o{.gravity = Vec3(0, -9.81, 0)};
  o.parameters.youngs_modulus = 4e5;
  const auto body = bending_beam(o);
  const double sag = rig_sag(*body, {2, 3}, rest_of(*body));
  RigStepper stepper(*body, {2, 3}, rest_of(*body), {});
  const State state = stepper.equilibrium(0);
  double moment = 0, mass = 0;
  for (int v : body->rigged()) {
    if (body->model().mesh().vertices[static_cast<size_t>(v)][0] < 1e-9) continue;  // nothing bends the clamped face
    const double m = body->mass()->per_vertex()[v];
    mass += m, moment += m * state.u.segment<3>(3 * v).squaredNorm();
  }
  EXPECT_GT(sag, 1e-3);
  EXPECT_NEAR(sag, std::sqrt(moment / mass), 1e-5 * sag);
  // A stiffer one hangs less, as far as it is linear.
  o.parameters.youngs_modulus *= 100;
  const auto stiff = bending_beam(o);
  EXPECT_NEAR(rig_sag(*stiff, {2, 3}, rest_of(*stiff)), sag / 100, 0.02 * sag / 100);
}

TEST(RigEquilibria, AreThoseOfTheFrames) {
  BendingBeamOptions o{.gravity = Vec3(0, -9.81, 0)};
  o.parameters.youngs_modulus = 4e5;
  const auto body = bending_beam(o);
  const KeyedParameters keyed = [](double t) {
    VecX p = VecX::Zero(4);
    p[0] = 0.1 * t, p[1] = 0.6 * std::sin(2 * t);
    return p;
  };
  RigStepOptions options;
  options.newton.tolerance = 1e-9;
  RigStepper stepper(*body, {2, 3}, keyed, options);
  const double fps = 24;
  const RigEquilibria found = rig_equilibria(stepper, 0.5, fps, 9);
  EXPECT_EQ(found.unconverged, 0);
  ASSERT_EQ(found.parameters.size(), 9u);
  const VecX rest = flatten(body->model().mesh().vertices);
  // At frames, and half-way between.
  double largest = 0;
  for (double f : {0.0, 3.0, 8.0, 2.5, 4.5}) {
    const double t = 0.5 + f / fps;
    const State state = stepper.equilibrium(t);
    const double off = (found.track->at(t) - rest - state.u).cwiseAbs().maxCoeff();
    EXPECT_LT(off, f == std::floor(f) ? 1e-7 : 2e-5) << f;
    largest = std::max(largest, state.u.cwiseAbs().maxCoeff());
  }
  EXPECT_GT(largest, 0.1);
  EXPECT_EQ(found.track->at(0.4), found.track->at(0.5));
  EXPECT_EQ(found.track->at(9.0), found.track->at(0.5 + 8 / fps));
}

TEST(RigEquilibria, StopWhenAsked) {
  const auto body = bending_beam();
  RigStepper stepper(*body, {2}, rest_of(*body), {});
  int asked = 0;
  EXPECT_THROW(rig_equilibria(stepper, 0, 24, 5, [&] { return ++asked > 2; }), Cancelled);
  EXPECT_EQ(asked, 3);
}

}  // namespace supple
