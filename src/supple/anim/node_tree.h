// Placements of nodes and the world matrices that follow from them; the shared ground of layout and posing.
#pragma once
#include <vector>

#include "supple/anim/character.h"

namespace supple {

// Nodes with every parent before its children. InputError where parents go round in a circle or are not there.
std::vector<int> parents_first(const Character& character);

std::vector<Affine> rest_locals(const Character& character);
// World from local matrices, along `order`.
std::vector<Affine> chain_nodes(const Character& character, const std::vector<int>& order,
                                const std::vector<Affine>& locals);

// What a clip says at t: placements and local matrices of all nodes, and the weights of morph targets of nodes that it
// animates (empty for the others).
struct NodeState {
  std::vector<Placement> placements;
  std::vector<Affine> locals;
  std::vector<std::vector<double>> weights;
};
NodeState sample_clip(const Character& character, const Clip& clip, double t);

// Weights of the morph targets of a mesh node at rest, `n` of them.
std::vector<double> rest_weights(const Character& character, int node, size_t n);

// Can this map be undone without losing all digits?
bool invertible(const Affine& map);

}  // namespace supple
