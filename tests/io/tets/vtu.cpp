// Files we only write: taken apart again by a second, independent path.
#include "supple/io/tets/vtu.h"

#include <gtest/gtest.h>

#include "supple/base/error.h"
#include "tests/io/scratch.h"

namespace supple {
namespace {

std::string unbase64(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned bits = 0, n = 0;
  for (char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<unsigned>(digits.find(c));
    n += 6;
    if (n < 8) continue;
    n -= 8;
    out += static_cast<char>(bits >> n & 0xff);
  }
  return out;
}

TEST(Vtu, AppendedArraysDecode) {
  const Scratch dir;
  TetMesh mesh = make_box(2, 1, 1, Vec3(1, 0.3, 0.7));
  for (int i = 0; i < mesh.n_vertices(); ++i) mesh.vertex_maps["so<ft"].push_back(0.1 * i);
  mesh.tet_region.assign(mesh.tets.size(), 3);
  const VecX u = flatten(mesh.vertices) * 0.01;
  write_vtu(dir.path("m.vtu"), mesh, {.binary = true, .displacement = &u});
  const std::string text = dir.get("m.vtu");
  EXPECT_NE(text.find("Name=\"so&lt;ft\""), std::string::npos);
  const size_t block = text.find("<AppendedData encoding=\"base64\">\n_") + 34;
  // The bytes of an array: at its offset, after the length.
  auto array = [&](const std::string& name) {
    const size_t at = text.find("offset=\"", text.find("Name=\"" + name + "\"")) + 8;
    const size_t offset = std::stoul(text.substr(at));
    const std::string head = unbase64(text.substr(block + offset, 12));
    uint64_t size = 0;
    for (int i = 7; i >= 0; --i) size = size << 8 | static_cast<unsigned char>(head[static_cast<size_t>(i)]);
    return unbase64(text.substr(block + offset, (8 + size + 2) / 3 * 4)).substr(8, size);
  };
  std::string expected;
  for (double x : flatten(mesh.vertices)) expected += bytes_of(x, false);
  EXPECT_EQ(array("Points"), expected);
  expected.clear();
  for (double x : u) expected += bytes_of(x, false);
  EXPECT_EQ(array("displacement"), expected);
  expected.clear();
  for (const Tet& t : mesh.tets) {
    for (int v : t) expected += bytes_of(static_cast<long long>(v), false);
  }
  EXPECT_EQ(array("connectivity"), expected);
  EXPECT_EQ(array("types"), std::string(mesh.tets.size(), 10));
  EXPECT_EQ(array("region").substr(0, 4), bytes_of(3, false));

  write_vtu(dir.path("t.vtu"), mesh, {.binary = false});
  const std::string plain = dir.get("t.vtu");
  EXPECT_NE(plain.find("Name=\"offsets\" NumberOfComponents=\"1\" format=\"ascii\">\n4\n8\n"), std::string::npos);
  EXPECT_EQ(plain.find("displacement"), std::string::npos);
  const VecX wrong = VecX::Zero(3);
  EXPECT_THROW(write_vtu(dir.path("w.vtu"), mesh, {.displacement = &wrong}), InputError);
  write_pvd(dir.path("m.pvd"), {{0, "m.vtu"}, {0.5, "t.vtu"}});
  EXPECT_NE(dir.get("m.pvd").find("<DataSet timestep=\"0.5\" file=\"t.vtu\"/>"), std::string::npos);
}

}  // namespace
}  // namespace supple
