#include "supple/solve/stage.h"

#include <cmath>
#include <limits>

#include "supple/base/error.h"
#include "supple/linalg/dense.h"

namespace supple {

Integrator integrator_from_name(const std::string& name) {
  if (name == "backward-euler") return Integrator::backward_euler;
  if (name == "tr-bdf2") return Integrator::tr_bdf2;
  throw InputError({.place = "solver.integrator"}, "unknown integrator '" + name + "'",
                   "known: tr-bdf2, backward-euler");
}

const char* name_of(Integrator integrator) {
  return integrator == Integrator::backward_euler ? "backward-euler" : "tr-bdf2";
}

std::vector<StageRule> stages(Integrator integrator, double h, double stage_fraction) {
  if (integrator == Integrator::backward_euler) return {{.end = 1, .now = 1 / h, .start = -1 / h}};
  // Bathe's composite scheme: trapezoidal rule to t + alpha h, then the three-point backward difference.
  const double alpha = stage_fraction, d = alpha * h;
  // With the equal-matrix fraction these are one number, to the last bit: a linear model keeps its factorization.
  const double first = 2 / d, second = (2 - alpha) / ((1 - alpha) * h);
  const bool equal = std::abs(second - first) < 1e-14 * first;
  return {{.end = alpha, .now = first, .start = -first, .start_rate = -1},
          {.end = 1,
           .now = equal ? first : second,
           .start = (1 - alpha) / (alpha * h),
           .middle = -1 / (alpha * (1 - alpha) * h)}};
}

double discrete_half_life(Integrator integrator, double h, double omega, double d_k, double d_m,
                          double stage_fraction) {
  // One step maps (u, v, a) linearly; its columns come from stepping unit states of u'' + c u' + w2 u = 0.
  const double w2 = omega * omega, c = d_m + d_k * w2;
  Eigen::Matrix3d step;
  for (int k = 0; k < 3; ++k) {
    double u_n = k == 0, v_n = k == 1, a_n = k == 2;
    double u_m = 0, v_m = 0, u = 0, v = 0, a = 0;
    for (const StageRule& s : stages(integrator, h, stage_fraction)) {
      const double rv = s.start * u_n + s.start_rate * v_n + s.middle * u_m;
      const double ra = s.now * rv + s.start * v_n + s.start_rate * a_n + s.middle * v_m;
      u = -(ra + c * rv) / (s.now * s.now + c * s.now + w2);
      v = s.now * u + rv;
      a = s.now * v + s.start * v_n + s.start_rate * a_n + s.middle * v_m;
      u_m = u, v_m = v;
    }
    step.col(k) << u, v, a;
  }
  const double radius = eigenvalues(step).cwiseAbs().maxCoeff();
  if (radius >= 1) return std::numeric_limits<double>::infinity();
  return -std::log(2.0) / std::log(radius) * h;
}

}  // namespace supple
