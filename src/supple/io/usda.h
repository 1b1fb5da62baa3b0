// An animated surface as a text USD layer: one mesh with points sampled over time, y up.
#pragma once
#include <string>

#include "supple/io/point_cache.h"
#include "supple/mesh/tri_mesh.h"

namespace supple {

struct UsdaOptions {
  double fps = 24;
  double first_frame = 0;                  // time code of the first sample
  double rate = 1;                         // frames from one sample to the next
  const PointCache* velocities = nullptr;  // units a second, for motion blur; samples as those of the positions
  std::string name = "surface";
};
// mesh: the rest shape with colours and texture coordinates when it has them; frames may be empty.
void write_usda(const std::string& path, const TriMesh& mesh, const PointCache& frames,
                const UsdaOptions& options = {});

}  // namespace supple
