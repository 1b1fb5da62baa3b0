#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "supple/base/index.h"
#include "supple/io/gltf/live_parts.h"

namespace supple {

namespace {

using Eigen::Index;

// Of the largest displacement: nodes that show one mesh may differ by it, which is rounding on the way.
constexpr double kAgree = 1e-4;

// Changes of one attribute at the vertices of one primitive in the mesh's own space.
struct Changes {
  std::vector<int> vertices;  // of the primitive, ascending
  MatX values;                // 3 a vertex x modes
};

class Collector {
 public:
  Collector(const GlbDocument& doc, const Character& character, const Drawn& drawn, LivePack& pack,
            const LiveGlbOptions& options)
      : doc_(doc), character_(character), drawn_(drawn), pack_(pack), options_(options) {}

  std::vector<LiveMesh> take() {
    require_file();
    for (size_t part = 0; part < pack_.parts.size(); ++part) {
      require_shapes(pack_.parts[part]);
      add_part(static_cast<int>(part));
    }
    add_names();
    std::vector<LiveMesh> list;
    for (auto& [mesh, live] : meshes_) list.push_back(std::move(live));
    return list;
  }

 private:
  [[noreturn]] void refuse(const std::string& place, const std::string& what, const std::string& advice = "") const {
    doc_.fail(place, "not written: " + what, advice);
  }
  std::string mesh_name(int mesh) const { return gltf_place("mesh", at(mesh), doc_.file().meshes[at(mesh)].name); }
  std::string node_name(int node) const { return gltf_place("node", at(node), doc_.file().nodes[at(node)].name); }

  // The layout must be of this file: vertices go by their number alone.
  void require_file() const {
    const std::string advice = "Read the character from this file.";
    if (character_.nodes.size() != doc_.file().nodes.size()) {
      refuse("nodes",
             fmt::format("{} are in the file, the character has {}", doc_.file().nodes.size(), character_.nodes.size()),
             advice);
    }
    if (!(std::abs(pack_.unit - drawn_.scale) <= 1e-9 * drawn_.scale)) {
      refuse("unit", fmt::format("the pack has {} m a unit, the character {}", pack_.unit, drawn_.scale));
    }
    for (const DrawnPrimitive& p : drawn_.primitives) {
      const bool there = p.mesh >= 0 && p.mesh < static_cast<int>(doc_.file().meshes.size()) && p.primitive >= 0 &&
                         at(p.primitive) < doc_.file().meshes[at(p.mesh)].primitives.size();
      if (!there || vertex_count(p.mesh, p.primitive) != at(p.n_vertices)) {
        refuse(fmt::format("mesh {}, primitive {}", p.mesh, p.primitive), "its vertices are not those of the character",
               advice);
      }
    }
    for (const LivePart& part : pack_.parts) {
      if (part.node < 0 || at(part.node) >= doc_.file().nodes.size()) {
        refuse(fmt::format("part '{}'", part.name), fmt::format("its node {} is not in the file", part.node), advice);
      }
    }
  }
  size_t vertex_count(int mesh, int primitive) const {
    const GltfAttributes& attributes = doc_.file().meshes[at(mesh)].primitives[at(primitive)].attributes;
    const auto found = attributes.find("POSITION");
    return found == attributes.end() ? 0 : doc_.file().accessors[at(found->second)].count;
  }

  void require_shapes(const LivePart& part) const {
    bool moves = false;
    for (const LiveMode& mode : part.modes) {
      const LiveShape& s = mode.shape;
      const std::string place = fmt::format("part '{}', mode '{}'", part.name, mode.name);
      if (s.positions.size() != s.vertices.size() || (!s.normals.empty() && s.normals.size() != s.vertices.size())) {
        refuse(place, fmt::format("{} vertices, but {} displacements and {} normals", s.vertices.size(),
                                  s.positions.size(), s.normals.size()));
      }
      for (size_t i = 0; i < s.vertices.size(); ++i) {
        if (s.vertices[i] < 0 || s.vertices[i] >= drawn_.n_vertices() || (i > 0 && s.vertices[i] <= s.vertices[i - 1]))
          refuse(place, fmt::format("its entry {} is not a vertex, or not in ascending order", i));
        // Single precision must hold sums of them.
        auto good = [](const Vec3& x) { return x.allFinite() && x.cwiseAbs().maxCoeff() < 1e30; };
        if (!good(s.positions[i]) || (!s.normals.empty() && !good(s.normals[i]))) {
          refuse(fmt::format("{}, vertex {}", place, s.vertices[i]), "its change is not finite");
        }
        moves = moves || s.positions[i] != Vec3::Zero();
      }
    }
    if (!moves) refuse(fmt::format("part '{}'", part.name), "it moves no vertex");
  }

