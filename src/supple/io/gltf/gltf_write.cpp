#include "supple/io/gltf/gltf_write.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "supple/base/error.h"
#include "supple/io/gltf/glb_document.h"

namespace supple {

namespace {

class Builder {
 public:
  explicit Builder(const Character& c, const GltfWriteOptions& options) : c_(c), options_(options) {}

  void build() {
    json_["asset"]["generator"] = "supple";
    json_["scene"] = 0;
    OrderedJson roots = OrderedJson::array();
    for (size_t n = 0; n < c_.nodes.size(); ++n)
      if (c_.nodes[n].parent < 0) roots.push_back(n);
    json_["scenes"] = OrderedJson::array({{{"nodes", roots}}});
    for (const Node& n : c_.nodes) append("nodes", node(n));
    json_["meshes"] = OrderedJson::array();
    for (const CharacterMesh& m : c_.meshes) append("meshes", mesh(m));
    for (const Skin& s : c_.skins) append("skins", skin(s));
    for (const Clip& clip : c_.clips) append("animations", animation(clip));
    for (const std::string& name : materials_) {
      const auto it = options_.colors.find(name);
      const Vec3 color = it == options_.colors.end() ? Vec3::Constant(0.6) : it->second;
      json_["materials"].push_back({{"name", name},
                                    {"pbrMetallicRoughness",
                                     {{"baseColorFactor", {color[0], color[1], color[2], 1.0}},
                                      {"metallicFactor", 0.0},
                                      {"roughnessFactor", 0.6}}}});
    }
  }

  void write(const std::string& path) const { doc_.write(path); }

 private:
  // The item comes first: making it may add lists to the file, and then a list that was looked up would have moved.
  void append(const char* list, OrderedJson item) { json_[list].push_back(std::move(item)); }

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
    attributes["POSITION"] = doc_.add_array(floats(p.positions), {.type = "VEC3", .bounds = true});
    if (!p.normals.empty()) attributes["NORMAL"] = doc_.add_array(floats(p.normals), {.type = "VEC3"});
    if (p.influences > 0) {
      if (p.influences != 4)
        throw InputError({.file = c_.file}, "a character is written with four influences a vertex");
      std::vector<uint16_t> joints(p.joints.begin(), p.joints.end());
      const std::vector<float> weights = floats(p.weights);
      for (size_t i = 0; i < joints.size(); ++i)
        if (weights[i] == 0) joints[i] = 0;  // the standard wants unused places to be 0
      attributes["JOINTS_0"] = doc_.add_array(joints, {.type = "VEC4"});
      attributes["WEIGHTS_0"] = doc_.add_array(weights, {.type = "VEC4"});
    }
    for (const auto& [name, values] : p.maps)
      if (!name.empty() && name[0] == '_') attributes[name] = doc_.add_array(floats(values), {.type = "SCALAR"});
    std::vector<uint32_t> indices;
    for (const Tri& t : p.triangles)
      for (int v : t) indices.push_back(static_cast<uint32_t>(v));
    OrderedJson j = {{"attributes", attributes}, {"indices", doc_.add_array(indices, {.type = "SCALAR"})}};
    auto it = std::find(materials_.begin(), materials_.end(), p.material);
    if (it == materials_.end()) it = materials_.insert(materials_.end(), p.material);
    j["material"] = it - materials_.begin();
    for (const MorphTarget& t : p.targets) {
      OrderedJson target = {{"POSITION", doc_.add_array(floats(t.positions), {.type = "VEC3", .bounds = true})}};
      if (!t.normals.empty()) target["NORMAL"] = doc_.add_array(floats(t.normals), {.type = "VEC3"});
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
    return {
        {"name", s.name}, {"joints", s.joints}, {"inverseBindMatrices", doc_.add_array(matrices, {.type = "MAT4"})}};
  }

  OrderedJson animation(const Clip& clip) {
    static const char* paths[] = {"translation", "rotation", "scale", "weights"};
    static const char* types[] = {"VEC3", "VEC4", "VEC3", "SCALAR"};
    static const char* interpolations[] = {"LINEAR", "STEP", "CUBICSPLINE"};
    OrderedJson j = {{"name", clip.name}, {"channels", OrderedJson::array()}, {"samplers", OrderedJson::array()}};
    for (const Channel& ch : clip.channels) {
      const auto path = static_cast<size_t>(ch.path);
      j["channels"].push_back(
          {{"sampler", j["samplers"].size()}, {"target", {{"node", ch.node}, {"path", paths[path]}}}});
      j["samplers"].push_back({{"input", doc_.add_array(floats(ch.times), {.type = "SCALAR", .bounds = true})},
                               {"interpolation", interpolations[static_cast<size_t>(ch.interpolation)]},
                               {"output", doc_.add_array(floats(ch.values), {.type = types[path]})}});
    }
    return j;
  }

  const Character& c_;
  const GltfWriteOptions& options_;
  GlbDocument doc_;
  OrderedJson& json_ = doc_.json();
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
