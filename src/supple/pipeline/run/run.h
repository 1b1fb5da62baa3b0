// Runs a job frame by frame into a directory: caches, amplitude table, checkpoints, surface files, report.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "supple/base/watch.h"
#include "supple/inertia/simulation.h"
#include "supple/io/gltf/soft_glb.h"
#include "supple/pipeline/job/begin.h"
#include "supple/pipeline/run/measurements.h"
#include "supple/report/json.h"

namespace supple::pipeline {

struct RunOptions {
  std::string directory;      // created when missing
  bool overwrite = false;     // replace a finished run there
  bool resume = false;        // go on from its checkpoint
  KnownResponses known;       // for the report's card
  bool contact = true;        // false: as if there were nothing to touch
  double give_up_beyond = 0;  // a departure [m] at which the run ends; 0: none does
  // Of a character, asked at the end: false: another attempt follows, and nothing is made of this one but its check.
  std::function<bool(const MotionCheck&)> keep_result;
  // Of a character: done with its soft clip, which may be taken, while files and pictures are made.
  std::function<void(SoftClip&)> while_writing;
  std::vector<std::string> reused;     // of what was made for this run besides the job
  std::shared_ptr<KnotLibrary> knots;  // equilibria of other runs; null: those in the cache, where there is one
};

// InputError: the directory holds a run, or files with the names of results, and neither overwrite nor resume is said.
void require_free(const RunOptions& options);

enum class RunStatus { done, interrupted, failed };

struct RunResult {
  RunStatus status = RunStatus::done;
  std::string message;             // why it stopped, and how to go on
  std::vector<std::string> files;  // written, relative to the directory
  Json report;                     // the content of report.json
  SoftClip soft;                   // of a character...
  MotionCheck check;               // ...and whether its motion is sane
  bool given_up = false;           // the flesh went beyond RunOptions::give_up_beyond
  bool kept = true;                // as RunOptions::keep_result said
  bool best_effort = false;        // some instants are only the best that was found
  // The numbers a person asks for first.
  double frequency_hz = 0, sag_m = 0, half_life_s = 0, amplitude_rms_m = 0, peak_m = 0;
  MeasuredResponse measured;                     // of the whole body
  std::vector<MeasuredResponse> measured_parts;  // in the order of Job::parts; empty for a single part
};

// Throws InputError when the directory holds another run. A run that fails or is interrupted keeps its finished frames
// (*.part) and its checkpoint.
// watch: the stage "simulating", of which the last frame counts as done when all is written; asked after every step.
RunResult run_job(const Job& job, const RunOptions& options, const Watch& watch = {});

}  // namespace supple::pipeline
