// Teleports of what is keyed: the run with a jump is the run without it, carried.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "supple/rigspace/rig_inertia.h"
#include "supple/rigspace/rig_response.h"
#include "tests/rigspace/simple_rigs.h"

namespace supple {

using test::rigged_beam;
using test::RiggedBeam;
using test::TwistRig;

namespace {

constexpr double kFrameLength = 1.0 / 24;
constexpr int kShotFrames = 18;

struct Jump {
  double t = INFINITY, turn = 0;
  Vec3 move = Vec3::Zero();
};

// A body that is moved and stopped, and from the jump on elsewhere.
KeyedParameters moved_then_still(const Jump& jump) {
  return [=](double t) {
    VecX p = VecX::Zero(7);
    const double s = 0.05 * std::sin(9 * std::min(t, 5 * kFrameLength));
    const bool there = t >= jump.t;
    p[TwistRig::turn] = there ? jump.turn : 0;
    const Eigen::AngleAxisd turn(there ? jump.turn : 0, Vec3::UnitZ());
    p.segment<3>(TwistRig::move) = turn * Vec3(0, s, 0.3 * s) + (there ? jump.move : Vec3(Vec3::Zero()));
    return p;
  };
}

struct CutShot {
  bool gravity = false, hold = false;
  double epsilon = 1;
  Integrator integrator = Integrator::tr_bdf2;
  std::vector<int> free = {TwistRig::bend, TwistRig::scale};
};

// Parameters at every frame; steps end at frames, and at `stop`.
std::vector<VecX> frames_of(const CutShot& shot, const Jump& jump, double stop) {
  test::BeamOptions o{.nx = 4, .ny = 2, .nz = 2, .size = Vec3(0.4, 0.08, 0.08)};
  o.parameters.youngs_modulus = 3e4;
  o.parameters.stiffness_damping = 0.004;
  if (shot.gravity) o.gravity = Vec3(0, -9.81, 0);
  const RiggedBeam b = rigged_beam(o);
  const RigBody body(b.spec, std::make_shared<TwistRig>(b.surface));
  RigStepOptions options;
  options.integrator = shot.integrator;
  options.hold_keyed = shot.hold;
  options.newton.tolerance = 1e-11;
  if (std::isfinite(jump.t)) options.cuts = {jump.t};
  std::unique_ptr<RigInertia> inertia;
  if (shot.epsilon != 1) {
    RigStepper plain(body, shot.free, moved_then_still(jump), options);
    Adjustment adjustment;
    adjustment.epsilon = VecX::Constant(body.n_vertices(), shot.epsilon);
    inertia = std::make_unique<RigInertia>(body, rig_equilibria(plain, 0, 24, kShotFrames + 1).track, adjustment);
  }
  RigStepper stepper(body, shot.free, moved_then_still(jump), options, inertia.get());
  State s = stepper.equilibrium(0);
  std::vector<VecX> found;
  int cuts = 0;
  for (int f = 1; f <= kShotFrames; ++f) {
    if (stop > s.t + 1e-9 && stop < f * kFrameLength - 1e-9) stepper.step(s, stop - s.t);
    cuts += stepper.step(s, f * kFrameLength - s.t).cuts;
    found.push_back(s.q);
  }
  EXPECT_EQ(cuts, std::isfinite(jump.t) ? 1 : 0);
  return found;
}

// Largest difference of what is free, and largest swing.
std::pair<double, double> compare(const CutShot& shot, const Jump& jump) {
  const std::vector<VecX> plain = frames_of(shot, {}, jump.t), jumped = frames_of(shot, jump, -1);
  double off = 0, swing = 0;
  for (size_t k = 0; k < plain.size(); ++k)
    for (int a : shot.free) {
      if (a != TwistRig::bend && a != TwistRig::scale) continue;
      off = std::max(off, std::abs(jumped[k][a] - plain[k][a]));
      swing = std::max(swing, std::abs(plain[k][a] - plain[0][a]));
    }
  return {off, swing};
}

}  // namespace

TEST(RigCuts, WhatIsFreeGoesOnAsItWas) {
  for (const Integrator integrator : {Integrator::backward_euler, Integrator::tr_bdf2})
    for (const double t : {9 * kFrameLength, 9.4 * kFrameLength}) {
      const auto [off, swing] = compare({.integrator = integrator}, {t, 1.5, Vec3(3, -4, 0)});
      EXPECT_LT(off, 1e-7 * swing) << t;
      const auto [hanging, sway] = compare({.gravity = true, .integrator = integrator}, {t, 0, Vec3(3, 0, 4)});
      EXPECT_LT(hanging, 1e-7 * sway) << t;
      EXPECT_GT(swing, 1e-2);
    }
}

TEST(RigCuts, ScaledInertiaAndHeldShapesGoAlong) {
  const Jump jump{9 * kFrameLength, 0, Vec3(3, 0, 4)};
  const auto [about, swing] = compare({.gravity = true, .epsilon = 0.5}, jump);
  EXPECT_LT(about, 1e-6 * swing);
  const auto [held, sway] = compare({.gravity = true, .hold = true}, jump);
  EXPECT_LT(held, 1e-6 * sway);
}

// A free parameter whose own keys jump is taken along with them.
TEST(RigCuts, FreeParametersJumpWithTheirKeys) {
  const Jump jump{9.4 * kFrameLength, 0, Vec3(5, 0, 0)};
  const CutShot shot{.gravity = true, .hold = true, .free = {TwistRig::bend, TwistRig::scale, TwistRig::move}};
  const std::vector<VecX> plain = frames_of(shot, {}, jump.t), jumped = frames_of(shot, jump, -1);
  for (size_t k = 0; k < plain.size(); ++k) {
    VecX off = jumped[k] - plain[k];
    if (static_cast<double>(k + 1) * kFrameLength > jump.t) off[TwistRig::move] -= 5;
    EXPECT_LT(off.cwiseAbs().maxCoeff(), 1e-6) << k;
  }
}

}  // namespace supple
