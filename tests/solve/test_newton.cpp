#include "supple/solve/vertex_newton.h"

#include <gtest/gtest.h>

#include <cmath>

#include "supple/base/error.h"
#include "supple/solve/stage.h"

namespace supple {

namespace {

// One vertex in a potential given by functions of |u|^2: small enough to know everything about.
class Well : public Term {
 public:
  explicit Well(bool with_energy) : with_energy_(with_energy) {}
  std::string name() const override { return "well"; }
  void couple(PatternBuilder& p) const override { p.couple(0, 0); }
  bool has_energy() const override { return with_energy_; }
  // A double well along x, (x^2 - 1)^2 + y^2 + z^2, whose Hessian is indefinite near x = 0.
  void add(const Kinematics& k, const Evaluation& out) const override {
    const double x = k.u[0], y = k.u[1], z = k.u[2], w = x * x - 1;
    if (out.energy) *out.energy += w * w + y * y + z * z;
    if (out.residual) *out.residual += Vec3(4 * x * w, 2 * y, 2 * z);
    if (out.matrix) {
      double h = 12 * x * x - 4;
      if (out.project) h = std::max(h, 0.0);
      out.matrix->block(0)[0] += h;
      out.matrix->block(0)[4] += 2;
      out.matrix->block(0)[8] += 2;
    }
  }

 private:
  bool with_energy_;
};

// A stiff spring in all directions, and along x a push away from 0 that is a little stronger: together
// -x^2/2 + x^4/4 along x. Its projection knows nothing of the push, and is a thousand times too stiff.
class Buckling : public Term {
 public:
  std::string name() const override { return "buckling"; }
  void couple(PatternBuilder& p) const override { p.couple(0, 0); }
  bool has_energy() const override { return true; }
  void add(const Kinematics& k, const Evaluation& out) const override {
    constexpr double kSpring = 1000;
    const double x = k.u[0], push = kSpring + 1;
    if (out.energy) *out.energy += 0.5 * kSpring * k.u.squaredNorm() - 0.5 * push * x * x + 0.25 * x * x * x * x;
    if (out.residual) *out.residual += kSpring * k.u + VecX(Vec3(-push * x + x * x * x, 0, 0));
    if (out.matrix) {
      const double h = 3 * x * x - push;
      for (int c = 0; c < 3; ++c) out.matrix->block(0)[4 * c] += kSpring;
      out.matrix->block(0)[0] += out.project ? std::max(h, 0.0) : h;
    }
  }
};

}  // namespace

TEST(Newton, TakesNoMoreOfTheProjectionThanItNeeds) {
  const Buckling term;
  const AffineMap map = AffineMap::without(1, {});
  VertexNewton newton({&term}, map, "eigen");
  VecX u = Vec3(0.01, 0.3, 0.2);
  const NewtonReport r = newton.solve_static(u, VecX::Zero(3), {.tolerance = 0, .floor = 1e-9, .max_iterations = 100});
  EXPECT_TRUE(r.converged) << r.trouble;
  EXPECT_GT(r.projected, 0);
  EXPECT_NEAR(u[0], 1, 1e-9);
}

TEST(Newton, ConvergesQuadraticallyAndThroughIndefiniteGround) {
  for (bool with_energy : {true, false}) {
    const Well well(with_energy);
    const AffineMap map = AffineMap::without(1, {});
    VertexNewton newton({&well}, map, "eigen");
    // Near a minimum: a handful of iterations.
    VecX u = Vec3(1.2, 0.3, -0.2);
    NewtonReport r = newton.solve_static(u, VecX::Zero(3), {.tolerance = 1e-12, .floor = 1e-12});
    EXPECT_TRUE(r.converged) << r.trouble;
    EXPECT_NEAR(u[0], 1, 1e-9);
    EXPECT_LE(r.iterations, 6);
    EXPECT_EQ(r.projected, 0);
    if (!with_energy) continue;
    // From the hill between the wells, where the matrix is indefinite.
    u = Vec3(0.05, 0.5, 0);
    r = newton.solve_static(u, VecX::Zero(3), {.tolerance = 1e-12, .floor = 1e-12});
    EXPECT_TRUE(r.converged) << r.trouble;
    EXPECT_NEAR(std::abs(u[0]), 1, 1e-9);
    EXPECT_GT(r.projected, 0);
  }
}

TEST(Newton, SaysWhyItStopped) {
  const Well well(true);
  const AffineMap map = AffineMap::without(1, {});
  VertexNewton newton({&well}, map, "eigen");
  VecX u = Vec3(3, 2, 1);
  NewtonReport r = newton.solve_static(u, VecX::Zero(3), {.tolerance = 1e-12, .max_iterations = 1});
  EXPECT_FALSE(r.converged);
  EXPECT_NE(r.trouble.find("1 iterations"), std::string::npos) << r.trouble;
  EXPECT_TRUE(u.allFinite());
  u = Vec3(std::nan(""), 0, 0);
  r = newton.solve_static(u, VecX::Zero(3), {});
  EXPECT_FALSE(r.converged);
  EXPECT_FALSE(r.trouble.empty());
}

// Each rule differentiates polynomials exactly up to its order.
TEST(Stage, RulesDifferentiate) {
  const double h = 0.1;
  for (double alpha : {0.5, kEqualMatrixFraction, 0.3}) {
    const auto rules = stages(Integrator::tr_bdf2, h, alpha);
    ASSERT_EQ(rules.size(), 2u);
    auto f = [](double t) { return 3 + 2 * t - 5 * t * t; };
    auto df = [](double t) { return 2 - 10 * t; };
    const double tm = alpha * h;
    EXPECT_NEAR(rules[0].now * f(tm) + rules[0].start * f(0) + rules[0].start_rate * df(0), df(tm), 1e-12);
    EXPECT_NEAR(rules[1].now * f(h) + rules[1].start * f(0) + rules[1].middle * f(tm), df(h), 1e-12);
    EXPECT_EQ(rules[1].end, 1);
  }
  // To the bit at any step, or a linear model is factorized twice a step.
  for (int substeps = 1; substeps <= 60; ++substeps) {
    const auto equal = stages(Integrator::tr_bdf2, 1 / (24.0 * substeps));
    EXPECT_EQ(equal[0].now, equal[1].now) << substeps;
  }
  const auto be = stages(Integrator::backward_euler, h);
  ASSERT_EQ(be.size(), 1u);
  EXPECT_NEAR(be[0].now * 7 + be[0].start * 5, 20, 1e-12);
  EXPECT_THROW(integrator_from_name("euler"), InputError);
}

// Published accuracy at 12 and 24 steps a period: half-life +2.3 % and +0.7 %.
TEST(Stage, HalfLifeOfTrapezoidBdf2) {
  const double f = 2, omega = 2 * M_PI * f, d_k = 2 * std::log(2.0) / 0.8 / (omega * omega);
  EXPECT_NEAR(discrete_half_life(Integrator::tr_bdf2, 1 / (12 * f), omega, d_k, 0, 0.5) / 0.8, 1.023, 0.01);
  EXPECT_NEAR(discrete_half_life(Integrator::tr_bdf2, 1 / (24 * f), omega, d_k, 0, 0.5) / 0.8, 1.007, 0.004);
}

}  // namespace supple
