#include <gtest/gtest.h>

#include "supple/sim/hinges.h"
#include "supple/sim/parts.h"
#include "tests/support/beam.h"

namespace supple {
namespace {

// Boxes of two cells, one behind the other, that share the vertices at places where both have one and `joined` is true.
ModelSpec boxes_in_a_row(int n, const std::function<bool(const Vec3&)>& joined) {
  ModelSpec spec = test::beam_spec({});
  spec.mesh = {};
  for (int k = 0; k < n; ++k) {
    const TetMesh box = make_box(2, 2, 2, Vec3(2, 2, 2));
    std::vector<int> number;
    for (const Vec3& at : box.vertices) {
      const Vec3 x = at + Vec3(2 * k, 0, 0);
      int same = -1;
      for (int v = 0; v < spec.mesh.n_vertices(); ++v)
        if ((spec.mesh.vertices[v] - x).norm() < 1e-9 && joined(x)) same = v;
      if (same < 0) same = spec.mesh.n_vertices(), spec.mesh.vertices.push_back(x);
      number.push_back(same);
    }
    for (Tet t : box.tets) {
      for (int& v : t) v = number[static_cast<size_t>(v)];
      spec.mesh.tets.push_back(t);
    }
  }
  spec.per_tet.assign(spec.mesh.tets.size(), spec.per_tet[0]);
  spec.driven = test::vertices_where(spec.mesh, [](const Vec3& x) { return x[0] < 1e-9; });
  return spec;
}

// 0: none is found, as the matrix cannot be factored.
double lowest_of(const ModelSpec& spec) {
  const Modes modes = natural_modes(Model(spec), 1);
  return modes.frequencies_hz.size() > 0 ? modes.frequencies_hz[0] : 0;
}

TEST(Hinges, NoneWhereFleshHoldsTogether) {
  const ModelSpec spec = boxes_in_a_row(2, [](const Vec3&) { return true; });
  EXPECT_TRUE(find_hinges(Model(spec)).empty());
  EXPECT_GT(lowest_of(spec), 0.1);
  // Three vertices hold, also where they are of no one face.
  ModelSpec three = spec;
  three.driven = test::vertices_where(
      spec.mesh, [](const Vec3& x) { return x == Vec3(0, 0, 0) || x == Vec3(0, 2, 0) || x == Vec3(0, 0, 2); });
  ASSERT_EQ(three.driven.size(), 3u);
  EXPECT_TRUE(find_hinges(Model(three)).empty());
}

TEST(Hinges, HeldAtOneVertexOrALine) {
  ModelSpec spec = boxes_in_a_row(1, [](const Vec3&) { return true; });
  spec.driven = {4};
  std::vector<Hinge> found = find_hinges(Model(spec));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].axis, std::vector<int>{4});
  EXPECT_EQ(found[0].vertices.size(), 27u);
  EXPECT_NE(text_of(found[0], "tail").find("27 vertices of 'tail' (around vertex 13) are held at a single vertex, 4:"),
            std::string::npos);
  spec.driven = test::vertices_where(spec.mesh, [](const Vec3& x) { return x[0] < 1e-9 && x[1] < 1e-9; });
  found = find_hinges(Model(spec));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].axis, spec.driven);
  EXPECT_NE(text_of(found[0], "tail").find("are held along an edge only"), std::string::npos);
  EXPECT_LT(lowest_of(spec), 1e-3);  // what the message is for
}

TEST(Hinges, JoinedAtOneVertexOrAnEdge) {
  const auto at_an_edge = [](const Vec3& x) { return x[0] != 2 || x[1] < 1e-9; };
  const ModelSpec edge = boxes_in_a_row(2, at_an_edge);
  std::vector<Hinge> found = find_hinges(Model(edge));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].axis.size(), 3u);
  for (int v : found[0].axis) EXPECT_EQ(edge.mesh.vertices[v].head<2>(), Eigen::Vector2d(2, 0));
  EXPECT_LT(lowest_of(edge), 1e-3);
  const ModelSpec point = boxes_in_a_row(2, [](const Vec3& x) { return x[0] != 2 || x == Vec3(2, 0, 0); });
  found = find_hinges(Model(point));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].axis.size(), 1u);
  // What hangs on a piece that turns turns with it.
  const ModelSpec chain = boxes_in_a_row(3, [](const Vec3& x) { return x[0] != 2 || x[1] < 1e-9; });
  found = find_hinges(Model(chain));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].vertices.size(), 45u);
}

// Two pieces that could each turn hold each other: no motion is free, and none is told of.
TEST(Hinges, PiecesThatHoldEachOther) {
  ModelSpec spec = boxes_in_a_row(2, [](const Vec3& x) { return x[0] != 2 || x[1] < 1e-9; });
  // The first box along its far lower edge, the second at a vertex above it.
  spec.driven = test::vertices_where(spec.mesh, [](const Vec3& x) { return x[0] < 1e-9 && x[1] < 1e-9; });
  EXPECT_EQ(find_hinges(Model(spec)).size(), 2u);
  const auto top = test::vertices_where(spec.mesh, [](const Vec3& x) { return x == Vec3(4, 2, 0); });
  ASSERT_EQ(top.size(), 1u);
  spec.driven.push_back(top[0]);
  const bool free = lowest_of(spec) < 1e-3;
  EXPECT_EQ(find_hinges(Model(spec)).size(), free ? 2u : 0u);
  EXPECT_FALSE(free);
}

// Springs at points hold as vertices do, and what nothing holds is another matter.
TEST(Hinges, SpringsHoldAndLooseFleshFalls) {
  ModelSpec spec = boxes_in_a_row(1, [](const Vec3&) { return true; });
  spec.driven.clear();
  EXPECT_TRUE(find_hinges(Model(spec)).empty());
  spec.spring_stiffness = 1e4;
  spec.springs.push_back({spec.mesh.tets[0], Eigen::Vector4d::Constant(0.25)});
  EXPECT_EQ(find_hinges(Model(spec)).size(), 1u);
  for (size_t t : {7u, 20u, 30u}) spec.springs.push_back({spec.mesh.tets[t], Eigen::Vector4d::Constant(0.25)});
  EXPECT_TRUE(find_hinges(Model(spec)).empty());
}

}  // namespace
}  // namespace supple
