// Motion capture files: the skeleton, forward kinematics by hand, and damage.
#include "supple/io/bvh.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "supple/anim/drawn.h"
#include "supple/base/error.h"
#include "tests/io/scratch.h"

namespace supple {
namespace {

// An arm of two bones, each a metre along x; the elbow's channels are in another order than the root's.
const char* const kArm = R"(HIERARCHY
ROOT shoulder
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT elbow
  {
    OFFSET 1 0 0
    CHANNELS 3 Yrotation Zrotation Xrotation
    End Site
    {
      OFFSET 1 0 0
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.05
0 0 0 0 0 0 0 0 0
1 2 3 90 0 0 0 90 0
0 0 0 0 0 90 90 0 0
)";

class Bvh : public testing::Test {
 protected:
  BvhMotion read(const std::string& text) { return read_bvh(scratch_.put("m.bvh", text)); }
  std::string fault(const std::string& text) {
    try {
      read(text);
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  }

 private:
  Scratch scratch_;
};

Vec3 place(const BvhMotion& m, int joint, int frame) {
  Affine world = Affine::Identity();
  for (int j = joint; j >= 0; j = m.joints[j].parent) world = Affine(m.local(j, frame).matrix() * world);
  return world.translation();
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

TEST_F(Bvh, forward_kinematics_by_hand) {
  const BvhMotion m = read(kArm);
  ASSERT_EQ(m.joints.size(), 3u);
  EXPECT_EQ(m.joints[1].name, "elbow");
  EXPECT_EQ(m.joints[2].name, "elbow_end");
  EXPECT_TRUE(m.joints[2].end);
  EXPECT_EQ(m.n_channels, 9);
  EXPECT_DOUBLE_EQ(m.frame_time, 0.05);
  EXPECT_NEAR((place(m, 2, 0) - Vec3(2, 0, 0)).norm(), 0, 1e-12);
  // The upper arm points up y from (1, 2, 3), the elbow turns on by another quarter: back along -x.
  EXPECT_NEAR((place(m, 1, 1) - Vec3(1, 3, 3)).norm(), 0, 1e-12);
  EXPECT_NEAR((place(m, 2, 1) - Vec3(0, 3, 3)).norm(), 0, 1e-12);
  // A quarter about y takes x to -z, and another one to -x.
  EXPECT_NEAR((place(m, 1, 2) - Vec3(0, 0, -1)).norm(), 0, 1e-12);
  EXPECT_NEAR((place(m, 2, 2) - Vec3(-1, 0, -1)).norm(), 0, 1e-12);
}

TEST_F(Bvh, rotations_multiply_in_the_order_of_the_channels) {
  const std::string text = replaced(kArm, "1 2 3 90 0 0 0 90 0", "0 0 0 90 90 0 0 0 0");
  const BvhMotion m = read(text);  // z first, then x: R = Rz Rx
  const Quat want = Quat(Eigen::AngleAxisd(M_PI / 2, Vec3::UnitZ())) * Quat(Eigen::AngleAxisd(M_PI / 2, Vec3::UnitX()));
  EXPECT_NEAR(m.local(0, 1).rotation.angularDistance(want), 0, 1e-12);
}

TEST_F(Bvh, a_character_moves_as_the_motion_says) {
  const BvhMotion m = read(kArm);
  const Character c = bvh_character(m, 0.1);
  ASSERT_EQ(c.clips.size(), 1u);
  EXPECT_EQ(c.clips[0].name, "m");
  EXPECT_NEAR(frame_rate(c.clips[0]), 20, 41);  // one of those there are
  for (int f = 0; f < 3; ++f) {
    const auto world = node_matrices(c, c.clips[0], f * 0.05);
    for (int j = 0; j < 3; ++j) EXPECT_NEAR((world[j].translation() - 0.1 * place(m, j, f)).norm(), 0, 1e-9);
  }
  // The sticks go along: the tip of the forearm.
  const Drawn d = lay_out(c);
  const Points x = posed(d.vertices, pose_at(c, d, c.clips[0], 0.05));
  EXPECT_NEAR((x.back() - 0.1 * Vec3(0, 3, 3)).norm(), 0, 1e-9);
}

TEST_F(Bvh, names_with_blanks_twice_and_words_in_capitals) {
  const std::string text = replaced(kArm, "ROOT shoulder", "ROOT left shoulder");
  EXPECT_EQ(read(replaced(text, "JOINT elbow", "Joint left shoulder")).joints[1].name, "left shoulder_2");
  EXPECT_EQ(read(replaced(kArm, "Xposition", "XPOSITION")).n_channels, 9);
}

TEST_F(Bvh, says_where_a_file_is_wrong) {
  EXPECT_NE(fault(replaced(kArm, "1 2 3 90", "1 2 nan 90")).find("m.bvh:20"), std::string::npos);
  EXPECT_NE(fault(replaced(kArm, "1 2 3 90 0 0 0 90 0", "1 2 3 90 0 0 0 90")).find("frame 2 has 8 values"),
            std::string::npos);
  EXPECT_NE(fault(replaced(kArm, "1 2 3 90 0 0 0 90 0", "1 2 3 90 0 0 0 90 0 5")).find("frame 2 has more"),
            std::string::npos);
  EXPECT_NE(fault(replaced(kArm, "Frames: 3", "Frames: 5")).find("5 frames are promised, and 3 are there"),
            std::string::npos);
  EXPECT_NE(fault(replaced(kArm, "Frames: 3", "Frames: 2")).find("more after the 2 frames"), std::string::npos);
  EXPECT_NE(fault(replaced(kArm, "Frames: 3", "Frames: 99999999")).find("promised"), std::string::npos);
  EXPECT_NE(fault(replaced(kArm, "Frames: 3", "Frames: -1")).find("frames"), std::string::npos);
  EXPECT_NE(fault(replaced(kArm, "0.05", "0")).find("frame time"), std::string::npos);
  EXPECT_NE(fault(replaced(kArm, "CHANNELS 3 Yrotation", "CHANNELS 3 Wrotation")).find("Wrotation"), std::string::npos);
  EXPECT_NE(fault(replaced(kArm, "CHANNELS 3 Yrotation", "CHANNELS 3 Zrotation")).find("twice"), std::string::npos);
  EXPECT_NE(fault(replaced(kArm, "CHANNELS 3", "CHANNELS 30000000")).find("channels"), std::string::npos);
  EXPECT_NE(fault(replaced(kArm, "ROOT shoulder", "ROOT")).find("name"), std::string::npos);
  EXPECT_NE(fault("").find("HIERARCHY"), std::string::npos);
  EXPECT_NE(fault("hello").find("HIERARCHY"), std::string::npos);
}

TEST_F(Bvh, a_file_that_is_cut_off_is_refused_wherever_it_is) {
  const std::string text = kArm;
  // Up to the last value a cut shows; within its digits it cannot.
  for (size_t n = 0; n + 3 < text.size(); ++n) EXPECT_NE(fault(text.substr(0, n)), "") << n;
}

TEST_F(Bvh, reads_real_captures) {
  const std::filesystem::path folder = std::filesystem::path(__FILE__).parent_path() / "../../../shared/data/cmu-mocap";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no captures here";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".bvh") continue;
    const BvhMotion m = read_bvh(entry.path().string());
    EXPECT_GT(m.n_frames, 10);
    // Bones keep their lengths, and the head stays above the feet.
    for (int f : {0, m.n_frames / 2, m.n_frames - 1})
      for (size_t j = 1; j < m.joints.size(); ++j)
        EXPECT_NEAR((place(m, static_cast<int>(j), f) - place(m, m.joints[j].parent, f)).norm(),
                    m.joints[j].offset.norm(), 1e-6);
  }
}

}  // namespace
}  // namespace supple
