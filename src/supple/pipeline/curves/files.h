// What `supple curves` writes: curves, the character with a new clip, the surface.
#pragma once
#include <string>
#include <vector>

#include "supple/pipeline/character/appearance.h"
#include "supple/pipeline/curves/clips.h"
#include "supple/pipeline/deliver/surface_files.h"

namespace supple::pipeline::curves {

// The surface at every frame, as found and as keyed.
struct CurvesDrawn {
  std::shared_ptr<const Appearance> appearance;
  DrawnFrames frames;
};
CurvesDrawn draw_curves(const CurvesSetup& setup, const CurvesResult& result);

struct CurvesWritten {
  std::vector<std::string> files, notes;
  KeysWritten keys;
};
// Into a directory that is there. Files appear when they are complete.
CurvesWritten write_curves_files(const CurvesSetup& setup, const CurvesResult& result, const CurvesDrawn& drawn,
                                 const std::string& directory);

}  // namespace supple::pipeline::curves
