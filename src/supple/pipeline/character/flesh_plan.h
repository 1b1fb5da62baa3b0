// What the flesh of a character is like where the scene does not say: frequency, half-life, how far it goes. One flesh
// for a file, found from all its clips.
#pragma once
#include <vector>

#include "supple/attach/soft_skin.h"
#include "supple/pipeline/character/flesh_forecast.h"
#include "supple/pipeline/setup/body.h"

namespace supple::pipeline {

struct FleshPlan {
  std::vector<FleshConfig> flesh;   // one entry a region
  std::vector<ClipForecast> clips;  // how far that goes in each clip of the file
  bool found = false;               // in the cache
};

// The tets that plans are made on, and what of them is flesh.
struct Planning {
  TetMesh mesh;
  Flesh flesh;
  SoftSkin skin;
};
Planning planning_flesh(const SceneConfig& config, const CharacterSetup& character);
// Whether those are the tets that are simulated.
bool is_planning_cage(const SceneConfig& config, const CharacterSetup& character);

// Numbers for every region by its thickness, and by what all clips of the file do with it. They come from a coarse cage
// of their own, so that they are the same for any tets, any clip that is asked for, and any dials.
FleshPlan plan_flesh(const SceneConfig& config, const CharacterSetup& character);

// Gives the body what body.flesh says: stiffness, rest shape, inertia, half_life, swing_rate, hanging.
void set_flesh(const SceneConfig& config, const CharacterSetup& character, Body& body, Notes& notes);

}  // namespace supple::pipeline
