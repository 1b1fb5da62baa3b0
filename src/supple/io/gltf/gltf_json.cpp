// The JSON part of a glTF file into plain lists. The only source of the reader that sees the JSON library.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "supple/io/gltf/gltf_file.h"

namespace supple {

namespace {

using Json = nlohmann::json;

// Typed access to members; every complaint names the place.
class Fields {
 public:
  Fields(const GltfFile& file, const Json& root) : file_(file), root_(root) {}

  const Json* find(const Json& object, const char* key) const {
    if (!object.is_object()) return nullptr;
    const auto found = object.find(key);
    return found == object.end() || found->is_null() ? nullptr : &*found;
  }
  std::string text(const Json& object, const char* key, const std::string& fallback = "") const {
    const Json* value = find(object, key);
    return value && value->is_string() ? value->get<std::string>() : fallback;
  }
  size_t size(const Json& object, const char* key, const std::string& place, size_t fallback = 0) const {
    const Json* value = find(object, key);
    return value ? whole(*value, key, place) : fallback;
  }
  // An index into a list of the root, -1 when there is none.
  int index(const Json& object, const char* key, const char* list, const std::string& place) const {
    const Json* value = find(object, key);
    return value ? index_of(*value, key, list_size(list), list, place) : -1;
  }
  int index_of(const Json& value, const char* key, size_t n, const char* list, const std::string& place) const {
    const size_t i = whole(value, key, place);
    if (i >= n) file_.fail(place, fmt::format("{} is {}, but there are {} {}", key, i, n, list), kDamagedGltf);
    return static_cast<int>(i);
  }
  std::vector<int> indices(const Json& object, const char* key, const char* list, const std::string& place) const {
    std::vector<int> out;
    for (const Json& value : array(object, key, place)) {
      out.push_back(index_of(value, key, list_size(list), list, place));
    }
    return out;
  }
  std::vector<double> numbers(const Json& object, const char* key, const std::string& place, size_t count = 0) const {
    std::vector<double> out;
    for (const Json& value : array(object, key, place)) {
      if (!value.is_number() || !std::isfinite(value.get<double>())) {
        file_.fail(place, fmt::format("{} should hold finite numbers", key), kDamagedGltf);
      }
      out.push_back(value.get<double>());
    }
    if (count > 0 && !out.empty() && out.size() != count) {
      file_.fail(place, fmt::format("{} should hold {} numbers, not {}", key, count, out.size()), kDamagedGltf);
    }
    return out;
  }
  std::vector<std::string> texts(const Json& object, const char* key, const std::string& place) const {
    std::vector<std::string> out;
    for (const Json& value : array(object, key, place)) {
      out.push_back(value.is_string() ? value.get<std::string>() : std::string());
    }
    return out;
  }
  // A list, empty when there is none.
  const Json& array(const Json& object, const char* key, const std::string& place) const {
    static const Json none = Json::array();
    const Json* value = find(object, key);
    if (!value) return none;
    if (!value->is_array()) file_.fail(place, fmt::format("{} should be a list", key), kDamagedGltf);
    return *value;
  }
  const Json& list(const char* key) const { return array(root_, key, key); }
  const Json* extension(const Json& object, const char* name) const {
    const Json* all = find(object, "extensions");
    return all ? find(*all, name) : nullptr;
  }
  GltfComponent component(const Json& object, const std::string& place) const {
    const size_t code = size(object, "componentType", place);
    for (const GltfComponent c : {GltfComponent::i8, GltfComponent::u8, GltfComponent::i16, GltfComponent::u16,
                                  GltfComponent::u32, GltfComponent::f32}) {
      if (code == static_cast<size_t>(c)) return c;
    }
    file_.fail(place, fmt::format("componentType {} is not known", code), kDamagedGltf);
  }

 private:
  size_t list_size(const char* key) const { return array(root_, key, key).size(); }
  // Some exporters write 12.0 for 12.
  size_t whole(const Json& value, const char* key, const std::string& place) const {
    if (value.is_number_unsigned()) return value.get<size_t>();
    const double number = value.is_number() ? value.get<double>() : -1;
    if (!(number >= 0 && number <= 9e15) || number != std::floor(number)) {
      file_.fail(place, fmt::format("{} should be a whole number of at least 0", key), kDamagedGltf);
    }
    return static_cast<size_t>(number);
  }

