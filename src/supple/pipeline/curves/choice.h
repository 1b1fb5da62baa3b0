// Which parameters of a rig patterns mean.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "supple/rigs/skeleton_deformer.h"
#include "supple/scene/config.h"

namespace supple::pipeline::curves {

// A pattern as it is written, and what it chooses of a character's joints and morph targets. "Tail1.rotation.x" and the
// like choose one axis: x, y or z; 0: all.
struct PatternChoice {
  std::string pattern, key;  // key: of the scene, for errors
  char axis = 0;
  RigChoice skeleton;
  std::vector<std::string> idle;  // joints that were left out: see drop_idle
  std::string trouble, advice;    // why it chooses no joint
};

// For a scene without a character: drawn is null.
PatternChoice choose(const SceneConfig& config, const Character* character, const Drawn* drawn,
                     const std::string& pattern, const std::string& key);

// What all of them choose together, each joint and target once.
RigChoice joined(const std::vector<PatternChoice>& all);
// Without joints that carry nothing themselves, but another joint that is chosen: what they do it does as well.
// Returns their names.
std::vector<std::string> drop_idle(const Character& character, const Drawn& drawn, RigChoice& choice);
// All joints that carry something, with all channels, and all morph targets.
RigChoice everything_of(const Character& character, const Drawn& drawn);

// Numbers among `parameters` of what the pattern chooses. Those from `first` on, as many as the skeleton has, are its;
// null: there is none. InputError: nothing (names that are near).
std::vector<int> parameters_of(const SceneConfig& config, const PatternChoice& choice,
                               const std::vector<RigParameter>& parameters, const SkeletonDeformer* skeleton,
                               int first);

}  // namespace supple::pipeline::curves
