// The sumo wrestler: a heavy figure with a skeleton, corrective shapes and a clip, for flesh that weighs.
#pragma once
#include <map>
#include <string>

#include "supple/anim/character.h"

namespace supple::demos {

constexpr int kSumoFrames = 400;
constexpr double kSumoFps = 24;

struct SumoOptions {
  double edge = 0.03;        // [m] of his skin; finer in face, hands, feet and at the belt
  int frames = kSumoFrames;  // of the clip, from its beginning
};

// One closed skin in several materials with _SOFT painted on it, and eyes. Clip "shiko": he sinks, lifts the left leg
// and stamps, then the right one, strides forward, spreads his arms, claps and bounces. Feet on the ground stay there.
Character make_sumo(const SumoOptions& options = {});
std::map<std::string, Vec3> sumo_colors();  // of his materials

}  // namespace supple::demos
