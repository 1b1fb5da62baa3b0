#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>

#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "supple/rigspace/surface_map.h"

namespace supple {
namespace {

// Points of a sphere, evenly spread.
Points ball(int n, double radius = 1, const Vec3& centre = Vec3::Zero()) {
  Points points;
  for (int i = 0; i < n; ++i) {
    const double z = 1 - (2 * i + 1.0) / n, angle = 2.399963229728653 * i, r = std::sqrt(1 - z * z);
    points.emplace_back(centre + radius * Vec3(r * std::cos(angle), r * std::sin(angle), z));
  }
  return points;
}

// A grid on the faces of a box from 0 to `size`.
Points box_faces(const Vec3& size, double spacing) {
  Points points;
  const Eigen::Vector3i n = (size / spacing).array().round().cast<int>();
  for (int i = 0; i <= n.x(); ++i) {
    for (int j = 0; j <= n.y(); ++j) {
      for (int k = 0; k <= n.z(); ++k) {
        if (i > 0 && i < n.x() && j > 0 && j < n.y() && k > 0 && k < n.z()) continue;
        points.emplace_back(i * spacing, j * spacing, k * spacing);
      }
    }
  }
  return points;
}

Points moved(const Points& points, const Eigen::Affine3d& map) {
  Points out;
  for (const Vec3& x : points) out.emplace_back(map * x);
  return out;
}

Eigen::Affine3d some_map() {
  Eigen::Affine3d map = Eigen::Affine3d::Identity();
  map.linear() << 1.2, 0.3, -0.1, -0.4, 0.9, 0.2, 0.1, 0.5, 1.4;
  map.translation() << 0.3, -2, 1;
  return map;
}

double worst(const VecX& a, const VecX& b) { return (a - b).lpNorm<Eigen::Infinity>(); }

TEST(SurfaceMap, IsTheIdentityOnPointsOfTheSurface) {
  const Points surface = ball(300);
  const SurfaceMapFit fit = fit_surface_map(surface, surface, 0.2);
  EXPECT_EQ(fit.coincident, 300);
  EXPECT_EQ(fit.map.apply(flatten(surface)), flatten(surface));
  EXPECT_EQ(fit.map.point, identity_map(300).point);
  EXPECT_EQ(fit.map.first, identity_map(300).first);
  EXPECT_EQ(fit.reproduction_m, 0);
}

TEST(SurfaceMap, ReproducesAffineMaps) {
  const Points surface = ball(2000);
  Points targets;
  for (const double radius : {0.8, 0.93, 0.999, 1.05, 1.2, 1.3}) {
    for (const Vec3& x : ball(60, radius)) targets.push_back(x);
  }
  const SurfaceMapFit fit = fit_surface_map(surface, targets, 0.25);
  EXPECT_EQ(fit.coincident, 0);
  EXPECT_EQ(fit.flat, 0);
  EXPECT_LT(fit.reproduction_m, 1e-12);
  EXPECT_LT(worst(fit.map.apply(flatten(moved(surface, some_map()))), flatten(moved(targets, some_map()))), 1e-11);
  EXPECT_GT(fit.largest_weight, 0.01);
  EXPECT_LT(fit.largest_weight, 1.5);
  for (int k = 0; k < fit.map.n_rows(); ++k) {
    const auto row = static_cast<size_t>(k);
    EXPECT_GE(fit.map.first[row + 1] - fit.map.first[row], 8);
    EXPECT_LE(fit.map.first[row + 1] - fit.map.first[row], 120);
    double sum = 0;
    for (int i = fit.map.first[row]; i < fit.map.first[row + 1]; ++i)
      sum += std::abs(fit.map.weight[static_cast<size_t>(i)]);
    EXPECT_LT(sum, 4.0001);
  }
}

// A smooth motion is followed to second order in the edge on the surface, to first order beside it: what goes on across
// a surface, its motion says only by how the surface bends.
TEST(SurfaceMap, FollowsSmoothMotions) {
  const auto bent = [](const Points& points) {
    Points out;
    for (const Vec3& x : points) {
      out.emplace_back(x.x() + 0.3 * std::sin(2 * x.y()), x.y(), x.z() + 0.2 * x.x() * x.x());
    }
    return flatten(out);
  };
  const Points surface = ball(8000);
  std::vector<double> on, beside;
  for (const double edge : {0.4, 0.2, 0.1}) {
    const Points targets = ball(37), off = ball(37, 1 + 0.3 * edge);
    on.push_back(worst(fit_surface_map(surface, targets, edge).map.apply(bent(surface)), bent(targets)));
    beside.push_back(worst(fit_surface_map(surface, off, edge).map.apply(bent(surface)), bent(off)));
  }
  EXPECT_LT(on[0], 0.002);
  EXPECT_LT(on[1], 0.5 * on[0]);
  EXPECT_LT(on[2], 0.4 * on[1]);
  EXPECT_LT(beside[0], 0.06);
  EXPECT_LT(beside[1], 0.6 * beside[0]);
  EXPECT_LT(beside[2], 0.7 * beside[1]);
}

// Beside the middle of a large flat face nothing near says what goes on across it: the neighbourhood grows until
// something does, and weights stay small.
TEST(SurfaceMap, LooksFartherBesideFlatFaces) {
  const Points surface = box_faces({4, 4, 1}, 0.1);
  const Points targets = {{2, 2, 1.1}, {2, 2, -0.2}, {2.03, 1.97, 0.9}, {0.5, 3.5, 1.15}, {4.1, 4.1, 1.1}};
  const SurfaceMapFit fit = fit_surface_map(surface, targets, 0.2);
  EXPECT_EQ(fit.flat, 0);
  EXPECT_LT(fit.reproduction_m, 1e-12);
  EXPECT_LT(fit.largest_weight, 1.5);
  EXPECT_LT(worst(fit.map.apply(flatten(moved(surface, some_map()))), flatten(moved(targets, some_map()))), 1e-11);
}

TEST(SurfaceMap, SaysWhereAllIsFlat) {
  Points surface;
  for (int i = 0; i < 400; ++i) surface.emplace_back(0.1 * (i % 20), 0.1 * (i / 20), 0.3);
  const SurfaceMapFit fit = fit_surface_map(surface, {{1.02, 0.97, 0.4}, {0.51, 0.52, 0.3}}, 0.25);
  EXPECT_EQ(fit.flat, 2);
  EXPECT_NEAR(fit.reproduction_m, 0.1,
              1e-9);  // what is above the plane falls onto it
  const VecX x = fit.map.apply(flatten(surface));
  EXPECT_LT((x - flatten({{1.02, 0.97, 0.3}, {0.51, 0.52, 0.3}})).norm(), 1e-9);
}

TEST(SurfaceMap, KeepsToItsPart) {
  Points surface = ball(500);
  const Points other = ball(500, 1, {2.02, 0, 0});  // nearly touches
  std::vector<int> parts(500, 7);
  surface.insert(surface.end(), other.begin(), other.end());
  parts.insert(parts.end(), 500, 9);
  const Points targets = {{1.01, 0, 0.01}, {1.01, 0, 0.01}};
  const SurfaceMapFit fit = fit_surface_map(surface, targets, 0.3, parts, {7, 9});
  for (size_t k = 0; k < 2; ++k) {
    for (int i = fit.map.first[k]; i < fit.map.first[k + 1]; ++i) {
      EXPECT_EQ(parts[static_cast<size_t>(fit.map.point[static_cast<size_t>(i)])], k == 0 ? 7 : 9);
    }
  }
  EXPECT_LT(fit.reproduction_m, 1e-12);
  EXPECT_THROW(fit_surface_map(surface, targets, 0.3, parts, {7, 8}), InputError);
  EXPECT_THROW(fit_surface_map(surface, targets, 0.3, parts, {7}), InputError);
  EXPECT_THROW(fit_surface_map({}, targets, 0.3), InputError);
  // Points of both parts at one place: each goes with its own.
  surface[0] = surface[500];
  const SurfaceMapFit same = fit_surface_map(surface, {surface[0], surface[0]}, 0.3, parts, {9, 7});
  EXPECT_EQ(same.coincident, 2);
  EXPECT_EQ(same.map.point, (std::vector<int>{500, 0}));
}

// A surface drawn finely on one side leans rows no way, and rows stay short.
TEST(SurfaceMap, ThinsWhatIsDense) {
  Points surface = ball(2000);
  for (const Vec3& x : ball(40000)) {
    if (x.x() > 0) surface.push_back(x);
  }
  const SurfaceMapFit fit = fit_surface_map(surface, ball(200, 1.02), 0.3);
  size_t longest = 0;
  for (size_t k = 0; k < 200; ++k)
    longest = std::max(longest, static_cast<size_t>(fit.map.first[k + 1] - fit.map.first[k]));
  EXPECT_LE(longest, 120u);
  EXPECT_LT(fit.map.used().size(), 2500u);
  EXPECT_LT(fit.reproduction_m, 1e-12);
}

TEST(SurfaceMap, TransposeAndTheUsedPoints) {
  const Points surface = ball(900);
  const SurfaceMap map = fit_surface_map(surface, ball(30, 1.05), 0.3).map;
  std::mt19937 random(2);
  std::uniform_real_distribution<double> entry(-1, 1);
  VecX s(2700), f(90);
  for (double& x : s) x = entry(random);
  for (double& x : f) x = entry(random);
  EXPECT_NEAR(map.apply(s).dot(f), map.transpose(f).dot(s), 1e-12);
  MatX both(2700, 2);
  both << s, 2 * s;
  EXPECT_EQ(map.apply(both).col(0), map.apply(s));
  EXPECT_EQ(map.apply(both).col(1), map.apply(VecX(2 * s)));

  const std::vector<int> used = map.used();
  const SurfaceMap fewer = map.over_used();
  ASSERT_EQ(fewer.n_points, static_cast<int>(used.size()));
  EXPECT_LT(fewer.n_points, 900);
  VecX s_used(3 * fewer.n_points);
  for (size_t i = 0; i < used.size(); ++i) {
    s_used.segment<3>(static_cast<Eigen::Index>(3 * i)) = s.segment<3>(3 * used[i]);
  }
  EXPECT_EQ(fewer.apply(s_used), map.apply(s));
}

TEST(SurfaceMap, SameBitsForAnyThreads) {
  const Points surface = ball(3000), targets = ball(200, 1.1);
  const int before = thread_count();
  set_thread_count(1);
  const SurfaceMap one = fit_surface_map(surface, targets, 0.2).map;
  set_thread_count(3);
  const SurfaceMap three = fit_surface_map(surface, targets, 0.2).map;
  set_thread_count(before);
  EXPECT_EQ(one.weight, three.weight);
  EXPECT_EQ(one.point, three.point);
}

}  // namespace
}  // namespace supple
