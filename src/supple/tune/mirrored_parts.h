// Left and right by shape: what one side of a body has, the other is to have too.
#pragma once
#include <vector>

#include "supple/sim/parts.h"

namespace supple {

// For each part the one that is its mirror image across the body; -1: there is none, or itself. up: unit.
std::vector<int> mirrored_parts(const TetMesh& mesh, const Parts& parts, const Vec3& up);

// Both of a pair get the mean of what they have. pairs: index of the other, or -1.
void even_out(const std::vector<int>& pairs, std::vector<double>& values);

}  // namespace supple
