// Which flesh of [[flesh]] each part of a body is.
#pragma once
#include <vector>

#include "supple/attach/flesh.h"
#include "supple/scene/config.h"
#include "supple/sim/parts.h"

namespace supple::pipeline {

// By the regions that were found, whatever somebody named since: regions change dials, and not what flesh is like.
// Those that [[flesh]] knows by name are its own.
Parts regions_of(const SceneConfig& config, const Flesh& flesh, const Model& model);

// For each part the flesh that the scene has for it: by its region, else that of the heaviest around it.
std::vector<const FleshConfig*> flesh_of(const std::vector<FleshConfig>& flesh, const Parts& regions,
                                         const Parts& pieces);

// Of all regions of a piece, the frequency of the heaviest that has one; 0: none has.
std::vector<double> frequencies_of(const Parts& pieces, const Parts& regions,
                                   const std::vector<const FleshConfig*>& of_region);

bool has_damping(const MaterialConfig& m);

// Per vertex, from one number a piece.
VecX on_vertices(const Parts& pieces, const std::vector<double>& of_piece);
// 2 pi the slowest frequency of the flesh around, per vertex [1/s].
VecX swing_rates(const Parts& pieces, const std::vector<double>& frequency_hz);

}  // namespace supple::pipeline
