// Elasticity about a drawn shape: an equilibrium and a minimum whatever was drawn, in every material.
#include "supple/fem/drawn_shape.h"

#include <gtest/gtest.h>

#include "supple/energy/check_derivatives.h"
#include "supple/fem/elastic_term.h"
#include "supple/linalg/dense.h"
#include "tests/fem/samples.h"

namespace supple::test {
namespace {

struct Shaped {
  double energy = 0;
  VecX residual;
  MatX matrix;
};

Shaped shaped(const ElasticTerm& term, const VecX& u) {
  const VecX zero = VecX::Zero(u.size());
  Shaped a;
  a.residual = zero;
  PatternBuilder builder(static_cast<int>(u.size() / 3));
  term.couple(builder);
  BlockMatrix K(builder.build());
  term.add({u, zero, zero}, {.energy = &a.energy, .residual = &a.residual, .matrix = &K});
  a.matrix = K.dense();
  return a;
}

std::unique_ptr<ElasticTerm> about(std::shared_ptr<const Elements> elements, const VecX& y) {
  auto term = std::make_unique<ElasticTerm>(std::move(elements), ElementDamping::viscous);
  term->follow_shape();
  term->set_shape(y);
  return term;
}

std::shared_ptr<const Elements> averaged(const TetMesh& mesh, const SampleMaterial& m) {
  return std::make_shared<const Elements>(mesh, m.model,
                                          std::vector<MaterialParameters>(mesh.tets.size(), m.parameters), true);
}

VecX turned(const TetMesh& mesh, const VecX& u, const Mat3& R) {
  const VecX rest = flatten(mesh.vertices);
  VecX out(u.size());
  for (Eigen::Index i = 0; i < u.size(); i += 3)
    out.segment<3>(i) = R * (rest.segment<3>(i) + u.segment<3>(i)) - rest.segment<3>(i);
  return out;
}

// From gentle to wild: a third of the tets of the last one are inside out.
std::vector<VecX> drawn_shapes(const TetMesh& mesh) {
  Random random(51);
  std::vector<VecX> all;
  for (double size : {0.02, 0.15, 0.5}) all.push_back(size * random.vector(3 * mesh.n_vertices()));
  all.push_back(turned(mesh, 0.1 * random.vector(3 * mesh.n_vertices()), random.rotation()));
  return all;
}

TEST(DrawnShape, IsWithoutForceAndAMinimumWhateverIsDrawn) {
  const TetMesh mesh = rough_box(2, 2, 1);
  for (const auto& m : sample_materials())
    for (const bool averaging : {false, true})
      for (const VecX& y : drawn_shapes(mesh)) {
        const Shaped a = shaped(*about(averaging ? averaged(mesh, m) : elements_of(mesh, m), y), y);
        EXPECT_LT(a.residual.norm(), 1e-14) << m.name;  // moduli and lengths are of order one
        EXPECT_NEAR(a.energy, 0, 1e-15) << m.name;
        const VecX values = symmetric_eigen(a.matrix).values;
        EXPECT_GT(values[0], -1e-11 * values.maxCoeff()) << m.name;
        // The moves of a rigid body alone cost nothing.
        EXPECT_GT(values[6], 1e-5 * values.maxCoeff()) << m.name;
      }
}

TEST(DrawnShape, OfRestIsTheMaterialItself) {
  const TetMesh mesh = rough_box(2, 1, 1);
  Random random(52);
  const VecX u = 0.15 * random.vector(3 * mesh.n_vertices());
  for (const auto& m : sample_materials()) {
    const Shaped plain = shaped(ElasticTerm(elements_of(mesh, m), ElementDamping::viscous), u);
    const Shaped same = shaped(*about(elements_of(mesh, m), VecX::Zero(u.size())), u);
    EXPECT_NEAR(same.energy, plain.energy, 1e-12 * plain.energy) << m.name;
    EXPECT_LT((same.residual - plain.residual).norm(), 1e-12 * plain.residual.norm()) << m.name;
    EXPECT_LT((same.matrix - plain.matrix).norm(), 1e-11 * plain.matrix.norm()) << m.name;
  }
}

TEST(DrawnShape, Derivatives) {
  const TetMesh mesh = rough_box(2, 1, 1);
  Random random(53);
  const double h = 0.05;
  for (SampleMaterial m : sample_materials())
    for (const bool averaging : {false, true})
      for (const VecX& y : drawn_shapes(mesh)) {
        m.parameters.stiffness_damping = 0.03;
        const auto term = about(averaging ? averaged(mesh, m) : elements_of(mesh, m), y);
        const VecX before = y + 0.05 * random.vector(y.size()), u = y + 0.1 * random.vector(y.size());
        term->set_strain_rate_offset(-term->strains(before) / h);
        const VecX v = (u - before) / h, a = VecX::Zero(u.size());
        const DerivativeCheck check = check_derivatives(*term, {u, v, a, 1 / h, 1 / (h * h)});
        EXPECT_TRUE(check.ok(1e-6)) << m.name << ", " << averaging << ": " << check.text();
      }
}

TEST(DrawnShape, TurningItWithTheFleshChangesNothing) {
  const TetMesh mesh = rough_box(2, 1, 1);
  Random random(54);
  const Mat3 R = random.rotation();
  for (const auto& m : sample_materials())
    for (const VecX& y : drawn_shapes(mesh)) {
      const VecX d = 0.1 * random.vector(y.size()), Rd = turned(mesh, d + y, R) - turned(mesh, y, R);
      const Shaped here = shaped(*about(elements_of(mesh, m), y), y + d);
      const VecX there_y = turned(mesh, y, R);
      const Shaped there = shaped(*about(elements_of(mesh, m), there_y), there_y + Rd);
      EXPECT_GT(here.energy, 1e-4) << m.name;
      EXPECT_NEAR(there.energy, here.energy, 1e-10 * here.energy) << m.name;
    }
}

// A body that is drawn larger or mirrored as a whole swings as it did.
TEST(DrawnShape, TheScaleOfAllOfItDoesNotMatter) {
  const TetMesh mesh = rough_box(2, 1, 1);
  Random random(55);
  const VecX rest = flatten(mesh.vertices), y = 0.1 * random.vector(rest.size()), d = 0.05 * random.vector(rest.size());
  for (const auto& m : sample_materials())
    for (const double scale : {100.0, 0.01, -1.0, -3.0}) {
      const Shaped one = shaped(*about(elements_of(mesh, m), y), y + d);
      const VecX large_y = scale * (rest + y) - rest;
      const Shaped large = shaped(*about(elements_of(mesh, m), large_y), large_y + scale * d);
      EXPECT_LT((large.residual - scale * one.residual).norm(), 1e-9 * std::abs(scale) * one.residual.norm())
          << m.name << ", " << scale;
      EXPECT_LT((large.matrix - one.matrix).norm(), 1e-9 * one.matrix.norm()) << m.name << ", " << scale;
    }
}

// Small departures of a sound tet cost what linear elasticity in its drawn axes says: stretches of the drawn shape do
// not make it softer or stiffer.
TEST(DrawnShape, StiffnessIsThatOfRestInTheDrawnAxes) {
  const TetMesh tet = one_tet();
  Random random(56);
  for (const auto& m : sample_materials()) {
    if (m.parameters.volume_penalty > 0) continue;
    const Mat3 U = random.rotation(), W = random.rotation();
    const Vec3 stretch(1.6, 0.9, 0.7);
    const VecX y = affine_displacement(tet, U * stretch.asDiagonal() * W.transpose());
    const auto term = about(elements_of(tet, m), y);
    // A gradient of departure H over the shape as drawn, stretches taken out: e = sym(R^T H G).
    const double small = 1e-5;
    const Mat3 e = small * (random.matrix() + Mat3::Identity());
    const Mat3 sym = 0.5 * (e + e.transpose());
    // The shape's common scale is its volume's, and is no stretch.
    const double scale = std::cbrt(stretch.prod());
    const Mat3 G = W * (stretch / scale).cwiseInverse().asDiagonal() * W.transpose();
    const Mat3 H = scale * U * W.transpose() * e * G.inverse();
    VecX d(12);
    for (int v = 0; v < 4; ++v) d.segment<3>(3 * v) = H * tet.vertices[static_cast<size_t>(v)];
    const ElementMaterial& c = term->elements().list()[0].material;
    const double expected = scale * scale * term->elements().list()[0].vol *
                            (c.lame_mu * sym.squaredNorm() + 0.5 * c.lame_lambda * std::pow(sym.trace(), 2));
    EXPECT_NEAR(term->elastic_energy(y + d), expected, 2e-4 * expected) << m.name;
  }
}

TEST(DrawnShape, TetsThatNobodyAsksForDoNotChangeTheOthers) {
  const TetMesh mesh = rough_box(2, 1, 1);
  const std::shared_ptr<const Elements> elements = elements_of(mesh, sample_materials()[0]);
  std::vector<char> needed;
  for (size_t t = 0; t < elements->list().size(); ++t) needed.push_back(t % 3 != 0);
  DrawnShape all(elements), some(elements, needed);
  for (const VecX& y : drawn_shapes(mesh)) {
    all.set(y), some.set(y);
    for (size_t t = 0; t < needed.size(); ++t)
      if (needed[t]) {
        EXPECT_EQ(all.tets()[t].R, some.tets()[t].R);
        EXPECT_EQ(all.tets()[t].g, some.tets()[t].g);
      }
  }
}

TEST(DrawnShape, CountsWhatSkinningFolds) {
  const TetMesh tet = one_tet();
  SampleMaterial m = sample_materials()[0];
  const auto crushed = [&](const Vec3& stretch) {
    return about(elements_of(tet, m), affine_displacement(tet, stretch.asDiagonal()))->shape().crushed();
  };
  EXPECT_EQ(crushed(Vec3(1.2, 1.0, 0.9)), 0);
  EXPECT_EQ(crushed(Vec3(1.0, 1.0, 0.05)), 1);
  // One tet inside out is a body that is mirrored; two, one of each kind, are a fold.
  TetMesh two = rough_box(1, 1, 1);
  two.tets.resize(2);
  VecX y = VecX::Zero(3 * two.n_vertices());
  int apex = -1;
  for (int v : two.tets[1])
    if (std::find(two.tets[0].begin(), two.tets[0].end(), v) == two.tets[0].end()) apex = v;
  ASSERT_GE(apex, 0);
  Vec3 centre = Vec3::Zero();
  for (int v : two.tets[1])
    if (v != apex) centre += two.vertices[static_cast<size_t>(v)] / 3;
  y.segment<3>(3 * apex) = 1.3 * (centre - two.vertices[static_cast<size_t>(apex)]);
  EXPECT_EQ(about(elements_of(two, m), y)->shape().folded(), 1);
  EXPECT_EQ(about(elements_of(two, m), y)->count_inverted(y), 0);
}

}  // namespace
}  // namespace supple::test
