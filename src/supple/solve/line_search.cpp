#include "supple/solve/line_search.h"

#include <algorithm>
#include <cmath>

namespace supple {

namespace {

constexpr double kFlattening = 0.9;  // share of the slope that may be left
constexpr double kLonger = 2;        // from one step to the next while it goes on downhill
constexpr double kMargin = 0.1;      // share of an interval that is not tried at its ends
constexpr int kMostTries = 40;

// Where the cubic through two values and slopes, or the parabola where the slope at b is not known, is least.
double least_between(double a, const SearchPoint& at_a, double b, const SearchPoint& at_b, bool slope_at_b) {
  const double low = std::min(a, b), width = std::abs(b - a);
  double x = 0.5 * (a + b);
  if (std::isfinite(at_b.value)) {
    if (slope_at_b) {
      const double d1 = at_a.slope + at_b.slope - 3 * (at_a.value - at_b.value) / (a - b);
      const double root = d1 * d1 - at_a.slope * at_b.slope;
      if (root >= 0) {
        const double d2 = std::copysign(std::sqrt(root), b - a);
        x = b - (b - a) * (at_b.slope + d2 - d1) / (at_b.slope - at_a.slope + 2 * d2);
      }
    } else {
      const double bend = (at_b.value - at_a.value - at_a.slope * (b - a)) / ((b - a) * (b - a));
      if (bend > 0) x = a - at_a.slope / (2 * bend);
    }
  }
  if (!std::isfinite(x)) x = 0.5 * (a + b);
  return std::clamp(x, low + kMargin * width, low + (1 - kMargin) * width);
}

}  // namespace

SearchResult wolfe_search(const SearchPoint& start, double first, double most, const SearchFunction& at) {
  const double enough = -kFlattening * start.slope;
  const auto falls = [&](double step, double value) {
    return std::isfinite(value) && falls_enough(value, start.value, step, start.slope);
  };
  double low = 0, high = 0, step = std::min(first, most);
  SearchPoint at_low = start, at_high;
  bool slope_at_high = false, bracketed = false;
  for (int tries = 0; tries < kMostTries; ++tries) {
    SearchPoint here = at(step, false);
    const bool worse = !falls(step, here.value) || (low > 0 && here.value >= at_low.value);
    if (worse) {
      high = step, at_high = here, slope_at_high = false, bracketed = true;
    } else {
      here = at(step, true);
      if (std::isfinite(here.slope) && std::abs(here.slope) <= enough) return {.ok = true, .step = step};
      if (!std::isfinite(here.slope)) {
        high = step, at_high = here, at_high.value = INFINITY, slope_at_high = false, bracketed = true;
      } else if (!bracketed) {
        // Nothing stands behind it yet: on, or back where it has gone too far.
        if (here.slope >= 0) {
          high = low, at_high = at_low, slope_at_high = true, bracketed = true;
        } else if (step >= most) {
          return {.ok = true, .step = step};
        }
        low = step, at_low = here;
        if (!bracketed) {
          step = std::min(most, kLonger * step);
          continue;
        }
      } else {
        if (here.slope * (high - low) >= 0) high = low, at_high = at_low, slope_at_high = true;
        low = step, at_low = here;
      }
    }
    if (std::abs(high - low) < kSmallestStep) break;
    step = least_between(low, at_low, high, at_high, slope_at_high);
  }
  // Slopes that do not flatten out (a corner, rounding): a decrease is a decrease.
  return {.ok = low > 0, .step = low};
}

}  // namespace supple
