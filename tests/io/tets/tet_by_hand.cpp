// Files as other programs write them, byte by byte: what the readers must take, independent of our writers.
#include <gtest/gtest.h>

#include "supple/base/error.h"
#include "supple/io/tets/tet_formats.h"
#include "tests/io/scratch.h"

namespace supple {
namespace {

// Two tets on a face; vertex i of `corners`.
const Points kCorners = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1), Vec3(1.5, 1, 0.25)};
const std::vector<Tet> kTets = {{0, 1, 2, 3}, {1, 4, 2, 3}};

void expect_two_tets(const TetMesh& mesh) {
  EXPECT_EQ(mesh.vertices, kCorners);
  EXPECT_EQ(mesh.tets, kTets);
}

TEST(GmshByHand, Version2TextWithSparseNumbersAndOtherElements) {
  const Scratch dir;
  const std::string path =
      dir.put("a.msh",
              "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Comments\nanything $ at all\n$EndComments\n"
              "$PhysicalNames\n3\n2 7 \"skin\"\n3 12 \"soft part\"\n3 5 \"bone\"\n$EndPhysicalNames\n"
              "$Nodes\n5\n10 0 0 0\n20 1 0 0\n7 0 1 0\n400 0.0 0e0 1\n5 1.5 1. .25\n$EndNodes\n"
              "$Elements\n4\n1 15 2 0 1 10\n2 2 2 7 1 10 20 7\n3 4 2 12 1 10 20 7 400\n"
              "9 4 3 5 1 0 20 5 7 400\n$EndElements\n"
              "$NodeData\n1\n\"heat\"\n1\n0.0\n3\n0\n1\n2\n400 2.5\n7 -1\n$EndNodeData\n"
              "$ElementData\n1\n\"E\"\n0\n3\n0\n1\n3\n2 99\n9 3\n3 4\n$EndElementData\n"
              "$NodeData\n1\n\"flow\"\n0\n3\n0\n3\n1\n10 1 2 3\n$EndNodeData\n");
  std::vector<std::string> notes;
  const TetMesh mesh = read_tet_mesh(path, &notes);
  expect_two_tets(mesh);
  EXPECT_EQ(mesh.region_names, (std::vector<std::string>{"bone", "soft part"}));
  EXPECT_EQ(mesh.tet_region, (std::vector<int>{1, 0}));
  EXPECT_EQ(mesh.vertex_maps.at("heat"), (std::vector<double>{0, 0, -1, 2.5, 0}));
  EXPECT_EQ(mesh.tet_maps.at("E"), (std::vector<double>{4, 3}));
  EXPECT_EQ(notes.size(), 3u);  // values missing, components, other elements
}

std::string gmsh2_binary(bool big) {
  std::string s = "$MeshFormat\n2.2 1 8\n" + bytes_of(1, big) + "\n$EndMeshFormat\n$Nodes\n5\n";
  for (int v = 0; v < 5; ++v) {
    s += bytes_of(v + 1, big);
    for (int k = 0; k < 3; ++k) s += bytes_of(kCorners[v][k], big);
  }
  s += "\n$EndNodes\n$Elements\n3\n";
  for (int x : {2, 1, 2, /**/ 1, 8, 1, 1, 2, 3}) s += bytes_of(x, big);                               // a triangle
  for (int x : {4, 2, 2, /**/ 2, 8, 1, 1, 2, 3, 4, /**/ 3, 9, 1, 2, 5, 3, 4}) s += bytes_of(x, big);  // two tets
  return s + "\n$EndElements\n$ElementData\n1\n\"w\"\n0\n3\n0\n1\n2\n" + bytes_of(3, big) + bytes_of(0.125, big) +
         bytes_of(2, big) + bytes_of(-7.5, big) + "\n$EndElementData\n";
}

