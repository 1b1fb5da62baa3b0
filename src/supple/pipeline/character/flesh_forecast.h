// How far the clips of a file throw its flesh, and how much of that it bears: all clips by oscillators, one a point,
// and the liveliest stretches by a linear run of the whole body, which tells what oscillators miss.
#pragma once
#include <string>
#include <vector>

#include "supple/pipeline/character/character.h"
#include "supple/pipeline/character/flesh_swing.h"
#include "supple/pipeline/setup/motion_check.h"

namespace supple::pipeline {

// Of a body about its drawn shape: enough for flesh as slow as it is planned.
inline constexpr double kStepsPerSecond = 60;

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

// The body that the forecast is about, in bound shape and with its frequencies.
struct ForecastBody {
  const CharacterSetup& character;
  const Flesh& flesh;
  const Model& model;
  const Parts& parts;
  const SwingGroups& groups;
  std::vector<double> inertia;  // of each entry, for the swings...
  std::vector<double> swing;    // ...that they have before anything is forecast
};

class FleshForecast {
 public:
  // The body must outlive this.
  FleshForecast(const SceneConfig& config, const ForecastBody& body);
  // What every entry's inertia is to be multiplied by, at most 1, so that no more than a little of the flesh is held
  // back over all clips together, and lively clips are still seen. knee: as a share of the reach.
  std::vector<double> gains(double knee);
  // With that of it, each clip.
  std::vector<ClipForecast> clips(const std::vector<double>& gain, double knee);

 private:
  struct Felt {  // of one clip
    std::string name;
    double fps = 24;
    bool repeats = false, run = false, lively = false;
    std::vector<std::vector<double>> frames;  // accelerations felt, one a point
  };
  struct Stretch {
    size_t clip = 0;
    int first = 0, counted = 0, last = 0;  // frames: from where it is run, counted and until when
    std::vector<MatX> departures;          // of the points, one column an entry; one a frame that is counted
  };
  using Gains = std::vector<double>;
  double share_at(size_t point, double felt, const Gains& gain) const;
  double farthest(const Felt& clip, const Gains& gain, double knee) const;
  double held(const Felt& clip, const Gains& gain, double knee) const;
  std::vector<Stretch> liveliest() const;
  void run(Stretch& stretch);
  void compare(const Gains& gain);
  Gains lowest_gains(double knee) const;
  Gains seen_gains(const Gains& lowest, double knee) const;

  const SceneConfig& config_;
  const ForecastBody& body_;
  std::vector<int> points_;     // vertices of the model
  std::vector<size_t> entry_;   // of each point
  std::vector<double> weight_;  // of each point: how many vertices it stands for
  std::vector<double> reach_;   // of each point
  double picture_ = 1;          // height of a picture that the character fills [m]
  std::vector<Felt> felt_;
  std::vector<Stretch> stretches_;
  std::vector<double> missed_;  // per point: how much further it goes than its oscillator
};

// What was forecast for a clip beside what its run shows. Null: nothing was forecast for it.
Json forecast_json(const std::vector<ClipForecast>& forecasts, const std::string& clip, const MotionCheck& run);

}  // namespace supple::pipeline
