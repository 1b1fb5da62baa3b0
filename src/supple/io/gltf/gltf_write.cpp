#include "supple/io/gltf/gltf_write.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "supple/base/error.h"
#include "supple/io/output_file.h"

namespace supple {

namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr int kUnsignedShort = 5123, kUnsignedInt = 5125, kFloat = 5126;

class Builder {
 public:
  explicit Builder(const Character& c, const GltfWriteOptions& options) : c_(c), options_(options) {}

  void build() {
    json_["asset"] = {{"version", "2.0"}, {"generator", "supple"}};
    json_["scene"] = 0;
    OrderedJson roots = OrderedJson::array();
    for (size_t n = 0; n < c_.nodes.size(); ++n)
      if (c_.nodes[n].parent < 0) roots.push_back(n);
    json_["scenes"] = OrderedJson::array({{{"nodes", roots}}});
    for (const Node& n : c_.nodes) json_["nodes"].push_back(node(n));
    for (const CharacterMesh& m : c_.meshes) json_["meshes"].push_back(mesh(m));
    for (const Skin& s : c_.skins) json_["skins"].push_back(skin(s));
    for (const Clip& clip : c_.clips) json_["animations"].push_back(animation(clip));
    for (const std::string& name : materials_) {
      const auto it = options_.colors.find(name);
      const Vec3 color = it == options_.colors.end() ? Vec3::Constant(0.6) : it->second;
      json_["materials"].push_back({{"name", name},
                                    {"pbrMetallicRoughness",
                                     {{"baseColorFactor", {color[0], color[1], color[2], 1.0}},
                                      {"metallicFactor", 0.0},
                                      {"roughnessFactor", 0.6}}}});
    }
    json_["buffers"] = OrderedJson::array({{{"byteLength", bytes_.size()}}});
  }

  void write(const std::string& path) const {
    std::string text = json_.dump();
    text.append((4 - text.size() % 4) % 4, ' ');
    OutputFile out(path);
    out.write("glTF");
    out.raw<uint32_t>(2);
    out.raw<uint32_t>(static_cast<uint32_t>(12 + 8 + text.size() + 8 + bytes_.size()));
    out.raw<uint32_t>(static_cast<uint32_t>(text.size()));
    out.write("JSON");
    out.write(text);
    out.raw<uint32_t>(static_cast<uint32_t>(bytes_.size()));
    out.write(std::string_view("BIN\0", 4));
    out.write(bytes_);
    out.commit();
  }

 private:
  template <class T>
  int accessor(const std::vector<T>& values, int width, int component, const char* type, bool bounds = false) {
    const size_t start = bytes_.size();
    bytes_.resize(start + values.size() * sizeof(T));
    if (!values.empty()) std::memcpy(bytes_.data() + start, values.data(), values.size() * sizeof(T));
    const size_t length = bytes_.size() - start;
    bytes_.resize((bytes_.size() + 3) / 4 * 4, '\0');
    json_["bufferViews"].push_back({{"buffer", 0}, {"byteOffset", start}, {"byteLength", length}});
    OrderedJson a = {{"bufferView", json_["bufferViews"].size() - 1},
                     {"componentType", component},
                     {"count", values.size() / static_cast<size_t>(width)},
                     {"type", type}};
    if (bounds) {
      std::vector<T> low(values.begin(), values.begin() + width), high = low;
      for (size_t i = 0; i < values.size(); ++i) {
        const size_t k = i % static_cast<size_t>(width);
        low[k] = std::min(low[k], values[i]), high[k] = std::max(high[k], values[i]);
      }
      a["min"] = low, a["max"] = high;
    }
    json_["accessors"].push_back(a);
    return static_cast<int>(json_["accessors"].size()) - 1;
  }
  static std::vector<float> floats(const Points& points) {
    std::vector<float> out;
    for (const Vec3& p : points)
      for (int k = 0; k < 3; ++k) out.push_back(static_cast<float>(p[k]));
    return out;
  }
  static std::vector<float> floats(const std::vector<double>& values) { return {values.begin(), values.end()}; }

  OrderedJson node(const Node& n) {
    OrderedJson j;
    if (!n.name.empty()) j["name"] = n.name;
    if (!n.children.empty()) j["children"] = n.children;
    if (n.mesh >= 0) j["mesh"] = n.mesh;
    if (n.skin >= 0) j["skin"] = n.skin;
    const Placement& p = n.local;
    j["translation"] = {p.translation[0], p.translation[1], p.translation[2]};
    j["rotation"] = {p.rotation.x(), p.rotation.y(), p.rotation.z(), p.rotation.w()};
    j["scale"] = {p.scale[0], p.scale[1], p.scale[2]};
    if (!n.weights.empty()) j["weights"] = n.weights;
    return j;
  }

