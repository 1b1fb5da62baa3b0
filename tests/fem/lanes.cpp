// The four-lane arithmetic under the element kernels, against the plain decomposition and between its two forms.
#include "supple/fem/lanes.h"

#include <gtest/gtest.h>

#include "supple/fem/element_kernels.h"
#include "supple/fem/lane_scalars.h"
#include "supple/fem/lane_svd.h"
#include "supple/linalg/svd3.h"
#include "tests/fem/samples.h"

namespace supple::test {
namespace {

Vec3 first(const LaneVector& v) { return {v.x[0], v.y[0], v.z[0]}; }

TEST(LaneSvd, IsADecompositionWithRotations) {
  Random random(11);
  std::vector<Mat3> samples;
  for (double scale : {1e-12, 1e-6, 1.0, 1e6})
    for (const auto& d : sample_deformations()) samples.push_back(scale * d.F);
  for (double small : {1e-4, 1e-8, 1e-12})
    for (double sign : {-1.0, 1.0}) {
      samples.push_back(random.with_stretches(1, small, sign * small));
      samples.push_back(random.with_stretches(1, 1, sign * small));
      samples.push_back(random.with_stretches(1, small, sign * small * 1e-3));
    }
  for (const Mat3& F : samples) {
    const LaneSvd svd = lane_svd(broadcast(F));
    const Mat3 U = extract(svd.U, 0), V = extract(svd.V, 0);
    const Vec3 sigma = first(svd.sigma);
    const double size = F.norm();
    EXPECT_LT((U * sigma.asDiagonal() * V.transpose() - F).norm(), 2e-13 * size + 1e-300) << F;
    EXPECT_LT((U * U.transpose() - Mat3::Identity()).norm(), 1e-14) << F;
    EXPECT_LT((V * V.transpose() - Mat3::Identity()).norm(), 1e-14) << F;
    EXPECT_NEAR(U.determinant(), 1, 1e-14);
    EXPECT_NEAR(V.determinant(), 1, 1e-14);
    const Vec3 reference = svd3(F).sigma;
    EXPECT_LT((sigma - reference).norm(), 1e-13 * size + 1e-300) << sigma.transpose() << " / " << reference.transpose();
  }
}

// To rounding: a lane that has converged turns on by nothing but rounding while the slowest goes on.
TEST(LaneSvd, LanesDoNotSeeEachOther) {
  Random random(12);
  const Mat3 a = random.matrix(), b = random.matrix(), c = random.with_stretches(1, 1e-3, 0), d = Mat3::Zero();
  LaneMatrix mixed;
  auto fill = [&](Lanes LaneVector::*row, int i) {
    mixed.c0.*row = {a(i, 0), b(i, 0), c(i, 0), d(i, 0)};
    mixed.c1.*row = {a(i, 1), b(i, 1), c(i, 1), d(i, 1)};
    mixed.c2.*row = {a(i, 2), b(i, 2), c(i, 2), d(i, 2)};
  };
  fill(&LaneVector::x, 0), fill(&LaneVector::y, 1), fill(&LaneVector::z, 2);
  const LaneSvd together = lane_svd(mixed);
  const Mat3 list[4] = {a, b, c, d};
  for (int l = 0; l < 4; ++l) {
    const LaneSvd alone = lane_svd(broadcast(list[l]));
    EXPECT_LT((extract(together.U, l) - extract(alone.U, 0)).norm(), 1e-12) << l;
    EXPECT_LT((extract(together.V, l) - extract(alone.V, 0)).norm(), 1e-12) << l;
  }
}

TEST(Lanes, ClampedIsTheNearestSemidefinite) {
  Random random(13);
  for (int i = 0; i < 20; ++i) {
    const Mat3 r = random.matrix(), S = r + r.transpose();
    const LaneSymmetric c = clamped(LaneSymmetric{S(0, 0), S(1, 1), S(2, 2), S(1, 2), S(0, 2), S(0, 1)});
    Mat3 got;
    got << c.xx[0], c.xy[0], c.xz[0], c.xy[0], c.yy[0], c.yz[0], c.xz[0], c.yz[0], c.zz[0];
    const SymEigen3 eig = sym_eigen3(S);
    const Mat3 expected = eig.vectors * eig.values.cwiseMax(0.0).asDiagonal() * eig.vectors.transpose();
    EXPECT_LT((got - expected).norm(), 1e-12 * S.norm());
    EXPECT_EQ(any_not_positive(LaneSymmetric{S(0, 0), S(1, 1), S(2, 2), S(1, 2), S(0, 2), S(0, 1)}),
              eig.values[0] <= 0);
  }
}

TEST(ElementKernels, EveryInstructionSetGivesTheSameBits) {
  if (!avx2_kernels()) GTEST_SKIP() << "this processor or build has one form only";
  const TetMesh mesh = rough_box(3, 2, 2);  // 72 tets: whole batches and, with the cut below, parts of one
  Random random(14);
  const VecX u = 0.5 * random.vector(3 * mesh.n_vertices()), v = random.vector(u.size());
  for (const auto& m : sample_materials())
    for (ElementDamping damping : {ElementDamping::viscous, ElementDamping::full, ElementDamping::rest})
      for (bool project : {false, true}) {
        SampleMaterial damped = m;
        damped.parameters.stiffness_damping = 0.01;
        const auto elements = elements_of(mesh, damped);
        const ElasticTerm term(elements, damping);
        PatternBuilder builder(mesh.n_vertices());
        term.couple(builder);
        BlockMatrix matrix[2] = {BlockMatrix(builder.build()), BlockMatrix()};
        matrix[1] = matrix[0];
        const auto slots = block_slots(*elements, *matrix[0].pattern);
        const VecX offset = random.vector(6 * mesh.n_tets());
        VecX residual[2] = {VecX::Zero(u.size()), VecX::Zero(u.size())};
        VecX strain[2] = {VecX::Zero(offset.size()), VecX::Zero(offset.size())};
        double energy[2];
        int inverted[2];
        for (int form = 0; form < 2; ++form) {
          const ElementKernels& kernels = form ? *avx2_kernels() : baseline_kernels();
          const ElementWork work{.list = elements->list().data(),
                                 .model = m.model,
                                 .damping = damping,
                                 .u = u.data(),
                                 .v = v.data(),
                                 .dv_du = 3,
                                 .rate_offset = offset.data(),
                                 .project = project,
                                 .residual = residual[form].data(),
                                 .values = matrix[form].values.data(),
                                 .slots = slots.data()};
          kernels.add(work, 0, 70);
          energy[form] = kernels.energy(work, true, 0, 70);
          kernels.strain(work, strain[form].data(), 0, 70);
          inverted[form] = kernels.inverted(work, 0, 70);
        }
        EXPECT_EQ(residual[0], residual[1]) << m.name;
        EXPECT_EQ(matrix[0].values, matrix[1].values) << m.name;
        EXPECT_EQ(energy[0], energy[1]) << m.name;
        EXPECT_EQ(strain[0], strain[1]) << m.name;
        EXPECT_EQ(inverted[0], inverted[1]);
        EXPECT_GT(residual[0].norm(), 0.1);
        EXPECT_GT(inverted[0], 0);
      }
}

}  // namespace
}  // namespace supple::test
