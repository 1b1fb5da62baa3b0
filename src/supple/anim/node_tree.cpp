#include "supple/anim/node_tree.h"

#include <cmath>
#include <string>

#include "supple/base/error.h"

namespace supple {

std::vector<int> parents_first(const Character& character) {
  const int n = static_cast<int>(character.nodes.size());
  std::vector<int> order;
  order.reserve(n);
  std::vector<char> state(n, 0);  // 1: on the way up to the root, 2: listed
  std::vector<int> way;
  for (int start = 0; start < n; ++start) {
    for (int i = start; i >= 0 && state[i] != 2; i = character.nodes[i].parent) {
      if (state[i] == 1 || character.nodes[i].parent >= n) {
        throw InputError({character.file, 0, 0, "node " + std::to_string(i)},
                         state[i] == 1 ? "the parents of this node go round in a circle" : "its parent is not there",
                         "write the file again from the program it came from");
      }
      state[i] = 1;
      way.push_back(i);
    }
    for (; !way.empty(); way.pop_back()) {
      order.push_back(way.back());
      state[way.back()] = 2;
    }
  }
  return order;
}

std::vector<Affine> rest_locals(const Character& character) {
  std::vector<Affine> locals(character.nodes.size());
  for (size_t i = 0; i < locals.size(); ++i) {
    const Node& node = character.nodes[i];
    locals[i] = node.matrix ? *node.matrix : node.local.matrix();
  }
  return locals;
}

std::vector<Affine> chain_nodes(const Character& character, const std::vector<int>& order,
                                const std::vector<Affine>& locals) {
  std::vector<Affine> world(locals.size());
  for (int i : order) {
    const int parent = character.nodes[i].parent;
    if (parent < 0) {
      world[i] = locals[i];
    } else {
      world[i] = world[parent] * locals[i];
    }
  }
  return world;
}

std::vector<double> rest_weights(const Character& character, int node, size_t n) {
  const Node& at = character.nodes[node];
  std::vector<double> weights;
  if (!at.weights.empty()) {
    weights = at.weights;
  } else if (at.mesh >= 0) {
    weights = character.meshes[at.mesh].weights;
  }
  weights.resize(n, 0.0);
  return weights;
}

bool invertible(const Affine& map) {
  if (!map.matrix().allFinite()) return false;
  const double length = map.linear().norm();
  // Beside the length cubed: no map of a file is flatter than this unless it is meant to vanish.
  return length > 0 && std::abs((map.linear() / length).determinant()) > 1e-12;
}

}  // namespace supple
