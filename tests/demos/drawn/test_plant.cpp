// The withering plant: its sheets, ripples that can be told from the motion under them, and a pot in the way.
#include "supple/demos/drawn/plant.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <numbers>

#include "supple/base/error.h"

namespace supple {

using namespace demos;
namespace {

constexpr double kPi = std::numbers::pi;

const DrawnAnimation& plant() {
  static const DrawnAnimation p = make_plant();
  return p;
}
const DrawnAnimation& smooth_plant() {
  static const DrawnAnimation p = make_plant({.ripples = false});
  return p;
}
const Vec3& at(const Points& x, int v) { return x[static_cast<size_t>(v)]; }

std::map<std::pair<int, int>, int> directed_edges(const std::vector<Tri>& triangles) {
  std::map<std::pair<int, int>, int> edges;
  for (const Tri& t : triangles)
    for (int c = 0; c < 3; ++c) ++edges[{t[c], t[(c + 1) % 3]}];
  return edges;
}

// Edges of one mesh through triangles of another, or of the same where they share no vertex.
int crossings(const Points& x, const std::vector<Tri>& edges_of, const Points& y, const std::vector<Tri>& through,
              bool same) {
  int n = 0;
  for (const auto& [edge, count] : directed_edges(edges_of)) {
    const Vec3 &a = at(x, edge.first), d = at(x, edge.second) - a;
    for (const Tri& t : through) {
      if (same && (std::find(t.begin(), t.end(), edge.first) != t.end() ||
                   std::find(t.begin(), t.end(), edge.second) != t.end()))
        continue;
      const Vec3 p = at(y, t[1]) - at(y, t[0]), q = at(y, t[2]) - at(y, t[0]), normal = p.cross(q);
      const double s = (at(y, t[0]) - a).dot(normal) / d.dot(normal);
      if (!(s >= 0 && s <= 1)) continue;
      const Vec3 hit = a + s * d - at(y, t[0]);
      const double u = hit.cross(q).dot(normal), v = p.cross(hit).dot(normal);
      n += u >= 0 && v >= 0 && u + v <= normal.squaredNorm();
    }
  }
  return n;
}

TEST(Plant, HasTheSizeOfThePaper) {
  EXPECT_NEAR(plant().neutral.n_vertices(), 961, 96);
  EXPECT_NEAR(static_cast<double>(plant().neutral.triangles.size()), 1600, 160);
  EXPECT_EQ(plant().frames.size(), 120u);
  EXPECT_EQ(plant().fps, 24);
  EXPECT_EQ(plant().frames.front(), plant().neutral.vertices);
  EXPECT_THROW(make_plant({.frames = 1}), InputError);
}

TEST(Plant, LeavesAreSheetsAndTheStemIsClosed) {
  const auto edges = directed_edges(plant().neutral.triangles);
  const int stem = plant().parts.at("stem").front();
  int borders = 0;
  for (const auto& [edge, n] : edges) {
    EXPECT_EQ(n, 1);
    const bool open = edges.count({edge.second, edge.first}) == 0;
    if (open) {
      EXPECT_LT(edge.first, stem);
    }
    borders += open;
  }
  EXPECT_EQ(borders, kPlantLeaves * 2 * (kPlantLeafAlong + kPlantLeafAcross - 2));
}

TEST(Plant, OnlyTheFootOfTheStemIsHeld) {
  const std::vector<double>& soft = plant().neutral.vertex_maps.at("soft");
  int held = 0;
  for (int v = 0; v < plant().neutral.n_vertices(); ++v) {
    const auto i = static_cast<size_t>(v);
    EXPECT_GE(soft[i], 0);
    EXPECT_LE(soft[i], 1);
    EXPECT_EQ(plant().neutral.colors[i].x(), soft[i]);
    if (soft[i] > 0) continue;
    ++held;
    EXPECT_LT(plant().neutral.vertices[i].y(), 0.2);
    for (const Points& x : plant().frames) EXPECT_LT((x[i] - plant().neutral.vertices[i]).norm(), 1e-12);
  }
  EXPECT_GE(held, 14);
  for (const int v : plant().parts.at("leaves")) EXPECT_EQ(soft[static_cast<size_t>(v)], 1);
}

TEST(Plant, RipplesAreOffsetsAlongTheNormalOfTheSmoothLeaf) {
  for (const int frame : {40, 80, 119}) {
    const Points &rippled = plant().frames[static_cast<size_t>(frame)],
                 &smooth = smooth_plant().frames[static_cast<size_t>(frame)];
    const Points normals = vertex_normals(smooth, plant().neutral.triangles);
    const std::vector<double> offset = plant_ripple(frame);
    ASSERT_EQ(offset.size(), rippled.size());
    for (size_t v = 0; v < offset.size(); ++v) EXPECT_NEAR((rippled[v] - smooth[v]).norm(), std::abs(offset[v]), 1e-12);
    // Inside, normals of the triangles are those of the surface but for its bend.
    for (int leaf = 0; leaf < kPlantLeaves; ++leaf)
      for (int i = 1; i + 2 < kPlantLeafAlong; ++i)
        for (int j = 1; j + 1 < kPlantLeafAcross; ++j) {
          const int v = plant_vertex(leaf, i, j);
          const double r = offset[static_cast<size_t>(v)];
          if (std::abs(r) < 1e-4) continue;
          EXPECT_GT((at(rippled, v) - at(smooth, v)).dot(at(normals, v)) / r, 0.98) << leaf << " " << i << " " << j;
        }
  }
}

TEST(Plant, RipplesHaveTheirWaveNumber) {
  constexpr int n = kPlantLeafAlong - 1;
  const Points &rippled = plant().frames.back(), &smooth = smooth_plant().frames.back();
  const Points normals = vertex_normals(smooth, plant().neutral.triangles);
  for (int leaf = 0; leaf < kPlantLeaves; ++leaf)
    for (int j = 0; j < kPlantLeafAcross; ++j) {
      std::vector<double> power(n / 2 + 1);
      double all = 0;
      for (int k = 0; k <= n / 2; ++k) {
        std::complex<double> sum = 0;
        for (int i = 0; i < n; ++i) {
          const int v = plant_vertex(leaf, i, j);
          sum += (at(rippled, v) - at(smooth, v)).dot(at(normals, v)) * std::polar(1.0, -2 * kPi * k * i / n);
        }
        all += power[static_cast<size_t>(k)] = std::norm(sum);
      }
      const auto peak = std::max_element(power.begin(), power.end()) - power.begin();
      EXPECT_EQ(peak, kPlantRippleWaves) << leaf << " " << j;
      EXPECT_GT(power[kPlantRippleWaves - 1] + power[kPlantRippleWaves] + power[kPlantRippleWaves + 1], 0.9 * all);
      EXPECT_LT(power[0] + power[1] + power[2] + power[3], 0.01 * all);
    }
}

TEST(Plant, RipplesGrowToAFewPercentOfItsSize) {
  double before = -1;
  for (int frame = 0; frame < 120; frame += 7) {
    double sum = 0;
    for (const double r : plant_ripple(frame)) sum += r * r;
    EXPECT_GT(sum, before) << frame;
    before = sum;
  }
  double most = 0;
  for (const double r : plant_ripple(119)) most = std::max(most, std::abs(r));
  const double size = longest_side(plant().neutral.vertices);
  EXPECT_GT(most, 0.01 * size);
  EXPECT_LT(most, 0.02 * size);
  EXPECT_LE(most, kPlantRippleAmplitude);
}

TEST(Plant, DroopsWithoutJumps) {
  const Points &first = plant().frames.front(), &last = plant().frames.back();
  for (int leaf = 0; leaf < kPlantLeaves; ++leaf) {
    const int tip = plant_vertex(leaf, kPlantLeafAlong - 1, kPlantLeafAcross / 2);
    EXPECT_LT(at(last, tip).y(), at(first, tip).y() - 0.15);
  }
  double most = 0;
  for (size_t k = 1; k < plant().frames.size(); ++k)
    for (size_t v = 0; v < first.size(); ++v)
      most = std::max(most, (plant().frames[k][v] - plant().frames[k - 1][v]).norm());
  EXPECT_LT(most, 0.012);
}

TEST(Plant, MeetsThePotOnlyWhenItIsWithered) {
  const TriMesh pot = make_pot();
  const auto& triangles = plant().neutral.triangles;
  const auto through = [&](const Points& x) {
    return crossings(x, triangles, pot.vertices, pot.triangles, false) +
           crossings(pot.vertices, pot.triangles, x, triangles, false);
  };
  EXPECT_EQ(crossings(plant().frames.front(), triangles, plant().frames.front(), triangles, true), 0);
  EXPECT_EQ(through(plant().frames.front()), 0);
  EXPECT_GT(through(plant().frames.back()), 50);
}

TEST(Plant, PotIsAClosedSolidOfRevolution) {
  for (const int around : {12, 48}) {
    const TriMesh pot = make_pot(around);
    const auto edges = directed_edges(pot.triangles);
    for (const auto& [edge, n] : edges) {
      EXPECT_EQ(n, 1);
      EXPECT_TRUE(edges.count({edge.second, edge.first}));
    }
    double volume = 0;
    for (const Tri& t : pot.triangles)
      volume += at(pot.vertices, t[0]).dot(at(pot.vertices, t[1]).cross(at(pot.vertices, t[2]))) / 6;
    // Slabs between heights of the outline, pyramids with regular polygons as their base: the sum over its sides.
    const int rings = (pot.n_vertices() - 2) / around;
    double expected = 0;
    for (int r = 0; r + 1 < rings; ++r) {
      const Vec3 &p = at(pot.vertices, r * around), &q = at(pot.vertices, (r + 1) * around);
      expected += (q.y() - p.y()) * (p.z() * p.z() + p.z() * q.z() + q.z() * q.z()) / 3;
    }
    const Vec3& inner = at(pot.vertices, (rings - 1) * around);
    expected += (pot.vertices.back().y() - inner.y()) * inner.z() * inner.z() / 3;
    EXPECT_NEAR(volume, expected * around / 2 * std::sin(2 * kPi / around), 1e-12);
    EXPECT_EQ(bounding_box(pot.vertices).low.y(), 0);
  }
}

TEST(Plant, SameBitsTwice) {
  const DrawnAnimation a = make_plant({.frames = 24}), b = make_plant({.frames = 24});
  EXPECT_EQ(a.frames, b.frames);
  EXPECT_EQ(a.frames.size(), 24u);
  // Fewer frames are the same withering.
  for (size_t v = 0; v < a.frames.back().size(); ++v)
    EXPECT_LT((a.frames.back()[v] - plant().frames.back()[v]).norm(), 1e-12);
}

}  // namespace
}  // namespace supple
