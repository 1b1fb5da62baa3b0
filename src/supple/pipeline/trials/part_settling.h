// Frequency, half-life and sag of each part brought to what is wanted by statics and ring-downs: nothing is run.
#pragma once
#include <functional>

#include "supple/base/watch.h"
#include "supple/pipeline/trials/part_targets.h"

namespace supple::pipeline {

struct Settling {
  std::vector<Scalings> found;        // of each part, on top of the formulas
  std::vector<MeasuredResponse> got;  // with them
  int rounds = 0;
};
// formulas: the job as the formulas of its dials have it. release_m: of ring-downs; statics: of the shot, to ring
// about, or none: about its first frame. told: after every round.
Settling settle_parts(const Job& formulas, const std::vector<PartTarget>& targets, double release_m,
                      const PointCache* statics, const std::function<void(const Settling&)>& told = {});

// A job that is to be simulated as it is: where the flesh is not linear its frequency, half-life and sag are brought to
// what its dials ask for. Linear flesh, flesh about a drawn shape and what was tuned already stay as they are.
Job settled_job(Job job, const Watch& watch);

// How near counts as there, as a share.
inline constexpr double kFrequencyNear = 0.003, kHalfLifeNear = 0.01, kSagNear = 0.003;

}  // namespace supple::pipeline
