// Mass matrices and the terms made of them.
#include "supple/fem/mass.h"

#include <gtest/gtest.h>

#include "supple/energy/check_derivatives.h"
#include "tests/fem/samples.h"

namespace supple::test {
namespace {

std::vector<double> densities(const TetMesh& mesh) {
  std::vector<double> density;
  for (int t = 0; t < mesh.n_tets(); ++t) density.push_back(800 + 7.0 * t);
  return density;
}

// The matrix on one component, by products with unit vectors.
MatX scalar_matrix(const Mass& mass, int n) {
  MatX M(n, n);
  for (int j = 0; j < n; ++j) {
    VecX e = VecX::Zero(3 * n);
    e[3 * j] = 1;
    const VecX column = mass.multiply(e);
    for (int i = 0; i < n; ++i) {
      M(i, j) = column[3 * i];
      EXPECT_EQ(column[3 * i + 1], 0);
      EXPECT_EQ(column[3 * i + 2], 0);
    }
  }
  return M;
}

TEST(Mass, TotalsAndRowSums) {
  const TetMesh mesh = rough_box(2, 2, 1);
  const auto density = densities(mesh);
  double total = 0;
  const auto volumes = tet_volumes(mesh);
  for (int t = 0; t < mesh.n_tets(); ++t) total += density[t] * volumes[t];
  for (MassKind kind : {MassKind::lumped, MassKind::consistent}) {
    const Mass mass(mesh, density, kind);
    EXPECT_NEAR(mass.total(), total, 1e-12 * total);
    EXPECT_NEAR(mass.per_vertex().sum(), total, 1e-12 * total);
    const MatX M = scalar_matrix(mass, mesh.n_vertices());
    EXPECT_LT((M - M.transpose()).norm(), 1e-12 * M.norm());
    EXPECT_LT((M.rowwise().sum() - mass.per_vertex()).norm(), 1e-12 * M.norm());
    EXPECT_NEAR(mass.max_diagonal(), M.diagonal().maxCoeff(), 1e-12 * M.norm());
  }
}

TEST(Mass, ConsistentIsTheIntegralOfTheShapeFunctions) {
  // A four-point rule of degree two integrates products of linear shape functions exactly.
  const TetMesh mesh = rough_box(2, 1, 1);
  const auto density = densities(mesh);
  const auto volumes = tet_volumes(mesh);
  MatX expected = MatX::Zero(mesh.n_vertices(), mesh.n_vertices());
  const double big = 0.58541019662496845446, small = 0.13819660112501051518;
  for (int t = 0; t < mesh.n_tets(); ++t)
    for (int point = 0; point < 4; ++point)
      for (int a = 0; a < 4; ++a)
        for (int b = 0; b < 4; ++b)
          expected(mesh.tets[t][a], mesh.tets[t][b]) +=
              density[t] * volumes[t] / 4 * (a == point ? big : small) * (b == point ? big : small);
  const MatX M = scalar_matrix(Mass(mesh, density, MassKind::consistent), mesh.n_vertices());
  EXPECT_LT((M - expected).norm(), 1e-12 * expected.norm());
}

TEST(Mass, AddToIsMultiply) {
  const TetMesh mesh = rough_box(2, 2, 1);
  Random random(41);
  const VecX x = random.vector(3 * mesh.n_vertices());
  for (MassKind kind : {MassKind::lumped, MassKind::consistent}) {
    Mass mass(mesh, densities(mesh), kind);
    mass.add_point(3, 55);
    PatternBuilder builder(mesh.n_vertices());
    mass.couple(builder);
    builder.couple(0, mesh.n_vertices() - 1);  // a pattern wider than its own
    BlockMatrix matrix(builder.build());
    mass.add_to(matrix, 2.5);
    EXPECT_LT((matrix.multiply(x) - 2.5 * mass.multiply(x)).norm(), 1e-12 * mass.multiply(x).norm());
  }
}

TEST(Mass, PointMassAddsToTotalAndVertex) {
  const TetMesh mesh = rough_box(1, 1, 1);
  for (MassKind kind : {MassKind::lumped, MassKind::consistent}) {
    Mass mass(mesh, densities(mesh), kind);
    const double total = mass.total(), vertex = mass.per_vertex()[2];
    const MatX before = scalar_matrix(mass, mesh.n_vertices());
    mass.add_point(2, 10);
    const MatX added = scalar_matrix(mass, mesh.n_vertices()) - before;
    EXPECT_NEAR(mass.total(), total + 10, 1e-9);
    EXPECT_NEAR(mass.per_vertex()[2], vertex + 10, 1e-9);
    EXPECT_NEAR(added(2, 2), 10, 1e-9);
    EXPECT_NEAR(added.cwiseAbs().sum(), 10, 1e-9);
  }
}

TEST(Mass, GravityIsMassTimesAcceleration) {
  const TetMesh mesh = rough_box(2, 1, 1);
  const Vec3 g(1, -9.81, 3);
  for (MassKind kind : {MassKind::lumped, MassKind::consistent}) {
    const Mass mass(mesh, densities(mesh), kind);
    VecX everywhere(3 * mesh.n_vertices());
    for (int i = 0; i < mesh.n_vertices(); ++i) everywhere.segment<3>(3 * i) = g;
    const VecX load = gravity_load(mass, g);
    EXPECT_LT((load - mass.multiply(everywhere)).norm(), 1e-12 * load.norm());
    Vec3 total = Vec3::Zero();
    for (int i = 0; i < mesh.n_vertices(); ++i) total += load.segment<3>(3 * i);
    EXPECT_LT((total - mass.total() * g).norm(), 1e-9 * mass.total());
  }
}

TEST(InertiaTerm, Derivatives) {
  const TetMesh mesh = rough_box(2, 1, 1);
  Random random(42);
  const VecX u = random.vector(3 * mesh.n_vertices()), v = random.vector(u.size()), a = random.vector(u.size());
  for (MassKind kind : {MassKind::lumped, MassKind::consistent})
    for (double damping : {0.0, 0.8}) {
      const auto mass = std::make_shared<const Mass>(mesh, densities(mesh), kind);
      InertiaTerm term(mass, damping);
      const VecX v_ref = random.vector(u.size());
      term.set_reference_velocity(v_ref);
      const Kinematics x{u, v, a, 30, 900};
      const DerivativeCheck check = check_derivatives(term, x);
      EXPECT_TRUE(check.ok(1e-9)) << check.text();
      VecX r = VecX::Zero(u.size());
      term.add(x, {.residual = &r});
      EXPECT_LT((r - mass->multiply(a) - damping * mass->multiply(v - v_ref)).norm(), 1e-12 * r.norm());
      // Following the driver costs nothing, and a static solve has no inertia.
      VecX still = VecX::Zero(u.size());
      term.add({u, v_ref, still, 30, 900}, {.residual = &still});
      EXPECT_EQ(still.norm(), 0);
      term.add({u, v, a}, {.residual = &still});
      EXPECT_EQ(still.norm(), 0);
    }
}

TEST(LoadTerm, Derivatives) {
  Random random(43);
  const VecX u = random.vector(12), zero = VecX::Zero(12);
  const LoadTerm term(random.vector(12));
  const DerivativeCheck check = check_derivatives(term, {u, zero, zero}, {.matrix_may_be_zero = true});
  EXPECT_TRUE(check.ok(1e-9)) << check.text();
  VecX r = zero;
  term.add({u, zero, zero}, {.residual = &r});
  EXPECT_EQ(r, -term.force());
}

}  // namespace
}  // namespace supple::test
