#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>

#include "supple/io/polygon.h"

namespace supple {
namespace {

// x, y of the outline in a slanted plane.
Points slanted(int n, const std::function<Eigen::Vector2d(double)>& at) {
  const Vec3 a = Vec3(1, 2, 0).normalized(), b = Vec3(0, 0, 1).cross(a);
  Points out;
  for (int i = 0; i < n; ++i) {
    const Eigen::Vector2d x = at(2 * std::numbers::pi * i / n);
    out.push_back(Vec3(3, 1, -2) + x.x() * a + x.y() * b);
  }
  return out;
}

// Nothing turned over, and as much area as the outline has: then nothing overlaps either. And every corner is there.
void expect_tiled(const Points& p) {
  std::vector<std::array<double, 2>> x;
  for (const Vec3& at : p) x.push_back({at.x(), at.y()});
  const auto signed_area = [&](size_t a, size_t b, size_t c) {
    return ((x[b][0] - x[a][0]) * (x[c][1] - x[a][1]) - (x[b][1] - x[a][1]) * (x[c][0] - x[a][0])) / 2;
  };
  const std::vector<Tri> triangles = triangulate(p);
  ASSERT_EQ(triangles.size(), p.size() - 2);
  double area = 0, parts = 0, least = 0;
  for (size_t i = 1; i + 1 < p.size(); ++i) area += signed_area(0, i, i + 1);
  std::vector<char> used(p.size(), 0);
  for (const Tri& t : triangles) {
    const double one = signed_area(static_cast<size_t>(t[0]), static_cast<size_t>(t[1]), static_cast<size_t>(t[2]));
    parts += one, least = std::min(least, one);
    for (int v : t) used[static_cast<size_t>(v)] = 1;
  }
  EXPECT_GT(least, -1e-12);
  EXPECT_NEAR(parts, area, 1e-9 * std::abs(area));
  EXPECT_EQ(std::count(used.begin(), used.end(), 0), 0);
}

Eigen::Vector2d around(double angle, double r) { return r * Eigen::Vector2d(std::cos(angle), std::sin(angle)); }

// As many as checked addresses leave time for; tests/scenes/test_trust.cpp has 300,000.
constexpr int kMany = 3'000;

TEST(LargePolygon, ManyCornersOnACircle) {
  expect_tiled(slanted(kMany, [](double t) { return around(t, 2); }));
}

TEST(LargePolygon, ManyCornersInAndOut) {
  expect_tiled(slanted(kMany, [](double t) { return around(t, 2 + 0.7 * std::cos(5 * t)); }));
  expect_tiled(slanted(kMany, [](double t) { return around(t, 2 + 0.01 * std::cos(300 * t)); }));
}

TEST(LargePolygon, ASpiralAndAComb) {
  // In along one side of the band, out along the other.
  expect_tiled(slanted(2'000, [](double t) {
    const double s = t / std::numbers::pi, u = s < 1 ? s : 2 - s;  // 0, 1, 0
    return around(40 * u, (s < 1 ? 1 : 0.95) + 2 * (1 - u) * (s < 1 ? 1 : 0.97));
  }));
  Points comb;
  constexpr int kTeeth = 500;
  comb.push_back(Vec3(0, -1, 0)), comb.push_back(Vec3(2 * kTeeth, -1, 0));
  for (int k = 2 * kTeeth; k >= 0; --k) comb.push_back(Vec3(k, k % 2 ? 5 : 0, 0));
  expect_tiled(comb);
}

TEST(LargePolygon, AsManyTrianglesOfWhatIsHopeless) {
  uint64_t state = 1;
  const auto dice = [&] {
    return static_cast<double>((state = state * 6364136223846793005ull + 1442695040888963407ull) >> 40);
  };
  Points tangle;
  for (int i = 0; i < 1'000; ++i) tangle.push_back(Vec3(dice(), dice(), dice()));
  EXPECT_EQ(triangulate(tangle).size(), tangle.size() - 2);
  EXPECT_EQ(triangulate(Points(1000, Vec3(1, 2, 3))).size(), 998u);
  for (Vec3& x : tangle) x = Vec3(x.x(), 0, 0);
  EXPECT_EQ(triangulate(tangle).size(), tangle.size() - 2);
  for (Vec3& x : tangle) x *= 1e300;
  EXPECT_EQ(triangulate(tangle).size(), tangle.size() - 2);
}

// A convex one is the same fan on both sides of the number from where on a tree helps.
TEST(LargePolygon, ConvexOnesAreFansWhateverTheirSize) {
  for (int n : {5, 64, 65, 200}) {
    const std::vector<Tri> triangles = triangulate(slanted(n, [](double t) { return around(t, 1); }));
    ASSERT_EQ(triangles.size(), static_cast<size_t>(n - 2));
    for (int k = 0; k < n - 2; ++k) EXPECT_EQ(triangles[static_cast<size_t>(k)], (Tri{0, k + 1, k + 2})) << n;
  }
}

}  // namespace
}  // namespace supple
