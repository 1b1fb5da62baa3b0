#include "supple/mesh/tet_mesh.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <map>
#include <random>

#include "supple/base/error.h"

namespace supple {
namespace {

double total(const std::vector<double>& values) {
  double sum = 0;
  for (double v : values) sum += v;
  return sum;
}

// Volume inside a closed surface by the divergence theorem; negative when it is oriented inwards.
double enclosed_volume(const Points& vertices, const std::vector<Tri>& triangles) {
  double sum = 0;
  for (const Tri& t : triangles) sum += vertices[t[0]].dot(vertices[t[1]].cross(vertices[t[2]])) / 6;
  return sum;
}

bool closed(const std::vector<Tri>& triangles) {
  std::map<std::array<int, 2>, int> balance;
  for (const Tri& t : triangles) {
    for (int i = 0; i < 3; ++i) {
      const int a = t[i], b = t[(i + 1) % 3];
      balance[{std::min(a, b), std::max(a, b)}] += a < b ? 1 : -1;
    }
  }
  return std::all_of(balance.begin(), balance.end(), [](auto& e) { return e.second == 0; });
}

std::map<Tri, int> face_counts(const std::vector<Tet>& tets) {
  std::map<Tri, int> count;
  for (const Tet& t : tets) {
    for (int skip = 0; skip < 4; ++skip) {
      Tri f = {t[(skip + 1) % 4], t[(skip + 2) % 4], t[(skip + 3) % 4]};
      std::sort(f.begin(), f.end());
      ++count[f];
    }
  }
  return count;
}

TetMesh shaken_box(unsigned seed) {
  TetMesh mesh = make_box(3, 2, 4, Vec3(3, 2, 4), Vec3(-1, 5, 2));
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> shift(-0.15, 0.15);
  for (Vec3& v : mesh.vertices) v += Vec3(shift(random), shift(random), shift(random));
  // The box lists every tet from one end of its diagonal to the other; here each corner comes at each place.
  for (size_t i = 0; i < mesh.tets.size(); ++i) {
    const auto [a, b, c, d] = mesh.tets[i];
    const std::array<Tet, 4> even = {{{a, b, c, d}, {b, a, d, c}, {c, d, a, b}, {d, c, b, a}}};
    mesh.tets[i] = even[i % 4];
  }
  return mesh;
}

TEST(TetMesh, VolumeIsSigned) {
  const Vec3 o = Vec3::Zero(), x = Vec3::UnitX(), y = Vec3::UnitY(), z = Vec3::UnitZ();
  EXPECT_DOUBLE_EQ(tet_volume(o, x, y, z), 1.0 / 6);
  EXPECT_DOUBLE_EQ(tet_volume(o, y, x, z), -1.0 / 6);
  EXPECT_DOUBLE_EQ(tet_volume(o, 2 * x, 3 * y, 5 * z), 5.0);
}

TEST(TetMesh, BoxIsAsDocumented) {
  const TetMesh box = make_box(3, 2, 4, Vec3(0.3, 0.4, 2), Vec3(1, 2, 3));
  EXPECT_EQ(box.n_tets(), 6 * 3 * 2 * 4);
  ASSERT_EQ(box.n_vertices(), 4 * 3 * 5);
  EXPECT_NEAR((box.vertices[(2 * 3 + 1) * 5 + 3] - Vec3(1.2, 2.2, 4.5)).norm(), 0, 1e-15);
  EXPECT_EQ(box.vertices.back(), Vec3(1.3, 2.4, 5));
  for (double v : tet_volumes(box)) EXPECT_NEAR(v, 0.3 * 0.4 * 2 / box.n_tets(), 1e-15);
  // Every cell is cut around its 000-111 diagonal.
  for (const Tet& t : box.tets)
    EXPECT_EQ(*std::max_element(t.begin(), t.end()) - *std::min_element(t.begin(), t.end()), 21);
  EXPECT_THROW(make_box(0, 1, 1, Vec3::Ones()), InputError);
  EXPECT_THROW(make_box(1, 1, 1, Vec3(1, 0, 1)), InputError);
}

TEST(TetMesh, BoundaryIsClosedAndOutward) {
  const TetMesh mesh = shaken_box(7);
  const std::vector<Tri> triangles = boundary_triangles(mesh.tets);
  EXPECT_EQ(triangles.size(), 4u * (3 * 2 + 2 * 4 + 3 * 4));
  EXPECT_TRUE(closed(triangles));
  EXPECT_NEAR(enclosed_volume(mesh.vertices, triangles), total(tet_volumes(mesh)), 1e-12);

  std::vector<int> source;
  TetMesh painted = mesh;
  for (int i = 0; i < mesh.n_vertices(); ++i) painted.vertex_maps["soft"].push_back(i);
  const TriMesh surface = boundary_surface(painted, &source);
  ASSERT_EQ(source.size(), surface.vertices.size());
  EXPECT_EQ(surface.n_vertices(), mesh.n_vertices() - 2 * 1 * 3);
  for (size_t i = 0; i < source.size(); ++i) {
    EXPECT_EQ(surface.vertices[i], mesh.vertices[source[i]]);
    EXPECT_EQ(surface.vertex_maps.at("soft")[i], source[i]);
  }
  EXPECT_NEAR(enclosed_volume(surface.vertices, surface.triangles), total(tet_volumes(mesh)), 1e-12);
}

TEST(TetMesh, Components) {
  TetMesh mesh = make_box(1, 1, 1, Vec3::Ones());
  const TetMesh other = make_box(2, 1, 1, Vec3::Ones(), Vec3(5, 0, 0));
  mesh.vertices.push_back(Vec3::Zero());  // unused
  const int offset = mesh.n_vertices();
  mesh.vertices.insert(mesh.vertices.end(), other.vertices.begin(), other.vertices.end());
  for (Tet t : other.tets) {
    for (int& v : t) v += offset;
    mesh.tets.push_back(t);
  }
  std::vector<int> component;
  EXPECT_EQ(connected_components(mesh, component), 2);
  for (int v = 0; v < mesh.n_vertices(); ++v) EXPECT_EQ(component[v], v < 8 ? 0 : v == 8 ? -1 : 1);
}

TEST(TetMesh, RefineKeepsVolumeAndConforms) {
  TetMesh mesh = shaken_box(11);
  for (const Vec3& v : mesh.vertices) mesh.vertex_maps["height"].push_back(v.dot(Vec3(1, -2, 3)) + 4);
  for (int i = 0; i < mesh.n_tets(); ++i) {
    mesh.tet_maps["stiff"].push_back(10 + i);
    mesh.tet_region.push_back(i % 2);
  }
  mesh.region_names = {"even", "odd"};
  std::vector<std::array<int, 2>> parents;
  const TetMesh fine = refine(mesh, &parents);

  ASSERT_EQ(fine.n_tets(), 8 * mesh.n_tets());
  ASSERT_EQ(fine.n_vertices(), mesh.n_vertices() + static_cast<int>(parents.size()));
  const std::vector<double> coarse_volumes = tet_volumes(mesh), volumes = tet_volumes(fine);
  for (int i = 0; i < fine.n_tets(); ++i) {
    EXPECT_NEAR(volumes[i], coarse_volumes[i / 8] / 8, 1e-14);
    EXPECT_EQ(fine.tet_maps.at("stiff")[i], 10 + i / 8);
    EXPECT_EQ(fine.tet_region[i], (i / 8) % 2);
  }
  EXPECT_EQ(fine.region_names, mesh.region_names);
  for (int i = 0; i < fine.n_vertices(); ++i) {
    EXPECT_NEAR(fine.vertex_maps.at("height")[i], fine.vertices[i].dot(Vec3(1, -2, 3)) + 4, 1e-13);
    if (i < mesh.n_vertices()) {
      EXPECT_EQ(fine.vertices[i], mesh.vertices[i]);
    } else {
      const auto [a, b] = parents[i - mesh.n_vertices()];
      EXPECT_EQ(fine.vertices[i], (mesh.vertices[a] + mesh.vertices[b]) / 2);
    }
  }
  // Faces of one tet only are on the boundary, four for each of the coarse ones; all others are shared by two.
  size_t single = 0;
  for (const auto& [face, n] : face_counts(fine.tets)) {
    EXPECT_LE(n, 2);
    single += n == 1;
  }
  EXPECT_EQ(single, 4 * boundary_triangles(mesh.tets).size());
}

TEST(TetMesh, RefineTakesTheShortestDiagonal) {
  // One tet stretched so that each of the three diagonals is the shortest in turn.
  for (int turn = 0; turn < 3; ++turn) {
    TetMesh mesh;
    mesh.vertices = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};
    mesh.tets = {{0, 1, 2, 3}};
    // Midpoint distance |a + b - c - d| / 2 shrinks when a,b,c,d nearly form the parallelogram a + b = c + d.
    mesh.vertices[turn + 1] *= 1.9;
    const TetMesh fine = refine(mesh);
    const auto edges = unique_edges(fine.tets);
    std::array<double, 3> length{};
    std::array<bool, 3> there{};
    for (int other = 1; other <= 3; ++other) {
      const int p = other % 3 + 1, q = p % 3 + 1;
      const Vec3 mid1 = (mesh.vertices[0] + mesh.vertices[other]) / 2, mid2 = (mesh.vertices[p] + mesh.vertices[q]) / 2;
      length[other - 1] = (mid1 - mid2).norm();
      for (const auto& e : edges) {
        const Vec3 &x = fine.vertices[e[0]], &y = fine.vertices[e[1]];
        there[other - 1] |= (x == mid1 && y == mid2) || (x == mid2 && y == mid1);
      }
    }
    const auto shortest = std::min_element(length.begin(), length.end()) - length.begin();
    for (int i = 0; i < 3; ++i) EXPECT_EQ(there[i], i == shortest) << "turn " << turn << " diagonal " << i;
  }
}

TEST(TriMesh, NormalsOfASphereAndOfNothing) {
  const Points corners = {Vec3(1, 0, 0),  Vec3(0, 1, 0),  Vec3(0, 0, 1), Vec3(-1, 0, 0),
                          Vec3(0, -1, 0), Vec3(0, 0, -1), Vec3(9, 9, 9)};
  const std::vector<Tri> octahedron = {{0, 1, 2}, {1, 3, 2}, {3, 4, 2}, {4, 0, 2},
                                       {1, 0, 5}, {3, 1, 5}, {4, 3, 5}, {0, 4, 5}};
  const Points normals = vertex_normals(corners, octahedron);
  for (int i = 0; i < 6; ++i) EXPECT_NEAR((normals[i] - corners[i]).norm(), 0, 1e-15);
  EXPECT_EQ(normals[6], Vec3::UnitZ());
  EXPECT_DOUBLE_EQ(longest_side({Vec3(0, 0, 0), Vec3(1, -4, 2)}), 4);
  EXPECT_EQ(longest_side({}), 0);
}

// Two tets of one size share a face: which group its corners are in is not for rounding to say, whichever is larger by
// it.
TEST(Groups, TiesGoToTheFirst) {
  for (const double stretch : {1 - 1e-9, 1.0, 1 + 1e-9}) {
    TetMesh mesh;
    mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -stretch}};
    mesh.tets = {{0, 1, 2, 3}, {0, 2, 1, 4}};
    EXPECT_EQ(groups_of_vertices(mesh, {0, 1}), (std::vector<int>{0, 0, 0, 0, 1}));
    EXPECT_EQ(groups_of_vertices(mesh, {1, 0}), (std::vector<int>{0, 0, 0, 1, 0}));
  }
  TetMesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1.01}};
  mesh.tets = {{0, 1, 2, 3}, {0, 2, 1, 4}};
  EXPECT_EQ(groups_of_vertices(mesh, {0, 1}), (std::vector<int>{1, 1, 1, 0, 1}));
}

}  // namespace
}  // namespace supple
