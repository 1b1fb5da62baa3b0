// Pictures of what parameters ask of the material.
#pragma once
#include <vector>

#include "supple/mesh/tet_mesh.h"
#include "supple/render/image.h"

namespace supple::pipeline {

struct StiffTets {
  const TetMesh* tets = nullptr;
  const std::vector<double>* stiffness = nullptr;  // of each, beside what it is as without; null: 1
};

// The boundary of all at rest, from three sides: blue where it is softer, red where it is stiffer, grey where it is as
// without. Colours go by the logarithm, to ten times stiffer or softer at least.
Image stiffness_picture(const std::vector<StiffTets>& bodies);

}  // namespace supple::pipeline
