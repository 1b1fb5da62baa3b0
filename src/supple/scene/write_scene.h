// Scene files out.
#pragma once
#include <string>

#include "supple/scene/config.h"

namespace supple {

// As a scene file: every key that is not at its default. Loading it from `directory` gives the same scene.
std::string to_toml(const SceneConfig& config, const std::string& directory);

}  // namespace supple
