// Skeletons as .bvh: placements come back, and joints stand where they stand in the world.
#include <gtest/gtest.h>

#include <cmath>

#include "supple/anim/node_tree.h"
#include "supple/base/error.h"
#include "supple/io/bvh.h"
#include "tests/io/scratch.h"

namespace supple {
namespace {

// A spine with two arms; nodes 0..5, joints 1, 2, 4, 5: node 3 lies between joints, node 0 above them. 6 is a mesh.
Character skeleton() {
  Character c;
  const auto node = [&](const std::string& name, int parent, const Vec3& x, const Quat& q) {
    Node n{.name = name, .parent = parent};
    n.local.translation = x;
    n.local.rotation = q.normalized();
    if (parent >= 0) c.nodes[static_cast<size_t>(parent)].children.push_back(static_cast<int>(c.nodes.size()));
    c.nodes.push_back(n);
  };
  node("above", -1, {0, 0, 0}, Quat::Identity());
  node("hip bone", 0, {0.1, 1, 0}, Quat(0.9, 0.1, 0.3, -0.2));
  node("chest", 1, {0, 0.4, 0.02}, Quat::Identity());
  node("between", 2, {0.01, 0.2, 0}, Quat(0.5, 0.5, -0.5, 0.5));
  node("arm", 2, {-0.2, 0.2, 0}, Quat(1, 0, 0, -1));  // the file has it after the arm that follows
  node("arm", 3, {0.2, 0, 0}, Quat(1, 0, 0, 1));
  node("mesh", 0, {0, 0, 0}, Quat::Identity());
  c.skins.push_back({.name = "s", .joints = {1, 2, 4, 5}, .inverse_binds = std::vector<Affine>(4, Affine::Identity())});
  c.shown.assign(c.nodes.size(), 1);
  return c;
}

// All joints turn, by more than a whole turn and through the places where two angles are one; the root travels.
std::vector<std::vector<Placement>> motion(const Character& c, int n_frames) {
  std::vector<std::vector<Placement>> frames;
  for (int f = 0; f < n_frames; ++f) {
    std::vector<Placement> now;
    for (const Node& n : c.nodes) now.push_back(n.local);
    const double t = f / 24.0;
    for (size_t j = 1; j < 6; ++j) {
      const double k = static_cast<double>(j);
      now[j].rotation =
          now[j].rotation * Quat(Eigen::AngleAxisd(7 * t, Vec3(std::sin(k), 1, std::cos(2 * k)).normalized()));
    }
    // About x to exactly 90 degrees and on, where z and y turn about the same axis.
    now[2].rotation = Eigen::AngleAxisd(0.3, Vec3::UnitZ()) * Eigen::AngleAxisd(M_PI / 12 * f, Vec3::UnitX()) *
                      Eigen::AngleAxisd(0.1 * f, Vec3::UnitY());
    now[1].translation += Vec3(t, std::sin(5 * t), 0);
    frames.push_back(now);
  }
  return frames;
}

int joint_called(const BvhMotion& m, const std::string& name) {
  for (size_t j = 0; j < m.joints.size(); ++j)
    if (m.joints[j].name == name) return static_cast<int>(j);
  ADD_FAILURE() << name;
  return 0;
}

std::vector<Affine> world_of(const BvhMotion& m, int frame) {
  std::vector<Affine> world;
  for (size_t j = 0; j < m.joints.size(); ++j) {
    const Affine own = m.local(static_cast<int>(j), frame).matrix();
    world.push_back(m.joints[j].parent < 0 ? own : Affine(world[static_cast<size_t>(m.joints[j].parent)] * own));
  }
  return world;
}
std::vector<Affine> world_of(const Character& c, const std::vector<Placement>& placements) {
  std::vector<Affine> locals;
  for (size_t n = 0; n < c.nodes.size(); ++n)
    locals.push_back(c.nodes[n].matrix ? *c.nodes[n].matrix : placements[n].matrix());
  return chain_nodes(c, parents_first(c), locals);
}

const std::pair<const char*, int> kJoints[] = {{"hip_bone", 1}, {"chest", 2}, {"between", 3}, {"arm", 4}, {"arm_2", 5}};

TEST(BvhWrite, placements_come_back) {
  const Scratch dir;
  const Character c = skeleton();
  const auto frames = motion(c, 60);
  std::vector<std::string> warnings;
  write_bvh(dir.path("m.bvh"), c, frames, 1 / 24.0, warnings);
  EXPECT_TRUE(warnings.empty());
  const BvhMotion m = read_bvh(dir.path("m.bvh"));
  EXPECT_EQ(m.n_frames, 60);
  EXPECT_EQ(m.frame_time, 1 / 24.0);
  EXPECT_EQ(m.n_channels, 6 + 4 * 3);
  ASSERT_EQ(m.joints.size(), 5u + 2u);  // and two ends
  EXPECT_EQ(m.joints[0].name, "hip_bone");
  for (const auto& [name, node] : kJoints) {
    const int j = joint_called(m, name);
    EXPECT_NEAR((m.joints[static_cast<size_t>(j)].offset - c.nodes[static_cast<size_t>(node)].local.translation).norm(),
                0, 1e-8);
    for (int f = 0; f < 60; ++f) {
      const Placement got = m.local(j, f), wanted = frames[static_cast<size_t>(f)][static_cast<size_t>(node)];
      EXPECT_NEAR((got.translation - wanted.translation).norm(), 0, 1e-7);
      EXPECT_NEAR(got.rotation.angularDistance(wanted.rotation), 0, 1e-6) << name << " " << f;
    }
  }
}

// Angles are curves that a person can edit: no jumps by whole turns or to the other solution.
TEST(BvhWrite, angles_do_not_jump) {
  const Scratch dir;
  const Character c = skeleton();
  auto frames = motion(c, 60);
  for (int f = 0; f < 60; ++f) {
    frames[static_cast<size_t>(f)][1].rotation = Eigen::AngleAxisd(0.3 * f, Vec3::UnitZ());
    frames[static_cast<size_t>(f)][2].rotation = Eigen::AngleAxisd(0.2 * f, Vec3::UnitX());  // past 90 degrees
  }
  std::vector<std::string> warnings;
  write_bvh(dir.path("m.bvh"), c, frames, 1 / 24.0, warnings);
  const BvhMotion m = read_bvh(dir.path("m.bvh"));
  for (int f = 0; f < 60; ++f) {
    EXPECT_NEAR(m.value(f, 3), 0.3 * f * 180 / M_PI, 1e-4);
    const BvhJoint& chest = m.joints[static_cast<size_t>(joint_called(m, "chest"))];
    EXPECT_NEAR(m.value(f, chest.first_channel + 1), 0.2 * f * 180 / M_PI, 1e-4);
  }
}

// Above the joints: turned, moved and a hundredth of the size, by parts or by a matrix; and scales within.
TEST(BvhWrite, joints_stand_where_they_stand_in_the_world) {
  const Scratch dir;
  for (const bool matrix : {false, true}) {
    for (const bool scaled_within : {false, true}) {
      Character c = skeleton();
      Placement up;
      up.translation = {1, 2, 3};
      up.rotation = Eigen::AngleAxisd(-M_PI / 2, Vec3::UnitX());
      up.scale = {0.01, 0.01, 0.01};
      c.nodes[0].local = up;
      if (matrix) {
        c.nodes[0].matrix = up.matrix();
        c.nodes[0].local = {};
      }
      auto frames = motion(c, 12);
      if (scaled_within)
        for (size_t f = 0; f < frames.size(); ++f) frames[f][2].scale = {1 + 0.05 * static_cast<double>(f), 1, 2};
      std::vector<std::string> warnings;
      write_bvh(dir.path("m.bvh"), c, frames, 0.04, warnings);
      EXPECT_EQ(warnings.size(), scaled_within ? 1u : 0u);
      if (scaled_within) expect_in(warnings[0], {"1 joints", "'chest'"});
      const BvhMotion m = read_bvh(dir.path("m.bvh"));
      for (int f = 0; f < 12; ++f) {
        const std::vector<Affine> got = world_of(m, f), wanted = world_of(c, frames[static_cast<size_t>(f)]);
        for (const auto& [name, node] : kJoints) {
          const Affine &a = got[static_cast<size_t>(joint_called(m, name))], &b = wanted[static_cast<size_t>(node)];
          EXPECT_NEAR((a.translation() - b.translation()).norm(), 0, 1e-7) << name;
          if (scaled_within) continue;
          EXPECT_NEAR((a.linear() - 100 * b.linear()).norm(), 0, 1e-6) << name;
        }
      }
      // What is stretched between moves against its parent.
      const bool travels = m.joints[static_cast<size_t>(joint_called(m, "arm_2"))].channels.size() == 6;
      EXPECT_EQ(travels, scaled_within);
    }
  }
}

TEST(BvhWrite, parts_of_a_skeleton_and_several_roots) {
  const Scratch dir;
  Character c = skeleton();
  std::vector<std::string> warnings;
  write_bvh(dir.path("arm.bvh"), c, motion(c, 5), 0.04, warnings, 3);
  const BvhMotion arm = read_bvh(dir.path("arm.bvh"));
  EXPECT_EQ(arm.joints[0].name, "between");
  EXPECT_EQ(arm.joints.size(), 3u);
  EXPECT_EQ(arm.joints[1].name, "arm");
  // No node has both joints below it: a root of ours has.
  c.skins[0].joints = {1, 2, 6};
  c.nodes[1].parent = c.nodes[6].parent = -1;
  c.nodes[0].children.clear();
  const auto frames = motion(c, 5);
  write_bvh(dir.path("two.bvh"), c, frames, 0.04, warnings);
  const BvhMotion two = read_bvh(dir.path("two.bvh"));
  EXPECT_EQ(two.joints[0].name, "root");
  for (int f = 0; f < 5; ++f) {
    const std::vector<Affine> got = world_of(two, f), wanted = world_of(c, frames[static_cast<size_t>(f)]);
    for (const auto& [name, node] : {std::pair("hip_bone", 1), {"chest", 2}, {"mesh", 6}}) {
      const size_t j = static_cast<size_t>(joint_called(two, name));
      EXPECT_NEAR((got[j].matrix() - wanted[static_cast<size_t>(node)].matrix()).norm(), 0, 1e-6) << name;
    }
  }
}

TEST(BvhWrite, faults_are_told) {
  const Scratch dir;
  Character c = skeleton();
  std::vector<std::string> warnings;
  const std::string path = dir.path("no.bvh");
  auto frames = motion(c, 3);
  EXPECT_THROW(write_bvh(path, c, {}, 0.04, warnings), InputError);
  EXPECT_THROW(write_bvh(path, c, frames, 0, warnings), InputError);
  EXPECT_THROW(write_bvh(path, c, frames, 0.04, warnings, 99), InputError);
  frames[1][2].translation[1] = NAN;
  EXPECT_THROW(write_bvh(path, c, frames, 0.04, warnings), InputError);
  frames[1].pop_back();
  EXPECT_THROW(write_bvh(path, c, frames, 0.04, warnings), InputError);
  c.skins.clear();
  EXPECT_THROW(write_bvh(path, c, motion(c, 3), 0.04, warnings), InputError);
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace supple
