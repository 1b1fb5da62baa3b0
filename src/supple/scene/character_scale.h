// How large a character is.
#pragma once
#include "supple/anim/character.h"
#include "supple/scene/config.h"

namespace supple {

// File units to metres: as the scene says, or such that it is kNominalSize from end to end. InputError: it has no size.
double scale_of(const SceneConfig& config, const Character& character);

}  // namespace supple
