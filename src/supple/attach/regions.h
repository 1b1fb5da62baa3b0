// Free flesh in groups that each have a frequency of their own. Inside the room only.
#pragma once
#include <string>
#include <vector>

#include "supple/attach/bones.h"
#include "supple/attach/flesh.h"
#include "supple/attach/flesh_graph.h"

namespace supple {

// Tets with a vertex of some softness, by the bone that leads them. A group with less than kSmallRegion of the free
// flesh joins a neighbour: one up or down the skeleton before others, so that left and right stay apart, and of those
// the one that it touches most. Each part that trails is a region of its own, but for strands beyond kMostTrailing,
// which join the nearest. part_of: number of that part per bone of the skeleton, -1: none. Fills region, regions of
// `flesh` from its softness, half_thickness and points.
constexpr double kSmallRegion = 0.02;
constexpr int kMostRegions = 25, kMostTrailing = 24;
void find_regions(const Drawn& drawn, const TetMesh& cage, const Skeleton& skeleton, const std::vector<int>& part_of,
                  Flesh& flesh);

}  // namespace supple
