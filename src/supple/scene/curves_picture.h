// Pictures of what parameters ask of the material.
#pragma once
#include <vector>

#include "supple/render/image.h"
#include "supple/scene/curves_run.h"

namespace supple {

// Factor on the stiffness of every tet of the scene; where layers share a tet the last counts, and 1 where none has a
// say.
std::vector<double> stiffness_field(const CurvesSetup& setup, const CurvesResult& result);

// The boundary of the tets at rest from three sides: blue where it is softer, red where it is stiffer, grey where it is
// as without.
Image material_picture(const CurvesSetup& setup, const CurvesResult& result);

}  // namespace supple
