#include "supple/mesh/unfold.h"

#include <gtest/gtest.h>

#include <cmath>

namespace supple {
namespace {

std::vector<char> all_of(const TetMesh& mesh) { return std::vector<char>(mesh.tets.size(), 1); }

int count_folded(const TetMesh& mesh, const Points& x) {
  int n = 0;
  for (const Tet& t : mesh.tets) n += tet_volume(x[t[0]], x[t[1]], x[t[2]], x[t[3]]) <= 0;
  return n;
}

TEST(Unfold, ATangleInABarIsUndoneAndTheRestStays) {
  const TetMesh mesh = make_box(10, 4, 4, Vec3(1, 0.4, 0.4));
  // Stretched, and one vertex in the middle pulled through its neighbours.
  Points x = mesh.vertices;
  for (Vec3& p : x) p = Vec3(1.3 * p.x(), p.y(), p.z());
  int middle = 0;
  for (int v = 0; v < mesh.n_vertices(); ++v)
    if ((mesh.vertices[v] - Vec3(0.5, 0.2, 0.2)).norm() < (mesh.vertices[middle] - Vec3(0.5, 0.2, 0.2)).norm())
      middle = v;
  const Points straight = x;
  x[middle] += Vec3(0.25, 0.05, 0);
  ASSERT_GT(count_folded(mesh, x), 0);
  const Unfolding u = unfold(mesh, all_of(mesh), 0.05, x);
  EXPECT_FALSE(u.folded.empty());
  EXPECT_TRUE(u.left.empty());
  EXPECT_EQ(count_folded(mesh, x), 0);
  EXPECT_GT(u.farthest, 0.01);
  for (int v = 0; v < mesh.n_vertices(); ++v)
    if (std::abs(mesh.vertices[v].x() - 0.5) > 0.35) {
      EXPECT_EQ(x[v], straight[v]) << v;
    }
}

TEST(Unfold, NothingFoldedIsNothingMoved) {
  const TetMesh mesh = make_box(3, 2, 2, Vec3(1, 1, 1));
  Points x = mesh.vertices;
  for (Vec3& p : x) p = 0.01 * Vec3(p.y(), -p.x(), p.z() + 0.2 * p.x());  // small, turned and sheared
  const Points before = x;
  const Unfolding u = unfold(mesh, all_of(mesh), 0.05, x);
  EXPECT_TRUE(u.folded.empty());
  EXPECT_EQ(x, before);
}

TEST(Unfold, AMirroredBodyIsLeftAndTold) {
  const TetMesh mesh = make_box(3, 2, 2, Vec3(1, 1, 1));
  Points x = mesh.vertices;
  for (Vec3& p : x) p.x() = -p.x();
  const Unfolding u = unfold(mesh, all_of(mesh), 0.05, x);
  EXPECT_EQ(u.left.size(), mesh.tets.size());
}

}  // namespace
}  // namespace supple
