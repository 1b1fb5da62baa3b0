// How a shot begins, and whether it repeats: what the scene says, and what "auto" makes of the motion.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "supple/anim/track.h"
#include "supple/inertia/periodic.h"

namespace supple {

struct Job;

struct StartPlan {
  std::string start = "rest";  // rest, moving or settled; of a loop: moving
  bool loop = false;
  std::string why;  // "its last pose is 0.21 m from the first"
  // Of a loop.
  int period = 0;     // frames
  RigidMotion carry;  // from one cycle to the next
  std::string text() const;
};

// The track of a motion, begun and continued as the scene says. Fills job.start, and adds to the warnings what is odd.
// first, last: frames of the run. InputError: a loop is asked for, and the motion has none.
std::shared_ptr<const Track> begun_track(Job& job, std::vector<VecX> samples, int first, int last);
std::shared_ptr<const Track> begun_rigid_track(Job& job, std::vector<RigidKey> keys, const Points& rest, int first,
                                               int last);

// The same for a body that nothing moves.
void begin_unmoved(Job& job);

// What came of the plan.
struct Beginning {
  bool looped = false, closed = false;
  double closing_error = 0;  // of q and q' over the seam, beside RMS q over the period
  int periods = 0;           // simulated before the first frame
  SeamFade fade;             // where it does not close
  std::string text;          // for people; empty when there is nothing to tell
};
// Begins the simulation as job.start says; pre-roll and warm-up are over when this returns. Cancelled and
// SimulationFailure as from steps. watch: noted how the search for a loop goes on.
Beginning begin(Simulation& simulation, const Job& job, const Watch& watch = {});

// The part of a checkpoint that a resumed run needs.
void put(Checkpoint& c, const Beginning& b);
Beginning get_beginning(const Checkpoint& c);

}  // namespace supple
