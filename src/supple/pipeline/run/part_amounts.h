// How far each part of the flesh goes, from the caches of a run: what anybody can measure who opens them.
#pragma once
#include <string>
#include <vector>

#include "supple/io/point_cache.h"
#include "supple/pipeline/setup/adjusted_body.h"

namespace supple::pipeline {

// Where a part is measured. What is connected and has no neighbour of other dials goes by the root of the mean square
// of u - p over its mass and all frames (Eq. 5); a region by the 99th percentile over frames and its core, which leaves
// out a border of one thickness towards other parts.
// Which parts hang together with others, so that one takes the other along; in the order of body.parts.
std::vector<char> touching_parts(const AdjustedBody& body);

struct MeasuredPart {
  std::string name;
  bool region = false;
  std::vector<int> vertices;
  VecX mass;  // of each of those
};
std::vector<MeasuredPart> measured_parts(const AdjustedBody& body);
// The regions of the mesh likewise, whatever dials they have; those without free flesh have no vertices.
std::vector<MeasuredPart> measured_regions(const AdjustedBody& body);

// All free flesh as one.
MeasuredPart whole_body(const AdjustedBody& body);

// Weights of what a run shows: of frames, and of vertices. Empty: 1.
struct AmountWeights {
  std::vector<double> frame;
  std::vector<double> vertex;
};
// One a part [m].
std::vector<double> part_amounts(const std::vector<MeasuredPart>& parts, const PointCache& tets,
                                 const PointCache& statics, const AmountWeights& weights = {});
// The farthest that any of its vertices goes in any frame [m].
double farthest_of(const MeasuredPart& part, const PointCache& tets, const PointCache& statics);

}  // namespace supple::pipeline
