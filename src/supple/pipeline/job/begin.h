// How a run begins: the run-time half of start_plan.h.
#pragma once
#include <string>

#include "supple/base/watch.h"
#include "supple/inertia/periodic.h"
#include "supple/pipeline/job/job.h"

namespace supple::pipeline {

// What came of the plan.
struct StartResult {
  bool looped = false, closed = false;
  double closing_error = 0;  // of q and q' over the seam, beside RMS q over the period
  int periods = 0;           // simulated to find it (inertia/periodic.h)
  SeamFade fade;             // where it does not close
  std::string text;          // for people; empty when there is nothing to tell
};
// Begins the simulation as job.shot.start says; pre-roll and warm-up are over when this returns. Cancelled and
// SimulationFailure as from steps. watch: noted how the search for a loop goes on; the stage "warming up".
StartResult begin(Simulation& simulation, const Job& job, const Watch& watch = {});

// The part of a checkpoint that a resumed run needs.
void put(Checkpoint& c, const StartResult& b);
StartResult get_beginning(const Checkpoint& c);

}  // namespace supple::pipeline
