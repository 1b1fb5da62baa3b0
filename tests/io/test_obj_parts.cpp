#include <gtest/gtest.h>

#include "supple/io/obj.h"
#include "tests/io/scratch.h"

namespace supple {
namespace {

using List = std::vector<int>;

// Six vertices in two rows of three, as two quads side by side.
const std::string kVertices = "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nv 1 1 0\nv 2 1 0\n";

TEST(ObjParts, ObjectsGroupsAndMaterials) {
  const Scratch dir;
  std::vector<ObjPart> parts;
  const TriMesh mesh = read_obj(dir.put("m.obj", kVertices + "o Left Half  \r\ng ear soft # two of them\nusemtl skin\n"
                                                             "f 1 2 5 4\n"
                                                             "o Right Half\ng soft\nf 2 3 6 5\n"
                                                             "g nothing\n"),
                                nullptr, &parts);
  EXPECT_EQ(mesh.triangles.size(), 4u);
  ASSERT_EQ(parts.size(), 5u);
  EXPECT_EQ(parts[0].name, "Left Half");
  EXPECT_EQ(parts[0].vertices, (List{0, 1, 3, 4}));
  EXPECT_EQ(parts[1].name, "ear");
  EXPECT_EQ(parts[1].vertices, (List{0, 1, 3, 4}));
  EXPECT_EQ(parts[2].name, "soft");
  EXPECT_EQ(parts[2].vertices, (List{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(parts[3].name, "skin");
  EXPECT_EQ(parts[3].vertices, (List{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(parts[4].name, "Right Half");
  EXPECT_EQ(parts[4].vertices, (List{1, 2, 4, 5}));
}

TEST(ObjParts, WhatHasTheSameNameIsOneAndNamesMayBeLeftOut) {
  const Scratch dir;
  std::vector<ObjPart> parts = {{"left over", {7}}};
  read_obj(dir.put("m.obj", kVertices + "f 1 2 4\ng a\nf 2 5 4\ng\nf 2 3 5\no a\nf 3 6 5\n"), nullptr, &parts);
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].vertices, (List{1, 2, 3, 4, 5}));
  read_obj(dir.put("m.obj", kVertices + "f 1 2 4\n"), nullptr, &parts);
  EXPECT_TRUE(parts.empty());
}

TEST(ObjParts, VerticesAfterSplittingAreCounted) {
  const Scratch dir;
  ObjReport report;
  read_obj(dir.put("m.obj", kVertices + "vt 0 0\nvt 1 1\nf 1/1 2/1 5/1 4/1\nf 2/2 3/1 6/1 5/1\n"), &report);
  EXPECT_EQ(report.split_vertices, 7);
}

}  // namespace
}  // namespace supple