  Changes changes_of(const LivePart& part, const DrawnPrimitive& p, bool normals) const {
    const Mat3 L = p.to_world.linear(), to_file = L.inverse();
    std::vector<int> row(at(p.n_vertices), -1);
    Changes changes;
    for (const bool counting : {true, false}) {
      for (size_t m = 0; m < part.modes.size(); ++m) {
        const LiveShape& s = part.modes[m].shape;
        const Points& list = normals ? s.normals : s.positions;
        const auto begin = std::lower_bound(s.vertices.begin(), s.vertices.end(), p.first_vertex);
        for (auto v = begin; v != s.vertices.end() && *v < p.first_vertex + p.n_vertices; ++v) {
          const size_t i = static_cast<size_t>(v - s.vertices.begin());
          if (i >= list.size() || list[i] == Vec3::Zero()) continue;
          const size_t local = at(*v - p.first_vertex);
          if (counting) {
            row[local] = 0;
            continue;
          }
          // A normal goes by the inverse transpose, so back by the transpose; both are of unit length.
          const Vec3 change = normals ? Vec3(L.transpose() * list[i] / (L.transpose() * drawn_.normals[at(*v)]).norm())
                                      : Vec3(to_file * list[i]);
          if (!change.allFinite()) {
            refuse(fmt::format("{} of {}", mesh_name(p.mesh), node_name(p.node)),
                   fmt::format("part '{}' moves it, but its placement flattens it", part.name),
                   "Apply its transform in your modelling program.");
          }
          changes.values.block<3, 1>(3 * row[local], static_cast<Index>(m)) = change;
        }
      }
      if (!counting) break;
      for (size_t v = 0; v < row.size(); ++v) {
        if (row[v] < 0) continue;
        row[v] = static_cast<int>(changes.vertices.size());
        changes.vertices.push_back(static_cast<int>(v));
      }
      changes.values.setZero(3 * static_cast<Index>(changes.vertices.size()), static_cast<Index>(part.modes.size()));
    }
    return changes;
  }

  // The largest difference anywhere.
  static double difference(const Changes& a, const Changes& b) {
    double worst = 0;
    auto one_way = [&](const Changes& x, const Changes& y) {
      for (size_t i = 0; i < x.vertices.size(); ++i) {
        const auto found = std::lower_bound(y.vertices.begin(), y.vertices.end(), x.vertices[i]);
        const bool both = found != y.vertices.end() && *found == x.vertices[i];
        MatX d = x.values.middleRows(3 * static_cast<Index>(i), 3);
        if (both) d -= y.values.middleRows(3 * static_cast<Index>(found - y.vertices.begin()), 3);
        worst = std::max(worst, d.cwiseAbs().maxCoeff());
      }
    };
    one_way(a, b);
    one_way(b, a);
    return worst;
  }

