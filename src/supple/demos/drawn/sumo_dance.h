// The sumo wrestler who dances, as bare frames: his shape with another motion.
#pragma once
#include "supple/demos/shapes/drawn_animation.h"

namespace supple::demos {

constexpr int kDanceFrames = 650;
constexpr double kDanceFps = 30;

struct DanceOptions {
  double edge = 0.031;        // [m] of his skin; finer in face, hands, feet and at the belt
  int frames = kDanceFrames;  // from its beginning
};

// He sways his hips and waves, steps to the side and back, squats, jumps, circles with his upper body and jumps once
// more; feet on the ground stay there. Flesh: belly and chest, cheeks, derriere, thighs. Parts of these names; "belly"
// has the chest too.
DrawnAnimation make_dancing_sumo(const DanceOptions& options = {});

}  // namespace supple::demos
