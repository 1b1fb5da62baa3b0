// Cut, changed and hostile files: an InputError or a character whose every index holds, never a crash.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "supple/base/error.h"
#include "supple/io/gltf/gltf_read.h"
#include "tests/io/gltf/gltf_packed.h"

namespace supple {
namespace {

void expect_sound(const Character& c) {
  const int n_nodes = static_cast<int>(c.nodes.size()), n_meshes = static_cast<int>(c.meshes.size()),
            n_skins = static_cast<int>(c.skins.size());
  ASSERT_EQ(c.shown.size(), c.nodes.size());
  for (const Node& n : c.nodes) {
    ASSERT_LT(n.parent, n_nodes);
    ASSERT_LT(n.mesh, n_meshes);
    ASSERT_LT(n.skin, n_skins);
    for (const int child : n.children) ASSERT_TRUE(child >= 0 && child < n_nodes);
    ASSERT_NEAR(n.local.rotation.norm(), 1, 1e-12);
    if (n.mesh >= 0 && !n.weights.empty()) {
      ASSERT_EQ(n.weights.size(), c.meshes[static_cast<size_t>(n.mesh)].weights.size());
    }
  }
  for (const Skin& s : c.skins) {
    ASSERT_EQ(s.joints.size(), s.inverse_binds.size());
    for (const int j : s.joints) ASSERT_TRUE(j >= 0 && j < n_nodes);
  }
  for (const CharacterMesh& m : c.meshes) {
    for (const Primitive& p : m.primitives) {
      const size_t n = p.positions.size();
      for (const Vec3& x : p.positions) ASSERT_TRUE(x.allFinite());
      for (const Tri& t : p.triangles) {
        for (const int v : t) ASSERT_TRUE(v >= 0 && static_cast<size_t>(v) < n);
      }
      ASSERT_TRUE(p.normals.empty() || p.normals.size() == n);
      ASSERT_TRUE(p.uvs.empty() || p.uvs.size() == n);
      ASSERT_EQ(p.joints.size(), n * static_cast<size_t>(p.influences));
      ASSERT_EQ(p.weights.size(), p.joints.size());
      for (size_t v = 0; p.influences > 0 && v < n; ++v) {
        double sum = 0;
        for (int k = 0; k < p.influences; ++k)
          sum += p.weights[v * static_cast<size_t>(p.influences) + static_cast<size_t>(k)];
        ASSERT_NEAR(sum, 1, 1e-12);
      }
      ASSERT_EQ(p.targets.size(), m.weights.size());
      for (const MorphTarget& t : p.targets) ASSERT_TRUE(t.positions.empty() || t.positions.size() == n);
      for (const auto& [name, values] : p.maps) ASSERT_EQ(values.size(), n);
    }
  }
  for (const Node& n : c.nodes) {
    if (n.mesh < 0 || n.skin < 0) continue;
    for (const Primitive& p : c.meshes[static_cast<size_t>(n.mesh)].primitives) {
      const int n_joints = static_cast<int>(c.skins[static_cast<size_t>(n.skin)].joints.size());
      for (const int j : p.joints) ASSERT_TRUE(j >= 0 && j < n_joints);
    }
  }
  for (const Clip& clip : c.clips) {
    ASSERT_FALSE(clip.channels.empty());
    for (const Channel& ch : clip.channels) {
      ASSERT_TRUE(ch.node >= 0 && ch.node < n_nodes);
      ASSERT_FALSE(ch.times.empty());
      const size_t parts = ch.interpolation == Interpolation::cubic ? 3 : 1;
      ASSERT_EQ(ch.values.size(), ch.times.size() * parts * static_cast<size_t>(ch.width));
      for (size_t k = 1; k < ch.times.size(); ++k) ASSERT_LT(ch.times[k - 1], ch.times[k]);
      for (const double x : ch.values) ASSERT_TRUE(std::isfinite(x));
    }
  }
}

// True when the file was refused.
bool try_file(const Scratch& dir, const std::string& bytes) {
  try {
    expect_sound(read_gltf(dir.put("c.glb", bytes)));
    return false;
  } catch (const InputError& e) {
    EXPECT_FALSE(e.where().file.empty());
    EXPECT_FALSE(e.fault().empty());
    return true;
  }
}

class GltfDamage : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Kinds, GltfDamage, testing::Values("plain", "draco", "edgebreaker", "meshopt"));

TEST_P(GltfDamage, CutFilesAreRefused) {
  const Scratch dir;
  const std::string whole = ribbon_as(GetParam()).glb();
  ASSERT_FALSE(try_file(dir, whole));
  for (size_t cut = 0; cut < whole.size(); cut += 7) EXPECT_TRUE(try_file(dir, whole.substr(0, cut))) << cut;
  // The same with a header that does not tell.
  for (size_t cut = 20; cut < whole.size(); cut += 13) {
    std::string bytes = whole.substr(0, cut);
    bytes.replace(8, 4, bytes_of(static_cast<uint32_t>(cut), false));
    EXPECT_TRUE(try_file(dir, bytes)) << cut;
  }
  EXPECT_FALSE(try_file(dir, whole + "trailing junk"));
}

TEST_P(GltfDamage, ChangedBytes) {
  const Scratch dir;
  const GltfBuilder b = ribbon_as(GetParam());
  const std::string whole = b.glb();
  std::mt19937 random(7);
  int refused = 0;
  for (int trial = 0; trial < 600; ++trial) {
    std::string bytes = whole;
    // Half of them in the data, which are fewer than the text.
    const size_t from = trial % 2 == 0 ? 0 : whole.size() - b.bin.size();
    for (unsigned k = 0; k <= random() % 4; ++k) {
      bytes[from + random() % (whole.size() - from)] = static_cast<char>(random());
    }
    refused += try_file(dir, bytes);
  }
  EXPECT_GT(refused, 100);
  EXPECT_LT(refused, 600);
}

// Every number of the JSON part in turn, by values that are out of any range or just wrong.
TEST_P(GltfDamage, HostileNumbers) {
  const Scratch dir;
  GltfBuilder b = ribbon_as(GetParam());
  const Json flat = b.json.flatten();
  int refused = 0, trials = 0;
  for (const auto& [pointer, value] : flat.items()) {
    if (!value.is_number()) continue;
    for (const Json& hostile : {Json(-1), Json(0), Json(1), Json(3), Json(1000), Json(UINT32_MAX), Json(UINT64_MAX),
                                Json(1e18), Json(0.5), Json("text"), Json(nullptr), Json::array()}) {
      GltfBuilder changed = b;
      changed.json[Json::json_pointer(pointer)] = hostile;
      refused += try_file(dir, changed.glb());
      ++trials;
    }
  }
  EXPECT_GT(refused, trials / 4);
}

TEST(GltfDamage, SharedDataCannotGrowWithoutLimit) {
  const Scratch dir;
  GltfBuilder b = Ribbon().file();
  const int big = b.push("accessors", {{"componentType", 5126}, {"count", 50000000}, {"type", "VEC3"}});
  b.primitive()["attributes"]["POSITION"] = big;
  EXPECT_TRUE(try_file(dir, b.glb()));
  // A deep nest of brackets is only refused.
  EXPECT_TRUE(try_file(dir, std::string(200000, '[')));
  EXPECT_TRUE(try_file(dir, "{\"asset\":" + std::string(100000, '[') + std::string(100000, ']') + "}"));
}

}  // namespace
}  // namespace supple
