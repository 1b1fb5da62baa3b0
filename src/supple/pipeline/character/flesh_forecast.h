// How far the clips of a file throw its flesh, and how much of that it bears.
#pragma once
#include <string>
#include <vector>

#include "supple/pipeline/character/clip_responses.h"
#include "supple/pipeline/setup/motion_check.h"

namespace supple::pipeline {

// 99th percentiles over vertices and frames of the departure as a share of the reach, dials at 1, before anything is
// held back.
struct RegionForecast {
  std::string name;
  double swing99 = 0;
};
struct ClipForecast {
  std::string clip;
  bool run = false;     // a stretch of it was run
  double swing99 = 0;   // of all regions
  double held = 0;      // share of vertices and frames beyond the knee
  double farthest = 0;  // 99th percentile of the departure as it is shown, of a picture that the character fills
  std::vector<RegionForecast> regions;
};

class FleshForecast {
 public:
  // The body must outlive this.
  FleshForecast(const SceneConfig& config, const ForecastBody& body) : body_(body), responses_(config, body) {}
  // What every entry's inertia is to be multiplied by, at most 1, so that no more than a little of the flesh is held
  // back over all clips together, and lively clips are still seen. knee: as a share of the reach.
  std::vector<double> gains(double knee);
  // With that of it, each clip.
  std::vector<ClipForecast> clips(const std::vector<double>& gain, double knee);

 private:
  double farthest(const ClipResponse& clip, const Gains& gain, double knee) const;
  double held(const Shares& shares, double knee) const;
  Gains lowest_gains(const Gains& from, double knee) const;
  Gains seen_gains(const Gains& lowest, double knee) const;

  const ForecastBody& body_;
  ClipResponses responses_;
};

// What was forecast for a clip beside what its run shows. Null: nothing was forecast for it.
Json forecast_json(const std::vector<ClipForecast>& forecasts, const std::string& clip, const MotionCheck& run);

}  // namespace supple::pipeline
