// A scene as something to be measured: sag, ring-downs and whole motions under any scalings, in memory.
#pragma once
#include <map>
#include <string>

#include "supple/base/watch.h"
#include "supple/inertia/simulation.h"
#include "supple/pipeline/job/job.h"
#include "supple/tune/estimators.h"
#include "supple/tune/tune.h"

namespace supple::pipeline {

// A motion with what is needed to direct it in frames.
struct Recorded {
  Motion motion;
  std::vector<double> low;  // displacement of the liveliest free point along gravity's opposite, one a frame [m]
};

class SceneExperiment : public Experiment {
 public:
  // base: the scene without dials. shaped: the same with maps, keys and regions whose proportions all scalings but
  // those of the base keep, or null. Both must outlive this.
  SceneExperiment(const Job& base, const Job* shaped) : base_(base), shaped_(shaped ? *shaped : base) {}

  double sag(double load) override;
  Ring ring(const Scalings& scalings, double release_m) override;
  Motion run(const Scalings& scalings) override { return record(scalings).motion; }
  const Recorded& record(const Scalings& scalings);

  // Asked after every step; a stage for each whole motion.
  Watch watch;

  // What was measured so far, by a key of its scalings; earlier trials of the same scene can be given back.
  std::map<std::string, Ring> rings;
  std::map<std::string, Recorded> runs;
  int simulated = 0;  // whole motions, remembered ones aside

 private:
  Job scaled(const Scalings& s) const;
  Ring measure_ring(const Job& job, double release_m);
  Recorded measure_run(const Job& job);
  const Job &base_, &shaped_;
  VecX sagged_;
  std::shared_ptr<KnotLibrary> knots_ = std::make_shared<KnotLibrary>();  // equilibria that trials have in common
};

std::string key_of(const Scalings& s);
// What a finished simulation amounts to.
Motion motion_of(Simulation& simulation);

// The last frame at which the driven points still move.
double last_moving_frame(const Job& job);

}  // namespace supple::pipeline
