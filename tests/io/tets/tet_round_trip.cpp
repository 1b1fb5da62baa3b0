// What is written is read back, bit for bit where the format has room for it.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "supple/base/error.h"
#include "supple/io/tets/tet_formats.h"
#include "tests/io/scratch.h"

namespace supple {
namespace {

TetMesh awkward_mesh() {
  TetMesh mesh = make_box(2, 1, 1, Vec3(1.0 / 3, 0.1, 7e-5), Vec3(-1e5, 1e-9, 0.2));
  mesh.vertices[3] = Vec3(-0.0, std::nextafter(1.0, 2.0), 5e-324);  // the smallest subnormal
  mesh.vertices[4].x() = std::numeric_limits<double>::max();
  std::swap(mesh.tets[2][0], mesh.tets[2][1]);  // inverted: not the reader's business
  mesh.vertices.push_back(Vec3(9, 9, 9));       // unused
  for (int i = 0; i < mesh.n_vertices(); ++i) {
    mesh.vertex_maps["soft"].push_back(std::sin(i));
    mesh.vertex_maps["a name"].push_back(-1e-300 * i);
  }
  for (int i = 0; i < mesh.n_tets(); ++i) {
    mesh.tet_maps["stiffness"].push_back(1e4 / 3 + i);
    mesh.tet_region.push_back(i % 3 == 0 ? 2 : i % 2);
  }
  mesh.region_names = {"belly fat", "ear.L", "core"};
  return mesh;
}

void expect_same_geometry(const TetMesh& a, const TetMesh& b) {
  ASSERT_EQ(a.vertices.size(), b.vertices.size());
  // By bits: a minus zero counts.
  for (size_t i = 0; i < a.vertices.size(); ++i) {
    EXPECT_EQ(std::memcmp(a.vertices[i].data(), b.vertices[i].data(), 3 * sizeof(double)), 0) << "vertex " << i;
  }
  EXPECT_EQ(a.tets, b.tets);
}

void expect_same(const TetMesh& a, const TetMesh& b) {
  expect_same_geometry(a, b);
  EXPECT_EQ(a.vertex_maps, b.vertex_maps);
  EXPECT_EQ(a.tet_maps, b.tet_maps);
  EXPECT_EQ(a.tet_region, b.tet_region);
  EXPECT_EQ(a.region_names, b.region_names);
}

struct Variant {
  const char* file;
  bool binary;
  MshVersion version;
};
class WholeMesh : public testing::TestWithParam<Variant> {};

TEST_P(WholeMesh, ComesBack) {
  const Scratch dir;
  const Variant v = GetParam();
  const std::string path = dir.path(v.file);
  std::vector<std::string> notes;
  const TetWriteOptions options{v.binary, v.version, &notes};
  const TetMesh mesh = awkward_mesh();
  write_tet_mesh(path, mesh, options);
  EXPECT_TRUE(notes.empty());
  EXPECT_FALSE(std::filesystem::exists(path + ".part"));
  const TetMesh back = read_tet_mesh(path, &notes);
  EXPECT_TRUE(notes.empty()) << notes[0];
  expect_same(mesh, back);

  // Writing what was read gives the same bytes.
  const std::string first = dir.get(v.file);
  write_tet_mesh(path, back, options);
  EXPECT_EQ(dir.get(v.file), first);

  // Bare, and with unnamed regions, which are then named by their numbers.
  TetMesh bare = make_box(1, 1, 1, Vec3::Ones());
  write_tet_mesh(path, bare, options);
  expect_same(bare, read_tet_mesh(path));
  bare.tet_region = {0, 1, 0, 1, 2, 1};
  write_tet_mesh(path, bare, options);
  const TetMesh numbered = read_tet_mesh(path);
  EXPECT_EQ(numbered.tet_region, bare.tet_region);
  EXPECT_EQ(numbered.region_names, (std::vector<std::string>{"1", "2", "3"}));
  write_tet_mesh(path, numbered, options);
  expect_same(numbered, read_tet_mesh(path));
}

INSTANTIATE_TEST_SUITE_P(
    Formats, WholeMesh,
    testing::Values(Variant{"m.msh", false, MshVersion::v4_1}, Variant{"m.msh", true, MshVersion::v4_1},
                    Variant{"m.msh", false, MshVersion::v2_2}, Variant{"m.msh", true, MshVersion::v2_2},
                    Variant{"m.vtk", false, MshVersion::v4_1}, Variant{"m.VTK", true, MshVersion::v4_1}));

TEST(TetRoundTrip, TetGen) {
  const Scratch dir;
  const TetMesh mesh = awkward_mesh();
  std::vector<std::string> notes;
  write_tet_mesh(dir.path("m.1.ele"), mesh, {.notes = &notes});
  EXPECT_EQ(notes.size(), 1u);
  const TetMesh back = read_tet_mesh(dir.path("m.1.node"));
  expect_same_geometry(mesh, back);
  EXPECT_EQ(back.tet_region, mesh.tet_region);
  EXPECT_EQ(back.vertex_maps.at("attribute0"), mesh.vertex_maps.at("a name"));
  EXPECT_EQ(back.vertex_maps.at("attribute1"), mesh.vertex_maps.at("soft"));
  EXPECT_EQ(back.tet_maps.at("attribute1"), mesh.tet_maps.at("stiffness"));
  expect_same(back, read_tet_mesh(dir.path("m.1.ele")));
}

TEST(TetRoundTrip, Medit) {
  const Scratch dir;
  TetMesh mesh = awkward_mesh();
  std::vector<std::string> notes;
  write_tet_mesh(dir.path("m.mesh"), mesh, {.notes = &notes});
  EXPECT_EQ(notes.size(), 2u);
  const TetMesh back = read_tet_mesh(dir.path("m.mesh"));
  expect_same_geometry(mesh, back);
  EXPECT_EQ(back.tet_region, mesh.tet_region);
  EXPECT_EQ(back.region_names, (std::vector<std::string>{"1", "2", "3"}));
}

TEST(TetRoundTrip, Vega) {
  const Scratch dir;
  TetMesh mesh = awkward_mesh();
  mesh.vertex_maps.clear();
  mesh.tet_maps.clear();
  mesh.region_names = {"fat", "ear.L", "core"};
  // Without materials the sets are the regions.
  write_tet_mesh(dir.path("m.veg"), mesh);
  expect_same(mesh, read_tet_mesh(dir.path("m.veg")));
  for (int r : mesh.tet_region) {
    mesh.tet_maps["youngs_modulus"].push_back(1e4 * (r + 1) / 3.0);
    mesh.tet_maps["poisson_ratio"].push_back(0.4 + 0.03 * r);
    mesh.tet_maps["density"].push_back(1000 + r / 7.0);
  }
  write_tet_mesh(dir.path("m.veg"), mesh);
  expect_same(mesh, read_tet_mesh(dir.path("m.veg")));

  std::vector<std::string> notes;
  mesh.tet_maps["density"][0] += 30;
  write_tet_mesh(dir.path("m.veg"), mesh, {.notes = &notes});
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("density varies within region core"), std::string::npos);
}

TEST(TetRoundTrip, InconsistentMeshesAreNotWritten) {
  const Scratch dir;
  const std::string path = dir.path("m.msh");
  auto refused = [&](auto&& spoil) {
    TetMesh mesh = awkward_mesh();
    spoil(mesh);
    EXPECT_THROW(write_tet_mesh(path, mesh), InputError);
    EXPECT_FALSE(std::filesystem::exists(path));
    EXPECT_FALSE(std::filesystem::exists(path + ".part"));
  };
  refused([](TetMesh& m) { m.vertices[0].x() = std::nan(""); });
  refused([](TetMesh& m) { m.tets[0][0] = 99; });
  refused([](TetMesh& m) { m.vertex_maps["soft"].pop_back(); });
  refused([](TetMesh& m) { m.tet_maps["stiffness"][1] = INFINITY; });
  refused([](TetMesh& m) { m.tet_region[0] = 3; });
  refused([](TetMesh& m) { m.tet_region.pop_back(); });
  EXPECT_THROW(write_tet_mesh(dir.path("m.stl"), awkward_mesh()), InputError);
  EXPECT_THROW(write_tet_mesh(dir.path("no/such/dir/m.msh"), awkward_mesh()), InputError);
}

// Meshes of other programs, where they are at hand: read, written and read again.
TEST(TetRoundTrip, RealMeshes) {
  const std::filesystem::path data = std::filesystem::path(SUPPLE_SOURCE_DIR) / "../shared/data";
  if (!std::filesystem::exists(data)) GTEST_SKIP() << "no data beside the repository";
  const Scratch dir;
  struct Known {
    const char* file;
    int vertices, tets;
    double volume;
  };
  const Known known[] = {{"polyfem/alien.msh", 12531, 48643, 1.499},
                         {"ipc/cow_head.msh", 1328, 5029, 0.01454},
                         {"vegafem/helix.veg", 4532, 16226, 36.51},
                         {"compdyn/frog/frog.mesh", 1749, 5389, 482.9},
                         {"polyfem/little-elephant.msh", 7008, 24953, 15.8}};
  for (const Known& k : known) {
    if (!std::filesystem::exists(data / k.file)) continue;
    const TetMesh mesh = read_tet_mesh((data / k.file).string());
    EXPECT_EQ(mesh.n_vertices(), k.vertices) << k.file;
    EXPECT_EQ(mesh.n_tets(), k.tets) << k.file;
    double volume = 0;
    for (double v : tet_volumes(mesh)) volume += v;
    EXPECT_NEAR(volume, k.volume, 1e-3 * k.volume) << k.file;
    write_tet_mesh(dir.path("copy.msh"), mesh, {.binary = true});
    expect_same(mesh, read_tet_mesh(dir.path("copy.msh")));
  }
}

}  // namespace
}  // namespace supple
