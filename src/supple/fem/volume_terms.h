// The two scalar pieces of the neo-Hookean family, Psi = W(I_C) + U(J), and the collapse term of StVK.
#pragma once
#include "supple/fem/lanes.h"
#include "supple/fem/material.h"

namespace supple {
inline namespace SUPPLE_LANES {

// What the kernels read of four materials.
struct LaneMaterial {
  Lanes lame_mu, lame_lambda, mu, lambda, alpha, volume, damping;
};

// value, first and second derivative in J.
struct VolumeEnergy {
  Lanes value, d, dd;
};
// value and the coefficients of dW/dF = d F and d2W/dF2 = d I + dd F F^T.
struct DistortionEnergy {
  Lanes value, d, dd;
};

// The arguments are the changes from rest, J - 1 and I_C - 3, which keep their digits near rest. Values are filled in
// only with `with_energy`: logarithms cost more than the rest together.

[[gnu::always_inline]] inline VolumeEnergy collapse_energy(const LaneMaterial& m, const Lanes& J_change) {
  const Lanes c = larger(-J_change, 0.0);
  return {m.volume * c * c * c / 3.0, -m.volume * c * c, 2.0 * m.volume * c};
}

[[gnu::always_inline]] inline DistortionEnergy distortion_energy(MaterialModel model, const LaneMaterial& m,
                                                                 const Lanes& IC_change, bool with_energy) {
  if (model == MaterialModel::neo_hookean_log) return {0.5 * m.mu * IC_change, m.mu, 0.0};
  const Lanes q = 1.0 / (IC_change + 4.0);
  DistortionEnergy W{0.0, m.mu * (1.0 - q), 2.0 * m.mu * q * q};
  if (with_energy) W.value = 0.5 * m.mu * (IC_change - logarithm_1p(0.25 * IC_change));
  return W;
}

[[gnu::always_inline]] inline VolumeEnergy volume_energy(MaterialModel model, const LaneMaterial& m,
                                                         const Lanes& J_change) {
  if (model != MaterialModel::neo_hookean_log) {
    const Lanes slope = 1.0 - m.alpha;
    return {0.5 * m.lambda * J_change * (J_change + 2.0 * slope), m.lambda * (J_change + slope), m.lambda};
  }
  constexpr double kSmallest = 0.1;
  const Lanes J = 1.0 + J_change;
  const LaneMask small = J < kSmallest;
  const Lanes inverse = 1.0 / J, x = J / kSmallest - 1.0;
  const Lanes log_change = logarithm_1p(larger(J_change, kSmallest - 1));
  const Lanes L = select(small, std::log(kSmallest) + x - 0.5 * x * x, log_change);
  const Lanes dL = select(small, (1.0 - x) / kSmallest, inverse);
  const Lanes ddL = select(small, -1 / (kSmallest * kSmallest), -inverse * inverse);
  const Lanes f = m.lambda * L - m.mu;
  return {(0.5 * m.lambda * L - m.mu) * L, f * dL, m.lambda * dL * dL + f * ddL};
}

}  // namespace SUPPLE_LANES
}  // namespace supple
