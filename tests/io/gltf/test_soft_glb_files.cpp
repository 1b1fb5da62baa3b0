// Inputs of write_soft_glb of all kinds, damaged ones, and what a viewer makes of the output.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "supple/anim/character.h"
#include "supple/base/error.h"
#include "supple/base/markup.h"
#include "supple/io/gltf/soft_glb.h"
#include "tests/io/gltf/gltf_packed.h"
#include "tests/io/gltf/soft_glb_files.h"

namespace supple {
namespace {

class SoftGlbKinds : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Kinds, SoftGlbKinds, testing::Values("plain", "draco", "edgebreaker", "meshopt"));

TEST_P(SoftGlbKinds, ComePlain) {
  const Scratch dir;
  const Ribbon ribbon;
  const SoftClip clip = ribbon_clip("Walk", {0}, 10);
  const SoftGlbReport report =
      write_soft_glb(dir.put("in.glb", ribbon_as(GetParam()).glb()), dir.path("out.glb"), {clip});
  const std::string bytes = dir.get("out.glb");
  const ReadGlb out(bytes);
  EXPECT_EQ(bytes.find("draco"), std::string::npos);
  EXPECT_EQ(bytes.find("meshopt"), std::string::npos);
  EXPECT_FALSE(out.json.contains("extensionsRequired"));
  const auto& primitive = out.json["meshes"][0]["primitives"][0];
  const auto& attributes = primitive["attributes"];
  const std::vector<double> x = out.numbers(attributes["POSITION"]), w = out.numbers(attributes["WEIGHTS_0"]);
  ASSERT_EQ(x.size(), ribbon.positions.size());
  // Vertices may come in another order, with all that belongs to them.
  for (size_t v = 0; v < 12; ++v) {
    double nearest = INFINITY, weight = 0;
    for (size_t u = 0; u < 12; ++u) {
      double distance = 0;
      for (size_t k = 0; k < 3; ++k)
        distance += std::abs(x[3 * v + k] - static_cast<double>(ribbon.positions[3 * u + k]));
      if (distance < nearest) nearest = distance, weight = static_cast<double>(ribbon.weights[4 * u]);
    }
    EXPECT_LT(nearest, 1e-3);
    EXPECT_NEAR(w[4 * v], weight, 1e-6);
  }
  EXPECT_EQ(out.numbers(attributes["JOINTS_0"]).size(), 48u);
  EXPECT_EQ(out.numbers(primitive["indices"]).size(), ribbon.indices.size());
  for (const auto& view : out.json["bufferViews"]) {
    EXPECT_EQ(view["buffer"], 0);
    EXPECT_LE(view.value("byteOffset", size_t{0}) + view["byteLength"].get<size_t>(), out.bin.size());
  }
  for (size_t f = 0; f < 10; ++f) {
    const std::vector<double> got = out.displacement("Walk.soft", 3, 0, 1, static_cast<float>(clip.times[f]));
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_NEAR(got[i], clip.meshes[0].positions[0][f][static_cast<long>(i)], report.max_error + 1e-7);
    }
  }
}

// Draco rounds weights one by one; plain ones must sum to 1.
TEST(SoftGlbFiles, DracoWeightsSumToOne) {
  const Scratch dir;
  Ribbon ribbon;
  for (float& w : ribbon.weights) w *= 1.0002f;
  const GltfBuilder b = with_draco(ribbon, draco::MESH_SEQUENTIAL_ENCODING);
  write_soft_glb(dir.put("in.glb", b.glb()), dir.path("out.glb"), {ribbon_clip("Walk", {0}, 5)});
  const ReadGlb out(dir.get("out.glb"));
  const std::vector<double> w = out.numbers(out.json["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"]);
  for (size_t i = 0; i < w.size(); i += 4) EXPECT_NEAR(w[i] + w[i + 1] + w[i + 2] + w[i + 3], 1, 2e-7);
}

