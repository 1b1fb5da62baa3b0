// How far several parts go, met by the inertia that each feels. Parts that hang together take one another along.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "supple/base/types.h"

namespace supple {

struct AmountTrial {
  std::vector<double> scale, value;  // of each part: of its inertia; how far it goes
  bool ok = true;                    // false: failed, which counts as too much
  std::string trouble;
};

struct AmountSearchOptions {
  double tolerance = 0.01;   // relative, of each value
  int max_runs = 6;          // whole motions
  double most_scale = 1000;  // beside the start, either way
  // d log value / d log scale, row by part that goes; empty: each goes by itself, in proportion.
  MatX coupling;
  std::vector<double> weight;  // of each miss, where not all can be met; empty: alike
};

struct AmountSearchResult {
  bool met = false;
  int best = -1;            // of the trials; -1: none was ok
  std::vector<char> close;  // of each part there
  std::vector<AmountTrial> trials;
  std::string reason;  // why not met
};

using AmountFunction = std::function<AmountTrial(const std::vector<double>& scale)>;

// Scales with value(scale) = target > 0 in every part, from ones. Newton steps in logarithms, within bounds, by least
// squares: where no scales do it, the nearest that some do. What couples what is as it was given; how strongly is
// learnt from one trial to the next (Broyden's rank-one update, row by row).
AmountSearchResult search_amounts(const std::vector<double>& target, const AmountFunction& value,
                                  const AmountSearchOptions& options = {});

}  // namespace supple
