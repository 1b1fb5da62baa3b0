// A polygon in space as triangles. Inside the room only.
#pragma once
#include "supple/base/types.h"

namespace supple {

// n - 2 triangles of positions 0 .. n-1, with the turn of the polygon. Concave polygons are cut by ears in the plane
// of their mean normal; where no ear is left (self-crossing, flat) the rest is a fan. Any number of corners takes about
// as long as so many triangles would.
std::vector<Tri> triangulate(const Points& corners);

}  // namespace supple
