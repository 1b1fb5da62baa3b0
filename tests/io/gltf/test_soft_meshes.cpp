// How far clips depart, what that allows, and how accuracy gives way to a number of bytes.
#include <gtest/gtest.h>

#include "supple/io/gltf/soft_parts.h"
#include "tests/io/gltf/soft_glb_files.h"

namespace supple {
namespace {

class SoftMeasures : public ::testing::Test {
 protected:
  SoftMeasures() : path_(dir_.put("in.glb", Ribbon().file().glb())), doc_(path_, warnings_) {}
  std::vector<SoftMeasure> measured(const std::vector<SoftClip>& clips, double accuracy = 0.01) const {
    std::vector<SoftMeasure> all;
    for (const SoftClip& clip : clips) all.push_back(measure(doc_, clip, accuracy));
    return all;
  }
  Scratch dir_;
  std::vector<std::string> warnings_;
  std::string path_;
  GlbDocument doc_;
};

TEST_F(SoftMeasures, departure_and_tolerance) {
  SoftClip clip{"Walk", {0}, frame_times(100), {}, {}};
  // One vertex at one frame goes far, the others 0.02; half of the vertices stand still and do not count.
  std::vector<VecX> frames(100, VecX::Zero(36));
  for (VecX& x : frames)
    for (int v = 0; v < 6; ++v) x[3 * v] = 0.02;
  frames[3][0] = 1;
  clip.meshes.push_back({3, {0}, {frames}, {}, {}});
  SoftMeasure m = measure(doc_, clip, 0.01);
  EXPECT_DOUBLE_EQ(m.size, 2);
  EXPECT_NEAR(m.departure, 0.02, 1e-8);
  EXPECT_NEAR(m.tolerance, 2e-4, 1e-10);
  // As delivered: by a skin that makes it three times as long, beside a size that is given.
  clip.meshes[0].stretch = {std::vector<Eigen::VectorXf>(100, Eigen::VectorXf::Constant(12, 3))};
  clip.size = 50;
  m = measure(doc_, clip, 0.01);
  EXPECT_NEAR(m.departure, 0.06, 1e-7);
  EXPECT_DOUBLE_EQ(m.size, 50);
  EXPECT_NEAR(m.tolerance, 6e-4, 1e-9);
  // Below what can be seen nothing need be nearer.
  EXPECT_DOUBLE_EQ(measure(doc_, clip, 1e-9).tolerance, 1e-5 * 50);
}

TEST_F(SoftMeasures, one_set_of_targets_a_mesh_over_all_clips) {
  const std::vector<SoftClip> clips = {ribbon_clip("Walk", {0}, 30, 2), ribbon_clip("Run", {0}, 20, 3)};
  const std::vector<SoftShapes> shapes = fit_soft_meshes(doc_, clips, measured(clips), {});
  ASSERT_EQ(shapes.size(), 1u);
  const SoftBasis b = shapes[0].cut(1);
  EXPECT_EQ(b.mesh, doc_.file().nodes[3].mesh);
  EXPECT_EQ(b.primitives, std::vector<int>{0});
  ASSERT_EQ(b.spans.size(), 2u);
  EXPECT_EQ(b.spans[1].clip, 1);
  EXPECT_EQ(b.spans[1].first, b.spans[0].count);
  EXPECT_EQ(b.weights.rows(), b.spans[0].count + b.spans[1].count);
  EXPECT_FALSE(b.fields.empty());
}

TEST_F(SoftMeasures, slack_is_the_least_that_fits) {
  const std::vector<SoftClip> clips = {ribbon_clip("Walk", {0}, 60, 5)};
  const std::vector<SoftShapes> shapes = fit_soft_meshes(doc_, clips, measured(clips, 1e-4), {});
  const auto all = static_cast<double>(shapes[0].bytes(1));
  EXPECT_EQ(slack_within(shapes, all), 1);
  EXPECT_EQ(slack_within(shapes, INFINITY), 1);
  const double slack = slack_within(shapes, 0.5 * all);
  EXPECT_GT(slack, 1);
  EXPECT_LE(static_cast<double>(shapes[0].bytes(slack)), 0.5 * all);
  EXPECT_GT(static_cast<double>(shapes[0].bytes(slack / 1.02)), 0.5 * all);
  EXPECT_GE(slack_within(shapes, 0), 999);
}

}  // namespace
}  // namespace supple
