// The factor at which a measured quantity that grows with it takes a wanted value, with few measurements: inertia scale
// and amplitude (each a whole simulation), load and sag.
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace supple {

struct ScaleTrial {
  double scale = 0;  // epsilon, or the load
  double value = 0;  // amplitude, or sag
  bool ok = true;    // false: failed or unbounded, which counts as too much
  std::string trouble;
};

struct ScaleSearchOptions {
  double tolerance = 0.01;  // relative, of the value; below about 1e-4 the noise of simulations is met
  int max_evaluations = 5;
  double unit = 1;                // value that counts as one when the target is zero
  std::vector<ScaleTrial> known;  // from earlier trials, same everything else
};

struct ScaleSearchResult {
  bool met = false;
  bool usable = false;  // at least one trial was ok; scale and value are the nearest to the target
  double scale = 0, value = 0;
  int evaluations = 0;
  std::string reason;              // why not met
  std::vector<ScaleTrial> trials;  // known ones aside
};

using ScaleFunction = std::function<ScaleTrial(double scale)>;

// Finds scale with value(scale) = target >= 0. From `start` the first correction is proportional, then secant steps on
// log(scale) -> log(value), bracketed, with bisection when the secant leaves the bracket or does not shrink it. A value
// that hardly grows any more ends the search: the nearest reached is reported, at its smallest scale.
// Exceptions of the function pass through. InputError: target or start that cannot be.
ScaleSearchResult search_scale(double target, double start, const ScaleFunction& value,
                               const ScaleSearchOptions& options = {});

}  // namespace supple
