// How the normals of a surface turn while its vertices move.
#pragma once
#include "supple/mesh/tri_mesh.h"

namespace supple {

// The angular velocity of each vertex' area-weighted normal (as of vertex_normals) when vertices move at `rates`: the
// normal n changes by turn x n. Zero where no triangle with area meets.
Points normal_turns(const Points& vertices, const std::vector<Tri>& triangles, const Points& rates);

}  // namespace supple
