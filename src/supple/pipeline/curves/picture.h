// Pictures of what parameters ask of the material.
#pragma once
#include "supple/pipeline/curves/run.h"
#include "supple/render/image.h"

namespace supple::pipeline::curves {

// The boundary of the tets of all layers at rest, from three sides: blue where it is softer, red where it is stiffer,
// grey where it is as without. Colours go by the logarithm, to ten times stiffer or softer at least.
Image material_picture(const CurvesResult& result);

}  // namespace supple::pipeline::curves
