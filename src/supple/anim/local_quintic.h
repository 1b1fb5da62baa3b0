// The local C2 interpolant: quintic Hermite between two knots, with first and second derivatives at each knot from the
// quartic through the five knots around it. As weights, since everything is linear in the samples.
#pragma once
#include <array>

namespace supple {

using SixTimes = std::array<double, 6>;
using SixWeights = std::array<double, 6>;

// Weights w with sum w[j] y[j] = the derivative (0, 1 or 2) at `t` of the interpolant between knots 2 and 3 of six
// knots at ascending times. On even knots the derivatives are the five-point stencils. Exact for quartics.
SixWeights local_quintic_weights(const SixTimes& times, double t, int derivative);

// Samples before knot `low` and after knot `high` (low <= high, in 0..5) belong to another motion: their weights move
// to the knots in between, as if the samples there were continued by the parabola of the nearest three (the line of
// two, the value of one).
void fold_foreign(const SixTimes& times, int low, int high, SixWeights& w);

}  // namespace supple
