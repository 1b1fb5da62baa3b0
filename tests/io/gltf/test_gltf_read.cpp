// Plain characters, number by number, and what is wrong with a file in words.
#include <gtest/gtest.h>

#include <functional>

#include "supple/base/error.h"
#include "supple/io/gltf/gltf_read.h"
#include "tests/io/gltf/gltf_builder.h"

namespace supple {
namespace {

Character read(const Scratch& dir, const GltfBuilder& b) { return read_gltf(dir.put("c.glb", b.glb())); }

// The complaint about a file, "" when it is read.
std::string complaint(const Scratch& dir, const std::string& name, const std::string& bytes) {
  try {
    read_gltf(dir.put(name, bytes));
    return "";
  } catch (const InputError& e) {
    EXPECT_EQ(e.where().file.substr(0, dir.path("").size()), dir.path(""));
    return e.what();
  }
}
std::string complaint(const GltfBuilder& b) {
  const Scratch dir;
  return complaint(dir, "c.glb", b.glb());
}

TEST(GltfRead, EverythingOfAPlainFile) {
  const Scratch dir;
  const Ribbon ribbon;
  const Character c = read(dir, ribbon.file());
  EXPECT_TRUE(c.warnings.empty()) << c.warnings[0];
  EXPECT_EQ(c.file, dir.path("c.glb"));

  ASSERT_EQ(c.nodes.size(), 4u);
  EXPECT_EQ(c.nodes[0].parent, -1);
  EXPECT_EQ(c.nodes[1].parent, 0);
  EXPECT_EQ(c.nodes[2].parent, 1);
  EXPECT_EQ(c.nodes[3].parent, 0);
  EXPECT_EQ(c.nodes[0].children, (std::vector<int>{1, 3}));
  EXPECT_EQ(c.nodes[1].name, "Hip");
  EXPECT_EQ(c.nodes[1].local.translation, Vec3(0, 0.5, 0));
  EXPECT_NEAR(c.nodes[2].local.rotation.angularDistance(Quat(0.8, 0, 0, 0.6)), 0, 1e-12);
  EXPECT_EQ(c.nodes[2].local.scale, Vec3(1, 2, 1));
  EXPECT_EQ(c.nodes[3].mesh, 0);
  EXPECT_EQ(c.nodes[3].skin, 0);
  EXPECT_EQ(c.shown, (std::vector<char>{1, 1, 1, 1}));

  ASSERT_EQ(c.skins.size(), 1u);
  EXPECT_EQ(c.skins[0].joints, (std::vector<int>{1, 2}));
  EXPECT_EQ(c.skins[0].inverse_binds[1] * Vec3(1, 2, 3), Vec3(1, 0.5, 3));

  ASSERT_EQ(c.meshes.size(), 1u);
  EXPECT_EQ(c.meshes[0].name, "Ribbon");
  EXPECT_EQ(c.meshes[0].weights, std::vector<double>{0.25});
  const Primitive& p = c.meshes[0].primitives.at(0);
  EXPECT_EQ(p.material, "Flesh");
  EXPECT_TRUE(p.triangles_only);
  ASSERT_EQ(p.positions.size(), 12u);
  ASSERT_EQ(p.triangles.size(), 10u);
  EXPECT_EQ(p.triangles[1], (Tri{2, 1, 3}));
  ASSERT_EQ(p.influences, 4);
  for (size_t v = 0; v < 12; ++v) {
    for (size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(p.positions[v][static_cast<int>(k)], ribbon.positions[3 * v + k]);
      EXPECT_EQ(p.normals[v][static_cast<int>(k)], ribbon.normals[3 * v + k]);
    }
    EXPECT_EQ(p.uvs[v], Eigen::Vector2d(ribbon.uvs[2 * v], ribbon.uvs[2 * v + 1]));
    EXPECT_EQ(p.joints[4 * v + 1], 1);
    EXPECT_NEAR(p.weights[4 * v + 1], ribbon.weights[4 * v + 1], 1e-7);
    EXPECT_NEAR(p.weights[4 * v] + p.weights[4 * v + 1], 1, 1e-15);
    EXPECT_EQ(p.maps.at("_SOFT")[v], ribbon.soft[v]);
    EXPECT_EQ(p.maps.at("COLOR_0.r")[v], ribbon.colors[4 * v] / 255.0);
    EXPECT_EQ(p.maps.at("COLOR_0.b")[v], 1);
    EXPECT_EQ(p.maps.at("COLOR_0.a")[v], 128 / 255.0);
  }
  ASSERT_EQ(p.targets.size(), 1u);
  EXPECT_EQ(p.targets[0].name, "Bulge");
  EXPECT_TRUE(p.targets[0].normals.empty());
  EXPECT_EQ(p.targets[0].positions[3], Vec3(1, 2, 3));
  EXPECT_EQ(p.targets[0].positions[10], Vec3(4, 5, 6));
  EXPECT_EQ(p.targets[0].positions[4], Vec3(0, 0, 0));

  ASSERT_EQ(c.clips.size(), 1u);
  EXPECT_EQ(c.clips[0].name, "Walk");
  EXPECT_EQ(c.clips[0].sources, std::vector<int>{0});
  EXPECT_EQ(c.clips[0].start, 0);
  EXPECT_EQ(c.clips[0].end, 1);
  ASSERT_EQ(c.clips[0].channels.size(), 2u);
  EXPECT_EQ(c.clips[0].channels[0].path, ChannelPath::rotation);
  EXPECT_EQ(c.clips[0].channels[0].width, 4);
  EXPECT_NEAR(c.clips[0].channels[0].values[6], 0.6, 1e-7);
  EXPECT_EQ(c.clips[0].channels[1].interpolation, Interpolation::step);
  EXPECT_EQ(c.clips[0].channels[1].values[7], 2);
}

TEST(GltfRead, StripsFansListsPointsAndLines) {
  const Scratch dir;
  auto triangles = [&](int mode, const std::vector<uint16_t>& list) {
    GltfBuilder b = Ribbon().file();
    b.primitive()["mode"] = mode;
    b.primitive().erase("indices");
    if (!list.empty()) b.primitive()["indices"] = b.accessor(list, "SCALAR");
    // Another mesh keeps the file worth reading when this one has no triangles.
    b.json["nodes"][0]["mesh"] = b.push("meshes", Json(b.json["meshes"][0]));
    b.primitive(1)["mode"] = 4;
    return read(dir, b).meshes[0].primitives[0];
  };
  EXPECT_EQ(triangles(5, {0, 1, 2, 3, 4}).triangles, (std::vector<Tri>{{0, 1, 2}, {1, 3, 2}, {2, 3, 4}}));
  EXPECT_EQ(triangles(6, {5, 0, 2, 4}).triangles.size(), 2u);
  EXPECT_EQ(triangles(6, {5, 0, 2, 4}).triangles[0], (Tri{0, 2, 5}));
  EXPECT_EQ(triangles(5, {}).triangles.size(), 10u);
  // 12 vertices are 4 triangles of three rows' corners each.
  EXPECT_EQ(triangles(4, {}).triangles[3], (Tri{9, 10, 11}));
  for (const int mode : {0, 1, 2, 3}) {
    const Primitive p = triangles(mode, {});
    EXPECT_FALSE(p.triangles_only);
    EXPECT_TRUE(p.triangles.empty());
    EXPECT_EQ(p.positions.size(), 12u);
  }
}

TEST(GltfRead, JointsAndWeightsOfAllKinds) {
  const Scratch dir;
  GltfBuilder b = Ribbon().file();
  std::vector<uint16_t> joints(48, 1), zeros(48, 0);
  std::vector<uint8_t> eighth(48, 0);
  std::vector<uint16_t> rest(48, 0);
  for (size_t v = 0; v < 12; ++v) {
    eighth[4 * v] = 51;       // 0.2
    rest[4 * v + 3] = 52428;  // 0.8
  }
  Json& attributes = b.primitive()["attributes"];
  attributes["JOINTS_0"] = b.accessor(zeros, "VEC4");
  attributes["WEIGHTS_0"] = b.accessor(eighth, "VEC4", true);
  attributes["JOINTS_1"] = b.accessor(joints, "VEC4");
  attributes["WEIGHTS_1"] = b.accessor(rest, "VEC4", true);
  const Character c = read(dir, b);
  EXPECT_TRUE(c.warnings.empty());
  const Primitive& p = c.meshes[0].primitives[0];
  ASSERT_EQ(p.influences, 8);
  ASSERT_EQ(p.joints.size(), 96u);
  EXPECT_NEAR(p.weights[8 * 5], 0.2, 1e-15);
  EXPECT_NEAR(p.weights[8 * 5 + 7], 0.8, 1e-15);
  EXPECT_EQ(p.joints[8 * 5 + 7], 1);
}

TEST(GltfRead, QuantizedVerticesAndStrides) {
  const Scratch dir;
  GltfBuilder b = Ribbon().file();
  b.json["extensionsRequired"] = {"KHR_mesh_quantization", "KHR_texture_transform", "KHR_materials_unlit"};
  std::vector<int16_t> positions;
  std::vector<int8_t> normals;
  std::vector<uint16_t> uvs;
  for (int v = 0; v < 12; ++v) {
    positions.insert(positions.end(), {static_cast<int16_t>(-32768 + 1000 * v), static_cast<int16_t>(32767 * (v % 2)),
                                       static_cast<int16_t>(100 * v * v), 77});
    normals.insert(normals.end(), {0, -128, 127, 99});
    uvs.insert(uvs.end(), {65535, static_cast<uint16_t>(v)});
  }
  auto padded = [&](auto values, bool normalized) {
    using T = typename decltype(values)::value_type;
    return b.push("accessors", {{"bufferView", b.view(packed(values), 4 * sizeof(T))},
                                {"componentType", component_code<T>()},
                                {"count", 12},
                                {"type", "VEC3"},
                                {"normalized", normalized}});
  };
  b.primitive()["attributes"]["POSITION"] = padded(positions, true);
  b.primitive()["attributes"]["NORMAL"] = padded(normals, true);
  b.primitive()["attributes"]["TEXCOORD_0"] = b.accessor(uvs, "VEC2", true);
  {
    const Character c = read(dir, b);
    const Primitive& p = c.meshes[0].primitives[0];
    EXPECT_EQ(p.positions[0], Vec3(-1, 0, 0));
    EXPECT_EQ(p.positions[3], Vec3(-29768 / 32767.0, 1, 900 / 32767.0));
    EXPECT_EQ(p.normals[5], Vec3(0, -1, 1));
    EXPECT_EQ(p.uvs[7], Eigen::Vector2d(1, 7 / 65535.0));
  }
  b.primitive()["attributes"]["POSITION"] = padded(positions, false);
  EXPECT_EQ(read(dir, b).meshes[0].primitives[0].positions[3], Vec3(-29768, 32767, 900));
}

TEST(GltfRead, SparseOverABase) {
  const Scratch dir;
  const Ribbon ribbon;
  GltfBuilder b = ribbon.file();
  const int base = b.primitive()["attributes"]["POSITION"];
  const int moved = Ribbon::sparse(b, 12, {5}, {7, 8, 9});
  b.json["accessors"][moved]["bufferView"] = b.json["accessors"][base]["bufferView"];
  b.primitive()["attributes"]["POSITION"] = moved;
  const Points positions = read(dir, b).meshes[0].primitives[0].positions;
  EXPECT_EQ(positions[5], Vec3(7, 8, 9));
  EXPECT_EQ(positions[4], Vec3(ribbon.positions[12], ribbon.positions[13], ribbon.positions[14]));
  b.json["accessors"][moved]["sparse"]["count"] = 4;
  expect_in(complaint(b), {"mesh 0 'Ribbon', primitive 0", "sparse", "do not fit"});
}

TEST(GltfRead, SeveralMeshesSkinsAndScenes) {
  const Scratch dir;
  GltfBuilder b = Ribbon().file();
  b.push("meshes", Json(b.json["meshes"][0]));
  b.json["meshes"][1]["primitives"].push_back(b.primitive());
  b.json["meshes"][1]["primitives"][1].erase("targets");
  b.push("skins", {{"joints", {2, 1}}});
  b.push("nodes", {{"mesh", 1}, {"skin", 1}, {"weights", {0.5}}});
  b.push("nodes", {{"mesh", 1}, {"matrix", {2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 4, 0, 5, 6, 7, 1}}});
  b.push("scenes", {{"nodes", {4, 1}}});
  b.json["scene"] = 1;
  const Character c = read(dir, b);
  EXPECT_EQ(c.shown, (std::vector<char>{0, 1, 1, 0, 1, 0}));
  EXPECT_EQ(c.skins[1].inverse_binds[0].matrix(), Affine::Identity().matrix());
  EXPECT_EQ(c.nodes[4].weights, std::vector<double>{0.5});
  ASSERT_TRUE(c.nodes[5].matrix.has_value());
  EXPECT_EQ(*c.nodes[5].matrix * Vec3(1, 1, 1), Vec3(7, 9, 11));
  // Every primitive of a mesh has the same targets.
  EXPECT_EQ(c.meshes[1].primitives[1].targets.size(), 1u);
  ASSERT_EQ(c.warnings.size(), 1u);
  expect_in(c.warnings[0], {"mesh 1 'Ribbon'", "morph targets"});
  b.json.erase("scenes");
  b.json.erase("scene");
  EXPECT_EQ(read(dir, b).shown, std::vector<char>(6, 1));
}

TEST(GltfRead, DataBesideTheFileAndInsideIt) {
  const Scratch dir;
  const GltfBuilder b = Ribbon().file();
  Json json = b.json;
  json["buffers"][0] = {{"byteLength", b.bin.size()}, {"uri", "my%20data.bin"}};
  // Pictures do not matter, found or not.
  json["images"] = {{{"uri", "missing.png"}}};
  json["textures"] = {{{"source", 0}}};
  expect_in(complaint(dir, "c.gltf", json.dump()), {"buffer 0", "my data.bin is missing"});
  dir.put("my data.bin", b.bin.substr(0, 100));
  expect_in(complaint(dir, "c.gltf", json.dump()), {"100 bytes"});
  dir.put("my data.bin", b.bin);
  EXPECT_EQ(read_gltf(dir.path("c.gltf")).meshes[0].primitives[0].triangles.size(), 10u);

  const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string base64;
  for (size_t i = 0; i < b.bin.size(); i += 3) {
    unsigned bits = 0;
    for (size_t k = 0; k < 3; ++k) bits = bits << 8 | (i + k < b.bin.size() ? static_cast<uint8_t>(b.bin[i + k]) : 0);
    for (size_t k = 0; k < 4; ++k) base64 += i + k > b.bin.size() ? '=' : digits[bits >> (18 - 6 * k) & 63];
  }
  json["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64;
  const Character c = read_gltf(dir.put("d.gltf", json.dump()));
  EXPECT_EQ(c.meshes[0].primitives[0].positions, read_gltf(dir.path("c.gltf")).meshes[0].primitives[0].positions);
  json["buffers"][0]["uri"] = "data:application/octet-stream;base64,!!!!";
  expect_in(complaint(dir, "d.gltf", json.dump()), {"base64"});
  json["buffers"][0]["uri"] = "https://example.com/a.bin";
  expect_in(complaint(dir, "d.gltf", json.dump()), {"not a file beside"});
}

TEST(GltfRead, Complaints) {
  const Scratch dir;
  expect_in(complaint(dir, "c.glb", ""), {"empty"});
  expect_in(complaint(dir, "c.gltf", "{\"asset\": "), {"not valid JSON"});
  expect_in(complaint(dir, "c.gltf", "{\"a\": 1}"), {"glTF version"});
  expect_in(complaint(dir, "c.gltf", "{\"asset\": {\"version\": \"1.0\"}}"), {"glTF 1.0", "2.0"});
  EXPECT_THROW(read_gltf(dir.path("no.glb")), InputError);
  EXPECT_THROW(read_gltf(dir.path("")), InputError);

  using Edit = std::function<void(GltfBuilder&)>;
  const std::pair<Edit, std::vector<const char*>> cases[] = {
      {[](auto& b) { b.json["nodes"][2]["children"] = {0}; }, {"node", "its own ancestor"}},
      {[](auto& b) { b.json["nodes"][2]["children"] = {3}; }, {"node 3 'Body'", "node 0 'Root'", "node 2 'Tip'"}},
      {[](auto& b) { b.json["nodes"][2]["children"] = {9}; }, {"node 2 'Tip'", "children is 9", "4 nodes"}},
      {[](auto& b) { b.json["extensionsRequired"] = {"EXT_mesh_gpu_instancing"}; }, {"EXT_mesh_gpu_instancing"}},
      {[](auto& b) {
         b.json["meshes"].clear();
         b.json["nodes"][3].erase("mesh");
       },
       {"no triangles"}},
      {[](auto& b) {
         b.json["scenes"][0]["nodes"] = {1};
         b.json["nodes"][0]["children"] = {3};
       },
       {"scene shows no"}},
      {[](auto& b) { b.json["scene"] = 1; }, {"scene is 1", "1 scenes"}},
      {[](auto& b) {
         std::vector<float> bad = Ribbon().positions;
         bad[22] = NAN;
         b.primitive()["attributes"]["POSITION"] = b.accessor(bad, "VEC3");
       },
       {"mesh 0 'Ribbon', primitive 0", "vertex 7", "not finite"}},
      {[](auto& b) {
         b.primitive()["indices"] = b.template accessor<uint16_t>({0, 1, 12}, "SCALAR");
       },
       {"primitive 0", "index 2 points at vertex 12", "12"}},
      {[](auto& b) { b.primitive()["attributes"]["NORMAL"] = b.accessor(std::vector<float>(33), "VEC3"); },
       {"NORMAL has 11 elements", "12 vertices"}},
      {[](auto& b) { b.primitive()["attributes"]["POSITION"] = 2; }, {"POSITION should have 3 numbers"}},
      {[](auto& b) { b.json["accessors"][0]["count"] = 4000000000u; }, {"accessor 0", "4000000000"}},
      {[](auto& b) { b.json["accessors"][0]["count"] = -1; }, {"accessor 0", "count"}},
      {[](auto& b) { b.json["accessors"][0]["count"] = 1e300; }, {"accessor 0", "count"}},
      {[](auto& b) { b.json["accessors"][0]["byteOffset"] = UINT64_MAX; }, {"accessor 0", "do not fit"}},
      {[](auto& b) { b.json["bufferViews"][0]["byteOffset"] = UINT64_MAX - 4; }, {"buffer view 0", "outside"}},
      {[](auto& b) { b.json["bufferViews"][0]["byteStride"] = UINT64_MAX / 2; }, {"do not fit"}},
      {[](auto& b) { b.json["bufferViews"][0]["byteStride"] = 8; }, {"overlap"}},
      {[](auto& b) {
         b.json["skins"][0]["joints"] = {1, 77};
       },
       {"skin 0 'Bones'", "77"}},
      {[](auto& b) { b.primitive()["mode"] = 7; }, {"mode 7"}},
      {[](auto& b) {
         b.json["nodes"][1]["translation"] = {1, 2};
       },
       {"node 1 'Hip'", "translation should hold 3"}},
  };
  for (const auto& [edit, words] : cases) {
    GltfBuilder b = Ribbon().file();
    edit(b);
    const std::string text = complaint(b);
    for (const char* word : words) EXPECT_NE(text.find(word), std::string::npos) << "'" << word << "' in: " << text;
  }
}

TEST(GltfRead, RepairsAreCountedAndNamed) {
  const Scratch dir;
  Ribbon r;
  GltfBuilder b = r.file();
  const Json clean = b.primitive();
  auto warning_of = [&](const std::function<void()>& edit, Primitive& out) {
    b.primitive() = clean;
    edit();
    const Character c = read(dir, b);
    EXPECT_EQ(c.warnings.size(), 1u);
    out = c.meshes[0].primitives[0];
    EXPECT_EQ(out.positions.size(), 12u);
    return c.warnings.empty() ? std::string() : c.warnings[0];
  };
  auto weights = [&](const std::vector<float>& w) {
    return [&b, w] { b.primitive()["attributes"]["WEIGHTS_0"] = b.accessor(w, "VEC4"); };
  };
  Primitive p;
  std::vector<float> w = r.weights;
  w[16] *= 2, w[17] *= 2;
  expect_in(warning_of(weights(w), p), {"mesh 0 'Ribbon', primitive 0: 1 vertex", "sum to 1"});
  EXPECT_NEAR(p.weights[16], r.weights[16], 1e-7);
  w = r.weights;
  w[16] = NAN, w[20] = -1, w[22] = INFINITY;
  expect_in(warning_of(weights(w), p), {"2 vertices", "set to 0"});
  EXPECT_EQ(p.weights[16], 0);
  EXPECT_EQ(p.weights[17], 1);
  w = r.weights;
  for (size_t k = 16; k < 20; ++k) w[k] = 0;
  expect_in(warning_of(weights(w), p), {"1 vertex", "first joint"});
  EXPECT_EQ(p.weights[16], 1);
  EXPECT_EQ(p.joints[16], 0);
  std::vector<uint8_t> joints = r.joints;
  joints[16] = 2;    // vertex 4, weight 0.6
  joints[18] = 200;  // unused
  expect_in(warning_of([&] { b.primitive()["attributes"]["JOINTS_0"] = b.accessor(joints, "VEC4"); }, p),
            {"1 vertex", "2 do not include"});
  EXPECT_EQ(p.weights[17], 1);
  EXPECT_EQ(p.joints[16], 0);
  EXPECT_EQ(p.joints[18], 0);

  auto triangles = [&](const std::vector<uint16_t>& extra) {
    return [&b, &r, extra] {
      std::vector<uint16_t> list = r.indices;
      list.insert(list.begin(), extra.begin(), extra.end());
      b.primitive()["indices"] = b.accessor(list, "SCALAR");
    };
  };
  expect_in(warning_of(triangles({0, 1, 1, 4, 4, 4}), p), {"2 triangles without area"});
  EXPECT_EQ(p.triangles.size(), 10u);
  // The same turn again is one too many; the other turn is the back of the sheet.
  expect_in(warning_of(triangles({1, 2, 0, 0, 2, 1}), p), {"1 triangle of the same"});
  EXPECT_EQ(p.triangles.size(), 11u);
  expect_in(warning_of(
                [&] {
                  b.primitive()["indices"] = b.accessor<uint16_t>({0, 1, 2, 3}, "SCALAR");
                },
                p),
            {"1 indices after"});
  std::vector<float> flat = r.positions;
  flat[3] = flat[0] + 1e-14f, flat[4] = flat[1], flat[5] = flat[2];
  expect_in(warning_of([&] { b.primitive()["attributes"]["POSITION"] = b.accessor(flat, "VEC3"); }, p),
            {"1 triangle without area"});
  std::vector<float> normals = r.normals;
  normals[4] = NAN;
  expect_in(warning_of([&] { b.primitive()["attributes"]["NORMAL"] = b.accessor(normals, "VEC3"); }, p), {"normals"});
  EXPECT_TRUE(p.normals.empty());
  expect_in(warning_of(
                [&] {
                  b.primitive()["attributes"].erase("WEIGHTS_0");
                  b.primitive()["attributes"].erase("JOINTS_0");
                },
                p),
            {"follows its node"});
  EXPECT_EQ(p.influences, 0);
}

}  // namespace
}  // namespace supple
