// The elephant that walks, as bare frames: the shape of the jellyphant with another motion.
#pragma once
#include "supple/demos/shapes/drawn_animation.h"

namespace supple::demos {

constexpr int kWalkFrames = 178;
constexpr double kWalkFps = 30;

struct WalkOptions {
  double edge = 0.050;       // [m] of its skin
  int frames = kWalkFrames;  // from its beginning
};

// It stands, walks forward along z and stops; feet on the ground stay there. Flesh: ears, trunk, tail, belly and sides.
// Parts "ears", "trunk", "tail" and "belly", which has the sides too.
DrawnAnimation make_walking_elephant(const WalkOptions& options = {});

}  // namespace supple::demos
