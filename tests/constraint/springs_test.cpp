#include "supple/constraint/springs.h"

#include <gtest/gtest.h>

#include "supple/base/error.h"
#include "supple/linalg/dense.h"
#include "tests/constraint/spring_result.h"
#include "tests/linalg/lattice.h"

namespace supple {
namespace {

using namespace test;

struct Bed {
  Lattice lattice = make_lattice(1, 1, 1);
  std::vector<PointTie> points;
  VecX targets, velocities;
  Bed() {
    points.push_back({lattice.tets[0], Eigen::Vector4d(0.1, 0.2, 0.3, 0.4)});
    points.push_back({lattice.tets[3], Eigen::Vector4d(-0.5, 0.7, 0.5, 0.3)});
    points.push_back({lattice.tets[1], Eigen::Vector4d(0, 1, 0, 0)});
    const int v = lattice.tets[2][1];
    points.push_back({{v, v, lattice.tets[2][0], v}, Eigen::Vector4d(0.2, 0.3, 0.4, 0.1)});
    targets = random_matrix(12, 1, 1);
    velocities = random_matrix(12, 1, 2);
  }
  int n() const { return static_cast<int>(lattice.points.size()); }
  SpringTerm term() const {
    SpringTerm t(lattice.points, points, {3.0, 20.0, 7.0, 0.5}, {0.4, 0.0, 2.0, 1.0});
    t.set_targets(targets, velocities);
    return t;
  }
};

TEST(Springs, ResidualAndMatrixAreDerivatives) {
  const Bed s;
  const SpringTerm term = s.term();
  const VecX u = random_matrix(3 * s.n(), 1, 3);
  for (double dv_du : {0.0, 40.0}) {
    const SpringResult at = evaluate(term, u, dv_du);
    ASSERT_GT(at.residual.norm(), 1);
    const MatX dense = at.matrix.dense();
    ASSERT_GT(dense.norm(), 1);
    // Everything is quadratic: central differences are exact but for rounding.
    const double h = 1e-2;
    for (Eigen::Index i = 0; i < u.size(); ++i) {
      VecX plus = u, minus = u;
      plus[i] += h;
      minus[i] -= h;
      const SpringResult p = evaluate(term, plus, dv_du), m = evaluate(term, minus, dv_du);
      EXPECT_NEAR((p.energy - m.energy) / (2 * h), at.residual[i], 1e-10 * at.residual.norm());
      EXPECT_LT(((p.residual - m.residual) / (2 * h) - dense.col(i)).norm(), 1e-10 * dense.norm());
    }
    EXPECT_GT(symmetric_eigen(dense).values[0], -1e-12 * dense.norm());
  }
}

TEST(Springs, ForceOfASpringAndADashpotOnAVertex) {
  const Lattice lattice = make_lattice(1, 1, 1);
  SpringTerm term(lattice.points, {{lattice.tets[0], Eigen::Vector4d(1, 0, 0, 0)}}, 5.0, 2.0);
  const int vertex = lattice.tets[0][0];
  const Vec3 x = lattice.points[static_cast<size_t>(vertex)];
  term.set_targets(x + Vec3(0.1, 0, 0), Vec3(0, 3, 0));
  const VecX u = VecX::Zero(24), v = VecX::Zero(24), a = VecX::Zero(24);
  VecX r = VecX::Zero(24);
  term.add({u, v, a, 10.0, 0}, {nullptr, &r, nullptr, false});
  EXPECT_LT((r.segment<3>(3 * vertex) - Vec3(-0.5, -6, 0)).norm(), 1e-14);
  EXPECT_NEAR(r.norm(), Vec3(-0.5, -6, 0).norm(), 1e-14);
  EXPECT_NEAR(term.worst_stretch(u), 0.1, 1e-15);
  // At rest before any target is given.
  VecX none = VecX::Zero(24);
  SpringTerm(lattice.points, {{lattice.tets[0], Eigen::Vector4d::Constant(0.25)}}, 5.0)
      .add({u, v, a, 10.0, 0}, {nullptr, &none, nullptr, false});
  EXPECT_EQ(none.norm(), 0);
}

TEST(Springs, BadInputIsNamed) {
  const Lattice lattice = make_lattice(1, 1, 1);
  const PointTie good{lattice.tets[0], Eigen::Vector4d::Constant(0.25)};
  PointTie bad = good;
  bad.vertices[0] = 8;
  EXPECT_THROW(SpringTerm(lattice.points, {bad}, 1.0), InputError);
  EXPECT_THROW(SpringTerm(lattice.points, {good}, -1.0), InputError);
  EXPECT_THROW(SpringTerm(lattice.points, {good}, std::nan("")), InputError);
  EXPECT_THROW(SpringTerm(lattice.points, {good}, 1.0, -1.0), InputError);
}

}  // namespace
}  // namespace supple
