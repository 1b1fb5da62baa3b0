// How far the clip throws each region of a character's flesh, and how much of the inertial forces that takes.
#pragma once
#include <vector>

#include "supple/attach/flesh.h"
#include "supple/scene/config.h"
#include "supple/sim/parts.h"
#include "supple/tune/carried_motion.h"

namespace supple {

struct Job;

// Where the bones would take some vertices, frame by frame of the whole clip.
CarriedPoints carried(const Job& job, const SkinnedPoints& all, const std::vector<int>& vertices);
// At most so many of them, evenly chosen.
std::vector<int> some_of(const std::vector<int>& vertices, size_t most);

// Sets `swing` of the plan: material.swing where that is safe, else what is.
// of_region: for each of the regions the entry of the plan it goes by.
void plan_swings(const Job& job, const Flesh& flesh, const Model& model, const VecX& hanging, const Parts& regions,
                 const std::vector<const FleshConfig*>& of_region, std::vector<FleshConfig>& plan);

// Sets job.inertia, that lets every region swing as far as its entry says.
void set_inertia(Job& job, const Flesh& flesh, const Model& model, const VecX& hanging, const Parts& regions,
                 const std::vector<const FleshConfig*>& of_region);

}  // namespace supple
