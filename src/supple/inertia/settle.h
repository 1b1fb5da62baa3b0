// The pose of one moment, held until the flesh is still.
#pragma once
#include "supple/base/watch.h"
#include "supple/inertia/simulation.h"

namespace supple {

// From the rest shape carried there, or from the shape that is drawn: a displacement that is stable, which the static
// solver's need not be. Long implicit steps: what moves, moves through syrup.
struct Settled {
  VecX u;
  bool still = false;
  int steps = 0;
  double moving_m = 0;  // largest displacement in the last step [m]
};
Settled settle(const Simulation& simulation, double t, const Watch& watch = {});

}  // namespace supple
