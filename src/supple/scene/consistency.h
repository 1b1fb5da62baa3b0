// What keys of a scene have to do with one another.
#pragma once
#include <vector>

#include "supple/scene/config.h"

namespace supple {

// What no single key can tell: keys that exclude one another, or that need another.
void check_consistency(const SceneConfig& config, std::vector<InputError>& problems);
// Of that, the rule of raw scenes: beside expert.chi, mu, ck or inertia_scale no dial has a say.
void check_raw(const SceneConfig& config, std::vector<InputError>& problems);
// Of that, what a rig needs.
void check_curves(const SceneConfig& config, std::vector<InputError>& problems);

}  // namespace supple
