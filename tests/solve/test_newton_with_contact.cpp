// Newton with forbidden steps, on points with springs in front of a wall.
#include <gtest/gtest.h>

#include <cmath>

#include "supple/solve/vertex_newton.h"

namespace supple {
namespace {

// Points tied to the origin of their displacement by springs of stiffness k, and pulled by f.
class Springs : public Term {
 public:
  Springs(double k, VecX f) : k_(k), f_(std::move(f)) {}
  std::string name() const override { return "springs"; }
  void couple(PatternBuilder&) const override {}
  bool has_energy() const override { return true; }
  void add(const Kinematics& x, const Evaluation& out) const override {
    if (out.energy) *out.energy += 0.5 * k_ * x.u.squaredNorm() - f_.dot(x.u);
    if (out.residual) *out.residual += k_ * x.u - f_;
    for (int i = 0; out.matrix && i < out.matrix->n(); ++i)
      for (int c = 0; c < 9; c += 4) out.matrix->block(out.matrix->pattern->row_start[i + 1] - 1)[c] += k_;
  }

 private:
  double k_;
  VecX f_;
};

// Keeps point 1 to the right of point 0 (in x, at rest 1 apart): -ln of the gap, and no step may take more than nine
// tenths of it. Once let go it does nothing.
class Order : public RovingTerm {
 public:
  std::string name() const override { return "order"; }
  void couple(PatternBuilder& pattern) const override { pattern.couple(0, 1); }
  long couplings() const override { return 0; }
  bool has_energy() const override { return true; }
  void look(const VecX&, double) override {}
  void add(const Kinematics& x, const Evaluation& out) const override {
    if (gone) return;
    const double g = gap(x.u);
    if (out.energy) *out.energy -= std::log(g);
    if (out.residual) (*out.residual)[0] += 1 / g, (*out.residual)[3] -= 1 / g;
    if (!out.matrix) return;
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j <= i; ++j) out.matrix->block(out.matrix->pattern->find(i, j))[0] += (i == j ? 1 : -1) / (g * g);
  }
  double safe_step(const Kinematics& x, const VecX& du, double) override {
    const double closing = du[0] - du[3];
    ++asked;
    return gone || closing <= 0.9 * gap(x.u) ? 1 : 0.9 * gap(x.u) / closing;
  }
  void add_advance(const Kinematics&, double, VecX&) const override {}
  bool let_go(const Kinematics&, const VecX&, double) override {
    if (gone) return false;
    return gone = true;
  }
  static double gap(const VecX& u) { return 1 + u[3] - u[0]; }
  bool gone = false;
  int asked = 0;
};

VecX pull(double f0, double f1) {
  VecX f = VecX::Zero(6);
  f[0] = f0, f[3] = f1;
  return f;
}

TEST(NewtonWithContact, stops_where_the_forces_balance) {
  // Free points pulled against each other: u1 = -u0, k u0 + 1/g = F, g = 1 - 2 u0.
  const AffineMap map = AffineMap::without(2, {});
  const Springs springs(10, pull(100, -100));
  Order order;
  VertexNewton newton({&springs}, map, "auto", VecX::Zero(6), &order);
  VecX u = VecX::Zero(6);
  const VecX zero = VecX::Zero(6);
  const NewtonReport r = newton.solve(u, zero, 0, zero, 0, zero, {.tolerance = 1e-10});
  EXPECT_TRUE(r.converged) << r.trouble;
  EXPECT_GT(Order::gap(u), 0);
  EXPECT_NEAR(10 * u[0] + 1 / Order::gap(u), 100, 1e-6);
  EXPECT_NEAR(u[3], -u[0], 1e-9);
  EXPECT_GT(order.asked, 2);
}

TEST(NewtonWithContact, what_is_prescribed_pushes_the_rest_before_it) {
  // Point 0 is led ten times the gap to the right: point 1 must be ahead of it all the way.
  const AffineMap map = AffineMap::without(2, {0});
  const Springs springs(10, pull(0, 0));
  Order order;
  VertexNewton newton({&springs}, map, "auto", VecX::Zero(6), &order);
  VecX u = VecX::Zero(6), to = VecX::Zero(6);
  to[0] = 10;
  const VecX zero = VecX::Zero(6);
  const NewtonReport r = newton.solve(u, to, 0, zero, 0, zero, {.tolerance = 1e-10});
  EXPECT_TRUE(r.converged) << r.trouble;
  EXPECT_EQ(u[0], 10);
  EXPECT_NEAR(10 * u[3], 1 / Order::gap(u), 1e-6);
  EXPECT_FALSE(order.gone);
}

TEST(NewtonWithContact, lets_go_of_what_bars_the_way_only_where_it_may) {
  // Points 0 and 1 are led through each other; point 2 is free and at rest, with no force at all on it.
  for (const bool may : {false, true}) {
    const AffineMap map = AffineMap::without(3, {0, 1});
    const Springs springs(10, VecX::Zero(9));
    Order order;
    VertexNewton newton({&springs}, map, "auto", VecX::Zero(9), &order);
    VecX u = VecX::Zero(9), to = VecX::Zero(9);
    to[0] = 3, to[3] = -3;
    const VecX zero = VecX::Zero(9);
    const NewtonReport r = newton.solve(u, to, 0, zero, 0, zero,
                                        {.tolerance = 1e-10, .floor = 1e-12, .may_let_go = may, .others_move = true});
    EXPECT_EQ(r.converged, may) << r.trouble;
    EXPECT_EQ(order.gone, may);
    if (may) {
      EXPECT_EQ(u[0], 3);
      EXPECT_EQ(u[6], 0);
    }
  }
}

TEST(TermSum, adds_up_residuals_scale_and_energy) {
  const Springs a(10, pull(3, 0)), b(2, pull(0, -1));
  TermSum sum({&a, &b});
  const VecX u = VecX::Constant(6, 0.5), zero = VecX::Zero(6);
  const Kinematics x{u, zero, zero};
  VecX r;
  double scale = 0;
  sum.evaluate(x, &r, &scale, nullptr, false);
  EXPECT_NEAR(r[0], 12 * 0.5 - 3, 1e-12);
  EXPECT_NEAR(r[3], 12 * 0.5 + 1, 1e-12);
  EXPECT_NEAR(scale, 5 + 2, 1e-12);
  EXPECT_NEAR(sum.potential(x), 0.5 * 12 * 6 * 0.25 - 1.5 + 0.5, 1e-12);
  EXPECT_TRUE(sum.has_energy());
}

}  // namespace
}  // namespace supple
