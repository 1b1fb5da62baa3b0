#include "supple/energy/check_derivatives.h"

#include <fmt/format.h>

#include <cmath>
#include <random>

namespace supple {

namespace {

constexpr int kSteps = 15;
constexpr double kShrink = 0.31622776601683794;  // half a decade a step

// The term at u + s d, with v and a moved along.
struct Probe {
  const Term& term;
  const Kinematics& at;
  const VecX& direction;

  template <class Out>
  void evaluate(double s, Out&& out) const {
    const VecX u = at.u + s * direction;
    const VecX v = at.v + s * at.dv_du * direction, a = at.a + s * at.da_du * direction;
    term.add({u, v, a, at.dv_du, at.da_du}, out);
  }
  double energy(double s) const {
    double e = 0;
    evaluate(s, Evaluation{.energy = &e});
    return e;
  }
  VecX residual(double s) const {
    VecX r = VecX::Zero(at.u.size());
    evaluate(s, Evaluation{.residual = &r});
    return r;
  }
};

double largest(const VecX& x) { return x.size() ? x.cwiseAbs().maxCoeff() : 0.0; }

}  // namespace

bool DerivativeCheck::ok(double tolerance) const {
  const bool matrix_fine = matrix_size > 0 ? matrix_error <= tolerance : matrix_may_be_zero && matrix_error == 0;
  return residual_size > 0 && matrix_fine && (!energy_checked || residual_error <= tolerance);
}

std::string DerivativeCheck::text() const {
  return fmt::format("residual error {:.2e} (size {:.2e}){}, matrix error {:.2e} (size {:.2e})", residual_error,
                     residual_size, energy_checked ? "" : " not checked: no energy", matrix_error, matrix_size);
}

DerivativeCheck check_derivatives(const Term& term, const Kinematics& at, const DerivativeCheckOptions& options) {
  DerivativeCheck check;
  check.energy_checked = term.has_energy();
  check.matrix_may_be_zero = options.matrix_may_be_zero;
  const Eigen::Index n = at.u.size();
  PatternBuilder builder(static_cast<int>(n / 3));
  term.couple(builder);
  BlockMatrix K(builder.build());
  VecX r = VecX::Zero(n);
  term.add(at, {.residual = &r, .matrix = &K});
  check.residual_size = largest(r);

  std::mt19937 random(12345);
  for (int k = 0; k < options.directions; ++k) {
    VecX d(n);
    for (double& x : d) x = static_cast<double>(random()) / 2147483648.0 - 1.0;
    const Probe probe{term, at, d};
    const VecX Kd = K.multiply(d);
    check.matrix_size = std::max(check.matrix_size, largest(Kd));
    double best_residual = INFINITY, best_matrix = INFINITY, step = options.step;
    for (int i = 0; i < kSteps; ++i, step *= kShrink) {
      const VecX dr = (probe.residual(step) - probe.residual(-step)) / (2 * step);
      const double scale = largest(Kd);
      best_matrix = std::min(best_matrix, scale > 0 ? largest(Kd - dr) / scale : largest(dr));
      if (!check.energy_checked) continue;
      const double slope = (probe.energy(step) - probe.energy(-step)) / (2 * step);
      best_residual = std::min(best_residual, std::abs(r.dot(d) - slope) / (r.norm() * d.norm()));
    }
    check.matrix_error = std::max(check.matrix_error, best_matrix);
    if (check.energy_checked) check.residual_error = std::max(check.residual_error, best_residual);
  }
  return check;
}

}  // namespace supple
