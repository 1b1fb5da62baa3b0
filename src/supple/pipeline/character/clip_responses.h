// What every clip of a file does to points of its flesh: an oscillator on each of them through all clips, and a linear
// run of the whole body (tune/linear_forecast.h) through as much as is worth it, which also tells what the oscillators
// miss elsewhere.
#pragma once
#include <string>
#include <vector>

#include "supple/pipeline/character/character.h"
#include "supple/pipeline/character/flesh_swing.h"
#include "supple/tune/carried_motion.h"

namespace supple::pipeline {

// Of a body about its drawn shape: enough for flesh as slow as it is planned.
inline constexpr double kStepsPerSecond = 60;

// The body that responds, in bound shape and with its frequencies.
struct ForecastBody {
  const CharacterSetup& character;
  const Flesh& flesh;
  const SoftSkin& skin;
  const Model& model;
  const Parts& parts;
  const SwingGroups& groups;
  std::vector<double> inertia;             // of each entry, for the swings...
  std::vector<double> swing;               // ...that they have before anything is forecast
  VecX swing_rate;                         // 2 pi the slowest frequency of the flesh around, per vertex [1/s]
  VecX in_tets;                            // what of its stiffness is damped, per vertex
  std::vector<std::vector<double>> gives;  // of each entry, how far what is watched of it gives way
};

// Large swings stiffen: what is left of one that is linear, both as shares of the reach, and the other way round.
double stiffened(double linear);
double linear_from(double stiffened);

// What the inertia of each entry is multiplied by.
using Gains = std::vector<double>;
// Departures as shares of the reach, frame by frame, one a point.
using Shares = std::vector<std::vector<double>>;

struct ClipResponse {
  std::string name;
  double fps = 24;
  bool repeats = false, lively = false;
  std::vector<std::vector<double>> felt;  // accelerations, frame by frame, one a point
  // Of a linear run, from this frame on: departures, one column an entry.
  int first = 0;
  std::vector<MatX> run;
  std::vector<double> missed;  // per point: how much further it went there than its oscillator
};

class ClipResponses {
 public:
  // The body must outlive this.
  ClipResponses(const SceneConfig& config, const ForecastBody& body);

  const std::vector<ClipResponse>& clips() const { return clips_; }
  const std::vector<size_t>& entry() const { return entry_; }    // of each point
  const std::vector<double>& weight() const { return weight_; }  // of each point: how many it stands for
  const std::vector<double>& reach() const { return reach_; }    // of each point [m]
  double picture() const { return picture_; }                    // height of a picture that the character fills [m]

  // What oscillators miss, anew for these gains.
  void correct(const Gains& gain);
  Shares shares(const ClipResponse& clip, const Gains& gain) const;
  // Likewise what is drawn of them, held back, about the mean over the clip where that is known: what one sees move.
  Shares drawn_swings(const ClipResponse& clip, const Gains& gain, double knee) const;

 private:
  struct Motion;
  struct Stretch {
    size_t clip = 0;
    int first = 0, counted = 0, last = 0;  // frames: from where it is run, counted and until when
  };
  bool lively(const CarriedPoints& drawn) const;
  void follow(const std::vector<Motion>& motions);
  std::vector<Stretch> worth_running() const;
  void run(const Motion& motion, const Stretch& stretch, const MatX& inertia);
  double share_alone(size_t point, double felt, const Gains& gain) const;

  const SceneConfig& config_;
  const ForecastBody& body_;
  std::vector<int> points_;  // of the soft skin
  std::vector<size_t> entry_;
  std::vector<double> weight_, reach_;
  double picture_ = 1;
  std::vector<ClipResponse> clips_;
  std::vector<double> missed_;  // likewise, of clips that were not run
};

// Sorted and passed through until the share of all weight is there; 0 without values.
struct Weighted {
  double value, weight;
};
double weighted_percentile(std::vector<Weighted> list, double share);

}  // namespace supple::pipeline
