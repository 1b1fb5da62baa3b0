// What is a cycle, by its poses.
#include "supple/anim/pose_cycle.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <functional>

namespace supple {
namespace {

using CycleKind = PoseCycle::Kind;
using Shape = std::function<Vec3(const Vec3& x, double phase)>;

// A body of 27 points in a box with a diagonal of 1, and its poses at `n` phases from 0 on.
Points body() {
  Points x;
  for (int i = 0; i < 27; ++i) x.push_back(Vec3(i % 3, i / 3 % 3, i / 9) / (2 * std::sqrt(3)));
  return x;
}
std::vector<VecX> poses(int n, double step, const Shape& f) {
  std::vector<VecX> out;
  for (int k = 0; k < n; ++k) {
    Points x = body();
    for (Vec3& v : x) v = f(v, k * step);
    out.push_back(flatten(x));
  }
  return out;
}
Vec3 sway(const Vec3& x, double phase) {
  const double s = std::sin(2 * M_PI * phase + 0.6), c = std::cos(4 * M_PI * phase);
  return x + x.y() * Vec3(0.3 * s, 0.1 * c, 0.1 * s * c);
}
Vec3 walk(const Vec3& x, double phase) {
  const Mat3 turn = Eigen::AngleAxisd(0.3 * phase, Vec3::UnitY()).toRotationMatrix();
  return turn * (sway(x, phase) + Vec3(3, 0, 0)) + phase * Vec3(0, 0.2, 0);
}

}  // namespace

TEST(PoseCycle, BothConventionsAndWhatIsNone) {
  // The last pose is the first.
  const PoseCycle closed = find_pose_cycle(poses(25, 1.0 / 24, sway));
  EXPECT_EQ(closed.kind, CycleKind::smooth);
  EXPECT_FALSE(closed.ends_before_first);
  EXPECT_EQ(closed.steps, 24);
  EXPECT_TRUE(closed.in_place());
  // It comes a step before the first, at rates from coarse to fine, slow ones too: there the poses agree anyway.
  for (int n : {12, 24, 60, 400}) {
    const PoseCycle before = find_pose_cycle(poses(n, 1.0 / n, sway));
    EXPECT_EQ(before.kind, CycleKind::smooth) << n;
    EXPECT_TRUE(before.ends_before_first) << n;
    EXPECT_EQ(before.steps, n);
    EXPECT_EQ(find_pose_cycle(poses(n + 1, 1.0 / n, sway)).steps, n);
    EXPECT_FALSE(find_pose_cycle(poses(n + 1, 1.0 / n, sway)).ends_before_first);
  }
  // Two steps short, and half of it.
  EXPECT_FALSE(find_pose_cycle(poses(22, 1.0 / 24, sway)).repeats());
  const PoseCycle half = find_pose_cycle(poses(13, 1.0 / 24, sway));
  EXPECT_FALSE(half.repeats());
  EXPECT_NE(half.why.find("of the size"), std::string::npos) << half.why;
  EXPECT_FALSE(find_pose_cycle(poses(25, 1.0 / 24, [](const Vec3& x, double) { return x; })).repeats());
  EXPECT_FALSE(find_pose_cycle(poses(3, 0.5, sway)).repeats());
}

// From a stand, out and back to it: what is played again must not jump.
TEST(PoseCycle, StandsAtBothEnds) {
  const Shape blow = [](const Vec3& x, double t) {
    const double s = std::pow(std::sin(M_PI * std::min(1.0, 1.6 * t)), 2);
    return Vec3(x + 0.4 * s * x.y() * Vec3::UnitX());
  };
  const PoseCycle c = find_pose_cycle(poses(25, 1.0 / 24, blow));
  EXPECT_EQ(c.kind, CycleKind::smooth);
  EXPECT_FALSE(c.ends_before_first);
  EXPECT_EQ(c.steps, 24);
  // From stand to stand elsewhere.
  const Shape leap = [&](const Vec3& x, double t) {
    return Vec3(blow(x, t) + (t - std::sin(2 * M_PI * t) / (2 * M_PI)) * Vec3(0, 0, 2));
  };
  EXPECT_FALSE(find_pose_cycle(poses(25, 1.0 / 24, leap)).repeats());
}

TEST(PoseCycle, ACornerIsACycleToo) {
  const Shape bounce = [](const Vec3& x, double t) {
    return Vec3(x + (1.2 * t * (1 - t)) * Vec3::UnitY() + 0.1 * std::sin(2 * M_PI * t) * x);
  };
  const PoseCycle c = find_pose_cycle(poses(25, 1.0 / 24, bounce));
  EXPECT_EQ(c.kind, CycleKind::corner);
  EXPECT_EQ(c.steps, 24);
  EXPECT_GT(c.bend, 0.05);
  // A hand-made gallop whose last pose is 3 % off.
  const PoseCycle near = find_pose_cycle(
      poses(25, 1.0 / 24, [](const Vec3& x, double t) { return Vec3(sway(x, t) + 0.03 * t * Vec3::UnitY()); }));
  EXPECT_TRUE(near.repeats());
  EXPECT_NEAR(near.miss, 0.03, 0.005);
  EXPECT_TRUE(near.in_place());
}

TEST(PoseCycle, TravelsAndTurns) {
  const PoseCycle c = find_pose_cycle(poses(25, 1.0 / 24, walk));
  ASSERT_EQ(c.kind, CycleKind::smooth) << c.why;
  EXPECT_FALSE(c.ends_before_first);
  EXPECT_FALSE(c.in_place());
  EXPECT_NEAR(Eigen::AngleAxisd(c.carry.R).angle(), 0.3, 1e-9);
  const Vec3 x(0.2, 0.1, 0.4);
  EXPECT_LT((c.carry(walk(x, 0)) - walk(x, 1)).norm(), 1e-9);
  // A step short.
  const PoseCycle before = find_pose_cycle(poses(24, 1.0 / 24, walk));
  ASSERT_EQ(before.kind, CycleKind::smooth) << before.why;
  EXPECT_TRUE(before.ends_before_first);
  EXPECT_EQ(before.steps, 24);
  EXPECT_LT((before.carry(walk(x, 0)) - walk(x, 1)).norm(), 0.01);
  // One way only, at an even pace, and a walk that is cut off.
  EXPECT_FALSE(find_pose_cycle(poses(25, 1.0 / 24, [](const Vec3& y, double t) {
                 return Vec3(y + t * Vec3::UnitX());
               })).repeats());
  EXPECT_FALSE(find_pose_cycle(poses(17, 1.0 / 24, walk)).repeats());
}

// Rounding to float32 far from the origin, and thousands of times the size, change nothing.
TEST(PoseCycle, AnyUnit) {
  for (double unit : {1e-3, 1.0, 1e4})
    for (int n : {24, 25}) {
      std::vector<VecX> x = poses(n, 1.0 / 24, sway);
      for (VecX& pose : x) pose = (unit * (pose.array() + 20)).cast<float>().cast<double>().matrix();
      const PoseCycle c = find_pose_cycle(x);
      EXPECT_EQ(c.kind, CycleKind::smooth);
      EXPECT_EQ(c.steps, 24);
    }
}

}  // namespace supple
