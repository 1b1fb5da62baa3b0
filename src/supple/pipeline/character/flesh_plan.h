// What the flesh of a character is like where the scene does not say: frequency, half-life, how far it is thrown.
#pragma once
#include <vector>

#include "supple/pipeline/character/character.h"
#include "supple/pipeline/setup/body.h"

namespace supple::pipeline {

// Numbers for every region of the flesh, by its thickness and by what the clip does with it. They come from the
// reference cage, so that they are the same for any tets. clip: at the rate of its own keys.
std::vector<FleshConfig> plan_flesh(const SceneConfig& config, const CharacterSetup& character, const ClipFrames& clip);

// Gives the body what body.flesh says: stiffness, rest shape, inertia, half_life, hanging.
void set_flesh(const SceneConfig& config, const CharacterSetup& character, const ClipFrames& clip, Body& body,
               Notes& notes);

}  // namespace supple::pipeline
