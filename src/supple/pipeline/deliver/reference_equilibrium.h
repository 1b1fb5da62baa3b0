// What the flesh of a run departs from.
#pragma once
#include <memory>

#include "supple/pipeline/job/job.h"

namespace supple::pipeline {

// Positions of the equilibrium that departures count from, frame by frame from those of the run (static.pc2). They are
// the same unless the flesh hangs more or less than as authored: then it is what authored flesh would do.
class ReferenceEquilibrium {
 public:
  explicit ReferenceEquilibrium(const Job& job);
  ~ReferenceEquilibrium();
  bool differs() const { return track_ != nullptr; }
  VecX at(int frame, const VecX& p);

 private:
  const Job& job_;
  std::unique_ptr<Model> authored_;
  std::unique_ptr<class StaticTrack> track_;
};

}  // namespace supple::pipeline
