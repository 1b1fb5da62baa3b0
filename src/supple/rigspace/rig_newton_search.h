// A line search that meets the strong Wolfe conditions [Nocedal & Wright 2006, algorithms 3.5 and 3.6]: steps tried are
// those of the cubics through values and slopes. Inside the room only.
#pragma once
#include <functional>

namespace supple {

struct SearchPoint {
  double value = 0;  // not finite: nothing there
  double slope = 0;  // d value / d step; asked for only where the value will do
};

struct SearchResult {
  bool ok = false;
  double step = 0;
  bool moved_on = false;  // another step was tried after the one that is returned
};

// The value, and where asked for the slope, a step on. Not finite values are stepped back from.
using SearchFunction = std::function<SearchPoint(double step, bool with_slope)>;

// start.slope < 0. first: what is tried first; most: the longest step there is.
SearchResult wolfe_search(const SearchPoint& start, double first, double most, const SearchFunction& at);

}  // namespace supple
