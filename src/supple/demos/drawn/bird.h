// A plump bird that nods, flaps, glides and lands, as bare frames.
#pragma once
#include "supple/demos/shapes/drawn_animation.h"

namespace supple::demos {

constexpr int kBirdFrames = 299;
constexpr double kBirdFps = 30;

struct BirdOptions {
  double edge = 0.0231;      // [m] of its skin; finer on beak, legs and toes
  int frames = kBirdFrames;  // from its beginning
};

// Wings are spread in the neutral shape, 1.2 m across. It stands and nods, crouches, beats its wings five times, glides
// forward along z, lands and settles; feet on the ground stay there. Flesh: head, belly and wings but for their ends,
// which follow as legs, back and tail do. Parts "wings", "head" and "belly".
DrawnAnimation make_bird(const BirdOptions& options = {});

}  // namespace supple::demos
