// How much of the physics an enriched animation shows, after the simulation.
#pragma once
#include "supple/io/point_cache.h"

namespace supple {
struct SceneConfig;
}

namespace supple::pipeline {

struct EnrichSetup;

// The tets of a run between the fit and what was simulated, by enrich.blend, its map and its keys. Empty: all of the
// physics is shown.
PointCache blended_tets(const SceneConfig& config, const EnrichSetup& setup, int first_frame,
                        const PointCache& simulated);

}  // namespace supple::pipeline
