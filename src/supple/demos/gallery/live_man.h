// The live man: a stocky figure in shorts with a skeleton and everyday clips, whose belly and thighs are meant to
// jiggle in real time.
#pragma once
#include <map>
#include <string>

#include "supple/anim/character.h"

namespace supple::demos {

constexpr double kLiveManFps = 30;

struct LiveManOptions {
  double edge = 0.0245;  // [m] of his skin; finer in face, hands and feet
};

// One closed skin in several materials with _SOFT painted on it, and eyes. Which flesh goes together is in
// live_man_plan.h. Clips: "jump" (crouches, jumps, lands and stands still), "twist" (turns to and fro and stops),
// "walk" and "run" (loops, in place: his feet go back as on a belt) and "stop" (slides one metre to his left, stops
// within two frames and stands). Their tracks are splines without a jump in acceleration.
Character make_live_man(const LiveManOptions& options = {});
std::map<std::string, Vec3> live_man_colors();  // of his materials

}  // namespace supple::demos
