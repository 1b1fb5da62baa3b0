// What departs from correct physics [adjustable constrained dynamics, Eq. 22 with delta = 1].
//
// Scalings that hold for the whole shot are part of the model itself: stiffness (gamma = chi^2) and damping (c_k) of
// every tet, gravity (mu) of every vertex. Here is what the model cannot hold: epsilon, and what changes over time.
#pragma once
#include <array>
#include <vector>

#include "supple/base/types.h"

namespace supple {

// A factor over time through keys, twice continuously differentiable: each stretch between keys eases in and out.
// Before the first key and after the last it is held. No keys: 1.
struct FactorKeys {
  std::vector<std::array<double, 2>> keys;  // time [s], factor; times ascending
  bool empty() const { return keys.empty(); }
  double at(double t) const;
};

enum class StaticDifferences { integrator, five_point };  // how p' and p'' follow from p

struct Adjustment {
  VecX epsilon;  // inertia scale of every vertex; empty: 1
  // Of flesh about a drawn shape, per vertex, both or none. There the shape turns under the flesh, and its Euler,
  // centrifugal and Coriolis terms act in full but for a share that has to do with these alone, so that the departure
  // is linear in epsilon: the inertia that the flesh has without dials, and 2 pi its slowest frequency [1/s].
  VecX own_epsilon, swing_rate;
  FactorKeys inertia;    // multiplies epsilon
  FactorKeys stiffness;  // multiplies the elastic forces and with them their damping (gamma)
  FactorKeys damping;    // multiplies stiffness damping besides (c_k)
  FactorKeys gravity;    // multiplies gravity (mu)
  StaticDifferences differences = StaticDifferences::integrator;

  // epsilon is 1 everywhere and always: no force to add.
  bool plain_inertia() const;
  bool keyed() const { return !stiffness.empty() || !damping.empty() || !gravity.empty(); }
};

}  // namespace supple
