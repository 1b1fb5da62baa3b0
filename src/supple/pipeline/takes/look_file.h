// A look taken from one character to another: its dials and regions, in units that have no size in them.
#pragma once
#include <string>
#include <vector>

#include "supple/scene/config.h"

namespace supple::pipeline {

// The dials, looks and regions of a scene as a scene of nothing else. Frequencies, sags and half-lives that were given
// absolutely become ratios to the flesh without dials; lengths become shares of the size; of a character regions are
// told by where on the body they are. InputError: the scene has
// none of these.
SceneConfig look_of(const SceneConfig& scene);

// A look file as look_of gives it; lengths are shares of the size.
SceneConfig load_look(const std::string& path);
void save_look(const SceneConfig& look, const std::string& path);
void save_scene(const SceneConfig& scene, const std::string& path);  // files relative to its folder

struct LookMatch {
  std::string region;
  std::vector<std::string> bones;    // of the character, that it was given, or that lead a quarter of it at least
  std::vector<std::string> missing;  // of the look, that nothing of the character is like
  std::string how;                   // "by name of the region", "by shape: ...", or why it was left out
  bool used = true;
  double share = 0, soft = 0;  // by shape: of the skin; of that, what is flesh
};
struct AppliedLook {
  SceneConfig scene;
  std::vector<LookMatch> matches;
};
// The scene with the look on it. A region goes to the scene's region of that name, else to the same place by the shape
// of the body: part, how far along it, which way around, which side. A look that says no places goes by names: words,
// and bones but for case, prefixes ("mixamorig:"), numbers and separators.
AppliedLook apply_look(const SceneConfig& look, SceneConfig scene);

}  // namespace supple::pipeline
