// chi and c_k for a wanted frequency and half-life, by ring-downs.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "supple/tune/tune.h"

namespace supple {

struct RingTarget {
  double frequency_hz = 1;  // damped
  double half_life_s = 1;   // infinity: leave the damping alone
  double tolerance = 0.003;
  int max_rings = 6;
};

struct RingSearchResult {
  double chi = 1, ck = 1;
  Ring ring;  // there
  bool frequency_met = false, half_life_met = false;
  bool damping_exhausted = false;  // c_k = 0 and the half-life is still too short
  int rings = 0;
  std::string reason;  // why not met
};

using RingFunction = std::function<Ring(double chi, double ck)>;

// Starts from (chi, ck). In a linear model omega_0 (undamped) goes as chi, and decay / chi^2 = a + b c_k with a >= 0
// the decay that is not ours to scale (numerical, mass damping); both laws are corrected from one ring-down to the
// next.
RingSearchResult search_ring(const RingTarget& target, double chi, double ck, const RingFunction& ring);

}  // namespace supple
