// A vertex animation as a .glb, taken apart again by a second, independent path.
#include "supple/io/gltf/gltf_morph.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "supple/base/error.h"
#include "supple/mesh/tet_mesh.h"
#include "tests/io/scratch.h"

namespace supple {
namespace {

using Json = nlohmann::json;

TriMesh box_surface() {
  TriMesh mesh = boundary_surface(make_box(6, 2, 2, Vec3(3, 1, 1)));
  for (const Vec3& v : mesh.vertices) {
    mesh.colors.push_back(Vec3(v.x() / 3, v.y(), 0.5));
    mesh.uvs.emplace_back(v.x(), 0.25);
  }
  return mesh;
}

// A travelling bend: more than a handful of components, but smooth.
PointCache bend(const TriMesh& mesh, int n_frames) {
  PointCache c;
  for (int f = 0; f < n_frames; ++f) {
    VecX x = flatten(mesh.vertices);
    for (int v = 0; v < mesh.n_vertices(); ++v) {
      const double s = mesh.vertices[v].x();
      x[3 * v + 1] += 0.3 * std::sin(0.2 * f - 1.5 * s) + 0.05 * std::cos(0.5 * f * mesh.vertices[v].z() + s);
      x[3 * v + 2] += 0.01 * f;
    }
    c.add(x);
  }
  return c;
}

struct Glb {
  Json head;
  std::string bin;

  explicit Glb(const std::string& bytes) {
    auto u32 = [&](size_t at) {
      uint32_t x = 0;
      for (int i = 3; i >= 0; --i) x = x << 8 | static_cast<unsigned char>(bytes[at + static_cast<size_t>(i)]);
      return x;
    };
    EXPECT_EQ(bytes.substr(0, 4), "glTF");
    EXPECT_EQ(u32(8), bytes.size());
    const size_t n = u32(12);
    EXPECT_EQ(bytes.substr(16, 4), "JSON");
    head = Json::parse(bytes.substr(20, n));
    EXPECT_EQ(bytes.substr(24 + n, 3), "BIN");
    bin = bytes.substr(28 + n, u32(20 + n));
  }
  std::vector<float> floats(int accessor) const {
    const Json& a = head["accessors"][accessor];
    const Json& view = head["bufferViews"][a["bufferView"].get<int>()];
    std::vector<float> values(view["byteLength"].get<size_t>() / 4);
    std::memcpy(values.data(), bin.data() + view.value("byteOffset", size_t{0}), values.size() * 4);
    return values;
  }
};

TEST(GltfMorph, FramesComeBackWithinTheReportedError) {
  const Scratch dir;
  const TriMesh mesh = box_surface();
  const PointCache frames = bend(mesh, 60);
  const MorphReport report = write_glb(dir.path("m.glb"), mesh, frames, {.fps = 30, .tolerance_m = 1e-3});
  const std::string bytes = dir.get("m.glb");
  EXPECT_EQ(report.bytes, bytes.size());
  EXPECT_LT(report.targets, 40);
  EXPECT_LE(report.max_error_m, 1e-3);

  const Glb glb(bytes);
  const Json& primitive = glb.head["meshes"][0]["primitives"][0];
  EXPECT_TRUE(glb.head["materials"][0]["doubleSided"].get<bool>());
  EXPECT_TRUE(primitive["attributes"].contains("COLOR_0"));
  EXPECT_TRUE(primitive["attributes"].contains("TEXCOORD_0"));
  EXPECT_EQ(glb.floats(primitive["attributes"]["TEXCOORD_0"])[1], 0.75f);
  const std::vector<float> rest = glb.floats(primitive["attributes"]["POSITION"]);
  const std::vector<float> rest_normals = glb.floats(primitive["attributes"]["NORMAL"]);
  const Json& sampler = glb.head["animations"][0]["samplers"][0];
  EXPECT_EQ(sampler.value("interpolation", "LINEAR"), "LINEAR");
  const std::vector<float> times = glb.floats(sampler["input"]), weights = glb.floats(sampler["output"]);
  ASSERT_EQ(times.size(), 60u);
  EXPECT_FLOAT_EQ(times[30], 1.0f);
  ASSERT_EQ(weights.size(), 60u * static_cast<size_t>(report.targets));
  // Viewers hold weights within these; a second shape goes both ways.
  ASSERT_GT(report.targets, 2);
  EXPECT_GE(*std::min_element(weights.begin(), weights.end()), 0.0f);
  EXPECT_LE(*std::max_element(weights.begin(), weights.end()), 1.0f);
  std::vector<std::vector<float>> targets, turns;
  for (const Json& t : primitive["targets"]) {
    targets.push_back(glb.floats(t["POSITION"]));
    turns.push_back(glb.floats(t["NORMAL"]));
  }
  ASSERT_EQ(targets.size(), static_cast<size_t>(report.targets));
  double worst = 0, worst_normal = 0;
  for (int f = 0; f < 60; ++f) {
    const Points normals = vertex_normals(frames.points(f), mesh.triangles);
    for (int v = 0; v < mesh.n_vertices(); ++v) {
      Vec3 x, n;
      for (int k = 0; k < 3; ++k) {
        const size_t i = 3 * static_cast<size_t>(v) + static_cast<size_t>(k);
        x[k] = rest[i];
        n[k] = rest_normals[i];
        for (size_t t = 0; t < targets.size(); ++t) {
          const double w = weights[static_cast<size_t>(f) * targets.size() + t];
          x[k] += w * targets[t][i];
          n[k] += w * turns[t][i];
        }
      }
      worst = std::max(worst, (x - frames.points(f)[v]).norm());
      worst_normal = std::max(worst_normal, (n.normalized() - normals[v]).norm());
    }
  }
  EXPECT_NEAR(worst, report.max_error_m, 1e-9);
  EXPECT_LT(worst_normal, 0.1);
}

TEST(GltfMorph, FewFramesAreTheTargetsThemselves) {
  const Scratch dir;
  const TriMesh mesh = box_surface();
  const MorphReport few = write_glb(dir.path("f.glb"), mesh, bend(mesh, 5), {.tolerance_m = 1e-12});
  EXPECT_EQ(few.targets, 5);
  EXPECT_LT(few.max_error_m, 1e-6);
  // Too few targets allowed: the error says so.
  const MorphReport short_of =
      write_glb(dir.path("s.glb"), mesh, bend(mesh, 60), {.tolerance_m = 1e-6, .max_targets = 3});
  EXPECT_EQ(short_of.targets, 3);
  EXPECT_GT(short_of.max_error_m, 1e-6);
  const MorphReport still = write_glb(dir.path("still.glb"), mesh, {});
  EXPECT_EQ(still.targets, 0);
  EXPECT_FALSE(Glb(dir.get("still.glb")).head.contains("animations"));
}

TEST(GltfMorph, BadInputIsRefused) {
  const Scratch dir;
  const TriMesh mesh = box_surface();
  PointCache frames = bend(mesh, 3);
  frames.xyz[7] = std::nanf("");
  EXPECT_THROW(write_glb(dir.path("m.glb"), mesh, frames), InputError);
  EXPECT_THROW(write_glb(dir.path("m.glb"), TriMesh{}, {}), InputError);
  TriMesh other = mesh;
  other.vertices.push_back(Vec3::Zero());
  EXPECT_THROW(write_glb(dir.path("m.glb"), other, bend(mesh, 3)), InputError);
  EXPECT_FALSE(std::filesystem::exists(dir.path("m.glb")));
  EXPECT_FALSE(std::filesystem::exists(dir.path("m.glb.part")));
}

}  // namespace
}  // namespace supple
