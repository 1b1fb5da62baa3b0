// How far `supple curves` has come, pass by pass: what is finished and, of the pass under way, what its frames to come
// depend on. Kept as a checkpoint. A pass takes a layer through the shot; a layer with modes may have one before it,
// that they are learned from.
#pragma once
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "supple/base/timer.h"
#include "supple/pipeline/curves/refit.h"
#include "supple/pipeline/curves/run.h"
#include "supple/pipeline/deliver/checkpoint_file.h"
#include "supple/sim/checkpoint_fields.h"

namespace supple::pipeline::curves {

// How a pass stands after a frame.
struct PassMoment {
  State state;
  KeptFactor::Mark factor;
  LayerTotals totals;
  std::vector<double> stiffness;    // of the body; empty: 1
  MaterialOverTime::Memory change;  // of that
  std::optional<MaterialFit> fit;
  // Where the body hangs, and will hang once its material has changed. Null: inertia is as it is; nothing changes.
  std::shared_ptr<const RigEquilibria> hanging, next_hanging;
};

struct Pass {
  bool done = false;
  bool as_keyed = false;  // it begins so, for want of an equilibrium
  int cycle = 1;          // of a loop
  double closing_error = 0;
  std::vector<VecX> states;  // parameters at every frame so far, of this cycle
  PassMoment at;             // after the last of them; of a pass that is done without `state` and `factor`
};

class CurvesProgress {
 public:
  // resume: goes on where the file says. InputError: as from CheckpointFile::read.
  CurvesProgress(CheckpointFile file, bool resume);

  // Of the pass that begins now: where it stands. It lives as long as this.
  Pass& next();
  // A pass has come so far: now and then, and when one is done, that is written.
  void came_to(const Pass& pass);
  void write();
  void remove() const { file_.remove(); }
  void drop_state() const { file_.drop_state(); }
  const StageJournal& journal() const { return file_.journal(); }

  bool begun() const { return !passes_.empty() && !passes_.front().states.empty(); }
  int frame() const;  // last that is whole, of the last pass that has begun
  double seconds() const { return earlier_s_ + timer_.seconds(); }

 private:
  void list(const CheckpointFields& fields);

  CheckpointFile file_;
  std::deque<Pass> passes_;
  size_t n_begun_ = 0;  // by next()
  double earlier_s_ = 0;
  Timer timer_;
};

}  // namespace supple::pipeline::curves
