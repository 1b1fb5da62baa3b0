// The steps that write_live_glb and write_baked_glb share. Inside the room only.
#pragma once
#include <string>
#include <vector>

#include "supple/io/gltf/live_glb.h"
#include "supple/io/gltf/soft_parts.h"

namespace supple {

// Shapes of all parts in one mesh, as targets one part after the other.
struct LiveMesh {
  struct Part {
    int part = -1, first = 0;  // of the pack; its first target among ours
    std::string base;          // a name for a target that is always on, should there be one
  };
  std::vector<Part> parts;
  std::vector<int> nodes;  // that show the mesh
  SoftBasis basis;         // one field a part, primitive and attribute; named as the modes
};

// By mesh, ascending. Modes of `pack` whose names are taken in a mesh, or by other modes, get others.
std::vector<LiveMesh> live_meshes(const GlbDocument& doc, const Character& character, const Drawn& drawn,
                                  LivePack& pack, const LiveGlbOptions& options);

}  // namespace supple
