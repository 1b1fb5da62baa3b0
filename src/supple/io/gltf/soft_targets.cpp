#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "supple/base/parallel.h"
#include "supple/io/bytes.h"
#include "supple/io/gltf/soft_parts.h"

namespace supple {

namespace {

static_assert(std::endian::native == std::endian::little, "numbers are stored as they are in memory");

using Eigen::Index;

constexpr int kFloatComponent = static_cast<int>(GltfComponent::f32);

// Bounds of vectors; `zero`: the origin is among them.
void set_bounds(OrderedJson& accessor, const float* xyz, size_t count, bool zero) {
  OrderedJson low = OrderedJson::array(), high = OrderedJson::array();
  for (size_t axis = 0; axis < 3; ++axis) {
    float least = zero || count == 0 ? 0 : xyz[axis], most = least;
    for (size_t i = 0; i < count; ++i) {
      least = std::min(least, xyz[3 * i + axis]);
      most = std::max(most, xyz[3 * i + axis]);
    }
    low.push_back(static_cast<double>(least));
    high.push_back(static_cast<double>(most));
  }
  accessor["min"] = low;
  accessor["max"] = high;
}

// Accessors of the targets of a field.
std::vector<int> add_field(GlbDocument& doc, const SoftField& field) {
  const int n = static_cast<int>(field.targets.cols());
  const bool sparse = is_sparse(field);
  const size_t count = sparse ? field.vertices.size() : field.n_vertices;
  int index_view = -1, index_type = 0;
  if (sparse && n > 0) {
    if (field.n_vertices <= 256) {
      index_type = static_cast<int>(GltfComponent::u8);
      index_view = doc.add_view(bytes_of(std::vector<uint8_t>(field.vertices.begin(), field.vertices.end())));
    } else if (field.n_vertices <= 65536) {
      index_type = static_cast<int>(GltfComponent::u16);
      index_view = doc.add_view(bytes_of(std::vector<uint16_t>(field.vertices.begin(), field.vertices.end())));
    } else {
      index_type = static_cast<int>(GltfComponent::u32);
      index_view = doc.add_view(bytes_of(std::vector<uint32_t>(field.vertices.begin(), field.vertices.end())));
    }
  }
  // All targets in one view, one after the other.
  std::vector<float> values(static_cast<size_t>(n) * count * 3, 0.0f);
  for (int k = 0; k < n; ++k) {
    float* to = values.data() + static_cast<size_t>(k) * count * 3;
    for (size_t i = 0; i < field.vertices.size(); ++i) {
      const size_t at = sparse ? i : static_cast<size_t>(field.vertices[i]);
      // Adding 0 makes a negative zero a plain one.
      for (size_t axis = 0; axis < 3; ++axis)
        to[3 * at + axis] = field.targets(static_cast<Index>(3 * i + axis), k) + 0.0f;
    }
  }
  const int view = n == 0 ? -1 : doc.add_view(bytes_of(values), sparse ? 0 : 12, sparse ? 0 : kGltfVertexData);
  std::vector<int> accessors;
  for (int k = 0; k < n; ++k) {
    OrderedJson a;
    const size_t offset = 12 * count * static_cast<size_t>(k);
    if (!sparse) {
      a["bufferView"] = view;
      a["byteOffset"] = offset;
    }
    a["componentType"] = kFloatComponent;
    a["count"] = field.n_vertices;
    a["type"] = "VEC3";
    if (!field.normals) {
      set_bounds(a, values.data() + static_cast<size_t>(k) * count * 3, count, count < field.n_vertices);
    }
    if (sparse) {
      a["sparse"] = {{"count", count},
                     {"indices", {{"bufferView", index_view}, {"componentType", index_type}}},
                     {"values", {{"bufferView", view}, {"byteOffset", offset}}}};
    }
    accessors.push_back(doc.add_accessor(a));
  }
  return accessors;
}

// Lists of zeros, without bytes, one of each kind.
class Zeros {
 public:
  explicit Zeros(GlbDocument& doc) : doc_(doc) {}
  int of(const std::string& type, size_t count) {
    const auto [found, fresh] = known_.try_emplace({type, count}, -1);
    if (fresh) {
      const OrderedJson origin(static_cast<size_t>(type == "VEC2" ? 2 : type == "VEC4" ? 4 : 3), 0.0);
      found->second = doc_.add_accessor(
          {{"componentType", kFloatComponent}, {"count", count}, {"type", type}, {"min", origin}, {"max", origin}});
    }
    return found->second;
  }

