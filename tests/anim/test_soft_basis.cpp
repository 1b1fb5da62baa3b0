// A few targets for the motion of a mesh.
#include "supple/anim/soft_basis.h"

#include <gtest/gtest.h>

#include <cmath>

namespace supple {
namespace {

constexpr int kVertices = 40, kFrames = 30;

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
    span(motion_, 2e-4);
  }
  void span(const SoftMesh& motion, double tolerance) {
    SoftSpan s{.clip = static_cast<int>(about_.spans.size()), .node = 3, .motion = &motion, .tolerance = tolerance};
    s.count = static_cast<Eigen::Index>(motion.positions[0].size());
    if (!about_.spans.empty()) s.first = about_.spans.back().first + about_.spans.back().count;
    about_.spans.push_back(s);
  }
  SoftShapes fit(int max_targets = 64, bool normals = true) const {
    return {about_, {{kVertices, true}, {kVertices, true}, {kVertices, false}}, max_targets, normals};
  }
  // The largest error of a vertex in a span, of positions or of normals.
  double error(const SoftBasis& basis, bool normals, size_t span = 0) const {
    const SoftSpan& s = basis.spans[span];
    double worst = 0;
    for (size_t e = 0; e < s.motion->primitives.size(); ++e) {
      if (normals && s.motion->primitives[e] == 2) continue;  // it has none
      for (Eigen::Index f = 0; f < s.count; ++f) {
        VecX left = (normals ? s.motion->normals : s.motion->positions)[e][static_cast<size_t>(f)];
        for (const SoftField& field : basis.fields) {
          if (field.normals != normals || field.primitive != s.motion->primitives[e]) continue;
          const auto weights = basis.weights.row(s.first + f).segment(field.first, field.targets.cols());
          const VecX made = (field.targets * weights.transpose()).cast<double>();
          for (size_t k = 0; k < field.vertices.size(); ++k)
            left.segment<3>(3 * field.vertices[k]) -= made.segment<3>(3 * static_cast<Eigen::Index>(k));
        }
        for (Eigen::Index i = 0; i < left.size(); i += 3) worst = std::max(worst, left.segment<3>(i).norm());
      }
    }
    return worst;
  }
  SoftMesh motion_;
  SoftBasis about_;
};

TEST_F(SoftBases, as_many_targets_as_shapes_and_only_what_moves) {
  const SoftBasis basis = fit().cut(1);
  EXPECT_TRUE(basis.lifted);
  EXPECT_EQ(basis.n_targets, 3);  // the first holds the low ends
  EXPECT_GE(basis.weights.minCoeff(), 0);
  EXPECT_LE(basis.weights.maxCoeff(), 1 + 1e-6);
  bool normals = false;
  for (const SoftField& field : basis.fields) {
    EXPECT_NE(field.primitive, 1);                        // it does not move
    EXPECT_FALSE(field.normals && field.primitive == 2);  // it has none
    EXPECT_EQ(field.n_vertices, size_t{kVertices});
    ASSERT_FALSE(field.vertices.empty());
    EXPECT_LT(field.vertices.back(), kVertices / 2);
    normals = normals || field.normals;
  }
  EXPECT_TRUE(normals);
  EXPECT_LT(error(basis, false), 2e-4);
  EXPECT_LT(error(basis, true), 0.02);
  EXPECT_EQ(basis.reach.size(), 3);
  EXPECT_GT(basis.reach.minCoeff(), 0);
}

TEST_F(SoftBases, slack_and_a_limit_of_targets) {
  const SoftShapes shapes = fit();
  EXPECT_LT(shapes.bytes(300), shapes.bytes(1));
  const SoftBasis coarse = shapes.cut(300);
  EXPECT_LT(error(coarse, false), 300 * 2e-4);
  EXPECT_GT(error(coarse, false), 2e-4);
  EXPECT_EQ(shapes.cut(1e6).n_targets, 0);
  EXPECT_LE(fit(2).cut(1).n_targets, 2);
  for (const SoftField& field : fit(64, false).cut(1).fields) EXPECT_FALSE(field.normals);
  for (auto& frames : motion_.positions)
    for (VecX& d : frames) d.setZero();
  EXPECT_TRUE(fit().cut(1).fields.empty());
  EXPECT_EQ(fit().cut(1).n_targets, 0);
}

// A clip that hardly moves, in its own way, beside one that moves much: each is held to its own tolerance.
TEST_F(SoftBases, a_calm_clip_is_held_as_well_as_a_lively_one) {
  SoftMesh calm = motion_;
  for (size_t e : {0u, 1u})
    for (int f = 0; f < kFrames; ++f)
      for (int v = 0; v < kVertices / 2; ++v)
        calm.positions[e][static_cast<size_t>(f)].segment<3>(3 * v) =
            1e-3 * Vec3(std::sin(0.2 * f + v), std::cos(0.3 * f), 0.1 * v / kVertices);
  span(calm, 1e-5);
  const SoftBasis both = fit().cut(1);
  EXPECT_LT(error(both, false, 0), 2e-4);
  EXPECT_LT(error(both, false, 1), 1e-5);
  // Counted as the lively one is, it would not be there at all.
  about_.spans[1].tolerance = 2e-3;
  EXPECT_GT(error(fit().cut(1), false, 1), 1e-4);
  EXPECT_LT(fit().cut(1).n_targets, both.n_targets);
}

// What comes out of the skin twice as long has to be twice as good.
TEST_F(SoftBases, stretch_counts) {
  const int plain = fit().cut(40).n_targets;
  motion_.stretch.assign(2, std::vector<Eigen::VectorXf>(kFrames, Eigen::VectorXf::Constant(kVertices, 100)));
  const SoftBasis stretched = fit().cut(40);
  EXPECT_GE(stretched.n_targets, plain);
  EXPECT_LT(error(stretched, false), 40 * 2e-4 / 100);
}

// A vertex that needs fewer targets than others is not in the lists of the rest.
TEST_F(SoftBases, later_targets_are_of_fewer_vertices) {
  for (auto& frames : motion_.positions)
    for (int f = 0; f < kFrames; ++f)
      for (int v = 0; v < 3; ++v) frames[static_cast<size_t>(f)][3 * v] += 0.01 * std::sin(0.9 * f * (v + 1));
  const SoftBasis basis = fit().cut(1);
  EXPECT_LT(error(basis, false), 2e-4);
  size_t fewest = kVertices, most = 0;
  for (const SoftField& field : basis.fields) {
    if (field.normals) continue;
    fewest = std::min(fewest, field.vertices.size()), most = std::max(most, field.vertices.size());
  }
  EXPECT_EQ(most, size_t{kVertices} / 2);
  EXPECT_LE(fewest, 4u);
}

TEST(SoftFields, a_list_is_for_few_vertices) {
  SoftField field{.primitive = 0, .normals = false, .first = 0, .n_vertices = 1000};
  field.targets.resize(300, 4);
  field.vertices.resize(100);
  EXPECT_TRUE(is_sparse(field));
  field.vertices.resize(999);
  EXPECT_FALSE(is_sparse(field));
}

}  // namespace
}  // namespace supple
