// Inner loops of the materials: stress from the displacement gradient, and the element stiffness in 3x3 blocks.
//
// symbol | meaning
// H      | displacement gradient, F = I + H (H keeps full accuracy near rest)
// g_a    | gradient of the shape function of local vertex a [1/m]; g_0 = -(g_1 + g_2 + g_3)
// K_ab   | 3x3 block of the element stiffness, rows of vertex a, columns of vertex b
#pragma once
#include <Eigen/Geometry>
#include <Eigen/LU>

#include "supple/fem/stretch_tangent.h"
#include "supple/fem/volume_terms.h"

namespace supple::kernel {

struct Stress {
  double psi;
  Mat3 P;
};

inline Mat3 cofactor(const Mat3& F) {
  Mat3 C;
  C.col(0) = F.col(1).cross(F.col(2));
  C.col(1) = F.col(2).cross(F.col(0));
  C.col(2) = F.col(0).cross(F.col(1));
  return C;
}

// det(I + H) - 1 without cancellation.
inline double volume_change(const Mat3& H) {
  const double minors = H(0, 0) * H(1, 1) - H(0, 1) * H(1, 0) + H(0, 0) * H(2, 2) - H(0, 2) * H(2, 0) +
                        H(1, 1) * H(2, 2) - H(1, 2) * H(2, 1);
  return H.trace() + minors + H.determinant();
}

// Green strain (F^T F - I)/2 without cancellation.
inline Mat3 green_strain(const Mat3& H) { return 0.5 * (H + H.transpose() + H.transpose() * H); }
inline Mat3 small_strain(const Mat3& H) { return 0.5 * (H + H.transpose()); }

inline Stress stress(MaterialModel model, const ElementMaterial& m, const Mat3& H) {
  const Mat3 I = Mat3::Identity();
  switch (model) {
    case MaterialModel::linear: {
      const Mat3 e = small_strain(H);
      const double trace = e.trace();
      return {m.mu * e.squaredNorm() + 0.5 * m.lambda * trace * trace, 2 * m.mu * e + m.lambda * trace * I};
    }
    case MaterialModel::stvk: {
      const Mat3 F = I + H, e = green_strain(H);
      const double trace = e.trace();
      Stress s{m.mu * e.squaredNorm() + 0.5 * m.lambda * trace * trace, F * (2 * m.mu * e + m.lambda * trace * I)};
      if (m.volume > 0) {
        const VolumeEnergy U = collapse_energy(m, 1 + volume_change(H));
        s.psi += U.value;
        s.P += U.d * cofactor(F);
      }
      return s;
    }
    case MaterialModel::stable_neo_hookean:
    case MaterialModel::neo_hookean_log: {
      const Mat3 F = I + H;
      const double IC = 3 + (2 * H.trace() + H.squaredNorm());
      const DistortionEnergy W = distortion_energy(model, m, IC);
      const VolumeEnergy U = volume_energy(model, m, 1 + volume_change(H));
      return {W.value + U.value, W.d * F + U.d * cofactor(F)};
    }
    default: {
      const Svd3 svd = svd3(I + H);
      const StretchTangent t = stretch_tangent(model, m, svd.sigma, false);
      return {t.psi, svd.U * t.d_psi.asDiagonal() * svd.V.transpose()};
    }
  }
}

// dP for a given dF: the reference path, through the singular value decomposition for every nonlinear material.
inline Mat3 stress_differential(MaterialModel model, const ElementMaterial& m, const Mat3& F, const Mat3& dF,
                                bool project_it) {
  if (model == MaterialModel::linear) return stress(model, m, dF).P;
  const Svd3 svd = svd3(F);
  StretchTangent t = stretch_tangent(model, m, svd.sigma, true);
  if (project_it) project(t);
  return apply(t, svd, dF);
}

// ------------------------------------------------------------------------------------------------ element stiffness

// The blocks (a, b), 1 <= b <= a <= 3, in the order 11 21 22 31 32 33. The rest follows from sum_a K_ab = 0.
struct InnerBlocks {
  double k[6][9];  // row-major
};
constexpr int kInnerRow[6] = {0, 1, 1, 2, 2, 2}, kInnerCol[6] = {0, 0, 1, 0, 1, 2};

// Coefficients of
//   K_ab = c_I (g_a.g_b) I + (g_a^T S g_b) I + c_F (F g_a)(F g_b)^T + c_T ((F g_b)(F g_a)^T + (g_a.g_b) F F^T)
//          + c_C (C g_a)(C g_b)^T + c_J [F (g_a x g_b)],   C = cof F, [x]_ik = eps_ikm x_m
// which covers the linear, StVK and neo-Hookean families and the viscous stress.
struct DirectTangent {
  double c_I = 0, c_F = 0, c_T = 0, c_C = 0, c_J = 0;
  bool has_S = false;
  Mat3 S = Mat3::Zero();
};

inline DirectTangent direct_tangent(MaterialModel model, const ElementMaterial& m, const Mat3& H) {
  DirectTangent t;
  switch (model) {
    case MaterialModel::stvk: {
      const Mat3 e = green_strain(H);
      t.c_F = m.lambda, t.c_T = m.mu;
      t.S = 2 * m.mu * e + m.lambda * e.trace() * Mat3::Identity();
      t.has_S = true;
      if (m.volume > 0) {
        const VolumeEnergy U = collapse_energy(m, 1 + volume_change(H));
        t.c_C = U.dd, t.c_J = U.d;
      }
      break;
    }
    case MaterialModel::stable_neo_hookean:
    case MaterialModel::neo_hookean_log: {
      const DistortionEnergy W = distortion_energy(model, m, 3 + (2 * H.trace() + H.squaredNorm()));
      const VolumeEnergy U = volume_energy(model, m, 1 + volume_change(H));
      t.c_I = W.d, t.c_F = W.dd, t.c_C = U.dd, t.c_J = U.d;
      break;
    }
    default:  // linear, with F = I
      t.c_F = m.lambda, t.c_T = m.mu;
      break;
  }
  return t;
}

// blocks += vol * K_ab. g: the gradients of vertices 1..3 as columns.
inline void add_direct_blocks(const DirectTangent& t, const Mat3& F, const Mat3& g, double vol, InnerBlocks& out) {
  const Mat3 Fg = F * g;
  const Mat3 G = g.transpose() * g;
  const bool volumetric = t.c_C != 0 || t.c_J != 0;
  const Mat3 Cg = volumetric ? Mat3(cofactor(F) * g) : Mat3::Zero();
  const Mat3 FFt = t.c_T != 0 ? Mat3(F * F.transpose()) : Mat3::Zero();
  Mat3 identity = t.c_I * G;
  if (t.has_S) identity += g.transpose() * t.S * g;
  // F (g_a x g_b) for the three pairs a > b.
  Vec3 turn[6];
  if (volumetric) {
    for (int p : {1, 3, 4}) {
      const Vec3 cross = g.col(kInnerRow[p]).cross(g.col(kInnerCol[p]));
      turn[p].noalias() = F * cross;
    }
  }
  for (int p = 0; p < 6; ++p) {
    const int a = kInnerRow[p], b = kInnerCol[p];
    double* k = out.k[p];
    const double fa[3] = {vol * t.c_F * Fg(0, a), vol * t.c_F * Fg(1, a), vol * t.c_F * Fg(2, a)};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) k[3 * i + j] += fa[i] * Fg(j, b);
    if (t.c_T != 0) {
      const double w = vol * t.c_T, wg = w * G(a, b);
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) k[3 * i + j] += w * Fg(i, b) * Fg(j, a) + wg * FFt(i, j);
    }
    if (volumetric) {
      const double ca[3] = {vol * t.c_C * Cg(0, a), vol * t.c_C * Cg(1, a), vol * t.c_C * Cg(2, a)};
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) k[3 * i + j] += ca[i] * Cg(j, b);
      if (a != b) {
        const double w = vol * t.c_J, x = w * turn[p][0], y = w * turn[p][1], z = w * turn[p][2];
        k[1] += z, k[3] -= z, k[2] -= y, k[6] += y, k[5] += x, k[7] -= x;
      }
    }
    const double d = vol * identity(a, b);
    k[0] += d, k[4] += d, k[8] += d;
  }
}

