// How far the clip throws each region of a character's flesh, and how much of the inertial forces that takes.
#pragma once
#include <vector>

#include "supple/attach/flesh.h"
#include "supple/scene/config.h"
#include "supple/sim/parts.h"
#include "supple/tune/carried_motion.h"

namespace supple {
struct ClipFrames;
}

namespace supple::pipeline {

// Where the bones would take some vertices, frame by frame of the whole clip.
CarriedPoints carried(const ClipFrames& clip, const SkinnedPoints& all, const std::vector<int>& vertices);
// At most so many of them, evenly chosen.
std::vector<int> some_of(const std::vector<int>& vertices, size_t most);

// clip: at the rate of its own keys.
// Sets `swing` of the plan: material.swing where that is safe, else what is.
// of_region: for each of the regions the entry of the plan it goes by.
void plan_swings(const SceneConfig& config, const ClipFrames& clip, const Flesh& flesh, const Model& model,
                 const VecX& hanging, const Parts& regions, const std::vector<const FleshConfig*>& of_region,
                 std::vector<FleshConfig>& plan);

// The inertia, per vertex, that lets every region swing as far as its entry says.
VecX inertia_for_swings(const SceneConfig& config, const ClipFrames& clip, const Flesh& flesh, const Model& model,
                        const VecX& hanging, const Parts& regions, const std::vector<const FleshConfig*>& of_region);

}  // namespace supple::pipeline
