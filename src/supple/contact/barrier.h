// The energy that keeps surfaces apart: it starts softly at a distance and is infinite at contact.
#pragma once

namespace supple {

// b(d) = thickness * B(d / thickness), B(y) = -(y - 1)^2 ln y for y < 1, 0 beyond (Li et al. 2020, with the distance in
// place of its square). Twice continuously differentiable; slope = db/dd is a pure number, so that stiffness times area
// times slope is a force.
struct BarrierValue {
  double value = 0;      // [m]
  double slope = 0;      // at most 0
  double curvature = 0;  // [1/m], at least 0
};

// d <= 0 gives infinite values, thickness <= 0 none.
BarrierValue barrier(double d, double thickness);

}  // namespace supple
