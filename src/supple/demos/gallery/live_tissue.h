// The live tissue: a slab like a liver on a moving base, soft on top, for poking at.
#pragma once
#include <map>
#include <string>

#include "supple/anim/character.h"

namespace supple::demos {

constexpr double kLiveTissueFps = 30;

struct LiveTissueOptions {
  double edge = 0.0078;  // [m] of its skin at the rim; finer on top
};

// One closed surface of two lobes, about 0.25 x 0.08 x 0.2 m, on the ground, with a gall bladder at its front rim. All
// of it goes with the joint "base", a child of "root". _SOFT is 0 below and 1 on top. Clip "sway": the base rises,
// sinks and tilts as with breathing; loops.
Character make_live_tissue(const LiveTissueOptions& options = {});
std::map<std::string, Vec3> live_tissue_colors();  // of its materials

}  // namespace supple::demos
