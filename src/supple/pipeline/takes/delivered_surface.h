// What a take delivered, as whoever opens it sees it.
#pragma once
#include <string>

#include "supple/pipeline/deliver/surface_files.h"
#include "supple/pipeline/takes/take.h"

namespace supple::pipeline {

// A take opened as it was run, with its surface over all frames.
struct DeliveredSurface {
  explicit DeliveredSurface(const std::string& directory);

  double metres() const { return take.job.file_scale(); }
  int n_frames() const { return run.n_frames(); }
  Points points(int frame) const;                           // [m]
  Points base(int frame) const { return run.base(frame); }  // from which it departs [m]

  Take take;
  DeliveredRun run;
  DrawnFrames drawn;
  // What it was read from: "surface.pc2", "fox_soft.glb: Walk.soft"; "what was simulated": no file with every frame is
  // there any more, or none was asked for, and it was drawn once more of the tets that the take keeps.
  std::string source;
};

}  // namespace supple::pipeline
