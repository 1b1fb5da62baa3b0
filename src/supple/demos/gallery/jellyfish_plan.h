// Sizes and centre lines that the body and the drawn surface of the jellyfish share. Inside the gallery room only.
#pragma once
#include "supple/demos/shapes/ribbon.h"

namespace supple::demos {

struct JellyfishPlan {
  // The bell's cross-section in the half-plane of radius and height, without the scallops: from the top along the
  // outside to the rim, and along the inside back to the axis.
  std::vector<Eigen::Vector2d> profile;
  size_t rim = 0;                 // where the outside ends
  std::vector<Ribbon> tentacles;  // round: half_width is the drawn radius
  std::vector<Ribbon> arms;       // flat, across the radius

  // The core: a capsule on the axis.
  double core_low = 0, core_high = 0, core_radius = 0;  // [m]

  // How far the rim hangs down at an angle about the axis, for a point of the profile at height y [m].
  double scallop(double angle, double y) const;
};
const JellyfishPlan& jellyfish_plan();

}  // namespace supple::demos
