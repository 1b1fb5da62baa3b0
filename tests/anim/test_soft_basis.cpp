// A few targets for the motion of a mesh.
#include "supple/anim/soft_basis.h"

#include <gtest/gtest.h>

#include <cmath>

namespace supple {
namespace {

constexpr int kVertices = 40, kFrames = 30;
constexpr double kMeshSize = 2;

// Two shapes that come and go, on the first half of the vertices; the second half stands still.
VecX moved(int frame, double size, double phase) {
  VecX d = VecX::Zero(3 * kVertices);
  for (int v = 0; v < kVertices / 2; ++v) {
    const double s = 2 * M_PI * frame / kFrames;
    d.segment<3>(3 * v) = size * (std::sin(s) * Vec3(0, std::cos(0.3 * v + phase), 0.2) +
                                  std::cos(2 * s) * Vec3(0.1 * v / kVertices, 0, std::sin(0.2 * v)));
  }
  return d;
}

class SoftBases : public ::testing::Test {
 protected:
  SoftBases() {
    motion_.node = 3, motion_.primitives = {0, 2};
    for (int e : {0, 1}) {
      motion_.positions.emplace_back();
      motion_.normals.emplace_back();
      for (int f = 0; f < kFrames; ++f) {
        motion_.positions.back().push_back(moved(f, 0.05, e));
        motion_.normals.back().push_back(moved(f, 0.2, e));
      }
    }
    basis_.size = kMeshSize;
    basis_.spans = {{.clip = 0, .node = 3, .motion = &motion_, .first = 0, .count = kFrames}};
  }
  void fit(double tolerance = 1e-4, int max_targets = 64, bool normals = true) {
    fit_soft_basis(basis_, {{kVertices, true}, {kVertices, true}, {kVertices, false}}, tolerance, max_targets, normals);
  }
  // The largest error of a vertex, of positions or of normals.
  double error(bool normals) const {
    double worst = 0;
    for (const SoftField& field : basis_.fields) {
      if (field.normals != normals) continue;
      const auto& frames = (normals ? motion_.normals : motion_.positions)[field.primitive == 0 ? 0 : 1];
      const int n = normals ? basis_.n_normals : basis_.n_targets;
      for (int f = 0; f < kFrames; ++f) {
        VecX left = frames[static_cast<size_t>(f)];
        const VecX made = (field.targets.leftCols(n) * basis_.weights.row(f).head(n).transpose()).cast<double>();
        for (size_t k = 0; k < field.vertices.size(); ++k)
          left.segment<3>(3 * field.vertices[k]) -= made.segment<3>(3 * static_cast<Eigen::Index>(k));
        for (Eigen::Index i = 0; i < left.size(); i += 3) worst = std::max(worst, left.segment<3>(i).norm());
      }
    }
    return worst;
  }
  SoftMesh motion_;
  SoftBasis basis_;
};

TEST_F(SoftBases, as_many_targets_as_shapes_and_only_what_moves) {
  fit();
  EXPECT_EQ(basis_.n_targets, 2);
  EXPECT_EQ(basis_.n_normals, 2);
  ASSERT_EQ(basis_.fields.size(), 3u);  // the third primitive has no normals, the second does not move
  for (const SoftField& field : basis_.fields) {
    EXPECT_NE(field.primitive, 1);
    EXPECT_EQ(field.n_vertices, size_t{kVertices});
    ASSERT_FALSE(field.vertices.empty());
    EXPECT_LT(field.vertices.back(), kVertices / 2);
  }
  EXPECT_LT(error(false), 1e-4 * kMeshSize);
  EXPECT_LT(error(true), 1e-3);
  ASSERT_EQ(basis_.importance.size(), 2u);
  EXPECT_GT(basis_.importance[0], basis_.importance[1]);
}

TEST_F(SoftBases, a_coarser_tolerance_needs_fewer_and_a_limit_is_kept) {
  fit(0.04, 64, false);
  EXPECT_LT(basis_.n_targets, 2);
  EXPECT_EQ(basis_.n_normals, 0);
  basis_.importance.clear();
  fit(1e-4, 2);
  EXPECT_EQ(basis_.n_targets, 1);  // one is left for the lift
  basis_.fields.clear();
  basis_.n_targets = 0;
  for (auto& frames : motion_.positions)
    for (VecX& d : frames) d.setZero();
  fit();
  EXPECT_TRUE(basis_.fields.empty());
  EXPECT_EQ(basis_.n_targets, 0);
}

TEST_F(SoftBases, lifted_weights_are_not_below_zero_and_show_the_same) {
  fit();
  ASSERT_TRUE(basis_.needs_lift());
  lift_weights(basis_);
  EXPECT_TRUE(basis_.lifted);
  EXPECT_FALSE(basis_.needs_lift());
  EXPECT_EQ(basis_.n_targets, 3);
  EXPECT_EQ(basis_.n_normals, 3);
  EXPECT_GE(basis_.weights.minCoeff(), 0);
  EXPECT_LE(basis_.weights.maxCoeff(), 1 + 1e-6);
  EXPECT_LT(error(false), 1e-4 * kMeshSize);
  EXPECT_LT(error(true), 1e-3);
}

}  // namespace
}  // namespace supple
