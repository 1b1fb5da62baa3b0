// Values of rig parameters over a shot: what is keyed by hand, and what earlier layers found.
#pragma once
#include <memory>

#include "supple/base/types.h"
#include "supple/io/curve_files.h"
#include "supple/rigs/curve_samples.h"
#include "supple/rigspace/rig_stepper.h"

namespace supple::pipeline::curves {

// A table's column at every frame from `first` on: eased from key to key where it has none.
VecX resampled(const CurveTable& table, int column, int first, int n_frames);

// The rig's own animation with samples over it. Both are copied.
KeyedParameters keyed_with(std::shared_ptr<const RigMap> rig, CurveSamples samples);

}  // namespace supple::pipeline::curves