  OrderedJson mesh(const CharacterMesh& m) {
    OrderedJson j = {{"name", m.name}};
    for (const Primitive& p : m.primitives) j["primitives"].push_back(primitive(p));
    if (!m.weights.empty()) {
      j["weights"] = m.weights;
      for (const MorphTarget& t : m.primitives[0].targets) j["extras"]["targetNames"].push_back(t.name);
    }
    return j;
  }

  OrderedJson primitive(const Primitive& p) {
    OrderedJson attributes;
    attributes["POSITION"] = accessor(floats(p.positions), 3, kFloat, "VEC3", true);
    if (!p.normals.empty()) attributes["NORMAL"] = accessor(floats(p.normals), 3, kFloat, "VEC3");
    if (p.influences > 0) {
      if (p.influences != 4)
        throw InputError({.file = c_.file}, "a character is written with four influences a vertex");
      std::vector<uint16_t> joints(p.joints.begin(), p.joints.end());
      const std::vector<float> weights = floats(p.weights);
      for (size_t i = 0; i < joints.size(); ++i)
        if (weights[i] == 0) joints[i] = 0;  // the standard wants unused places to be 0
      attributes["JOINTS_0"] = accessor(joints, 4, kUnsignedShort, "VEC4");
      attributes["WEIGHTS_0"] = accessor(weights, 4, kFloat, "VEC4");
    }
    for (const auto& [name, values] : p.maps)
      if (!name.empty() && name[0] == '_') attributes[name] = accessor(floats(values), 1, kFloat, "SCALAR");
    std::vector<uint32_t> indices;
    for (const Tri& t : p.triangles)
      for (int v : t) indices.push_back(static_cast<uint32_t>(v));
    OrderedJson j = {{"attributes", attributes}, {"indices", accessor(indices, 1, kUnsignedInt, "SCALAR")}};
    auto it = std::find(materials_.begin(), materials_.end(), p.material);
    if (it == materials_.end()) it = materials_.insert(materials_.end(), p.material);
    j["material"] = it - materials_.begin();
    for (const MorphTarget& t : p.targets) {
      OrderedJson target = {{"POSITION", accessor(floats(t.positions), 3, kFloat, "VEC3", true)}};
      if (!t.normals.empty()) target["NORMAL"] = accessor(floats(t.normals), 3, kFloat, "VEC3");
      j["targets"].push_back(target);
    }
    return j;
  }

  OrderedJson skin(const Skin& s) {
    std::vector<float> matrices;
    for (const Affine& a : s.inverse_binds) {
      Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
      m.topRows<3>() = a.matrix();
      for (int k = 0; k < 16; ++k) matrices.push_back(static_cast<float>(m.data()[k]));
    }
    return {{"name", s.name}, {"joints", s.joints}, {"inverseBindMatrices", accessor(matrices, 16, kFloat, "MAT4")}};
  }

  OrderedJson animation(const Clip& clip) {
    static const char* paths[] = {"translation", "rotation", "scale", "weights"};
    static const char* types[] = {"VEC3", "VEC4", "VEC3", "SCALAR"};
    static const char* interpolations[] = {"LINEAR", "STEP", "CUBICSPLINE"};
    OrderedJson j = {{"name", clip.name}, {"channels", OrderedJson::array()}, {"samplers", OrderedJson::array()}};
    for (const Channel& ch : clip.channels) {
      const auto path = static_cast<size_t>(ch.path);
      const int width = ch.path == ChannelPath::weights ? 1 : ch.path == ChannelPath::rotation ? 4 : 3;
      j["channels"].push_back(
          {{"sampler", j["samplers"].size()}, {"target", {{"node", ch.node}, {"path", paths[path]}}}});
      j["samplers"].push_back({{"input", accessor(floats(ch.times), 1, kFloat, "SCALAR", true)},
                               {"interpolation", interpolations[static_cast<size_t>(ch.interpolation)]},
                               {"output", accessor(floats(ch.values), width, kFloat, types[path])}});
    }
    return j;
  }

  const Character& c_;
  const GltfWriteOptions& options_;
  OrderedJson json_;
  std::string bytes_;
  std::vector<std::string> materials_;
};

}  // namespace

void write_gltf(const std::string& path, const Character& character, const GltfWriteOptions& options) {
  if (character.meshes.empty()) throw InputError({.file = path}, "not written: there is nothing to draw");
  Builder builder(character, options);
  builder.build();
  builder.write(path);
}

}  // namespace supple