TEST_P(SoftGlbKinds, DamageIsRefusedOrHarmless) {
  const Scratch dir;
  const GltfBuilder b = ribbon_as(GetParam());
  const std::string whole = b.glb();
  const SoftClip clip = ribbon_clip("Walk", {0}, 3, 1);
  auto refused = [&](const std::string& bytes) {
    try {
      write_soft_glb(dir.put("in.glb", bytes), dir.path("out.glb"), {clip});
      return false;
    } catch (const InputError&) {
      return true;
    }
  };
  EXPECT_FALSE(refused(whole));
  for (size_t cut = 0; cut < whole.size(); cut += 23) EXPECT_TRUE(refused(whole.substr(0, cut))) << cut;
  std::mt19937 random(3);
  for (int trial = 0; trial < 300; ++trial) {
    std::string bytes = whole;
    const size_t from = trial % 3 > 0 ? 0 : whole.size() - b.bin.size();
    for (unsigned k = 0; k <= random() % 3; ++k)
      bytes[from + random() % (whole.size() - from)] = static_cast<char>(random());
    refused(bytes);
  }
  // Values of the wrong kind, where the file's own lists are changed.
  for (const char* key : {"meshes", "nodes", "animations", "bufferViews", "accessors", "skins"}) {
    for (const Json& value : {Json(nullptr), Json(3), Json("x"), Json::array(), Json::array({1}), Json::object()}) {
      GltfBuilder changed = b;
      changed.json[key] = value;
      refused(changed.glb());
      changed = b;
      changed.json[key][0] = value;
      refused(changed.glb());
    }
  }
}

TEST(SoftGlbFiles, BuffersAndPicturesAreTakenIn) {
  const Scratch dir;
  const GltfBuilder plain = Ribbon().file();
  Json json = plain.json;
  // Views of even index in a file beside, the others in the text; and three pictures, one of them missing.
  std::string beside, inside;
  for (size_t v = 0; v < json["bufferViews"].size(); ++v) {
    Json& view = json["bufferViews"][v];
    std::string& bytes = v % 2 == 0 ? beside : inside;
    bytes.resize((bytes.size() + 3) / 4 * 4, '\0');
    const size_t at = bytes.size();
    bytes += plain.bin.substr(view["byteOffset"], view["byteLength"]);
    view["byteOffset"] = at;
    view["buffer"] = v % 2;
  }
  dir.put("a b.bin", beside);
  json["buffers"] = {
      {{"uri", "a%20b.bin"}, {"byteLength", beside.size()}},
      {{"uri", "data:application/octet-stream;base64," + base64(inside)}, {"byteLength", inside.size()}}};
  const std::string png = "\x89PNG\r\n\x1a\nnot much of a picture", jpeg = "\xFF\xD8\xFF\xE0 nor this";
  dir.put("skin.png", png);
  json["images"] = {{{"uri", "skin.png"}, {"name", "Skin"}},
                    {{"uri", "data:image/jpeg;base64," + base64(jpeg)}},
                    {{"uri", "gone.png"}}};
  const SoftGlbReport report =
      write_soft_glb(dir.put("in.gltf", json.dump()), dir.path("out.glb"), {ribbon_clip("Walk", {0}, 5)});
  EXPECT_EQ(report.warnings.size(), 1u);
  const ReadGlb out(dir.get("out.glb")), in(plain.glb());
  for (size_t i = 0; i < in.json["accessors"].size(); ++i) {
    EXPECT_EQ(in.numbers(static_cast<int>(i)), out.numbers(static_cast<int>(i))) << i;
  }
  for (const auto& a : out.json["accessors"]) {
    if (!a.contains("bufferView")) continue;
    const size_t at = out.start(a["bufferView"]) + a.value("byteOffset", size_t{0});
    EXPECT_EQ(at % (a["componentType"] >= 5125 ? 4 : a["componentType"] >= 5122 ? 2 : 1), 0u);
  }
  auto picture = [&](size_t i) {
    const auto& view = out.json["bufferViews"][out.json["images"][i]["bufferView"].get<size_t>()];
    return out.bin.substr(view["byteOffset"], view["byteLength"]);
  };
  EXPECT_EQ(picture(0), png);
  EXPECT_EQ(picture(1), jpeg);
  EXPECT_EQ(out.json["images"][0]["mimeType"], "image/png");
  EXPECT_EQ(out.json["images"][1]["mimeType"], "image/jpeg");
  EXPECT_EQ(out.json["images"][0]["name"], "Skin");
  EXPECT_EQ(out.json["images"][2]["uri"], "gone.png");
}

