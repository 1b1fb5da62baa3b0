// How the elephant walks: where its body and feet are.
#pragma once
#include "supple/anim/key_clip.h"
#include "supple/demos/shapes/rig.h"

namespace supple::demos::walk {

// In the order of their steps, each a quarter of a cycle after the one before: the walk of elephants.
enum class Leg { left_hind, left_fore, right_hind, right_fore };
constexpr Leg kLegs[] = {Leg::left_hind, Leg::left_fore, Leg::right_hind, Leg::right_fore};

constexpr double kFirst = 6, kCycle = 36;      // [frame] when the first foot leaves, and of a whole cycle
constexpr double kCycles = 4.5;                // from standing to standing
constexpr double kSwing = 0.33;                // of a cycle that a foot is in the air
constexpr double kStride = 0.6, kLift = 0.11;  // [m] forward in a cycle, and how high a foot goes
inline double cycles(double frame) { return (frame - kFirst) / kCycle; }

// [m] that the body has gone, by cycles: it gathers way over the first one and loses it over the last.
double travel(double cycle);

struct Step {
  Vec3 shift;         // [m] of the foot from where it stands at rest
  double raised = 0;  // 0 on the ground, 1 in the middle of its way
};
Step step(Leg leg, double cycle);

PoseFunction motion(const Rig& rig);  // of the jellyphant's skeleton; refers to the rig

}  // namespace supple::demos::walk
