// VTK XML unstructured grids, for ParaView: a tet mesh with its maps and, for an animation, its displacement.
#pragma once
#include <string>
#include <vector>

#include "supple/mesh/tet_mesh.h"

namespace supple {

struct VtuOptions {
  bool binary = true;                  // base64 in an appended block; false: text
  const VecX* displacement = nullptr;  // a vector a vertex [m], flat; points stay at rest, for "Warp By Vector"
};
// The maps of the mesh are scalar arrays and the region is a cell array.
void write_vtu(const std::string& path, const TetMesh& mesh, const VtuOptions& options = {});

// The index of a series: time [s] and file name of each frame, relative to the index.
struct VtuFrame {
  double time = 0;
  std::string file;
};
void write_pvd(const std::string& path, const std::vector<VtuFrame>& frames);

}  // namespace supple
