// Sizes and centre lines that the body and the drawn surface of the sunflower share. Inside the gallery room only.
#pragma once
#include "supple/demos/shapes/ribbon.h"

namespace supple::demos {

struct SunflowerPlan {
  // The head: centre, unit normal of its face, and the axes across.
  Vec3 head, face, right, up;
  double disc_radius = 0.105, dome = 0.026, back = 0.04;  // [m] drawn
  Ribbon stem;                                            // round: half_width is the drawn radius
  std::vector<Ribbon> front_petals, back_petals, sepals, leaves;
  std::vector<Ribbon> stalks;  // of the leaves, round

  Vec3 at_head(double across, double upward, double forward) const {
    return head + across * right + upward * up + forward * face;
  }
};
const SunflowerPlan& sunflower_plan();

}  // namespace supple::demos
