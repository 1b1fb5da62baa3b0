// Left and right, in names and in space.
#pragma once
#include <string>
#include <vector>

#include "supple/base/types.h"

namespace supple {

// The name with left and right changed: "ear.L" -> "ear.R", "LeftArm" -> "RightArm", "b_L_leg" -> "b_R_leg". A name
// that has no side comes back as it is.
std::string other_side(const std::string& name);

// The name without its side, for the pair of both: "ear.L" -> "ear", "b_L_leg" -> "b_leg".
std::string without_side(const std::string& name);

// For each point the one nearest to its mirror image in the plane across the body: of the horizontal axes the one along
// which the points are most alike on both sides. up: unit.
std::vector<int> mirrored_points(const Points& points, const Vec3& up);

}  // namespace supple
