// The two scalar pieces of the neo-Hookean family, Psi = W(I_C) + U(J), and the collapse term of StVK.
#pragma once
#include <cmath>

#include "supple/fem/material.h"

namespace supple {

// value, first and second derivative in J.
struct VolumeEnergy {
  double value, d, dd;
};
// value and the coefficients of dW/dF = d F and d2W/dF2 = d I + dd F F^T.
struct DistortionEnergy {
  double value, d, dd;
};

inline VolumeEnergy collapse_energy(const ElementMaterial& m, double J) {
  const double c = J < 1 ? 1 - J : 0;
  return {m.volume * c * c * c / 3, -m.volume * c * c, 2 * m.volume * c};
}

inline DistortionEnergy distortion_energy(MaterialModel model, const ElementMaterial& m, double IC) {
  if (model == MaterialModel::neo_hookean_log) return {0.5 * m.mu * (IC - 3), m.mu, 0};
  const double q = 1 / (IC + 1);
  // log1p keeps the value accurate near rest, where it cancels against I_C - 3.
  return {0.5 * m.mu * (IC - 3 - std::log1p((IC - 3) / 4)), m.mu * (1 - q), 2 * m.mu * q * q};
}

inline VolumeEnergy volume_energy(MaterialModel model, const ElementMaterial& m, double J) {
  if (model != MaterialModel::neo_hookean_log) {
    const double e = J - 1;
    return {0.5 * m.lambda * e * (e + 2 * (1 - m.alpha)), m.lambda * (J - m.alpha), m.lambda};
  }
  constexpr double kSmallest = 0.1;
  double L, dL, ddL;
  if (J >= kSmallest) {
    L = std::log(J), dL = 1 / J, ddL = -dL * dL;
  } else {
    const double x = (J - kSmallest) / kSmallest;
    L = std::log(kSmallest) + x - 0.5 * x * x;
    dL = (1 - x) / kSmallest;
    ddL = -1 / (kSmallest * kSmallest);
  }
  const double f = m.lambda * L - m.mu;
  return {(0.5 * m.lambda * L - m.mu) * L, f * dL, m.lambda * dL * dL + f * ddL};
}

}  // namespace supple
