// Springs with factors of the moment on their strengths.
#include <gtest/gtest.h>

#include <cmath>

#include "supple/linalg/dense.h"
#include "tests/constraint/spring_result.h"
#include "tests/linalg/lattice.h"

namespace supple {
namespace {

using namespace test;

struct VaryingBed {
  Lattice lattice = make_lattice(1, 1, 1);
  std::vector<PointTie> points;
  std::vector<double> stiffness = {3, 20, 7}, damping = {0.4, 0, 2};
  VecX targets = random_matrix(9, 1, 1), velocities = random_matrix(9, 1, 2);
  VaryingBed() {
    points.push_back({lattice.tets[0], Eigen::Vector4d(0.1, 0.2, 0.3, 0.4)});
    points.push_back({lattice.tets[3], Eigen::Vector4d(-0.5, 0.7, 0.5, 0.3)});
    points.push_back({lattice.tets[1], Eigen::Vector4d(0, 1, 0, 0)});
  }
  SpringTerm term(const std::vector<double>& k, const std::vector<double>& c) const {
    SpringTerm t(lattice.points, points, k, c);
    t.set_targets(targets, velocities);
    return t;
  }
  SpringTerm varying(const std::vector<double>& factors) const {
    SpringTerm t = term(stiffness, damping);
    t.let_strengths_vary();
    t.set_factors(factors);
    return t;
  }
  Eigen::Index n() const { return 3 * static_cast<Eigen::Index>(lattice.points.size()); }
};

TEST(SpringFactors, scale_force_matrix_and_energy) {
  const VaryingBed bed;
  const VecX u = random_matrix(static_cast<int>(bed.n()), 1, 3);
  const std::vector<double> factors = {0.25, 3, 10};
  std::vector<double> k, c;
  for (size_t i = 0; i < 3; ++i) k.push_back(factors[i] * bed.stiffness[i]), c.push_back(factors[i] * bed.damping[i]);
  for (double dv_du : {0.0, 40.0}) {
    const SpringResult a = evaluate(bed.varying(factors), u, dv_du), b = evaluate(bed.term(k, c), u, dv_du);
    EXPECT_NEAR(a.energy, b.energy, 1e-13 * b.energy);
    EXPECT_LT((a.residual - b.residual).norm(), 1e-13 * b.residual.norm());
    EXPECT_LT((a.matrix.dense() - b.matrix.dense()).norm(), 1e-13 * b.matrix.dense().norm());
    // All by the same: everything by that.
    const SpringResult twice = evaluate(bed.varying({2, 2, 2}), u, dv_du),
                       once = evaluate(bed.varying({1, 1, 1}), u, dv_du);
    EXPECT_NEAR(twice.energy, 2 * once.energy, 1e-13 * twice.energy);
    EXPECT_EQ(twice.residual, VecX(2 * once.residual));
    EXPECT_EQ(twice.matrix.dense(), MatX(2 * once.matrix.dense()));
    const SpringResult none = evaluate(bed.varying({0, 0, 0}), u, dv_du);
    EXPECT_EQ(none.energy, 0);
    EXPECT_EQ(none.residual.norm(), 0);
    EXPECT_EQ(none.matrix.dense().norm(), 0);
  }
}

TEST(SpringFactors, force_and_matrix_are_derivatives) {
  const VaryingBed bed;
  const SpringTerm term = bed.varying({0.3, 2, 7});
  const VecX u = random_matrix(static_cast<int>(bed.n()), 1, 4);
  for (double dv_du : {0.0, 40.0}) {
    const SpringResult at = evaluate(term, u, dv_du);
    const MatX dense = at.matrix.dense();
    const double h = 1e-2;  // all is quadratic
    for (Eigen::Index i = 0; i < u.size(); ++i) {
      VecX plus = u, minus = u;
      plus[i] += h;
      minus[i] -= h;
      const SpringResult p = evaluate(term, plus, dv_du), m = evaluate(term, minus, dv_du);
      EXPECT_NEAR((p.energy - m.energy) / (2 * h), at.residual[i], 1e-10 * at.residual.norm());
      EXPECT_LT(((p.residual - m.residual) / (2 * h) - dense.col(i)).norm(), 1e-10 * dense.norm());
    }
  }
}

TEST(SpringFactors, say_that_the_matrix_changes) {
  const VaryingBed bed;
  SpringTerm term = bed.term(bed.stiffness, bed.damping);
  EXPECT_TRUE(term.matrix_is_constant());
  const VecX u = random_matrix(static_cast<int>(bed.n()), 1, 5);
  const SpringResult before = evaluate(term, u, 3);
  term.let_strengths_vary();
  EXPECT_FALSE(term.matrix_is_constant());
  // Until factors are given they are 1.
  EXPECT_EQ(evaluate(term, u, 3).residual, before.residual);
  term.set_factors({5, 5, 5});
  term.set_factors({1, 1, 1});  // the last ones count, not their product
  EXPECT_EQ(evaluate(term, u, 3).residual, before.residual);
}

}  // namespace
}  // namespace supple