std::string gmsh4_binary(bool big) {
  using Size = unsigned long long;
  auto sizes = [&](std::initializer_list<Size> list) {
    std::string s;
    for (Size x : list) s += bytes_of(x, big);
    return s;
  };
  auto ints = [&](std::initializer_list<int> list) {
    std::string s;
    for (int x : list) s += bytes_of(x, big);
    return s;
  };
  auto doubles = [&](std::initializer_list<double> list) {
    std::string s;
    for (double x : list) s += bytes_of(x, big);
    return s;
  };
  std::string s = "$MeshFormat\n4.1 1 8\n" + bytes_of(1, big) + "\n$EndMeshFormat\n$Entities\n" + sizes({1, 0, 1, 1});
  s += ints({1}) + doubles({0, 0, 0}) + sizes({0});                                                    // a point
  s += ints({4}) + doubles({0, 0, 0, 1, 1, 1}) + sizes({1}) + ints({3}) + sizes({2}) + ints({1, -2});  // a surface
  s += ints({6}) + doubles({0, 0, 0, 1, 1, 1}) + sizes({2}) + ints({11, 3}) + sizes({1}) + ints({4});  // a volume
  s += "\n$EndEntities\n$Nodes\n" + sizes({2, 5, 1, 50});
  s += ints({2, 4, 1}) + sizes({2}) + sizes({50, 2});  // on the surface, with two parameters each
  s += doubles({0, 0, 0, 0.5, 0.5, 1, 0, 0, 0.25, 0.75});
  s += ints({3, 6, 0}) + sizes({3}) + sizes({3, 4, 9});
  for (int v : {2, 3, 4}) s += doubles({kCorners[v][0], kCorners[v][1], kCorners[v][2]});
  s += "\n$EndNodes\n$Elements\n" + sizes({2, 3, 1, 3});
  s += ints({2, 4, 2}) + sizes({1}) + sizes({1, 50, 2, 3});
  s += ints({3, 6, 4}) + sizes({2}) + sizes({2, 50, 2, 3, 4}) + sizes({3, 2, 9, 3, 4});
  return s + "\n$EndElements\n";
}

TEST(GmshByHand, BinaryOfEitherByteOrder) {
  const Scratch dir;
  for (bool big : {false, true}) {
    const TetMesh two = read_tet_mesh(dir.put("b.msh", gmsh2_binary(big)));
    expect_two_tets(two);
    EXPECT_EQ(two.region_names, (std::vector<std::string>{"8", "9"}));
    EXPECT_EQ(two.tet_maps.at("w"), (std::vector<double>{-7.5, 0.125}));
    const TetMesh four = read_tet_mesh(dir.put("c.msh", gmsh4_binary(big)));
    expect_two_tets(four);
    EXPECT_EQ(four.region_names, (std::vector<std::string>{"11"}));
  }
}

TEST(GmshByHand, OurBinaryIsLittleEndianAsDescribed) {
  const Scratch dir;
  TetMesh mesh;
  mesh.vertices = kCorners;
  mesh.tets = kTets;
  mesh.tet_region = {0, 1};
  mesh.region_names = {"8", "9"};
  mesh.tet_maps["w"] = {-7.5, 0.125};
  write_tet_mesh(dir.path("d.msh"), mesh, {.binary = true, .msh_version = MshVersion::v2_2});
  std::string expected = "$MeshFormat\n2.2 1 8\n" + bytes_of(1, false) + "\n$EndMeshFormat\n$Nodes\n5\n";
  for (int v = 0; v < 5; ++v) {
    expected += bytes_of(v + 1, false);
    for (int k = 0; k < 3; ++k) expected += bytes_of(kCorners[v][k], false);
  }
  expected += "\n$EndNodes\n$Elements\n2\n";
  for (int x : {4, 2, 2, 1, 8, 1, 1, 2, 3, 4, 2, 9, 2, 2, 5, 3, 4}) expected += bytes_of(x, false);
  expected += "\n$EndElements\n$ElementData\n1\n\"w\"\n1\n0\n3\n0\n1\n2\n" + bytes_of(1, false) +
              bytes_of(-7.5, false) + bytes_of(2, false) + bytes_of(0.125, false) + "\n$EndElementData\n";
  EXPECT_EQ(dir.get("d.msh"), expected);
}

