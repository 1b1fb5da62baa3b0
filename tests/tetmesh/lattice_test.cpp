// The parts that cages are made of: lattice, halving, clipping, sample points.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "shapes.h"
#include "supple/mesh/quality.h"
#include "supple/tetmesh/clip.h"
#include "supple/tetmesh/graded_lattice.h"
#include "supple/tetmesh/sample_grid.h"

namespace supple {
namespace {

CubeGrid some_grid() { return {{-0.3, 0.2, 1.1}, 0.25, {8, 9, 10}}; }

std::array<Vec3, 4> corners_of(const CubeGrid& grid, const BaseTet& tet) {
  const auto t = tet.corners();
  return {grid.position(t[0]), grid.position(t[1]), grid.position(t[2]), grid.position(t[3])};
}

TEST(BaseTets, NeighboursShareAFace) {
  const CubeGrid grid = some_grid();
  for (int axis = 0; axis < 3; ++axis) {
    for (int side = 0; side < 4; ++side) {
      const BaseTet tet{{3, 4, 5}, axis, side};
      const auto c = tet.corners();
      const auto p = corners_of(grid, tet);
      EXPECT_NEAR(tet_volume(p[0], p[1], p[2], p[3]), std::pow(0.25, 3) / 12, 1e-15);
      EXPECT_EQ(key_of(grid, tet_of(grid, key_of(grid, tet))), key_of(grid, tet));
      EXPECT_EQ(key_of(grid, locate(grid, 0.25 * (p[0] + p[1] + p[2] + p[3]))), key_of(grid, tet));
      for (int f = 0; f < 4; ++f) {
        const auto other = tet.across(f).corners();
        int shared = 0;
        for (int k = 0; k < 4; ++k) {
          const bool is_there = std::find(other.begin(), other.end(), c[k]) != other.end();
          EXPECT_EQ(is_there, k != f);
          shared += is_there;
        }
        EXPECT_EQ(shared, 3);
        EXPECT_NE(key_of(grid, tet.across(f)), key_of(grid, tet));
      }
    }
  }
}

TEST(BaseTets, EveryPointIsInTheTetThatHoldsIt) {
  const CubeGrid grid = some_grid();
  std::mt19937 random(2);
  std::uniform_real_distribution<double> unit(2, 6);
  for (int i = 0; i < 2000; ++i) {
    const Vec3 p = grid.origin + grid.edge * Vec3(unit(random), unit(random), unit(random));
    const auto c = corners_of(grid, locate(grid, p));
    const Mat3 edges = (Mat3() << c[1] - c[0], c[2] - c[0], c[3] - c[0]).finished();
    const Vec3 b = edges.inverse() * (p - c[0]);
    EXPECT_GE(b.minCoeff(), -1e-12);
    EXPECT_LE(b.sum(), 1 + 1e-12);
  }
}

TEST(GradedLattice, HalvingKeepsConformityAnglesAndVolume) {
  const CubeGrid grid = some_grid();
  std::vector<int64_t> keys;
  for (int i = 1; i < 7; ++i) {
    for (int j = 1; j < 8; ++j) {
      for (int k = 1; k < 9; ++k) {
        for (int m = 0; m < 12; ++m) keys.push_back(key_of(grid, {{i, j, k}, m / 4, m % 4}));
      }
    }
  }
  std::sort(keys.begin(), keys.end());
  std::mt19937 random(4);
  std::uniform_real_distribution<double> unit(2, 6);
  for (int n : {0, 1, 5, 60}) {
    Points points;
    std::vector<double> wishes;
    for (int i = 0; i < n; ++i) {
      points.push_back(grid.origin + grid.edge * Vec3(unit(random), unit(random), unit(random)));
      wishes.push_back(grid.edge * (i % 3 == 0 ? 0.01 : 0.4));
    }
    GradedLattice lattice(grid, keys);
    lattice.refine(points, wishes);
    TetMesh mesh;
    for (size_t v = 0; v < lattice.vertices().size(); ++v)
      mesh.vertices.push_back(lattice.position(static_cast<int>(v)));
    double volume = 0;
    int finest = 0;
    for (const LeafTet& t : lattice.tets()) {
      mesh.tets.push_back(t.vertex);
      volume += lattice.volume(t);
      finest = std::max(finest, t.halvings);
    }
    EXPECT_EQ(finest, n == 0 ? 0 : kMaxHalvings);
    const QualityReport q = measure_quality(mesh);
    EXPECT_NO_THROW(require_simulable(mesh, "lattice"));
    EXPECT_GE(q.min_dihedral_deg, (n == 0 ? 60 : 45) - 1e-9);
    EXPECT_LE(q.max_dihedral_deg, (n == 0 ? 90 : 120) + 1e-9);
    EXPECT_NEAR(q.volume, static_cast<double>(keys.size()) * std::pow(grid.edge, 3) / 12, 1e-12);
    EXPECT_NEAR(q.volume, volume, 1e-12);
    // No hanging vertices: the boundary has the area that it had before, in faces used once.
    double area = 0;
    for (const Tri& t : boundary_triangles(mesh.tets)) {
      area += 0.5 * (mesh.vertices[t[1]] - mesh.vertices[t[0]]).cross(mesh.vertices[t[2]] - mesh.vertices[t[0]]).norm();
    }
    static double first_area = 0;
    if (n == 0) first_area = area;
    EXPECT_NEAR(area, first_area, 1e-9);
    // Each point has a tet as fine as it wished, unless others in there outvoted it.
    if (n == 1) {
      EXPECT_GT(q.n_tets, static_cast<int>(keys.size()) + 6);
    }
  }
}

TEST(SampleGrid, SmallTetsFillTheTet) {
  const SampleGrid& grid = SampleGrid::get();
  const std::array<Vec3, 4> corner{Vec3(0, 0, 0), Vec3(1, 0.1, 0), Vec3(0.2, 1, 0), Vec3(0.3, 0.2, 1)};
  const auto point = [&](int p) {
    Vec3 x = Vec3::Zero();
    for (int c = 0; c < 4; ++c) x += 0.25 * grid.share[p][c] * corner[c];
    return x;
  };
  const double whole = tet_volume(corner[0], corner[1], corner[2], corner[3]);
  for (const auto& t : grid.tets)
    EXPECT_NEAR(std::abs(tet_volume(point(t[0]), point(t[1]), point(t[2]), point(t[3]))), whole / 64, 1e-15);
  std::vector<Tet> tets(grid.tets.begin(), grid.tets.end());
  EXPECT_EQ(boundary_triangles(tets).size(), 4u * 16);
  EXPECT_EQ(unique_edges(tets).size(), grid.edges.size());
  for (int f = 0; f < 4; ++f) EXPECT_EQ(grid.on_face[f].size(), 15u);
  for (int p = 0; p < SampleGrid::kPoints; ++p) EXPECT_EQ(grid.index(grid.share[p]), p);
}

TEST(Clip, AreasAddUpOverALattice) {
  const CubeGrid grid{Vec3::Constant(-1), 0.3, {8, 8, 8}};
  std::mt19937 random(6);
  std::uniform_real_distribution<double> unit(-0.3, 0.8);
  for (int n = 0; n < 20; ++n) {
    std::array<Vec3, 3> triangle;
    for (Vec3& v : triangle) v = {unit(random), unit(random), unit(random)};
    const double area = 0.5 * (triangle[1] - triangle[0]).cross(triangle[2] - triangle[0]).norm();
    double sum = 0;
    unsigned edges = 0;
    for (int64_t key = 0; key < grid.n[0] * grid.n[1] * grid.n[2] * 12; ++key) {
      const Clipped c = clip(TetPlanes(corners_of(grid, tet_of(grid, key))), triangle, 0);
      if (!c.any) continue;
      sum += c.area;
      edges |= c.edges;
      if (c.area < area - 1e-9) {
        EXPECT_NE(c.faces, 0u);
      }
    }
    EXPECT_NEAR(sum, area, 1e-10);
    EXPECT_EQ(edges, 7u);
  }
}

TEST(Clip, LinesThroughEdgesAreCountedOnce) {
  // Straight through a point of an edge, in numbers without rounding: one of the two triangles there is hit.
  const TriMesh surface = shapes::blocks({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}}, {{{0, 1, 2}, {0, 1, 2}, {0, 1}}});
  std::mt19937 random(8);
  std::uniform_int_distribution<int> part(1, 15), along(-255, 255);
  for (int n = 0; n < 3000; ++n) {
    const Tri& own = surface.triangles[n % surface.triangles.size()];
    const Vec3 &a = surface.vertices[own[n % 3]], &b = surface.vertices[own[(n + 1) % 3]];
    const Vec3 on_edge = a + part(random) / 16.0 * (b - a);
    const Vec3 d = Vec3(2 * along(random) + 1, 2 * along(random) + 1, 2 * along(random) + 1) / 32;  // in no face
    int sum = 0, hits = 0;
    for (const Tri& t : surface.triangles) {
      const std::array<Vec3, 3> c{surface.vertices[t[0]], surface.vertices[t[1]], surface.vertices[t[2]]};
      const Vec3 normal = (c[1] - c[0]).cross(c[2] - c[0]).normalized();
      double at = 0;
      if (!passes_through(on_edge - d, on_edge + d, c, t, normal, at)) continue;
      sum += normal.dot(d) > 0 ? 1 : -1;
      hits += std::abs(at - 0.5) < 1e-12;
    }
    if (d.norm() < 3) continue;  // may end inside
    EXPECT_EQ(sum, 0) << on_edge.transpose() << " along " << d.transpose();
    EXPECT_LE(hits, 2);
  }
}

}  // namespace
}  // namespace supple
