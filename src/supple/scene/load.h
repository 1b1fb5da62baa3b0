// Scene files in and out.
#pragma once
#include <string>
#include <vector>

#include "supple/scene/config.h"

namespace supple {

// Reads a scene and applies overrides "table.key=value" (value as in TOML; bare words are strings;
// "region.NAME.key=value" for a region the scene has). Relative paths are resolved against the scene file, those of
// overrides against the working directory. An override replaces keys of the file that exclude it.
// Throws the InputError that comes first in the file: unknown tables and keys, wrong types, values out of range, keys
// that exclude one another, nothing to simulate.
SceneConfig load_scene(const std::string& path, const std::vector<std::string>& overrides = {});

// A scene of a character and nothing else, with overrides; paths are relative to the working directory.
SceneConfig load_character_scene(const std::string& character, const std::vector<std::string>& overrides = {});

// A surface with an animation that is enriched, likewise.
SceneConfig load_surface_scene(const std::string& surface, const std::vector<std::string>& overrides = {});

// A character whose rig is simulated, likewise.
SceneConfig load_rig_scene(const std::string& surface, const std::vector<std::string>& overrides = {});

// The same, but all errors of the file in order; the scene is what could be read.
SceneConfig load_scene(const std::string& path, const std::vector<std::string>& overrides,
                       std::vector<InputError>& problems);

// A part of a scene: keys are checked one by one, not whether there is enough of them to simulate.
SceneConfig load_fragment(const std::string& path);

// What no single key can tell: keys that exclude one another, or that need another.
void check_consistency(const SceneConfig& config, std::vector<InputError>& problems);
// Of that, the rule of raw scenes: beside expert.chi, mu, ck or inertia_scale no dial has a say.
void check_raw(const SceneConfig& config, std::vector<InputError>& problems);
// Of that, what a rig needs.
void check_curves(const SceneConfig& config, std::vector<InputError>& problems);

// As a scene file: every key that is not at its default. Loading it from `directory` gives the same scene.
std::string to_toml(const SceneConfig& config, const std::string& directory);

}  // namespace supple
