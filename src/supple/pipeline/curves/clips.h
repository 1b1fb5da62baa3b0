// Clips that `supple curves` adds to a character: what was found, and its modes as controls.
#pragma once
#include <string>
#include <vector>

#include "supple/io/gltf/curves_glb.h"
#include "supple/io/gltf/soft_glb.h"
#include "supple/pipeline/curves/run.h"

namespace supple::pipeline::curves {

struct KeysWritten {
  std::string clip;
  int channels = 0, keys = 0, frames = 0;          // frames: keys there would be without reduction
  double angle_rad = 0, length_m = 0, factor = 0;  // largest errors
};

// parameters: all, at every frame. Joints and morph targets that are not as in the old clip have keys of their own.
CurvesClip found_clip(const CurvesSetup& setup, const std::vector<VecX>& parameters, KeysWritten& report);

// What the surface does beyond joints and morph targets, by deformers, as a soft clip over one of them. name, sources:
// of the clip that it goes with.
SoftClip deformer_clip(const CurvesSetup& setup, const std::vector<VecX>& parameters, std::string name,
                       std::vector<int> sources);

// One clip a mode, from rest (0 s) to as far as the mode went (1 s): to be added on top of others, or keyed as a pose.
std::vector<CurvesClip> mode_clips(const CurvesSetup& setup, const CurvesResult& result);

}  // namespace supple::pipeline::curves
