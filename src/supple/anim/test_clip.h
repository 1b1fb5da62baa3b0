// A test motion as a clip of a character that has none.
#pragma once
#include <string>

#include "supple/anim/character.h"

namespace supple {

// The whole character moved, by channels of the topmost nodes that can be animated. drawn: what of it is drawn, in file
// units; name: of a test motion (test_motion.h).
Clip make_test_clip(const Character& character, const Points& drawn, const std::string& name, const Vec3& up);

}  // namespace supple
