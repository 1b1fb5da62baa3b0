#include "supple/tune/mirrored_parts.h"

#include <gtest/gtest.h>

#include "supple/mesh/tet_mesh.h"

namespace supple {
namespace {

// Two wings of a body whose lattice is not the same on both sides.
TEST(MirroredParts, are_found_by_shape) {
  const TetMesh mesh = make_box(9, 2, 2, Vec3(1.8, 0.4, 0.4), Vec3(-0.9, 0, 0));
  Parts parts;
  parts.list.resize(3);
  for (int v = 0; v < mesh.n_vertices(); ++v) {
    const double x = mesh.vertices[v].x();
    const int p = x < -0.35 ? 0 : x > 0.35 ? 1 : 2;
    parts.of_vertex.push_back(p);
    parts.list[p].vertices.push_back(v), parts.list[p].mass += 1;
  }
  const std::vector<int> pairs = mirrored_parts(mesh, parts, Vec3::UnitY());
  EXPECT_EQ(pairs, (std::vector<int>{1, 0, -1}));
  std::vector<double> values = {1, 3, 7};
  even_out(pairs, values);
  EXPECT_EQ(values, (std::vector<double>{2, 2, 7}));
  parts.list[0].mass *= 2;  // no image of the other
  EXPECT_EQ(mirrored_parts(mesh, parts, Vec3::UnitY()), (std::vector<int>{-1, -1, -1}));
}

}  // namespace
}  // namespace supple
