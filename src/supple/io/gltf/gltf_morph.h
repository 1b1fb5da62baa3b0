// An animated surface as one self-contained .glb: morph targets whose weights are animated.
#pragma once
#include <cstddef>
#include <string>

#include "supple/io/point_cache.h"
#include "supple/mesh/tri_mesh.h"

namespace supple {

struct MorphOptions {
  double fps = 24;
  double tolerance_m = 0;  // largest error of a vertex; 0: 1e-4 of the longest side of the mesh
  int max_targets = 64;
  bool normals = true;  // with normals and their change
  std::string name = "surface";
};
struct MorphReport {
  int targets = 0;
  double max_error_m = 0;  // of any vertex in any frame; above the tolerance when max_targets did not suffice
  size_t bytes = 0;        // of the file
};
// mesh: the rest shape, with colours and texture coordinates when it has them; frames: its vertices over time. Without
// frames the file is the still mesh.
MorphReport write_glb(const std::string& path, const TriMesh& mesh, const PointCache& frames,
                      const MorphOptions& options = {});

}  // namespace supple
