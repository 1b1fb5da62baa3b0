// The periodic response: the state that a motion which repeats brings back after one period, carried by the motion's
// own rigid step T, so that clips may travel and turn.
//
// x -> g(x), one period and back by T, is run again and again, from where the flesh does not depart on. By itself it
// converges like 2^(-period / half-life); taken together, the last few periods give a better start than the last one's
// end (state_mixing.h). All states are those at the beginning of the period, where p and its frames are the same:
// mixing u and u' there is mixing q and q'.
//
// Flesh about a drawn shape remembers the steps of its periods (up to a gigabyte), and the one that closes is the one
// that is recorded: it is not run again. Else the recorded period comes after it.
#pragma once
#include <string>
#include <vector>

#include "supple/base/watch.h"
#include "supple/inertia/simulation.h"
#include "supple/mesh/rigid_fit.h"

namespace supple {

struct PeriodicOptions {
  int frames = 0;           // of a period
  RigidMotion carry;        // T
  double tolerance = 1e-3;  // of the closing error
  double good_enough = 0;   // or of this, with a cross-fade for the rest; 0: no such thing
  int max_periods = 12;
  int mixed = 3;        // periods that are taken together; 1: plain repetition
  int fade_frames = 0;  // how many frames a cross-fade would have; 0: a quarter of the period, at most 12
};

// Where no periodic answer was found: frames that lead to the first one of the recorded period, to be shown over its
// own last ones. They are those of the period before it; or, of a period that was remembered, its own, moved by what
// its end misses its start by.
struct SeamFade {
  int seam = 0;         // frame of the seam
  std::vector<VecX> q;  // one a frame, the last one at the seam; empty: no fade
  bool empty() const { return q.empty(); }
  // What is shown at a frame: the simulation's own u before the fade, and from there on less and less of it.
  VecX shown(Simulation& simulation, int frame) const;
};

struct PeriodicResponse {
  State start;  // at t_start, to go on from with Simulation::start_with
  bool closed = false;
  // Of the period that closes best: sqrt(|dq|^2 + |dq'|^2 / w^2) / RMS q in the norm of mass, with w = RMS q' / RMS q.
  double closing_error = 0;
  int periods = 0;      // run; the recorded one is among them where steps are remembered
  SeamFade fade;        // filled when not closed to the tolerance
  std::string trouble;  // why it was given up early
};
// The simulation is left at t_start with `start`, its amplitude not yet counted, and with the steps that it remembers
// to hand out. A step that fails for good: throws
// SimulationFailure only in the first period. watch: noted after every period, asked after every step; the stage
// "warming up".
PeriodicResponse find_periodic(Simulation& simulation, const PeriodicOptions& options, const Watch& watch = {});

// A state carried rigidly, as a teleport carries it; rest: vertices of the model.
State carried(const State& state, const Points& rest, const RigidMotion& m);

}  // namespace supple