  const GltfFile& file_;
  const Json& root_;
};

const Json* meshopt_of(const Fields& in, const Json& object) {
  const Json* found = in.extension(object, "EXT_meshopt_compression");
  return found ? found : in.extension(object, "KHR_meshopt_compression");
}

void parse_data(GltfFile& file, const Fields& in) {
  for (const Json& j : in.list("buffers")) {
    const std::string place = fmt::format("buffer {}", file.buffers.size());
    file.buffers.push_back({in.text(j, "uri"), in.size(j, "byteLength", place)});
  }
  for (const Json& j : in.list("bufferViews")) {
    const std::string place = fmt::format("buffer view {}", file.views.size());
    GltfView view{in.index(j, "buffer", "buffers", place),
                  in.size(j, "byteOffset", place),
                  in.size(j, "byteLength", place),
                  in.size(j, "byteStride", place),
                  {}};
    if (const Json* m = meshopt_of(in, j)) {
      view.packing = GltfPacking{in.index(*m, "buffer", "buffers", place),
                                 in.size(*m, "byteOffset", place),
                                 in.size(*m, "byteLength", place),
                                 in.size(*m, "byteStride", place),
                                 in.size(*m, "count", place),
                                 in.text(*m, "mode"),
                                 in.text(*m, "filter", "NONE")};
    }
    if (view.buffer < 0 && !view.packing) file.fail(place, "it names no buffer", kDamagedGltf);
    file.views.push_back(view);
  }
  static const std::map<std::string, int> widths = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4},
                                                    {"MAT2", 4},   {"MAT3", 9}, {"MAT4", 16}};
  for (const Json& j : in.list("accessors")) {
    const std::string place = fmt::format("accessor {}", file.accessors.size());
    GltfAccessor a;
    a.view = in.index(j, "bufferView", "bufferViews", place);
    a.offset = in.size(j, "byteOffset", place);
    a.count = in.size(j, "count", place);
    a.component = in.component(j, place);
    const std::string type = in.text(j, "type");
    const auto width = widths.find(type);
    if (width == widths.end()) file.fail(place, fmt::format("type \"{:.40}\" is not known", type), kDamagedGltf);
    a.width = width->second;
    const Json* normalized = in.find(j, "normalized");
    a.normalized = normalized && normalized->is_boolean() && normalized->get<bool>();
    if (const Json* s = in.find(j, "sparse")) {
      GltfSparse sparse;
      sparse.count = in.size(*s, "count", place);
      const Json* indices = in.find(*s, "indices");
      const Json* values = in.find(*s, "values");
      if (!indices || !values) file.fail(place, "sparse needs indices and values", kDamagedGltf);
      sparse.indices_view = in.index(*indices, "bufferView", "bufferViews", place);
      sparse.indices_offset = in.size(*indices, "byteOffset", place);
      sparse.indices_component = in.component(*indices, place);
      sparse.values_view = in.index(*values, "bufferView", "bufferViews", place);
      sparse.values_offset = in.size(*values, "byteOffset", place);
      if (sparse.indices_view < 0 || sparse.values_view < 0) {
        file.fail(place, "sparse needs views of indices and values", kDamagedGltf);
      }
      a.sparse = sparse;
    }
    file.accessors.push_back(a);
  }
}

GltfAttributes parse_attributes(const GltfFile& file, const Fields& in, const Json& object, const std::string& place) {
  GltfAttributes out;
  if (!object.is_object()) file.fail(place, "attributes should be an object", kDamagedGltf);
  for (const auto& [name, value] : object.items()) {
    out[name] = in.index_of(value, name.c_str(), file.accessors.size(), "accessors", place);
  }
  return out;
}