// blocks += weight * w w^T with w_a the columns of w.
inline void add_outer(const Mat3& w, double weight, InnerBlocks& out) {
  for (int p = 0; p < 6; ++p) {
    const int a = kInnerRow[p], b = kInnerCol[p];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) out.k[p][3 * i + j] += weight * w(i, a) * w(j, b);
  }
}

// blocks += vol * K_ab from the decomposed tangent.
inline void add_stretch_blocks(const StretchTangent& t, const Svd3& svd, const Mat3& g, double vol, InnerBlocks& out) {
  const Mat3 h = svd.V.transpose() * g;
  double same[3][3], cross[3][3];
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    same[i][j] = same[j][i] = 0.5 * (t.symmetric[k] + t.antisymmetric[k]);
    cross[i][j] = cross[j][i] = 0.5 * (t.symmetric[k] - t.antisymmetric[k]);
  }
  for (int i = 0; i < 3; ++i) same[i][i] = t.stretch(i, i);
  for (int p = 0; p < 6; ++p) {
    const int a = kInnerRow[p], b = kInnerCol[p];
    Mat3 B;
    for (int i = 0; i < 3; ++i) {
      B(i, i) = same[i][0] * h(0, a) * h(0, b) + same[i][1] * h(1, a) * h(1, b) + same[i][2] * h(2, a) * h(2, b);
      for (int j = 0; j < 3; ++j)
        if (i != j) B(i, j) = t.stretch(i, j) * h(i, a) * h(j, b) + cross[i][j] * h(j, a) * h(i, b);
    }
    const Mat3 K = svd.U * B * svd.U.transpose();
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) out.k[p][3 * i + j] += vol * K(i, j);
  }
}

