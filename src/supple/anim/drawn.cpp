#include "supple/anim/drawn.h"

#include <algorithm>
#include <cmath>

#include "supple/anim/drawn_bind.h"
#include "supple/anim/node_tree.h"
#include "supple/mesh/tri_mesh.h"

namespace supple {
namespace {

std::vector<int> shown_mesh_nodes(const Character& character) {
  std::vector<int> nodes;
  for (size_t i = 0; i < character.nodes.size(); ++i) {
    const bool shown = i >= character.shown.size() || character.shown[i];
    if (shown && character.nodes[i].mesh >= 0) nodes.push_back(static_cast<int>(i));
  }
  return nodes;
}

Affine scaled(Affine map, double scale) {
  map.matrix() *= scale;
  return map;
}

class Layout {
 public:
  Layout(const Character& character, double scale) : character_(character), mesh_nodes_(shown_mesh_nodes(character)) {
    drawn_.scale = scale;
    binding_ = bind_skins(character, mesh_nodes_, drawn_.warnings);
    drawn_.bound_nodes = binding_.nodes;
  }

  Drawn take() {
    add_geometry();
    add_bones();
    add_weights();
    for (int node : mesh_nodes_) add_morphs(node);
    add_normals();
    return std::move(drawn_);
  }

 private:
  const Primitive& source(const DrawnPrimitive& p) const { return character_.meshes[p.mesh].primitives[p.primitive]; }
  bool skinned(const DrawnPrimitive& p) const { return is_skinned(character_, character_.nodes[p.node], source(p)); }

  void add_geometry() {
    for (int n : mesh_nodes_) {
      const Node& node = character_.nodes[n];
      const CharacterMesh& mesh = character_.meshes[node.mesh];
      for (size_t p = 0; p < mesh.primitives.size(); ++p) {
        const Primitive& primitive = mesh.primitives[p];
        if (!primitive.triangles_only || primitive.positions.empty()) continue;
        DrawnPrimitive added;
        added.node = n;
        added.mesh = node.mesh;
        added.primitive = static_cast<int>(p);
        added.mesh_name = mesh.name;
        added.material = primitive.material;
        added.first_vertex = drawn_.n_vertices();
        added.n_vertices = static_cast<int>(primitive.positions.size());
        added.first_triangle = static_cast<int>(drawn_.triangles.size());
        added.n_triangles = static_cast<int>(primitive.triangles.size());
        added.to_world = scaled(is_skinned(character_, node, primitive) ? binding_.skins[node.skin] : binding_.nodes[n],
                                drawn_.scale);
        if (!invertible(added.to_world)) {
          drawn_.warnings.push_back("mesh " + mesh.name + " of node " + node.name + " is flattened by its placement");
        }
        for (const Vec3& v : primitive.positions) drawn_.vertices.rest.push_back(added.to_world * v);
        const bool mirrored = added.to_world.linear().determinant() < 0;
        for (Tri t : primitive.triangles) {
          for (int& v : t) v += added.first_vertex;
          if (mirrored) std::swap(t[1], t[2]);
          drawn_.triangles.push_back(t);
        }
        drawn_.primitives.push_back(added);
      }
    }
  }

  int bone(int node, const Affine& from_bound) {
    for (size_t b = 0; b < drawn_.bones.size(); ++b) {
      const Affine& have = drawn_.bones[b].from_bound;
      if (drawn_.bones[b].node != node) continue;
      const double length = from_bound.linear().norm();
      if ((have.linear() - from_bound.linear()).norm() <= 1e-6 * length &&
          (have.translation() - from_bound.translation()).norm() <=
              1e-6 * (length * size_ + from_bound.translation().norm())) {
        return static_cast<int>(b);
      }
    }
    Bone added;
    added.name = character_.nodes[node].name;
    if (added.name.empty()) added.name = "node " + std::to_string(node);
    added.node = node;
    added.from_bound = from_bound;
    added.head = invertible(from_bound) ? from_bound.inverse().translation()
                                        : Vec3(drawn_.scale * drawn_.bound_nodes[node].translation());
    drawn_.bones.push_back(added);
    return static_cast<int>(drawn_.bones.size()) - 1;
  }

