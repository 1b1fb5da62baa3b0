// tune: a scene and what is wanted of it in, the scene that does it out.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "supple/base/watch.h"
#include "supple/report/json.h"
#include "supple/scene/config.h"
#include "supple/tune/tune.h"

namespace supple::pipeline {

// What is wanted. A dial takes one of its forms; what is not said here the scene's own [controls] say.
struct TuneRequest {
  std::optional<double> frequency, amplitude, sag, half_life;  // ratios to the scene without dials
  std::optional<double> frequency_hz, half_life_s, sag_m;      // absolute
  std::optional<double> frames_per_bounce, settle_by, low_at;  // in frames
  std::string like;                                            // a take to resemble
  double tolerance = 0.01;                                     // of the amplitude
  int max_runs = 6;
};

struct TuneOutcome {
  TuneResult result;
  SceneConfig scene;               // tuned
  std::vector<std::string> notes;  // what was reached, and what is out of reach
  Json report;                     // trials and all
};

// directory: where trials.json is kept. Trials of the same scene found there are used again.
TuneOutcome tune_scene(const SceneConfig& scene, const TuneRequest& request, const std::string& directory,
                       const Watch& watch = {});

// The four dials of a result, to be told one by one.
struct DialRow {
  const char* name;
  double asked, got;
  const Dial* dial;
};
std::array<DialRow, 4> dial_rows(const TuneResult& result);

// The tuned scene as a file, with what was asked and got on top of it.
void write_tuned_scene(const std::string& path, const TuneOutcome& outcome);

}  // namespace supple::pipeline
