// The stages of a run and how long each is likely to take, for those who show how far it is.
#pragma once
#include <vector>

#include "supple/base/watch.h"
#include "supple/pipeline/job/job.h"

namespace supple::pipeline {

inline constexpr const char *kReading = "reading", *kPlanning = "finding the flesh", *kWarmingUp = "warming up",
                            *kSimulating = "simulating", *kWriting = "writing";

// [s] on a machine of today; only the proportions matter.
std::vector<PlannedStage> stages_of_run(const Job& job);
// Before anything is known.
std::vector<PlannedStage> stages_to_come();

// Of a body of so many tets.
double seconds_of_steps(double tets, double steps);
double seconds_of_writing(double drawn_vertices, double frames);

}  // namespace supple::pipeline