GltfPrimitive parse_primitive(const GltfFile& file, const Fields& in, const Json& j, const std::string& place) {
  GltfPrimitive p;
  if (const Json* attributes = in.find(j, "attributes")) p.attributes = parse_attributes(file, in, *attributes, place);
  p.indices = in.index(j, "indices", "accessors", place);
  p.material = in.index(j, "material", "materials", place);
  const size_t mode = in.size(j, "mode", place, 4);
  if (mode > 6) file.fail(place, fmt::format("mode {} is not known", mode), kDamagedGltf);
  p.mode = static_cast<int>(mode);
  for (const Json& t : in.array(j, "targets", place)) p.targets.push_back(parse_attributes(file, in, t, place));
  if (const Json* draco = in.extension(j, "KHR_draco_mesh_compression")) {
    p.draco_view = in.index(*draco, "bufferView", "bufferViews", place);
    const Json* ids = in.find(*draco, "attributes");
    if (p.draco_view < 0 || !ids || !ids->is_object()) {
      file.fail(place, "KHR_draco_mesh_compression needs a bufferView and attributes", kDamagedGltf);
    }
    for (const auto& [name, value] : ids->items()) {
      p.draco_ids[name] = in.index_of(value, name.c_str(), size_t{1} << 30, "Draco attributes", place);
    }
  }
  return p;
}

void parse_meshes(GltfFile& file, const Fields& in) {
  for (const Json& j : in.list("materials")) {
    file.materials.push_back(in.text(j, "name", fmt::format("Material_{}", file.materials.size())));
  }
  for (const Json& j : in.list("meshes")) {
    GltfMesh mesh;
    mesh.name = in.text(j, "name");
    const std::string place = gltf_place("mesh", file.meshes.size(), mesh.name);
    mesh.weights = in.numbers(j, "weights", place);
    for (const Json& p : in.array(j, "primitives", place)) {
      const std::string here = fmt::format("{}, primitive {}", place, mesh.primitives.size());
      mesh.primitives.push_back(parse_primitive(file, in, p, here));
      // Names of targets: of the mesh by custom, of its first primitive in older files.
      const Json* extras = in.find(p, "extras");
      if (mesh.target_names.empty() && extras) mesh.target_names = in.texts(*extras, "targetNames", here);
    }
    if (const Json* extras = in.find(j, "extras")) {
      std::vector<std::string> names = in.texts(*extras, "targetNames", place);
      if (!names.empty()) mesh.target_names = std::move(names);
    }
    file.meshes.push_back(std::move(mesh));
  }
  for (const Json& j : in.list("skins")) {
    GltfSkin skin{in.text(j, "name"), {}, -1};
    const std::string place = gltf_place("skin", file.skins.size(), skin.name);
    skin.joints = in.indices(j, "joints", "nodes", place);
    skin.inverse_binds = in.index(j, "inverseBindMatrices", "accessors", place);
    file.skins.push_back(std::move(skin));
  }
}

void parse_nodes(GltfFile& file, const Fields& in) {
  for (const Json& j : in.list("nodes")) {
    Node node;
    node.name = in.text(j, "name");
    const std::string place = gltf_place("node", file.nodes.size(), node.name);
    node.children = in.indices(j, "children", "nodes", place);
    node.mesh = in.index(j, "mesh", "meshes", place);
    node.skin = in.index(j, "skin", "skins", place);
    node.weights = in.numbers(j, "weights", place);
    const auto m = in.numbers(j, "matrix", place, 16);
    if (!m.empty()) {
      // By columns; the last row says nothing.
      node.matrix = Affine(Eigen::Map<const Eigen::Matrix4d>(m.data()).topRows<3>());
    }
    const auto t = in.numbers(j, "translation", place, 3), r = in.numbers(j, "rotation", place, 4),
               s = in.numbers(j, "scale", place, 3);
    if (!t.empty()) node.local.translation = Vec3(t[0], t[1], t[2]);
    if (!r.empty()) node.local.rotation = Quat(r[3], r[0], r[1], r[2]);
    if (!s.empty()) node.local.scale = Vec3(s[0], s[1], s[2]);
    file.nodes.push_back(std::move(node));
  }
}

