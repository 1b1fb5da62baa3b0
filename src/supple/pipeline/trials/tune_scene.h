// tune: a scene and what is wanted of it in, the take that does it out.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "supple/pipeline/run/run.h"
#include "supple/tune/dials.h"

namespace supple::pipeline {

// What is wanted. A dial takes one of its forms; what is not said here the scene itself says: [controls], looks,
// regions, maps and keys.
struct TuneRequest {
  std::optional<double> frequency, amplitude, sag, half_life;  // ratios to the scene without dials
  std::optional<double> frequency_hz, half_life_s, sag_m;      // absolute
  std::optional<double> frames_per_bounce, settle_by, low_at;  // in frames
  std::string like;                                            // a take to resemble
  double tolerance = 0.01;                                     // of the amplitude
  int max_runs = 6;                                            // whole motions, that without dials aside
  bool resume = false;  // go on with what was stopped there: motions that are done are not simulated again
};

// A dial of a part, as asked for and as measured on the take.
struct TunedDial {
  std::string part, dial;
  double asked = 1, got = 1;  // ratios
  bool said = true;           // somebody asked for it; else it is to stay as it was
  bool met = false;
  std::string note;
};

struct TuneOutcome {
  RunResult take;                  // delivered, unless a trial failed
  std::vector<TunedDial> dials;    // those that there is something to measure of
  std::vector<std::string> notes;  // what was read and what is out of reach
  bool asked = false;              // that anything be otherwise than without dials
  int motions = 0;                 // simulated, that without dials among them
  std::string scene;               // the file of the tuned scene
  Json report;                     // trials and all
  bool met() const;
};

// Leaves the take in the directory, and beside it tuned.toml: what is asked in its usual places, what was found under
// [[tuned]]. The take is the last trial. The run of the scene without dials is kept in baseline/, and used again.
TuneOutcome tune_scene(const SceneConfig& scene, const TuneRequest& request, const std::string& directory,
                       const Watch& watch = {});

// Whether all of this very request is in the directory already, and if so whether its dials are met.
std::optional<bool> tuned_already(const SceneConfig& scene, const TuneRequest& request, const std::string& directory);

}  // namespace supple::pipeline
