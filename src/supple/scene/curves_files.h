// What `supple curves` writes: curves, the character with a new clip, the surface.
#pragma once
#include <string>
#include <vector>

#include "supple/scene/curves_run.h"
#include "supple/scene/surface_files.h"

namespace supple {

// The surface at every frame, as found and as keyed, and a job that stands for the run where files and pages are made.
struct CurvesDrawn {
  Job job;
  DrawnFrames frames;
};
CurvesDrawn draw_curves(const CurvesSetup& setup, const CurvesResult& result);

struct KeysWritten {
  std::string clip;
  int channels = 0, keys = 0, frames = 0;          // frames: keys there would be without reduction
  double angle_rad = 0, length_m = 0, factor = 0;  // largest errors
};

struct CurvesWritten {
  std::vector<std::string> files, notes;
  KeysWritten keys;
};
// Into a directory that is there. Files appear when they are complete.
CurvesWritten write_curves_files(const CurvesSetup& setup, const CurvesResult& result, const CurvesDrawn& drawn,
                                 const std::string& directory);

}  // namespace supple
