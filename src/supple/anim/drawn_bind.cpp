#include "supple/anim/drawn_bind.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "supple/anim/node_tree.h"
#include "supple/base/error.h"
#include "supple/linalg/svd3.h"

namespace supple {
namespace {

// The part that maps have in common, weighted: a turn, a mean size, and the stretch where all have the same one (then
// it is the file's units, quantized positions among them, and not the pose's). All maps equal: that map.
Affine common_part(const std::vector<Affine>& maps, const SkinLoad& load) {
  double total = 0, size = 0, handed = 0;
  Mat3 stretch2 = Mat3::Zero(), turn = Mat3::Zero();
  for (size_t j = 0; j < maps.size(); ++j) {
    const Mat3 L = maps[j].linear();
    const double determinant = L.determinant(), scale = std::cbrt(std::abs(determinant));
    if (load.weight[j] <= 0 || !(scale > 0) || !maps[j].matrix().allFinite()) continue;
    total += load.weight[j];
    size += load.weight[j] * scale;
    handed += determinant > 0 ? load.weight[j] : -load.weight[j];
    stretch2 += load.weight[j] * L.transpose() * L;
  }
  if (!(total > 0)) return Affine::Identity();
  size /= total;
  stretch2 /= total;
  const double sign = handed < 0 ? -1 : 1;

  double spread = 0;
  for (size_t j = 0; j < maps.size(); ++j) {
    const Mat3 L = maps[j].linear();
    if (load.weight[j] > 0) spread = std::max(spread, (L.transpose() * L - stretch2).norm());
  }
  Mat3 stretch = size * Mat3::Identity();
  if (spread <= 1e-3 * stretch2.norm()) {
    const SymEigen3 eigen = sym_eigen3(stretch2);
    stretch = eigen.vectors * eigen.values.cwiseMax(0.0).cwiseSqrt().asDiagonal() * eigen.vectors.transpose();
  }
  const Mat3 unstretch = stretch.inverse();
  for (size_t j = 0; j < maps.size(); ++j) {
    const Mat3 L = maps[j].linear();
    if (load.weight[j] > 0 && L.allFinite()) turn += sign * load.weight[j] * L * unstretch;
  }
  Affine common;
  common.linear() = sign * polar3(turn).R * stretch;
  common.translation().setZero();
  Vec3 shift = Vec3::Zero();
  double shifted = 0;
  for (size_t j = 0; j < maps.size(); ++j) {
    if (load.weight[j] <= 0 || !maps[j].matrix().allFinite()) continue;
    shift += load.weight[j] * (maps[j] * load.centre[j] - common * load.centre[j]);
    shifted += load.weight[j];
  }
  common.translation() = shift / shifted;
  return common;
}

// Rest placements with sizes of 0, which hide a node, taken as 1: hidden things stand somewhere too.
std::vector<Affine> locals_to_bind(const Character& character) {
  std::vector<Affine> locals = rest_locals(character);
  for (size_t i = 0; i < locals.size(); ++i) {
    const Node& node = character.nodes[i];
    if (node.matrix || invertible(locals[i])) continue;
    Placement place = node.local;
    for (int c = 0; c < 3; ++c) {
      if (std::abs(place.scale[c]) <= 1e-6) place.scale[c] = 1;
    }
    locals[i] = place.matrix();
  }
  return locals;
}

}  // namespace

bool is_skinned(const Character& character, const Node& node, const Primitive& primitive) {
  return node.skin >= 0 && primitive.influences > 0 && !character.skins[node.skin].joints.empty();
}

SkinLoad skin_load(const Character& character, int skin, const std::vector<int>& mesh_nodes) {
  const size_t n_joints = character.skins[skin].joints.size();
  SkinLoad load{std::vector<double>(n_joints, 0.0), Points(n_joints, Vec3::Zero())};
  for (int n : mesh_nodes) {
    const Node& node = character.nodes[n];
    if (node.skin != skin) continue;
    for (const Primitive& primitive : character.meshes[node.mesh].primitives) {
      if (!is_skinned(character, node, primitive) || !primitive.triangles_only) continue;
      const size_t per_vertex = static_cast<size_t>(primitive.influences);
      for (size_t k = 0; k < primitive.positions.size() * per_vertex; ++k) {
        if (!(primitive.weights[k] > 0)) continue;
        const int joint = primitive.joints[k];
        if (joint < 0 || static_cast<size_t>(joint) >= n_joints) {
          throw InputError({character.file, 0, 0, "mesh " + character.meshes[node.mesh].name},
                           "vertex " + std::to_string(k / per_vertex) + " follows joint " + std::to_string(joint) +
                               " of a skin with " + std::to_string(n_joints) + " joints",
                           "write the file again from the program it came from");
        }
        load.weight[joint] += primitive.weights[k];
        load.centre[joint] += primitive.weights[k] * primitive.positions[k / per_vertex];
      }
    }
  }
  for (size_t j = 0; j < n_joints; ++j) {
    if (load.weight[j] > 0) load.centre[j] /= load.weight[j];
  }
  return load;
}

Binding bind_skins(const Character& character, const std::vector<int>& mesh_nodes, std::vector<std::string>& warnings) {
  const size_t n_skins = character.skins.size();
  std::vector<SkinLoad> loads(n_skins);
  std::vector<double> carried(n_skins, 0.0);
  for (size_t s = 0; s < n_skins; ++s) {
    loads[s] = skin_load(character, static_cast<int>(s), mesh_nodes);
    carried[s] = std::accumulate(loads[s].weight.begin(), loads[s].weight.end(), 0.0);
  }
  std::vector<size_t> by_load(n_skins);
  std::iota(by_load.begin(), by_load.end(), size_t{0});
  std::stable_sort(by_load.begin(), by_load.end(), [&](size_t a, size_t b) { return carried[a] > carried[b]; });

  const std::vector<int> order = parents_first(character);
  const std::vector<Affine> locals = locals_to_bind(character);
  Binding binding{std::vector<Affine>(n_skins, Affine::Identity()), chain_nodes(character, order, locals)};
  std::vector<char> bound(character.nodes.size(), 0);
  for (size_t s : by_load) {
    const Skin& skin = character.skins[s];
    if (!(carried[s] > 0)) continue;
    std::vector<Affine> maps(skin.joints.size());
    for (size_t j = 0; j < maps.size(); ++j) maps[j] = binding.nodes[skin.joints[j]] * skin.inverse_binds[j];
    Affine& place = binding.skins[s];
    place = common_part(maps, loads[s]);
    if (!invertible(place)) {
      warnings.push_back("skin " + skin.name + " has no size in the rest pose: taken as the file's vertices have it");
      place = Affine::Identity();
    }
    // Joints that carry something first: the inverse binds of others are often not meant.
    for (bool carries : {true, false}) {
      for (size_t j = 0; j < maps.size(); ++j) {
        const int node = skin.joints[j];
        if (bound[node] || (loads[s].weight[j] > 0) != carries || !invertible(skin.inverse_binds[j])) continue;
        bound[node] = 1;
        binding.nodes[node] = place * skin.inverse_binds[j].inverse();
      }
    }
    for (int i : order) {
      const int parent = character.nodes[i].parent;
      if (!bound[i] && parent >= 0) binding.nodes[i] = binding.nodes[parent] * locals[i];
    }
  }
  return binding;
}

}  // namespace supple
