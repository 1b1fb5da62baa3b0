// Vertices of an enriched surface that the scene names: lists, and regions by what is painted or by parts of the file.
#pragma once
#include <vector>

#include "supple/mesh/tet_mesh.h"
#include "supple/pipeline/enriched/input.h"

namespace supple::pipeline {

struct EnrichSetup;

// Vertices of a [[region]]: listed, painted with more than a half, and of the material and mesh named. InputError: the
// region does not say where it is, or nothing is there.
std::vector<int> region_vertices(const SceneConfig& config, const EnrichInput& input, size_t region);

// Fills in regions of the tets: a tet belongs to the last [[region]] that has most of the surface around it.
void put_enrich_regions(const SceneConfig& config, const EnrichSetup& setup, TetMesh& mesh);

}  // namespace supple::pipeline
