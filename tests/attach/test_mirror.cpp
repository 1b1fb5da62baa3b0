// Left and right, known by the shape of a body alone.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "supple/attach/flesh.h"
#include "supple/attach/mirror.h"
#include "supple/attach/planted.h"
#include "tests/attach/flesh_body.h"

namespace supple {
namespace {

using namespace test;

std::vector<Limb> figure() {
  std::vector<Limb> limbs = {{"hips", -1, {0, 1, 0}, {0, 1.5, 0}, 0.25},
                             {"head", 0, {0, 1.85, 0.1}, {0, 1.9, 0.15}, 0.15}};
  for (const double side : {-1.0, 1.0}) {
    limbs.push_back({side < 0 ? "a" : "b", 0, {0.15 * side, 0.8, 0}, {0.17 * side, 0.1, 0.05}, 0.1});
    limbs.push_back({side < 0 ? "c" : "d", 0, {0.3 * side, 1.5, 0}, {0.8 * side, 1.4, 0.1}, 0.08});
  }
  return limbs;
}

TEST(Mirror, IsFoundWhereverThePlaneLies) {
  TriMesh skin = body_of_limbs(figure(), 0.08).skin;
  const Quat turn(Eigen::AngleAxisd(0.7, Vec3(1, 2, 0.5).normalized()));
  for (Vec3& x : skin.vertices) x = 3 * (turn * x) + Vec3(5, -2, 1);
  const Mirror m = find_mirror(skin, turn * Vec3(0, 1, 0));
  ASSERT_TRUE(m.found());
  EXPECT_GT(std::abs(m.normal.dot(turn * Vec3(1, 0, 0))), 1 - 1e-4);
  EXPECT_NEAR(
      (m.of(3 * (turn * Vec3(0, 1, 0)) + Vec3(5, -2, 1)) - (3 * (turn * Vec3(0, 1, 0)) + Vec3(5, -2, 1))).norm(), 0,
      0.02);
}

TEST(Mirror, AWeaponInOneHandChangesLittleAndABodyThatIsNotAlikeHasNone) {
  TriMesh skin = body_of_limbs(figure(), 0.08).skin;
  const int n = skin.n_vertices();
  append(skin, box_skin(Vec3(0.85, 1.2, 0), Vec3(0.9, 2.4, 0.1)));
  const Mirror armed = find_mirror(skin, {0, 1, 0});
  ASSERT_TRUE(armed.found());
  EXPECT_GT(std::abs(armed.normal.x()), 1 - 1e-4);
  EXPECT_NEAR(armed.offset, 0, 0.01);
  for (int i = 0; i < skin.n_vertices(); ++i) EXPECT_EQ(armed.image[i] < 0, i >= n) << i;

  // Two limbs always lie in a plane, across which they are alike: most of this body is in others.
  const Body bent = body_of_limbs({{"a", -1, {0, 0, 0}, {0, 1, 0.2}, 0.15},
                                   {"b", 0, {0, 1, 0.2}, {0.7, 1.5, 0}, 0.12},
                                   {"c", 0, {0, 0.3, 0}, {0.1, -0.2, 0.8}, 0.12},
                                   {"d", 0, {0, 0.9, 0.2}, {0.3, 1.3, 0.9}, 0.1}},
                                  0.08);
  EXPECT_FALSE(find_mirror(bent.skin, {0, 1, 0}).found());
}

TEST(Mirror, BothSidesAreSoftAlike) {
  const Body body = body_of_limbs(figure(), 0.07);
  const Flesh flesh = find_flesh(body.input());
  const Mirror m = find_mirror(body.skin, {0, 1, 0});
  double difference = 0, soft = 0;
  for (int i = 0; i < body.skin.n_vertices(); ++i) {
    ASSERT_GE(m.image[i], 0);
    const double here = flesh.skin_softness[i], there = flesh.skin_softness[m.image[i]];
    difference += std::abs(here - there), soft += here;
    EXPECT_FALSE(here > 0.3 && there <= 0) << body.skin.vertices[i].transpose();
  }
  EXPECT_GT(soft, 20);
  EXPECT_LT(difference, 0.1 * soft);
}

TEST(Mirror, WhatMustStayOnOneSideStaysOnTheOther) {
  Body body = body_of_limbs(figure(), 0.07);
  Morph morph;
  for (int i = 0; i < body.skin.n_vertices(); ++i) {
    const Vec3& x = body.skin.vertices[i];
    if (x.x() < 0.1 || x.y() < 1.1 || x.y() > 1.4) continue;
    morph.points.push_back(i);
    morph.offsets.emplace_back(0.05, 0, 0);
  }
  body.drawn.vertices.morphs = {morph};
  body.poses.resize(2, body.poses[0]);
  body.poses[0].morphs = {0}, body.poses[1].morphs = {1};
  const Flesh flesh = find_flesh(body.input());
  const Mirror m = find_mirror(body.skin, {0, 1, 0});
  for (const int i : morph.points) {
    EXPECT_EQ(flesh.skin_softness[i], 0);
    EXPECT_EQ(flesh.skin_softness[m.image[i]], 0);
  }
}

TEST(Planted, WhatLiesOnTheFloorInFewClipsDoesNotStand) {
  const Body body = capsule_body(0.2, 1, 0.1, {0, 0.5});
  const SkinnedPoints skin = skin_points(body.drawn, body.input().skin_source);
  // Upright in four clips, lying in the last.
  std::vector<Pose> poses;
  std::vector<ClipPoses> clips;
  Pose lies = bound_pose(body.drawn);
  for (Affine& b : lies.bones) b = Eigen::AngleAxisd(std::numbers::pi / 2, Vec3(0, 0, 1)) * b;
  for (int clip = 0; clip < 5; ++clip) {
    clips.push_back({poses.size(), 10, 24});
    poses.insert(poses.end(), 10, clip < 4 ? bound_pose(body.drawn) : lies);
  }
  const std::vector<char> stands = planted_skin(skin, poses, clips, {0, 1, 0}, 1);
  for (size_t i = 0; i < stands.size(); ++i) EXPECT_EQ(stands[i] != 0, skin.rest[i].y() <= 0.025) << i;
  // As all there is, it does.
  const std::vector<char> fallen = planted_skin(skin, {lies, lies}, {{0, 2, 24}}, {0, 1, 0}, 1);
  for (size_t i = 0; i < fallen.size(); ++i) EXPECT_EQ(fallen[i] != 0, skin.rest[i].x() <= -0.175) << i;
}

}  // namespace
}  // namespace supple
