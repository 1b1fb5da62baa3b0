// The tets around a surface that is enriched.
#pragma once
#include "supple/scene/config.h"

namespace supple::pipeline {

struct EnrichSetup;

// Fills in cage, tet and weights, from a tet file or made around the neutral surface; with enrich.apart around a shape
// whose parts are apart, and then bent back to the neutral one. Each vertex stays with the tet that held it there, so
// that parts that touch at rest are not joined [enriching, section 6].
void make_enrich_tets(const SceneConfig& config, EnrichSetup& setup);

}  // namespace supple::pipeline
