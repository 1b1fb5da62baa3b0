#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <random>

#include "supple/mesh/tri_mesh.h"
#include "supple/mesh/winding_number.h"

namespace supple {
namespace {

// Latitudes from `from` to 1 of a unit sphere; the whole one from 0.
TriMesh sphere(int n, double from = 0) {
  TriMesh mesh;
  for (int j = 0; j <= n; ++j) {
    for (int i = 0; i < 2 * n; ++i) {
      const double u = std::numbers::pi * i / n;
      const double v = std::numbers::pi * (from + (1 - from) * static_cast<double>(j) / n - 0.5);
      mesh.vertices.push_back({std::cos(u) * std::cos(v), std::sin(u) * std::cos(v), std::sin(v)});
    }
  }
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < 2 * n; ++i) {
      const int a = 2 * n * j + i, b = 2 * n * j + (i + 1) % (2 * n);
      mesh.triangles.push_back({a, b, b + 2 * n});
      mesh.triangles.push_back({a, b + 2 * n, a + 2 * n});
    }
  }
  return mesh;
}

Points random_points(int n, double reach) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> unit(-reach, reach);
  Points points;
  for (int i = 0; i < n; ++i) points.push_back({unit(random), unit(random), unit(random)});
  return points;
}

TEST(WindingNumber, SolidAngleOfAnOctant) {
  const double share = solid_angle_share(Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ());
  EXPECT_NEAR(share, 1.0 / 8, 1e-15);
  EXPECT_NEAR(solid_angle_share(Vec3::UnitY(), Vec3::UnitX(), Vec3::UnitZ()), -1.0 / 8, 1e-15);
  EXPECT_EQ(solid_angle_share(Vec3::Zero(), Vec3::Zero(), Vec3::Zero()), 0);
}

TEST(WindingNumber, ClosedSphere) {
  const TriMesh ball = sphere(20);
  const WindingNumber w(ball.vertices, ball.triangles);
  for (const Vec3& p : random_points(500, 1.6)) {
    if (std::abs(p.norm() - 1) < 0.02) continue;
    const double expected = p.norm() < 1 ? 1 : 0;
    EXPECT_NEAR(w.exact(p), expected, 1e-12);
    EXPECT_NEAR(w(p), expected, 0.01);
  }
  EXPECT_NEAR(w({50, 20, -10}), 0, 1e-6);
}

TEST(WindingNumber, TwiceAndInsideOut) {
  TriMesh ball = sphere(12);
  std::vector<Tri> twice = ball.triangles, reversed;
  twice.insert(twice.end(), ball.triangles.begin(), ball.triangles.end());
  for (const Tri& t : ball.triangles) reversed.push_back({t[0], t[2], t[1]});
  const WindingNumber two(ball.vertices, twice), minus(ball.vertices, reversed);
  EXPECT_NEAR(two({0.1, 0.2, 0.3}), 2, 0.02);
  EXPECT_NEAR(minus({0.1, 0.2, 0.3}), -1, 0.01);
  EXPECT_NEAR(two.exact({0.1, 0.2, 0.3}), 2, 1e-12);
  EXPECT_NEAR(minus.exact({0.1, 0.2, 0.3}), -1, 1e-12);
}

TEST(WindingNumber, OpenHemisphere) {
  // On the axis at height z the missing disk of radius 1 takes (1 - |z| / sqrt(1 + z^2)) / 2 of the view.
  const TriMesh half = sphere(60, 0.5);
  const WindingNumber w(half.vertices, half.triangles);
  for (double z : {0.02, 0.3, 0.7, 0.95}) {
    const double disk = 0.5 * (1 - z / std::hypot(1, z));
    EXPECT_NEAR(w.exact({0, 0, z}), 1 - disk, 2e-3) << z;
    EXPECT_NEAR(w({0, 0, z}), 1 - disk, 0.01) << z;
    EXPECT_NEAR(w.exact({0, 0, -z}), disk, 2e-3) << z;
  }
  EXPECT_NEAR(w.exact({0, 0, 0}), 0.5, 1e-9);
}

TEST(WindingNumber, FastIsNearExact) {
  TriMesh soup;
  std::mt19937 random(3);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int i = 0; i < 3000; ++i) {
    const Vec3 centre(unit(random), unit(random), unit(random));
    for (int c = 0; c < 3; ++c) soup.vertices.push_back(centre + 0.05 * Vec3(unit(random), unit(random), unit(random)));
    soup.triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  const WindingNumber w(soup.vertices, soup.triangles);
  double worst = 0, sum = 0;
  const Points points = random_points(400, 1.5);
  for (const Vec3& p : points) {
    const double error = std::abs(w(p) - w.exact(p));
    worst = std::max(worst, error);
    sum += error;
  }
  EXPECT_LT(worst, 0.01);
  EXPECT_LT(sum / static_cast<double>(points.size()), 0.001);
  EXPECT_GT(worst, 1e-9);  // it is an approximation
}

TEST(WindingNumber, NothingAndDegenerate) {
  EXPECT_EQ(WindingNumber()({1, 2, 3}), 0);
  EXPECT_TRUE(WindingNumber({}, {}).empty());
  const Points one(30, Vec3(1, 1, 1));
  std::vector<Tri> tris;
  for (int i = 0; i < 10; ++i) tris.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  const WindingNumber w(one, tris);
  EXPECT_EQ(w({0, 0, 0}), 0);
  EXPECT_EQ(w({1, 1, 1}), 0);
}

}  // namespace
}  // namespace supple
