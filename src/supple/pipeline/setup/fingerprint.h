// Everything a run depends on, as one number.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "supple/scene/config.h"

namespace supple::pipeline {

// inputs: files as written, and their hashes.
std::string fingerprint(const SceneConfig& config, const std::vector<std::pair<std::string, std::string>>& inputs);

}  // namespace supple::pipeline
