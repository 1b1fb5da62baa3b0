#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>

#include "supple/base/error.h"
#include "supple/enrich/rigid_parts.h"

namespace supple {
namespace {

Points random_points(int n, unsigned seed, double size) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> push(-size, size);
  Points points;
  for (int i = 0; i < n; ++i) points.push_back({push(random), push(random), push(random)});
  return points;
}

const Mat3 kTurn = Eigen::AngleAxisd(2.4, Vec3(1, -2, 0.5).normalized()).toRotationMatrix();
const Vec3 kWay(3, -1, 0.2);

TEST(KeepRigid, ARigidMotionIsKept) {
  const Points rest = random_points(30, 1, 1);
  Points x;
  for (const Vec3& p : rest) x.push_back(kTurn * p + kWay);
  const Points before = x;
  keep_rigid({{0, 2, 4, 6, 8}, {1, 3, 5, 7, 20, 21}}, rest, x);
  for (size_t v = 0; v < x.size(); ++v) EXPECT_LT((x[v] - before[v]).norm(), 1e-13);
}

TEST(KeepRigid, UnderNoiseIsTheBestFitAndShapeIsKept) {
  const Points rest = random_points(30, 1, 1), noise = random_points(30, 2, 0.3);
  Points x;
  for (size_t v = 0; v < rest.size(); ++v) x.push_back(kTurn * rest[v] + kWay + noise[v]);
  const Points before = x;
  const std::vector<int> part = {0, 2, 4, 6, 8, 11, 12};
  keep_rigid({part}, rest, x);
  for (int a : part) {
    for (int b : part) EXPECT_NEAR((x[a] - x[b]).norm(), (rest[a] - rest[b]).norm(), 1e-12);
  }
  for (int v : {1, 3, 29}) EXPECT_EQ(x[v], before[v]);

  // Any other rigid motion near it is worse; the part is already where its own motion takes it.
  Vec3 centre = Vec3::Zero();
  for (int v : part) centre += x[v] / static_cast<double>(part.size());
  const auto residual = [&](const Mat3& R, const Vec3& way) {
    double sum = 0;
    for (int v : part) sum += (R * (x[v] - centre) + centre + way - before[v]).squaredNorm();
    return sum;
  };
  const double least = residual(Mat3::Identity(), Vec3::Zero());
  EXPECT_GT(least, 0.01);
  for (const Vec3& other : random_points(40, 3, 1)) {
    EXPECT_GT(residual(Eigen::AngleAxisd(1e-3, other.normalized()).toRotationMatrix(), Vec3::Zero()), least);
    EXPECT_GT(residual(Eigen::AngleAxisd(0.5, other.normalized()).toRotationMatrix(), Vec3::Zero()), least);
    EXPECT_GT(residual(Mat3::Identity(), 1e-3 * other), least);
  }
}

TEST(KeepRigid, ShellsOfOnePartKeepTogether) {
  // Two triangles far apart, pulled asunder: as one part they keep their distance, as two they do not.
  const Points rest = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {5, 0, 0}, {6, 0, 0}, {5, 1, 0}};
  Points pulled = rest;
  for (int v : {3, 4, 5}) pulled[v].x() += 2;
  Points one = pulled, two = pulled;
  keep_rigid({{0, 1, 2, 3, 4, 5}}, rest, one);
  keep_rigid({{0, 1, 2}, {3, 4, 5}}, rest, two);
  EXPECT_NEAR((one[3] - one[0]).norm(), 5, 1e-12);
  EXPECT_NEAR((two[3] - two[0]).norm(), 7, 1e-12);
}

TEST(KeepRigid, SmallPartsAndSharedVertices) {
  const Points rest = random_points(6, 4, 1);
  Points x = random_points(6, 5, 1);
  const Vec3 alone = x[2], middle = 0.5 * (x[3] + x[4]);
  keep_rigid({{}, {2}, {3, 4}}, rest, x);
  EXPECT_LT((x[2] - alone).norm(), 1e-15);
  EXPECT_LT((0.5 * (x[3] + x[4]) - middle).norm(), 1e-15);
  EXPECT_NEAR((x[3] - x[4]).norm(), (rest[3] - rest[4]).norm(), 1e-12);
  EXPECT_THROW(keep_rigid({{0, 1, 2}, {2, 3, 4}}, rest, x), InputError);
}

TEST(SurfaceComponents, AreTheShells) {
  const auto shells = surface_components(9, {{5, 6, 3}, {0, 7, 1}, {7, 1, 8}, {3, 6, 5}});
  EXPECT_EQ(shells, (std::vector<std::vector<int>>{{0, 1, 7, 8}, {3, 5, 6}}));
  EXPECT_TRUE(surface_components(3, {}).empty());
}

}  // namespace
}  // namespace supple