  void add_part(int index) {
    const LivePart& part = pack_.parts[at(index)];
    struct Seen {
      int node;
      Changes positions, normals;
    };
    std::map<int, std::map<int, Seen>> found;  // mesh, primitive
    std::set<int> moving;
    for (const DrawnPrimitive& p : drawn_.primitives) {
      const auto& attributes = doc_.file().meshes[at(p.mesh)].primitives[at(p.primitive)].attributes;
      Seen seen{p.node, changes_of(part, p, false), {}};
      // A primitive without normals is shaded flat.
      if (options_.normals && attributes.count("NORMAL") > 0) seen.normals = changes_of(part, p, true);
      if (!seen.positions.vertices.empty()) moving.insert(p.mesh);
      const auto [known, fresh] = found[p.mesh].try_emplace(p.primitive, seen);
      if (fresh) continue;
      const MatX &a = known->second.positions.values, &b = seen.positions.values;
      const double largest = std::max(a.size() ? a.cwiseAbs().maxCoeff() : 0, b.size() ? b.cwiseAbs().maxCoeff() : 0);
      if (!(difference(known->second.positions, seen.positions) <= kAgree * largest)) {
        refuse(fmt::format("part '{}', {}", part.name, mesh_name(p.mesh)),
               fmt::format("{} and {} show this mesh, but do not move alike", node_name(known->second.node),
                           node_name(p.node)),
               "Give each its own copy of the mesh, or leave it out of the part.");
      }
    }
    const int n_modes = static_cast<int>(part.modes.size());
    for (const int mesh : moving) {
      LiveMesh& live = mesh_of(mesh);
      SoftBasis& basis = live.basis;
      live.parts.push_back({index, basis.n_targets, part.name + " 0"});
      for (const auto& [primitive, seen] : found[mesh]) {
        for (const Changes* changes : {&seen.positions, &seen.normals}) {
          if (changes->vertices.empty()) continue;
          SoftField field;
          field.primitive = primitive;
          field.normals = changes == &seen.normals;
          field.first = basis.n_targets;
          field.n_vertices = vertex_count(mesh, primitive);
          field.vertices = changes->vertices;
          field.targets = changes->values.cast<float>();
          basis.fields.push_back(std::move(field));
        }
      }
      basis.n_targets += n_modes;
    }
  }

  LiveMesh& mesh_of(int mesh) {
    const auto [found, fresh] = meshes_.try_emplace(mesh);
    LiveMesh& live = found->second;
    if (!fresh) return live;
    const auto& primitives = doc_.file().meshes[at(mesh)].primitives;
    live.basis.mesh = mesh;
    live.basis.n_old = static_cast<int>(primitives[0].targets.size());
    for (const GltfPrimitive& p : primitives) {
      if (p.targets.size() != primitives[0].targets.size())
        refuse(mesh_name(mesh), "its primitives differ in the number of targets");
    }
    for (const DrawnPrimitive& p : drawn_.primitives) {
      const bool known = std::find(live.nodes.begin(), live.nodes.end(), p.node) != live.nodes.end();
      if (p.mesh == mesh && !known) live.nodes.push_back(p.node);
    }
    return live;
  }

  // Targets of a mesh go by name in many programs: no two are the same, and a mode is called alike in all meshes.
  void add_names() {
    std::set<std::string> taken;
    for (const auto& [mesh, live] : meshes_) {
      const OrderedJson& json = doc_.json()["meshes"][at(mesh)];
      const OrderedJson extras = json.value("extras", OrderedJson());
      const OrderedJson names = extras.is_object() ? extras.value("targetNames", OrderedJson()) : OrderedJson();
      for (const OrderedJson& name : names.is_array() ? names : OrderedJson::array()) {
        if (name.is_string()) taken.insert(name.get<std::string>());
      }
    }
    auto free_name = [&](const std::string& wish) {
      std::string name = wish;
      for (int n = 2; !taken.insert(name).second; ++n) name = fmt::format("{} ({})", wish, n);
      return name;
    };
    for (LivePart& part : pack_.parts) {
      for (LiveMode& mode : part.modes) mode.name = free_name(mode.name);
    }
    for (auto& [mesh, live] : meshes_) {
      for (LiveMesh::Part& p : live.parts) {
        p.base = free_name(p.base);
        for (const LiveMode& mode : pack_.parts[at(p.part)].modes) live.basis.names.push_back(mode.name);
      }
    }
  }

  const GlbDocument& doc_;
  const Character& character_;
  const Drawn& drawn_;
  LivePack& pack_;
  const LiveGlbOptions& options_;
  std::map<int, LiveMesh> meshes_;
};

}  // namespace

std::vector<LiveMesh> live_meshes(const GlbDocument& doc, const Character& character, const Drawn& drawn,
                                  LivePack& pack, const LiveGlbOptions& options) {
  return Collector(doc, character, drawn, pack, options).take();
}

}  // namespace supple
