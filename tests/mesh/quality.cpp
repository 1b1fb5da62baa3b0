#include "supple/mesh/quality.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "supple/base/error.h"

namespace supple {
namespace {

TetMesh two_boxes() {
  TetMesh mesh = make_box(2, 2, 2, Vec3::Ones());
  const TetMesh other = make_box(1, 1, 1, Vec3::Ones(), Vec3(3, 0, 0));
  const int offset = mesh.n_vertices();
  mesh.vertices.insert(mesh.vertices.end(), other.vertices.begin(), other.vertices.end());
  for (Tet t : other.tets) {
    for (int& v : t) v += offset;
    mesh.tets.push_back(t);
  }
  return mesh;
}

std::string fault_of(const TetMesh& mesh) {
  try {
    require_simulable(mesh, "body.msh");
  } catch (const InputError& e) {
    EXPECT_EQ(e.where().file, "body.msh");
    return e.what();
  }
  return "";
}

TEST(Quality, SoundMesh) {
  const QualityReport r = measure_quality(two_boxes());
  EXPECT_EQ(r.n_tets, 54);
  EXPECT_NEAR(r.volume, 2, 1e-14);
  EXPECT_NEAR(r.min_volume, 1.0 / 48, 1e-15);
  EXPECT_NEAR(r.max_volume, 1.0 / 6, 1e-15);
  EXPECT_EQ(r.n_components, 2);
  EXPECT_EQ(r.n_boundary_triangles, 6 * 8 + 12);
  // A cube cut around its diagonal: angles of 45, 60 and 90 degrees.
  EXPECT_NEAR(r.min_dihedral_deg, 45, 1e-12);
  EXPECT_NEAR(r.max_dihedral_deg, 90, 1e-12);
  EXPECT_NEAR(r.min_edge, 0.5, 1e-15);
  EXPECT_NEAR(r.max_edge, std::sqrt(3), 1e-15);
  int angles = 0;
  for (int n : r.dihedral_histogram) angles += n;
  EXPECT_EQ(angles, 6 * 54);
  EXPECT_EQ(r.n_slivers + r.n_nonmanifold_faces, 0);
  EXPECT_TRUE(r.inverted.empty() && r.degenerate.empty() && r.duplicate_tets.empty() && r.unused_vertices.empty());
  EXPECT_EQ(fault_of(two_boxes()), "");
}

TEST(Quality, RegularTetHasTheKnownAngle) {
  TetMesh mesh;
  mesh.vertices = {Vec3(1, 1, 1), Vec3(-1, 1, -1), Vec3(1, -1, -1), Vec3(-1, -1, 1)};
  mesh.tets = {{0, 1, 2, 3}};
  const QualityReport r = measure_quality(mesh);
  const double expected = std::acos(1.0 / 3) * 180 / M_PI;
  EXPECT_NEAR(r.min_dihedral_deg, expected, 1e-12);
  EXPECT_NEAR(r.max_dihedral_deg, expected, 1e-12);
  EXPECT_EQ(r.dihedral_histogram[7], 6);
  EXPECT_NEAR(r.mean_edge, std::sqrt(8), 1e-15);
}

TEST(Quality, SliverIsCounted) {
  TetMesh mesh;
  mesh.vertices = {Vec3(0, 0, 0), Vec3(1, 0, 0.02), Vec3(1, 1, 0), Vec3(0, 1, 0.02)};
  mesh.tets = {{0, 1, 2, 3}};
  const QualityReport r = measure_quality(mesh);
  EXPECT_EQ(r.n_slivers, 1);
  EXPECT_TRUE(r.degenerate.empty());
}

TEST(Quality, FaultsAreNamed) {
  TetMesh mesh = two_boxes();
  std::swap(mesh.tets[17][0], mesh.tets[17][1]);
  EXPECT_EQ(measure_quality(mesh).inverted, std::vector<int>{17});
  EXPECT_NE(fault_of(mesh).find("body.msh (tet 17)"), std::string::npos) << fault_of(mesh);
  EXPECT_NE(fault_of(mesh).find("1 inverted tets (17)"), std::string::npos);

  mesh = two_boxes();
  mesh.tets[5][2] = mesh.tets[5][1];
  EXPECT_EQ(measure_quality(mesh).degenerate, std::vector<int>{5});
  EXPECT_NE(fault_of(mesh).find("degenerate tets (5)"), std::string::npos);

  mesh = two_boxes();
  const Tet t = mesh.tets[9];
  mesh.tets.push_back({t[3], t[2], t[1], t[0]});
  EXPECT_EQ(measure_quality(mesh).duplicate_tets, std::vector<int>{54});
  EXPECT_NE(fault_of(mesh).find("duplicate tets (54)"), std::string::npos);

  // A third tet on an inner face.
  mesh = two_boxes();
  mesh.vertices.push_back(Vec3(0.3, 0.2, 0.9));
  Tet third = mesh.tets[0];
  third[1] = mesh.n_vertices() - 1;  // tets 0 and its neighbours share the face of the diagonal
  mesh.tets.push_back(third);
  if (tet_volumes(mesh).back() < 0) std::swap(mesh.tets.back()[2], mesh.tets.back()[3]);
  EXPECT_EQ(measure_quality(mesh).n_nonmanifold_faces, 1);
  EXPECT_NE(fault_of(mesh).find("1 faces of more than two tets"), std::string::npos);

  mesh = two_boxes();
  mesh.vertices.push_back(Vec3::Zero());
  EXPECT_EQ(measure_quality(mesh).unused_vertices, std::vector<int>{35});
  EXPECT_EQ(fault_of(mesh), "");

  mesh.tets[3][0] = 36;
  mesh.tets[8][0] = -1;
  EXPECT_NE(fault_of(mesh).find("2 tets with a vertex index out of range (3, 8)"), std::string::npos);

  mesh = two_boxes();
  mesh.vertices[4].y() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(fault_of(mesh).find("(vertex 4)"), std::string::npos);

  EXPECT_NE(fault_of(TetMesh{}).find("no tets"), std::string::npos);
}

TEST(Quality, RepairMakesItSimulable) {
  TetMesh mesh = two_boxes();
  for (int i = 0; i < mesh.n_vertices(); ++i) mesh.vertex_maps["v"].push_back(i);
  for (int i = 0; i < mesh.n_tets(); ++i) {
    mesh.tet_maps["t"].push_back(i);
    mesh.tet_region.push_back(i < 48 ? 0 : 1);
  }
  auto append = [&](const Tet& t) {
    mesh.tets.push_back(t);
    mesh.tet_maps["t"].push_back(mesh.n_tets() - 1);
    mesh.tet_region.push_back(1);
  };
  const double infinity = std::numeric_limits<double>::infinity();
  mesh.vertices.insert(mesh.vertices.begin(), {Vec3(7, 7, 7), Vec3(infinity, 0, 0)});  // both first: indices shift
  mesh.vertex_maps["v"].insert(mesh.vertex_maps["v"].begin(), {-2, -1});
  for (Tet& t : mesh.tets) {
    for (int& v : t) v += 2;
  }
  std::swap(mesh.tets[2][0], mesh.tets[2][1]);
  append({2, 3, 3, 4});                                                          // degenerate
  append({mesh.tets[6][1], mesh.tets[6][0], mesh.tets[6][2], mesh.tets[6][3]});  // duplicate
  append({1, 2, 3, 5});                                                          // a vertex at infinity
  append({2, 3, 5, 999});                                                        // no such vertex
  mesh.vertices.push_back(Vec3(9, 9, 9));
  mesh.vertex_maps["v"].push_back(35);
  append({2, 3, 37, 37});  // leaves vertex 37 unused

  TetMesh copy = mesh;
  const RepairReport r = repair(mesh);
  EXPECT_EQ(r.flipped, 1);
  EXPECT_EQ(r.removed_tets, 5);
  EXPECT_EQ(r.removed_vertices, 2);
  EXPECT_EQ(fault_of(mesh), "");
  EXPECT_EQ(mesh.vertices[0], Vec3(7, 7, 7));
  EXPECT_EQ(mesh.n_tets(), 54);
  EXPECT_NEAR(measure_quality(mesh).volume, 2, 1e-14);
  ASSERT_EQ(static_cast<int>(r.vertex_source.size()), mesh.n_vertices());
  for (int v = 0; v < mesh.n_vertices(); ++v) {
    EXPECT_EQ(mesh.vertices[v], copy.vertices[r.vertex_source[v]]);
    EXPECT_EQ(mesh.vertex_maps["v"][v], copy.vertex_maps["v"][r.vertex_source[v]]);
  }
  for (int i = 0; i < 54; ++i) {
    EXPECT_EQ(mesh.tet_maps["t"][i], i);
    EXPECT_EQ(mesh.tet_region[i], i < 48 ? 0 : 1);
  }
  EXPECT_EQ(repair(copy, true).removed_vertices, 3);
  EXPECT_TRUE(measure_quality(copy).unused_vertices.empty());
}

}  // namespace
}  // namespace supple
