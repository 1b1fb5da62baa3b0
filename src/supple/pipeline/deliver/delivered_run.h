// All frames of a run as they are drawn, finished as the scene says.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "supple/pipeline/deliver/finish.h"
#include "supple/pipeline/job/job.h"

namespace supple::pipeline {

// How far a surface departs at a frame: over all of its vertices that may.
struct DepartureSize {
  double rms = 0, largest = 0;  // [m]
};

class DeliveredRun {
 public:
  // tets: positions of all tet vertices, one sample a frame; from: of the equilibrium that departures count from. Both
  // must outlive this.
  using FramePositions = std::function<VecX(int frame)>;
  DeliveredRun(const Job& job, const PointCache& tets, FramePositions from);

  int n_frames() const { return tets_.n_samples; }
  const Drawing& drawing() const { return *drawing_; }
  const Finish& finish() const { return finish_; }
  // Whether something else than what was simulated is shown.
  bool changes() const { return !finish_.idle() || shown_tets_.n_samples > 0; }
  // May be asked for in parallel.
  DrawnFrame frame(int frame) const;
  Points at(int f) const { return frame(f).shown; }
  Points base(int frame) const { return drawing_->base(frame, from_(frame)); }  // what it departs from
  // Frame by frame; empty when finishing changes nothing.
  const std::vector<DepartureSize>& simulated() const { return simulated_; }
  const std::vector<DepartureSize>& shown() const { return shown_; }

 private:
  VecX tets_at(int frame) const { return sample_of(shown_tets_.n_samples > 0 ? shown_tets_ : tets_, frame); }

  const PointCache& tets_;
  FramePositions from_;
  std::unique_ptr<Drawing> drawing_;
  PointCache shown_tets_;  // where less physics is shown than was simulated
  Finish finish_;
  std::vector<VecX> skin_;  // finished departures, one a frame; empty: as simulated
  std::vector<DepartureSize> simulated_, shown_;
};

}  // namespace supple::pipeline
