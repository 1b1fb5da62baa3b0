// Targets as an artist sees them - frequency, amplitude, sag, half-life, each as a ratio to the present - turned into
// scalings of the model, by measuring. What is measured comes from an Experiment; nothing here knows scenes or files.
//
//   chi      scale of every frequency: stiffness is scaled by chi^2        frequency ratio
//   mu       scale of gravity; the load mu / chi^2 alone decides the sag   chi^2 x sag ratio
//   c_k      scale of stiffness damping                                    1 / (chi^2 x half-life ratio)
//   epsilon  scale of inertia                                              impulse: chi x, sustained: chi^2 x amplitude
//
// [adjustable constrained dynamics, Sec. 5.2]. The right column is exact for a linear model with stiffness damping and
// an exact integrator; elsewhere it is where the search starts.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace supple {

struct Scalings {
  double chi = 1, mu = 1, ck = 1, epsilon = 1;
};

struct Ratios {
  double frequency = 1, amplitude = 1, sag = 1, half_life = 1;
};

// Numbers of one state; empty: not measured, or not there to be measured.
struct Measured {
  std::optional<double> frequency_hz;  // damped
  std::optional<double> half_life_s;   // infinity when nothing damps
  std::optional<double> sag_m;
  std::optional<double> amplitude;  // A of Eq. 5 [m sqrt(s)]
  std::optional<double> rms_m;      // A / sqrt(duration)
  std::optional<double> peak_m;
};

struct Ring {
  bool found = false;
  double frequency_hz = 0;  // damped
  double half_life_s = 0;   // infinity when it does not decay
  std::string trouble;
};

struct Motion {
  bool ok = false;
  double amplitude = 0, rms_m = 0, peak_m = 0;  // as in Measured
  std::string trouble;
};

// What can be measured of a scene. SimulationFailure from ring or run counts as a trial that failed; any other
// exception (Cancelled among them) passes through tune.
class Experiment {
 public:
  virtual ~Experiment() = default;
  // Static sag at a load mu / chi^2 [m]; grows with the load. NaN: no equilibrium. 0: no gravity.
  virtual double sag(double load) = 0;
  // Small ring-down about the sagged state, released from a distance [m].
  virtual Ring ring(const Scalings& scalings, double release_m) = 0;
  // The whole motion. Expensive: counted.
  virtual Motion run(const Scalings& scalings) = 0;
};

struct Trial {
  enum class Kind { sag, ring, run };
  Kind kind = Kind::run;
  Scalings scalings;
  Measured measured;
  std::string note;  // trouble, or what it was for
};
const char* word_of(Trial::Kind kind);  // "static", "ring", "run"

enum class AmplitudeStart { impulse, sustained };

struct TuneOptions {
  AmplitudeStart start = AmplitudeStart::impulse;
  double amplitude_tolerance = 0.01;  // relative
  double ring_tolerance = 0.003;      // of frequency and half-life
  double sag_tolerance = 0.002;
  int max_runs = 6;                            // whole motions, the baseline among them unless given
  int max_rings = 6;                           // ring-downs of adjusted states
  std::optional<Motion> baseline;              // of the motion with all scalings 1, if known
  double fallback_release_m = 1e-3;            // where there is no motion to take a tenth of
  std::function<void(const Trial&)> on_trial;  // after every trial; may throw to stop
};

struct Dial {
  bool applicable = true;  // false: nothing there to scale
  bool met = false;
  std::string note;  // why not met or not applicable, and the nearest reachable
};

struct TuneResult {
  Scalings scalings;
  Measured baseline, tuned;
  Ratios asked;
  Ratios got;  // measured; 1 where a dial is not applicable or nothing was measured
  Dial frequency, amplitude, sag, half_life;
  bool all_met() const;  // of those applicable
  std::vector<Trial> trials;
  int full_runs = 0;
};

// Sag first (it depends on the load only), then chi and c_k together by ring-downs about the sagged state, then epsilon
// by whole motions. A dial out of reach is left at the nearest reachable; the others are still met.
// Ring-downs are released from a tenth of the motion's root mean square: of the baseline for the baseline, of the
// target for adjusted states. InputError: ratios that are not positive (amplitude and sag may be zero).
TuneResult tune(Experiment& experiment, const Ratios& ratios, const TuneOptions& options = {});

}  // namespace supple
