// Draco and meshopt data, encoded here, against the plain file.
#include <draco/compression/encode.h>
#include <draco/mesh/mesh.h>
#include <gtest/gtest.h>
#include <meshoptimizer.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "supple/base/error.h"
#include "supple/io/gltf/gltf_read.h"
#include "tests/io/gltf/gltf_packed.h"

namespace supple {
namespace {

using Corners = std::vector<std::array<Vec3, 3>>;

// Triangles by where they are, so that the order of vertices does not matter.
Corners corners_of(const Primitive& p) {
  Corners out;
  for (const Tri& t : p.triangles) {
    std::array<Vec3, 3> c;
    for (size_t k = 0; k < 3; ++k) {
      const Vec3& x = p.positions[static_cast<size_t>(t[k])];
      c[k] = (64 * x).array().round() / 64;
    }
    auto before = [](const Vec3& a, const Vec3& b) {
      return std::lexicographical_compare(a.data(), a.data() + 3, b.data(), b.data() + 3);
    };
    std::rotate(c.begin(), std::min_element(c.begin(), c.end(), before), c.end());
    out.push_back(c);
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return std::lexicographical_compare(a[0].data(), a[0].data() + 9, b[0].data(), b[0].data() + 9);
  });
  return out;
}

TEST(GltfPacked, DracoInTheEncodersOrder) {
  const Scratch dir;
  const Ribbon ribbon;
  const Primitive plain = read_gltf(dir.put("a.glb", ribbon.file().glb())).meshes[0].primitives[0];
  const Character c = read_gltf(dir.put("b.glb", with_draco(ribbon, draco::MESH_SEQUENTIAL_ENCODING).glb()));
  EXPECT_TRUE(c.warnings.empty()) << c.warnings[0];
  const Primitive& p = c.meshes[0].primitives[0];
  EXPECT_EQ(p.triangles, plain.triangles);
  ASSERT_EQ(p.positions.size(), plain.positions.size());
  for (size_t v = 0; v < p.positions.size(); ++v) {
    EXPECT_LT((p.positions[v] - plain.positions[v]).norm(), 2.0 / (1 << 14));
    EXPECT_LT((p.normals[v] - plain.normals[v]).norm(), 0.01);
    for (size_t k = 4 * v; k < 4 * v + 4; ++k) {
      EXPECT_EQ(p.joints[k], plain.joints[k]);
      EXPECT_NEAR(p.weights[k], plain.weights[k], 1e-6);
    }
    EXPECT_EQ(p.maps.at("COLOR_0.r")[v], plain.maps.at("COLOR_0.r")[v]);
    EXPECT_EQ(p.maps.at("_SOFT")[v], plain.maps.at("_SOFT")[v]);
  }
  EXPECT_EQ(p.targets[0].positions, plain.targets[0].positions);
}

TEST(GltfPacked, DracoEdgebreaker) {
  const Scratch dir;
  Ribbon ribbon;
  // On the grid of the comparison below.
  for (float& x : ribbon.positions) x = std::round(16 * x) / 16;
  const Primitive plain = read_gltf(dir.put("a.glb", ribbon.file().glb())).meshes[0].primitives[0];
  const Character c = read_gltf(dir.put("b.glb", with_draco(ribbon, draco::MESH_EDGEBREAKER_ENCODING).glb()));
  EXPECT_EQ(corners_of(c.meshes[0].primitives[0]), corners_of(plain));
}

TEST(GltfPacked, MeshoptIsThePlainFile) {
  const Scratch dir;
  const Ribbon ribbon;
  const Primitive plain = read_gltf(dir.put("a.glb", ribbon.file().glb())).meshes[0].primitives[0];
  for (const char* name : {"EXT_meshopt_compression", "KHR_meshopt_compression"}) {
    for (const char* mode : {"TRIANGLES", "INDICES"}) {
      for (const bool wide : {false, true}) {
        const GltfBuilder b = with_meshopt(ribbon, name, mode, wide);
        const Character c = read_gltf(dir.put("b.glb", b.glb()));
        EXPECT_TRUE(c.warnings.empty()) << c.warnings[0];
        const Primitive& p = c.meshes[0].primitives[0];
        EXPECT_EQ(p.positions, plain.positions);
        EXPECT_EQ(p.weights, plain.weights);
        EXPECT_EQ(p.joints, plain.joints);
        ASSERT_EQ(p.triangles.size(), plain.triangles.size());
        // The codec may turn a triangle.
        for (size_t t = 0; t < p.triangles.size(); ++t) {
          Tri a = p.triangles[t], b3 = plain.triangles[t];
          std::rotate(a.begin(), std::min_element(a.begin(), a.end()), a.end());
          std::rotate(b3.begin(), std::min_element(b3.begin(), b3.end()), b3.end());
          EXPECT_EQ(a, b3);
        }
      }
    }
  }
}

TEST(GltfPacked, MeshoptFilters) {
  const Scratch dir;
  Ribbon ribbon;
  GltfBuilder b = ribbon.file();
  // Unit normals in 8 and 16 bits, floats with 16 bits of mantissa, rotations in 16 bits.
  std::vector<float> normals4, exact;
  for (int v = 0; v < 12; ++v) {
    const Vec3 n = Vec3(std::sin(v), std::cos(2 * v), 0.3 * v - 1).normalized();
    for (const double x : {n[0], n[1], n[2], 0.0}) normals4.push_back(static_cast<float>(x));
  }
  for (const size_t stride : {4u, 8u}) {
    std::string bytes(12 * stride, '\0');
    meshopt_encodeFilterOct(bytes.data(), 12, stride, stride == 4 ? 8 : 16, normals4.data());
    const int view = meshopt_view(b, "EXT_meshopt_compression", bytes, 12, stride, "ATTRIBUTES", "OCTAHEDRAL");
    b.primitive()["attributes"]["NORMAL"] = b.push("accessors", {{"bufferView", view},
                                                                 {"componentType", stride == 4 ? 5120 : 5122},
                                                                 {"normalized", true},
                                                                 {"count", 12},
                                                                 {"type", "VEC3"}});
    const Points back = read_gltf(dir.put("c.glb", b.glb())).meshes[0].primitives[0].normals;
    for (size_t v = 0; v < 12; ++v) {
      const Vec3 n(normals4[4 * v], normals4[4 * v + 1], normals4[4 * v + 2]);
      EXPECT_LT((back[v] - n).norm(), stride == 4 ? 0.02 : 1e-4);
    }
  }
  std::string bytes(12 * 12, '\0');
  meshopt_encodeFilterExp(bytes.data(), 12, 12, 16, ribbon.positions.data());
  b.primitive()["attributes"]["POSITION"] =
      b.push("accessors",
             {{"bufferView", meshopt_view(b, "EXT_meshopt_compression", bytes, 12, 12, "ATTRIBUTES", "EXPONENTIAL")},
              {"componentType", 5126},
              {"count", 12},
              {"type", "VEC3"}});
  const std::vector<float> turns = {0, 0, 0, 1, 0.6f, 0, 0, 0.8f, 0.5f, 0.5f, -0.5f, 0.5f};
  std::string packed_turns(3 * 8, '\0');
  meshopt_encodeFilterQuat(packed_turns.data(), 3, 8, 12, turns.data());
  const int view = meshopt_view(b, "EXT_meshopt_compression", packed_turns, 3, 8, "ATTRIBUTES", "QUATERNION");
  const int output =
      b.push("accessors",
             {{"bufferView", view}, {"componentType", 5122}, {"normalized", true}, {"count", 3}, {"type", "VEC4"}});
  b.json["animations"][0]["samplers"][0]["output"] = output;
  const Character c = read_gltf(dir.put("c.glb", b.glb()));
  const Points& positions = c.meshes[0].primitives[0].positions;
  for (size_t v = 0; v < 12; ++v) {
    const Vec3 x(ribbon.positions[3 * v], ribbon.positions[3 * v + 1], ribbon.positions[3 * v + 2]);
    EXPECT_LT((positions[v] - x).norm(), 1e-4);
  }
  const std::vector<double>& q = c.clips[0].channels[0].values;
  for (size_t k = 0; k < 3; ++k) {
    const Quat read(q[4 * k + 3], q[4 * k], q[4 * k + 1], q[4 * k + 2]);
    const Quat meant(turns[4 * k + 3], turns[4 * k], turns[4 * k + 1], turns[4 * k + 2]);
    EXPECT_LT(read.angularDistance(meant.normalized()), 2e-3);
    EXPECT_NEAR(read.norm(), 1, 1e-12);
  }
}

TEST(GltfPacked, Complaints) {
  const Scratch dir;
  auto complaint = [&](const GltfBuilder& b) -> std::string {
    try {
      read_gltf(dir.put("c.glb", b.glb()));
      return "";
    } catch (const InputError& e) {
      return e.what();
    }
  };
  const std::pair<Json, const char*> cases[] = {{{{"count", 1 << 30}}, "cannot come from"},
                                                {{{"byteStride", 3}}, "bytes an element"},
                                                {{{"byteStride", 1024}}, "bytes an element"},
                                                {{{"mode", "OTHER"}}, "OTHER"},
                                                {{{"filter", "COLOR"}}, "COLOR"},
                                                {{{"filter", "QUATERNION"}}, "8 bytes"},
                                                {{{"byteLength", 20}}, "cannot be decoded"},
                                                {{{"byteLength", UINT64_MAX}}, "outside"},
                                                {{{"buffer", 5}}, "buffer is 5"}};
  for (const auto& [change, word] : cases) {
    GltfBuilder b = with_meshopt(Ribbon(), "EXT_meshopt_compression", "TRIANGLES", false);
    const int position = b.primitive()["attributes"]["POSITION"];
    const int view = b.json["accessors"][position]["bufferView"];
    b.json["bufferViews"][view]["extensions"]["EXT_meshopt_compression"].update(change);
    EXPECT_NE(complaint(b).find(word), std::string::npos) << complaint(b);
  }
  GltfBuilder b = with_draco(Ribbon(), draco::MESH_SEQUENTIAL_ENCODING);
  b.primitive()["extensions"]["KHR_draco_mesh_compression"]["attributes"]["POSITION"] = 40;
  EXPECT_NE(complaint(b).find("attribute 40"), std::string::npos) << complaint(b);
  b.primitive()["extensions"]["KHR_draco_mesh_compression"]["bufferView"] = 0;
  EXPECT_NE(complaint(b).find("Draco"), std::string::npos) << complaint(b);
}

}  // namespace
}  // namespace supple
