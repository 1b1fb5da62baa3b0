// Colours and pictures of materials; damage among them is never a reason to fail.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "supple/base/markup.h"
#include "supple/io/gltf/gltf_looks.h"
#include "tests/io/gltf/gltf_builder.h"

namespace supple {
namespace {

const std::string kPng = "\x89PNG and more", kJpeg = "\xFF\xD8\xFF and more";

// Three materials over one triangle each: plain, with a picture in a view, with one in a data URI.
GltfBuilder three() {
  GltfBuilder b;
  const int p = b.accessor<float>({0, 0, 0, 1, 0, 0, 0, 1, 0}, "VEC3");
  Json primitives = Json::array();
  for (int m = 0; m < 4; ++m) {
    primitives.push_back({{"attributes", {{"POSITION", p}}}});
    if (m < 3) primitives.back()["material"] = m;
  }
  b.push("meshes", {{"primitives", primitives}});
  b.push("nodes", {{"mesh", 0}});
  b.push("images", {{"bufferView", b.view(kPng)}, {"mimeType", "image/png"}});
  b.push("images", {{"uri", "data:image/jpeg;base64," + base64(kJpeg)}});
  b.push("textures", {{"source", 0}});
  b.push("textures", {{"source", 1}});
  b.push("materials", {{"name", "plain"},
                       {"alphaMode", "BLEND"},
                       {"pbrMetallicRoughness", {{"baseColorFactor", {0.1, 0.2, 0.3, 0.4}}}}});
  b.push("materials", {{"alphaMode", "MASK"}, {"pbrMetallicRoughness", {{"baseColorTexture", {{"index", 0}}}}}});
  const Json transform = {{"offset", {0.5, 0.25}}, {"scale", {2, 3}}, {"rotation", std::acos(-1.0) / 2}};
  b.push("materials",
         {{"pbrMetallicRoughness",
           {{"baseColorTexture", {{"index", 1}, {"extensions", {{"KHR_texture_transform", transform}}}}}}}});
  return b;
}

TEST(GltfLooks, ColoursAndPictures) {
  const Scratch dir;
  const GltfLooks looks = read_gltf_looks(dir.put("c.glb", three().glb()), 1000);
  const GltfLook plain = looks.of(0, 0), masked = looks.of(0, 1), turned = looks.of(0, 2);
  EXPECT_EQ(plain.name, "plain");
  EXPECT_EQ(plain.color, Vec3(0.1, 0.2, 0.3));
  EXPECT_EQ(plain.opacity, 0.4);
  EXPECT_EQ(plain.picture, -1);
  EXPECT_EQ(masked.color, Vec3::Ones());
  EXPECT_EQ(masked.cut_out, 0.5);
  ASSERT_EQ(looks.pictures.size(), 2u);
  EXPECT_EQ(looks.pictures[masked.picture].bytes, kPng);
  EXPECT_EQ(looks.pictures[masked.picture].type, "image/png");
  EXPECT_EQ(looks.pictures[turned.picture].bytes, kJpeg);
  EXPECT_EQ(looks.pictures[turned.picture].type, "image/jpeg");
  // Scaled, turned against the clock as seen with v down, moved: (1, 0) -> (2, 0) -> (0, -2) -> (0.5, -1.75).
  EXPECT_LT((turned.uv_to_picture * Vec3(1, 0, 1) - Eigen::Vector2d(0.5, -1.75)).norm(), 1e-12);
  EXPECT_LT((turned.uv_to_picture * Vec3(0, 1, 1) - Eigen::Vector2d(3.5, 0.25)).norm(), 1e-12);
  EXPECT_EQ(looks.of(0, 3).picture, -1);  // no material
  for (const auto& [mesh, primitive] : {std::pair{0, 4}, std::pair{1, 0}, std::pair{-1, 0}, std::pair{0, -1}})
    EXPECT_EQ(looks.of(mesh, primitive).color, GltfLook{}.color);
}

TEST(GltfLooks, PicturesWithinALimit) {
  const Scratch dir;
  const GltfLooks looks = read_gltf_looks(dir.put("c.glb", three().glb()), kPng.size() + 1);
  EXPECT_EQ(looks.pictures.size(), 1u);
  EXPECT_GE(looks.of(0, 1).picture, 0);
  EXPECT_EQ(looks.of(0, 2).picture, -1);
}

TEST(GltfLooks, DamageIsGrey) {
  const Scratch dir;
  const auto pictures = [&](const std::function<void(Json&)>& damage) {
    GltfBuilder b = three();
    damage(b.json);
    return read_gltf_looks(dir.put("c.glb", b.glb()), 1000).pictures.size();
  };
  EXPECT_EQ(pictures([](Json&) {}), 2u);
  EXPECT_EQ(pictures([](Json& j) { j["textures"] = 7; }), 0u);
  EXPECT_EQ(pictures([](Json& j) { j["textures"][0]["source"] = 99; }), 1u);
  EXPECT_EQ(pictures([](Json& j) { j["textures"][0]["source"] = "x"; }), 1u);
  EXPECT_EQ(pictures([](Json& j) { j["images"][0]["bufferView"] = 1u << 31; }), 1u);
  EXPECT_EQ(pictures([](Json& j) { j["images"][1]["uri"] = "missing.png"; }), 1u);
  EXPECT_EQ(pictures([](Json& j) { j["images"][1]["uri"] = "data:text/plain,hello"; }), 1u);
  EXPECT_EQ(pictures([](Json& j) { j["materials"][1]["pbrMetallicRoughness"] = {1, 2}; }), 1u);
  EXPECT_EQ(pictures([](Json& j) {
              j["materials"][2]["pbrMetallicRoughness"]["baseColorFactor"] = {"red", nullptr};
            }),
            2u);
  EXPECT_TRUE(read_gltf_looks(dir.put("d.glb", "glTF"), 1000).materials.empty());
  EXPECT_TRUE(read_gltf_looks(dir.path("nowhere.glb"), 1000).materials.empty());
}

}  // namespace
}  // namespace supple
