// A look taken from one character to another: its dials and regions, in units that have no size in them.
#pragma once
#include <string>
#include <vector>

#include "supple/scene/config.h"

namespace supple::pipeline {

// The dials, looks and regions of a scene as a scene of nothing else. Frequencies, sags and half-lives that were given
// absolutely become ratios to the flesh without dials; lengths become shares of the size. InputError: the scene has
// none of these.
SceneConfig look_of(const SceneConfig& scene);

// A look file as look_of gives it; lengths are shares of the size.
SceneConfig load_look(const std::string& path);
void save_look(const SceneConfig& look, const std::string& path);
void save_scene(const SceneConfig& scene, const std::string& path);  // files relative to its folder

struct LookMatch {
  std::string region;
  std::vector<std::string> bones;    // of the character, that it was given
  std::vector<std::string> missing;  // of the look, that nothing of the character is like
  std::string how;                   // "by name of the region", "by bones", or why it was left out
  bool used = true;
};
struct AppliedLook {
  SceneConfig scene;
  std::vector<LookMatch> matches;
};
// The scene with the look on it. A region goes to the scene's region of that name, else to the bones that have the
// names of its own: exactly, or but for case, prefixes ("mixamorig:"), numbers and separators.
AppliedLook apply_look(const SceneConfig& look, SceneConfig scene);

}  // namespace supple::pipeline
