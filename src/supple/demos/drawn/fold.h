// A torso with two rolls of belly, one over the other, y up, looking along +z: a slit between them that is open as
// drawn, and that closes when the body lands.
#pragma once
#include "supple/demos/shapes/drawn_animation.h"

namespace supple::demos {

constexpr double kFoldFps = 30;
constexpr double kFoldGap = 0.018;  // [m] of the slit as drawn

struct FoldOptions {
  double edge = 0.011;  // [m] of its skin
  int frames = 60;      // it stands from frame 40 on
};

// It is lifted, falls and lands as a whole: nothing but physics can move the rolls against each other. Soft: all that
// is in front of the back. Parts "upper" and "lower" are the rolls, "upper face" and "lower face" the flat sides of the
// slit, which look at each other.
DrawnAnimation make_fold(const FoldOptions& options = {});

// How high it is lifted at a time [m], or with derivative 1 how fast [m/s]: from rest to rest.
double fold_height(double time_s, int derivative = 0);
// When it touches the ground, and when it stands [s].
struct FoldLanding {
  double touches = 0, stands = 0;
};
FoldLanding fold_landing();

}  // namespace supple::demos
