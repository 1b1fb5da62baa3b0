// Damaged files: every complaint is an InputError that says where; nothing crashes and nothing wrong is loaded.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "supple/base/error.h"
#include "supple/io/index_list.h"
#include "supple/io/motion_csv.h"
#include "supple/io/obj.h"
#include "supple/io/point_cache.h"
#include "supple/io/tets/tet_formats.h"
#include "tests/io/scratch.h"

namespace supple {
namespace {

TetMesh small_mesh() {
  TetMesh mesh = make_box(1, 1, 1, Vec3(1.25, 1, 0.75));
  mesh.tet_region = {0, 0, 1, 1, 1, 0};
  mesh.region_names = {"a", "b"};
  mesh.vertex_maps["soft"] = {0, 0.25, 0.5, 1, 1, 1, 0.5, 0.125};
  mesh.tet_maps["youngs_modulus"] = {100, 100, 20, 20, 20, 100};
  mesh.tet_maps["poisson_ratio"] = {0.25, 0.25, 0.5, 0.5, 0.5, 0.25};
  mesh.tet_maps["density"] = {1000, 1000, 500, 500, 500, 1000};
  return mesh;
}

struct Format {
  const char* write;  // extension to write by
  const char* cut;    // file to damage
  bool binary;
  MshVersion version;
};
const Format kFormats[] = {{"m.msh", "m.msh", false, MshVersion::v4_1},   {"m.msh", "m.msh", true, MshVersion::v4_1},
                           {"m.msh", "m.msh", false, MshVersion::v2_2},   {"m.msh", "m.msh", true, MshVersion::v2_2},
                           {"m.node", "m.node", false, MshVersion::v4_1}, {"m.node", "m.ele", false, MshVersion::v4_1},
                           {"m.veg", "m.veg", false, MshVersion::v4_1},   {"m.mesh", "m.mesh", false, MshVersion::v4_1},
                           {"m.vtk", "m.vtk", false, MshVersion::v4_1},   {"m.vtk", "m.vtk", true, MshVersion::v4_1}};

class Damage : public testing::TestWithParam<Format> {};
INSTANTIATE_TEST_SUITE_P(Formats, Damage, testing::ValuesIn(kFormats));

TEST_P(Damage, CutAtEveryByte) {
  const Scratch dir;
  const Format f = GetParam();
  const TetMesh mesh = small_mesh();
  write_tet_mesh(dir.path(f.write), mesh, {f.binary, f.version, nullptr});
  const std::string content = dir.get(f.cut);
  int complaints = 0;
  for (size_t cut = content.size(); cut-- > 0;) {
    std::filesystem::resize_file(dir.path(f.cut), cut);
    try {
      // A whole section that may be absent can be lost at its border, but never part of the tets.
      const TetMesh back = read_tet_mesh(dir.path(f.cut));
      EXPECT_EQ(back.vertices, mesh.vertices) << "cut at " << cut;
      EXPECT_EQ(back.tets, mesh.tets) << "cut at " << cut;
      // Whatever maps are there are right.
      for (const auto& [name, values] : back.tet_maps) {
        if (mesh.tet_maps.count(name) == 0) continue;
        EXPECT_EQ(values, mesh.tet_maps.at(name)) << "cut at " << cut;
      }
      for (const auto& [name, values] : back.vertex_maps) {
        if (mesh.vertex_maps.count(name) == 0) continue;
        EXPECT_EQ(values, mesh.vertex_maps.at(name)) << "cut at " << cut;
      }
    } catch (const InputError& e) {
      ++complaints;
      EXPECT_FALSE(e.where().file.empty());
    }
  }
  EXPECT_GT(complaints, 40);
}

TEST_P(Damage, RandomBytesNeverCrash) {
  const Scratch dir;
  const Format f = GetParam();
  write_tet_mesh(dir.path(f.write), small_mesh(), {f.binary, f.version, nullptr});
  const std::string content = dir.get(f.cut);
  std::mt19937 random(20);
  for (int trial = 0; trial < 600; ++trial) {
    std::string bad = content;
    for (unsigned n = 1 + random() % 3; n > 0; --n) {
      const size_t at = random() % bad.size();
      // Bytes, digits and whole words of ones: the last make the hugest counts.
      if (trial % 3 == 0) bad[at] = static_cast<char>(random());
      if (trial % 3 == 1) bad[at] = "0123456789-. \nEe+$*#\""[random() % 20];
      if (trial % 3 == 2) bad.replace(at, 4, "\xff\xff\xff\x7f", 4);
    }
    dir.put(f.cut, bad);
    try {
      read_tet_mesh(dir.path(f.cut));
    } catch (const InputError&) {
    }
  }
}

struct Wrong {
  const char* file;
  const char* content;
  int line;
  const char* says;
};

void expect_complaints(const std::vector<Wrong>& table, const std::function<void(const std::string&)>& read) {
  const Scratch dir;
  for (const Wrong& w : table) {
    const std::string path = dir.put(w.file, w.content);
    try {
      read(path);
      ADD_FAILURE() << "accepted: " << w.content;
    } catch (const InputError& e) {
      EXPECT_NE(std::string(e.what()).find(w.says), std::string::npos) << e.what() << "\n  wanted: " << w.says;
      EXPECT_EQ(e.where().line, w.line) << e.what();
    }
  }
}

#define FORMAT22 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define NODES22 "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"

TEST(WrongFiles, TetMeshes) {
  expect_complaints(
      {
          {"a.msh", "", 1, "$MeshFormat"},
          {"a.msh", "solid stl\n", 1, "not a Gmsh file"},
          {"a.msh", "$MeshFormat\n4.0 0 8\n$EndMeshFormat\n", 2, "Save as version 4.1 or 2.2"},
          {"a.msh", FORMAT22, 3, "no $Nodes"},
          {"a.msh", FORMAT22 NODES22, 10, "no $Elements"},
          {"a.msh", FORMAT22 "$Nodes\n999999999\n1 0 0 0\n$EndNodes\n", 5, "only"},
          {"a.msh", FORMAT22 "$Nodes\n-4\n", 5, "out of range"},
          {"a.msh", FORMAT22 "$Nodes\n2\n1 0 0 0\n$EndNodes\n", 7, "a node number"},
          {"a.msh", FORMAT22 "$Nodes\n1\n1 0 0 0\n2 0 0 0\n$EndNodes\n", 7, "$EndNodes"},
          {"a.msh", FORMAT22 "$Nodes\n1\n1 0 nan 0\n$EndNodes\n", 6, "finite number, not \"nan\""},
          {"a.msh", FORMAT22 "$Nodes\n1\n1 0 1e999 0\n$EndNodes\n", 6, "finite"},
          {"a.msh", FORMAT22 "$Nodes\n2\n1 0 0 0\n1 0 0 0\n$EndNodes\n", 7, "node 1 is given twice"},
          {"a.msh", FORMAT22 NODES22 "$Elements\n1\n1 4 0 1 2 3 9\n$EndElements\n", 13, "node 9"},
          {"a.msh", FORMAT22 NODES22 "$Elements\n1\n1 4 0 1 2 3 4.5\n$EndElements\n", 13, "whole number"},
          {"a.msh", FORMAT22 NODES22 "$Elements\n1\n1 4 0 1 2 3 4\n$EndElements\nrubbish\n", 15, "expected a $Section"},
          {"a.msh", FORMAT22 "$Elements\n0\n$EndElements\n", 4, "before $Nodes"},
          {"a.mesh", "MeshVersionFormatted 1\nDimension 2\n", 2, "dimension 3"},
          {"a.mesh", "MeshVersionFormatted 1\nVertices 1\n0 0 0 0\nTetrahedra 1\n1 1 1 2 0\n", 5, "vertex 2 of 1"},
          {"a.mesh", "MeshVersionFormatted 1\nVertices 1\n0 0 0 0\n1 2 3\n", 4, "expected a keyword"},
          {"a.mesh", "MeshVersionFormatted 1\nVertices 1\n0 0 0 0\n", 3, "no Tetrahedra"},
          {"a.veg", "*VERTICES\n1 3 0 0\n1 0 0 0\n*ELEMENTS\nCUBIC\n", 5, "CUBIC"},
          {"a.veg", "*VERTICES\n1 3 0 0\n2 0 0 0\n", 3, "number 0 or 1"},
          {"a.veg", "*VERTICES\n1 3 0 0\n1 0 0 0\n*ELEMENTS\nTET\n1 4 0\n1 1 1 1 2\n", 7, "vertex 2"},
          {"a.veg", "*VERTICES\n1 3 0 0\n1 0 0 0\n*ELEMENTS\nTET\n0 4 0\n*REGION\nallElements, x\n", 8, "material"},
          {"a.veg", "*VERTICES\n0 3 0 0\n", 0, "no *ELEMENTS"},
          {"a.vtk", "vtk\n", 1, "not a legacy VTK"},
          {"a.vtk", "# vtk DataFile Version 3.0\nx\nASCII\nDATASET POLYDATA\n", 4, "UNSTRUCTURED_GRID"},
          {"a.vtk",
           "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 1 float\n0 0 0\nCELLS 1 5\n4 0 0 "
           "0\n",
           9, "a cell"},
          {"a.vtk",
           "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 1 float\n0 0 0\nCELLS 1 5\n5 0 0 0 "
           "0\n"
           "CELL_TYPES 1\n10\n",
           8, "cell 0 does not fit"},
          {"a.vtk",
           "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 1 float\n0 0 0\nCELLS 1 5\n4 0 0 0 "
           "1\n"
           "CELL_TYPES 1\n10\n",
           10, "names vertex 1"},
          {"a.stl", "solid", 0, "Use .msh"},
      },
      [](const std::string& path) { read_tet_mesh(path); });
  EXPECT_THROW(read_tet_mesh("/nonexistent/mesh.msh"), InputError);
  const Scratch dir;
  std::filesystem::create_directory(dir.path("folder.msh"));
  EXPECT_THROW(read_tet_mesh(dir.path("folder.msh")), InputError);
}

TEST(WrongFiles, TetGenPair) {
  const Scratch dir;
  auto complaint = [&](const char* node, const char* ele) -> std::string {
    dir.put("m.node", node);
    dir.put("m.ele", ele);
    try {
      read_tet_mesh(dir.path("m.ele"));
    } catch (const InputError& e) {
      return e.what();
    }
    return "accepted";
  };
  const char* nodes = "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";
  EXPECT_EQ(complaint(nodes, "1 4 0\n1 1 2 3 4\n"), "accepted");
  EXPECT_NE(complaint(nodes, "1 4 0\n1 0 2 3 4\n").find("m.ele:2: a tet names point 0"), std::string::npos);
  EXPECT_NE(complaint(nodes, "1 4 0\n1 1 2 3 4\n2 1 2 3 4\n").find("m.ele:3: there is more"), std::string::npos);
  EXPECT_NE(complaint(nodes, "1 5 0\n1 1 2 3 4 4\n").find("4 or 10"), std::string::npos);
  EXPECT_NE(complaint("2 3 0 0\n1 0 0 0\n3 1 0 0\n", "").find("m.node:3: point 3 should have number 2"),
            std::string::npos);
  EXPECT_NE(complaint("1 2 0 0\n1 0 0 0\n", "").find("dimension 3"), std::string::npos);
  std::filesystem::remove(dir.path("m.node"));
  EXPECT_THROW(read_tet_mesh(dir.path("m.ele")), InputError);
}

TEST(WrongFiles, Surfaces) {
  expect_complaints(
      {
          {"a.obj", "", 1, "no vertices"},
          {"a.obj", "f 1 2 3\n", 1, "no vertices"},
          {"a.obj", "v 0 0\n", 1, "three numbers"},
          {"a.obj", "v 0 0 x\n", 1, "finite number"},
          {"a.obj", "v 0 0 nan\n", 1, "finite number"},
          {"a.obj", "v 0 0 0\nv 1 0 0\nf 1 2\n", 3, "three corners"},
          {"a.obj", "v 0 0 0\nv 1 0 0\n\nf 1 2 3\n", 4, "vertex 3 of 2"},
          {"a.obj", "v 0 0 0\nv 1 0 0\nf 1 2 0\n", 3, "\"0\" is no index"},
          {"a.obj", "v 0 0 0\nv 1 0 0\nf 1 2 -3\n", 3, "vertex -3"},
          {"a.obj", "v 0 0 0\nv 1 0 0\nf 1/2/3/4 2 1\n", 3, "no corner"},
          {"a.obj", "v 0 0 0\nv 1 0 0\nf 1/1 2/1 1/1\n", 3, "texture coordinate 1 of 0"},
          {"a.obj", "v 0 0 0\nv 1 0 0\nf 1 2 99999999999999\n", 3, "not there"},
      },
      [](const std::string& path) { read_obj(path); });
}

TEST(WrongFiles, MotionAndLists) {
  expect_complaints(
      {
          {"k.csv", "", 1, "no keys"},
          {"k.csv", "t,tx,ty,tz,qx,qy,qz\n", 1, "columns"},
          {"k.csv", "0,0,0,0,0,0,0,1\n0,0,0,0,0,0,0,1\n", 2, "does not come after"},
          {"k.csv", "# c\n0,0,0,0,0,0,0,1.01\n", 2, "length 1.01"},
          {"k.csv", "0,0,0,0,0,0,0\n1,0,0,0,0,0,0,1\n", 1, "qw is missing"},
          {"k.csv", "0,0,0,0,0,0,0,1,5\n", 1, "more than eight"},
          {"k.csv", "0,0,nan,0,0,0,0,1\n", 1, "ty should be a finite number"},
      },
      [](const std::string& path) { read_motion_csv(path); });
  expect_complaints(
      {
          {"i.txt", "0\n\n# c\n5\n", 4, "outside 0 .. 4"},
          {"i.txt", "0\n1 2\n", 2, "one number on a line"},
          {"i.txt", "0\n1\n0\n", 3, "given twice"},
          {"i.txt", "1.5\n", 1, "whole number"},
          {"i.txt", "-1\n", 1, "count from zero"},
      },
      [](const std::string& path) { read_index_list(path, 5); });
  expect_complaints({{"s.txt", "1\ninf\n", 2, "finite"}, {"s.txt", "1,2\n", 1, "finite number, not \"1,2\""}},
                    [](const std::string& path) { read_scalar_list(path); });
}

}  // namespace
}  // namespace supple
