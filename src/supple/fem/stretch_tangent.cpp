#include "supple/fem/stretch_tangent.h"

#include <algorithm>
#include <cmath>

#include "supple/fem/volume_terms.h"

namespace supple {

namespace {

// The Green strain of one stretch, e = (sigma^2 - 1)/2, continued below `kThreshold`: its slope, which would fall to
// zero at a flat tet and turn round in an inverted one, is blended to a constant over `kBlend` (twice continuously
// differentiable), so that the energy has no stationary point but the rest state.
constexpr double kThreshold = 0.7, kBlend = 0.2;

struct Strain {
  double e, de, dde;
};
Strain extrapolated_strain(double s) {
  if (s >= kThreshold) return {0.5 * (s * s - 1), s, 1};
  const double e0 = 0.5 * (kThreshold * kThreshold - 1), c = 1 / (6 * kBlend);
  const double d = std::max(s - kThreshold, -kBlend);
  const double e = e0 + kThreshold * d + 0.5 * d * d + c * d * d * d;
  const double de = kThreshold + d + 3 * c * d * d;
  if (s >= kThreshold - kBlend) return {e, de, 1 + 6 * c * d};
  return {e + de * (s - (kThreshold - kBlend)), de, 0};
}

// (f_i - f_j)/(s_i - s_j) with the limit for equal stretches.
double divided_difference(const StretchTangent& t, const Vec3& s, int i, int j) {
  const double gap = s[i] - s[j];
  if (std::abs(gap) > 1e-5 * (std::abs(s[i]) + std::abs(s[j]) + 1e-3)) return (t.d_psi[i] - t.d_psi[j]) / gap;
  return 0.5 * (t.stretch(i, i) + t.stretch(j, j)) - t.stretch(i, j);
}

// Materials in which a rotation by pi of an inverted pair is a kink divide by s_i + s_j; held off zero.
double held_sum(double sum) { return std::copysign(std::max(std::abs(sum), 1e-3), sum == 0 ? 1.0 : sum); }

// Psi = ... + U(J): first and second derivatives in the stretches, and the shares of the pair eigenvalues.
void add_volume(StretchTangent& t, const Vec3& s, const VolumeEnergy& U, bool with_tangent) {
  const Vec3 dJ(s[1] * s[2], s[0] * s[2], s[0] * s[1]);
  t.psi += U.value;
  t.d_psi += U.d * dJ;
  if (!with_tangent) return;
  t.stretch += U.dd * dJ * dJ.transpose();
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    t.stretch(i, j) += U.d * s[k];
    t.stretch(j, i) += U.d * s[k];
    t.symmetric[k] -= U.d * s[k];
    t.antisymmetric[k] += U.d * s[k];
  }
}

}  // namespace

StretchTangent stretch_tangent(MaterialModel model, const ElementMaterial& m, const Vec3& s, bool with_tangent) {
  StretchTangent t;
  const double J = s[0] * s[1] * s[2];
  switch (model) {
    case MaterialModel::linear:
      break;  // not a function of the stretches
    case MaterialModel::corotational: {
      const Vec3 e = s - Vec3::Ones();
      const double trace = e.sum();
      t.psi = m.mu * e.squaredNorm() + 0.5 * m.lambda * trace * trace;
      t.d_psi = 2 * m.mu * e + Vec3::Constant(m.lambda * trace);
      if (!with_tangent) break;
      t.stretch = 2 * m.mu * Mat3::Identity() + Mat3::Constant(m.lambda);
      for (int k = 0; k < 3; ++k) {
        t.symmetric[k] = 2 * m.mu;
        t.antisymmetric[k] = 2 * m.mu + (2 * m.lambda * trace - 4 * m.mu) / held_sum(s[(k + 1) % 3] + s[(k + 2) % 3]);
      }
      break;
    }
    case MaterialModel::stvk: {
      const Vec3 e = 0.5 * (s.cwiseAbs2() - Vec3::Ones());
      const double trace = e.sum();
      t.psi = m.mu * e.squaredNorm() + 0.5 * m.lambda * trace * trace;
      t.d_psi = (2 * m.mu * e + Vec3::Constant(m.lambda * trace)).cwiseProduct(s);
      if (with_tangent) {
        t.stretch = m.lambda * s * s.transpose();
        t.stretch.diagonal() += 2 * m.mu * (s.cwiseAbs2() + e) + Vec3::Constant(m.lambda * trace);
        for (int k = 0; k < 3; ++k) {
          const double a = s[(k + 1) % 3], b = s[(k + 2) % 3], c = m.lambda * trace - m.mu;
          t.symmetric[k] = c + m.mu * (a * a + a * b + b * b);
          t.antisymmetric[k] = c + m.mu * (a * a - a * b + b * b);
        }
      }
      if (m.volume > 0) add_volume(t, s, collapse_energy(m, J), with_tangent);
      break;
    }
    case MaterialModel::invertible_stvk: {
      Vec3 e, de, dde;
      for (int i = 0; i < 3; ++i) {
        const Strain x = extrapolated_strain(s[i]);
        e[i] = x.e, de[i] = x.de, dde[i] = x.dde;
      }
      const double trace = e.sum();
      t.psi = m.mu * e.squaredNorm() + 0.5 * m.lambda * trace * trace;
      const Vec3 stress = 2 * m.mu * e + Vec3::Constant(m.lambda * trace);
      t.d_psi = stress.cwiseProduct(de);
      if (!with_tangent) break;
      t.stretch = m.lambda * de * de.transpose();
      t.stretch.diagonal() += 2 * m.mu * de.cwiseAbs2() + stress.cwiseProduct(dde);
      for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        t.symmetric[k] = divided_difference(t, s, i, j);
        t.antisymmetric[k] = (t.d_psi[i] + t.d_psi[j]) / held_sum(s[i] + s[j]);
      }
      break;
    }
    case MaterialModel::stable_neo_hookean:
    case MaterialModel::neo_hookean_log: {
      const double IC = s.squaredNorm();
      const DistortionEnergy W = distortion_energy(model, m, IC);
      t.psi = W.value;
      t.d_psi = W.d * s;
      if (with_tangent) {
        t.stretch = W.d * Mat3::Identity() + W.dd * s * s.transpose();
        t.symmetric = t.antisymmetric = Vec3::Constant(W.d);
      }
      add_volume(t, s, volume_energy(model, m, J), with_tangent);
      break;
    }
  }
  return t;
}

void project(StretchTangent& t) {
  SymEigen3 eig = sym_eigen3(t.stretch);
  if (eig.values[0] < 0) {
    const Vec3 clamped = eig.values.cwiseMax(0.0);
    t.stretch = eig.vectors * clamped.asDiagonal() * eig.vectors.transpose();
  }
  t.symmetric = t.symmetric.cwiseMax(0.0);
  t.antisymmetric = t.antisymmetric.cwiseMax(0.0);
}

Mat3 apply(const StretchTangent& t, const Svd3& svd, const Mat3& dF) {
  const Mat3 d = svd.U.transpose() * dF * svd.V;
  Mat3 dP;
  const Vec3 diagonal = t.stretch * d.diagonal();
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const double same = 0.5 * (t.symmetric[k] + t.antisymmetric[k]),
                 cross = 0.5 * (t.symmetric[k] - t.antisymmetric[k]);
    dP(k, k) = diagonal[k];
    dP(i, j) = same * d(i, j) + cross * d(j, i);
    dP(j, i) = same * d(j, i) + cross * d(i, j);
  }
  return svd.U * dP * svd.V.transpose();
}

}  // namespace supple
