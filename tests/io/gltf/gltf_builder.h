// Small glTF files made by hand.
#pragma once
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/io/scratch.h"

namespace supple {

using Json = nlohmann::json;

template <class T>
std::string packed(const std::vector<T>& values) {
  std::string bytes;
  for (const T& v : values) bytes += bytes_of(v, false);
  return bytes;
}

template <class T>
int component_code() {
  if constexpr (std::is_same_v<T, int8_t>) return 5120;
  if constexpr (std::is_same_v<T, uint8_t>) return 5121;
  if constexpr (std::is_same_v<T, int16_t>) return 5122;
  if constexpr (std::is_same_v<T, uint16_t>) return 5123;
  if constexpr (std::is_same_v<T, uint32_t>) return 5125;
  return 5126;
}

struct GltfBuilder {
  Json json = {{"asset", {{"version", "2.0"}}}, {"buffers", Json::array({{{"byteLength", 0}}})}};
  std::string bin;

  int push(const char* list, Json item) {
    json[list].push_back(std::move(item));
    return static_cast<int>(json[list].size()) - 1;
  }
  int view(const std::string& bytes, int stride = 0) {
    bin.resize((bin.size() + 3) / 4 * 4, '\0');
    Json v = {{"buffer", 0}, {"byteOffset", bin.size()}, {"byteLength", bytes.size()}};
    if (stride > 0) v["byteStride"] = stride;
    bin += bytes;
    return push("bufferViews", v);
  }
  template <class T>
  int accessor(const std::vector<T>& values, const std::string& type, bool normalized = false) {
    const int width = type == "SCALAR" ? 1 : type == "MAT4" ? 16 : type.back() - '0';
    Json a = {{"bufferView", view(packed(values))},
              {"componentType", component_code<T>()},
              {"count", values.size() / static_cast<size_t>(width)},
              {"type", type}};
    if (normalized) a["normalized"] = true;
    return push("accessors", a);
  }
  Json& primitive(int mesh = 0, int p = 0) { return json["meshes"][mesh]["primitives"][p]; }

  // An animation with one channel; returns its index. Add to it with `channel`.
  int animation(const std::string& name) {
    Json a = {{"channels", Json::array()}, {"samplers", Json::array()}};
    if (!name.empty()) a["name"] = name;
    return push("animations", a);
  }
  void channel(int animation, int node, const std::string& path, int input, int output,
               const std::string& interpolation = "LINEAR") {
    Json& a = json["animations"][animation];
    a["samplers"].push_back({{"input", input}, {"output", output}, {"interpolation", interpolation}});
    a["channels"].push_back({{"sampler", a["samplers"].size() - 1}, {"target", {{"node", node}, {"path", path}}}});
  }

  std::string glb() const {
    Json out = json;
    if (!bin.empty()) out["buffers"][0]["byteLength"] = bin.size();
    if (bin.empty()) out.erase("buffers");
    std::string text = out.dump();
    text.resize((text.size() + 3) / 4 * 4, ' ');
    std::string data = bin;
    data.resize((data.size() + 3) / 4 * 4, '\0');
    std::string bytes = "glTF";
    bytes += bytes_of<uint32_t>(2, false);
    bytes += bytes_of(static_cast<uint32_t>(12 + 8 + text.size() + (data.empty() ? 0 : 8 + data.size())), false);
    bytes += bytes_of(static_cast<uint32_t>(text.size()), false) + "JSON" + text;
    if (!data.empty()) bytes += bytes_of(static_cast<uint32_t>(data.size()), false) + std::string("BIN\0", 4) + data;
    return bytes;
  }
};

// A flat ribbon of 2 x 6 vertices along y, skinned to two joints, with a morph target, a painted map and a clip.
// Nodes: 0 root, 1 and 2 joints, 3 the mesh.
struct Ribbon {
  static constexpr int kRows = 6;
  std::vector<float> positions, normals, uvs, weights, soft;
  std::vector<uint8_t> joints, colors;
  std::vector<uint16_t> indices;

