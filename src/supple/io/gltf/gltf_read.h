// Characters from .glb and .gltf: plain, quantized, Draco or meshopt compressed.
#pragma once
#include <string>

#include "supple/anim/character.h"

namespace supple {

// What can be mended is mended and named in `warnings`: weights that do not sum to one, NaN weights, joints out of
// range, triangles that repeat or have no area... InputError for what cannot: nothing to draw, truncated data, indices
// out of range, positions that are not finite, an extension that is required and unknown.
// Animations that each move other nodes over the same time are one clip that was written per action: they are merged,
// with a warning, when merge_actions.
struct GltfReadOptions {
  bool merge_actions = true;
};
Character read_gltf(const std::string& path, const GltfReadOptions& options = {});

// The clip of this name or zero-based number; "" is the first. InputError names the clips there are.
const Clip& find_clip(const Character& character, const std::string& name);

}  // namespace supple
