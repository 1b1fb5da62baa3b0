#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "supple/enrich/softness.h"

namespace supple {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A flattened box with vertices pushed about: dihedral angles far beyond a right one.
TetMesh crooked_box() {
  TetMesh mesh = make_box(6, 6, 6, {1, 1, 0.15});
  std::mt19937 random(3);
  std::uniform_real_distribution<double> push(-1, 1);
  for (Vec3& p : mesh.vertices) p += Vec3(0.05 * push(random), 0.05 * push(random), 0.007 * push(random));
  return mesh;
}

TetMesh two_boxes() {
  TetMesh mesh = make_box(2, 2, 2, {1, 1, 1});
  const TetMesh other = make_box(2, 2, 2, {1, 1, 1}, {3, 0, 0});
  const int n = mesh.n_vertices();
  mesh.vertices.insert(mesh.vertices.end(), other.vertices.begin(), other.vertices.end());
  for (Tet t : other.tets) {
    for (int& v : t) v += n;
    mesh.tets.push_back(t);
  }
  return mesh;
}

TEST(DriveFactor, IsTheTangentOfTheWeight) {
  for (double s : {0.01, 0.2, 0.4999, 0.5, 0.5001, 0.73, 0.999}) {
    const double factor = drive_factor(s);
    EXPECT_NEAR(factor, std::tan(M_PI / 2 * (1 - s)), 1e-13 * (1 + factor)) << s;
  }
  EXPECT_NEAR(drive_factor(1.0 / 3), std::sqrt(3.0), 1e-15);
  EXPECT_DOUBLE_EQ(drive_factor(1e-12), 1 / (M_PI_2 * 1e-12));
}

TEST(DriveFactor, EndsAreExactAndBeyondThemNothingChanges) {
  EXPECT_EQ(drive_factor(1), 0);
  EXPECT_EQ(drive_factor(1.5), 0);
  EXPECT_EQ(drive_factor(0), kInfinity);
  EXPECT_EQ(drive_factor(-0.1), kInfinity);
  double last = kInfinity;
  for (int i = 1; i <= 1000; ++i) {
    const double factor = drive_factor(i / 1000.0);
    EXPECT_LT(factor, last);
    last = factor;
  }
}

TEST(SpreadValues, IsLinearBetweenOppositeFaces) {
  // Unequal cells, so that the weights matter; a box has no blunt angle.
  TetMesh mesh = make_box(6, 3, 4, {2, 0.5, 1});
  for (Vec3& p : mesh.vertices) p.x() += 0.3 * p.x() * p.x();
  double low = kInfinity, high = -kInfinity;
  for (const Vec3& p : mesh.vertices) low = std::min(low, p.x()), high = std::max(high, p.x());
  std::vector<int> known;
  std::vector<double> values;
  for (int v = 0; v < mesh.n_vertices(); ++v) {
    const double x = mesh.vertices[v].x();
    if (x == low || x == high) known.push_back(v), values.push_back(x == low ? 0.2 : 0.9);
  }
  const auto spread = spread_values(mesh, known, values, 0);
  for (int v = 0; v < mesh.n_vertices(); ++v)
    EXPECT_NEAR(spread[v], 0.2 + 0.7 * (mesh.vertices[v].x() - low) / (high - low), 5e-6);
}

TEST(SpreadValues, StaysStrictlyWithinItsNeighbours) {
  const TetMesh mesh = crooked_box();
  std::mt19937 random(5);
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<int> known;
  std::vector<double> values;
  for (int v = 0; v < mesh.n_vertices(); v += 1 + static_cast<int>(12 * unit(random))) {
    known.push_back(v);
    values.push_back(unit(random));
  }
  const auto spread = spread_values(mesh, known, values, -7);
  std::vector<double> low(mesh.vertices.size(), kInfinity), high(mesh.vertices.size(), -kInfinity);
  for (const auto& [a, b] : unique_edges(mesh.tets)) {
    for (const auto& [v, other] : {std::array{a, b}, std::array{b, a}}) {
      low[v] = std::min(low[v], spread[other]);
      high[v] = std::max(high[v], spread[other]);
    }
  }
  for (int v = 0; v < mesh.n_vertices(); ++v) {
    if (std::find(known.begin(), known.end(), v) != known.end()) continue;
    EXPECT_GT(spread[v], low[v]);
    EXPECT_LT(spread[v], high[v]);
  }
  for (size_t i = 0; i < known.size(); ++i) EXPECT_EQ(spread[known[i]], values[i]);
}

TEST(SpreadValues, AConstantIsExact) {
  const TetMesh mesh = crooked_box();
  for (double value : spread_values(mesh, {3, 100, 250}, {0.7, 0.7, 0.7}, 0)) EXPECT_EQ(value, 0.7);
}

TEST(SpreadValues, WhatIsKnownTwiceIsTheMean) {
  const TetMesh mesh = make_box(2, 2, 2, {1, 1, 1});
  const auto spread = spread_values(mesh, {4, 4, 4}, {0.25, 0.5, 0.75}, 0);
  for (double value : spread) EXPECT_EQ(value, 0.5);
}

TEST(SpreadValues, ComponentsWithoutValuesGetTheOneForElsewhere) {
  TetMesh mesh = two_boxes();
  mesh.vertices.push_back({9, 9, 9});   // in no tet
  mesh.vertices.push_back({9, 9, 10});  // in no tet, and known
  const int n = mesh.n_vertices() - 2;
  const auto spread = spread_values(mesh, {0, n + 1}, {0.3, 0.6}, 0.1);
  for (int v = 0; v < n / 2; ++v) EXPECT_EQ(spread[v], 0.3);
  for (int v = n / 2; v < n + 1; ++v) EXPECT_EQ(spread[v], 0.1);
  EXPECT_EQ(spread[n + 1], 0.6);
  for (double value : spread_values(mesh, {}, {}, 0.4)) EXPECT_EQ(value, 0.4);
}

TEST(SpreadValues, FlatTetsDoNoHarm) {
  TetMesh mesh = make_box(4, 4, 4, {1, 1, 1});
  for (Vec3& p : mesh.vertices) {
    if (p.x() == 0.5) p.x() = 0.25;  // a layer without volume
  }
  std::vector<int> known;
  std::vector<double> values;
  for (int v = 0; v < mesh.n_vertices(); ++v) {
    if (mesh.vertices[v].x() == 0 || mesh.vertices[v].x() == 1) {
      known.push_back(v);
      values.push_back(mesh.vertices[v].x());
    }
  }
  const auto spread = spread_values(mesh, known, values, 0);
  for (int v = 0; v < mesh.n_vertices(); ++v) EXPECT_NEAR(spread[v], mesh.vertices[v].x(), 0.1);
}

}  // namespace
}  // namespace supple