void parse_scene(GltfFile& file, const Fields& in, const Json& root) {
  const Json& scenes = in.list("scenes");
  if (scenes.empty()) return;
  const int shown = std::max(in.index(root, "scene", "scenes", "scene"), 0);
  file.scene = in.indices(scenes[static_cast<size_t>(shown)], "nodes", "nodes", fmt::format("scene {}", shown));
}

void parse_animations(GltfFile& file, const Fields& in) {
  for (const Json& j : in.list("animations")) {
    GltfAnimation animation{in.text(j, "name"), {}, {}};
    const std::string place = gltf_place("animation", file.animations.size(), animation.name);
    for (const Json& s : in.array(j, "samplers", place)) {
      const std::string here = fmt::format("{}, sampler {}", place, animation.samplers.size());
      animation.samplers.push_back({in.index(s, "input", "accessors", here), in.index(s, "output", "accessors", here),
                                    in.text(s, "interpolation", "LINEAR")});
    }
    for (const Json& c : in.array(j, "channels", place)) {
      const std::string here = fmt::format("{}, channel {}", place, animation.channels.size());
      GltfChannel channel;
      const Json* sampler = in.find(c, "sampler");
      if (!sampler) file.fail(here, "it names no sampler", kDamagedGltf);
      channel.sampler = in.index_of(*sampler, "sampler", animation.samplers.size(), "samplers", here);
      if (const Json* target = in.find(c, "target")) {
        channel.node = in.index(*target, "node", "nodes", here);
        channel.path = in.text(*target, "path");
      }
      animation.channels.push_back(std::move(channel));
    }
    file.animations.push_back(std::move(animation));
  }
}

// An extension that only says how things look does not matter here.
bool harmless(const std::string& name) {
  for (const char* known : {"KHR_mesh_quantization", "KHR_draco_mesh_compression", "EXT_meshopt_compression",
                            "KHR_meshopt_compression", "KHR_animation_pointer"}) {
    if (name == known) return true;
  }
  for (const char* start : {"KHR_materials_", "EXT_materials_", "VRMC_materials_", "KHR_texture_", "EXT_texture_",
                            "MSFT_texture_", "MSFT_packing_", "KHR_lights_", "EXT_lights_", "KHR_xmp"}) {
    if (name.starts_with(start)) return true;
  }
  return false;
}

}  // namespace

void parse_gltf_json(GltfFile& file, std::string_view text) {
  Json root;
  try {
    root = Json::parse(text.begin(), text.end());
  } catch (const Json::parse_error& e) {
    file.fail(fmt::format("byte {} of the JSON part", e.byte), "this is not valid JSON",
              "The file is not glTF, or it is truncated or damaged.");
  } catch (const Json::exception& e) {
    file.fail("JSON part", fmt::format("this is not valid JSON: {}", e.what()), kDamagedGltf);
  }
  const Fields in(file, root);
  const Json* asset = in.find(root, "asset");
  const std::string version = asset ? in.text(*asset, "version") : "";
  if (version.empty()) file.fail("asset", "the file does not say its glTF version", "It may be another kind of JSON.");
  if (!version.starts_with("2.")) {
    file.fail("asset", fmt::format("this is glTF {:.20}; only version 2 is read", version), "Export it as glTF 2.0.");
  }
  file.extensions_used = in.texts(root, "extensionsUsed", "extensionsUsed");
  file.extensions_required = in.texts(root, "extensionsRequired", "extensionsRequired");
  for (const std::string& name : file.extensions_required) {
    if (!harmless(name)) {
      file.fail("extensionsRequired", fmt::format("the file needs the extension {:.80}, which is not known here", name),
                "Export it without this extension.");
    }
  }
  try {
    parse_data(file, in);
    parse_meshes(file, in);
    parse_nodes(file, in);
    parse_scene(file, in, root);
    parse_animations(file, in);
  } catch (const Json::exception& e) {
    file.fail("JSON part", fmt::format("a value has the wrong kind: {}", e.what()), kDamagedGltf);
  }
}

}  // namespace supple
