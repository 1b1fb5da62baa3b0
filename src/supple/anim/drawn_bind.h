// Where skins stand in the bound world.
#pragma once
#include <vector>

#include "supple/anim/character.h"

namespace supple {

// Mesh nodes of the scene and what each joint of each skin carries through them.
struct SkinLoad {
  std::vector<double> weight;  // sum of the skin weights, one a joint
  Points centre;               // of what the joint carries, the file's vertex positions
};
SkinLoad skin_load(const Character& character, int skin, const std::vector<int>& mesh_nodes);

// Skinned: the node has a skin and the primitive weights for it. Other primitives of such a node follow the node.
bool is_skinned(const Character& character, const Node& node, const Primitive& primitive);

struct Binding {
  std::vector<Affine> skins;  // vertex positions of the file -> bound world, one a skin, file units
  std::vector<Affine> nodes;  // bound world matrices, file units
};
Binding bind_skins(const Character& character, const std::vector<int>& mesh_nodes, std::vector<std::string>& warnings);

}  // namespace supple