 private:
  GlbDocument& doc_;
  std::map<std::pair<std::string, size_t>, int> known_;
};

// Viewers expect all targets of a primitive to change the same attributes (some take the base itself for what one
// leaves out): zeros fill the gaps, which changes nothing by the standard.
void fill_gaps(GlbDocument& doc, OrderedJson& targets, size_t n_vertices, Zeros& zeros) {
  std::map<std::string, std::string> types;
  for (const OrderedJson& target : targets) {
    for (const auto& [name, accessor] : target.items()) {
      const OrderedJson& a = doc.json()["accessors"].at(static_cast<size_t>(accessor.get<double>()));
      types.emplace(name, a.at("type").get<std::string>());
    }
  }
  for (OrderedJson& target : targets) {
    for (const auto& [name, type] : types) {
      if (!target.contains(name)) target[name] = zeros.of(type, n_vertices);
    }
  }
}

void extend_weights(OrderedJson& holder, int n_old, int n_ours) {
  OrderedJson& weights = holder["weights"];
  if (!weights.is_array()) weights = OrderedJson::array();
  while (static_cast<int>(weights.size()) < n_old + n_ours) weights.push_back(0.0);
}

// Viewers show names. Those without one are called as importers would; ours have their own or are numbered.
void extend_names(OrderedJson& holder, const SoftBasis& basis, bool create) {
  const int n_old = basis.n_old;
  if (!holder.contains("extras")) {
    if (!create) return;
    holder["extras"] = OrderedJson::object();
  }
  OrderedJson& extras = holder["extras"];
  if (!extras.is_object() || (!create && !extras.contains("targetNames"))) return;
  OrderedJson& names = extras["targetNames"];
  if (names.is_null()) names = OrderedJson::array();
  if (!names.is_array() || static_cast<int>(names.size()) > n_old) return;  // not names of these targets
  while (static_cast<int>(names.size()) < n_old) names.push_back(fmt::format("target_{}", names.size()));
  for (const std::string& name : basis.names) names.push_back(name);
  if (!basis.names.empty()) return;
  std::set<std::string> taken;
  for (const OrderedJson& name : names) {
    if (name.is_string()) taken.insert(name.get<std::string>());
  }
  for (int k = 0, number = basis.lifted ? 0 : 1; k < basis.n_targets; ++number) {
    const std::string name = fmt::format("soft {}", number);
    if (taken.count(name) > 0) continue;
    names.push_back(name);
    ++k;
  }
}

}  // namespace

void add_targets(GlbDocument& doc, const SoftBasis& basis) {
  if (basis.n_targets == 0) return;
  const GltfMesh& mesh = doc.file().meshes[static_cast<size_t>(basis.mesh)];
  Zeros zeros(doc);
  for (size_t p = 0; p < mesh.primitives.size(); ++p) {
    const std::string place =
        fmt::format("{}, primitive {}", gltf_place("mesh", static_cast<size_t>(basis.mesh), mesh.name), p);
    if (mesh.primitives[p].attributes.count("POSITION") == 0) {
      doc.fail(place, "it has no positions, so it cannot have targets beside the soft ones",
               "Remove it from the mesh.");
    }
    const size_t n_vertices = base_positions(doc, basis.mesh, static_cast<int>(p)).size() / 3;
    std::vector<int> positions(static_cast<size_t>(basis.n_targets), -1), normals = positions;  // accessors
    for (const SoftField& field : basis.fields) {
      if (field.primitive != static_cast<int>(p)) continue;
      const std::vector<int> own = add_field(doc, field);
      std::copy(own.begin(), own.end(), (field.normals ? normals : positions).begin() + field.first);
    }
    OrderedJson added = OrderedJson::array();
    for (size_t k = 0; k < static_cast<size_t>(basis.n_targets); ++k) {
      OrderedJson target;
      target["POSITION"] = positions[k] < 0 ? zeros.of("VEC3", n_vertices) : positions[k];
      if (normals[k] >= 0) target["NORMAL"] = normals[k];
      added.push_back(target);
    }
    // By index only now: adding accessors moves what references point at.
    OrderedJson& primitive = doc.json()["meshes"][static_cast<size_t>(basis.mesh)]["primitives"][p];
    OrderedJson& targets = primitive["targets"];
    if (!targets.is_array()) targets = OrderedJson::array();
    for (OrderedJson& target : added) targets.push_back(std::move(target));
    fill_gaps(doc, targets, n_vertices, zeros);
    extend_names(primitive, basis, false);
  }
  OrderedJson& json = doc.json()["meshes"][static_cast<size_t>(basis.mesh)];
  extend_weights(json, basis.n_old, basis.n_targets);
  extend_names(json, basis, true);
  for (size_t n = 0; n < doc.file().nodes.size(); ++n) {
    if (doc.file().nodes[n].mesh == basis.mesh && !doc.file().nodes[n].weights.empty()) {
      extend_weights(doc.json()["nodes"][n], basis.n_old, basis.n_targets);
    }
  }
}

}  // namespace supple
