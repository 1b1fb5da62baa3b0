// The anti-locking term: derivatives, rest stiffness, rigid motion; and what it does to a beam's frequency.
#include "supple/fem/nodal_volume.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "supple/base/parallel.h"
#include "supple/energy/check_derivatives.h"
#include "supple/fem/elastic_term.h"
#include "supple/fem/mass.h"
#include "supple/linalg/affine_map.h"
#include "supple/linalg/eigen_pairs.h"
#include "tests/fem/samples.h"

namespace supple::test {
namespace {

std::vector<double> kappas(const TetMesh& mesh) {
  std::vector<double> kappa;
  for (int t = 0; t < mesh.n_tets(); ++t) kappa.push_back(1 + 0.1 * t);
  return kappa;
}

TEST(NodalVolume, Derivatives) {
  const TetMesh mesh = rough_box(2, 2, 1);
  Random random(51);
  const VecX zero = VecX::Zero(3 * mesh.n_vertices());
  for (bool linear : {false, true}) {
    const NodalVolume term(mesh, kappas(mesh), linear);
    for (double size : {0.1, 0.6}) {
      const VecX u = size * random.vector(zero.size());
      const DerivativeCheck check = check_derivatives(term, {u, zero, zero});
      EXPECT_TRUE(check.ok(1e-8)) << linear << ": " << check.text();
    }
    const VecX flat = affine_displacement(mesh, Vec3(1.2, 0.9, 0).asDiagonal());
    const VecX inverted = affine_displacement(mesh, Vec3(1.2, 0.9, -0.5).asDiagonal());
    for (const VecX& u : {flat, inverted}) {
      const DerivativeCheck check = check_derivatives(term, {u, zero, zero});
      EXPECT_TRUE(check.ok(1e-8)) << linear << ": " << check.text();
    }
  }
}

TEST(NodalVolume, ProjectedMatrixIsSemidefinite) {
  const TetMesh mesh = rough_box(2, 2, 1);
  Random random(52);
  const VecX u = 0.5 * random.vector(3 * mesh.n_vertices()), zero = VecX::Zero(u.size());
  const NodalVolume term(mesh, kappas(mesh), false);
  PatternBuilder builder(mesh.n_vertices());
  term.couple(builder);
  BlockMatrix exact(builder.build()), projected(exact.pattern);
  term.add({u, zero, zero}, {.matrix = &exact});
  term.add({u, zero, zero}, {.matrix = &projected, .project = true});
  const Eigen::SelfAdjointEigenSolver<MatX> a(exact.dense()), b(projected.dense());
  EXPECT_LT(a.eigenvalues()[0], -1e-2);
  EXPECT_GT(b.eigenvalues()[0], -1e-12 * b.eigenvalues().maxCoeff());
}

TEST(NodalVolume, SplitKeepsLinearElasticityForAffineDeformations) {
  const TetMesh mesh = rough_box(2, 2, 2);
  const VecX zero = VecX::Zero(3 * mesh.n_vertices());
  for (auto m : sample_materials()) {
    m.parameters.poisson_ratio = 0.48;
    double kappa = 0;
    SampleMaterial kept = m;
    kept.parameters = split_volume(m.parameters, &kappa);
    EXPECT_GT(kappa, 0);
    const ElementMaterial whole = m.element(), part = kept.element();
    EXPECT_NEAR(part.lame_mu, whole.lame_mu, 1e-14);
    EXPECT_NEAR(part.lame_lambda + kappa, whole.lame_lambda, 1e-12);
    const bool linear = m.model == MaterialModel::linear;
    const ElasticTerm elastic(elements_of(mesh, kept), ElementDamping::viscous);
    const NodalVolume volume(mesh, std::vector<double>(mesh.tets.size(), kappa), linear);
    PatternBuilder builder(mesh.n_vertices());
    elastic.couple(builder);
    volume.couple(builder);
    BlockMatrix K(builder.build());
    elastic.add({zero, zero, zero}, {.matrix = &K});
    volume.add({zero, zero, zero}, {.matrix = &K});
    // Energy 1/2 u.K u of every affine u is that of linear elasticity.
    Random random(53);
    for (int k = 0; k < 5; ++k) {
      const Mat3 H = random.matrix(), e = 0.5 * (H + H.transpose());
      const VecX u = affine_displacement(mesh, Mat3::Identity() + H);
      const double expected = elastic.elements().rest_volume() *
                              (whole.lame_mu * e.squaredNorm() + 0.5 * whole.lame_lambda * H.trace() * H.trace());
      EXPECT_NEAR(0.5 * u.dot(K.multiply(u)), expected, 1e-10 * expected) << m.name;
    }
  }
  // A low Poisson ratio is left alone.
  double kappa = 1;
  const MaterialParameters same = split_volume({.youngs_modulus = 5, .poisson_ratio = 0.2}, &kappa);
  EXPECT_EQ(kappa, 0);
  EXPECT_NEAR(same.youngs_modulus, 5, 1e-14);
  EXPECT_EQ(same.poisson_ratio, 0.2);
}

TEST(NodalVolume, RigidMotionIsFree) {
  const TetMesh mesh = rough_box(2, 2, 1);
  Random random(54);
  const NodalVolume term(mesh, kappas(mesh), false);
  const VecX u = affine_displacement(mesh, random.rotation(), Vec3(1, 2, 3));
  VecX r = VecX::Zero(u.size()), zero = r;
  double energy = 0;
  term.add({u, zero, zero}, {.energy = &energy, .residual = &r});
  EXPECT_LT(r.norm(), 1e-12);
  EXPECT_LT(energy, 1e-24);
  const VecX grown = affine_displacement(mesh, 1.1 * random.rotation());
  term.add({grown, zero, zero}, {.energy = &energy});
  EXPECT_GT(energy, 0.1);
}

TEST(NodalVolume, SameBitsForAnyThreadCount) {
  const TetMesh mesh = rough_box(6, 5, 5);
  Random random(55);
  const VecX u = 0.2 * random.vector(3 * mesh.n_vertices()), zero = VecX::Zero(u.size());
  const NodalVolume term(mesh, kappas(mesh), false);
  PatternBuilder builder(mesh.n_vertices());
  term.couple(builder);
  const auto pattern = builder.build();
  std::vector<VecX> residuals;
  std::vector<std::vector<double>> values;
  std::vector<double> energies;
  for (int threads : {1, 2, 5}) {
    set_thread_count(threads);
    BlockMatrix K(pattern);
    VecX r = zero;
    double energy = 0;
    term.add({u, zero, zero}, {.energy = &energy, .residual = &r, .matrix = &K});
    residuals.push_back(r), values.push_back(K.values), energies.push_back(energy);
  }
  set_thread_count(0);
  for (int i = 1; i < 3; ++i) {
    EXPECT_EQ(residuals[0], residuals[i]);
    EXPECT_EQ(values[0], values[i]);
    EXPECT_EQ(energies[0], energies[i]);
  }
}

}  // namespace
}  // namespace supple::test
