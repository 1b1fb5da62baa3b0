// How far to go along a direction: one place for every rule.
#pragma once
#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>

namespace supple {

inline constexpr double kArmijo = 1e-4;  // share of the predicted decrease that must come true
inline constexpr double kSmallestStep = 1e-10;

// The first of s, s/2, s/4, ... that is accepted; 0: none down to `least`.
template <typename Accepted>
double halved_until(double s, double least, const Accepted& accepted) {
  for (; s >= least; s *= 0.5)
    if (accepted(s)) return s;
  return 0;
}

inline bool falls_enough(double value, double before, double s, double slope) {
  return value <= before + kArmijo * s * slope;
}

// Close to the solution the potential is flat to rounding; there the residual decides.
inline bool is_flat(double change, double before, double after) {
  const double rounding = 1e-13 * (std::abs(before) + std::abs(after));
  return std::abs(change) <= 1e3 * rounding;
}

// Where there is no potential norms of residuals are to fall, beside the largest of the last few.
class PastNorms {
 public:
  void clear() { past_.clear(); }
  void add(double norm) {
    past_.push_back(norm);
    if (past_.size() > kMemory) past_.pop_front();
  }
  bool falls(double norm, double s) const {
    return std::isfinite(norm) && norm <= (1 - kArmijo * s) * *std::max_element(past_.begin(), past_.end());
  }

 private:
  static constexpr size_t kMemory = 5;
  std::deque<double> past_;
};

struct SearchPoint {
  double value = 0;  // not finite: nothing there
  double slope = 0;  // d value / d step; asked for only where the value will do
};

struct SearchResult {
  bool ok = false;
  double step = 0;
};

// The value, and where asked for the slope, a step on. Not finite values are stepped back from.
using SearchFunction = std::function<SearchPoint(double step, bool with_slope)>;

// A step that meets the strong Wolfe conditions [Nocedal & Wright 2006, algorithms 3.5 and 3.6]; those tried are of the
// cubics through values and slopes. start.slope < 0. first: what is tried first; most: the longest step there is.
SearchResult wolfe_search(const SearchPoint& start, double first, double most, const SearchFunction& at);

}  // namespace supple
