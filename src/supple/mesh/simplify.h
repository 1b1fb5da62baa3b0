// Fewer triangles for the same shape.
#pragma once
#include <vector>

#include "supple/mesh/tri_mesh.h"

namespace supple {

// Triangles of some of the given vertices that lie within `error` [m] of the given ones, or nearly so; as few as that
// allows, but no fewer than about `at_least`. Open borders stay where they are.
std::vector<Tri> simplified(const Points& vertices, const std::vector<Tri>& triangles, double error, int at_least);

}  // namespace supple
