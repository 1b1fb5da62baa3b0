// A polygon with very many corners in a plane as triangles. Inside the room only.
#pragma once
#include <vector>

#include <Eigen/Core>

#include "supple/base/types.h"

namespace supple {

// n - 2 triangles of positions 0 .. n-1 of a polygon that turns to the left. Ears are cut on the way round, and a tree
// tells what may lie in one, so that n corners take about n log n steps. Where no ear is left, or what is left takes
// too many steps (a polygon that crosses itself all over), the rest is a fan.
std::vector<Tri> triangulate_large(const std::vector<Eigen::Vector2d>& corners);

}  // namespace supple
