// A character as a .glb of its own: for examples and tests, which make their characters by code.
#pragma once
#include <map>
#include <string>

#include "supple/anim/character.h"

namespace supple {

struct GltfWriteOptions {
  std::map<std::string, Vec3> colors;  // of materials, linear RGB; grey where none is given
};
// Nodes, meshes with their targets and maps ("_NAME" only), skins and clips. Skins have at most four influences a
// vertex. Written beside and renamed.
void write_gltf(const std::string& path, const Character& character, const GltfWriteOptions& options = {});

}  // namespace supple
