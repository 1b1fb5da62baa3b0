// The dance, and when what happens in it. Inside the drawn room only.
#pragma once
#include "supple/anim/key_clip.h"
#include "supple/demos/shapes/rig.h"

namespace supple::demos::dance {

constexpr double kBeat = 15;                       // frames: two beats a second
constexpr double kSway = 20, kSways = 8;           // [frame, beats] hips to one side and the other
constexpr double kSteps = 146;                     // two to his right and two back, two beats each
constexpr double kSquats[] = {294, 324, 354};      // when he is lowest
constexpr double kJumps[] = {388, 409, 430};       // when his feet leave
constexpr double kCircle = 462, kCircleEnd = 556;  // of the upper body, twice round
constexpr double kLastSway = 556, kLastSways = 2;  // arms overhead
constexpr double kLastJump = 608, kStands = 640;

PoseFunction motion(const Rig& rig);  // of the sumo's skeleton; refers to the rig

}  // namespace supple::demos::dance
