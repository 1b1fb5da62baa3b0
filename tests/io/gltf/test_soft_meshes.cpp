// Bases of the meshes of a file, and what of them fits a budget.
#include <gtest/gtest.h>

#include "supple/io/gltf/soft_parts.h"
#include "tests/io/gltf/soft_glb_files.h"

namespace supple {
namespace {

// A basis of targets of a field, each less important than the one before.
SoftBasis basis_of(int mesh, int n_vertices, int n_moving, int n_targets, double most) {
  SoftBasis basis;
  basis.mesh = mesh, basis.size = 1, basis.n_targets = basis.n_normals = n_targets;
  for (const bool normals : {false, true}) {
    SoftField field{.primitive = 0, .normals = normals, .first = 0, .n_vertices = static_cast<size_t>(n_vertices)};
    for (int v = 0; v < n_moving; ++v) field.vertices.push_back(v);
    field.targets = Eigen::MatrixXf::Ones(3 * n_moving, n_targets);
    basis.fields.push_back(field);
  }
  basis.weights = Eigen::MatrixXf::Ones(10, n_targets);
  for (int k = 0; k < n_targets; ++k) basis.importance.push_back(most / (k + 1));
  return basis;
}

TEST(SoftMeshes, one_basis_a_mesh_over_all_clips) {
  const Scratch dir;
  std::vector<std::string> warnings;
  const GlbDocument doc(dir.put("in.glb", Ribbon().file().glb()), warnings);
  const std::vector<SoftClip> clips = {ribbon_clip("Walk", {0}, 30, 2), ribbon_clip("Run", {0}, 20, 3)};
  const std::vector<SoftBasis> bases = fit_soft_meshes(doc, clips, {});
  ASSERT_EQ(bases.size(), 1u);
  const SoftBasis& b = bases[0];
  EXPECT_EQ(b.mesh, doc.file().nodes[3].mesh);
  EXPECT_DOUBLE_EQ(b.size, 2);
  EXPECT_EQ(b.primitives, std::vector<int>{0});
  ASSERT_EQ(b.spans.size(), 2u);
  EXPECT_EQ(b.spans[1].clip, 1);
  EXPECT_EQ(b.spans[1].first, b.spans[0].count);
  EXPECT_EQ(b.weights.rows(), b.spans[0].count + b.spans[1].count);
  // What it shows of the second clip.
  ASSERT_FALSE(b.fields.empty());
  const SoftField& field = b.fields[0];
  double worst = 0;
  for (Eigen::Index f = 0; f < b.spans[1].count; ++f) {
    VecX left = clips[1].meshes[0].positions[0][static_cast<size_t>(f)];
    const VecX made =
        (field.targets.leftCols(b.n_targets) * b.weights.row(b.spans[1].first + f).head(b.n_targets).transpose())
            .cast<double>();
    for (size_t k = 0; k < field.vertices.size(); ++k)
      left.segment<3>(3 * field.vertices[k]) -= made.segment<3>(3 * static_cast<Eigen::Index>(k));
    for (Eigen::Index i = 0; i < left.size(); i += 3) worst = std::max(worst, left.segment<3>(i).norm());
  }
  EXPECT_LT(worst, 1e-4 * b.size);
}

TEST(SoftMeshes, a_list_is_for_few_vertices) {
  SoftBasis few = basis_of(0, 1000, 100, 4, 1), most = basis_of(0, 1000, 999, 4, 1);
  EXPECT_TRUE(is_sparse(few.fields[0]));
  EXPECT_FALSE(is_sparse(most.fields[0]));
}

TEST(SoftMeshes, normals_go_first_and_the_least_important) {
  std::vector<std::string> warnings;
  // 20 targets of 12 bytes a vertex, with normals: 4.8 MB each.
  std::vector<SoftBasis> bases = {basis_of(0, 10000, 10000, 20, 1), basis_of(1, 10000, 10000, 20, 0.1)};
  keep_within_budget(bases, {.budget_mb = 20}, warnings);
  EXPECT_TRUE(warnings.empty());
  EXPECT_EQ(bases[1].n_normals, 20);
  keep_within_budget(bases, {.budget_mb = 5.5}, warnings);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("mesh 1: 20 targets"), std::string::npos) << warnings[0];
  EXPECT_EQ(bases[0].n_targets, 20);
  EXPECT_EQ(bases[1].n_targets, 20);
  EXPECT_GT(bases[0].n_normals, 0);
  EXPECT_LT(bases[1].n_normals, bases[0].n_normals);
  keep_within_budget(bases, {.budget_mb = 1}, warnings);
  EXPECT_EQ(bases[0].n_normals + bases[1].n_normals, 0);
  EXPECT_GE(bases[1].n_targets, 1);
  EXPECT_LT(bases[1].n_targets, bases[0].n_targets);
  EXPECT_LT(bases[0].n_targets, 20);
}

}  // namespace
}  // namespace supple