// The output as three.js shows it, at and between keys, skin and all, against a pose worked out here.
TEST(SoftGlbFiles, AViewerShowsTheMotion) {
  const char* three = getenv("THREE_DIR");
  if (!three || system("node --version > /dev/null 2>&1") != 0) {
    GTEST_SKIP() << "set THREE_DIR to the folder of the package three, and have node";
  }
  const Scratch dir;
  const Ribbon ribbon;
  GltfBuilder b = ribbon.file();
  b.channel(0, 3, "weights", b.accessor<float>({0.0f, 0.3f, 0.9f}, "SCALAR"),
            b.accessor<float>({0.0f, 0.5f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.25f, 0.0f}, "SCALAR"), "CUBICSPLINE");
  const SoftClip clip = ribbon_clip("Walk", {0}, 24);
  const SoftGlbReport report = write_soft_glb(dir.put("in.glb", b.glb()), dir.path("out.glb"), {clip});
  const std::vector<double> times = {0, clip.times[7], 0.377, 0.5, 0.8123};
  std::string command = "node '" SUPPLE_SOURCE_DIR "/tests/three/evaluate.mjs' '" + dir.path("out.glb") + "' Walk.soft";
  for (const double t : times) command += " " + std::to_string(t);
  ASSERT_EQ(system((command + " > '" + dir.path("seen.json") + "'").c_str()), 0);
  const Json seen = Json::parse(dir.get("seen.json"));
  const ReadGlb in(dir.get("in.glb"));
  const std::vector<double> bulge = in.numbers(b.primitive()["targets"][0]["POSITION"]);
  ASSERT_EQ(seen["shapes"].size(), 1u);
  double furthest = 0;
  for (size_t i = 0; i < times.size(); ++i) {
    const double t = std::stod(std::to_string(times[i])), f = t * 24, s = f - std::floor(f);
    const double own = in.value(*in.sampler("Walk", 3, "weights"), t)[0];
    const auto frame = static_cast<size_t>(f);
    const VecX u =
        (1 - s) * clip.meshes[0].positions[0][frame] + s * clip.meshes[0].positions[0][std::min<size_t>(frame + 1, 23)];
    // Hip steps up; the tip turns about z between keys, with its scale of (1, 2, 1).
    const double lift = t < 0.5 ? 0 : 1, half = std::asin(0.6) * (t < 0.5 ? t / 0.5 : (1 - t) / 0.5);
    const Affine hip(Eigen::Translation3d(0, lift, 0));
    const Affine tip = hip * Eigen::Translation3d(0, 1, 0) * Eigen::AngleAxisd(2 * half, Vec3::UnitZ()) *
                       Eigen::Scaling(1.0, 2.0, 1.0);
    const Affine joints[2] = {hip * Eigen::Translation3d(0, -0.5, 0), tip * Eigen::Translation3d(0, -1.5, 0)};
    for (size_t v = 0; v < 12; ++v) {
      Vec3 x;
      for (size_t k = 0; k < 3; ++k) {
        x[static_cast<long>(k)] =
            static_cast<double>(ribbon.positions[3 * v + k]) + own * bulge[3 * v + k] + u[static_cast<long>(3 * v + k)];
      }
      const double w = static_cast<double>(ribbon.weights[4 * v + 1]);
      const Vec3 expected = (1 - w) * (joints[0] * x) + w * (joints[1] * x);
      const Json& list = seen["shapes"][0]["positions"][i];
      const Vec3 shown(list[3 * v], list[3 * v + 1], list[3 * v + 2]);
      EXPECT_LT((shown - expected).norm(), 2 * report.max_error + 2e-6) << "vertex " << v << " at " << t;
      furthest = std::max(furthest, u.segment<3>(static_cast<long>(3 * v)).norm());
    }
  }
  EXPECT_GT(furthest, 0.01);
}

}  // namespace
}  // namespace supple
