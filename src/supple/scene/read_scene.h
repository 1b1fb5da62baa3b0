// Scene files in.
#pragma once
#include <string>
#include <vector>

#include "supple/scene/config.h"
#include "supple/scene/overrides.h"

namespace supple {

// Reads a scene and applies overrides. Relative paths are resolved against the scene file, those of overrides against
// the working directory.
// Throws the InputError that comes first in the file: unknown tables and keys, wrong types, values out of range, keys
// that exclude one another, nothing to simulate.
SceneConfig load_scene(const std::string& path, const Overrides& overrides = {});

// The same of a text that stands, or stood, in that file.
SceneConfig load_scene_text(const std::string& text, const std::string& path, const Overrides& overrides = {});

// A scene of a character and nothing else, with overrides; paths are relative to the working directory.
SceneConfig load_character_scene(const std::string& character, const Overrides& overrides = {});

// A surface with an animation that is enriched, likewise.
SceneConfig load_surface_scene(const std::string& surface, const Overrides& overrides = {});

// A character whose rig is simulated, likewise.
SceneConfig load_rig_scene(const std::string& surface, const Overrides& overrides = {});

// The same, but all errors of the file in order; the scene is what could be read.
SceneConfig load_scene(const std::string& path, const Overrides& overrides, std::vector<InputError>& problems);

// A part of a scene: keys are checked one by one, not whether there is enough of them to simulate.
SceneConfig load_fragment(const std::string& path);

}  // namespace supple
