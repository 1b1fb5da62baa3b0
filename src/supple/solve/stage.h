// Time integrators as data. A step is a list of stages; a stage is one rule for a time derivative,
//   x' = now x + start x_n + start_rate x'_n + middle x_m
// with x the stage's unknown, x_n, x'_n value and rate at the start of the step and x_m the value after the first
// stage. Applied to u it gives v, applied to v it gives a, and applied to a strain it gives a strain rate.
#pragma once
#include <string>
#include <vector>

namespace supple {

struct StageRule {
  double end = 1;                                         // time of the stage, as a fraction of the step
  double now = 0, start = 0, start_rate = 0, middle = 0;  // [1/s] but start_rate [1]
};

enum class Integrator { backward_euler, tr_bdf2 };
Integrator integrator_from_name(const std::string& name);  // "backward-euler", "tr-bdf2"
const char* name_of(Integrator integrator);

// The fraction for which both stages of tr-bdf2 have the same matrix.
inline constexpr double kEqualMatrixFraction = 0.58578643762690495120;  // 2 - sqrt 2

// Stages of a step of length h [s]. stage_fraction: where tr-bdf2 changes from trapezoid to BDF2, in (0, 1).
std::vector<StageRule> stages(Integrator integrator, double h, double stage_fraction = kEqualMatrixFraction);

// Half-life [s] that an oscillator of circular frequency omega with stiffness damping d_k [s] and mass damping d_m
// [1/s] shows under the integrator at step h: the decay of its discrete solution, found by stepping it.
double discrete_half_life(Integrator integrator, double h, double omega, double d_k, double d_m = 0,
                          double stage_fraction = kEqualMatrixFraction);

}  // namespace supple