TEST(GmshByHand, TenNodeTetsGiveTheirCorners) {
  const Scratch dir;
  const std::string path =
      dir.put("q.msh",
              "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n11\n1 0.5 0 0\n2 0 0 0\n3 1 0 0\n4 0 1 0\n"
              "5 0 0 1\n6 .5 .5 0\n7 0 .5 0\n8 0 0 .5\n9 0 .5 .5\n10 .5 0 .5\n11 8 8 8\n$EndNodes\n"
              "$Elements\n1\n1 11 2 0 1 2 3 4 5 1 6 7 8 9 10\n$EndElements\n"
              "$NodeData\n1\n\"n\"\n0\n3\n0\n1\n11\n1 1\n2 2\n3 3\n4 4\n5 5\n6 6\n7 7\n8 8\n9 9\n10 10\n11 "
              "11\n$EndNodeData\n");
  std::vector<std::string> notes;
  const TetMesh mesh = read_tet_mesh(path, &notes);
  EXPECT_EQ(mesh.vertices, (Points{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1), Vec3(8, 8, 8)}));
  EXPECT_EQ(mesh.tets, (std::vector<Tet>{{0, 1, 2, 3}}));
  EXPECT_EQ(mesh.vertex_maps.at("n"), (std::vector<double>{2, 3, 4, 5, 11}));
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("6 other nodes"), std::string::npos);
}

TEST(TetGenByHand, BothBasesAttributesAndMarkers) {
  const Scratch dir;
  for (int base : {0, 1}) {
    std::string node = "# a comment\n5 3 1 1\n", ele = "\n2 4 1\n";
    for (int v = 0; v < 5; ++v) {
      node += std::to_string(v + base) + "  " + std::to_string(kCorners[v][0]) + " " + std::to_string(kCorners[v][1]) +
              " " + std::to_string(kCorners[v][2]) + " " + std::to_string(10 * v) + " " + std::to_string(v % 2) +
              " # more\n";
    }
    for (int t = 0; t < 2; ++t) {
      ele += std::to_string(t + base);
      for (int v : kTets[t]) ele += " " + std::to_string(v + base);
      ele += t == 0 ? " 4\n" : " 2\n";
    }
    dir.put("m.node", node);
    const TetMesh mesh = read_tet_mesh(dir.put("m.ele", ele));
    expect_two_tets(mesh);
    EXPECT_EQ(mesh.vertex_maps.at("attribute0"), (std::vector<double>{0, 10, 20, 30, 40}));
    EXPECT_EQ(mesh.vertex_maps.at("marker"), (std::vector<double>{0, 1, 0, 1, 0}));
    EXPECT_EQ(mesh.tet_region, (std::vector<int>{1, 0}));
    EXPECT_EQ(mesh.region_names, (std::vector<std::string>{"2", "4"}));
  }
}

TEST(VegaByHand, SetsMaterialsAndInclude) {
  const Scratch dir;
  dir.put("stuff.veg", "*MATERIAL hard\nENU, 1200, 5e6, 0.3\n*MATERIAL rubber\nMOONEY, 900, 100, 200, 30000\n");
  const std::string path =
      dir.put("m.veg",
              "# Vega\n*VERTICES\n5 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1.5 1 0.25\n\n*ELEMENTS\nTET\n2 4 0\n"
              "1 1 2 3 4\n2 2 5 3 4\n\n*INCLUDE stuff.veg\n*SET tip\n2,\n*REGION\nallElements, hard\ntip, rubber\n");
  std::vector<std::string> notes;
  const TetMesh mesh = read_tet_mesh(path, &notes);
  expect_two_tets(mesh);
  EXPECT_EQ(mesh.region_names, (std::vector<std::string>{"hard", "tip"}));
  EXPECT_EQ(mesh.tet_region, (std::vector<int>{0, 1}));
  EXPECT_EQ(mesh.tet_maps.at("density"), (std::vector<double>{1200, 900}));
  // mu = 2 (100 + 200), K = 30000: E = 9 K mu / (3 K + mu).
  EXPECT_NEAR(mesh.tet_maps.at("youngs_modulus")[1], 9 * 30000.0 * 600 / 90600, 1e-9);
  EXPECT_NEAR(mesh.tet_maps.at("poisson_ratio")[1], (90000.0 - 1200) / (2 * 90600), 1e-12);
  EXPECT_EQ(notes.size(), 1u);
  EXPECT_THROW(read_tet_mesh(dir.put("loop.veg", "*INCLUDE loop.veg\n")), InputError);
}

