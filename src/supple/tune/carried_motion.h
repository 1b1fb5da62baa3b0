// What the bones of a clip do with points of the flesh, and what frequencies suit that: for choosing defaults, without
// simulating.
#pragma once
#include <Eigen/Geometry>
#include <vector>

#include "supple/base/types.h"

namespace supple {

// Points as bones carry them. Frames in which they jump (anim/teleport.h) take the flesh along as it is.
struct CarriedPoints {
  double fps = 24;
  std::vector<VecX> positions;                             // per frame, flat [m]
  std::vector<std::vector<Eigen::Quaterniond>> rotations;  // per frame and point, of unit length; empty: none turns
};

// R^T x'' of every frame, flat [m/s^2]: five-point differences, across no jump and not beyond the ends.
std::vector<VecX> local_accelerations(const CarriedPoints& points);

inline constexpr double kLowestLine = 0.5, kHighestLine = 12;           // [Hz]
inline constexpr double kSlowestFlesh = 1.5, kFastestFlesh = 8;         // [Hz]
inline constexpr double kUsualFrequency = 2.5, kUsualThickness = 0.15;  // [Hz], [m]

// The frequency [Hz] with the most power in accelerations (one sample a frame, flat), summed over the points (256 at
// most, evenly chosen) and axes, within the band above and with a period in the record. 0: there is none, or of less
// than a millimetre a second squared.
double strongest_line(const std::vector<VecX>& accelerations, double fps);

// f, moved where the line would shake it, f / line in (1 / min_ratio, min_ratio), to the nearer edge of that band that
// flesh can have (kSlowestFlesh .. kFastestFlesh); of two as near, the higher, which swings less. line 0: f.
double move_away(double f, double line, double min_ratio = 1.3);

// A frequency for flesh of this thickness [Hz]: kUsualFrequency (kUsualThickness / thickness)^1/2, between
// kSlowestFlesh and kFastestFlesh. Under an acceleration a flesh gives by a / w^2; with w^2 as 1 / thickness that is
// the same share of every thickness (a quarter of it under its own weight), so that limbs large and small look equally
// soft.
double frequency_for_thickness(double thickness_m);

// Interpolated linearly between the sorted values; share in 0..1. 0 without values.
double percentile(std::vector<double> values, double share);

}  // namespace supple
