// The scene that is asked for: all forms of a wish as dials of the scene.
#pragma once
#include "supple/pipeline/trials/part_targets.h"
#include "supple/pipeline/trials/tune_scene.h"

namespace supple::pipeline {

// Without what was tuned before. notes: what was read of a take to resemble. unadjusted: the job of the scene without
// dials. InputError: a wish that cannot be.
SceneConfig wanted_scene(SceneConfig scene, const TuneRequest& request, const Job& unadjusted,
                         const MeasuredResponse& before, std::vector<std::string>& notes);

// How the liveliest free point goes along gravity's opposite, one a frame [m], from the caches of a run.
std::vector<double> heights_of(const Job& job, const PointCache& tets, const PointCache& statics);

// When that is lowest once the driver stands still, nearest to a frame; and the ratio of frequencies that would bring
// the low there.
struct LowPoint {
  bool found = false;
  double frame = 0, ratio = 1;
  std::string reason;
};
LowPoint low_point(const Job& job, const std::vector<double>& heights, double wanted_frame);

}  // namespace supple::pipeline