TEST(MeditByHand, VerticesMayComeLastAndOtherListsAreSkipped) {
  const Scratch dir;
  const std::string path =
      dir.put("m.mesh",
              "MeshVersionFormatted 1\n\nDimension\n3\n# comment\nTriangles 1\n1 2 3 0\nTetrahedra\n2\n"
              "1 2 3 4 7\n2 5 3 4 7\nVertices 5\n0 0 0 1\n1 0 0 1\n0 1 0 1\n0 0 1 1\n1.5 1 0.25 1\nEnd\n");
  const TetMesh mesh = read_tet_mesh(path);
  expect_two_tets(mesh);
  EXPECT_EQ(mesh.region_names, (std::vector<std::string>{"7"}));
}

TEST(VtkByHand, Version5OffsetsTextAndBinary) {
  const Scratch dir;
  const std::string text =
      "# vtk DataFile Version 5.1\ntitle\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 float\n0 0 0 1 0 0 0 1 0\n0 0 1 "
      "1.5 1 "
      "0.25\n\nMETADATA\nINFORMATION 0\n\nCELLS 4 11\nOFFSETS vtktypeint64\n0 4 7 11\nCONNECTIVITY vtktypeint64\n0 1 2 "
      "3 0 1 2\n1 4 2 "
      "3\nCELL_TYPES 3\n10\n5\n10\n\nCELL_DATA 3\nSCALARS density double\nLOOKUP_TABLE default\n1 2 3\nFIELD FieldData "
      "2\nregion 1 3 int\n5 6 7 \nflow 3 3 float\n0 0 0 1 1 1 2 2 2\nPOINT_DATA 5\nVECTORS u float\n0 0 0 0 0 0 0 0 0 "
      "0 0 0 0 0 0\n"
      "SCALARS soft%20map float 1\nLOOKUP_TABLE default\n0 .25 .5 .75 1\n";
  std::vector<std::string> notes;
  const TetMesh mesh = read_tet_mesh(dir.put("m.vtk", text), &notes);
  expect_two_tets(mesh);
  EXPECT_EQ(mesh.tet_maps.at("density"), (std::vector<double>{1, 3}));
  EXPECT_EQ(mesh.vertex_maps.at("soft map"), (std::vector<double>{0, 0.25, 0.5, 0.75, 1}));
  EXPECT_EQ(mesh.region_names, (std::vector<std::string>{"5", "7"}));
  EXPECT_EQ(notes.size(), 3u);  // flow, u, and the triangle

  std::string binary = "# vtk DataFile Version 5.1\ntitle\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 float\n";
  for (const Vec3& p : kCorners) {
    for (int k = 0; k < 3; ++k) binary += bytes_of(static_cast<float>(p[k]), true);
  }
  binary += "\nCELLS 3 8\nOFFSETS vtktypeint64\n";
  for (long long x : {0, 4, 8}) binary += bytes_of(x, true);
  binary += "\nCONNECTIVITY vtktypeint64\n";
  for (long long x : {0, 1, 2, 3, 1, 4, 2, 3}) binary += bytes_of(x, true);
  binary += "\nCELL_TYPES 2\n" + bytes_of(10, true) + bytes_of(10, true) +
            "\nPOINT_DATA 5\nSCALARS id unsigned_char 1\nLOOKUP_TABLE default\n";
  for (int i = 0; i < 5; ++i) binary += static_cast<char>(250 + i);
  const TetMesh from_bytes = read_tet_mesh(dir.put("b.vtk", binary + "\n"));
  expect_two_tets(from_bytes);
  EXPECT_EQ(from_bytes.vertex_maps.at("id"), (std::vector<double>{250, 251, 252, 253, 254}));
}

}  // namespace
}  // namespace supple