// Takes the negative eigenvalues of the material tangent out of blocks that hold the exact stiffness.
inline void remove_negative(const StretchTangent& t, const Svd3& svd, const Mat3& g, double vol, InnerBlocks& out) {
  const Mat3 h = svd.V.transpose() * g;
  const double half = 0.70710678118654752440;
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    for (int sign : {-1, 1}) {
      const double value = sign < 0 ? t.antisymmetric[k] : t.symmetric[k];
      if (value >= 0) continue;
      // Mode Q = U (e_i e_j^T +- e_j e_i^T) V^T / sqrt 2; its share of vertex a is Q g_a.
      const Mat3 w = half * (svd.U.col(i) * h.row(j) + sign * svd.U.col(j) * h.row(i));
      add_outer(w, -vol * value, out);
    }
  }
  const Mat3& A = t.stretch;
  const double m2 = A(0, 0) * A(1, 1) - A(0, 1) * A(1, 0);
  if (A(0, 0) > 0 && m2 > 0 && A.determinant() > 0) return;  // positive definite by its leading minors
  const SymEigen3 eig = sym_eigen3(A);
  for (int k = 0; k < 3; ++k) {
    if (eig.values[k] >= 0) continue;
    const Mat3 w = svd.U * eig.vectors.col(k).asDiagonal() * h;
    add_outer(w, -vol * eig.values[k], out);
  }
}

// The material's part of the element stiffness, exact or projected to positive semidefinite.
inline void add_material_blocks(MaterialModel model, const ElementMaterial& m, const Mat3& H, const Mat3& g, double vol,
                                bool project_it, InnerBlocks& out) {
  if (model == MaterialModel::linear) {
    add_direct_blocks(direct_tangent(model, m, H), Mat3::Identity(), g, vol, out);
    return;
  }
  const Mat3 F = Mat3::Identity() + H;
  const bool direct = model != MaterialModel::corotational && model != MaterialModel::invertible_stvk;
  if (direct) add_direct_blocks(direct_tangent(model, m, H), F, g, vol, out);
  if (direct && !project_it) return;
  const Svd3 svd = svd3(F);
  StretchTangent t = stretch_tangent(model, m, svd.sigma, true);
  if (direct) {
    remove_negative(t, svd, g, vol, out);
  } else {
    if (project_it) project(t);
    add_stretch_blocks(t, svd, g, vol, out);
  }
}

}  // namespace supple::kernel
