// Order of accuracy under step halving, and what the integrators do to energy.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/beam.h"

namespace supple {

using test::beam_spec;
using test::moved;

namespace {

// A beam whose base is shaken smoothly; the state at t_end for n steps.
VecX shaken(Integrator integrator, int n, MaterialModel material, ElementDamping damping) {
  test::BeamOptions o{.nx = 4, .ny = 1, .nz = 1, .material = material, .damping = damping};
  o.parameters.stiffness_damping = 0.004;
  o.gravity = {0, -9.81, 0};
  const Model model(beam_spec(o));
  const double w = 12;
  auto track = moved(model, [=](const Vec3& x, double t, int d) {
    // 0.02 (1 - cos wt)^2: starts with zero velocity, acceleration and jerk.
    const double c = std::cos(w * t), s = std::sin(w * t);
    const double f = d == 0 ? (1 - c) * (1 - c) : d == 1 ? 2 * w * (1 - c) * s : 2 * w * w * (s * s + (1 - c) * c);
    return Vec3((d == 0 ? x : Vec3(0, 0, 0)) + 0.02 * f * Vec3(0, 0.3, 1));
  });
  const Drive drive{.vertices = track};
  const VecX p0 = StaticSolver(model, drive, "auto", 1e-11).solve(0, VecX()).u;
  Stepper stepper(model, drive, {.integrator = integrator, .tolerance = 1e-11});
  return test::run(stepper, stepper.start(0, p0, VecX::Zero(p0.size())), 0.3, n).u;
}

double observed_order(Integrator integrator, MaterialModel material, ElementDamping damping, int n) {
  const VecX a = shaken(integrator, n, material, damping), b = shaken(integrator, 2 * n, material, damping),
             c = shaken(integrator, 4 * n, material, damping);
  return std::log2((a - b).norm() / (b - c).norm());
}

}  // namespace

TEST(Order, BackwardEulerIsFirst) {
  EXPECT_NEAR(observed_order(Integrator::backward_euler, MaterialModel::linear, ElementDamping::viscous, 400), 1, 0.1);
  EXPECT_NEAR(
      observed_order(Integrator::backward_euler, MaterialModel::stable_neo_hookean, ElementDamping::viscous, 400), 1,
      0.1);
}

TEST(Order, TrapezoidBdf2IsSecond) {
  EXPECT_NEAR(observed_order(Integrator::tr_bdf2, MaterialModel::linear, ElementDamping::viscous, 100), 2, 0.1);
  EXPECT_NEAR(observed_order(Integrator::tr_bdf2, MaterialModel::stable_neo_hookean, ElementDamping::viscous, 100), 2,
              0.1);
  EXPECT_NEAR(observed_order(Integrator::tr_bdf2, MaterialModel::stvk, ElementDamping::full, 100), 2, 0.1);
}

// A free vibration without damping: backward Euler loses energy at every step, trapezoid-BDF2 keeps nearly all of it
// and never gains.
TEST(Energy, FreeVibration) {
  for (auto integrator : {Integrator::backward_euler, Integrator::tr_bdf2}) {
    test::BeamOptions o{.nx = 5, .ny = 2, .nz = 2};
    const Model model(beam_spec(o));
    const Modes modes = natural_modes(model, 1);
    ASSERT_TRUE(modes.ok);
    const VecX shape = modes.shapes.col(0);
    // Small: a large straight copy of the mode would also store energy in stiff, fast modes.
    const VecX u0 = 1e-3 / shape.cwiseAbs().maxCoeff() * shape;
    Stepper stepper(model, rest_drive(model), {.integrator = integrator, .tolerance = 1e-9});
    State s = stepper.start(0, u0, VecX::Zero(u0.size()));
    auto energy = [&](const State& x) { return stepper.kinetic_energy(x) + stepper.elastic_energy(x); };
    const double first = energy(s), period = 1 / modes.frequencies_hz[0];
    double largest = first;
    test::run(stepper, s, 3 * period, 180, [&](const State& x) {
      largest = std::max(largest, energy(x));
      s = x;
    });
    const double kept = energy(s) / first;
    std::printf("%s: energy after three periods %.4f of the start, largest %.6f\n", name_of(integrator), kept,
                largest / first);
    EXPECT_LE(largest, first * (1 + 2e-3));
    if (integrator == Integrator::backward_euler) {
      EXPECT_LT(kept, 0.5);
    } else {
      EXPECT_GT(kept, 0.95);
    }
  }
}

// The half-life an oscillator shows under each integrator.
TEST(Energy, DiscreteHalfLife) {
  const double omega = 2 * M_PI * 3.3, d_k = 0.005, h = 1.0 / 120, w2 = omega * omega, c = d_k * w2;
  // Backward Euler: (1 + c h + w2 h2) z^2 - (2 + c h) z + 1 = 0, complex roots, |z|^2 = 1 / (1 + c h + w2 h2).
  const double exact = -std::log(2.0) * h / std::log(1 / std::sqrt(1 + c * h + w2 * h * h));
  EXPECT_NEAR(discrete_half_life(Integrator::backward_euler, h, omega, d_k) / exact, 1, 1e-9);
  // It acts like d_k + h, to first order in h.
  EXPECT_NEAR(exact * (d_k + h) * w2 / (2 * std::log(2.0)), 1, 0.05);
  // Trapezoid-BDF2 at 60 steps a period: half-life + 0.13 %.
  const double plain = 2 * std::log(2.0) / c;
  EXPECT_NEAR(discrete_half_life(Integrator::tr_bdf2, 1 / (60 * 3.3), omega, d_k, 0, 0.5) / plain, 1.0013, 1e-3);
}

}  // namespace supple
