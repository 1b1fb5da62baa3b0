// `supple compare`: two takes in one page.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "supple/base/watch.h"
#include "supple/pipeline/takes/preview_difference.h"
#include "supple/report/html.h"

namespace supple::pipeline {

struct FrameDistance {
  double rms = 0, largest = 0;  // between the drawn surfaces [m]
};

struct RegionDistance {
  std::string name;
  FrameDistance over_all;  // frames
};

struct CompareResult {
  bool same_mesh = false;
  std::string why_not;                  // the meshes cannot be laid over each other
  std::vector<FrameDistance> distance;  // frame by frame, as far as both go; empty unless the mesh is the same
  std::vector<RegionDistance> regions;  // of a; likewise, and where it has any
  double rms_m = 0, largest_m = 0, size_m = 0;
  int worst_frame = 0;
  std::optional<PreviewDifference> preview;  // where one is the preview of the other
  ReportPage page;
  Json json;
};

// InputError: as open_take (take.h).
CompareResult compare_runs(const std::string& a, const std::string& b, const Watch& watch = {});
void write_comparison(const CompareResult& result, const std::string& page);

// Two motions next to each other, a to the left: as many frames as the longer one has.
MotionSource side_by_side(const MotionSource& a, const MotionSource& b);

}  // namespace supple::pipeline
