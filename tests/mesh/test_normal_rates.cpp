// Normals of a moving surface, against differences.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "supple/mesh/normal_rates.h"

namespace supple {
namespace {

TriMesh bumpy() {
  TriMesh mesh;
  constexpr int n = 6;
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= n; ++j) mesh.vertices.emplace_back(i, 0.3 * std::sin(i + 0.7 * j), j + 0.1 * i * i);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const int a = i * (n + 1) + j;
      mesh.triangles.push_back({a, a + 1, a + n + 1});
      mesh.triangles.push_back({a + 1, a + n + 2, a + n + 1});
    }
  return mesh;
}

TEST(NormalRates, are_the_slopes_of_normals) {
  const TriMesh mesh = bumpy();
  Points rates, moved = mesh.vertices;
  constexpr double e = 1e-6;
  for (size_t i = 0; i < moved.size(); ++i) {
    const double s = static_cast<double>(i);
    rates.emplace_back(std::sin(2 * s), std::cos(s), std::sin(s * s));
    moved[i] += e * rates[i];
  }
  const Points before = vertex_normals(mesh.vertices, mesh.triangles), after = vertex_normals(moved, mesh.triangles);
  const Points turns = normal_turns(mesh.vertices, mesh.triangles, rates);
  for (size_t i = 0; i < moved.size(); ++i)
    EXPECT_LT((turns[i].cross(before[i]) - (after[i] - before[i]) / e).norm(), 1e-4);
}

TEST(NormalRates, follow_a_turn_of_the_whole_and_not_a_shift) {
  const TriMesh mesh = bumpy();
  const Vec3 axis(0.3, -0.2, 0.5);
  Points turning, shifting;
  for (const Vec3& x : mesh.vertices) turning.push_back(axis.cross(x)), shifting.emplace_back(1, 2, 3);
  const Points normals = vertex_normals(mesh.vertices, mesh.triangles);
  const Points turns = normal_turns(mesh.vertices, mesh.triangles, turning);
  for (size_t i = 0; i < turns.size(); ++i)
    EXPECT_LT((turns[i].cross(normals[i]) - axis.cross(normals[i])).norm(), 1e-12);
  for (const Vec3& t : normal_turns(mesh.vertices, mesh.triangles, shifting)) EXPECT_LT(t.norm(), 1e-12);
}

}  // namespace
}  // namespace supple
