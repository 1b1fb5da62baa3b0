// A surface of any file that has one.
#pragma once
#include <string>
#include <vector>

#include "supple/mesh/tri_mesh.h"

namespace supple {

// The drawn triangles of an .obj, .glb or .gltf file. notes gets what was odd.
TriMesh read_surface(const std::string& path, std::vector<std::string>& notes);

}  // namespace supple