  Ribbon() {
    for (int r = 0; r < kRows; ++r) {
      for (int side = 0; side < 2; ++side) {
        const float t = static_cast<float>(r) / (kRows - 1);
        positions.insert(positions.end(), {static_cast<float>(side) - 0.5f, 2 * t, 0.125f * t * t});
        normals.insert(normals.end(), {0, 0, 1});
        uvs.insert(uvs.end(), {static_cast<float>(side), t});
        joints.insert(joints.end(), {0, 1, 0, 0});
        weights.insert(weights.end(), {1 - t, t, 0, 0});
        soft.push_back(t);
        colors.insert(colors.end(), {static_cast<uint8_t>(51 * r), 0, 255, 128});
      }
    }
    for (uint16_t r = 0; r + 1 < kRows; ++r) {
      const auto a = static_cast<uint16_t>(2 * r);
      for (const int k : {0, 1, 2, 2, 1, 3}) indices.push_back(static_cast<uint16_t>(a + k));
    }
  }

  GltfBuilder file() const {
    GltfBuilder b;
    b.push("nodes", {{"name", "Root"}, {"children", {1, 3}}});
    b.push("nodes", {{"name", "Hip"}, {"children", {2}}, {"translation", {0, 0.5, 0}}});
    b.push("nodes",
           {{"name", "Tip"}, {"translation", {0, 1, 0}}, {"rotation", {0, 0, 0.6, 0.8}}, {"scale", {1, 2, 1}}});
    b.push("nodes", {{"name", "Body"}, {"mesh", 0}, {"skin", 0}});
    b.push("scenes", {{"nodes", {0}}});
    b.json["scene"] = 0;
    b.push("materials", {{"name", "Flesh"}});

    Json attributes;
    attributes["POSITION"] = b.accessor(positions, "VEC3");
    attributes["NORMAL"] = b.accessor(normals, "VEC3");
    attributes["TEXCOORD_0"] = b.accessor(uvs, "VEC2");
    attributes["JOINTS_0"] = b.accessor(joints, "VEC4");
    attributes["WEIGHTS_0"] = b.accessor(weights, "VEC4");
    attributes["COLOR_0"] = b.accessor(colors, "VEC4", true);
    attributes["_SOFT"] = b.accessor(soft, "SCALAR");
    Json target;
    target["POSITION"] = sparse(b, 12, {3, 10}, {1, 2, 3, 4, 5, 6});
    b.push("meshes", {{"name", "Ribbon"},
                      {"weights", {0.25}},
                      {"extras", {{"targetNames", {"Bulge"}}}},
                      {"primitives",
                       {{{"attributes", attributes},
                         {"indices", b.accessor(indices, "SCALAR")},
                         {"material", 0},
                         {"targets", {target}}}}}});
    std::vector<float> binds(32, 0.0f);
    for (const size_t k : {0, 5, 10, 15, 16, 21, 26, 31}) binds[k] = 1;
    binds[13] = -0.5f;
    binds[29] = -1.5f;
    b.push("skins", {{"name", "Bones"}, {"joints", {1, 2}}, {"inverseBindMatrices", b.accessor(binds, "MAT4")}});

    const int walk = b.animation("Walk");
    const int times = b.accessor<float>({0.0f, 0.5f, 1.0f}, "SCALAR");
    b.channel(walk, 2, "rotation", times, b.accessor<float>({0, 0, 0, 1, 0, 0, 0.6f, 0.8f, 0, 0, 0, 1}, "VEC4"));
    b.channel(walk, 1, "translation", times, b.accessor<float>({0, 0, 0, 0, 1, 0, 0, 2, 0}, "VEC3"), "STEP");
    return b;
  }

  // Zeros but for `values` at `at`.
  static int sparse(GltfBuilder& b, size_t count, const std::vector<uint16_t>& at, const std::vector<float>& values) {
    const int indices_view = b.view(packed(at)), values_view = b.view(packed(values));
    return b.push("accessors", {{"componentType", 5126},
                                {"count", count},
                                {"type", "VEC3"},
                                {"sparse",
                                 {{"count", at.size()},
                                  {"indices", {{"bufferView", indices_view}, {"componentType", 5123}}},
                                  {"values", {{"bufferView", values_view}}}}}});
  }
};

}  // namespace supple
