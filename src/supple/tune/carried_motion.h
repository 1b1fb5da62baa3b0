// What the bones of a clip do with points of the flesh, and how far an oscillator on each would go: for choosing
// defaults, without simulating.
#pragma once
#include <optional>
#include <vector>

#include "supple/base/types.h"

namespace supple {

// Points as bones carry them. Frames in which they jump take the flesh along as it is.
struct CarriedPoints {
  double fps = 24;
  std::vector<VecX> positions;  // per frame, flat [m]
  // Steps, by the frame before them, over which the body leaps (anim/motion_cuts.h); unset: found by these points.
  std::optional<std::vector<int>> leaps;
};

// x'' of every frame, flat [m/s^2]: five-point differences, across no jump and not beyond the ends.
std::vector<VecX> carried_accelerations(const CarriedPoints& points);

// How far an oscillator that each point carries would be from it, in the world's axes: told as the steady acceleration
// that would bring it as far, frame by frame, one a point [m/s^2]. frequency_hz, half_life_s: per point. repeats: the
// motion goes on and on, and what comes of many times is told.
std::vector<std::vector<double>> felt_accelerations(const CarriedPoints& points,
                                                    const std::vector<double>& frequency_hz,
                                                    const std::vector<double>& half_life_s, bool repeats);

inline constexpr double kSlowestFlesh = 1.5, kFastestFlesh = 8;         // [Hz]
inline constexpr double kUsualFrequency = 2.5, kUsualThickness = 0.15;  // [Hz], [m]

// A frequency for flesh of this thickness [Hz]: kUsualFrequency (kUsualThickness / thickness)^1/2, between
// kSlowestFlesh and kFastestFlesh. Under an acceleration a flesh gives by a / w^2; with w^2 as 1 / thickness that is
// the same share of every thickness (a quarter of it under its own weight), so that limbs large and small look equally
// soft.
double frequency_for_thickness(double thickness_m);

// Interpolated linearly between the sorted values; share in 0..1. 0 without values.
double percentile(std::vector<double> values, double share);

}  // namespace supple