  void add_bones() {
    size_ = longest_side(drawn_.vertices.rest);
    bone_of_joint_.resize(character_.skins.size());
    for (size_t s = 0; s < character_.skins.size(); ++s) {
      const Skin& skin = character_.skins[s];
      const SkinLoad load = skin_load(character_, static_cast<int>(s), mesh_nodes_);
      bone_of_joint_[s].assign(skin.joints.size(), -1);
      const Affine to_file = scaled(binding_.skins[s], drawn_.scale).inverse();
      for (size_t j = 0; j < skin.joints.size(); ++j) {
        if (load.weight[j] > 0) bone_of_joint_[s][j] = bone(skin.joints[j], skin.inverse_binds[j] * to_file);
      }
    }
    bone_of_node_.assign(character_.nodes.size(), -1);
    for (const DrawnPrimitive& p : drawn_.primitives) {
      if (skinned(p) || bone_of_node_[p.node] >= 0) continue;
      const Affine from_bound = invertible(p.to_world) ? Affine(p.to_world.inverse()) : Affine::Identity();
      bone_of_node_[p.node] = bone(p.node, from_bound);
    }
    // The nearest ancestor node that has a bone.
    std::vector<int> first_bone(character_.nodes.size(), -1);
    for (size_t b = drawn_.bones.size(); b-- > 0;) first_bone[drawn_.bones[b].node] = static_cast<int>(b);
    for (Bone& b : drawn_.bones) {
      int node = character_.nodes[b.node].parent;
      while (node >= 0 && first_bone[node] < 0) node = character_.nodes[node].parent;
      b.parent = node < 0 ? -1 : first_bone[node];
    }
  }

  void add_weights() {
    SkinWeights& skin = drawn_.vertices.skin;
    std::vector<std::pair<int, double>> own;  // bones of one vertex
    for (const DrawnPrimitive& p : drawn_.primitives) {
      const Primitive& primitive = source(p);
      for (int v = 0; v < p.n_vertices; ++v) {
        own.clear();
        if (skinned(p)) {
          const std::vector<int>& bones = bone_of_joint_[character_.nodes[p.node].skin];
          for (int k = v * primitive.influences; k < (v + 1) * primitive.influences; ++k) {
            if (!(primitive.weights[k] > 0)) continue;
            const int b = bones[primitive.joints[k]];
            const auto same = std::find_if(own.begin(), own.end(), [&](const auto& o) { return o.first == b; });
            if (same == own.end()) {
              own.push_back({b, primitive.weights[k]});
            } else {
              same->second += primitive.weights[k];
            }
          }
          // A vertex without weights stays with the first bone of its skin that carries anything.
          if (own.empty()) {
            const auto any = std::find_if(bones.begin(), bones.end(), [](int b) { return b >= 0; });
            own.push_back({any == bones.end() ? bone_of_node(p) : *any, 1.0});
          }
        } else {
          own.push_back({bone_of_node_[p.node], 1.0});
        }
        double sum = 0;
        for (const auto& [b, w] : own) sum += w;
        for (const auto& [b, w] : own) {
          skin.bone.push_back(b);
          skin.weight.push_back(w / sum);
        }
        skin.first.push_back(static_cast<int>(skin.bone.size()));
      }
    }
  }

  // Of a skinned primitive whose vertices all have no weight: its node carries it.
  int bone_of_node(const DrawnPrimitive& p) {
    if (bone_of_node_[p.node] < 0) bone_of_node_[p.node] = bone(p.node, p.to_world.inverse());
    return bone_of_node_[p.node];
  }

  void add_morphs(int node) {
    const CharacterMesh& mesh = character_.meshes[character_.nodes[node].mesh];
    size_t n_targets = 0;
    for (const Primitive& primitive : mesh.primitives) n_targets = std::max(n_targets, primitive.targets.size());
    const std::vector<double> weights = rest_weights(character_, node, n_targets);
    for (size_t t = 0; t < n_targets; ++t) {
      Morph morph;
      morph.node = node;
      morph.target = static_cast<int>(t);
      for (const DrawnPrimitive& p : drawn_.primitives) {
        if (p.node != node || t >= source(p).targets.size()) continue;
        const Points& changes = source(p).targets[t].positions;
        for (int v = 0; v < std::min(p.n_vertices, static_cast<int>(changes.size())); ++v) {
          if (changes[v].isZero(0)) continue;
          morph.points.push_back(p.first_vertex + v);
          morph.offsets.push_back(p.to_world.linear() * changes[v]);
        }
      }
      drawn_.vertices.morphs.push_back(morph);
      drawn_.at_rest.push_back(weights[t]);
    }
  }

  void add_normals() {
    drawn_.normals = vertex_normals(drawn_.vertices.rest, drawn_.triangles);
    for (const DrawnPrimitive& p : drawn_.primitives) {
      const Points& normals = source(p).normals;
      if (static_cast<int>(normals.size()) != p.n_vertices || !invertible(p.to_world)) continue;
      const Mat3 turn = p.to_world.linear().inverse().transpose();
      for (int v = 0; v < p.n_vertices; ++v) {
        const Vec3 n = turn * normals[v];
        if (n.allFinite() && n.norm() > 0) drawn_.normals[p.first_vertex + v] = n.normalized();
      }
    }
  }

  const Character& character_;
  std::vector<int> mesh_nodes_;
  Binding binding_;
  Drawn drawn_;
  double size_ = 0;
  std::vector<std::vector<int>> bone_of_joint_;
  std::vector<int> bone_of_node_;
};

}  // namespace

Drawn lay_out(const Character& character, double scale) { return Layout(character, scale).take(); }

}  // namespace supple
