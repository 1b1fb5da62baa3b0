// Points of the surface that are pulled.
#pragma once
#include <functional>
#include <vector>

#include "supple/pipeline/curves/rig.h"
#include "supple/rigspace/rig_stepper.h"

namespace supple::pipeline::curves {

struct CurvesHandles {
  std::vector<int> points;              // of the rig
  std::vector<double> strengths;        // as the scene has them
  std::function<VecX(double)> targets;  // flat [m]
  bool empty() const { return points.empty(); }
};
// keyed: where handles without a track are. InputError: vertices out of range, tracks that cannot be read.
CurvesHandles read_handles(const SceneConfig& config, const CurvesRig& rig, const KeyedParameters& keyed);

}  // namespace supple::pipeline::curves
