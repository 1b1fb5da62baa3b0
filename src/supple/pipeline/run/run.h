// Runs a job frame by frame into a directory: caches, amplitude table, checkpoints, surface files, report.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "supple/base/laps.h"
#include "supple/base/watch.h"
#include "supple/inertia/simulation.h"
#include "supple/io/gltf/soft_glb.h"
#include "supple/io/point_cache.h"
#include "supple/pipeline/job/begin.h"
#include "supple/pipeline/run/measurements.h"
#include "supple/report/json.h"

namespace supple::pipeline {

struct FleshPlan;
struct SharedPicture;

struct RunOptions {
  std::string directory;   // created when missing
  bool overwrite = false;  // replace a finished run there
  bool resume = false;     // go on from its checkpoint, or where there is none begin
  // Made anew from a frame on, with other dials: what is there of frames before it is used again.
  std::optional<int> from;
  KnownResponses known;  // for the report's card
  // Of the job's body, where runs share it; null: they are found.
  std::shared_ptr<const BodyModes> modes;
  std::shared_ptr<const FleshPlan> plan;    // of a character, with what was forecast; null: the scene says
  std::shared_ptr<SharedPicture> softness;  // of a character, where runs share it; null: it is made for this one
  // Of a character: done with its soft clip, which may be taken, while files and pictures are made.
  std::function<void(SoftClip&)> while_writing;
  Laps spent;  // until now, since the command began: the report goes on with it
};

// Whether all of this very job is in the directory already, or enough of it to go on with.
bool is_done(const Job& job, const std::string& directory);
bool can_go_on(const Job& job, const std::string& directory);

enum class RunStatus { done, interrupted, failed };
const char* word_of(RunStatus status);

struct RunResult {
  RunStatus status = RunStatus::done;
  std::string message;             // why it stopped, and how to go on
  std::vector<std::string> files;  // written, relative to the directory
  Json report;                     // the content of report.json
  SoftClip soft;                   // of a character...
  MotionCheck check;               // ...and whether its motion is sane
  bool best_effort = false;        // some instants are only the best that was found
  int frames = 0, steps = 0;       // done
  int steps_total = 0;             // taken for them
  Laps spent;                      // of the options, gone on with
  double seconds = 0;
  // The numbers a person asks for first.
  double frequency_hz = 0, sag_m = 0, half_life_s = 0, amplitude_rms_m = 0, peak_m = 0;
  MeasuredResponse measured;                     // of the whole body
  std::vector<MeasuredResponse> measured_parts;  // in the order of Job::parts; empty for a single part
};

// A run in two halves: what is simulated, and what is made of it. The first alone is a trial: its caches are in the
// directory, and nothing else is until it is delivered, which needs nothing simulated.
class TakeRun {
 public:
  // All must outlive this. InputError as of run_job.
  TakeRun(const Job& job, const RunOptions& options, const Watch& watch);
  ~TakeRun();
  TakeRun(const TakeRun&) = delete;
  TakeRun& operator=(const TakeRun&) = delete;

  RunResult simulate();
  RunResult deliver(const KnownResponses& known);  // after a simulation that is done
  const PointCache& tets() const;
  const PointCache& statics() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// Throws InputError when the directory holds another run, and neither overwrite nor resume is said. A run that fails or
// is interrupted keeps its finished frames (*.part) and its checkpoint; one that was stopped at any other moment has
// those of some frames before. To go on with one that is done delivers it again.
// watch: what lies ahead, and its stages "warming up", where what comes before the first frame is simulated too,
// "simulating" and "writing"; asked after every step.
RunResult run_job(const Job& job, const RunOptions& options, const Watch& watch = {});

}  // namespace supple::pipeline
