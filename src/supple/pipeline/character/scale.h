// How large a character is.
#pragma once
#include <optional>
#include <string>

#include "supple/anim/character.h"
#include "supple/anim/drawn.h"
#include "supple/scene/config.h"

namespace supple::pipeline {

// File units to metres: as the scene says, or such that it is kNominalSize from end to end. InputError: it has no size.
double scale_of(const SceneConfig& config, const Character& character);

// A question, where the height that the scene gives looks like centimetres or millimetres; else "".
std::string doubt_of_height(const SceneConfig& config);

// The character of a scene as it is bound, in metres; nothing: the scene has none.
std::optional<Drawn> drawn_character(const SceneConfig& config);

}  // namespace supple::pipeline
