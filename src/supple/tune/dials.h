// The closed formulas from dials to scalings: what is asked of the flesh, as ratios, becomes factors in the equations
// of motion [adjustable constrained dynamics, section 5.2].
//   chi      sqrt of the stiffness scale: frequency ratio                                    [Eq. 26]
//   mu       gravity scale: chi^2 x sag ratio                                                [Eq. 27]
//   c_k      stiffness damping scale: old half-life / (chi^2 new half-life)                  [Eq. 28]
//   epsilon  inertia scale: amplitude ratio x chi (short pushes) or x chi^2 (lasting ones)   [Eqs. 29, 30]
// The integrator damps too, so c_k is in the end chosen for the half-life that shows at the run's step (damping_for).
#pragma once
#include <limits>
#include <string>
#include <vector>

#include "supple/inertia/adjustment.h"
#include "supple/solve/stage.h"
#include "supple/tune/tune.h"

namespace supple {

// What is asked, against the character without dials.
using DialRatios = Ratios;

Scalings scalings_for(const DialRatios& asked, bool sustained);

// What the flesh does: frequency and sag by the linear formulas, the half-life of the discrete motion.
struct Response {
  double frequency_hz = 0;                                  // 0: nothing vibrates
  double sag_m = std::numeric_limits<double>::quiet_NaN();  // NaN: no equilibrium was found
  double half_life_s = std::numeric_limits<double>::infinity();
};

struct PartNumbers {
  std::string name;
  std::vector<int> vertices;  // free ones, ascending
  double mass = 0;            // [kg]
  DialRatios asked;
  Scalings scalings;  // means over the part where a map makes them vary
  Response baseline, adjusted;
  double baseline_damping = 0, adjusted_damping = 0;  // d_k [s]
};

// How the run steps: what a half-life depends on besides the material.
struct StepRule {
  Integrator integrator = Integrator::tr_bdf2;
  double h = 1.0 / 240;  // [s]
  double stage_fraction = kEqualMatrixFraction;

  // As it shows; infinity when nothing vibrates.
  double half_life(double frequency_hz, double d_k, double d_m) const;
};

struct DampingChoice {
  // Why the half-life is not the one asked for: the integrator or mass damping alone is stronger, or a body damped
  // critically settles no faster.
  enum class Limit { none, integrator, mass_damping, critical };
  double d_k = 0;        // [s]
  double reached_s = 0;  // the half-life it gives
  Limit limit = Limit::none;
};
// d_k for a half-life, with the integrator's damping counted in. A miss by less than kHalfLifeTolerance is no limit.
DampingChoice damping_for(const StepRule& rule, double half_life_s, double frequency_hz, double d_m);
inline constexpr double kHalfLifeTolerance = 0.02;

// Dials over the shot: time [s], factor.
struct DialFactors {
  FactorKeys frequency, amplitude, sag, half_life;
};
// The factors of the equations of motion, on the merged times of all keys. Factors that are 1 throughout are left out.
void set_keys(Adjustment& adjustment, const DialFactors& factors, bool sustained);

}  // namespace supple
