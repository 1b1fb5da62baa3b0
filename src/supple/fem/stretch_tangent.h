// The tangent of an isotropic material in the frame of the singular value decomposition F = U diag(sigma) V^T.
//
// There dP/dF falls apart [Smith, de Goes, Kim 2019, "Analytic eigensystems for isotropic distortion energies"]:
// the diagonal of dF meets the 3x3 Hessian of Psi(sigma); each pair of off-diagonal entries (i, j) meets a 2x2 block
// with eigenvalue (Psi_i - Psi_j) / (sigma_i - sigma_j) on its symmetric and (Psi_i + Psi_j) / (sigma_i + sigma_j) on
// its antisymmetric part. Clamping those nine numbers is the projection to positive semidefinite.
#pragma once
#include "supple/fem/lane_svd.h"
#include "supple/fem/volume_terms.h"

namespace supple {
inline namespace SUPPLE_LANES {

// Pair x couples the axes y and z, and so on round.
struct StretchTangent {
  Lanes psi;
  LaneVector d_psi;       // Psi_i
  LaneSymmetric stretch;  // Psi_ij
  LaneVector symmetric, antisymmetric;
};

namespace stretch_detail {

// The Green strain of one stretch, e = (sigma^2 - 1)/2, continued below `kThreshold`: its slope, which would fall to
// zero at a flat tet and turn round in an inverted one, is blended to a constant over `kBlend` (twice continuously
// differentiable), so that the energy has no stationary point but the rest state.
struct Strain {
  Lanes e, de, dde;
};
[[gnu::always_inline]] inline Strain extrapolated_strain(const Lanes& s) {
  constexpr double kThreshold = 0.7, kBlend = 0.2, e0 = 0.5 * (kThreshold * kThreshold - 1), c = 1 / (6 * kBlend);
  const LaneMask plain = s > kThreshold, blended = s > kThreshold - kBlend;
  const Lanes d = larger(s - kThreshold, -kBlend);
  const Lanes de = kThreshold + d + 3 * c * d * d;
  const Lanes below = e0 + kThreshold * d + 0.5 * d * d + c * d * d * d + de * (s - kThreshold - d);
  return {select(plain, 0.5 * (s * s - 1.0), below), select(plain, s, de),
          select(plain, 1.0, select(blended, 1.0 + 6 * c * d, 0.0))};
}

// (f_i - f_j)/(s_i - s_j) with the limit for equal stretches.
[[gnu::always_inline]] inline Lanes divided_difference(const Lanes& f_i, const Lanes& f_j, const Lanes& s_i,
                                                       const Lanes& s_j, const Lanes& limit) {
  const Lanes gap = s_i - s_j;
  const LaneMask apart = absolute(gap) > 1e-5 * (absolute(s_i) + absolute(s_j) + 1e-3);
  return select(apart, (f_i - f_j) / gap, limit);
}

// s_i + s_j >= 0, held off zero.
[[gnu::always_inline]] inline Lanes held_sum(const Lanes& s_i, const Lanes& s_j) { return larger(s_i + s_j, 1e-3); }

// In an inverted tet the two smaller stretches, s_y >= |s_z|, can sum to zero. There F and its mirror image in the
// plane between the two axes have the same stretches, and an energy with a slope in the sum p = s_y + s_z has a kink,
// which no Newton can settle in. Below kFold the sum is therefore replaced by an even function of it,
//   k (3/8 + 3/4 x^2 - 1/8 x^4), x = p / k, which meets p at p = k up to its second derivative.
// No tet with two stretches that sum to more than kFold, and so no tet in sane use, knows of it.
struct Fold {
  LaneVector s;           // stretches to evaluate at
  Lanes d, dd, d_over_p;  // first and second derivative of the new sum in p, and d / p
};
[[gnu::always_inline]] inline Fold folded(const LaneVector& s) {
  constexpr double kFold = 0.15;
  const Lanes p = larger(s.y + s.z, 0.0), x = (1 / kFold) * p, x2 = x * x;
  const LaneMask inside = p < kFold;
  const Lanes shift = select(inside, 0.5 * (kFold * (0.375 + 0.75 * x2 - 0.125 * x2 * x2) - p), 0.0);
  return {{s.x, s.y + shift, s.z + shift},
          select(inside, x * (1.5 - 0.5 * x2), 1.0),
          select(inside, (1.5 / kFold) * (1.0 - x2), 0.0),
          select(inside, (1 / kFold) * (1.5 - 0.5 * x2), 1.0 / p)};
}

// From first and second derivatives at the folded stretches to all of the tangent at s.
[[gnu::always_inline]] inline void unfold(StretchTangent& t, const Fold& fold, const LaneVector& s) {
  const LaneVector g = t.d_psi;
  const LaneSymmetric B = t.stretch;
  const Lanes a = 0.5 * (fold.d + 1.0), b = 0.5 * (fold.d - 1.0), sum = g.y + g.z, w = 0.5 * fold.dd * sum;
  t.d_psi = {g.x, a * g.y + b * g.z, b * g.y + a * g.z};
  t.stretch = {B.xx,
               a * a * B.yy + 2.0 * a * b * B.yz + b * b * B.zz + w,
               b * b * B.yy + 2.0 * a * b * B.yz + a * a * B.zz + w,
               a * b * (B.yy + B.zz) + (a * a + b * b) * B.yz + w,
               b * B.xy + a * B.xz,
               a * B.xy + b * B.xz};
  const LaneVector& f = t.d_psi;
  const LaneSymmetric& A = t.stretch;
  t.symmetric = {divided_difference(f.y, f.z, s.y, s.z, 0.5 * (A.yy + A.zz) - A.yz),
                 divided_difference(f.x, f.z, s.x, s.z, 0.5 * (A.xx + A.zz) - A.xz),
                 divided_difference(f.x, f.y, s.x, s.y, 0.5 * (A.xx + A.yy) - A.xy)};
  t.antisymmetric = {sum * fold.d_over_p, (f.x + f.z) / held_sum(s.x, s.z), (f.x + f.y) / held_sum(s.x, s.y)};
}

// Psi = ... + U(J): first and second derivatives in the stretches, and the shares of the pair eigenvalues.
[[gnu::always_inline]] inline void add_volume(StretchTangent& t, const LaneVector& s, const VolumeEnergy& U) {
  const LaneVector dJ{s.y * s.z, s.x * s.z, s.x * s.y}, Us = U.d * s;
  t.psi += U.value;
  t.d_psi = t.d_psi + U.d * dJ;
  const LaneVector c = U.dd * dJ;
  t.stretch.xx += c.x * dJ.x;
  t.stretch.yy += c.y * dJ.y;
  t.stretch.zz += c.z * dJ.z;
  t.stretch.yz += c.y * dJ.z + Us.x;
  t.stretch.xz += c.x * dJ.z + Us.y;
  t.stretch.xy += c.x * dJ.y + Us.z;
  t.symmetric = t.symmetric - Us;
  t.antisymmetric = t.antisymmetric + Us;
}

[[gnu::always_inline]] inline LaneVector constant(const Lanes& s) { return {s, s, s}; }
[[gnu::always_inline]] inline LaneVector times(const LaneVector& a, const LaneVector& b) {
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}
// w v v^T + diag(d)
[[gnu::always_inline]] inline LaneSymmetric outer_plus(const Lanes& w, const LaneVector& v, const LaneVector& d) {
  const LaneVector wv = w * v;
  return {wv.x * v.x + d.x, wv.y * v.y + d.y, wv.z * v.z + d.z, wv.y * v.z, wv.x * v.z, wv.x * v.y};
}

[[gnu::always_inline]] inline StretchTangent invertible_stvk(const Lanes& mu, const Lanes& lambda,
                                                             const LaneVector& s) {
  StretchTangent t;
  const Fold fold = folded(s);
  const Strain x = extrapolated_strain(fold.s.x), y = extrapolated_strain(fold.s.y), z = extrapolated_strain(fold.s.z);
  const LaneVector e{x.e, y.e, z.e}, de{x.de, y.de, z.de}, dde{x.dde, y.dde, z.dde};
  const Lanes tr = e.x + e.y + e.z;
  const LaneVector stress = 2.0 * mu * e + constant(lambda * tr);
  t.psi = mu * dot(e, e) + 0.5 * lambda * tr * tr;
  t.d_psi = times(stress, de);
  t.stretch = outer_plus(lambda, de, 2.0 * mu * times(de, de) + times(stress, dde));
  unfold(t, fold, s);
  return t;
}

}  // namespace stretch_detail

// Values for any signed stretches. psi is filled in only with `with_energy`. Not for the linear material, which is no
// function of the stretches.
[[gnu::always_inline]] inline StretchTangent stretch_tangent(MaterialModel model, const LaneMaterial& m,
                                                             const LaneVector& s, bool with_energy) {
  using namespace stretch_detail;
  StretchTangent t;
  const LaneVector one = constant(1.0);
  switch (model) {
    case MaterialModel::corotational: {
      const Fold fold = folded(s);
      const LaneVector e = fold.s - one;
      const Lanes tr = e.x + e.y + e.z;
      t.psi = m.mu * dot(e, e) + 0.5 * m.lambda * tr * tr;
      t.d_psi = 2.0 * m.mu * e + constant(m.lambda * tr);
      t.stretch = outer_plus(m.lambda, one, constant(2.0 * m.mu));
      unfold(t, fold, s);
      break;
    }
    case MaterialModel::stvk: {
      const LaneVector s2 = times(s, s), e = 0.5 * (s2 - one);
      const Lanes tr = e.x + e.y + e.z;
      t.psi = m.mu * dot(e, e) + 0.5 * m.lambda * tr * tr;
      t.d_psi = times(2.0 * m.mu * e + constant(m.lambda * tr), s);
      t.stretch = outer_plus(m.lambda, s, 2.0 * m.mu * (s2 + e) + constant(m.lambda * tr));
      const LaneVector sum{s2.y + s2.z, s2.x + s2.z, s2.x + s2.y}, mixed{s.y * s.z, s.x * s.z, s.x * s.y};
      const LaneVector c = constant(m.lambda * tr - m.mu) + m.mu * sum;
      t.symmetric = c + m.mu * mixed;
      t.antisymmetric = c - m.mu * mixed;
      add_volume(t, s, collapse_energy(m, s.x * s.y * s.z - 1.0));
      break;
    }
    case MaterialModel::invertible_stvk:
      t = invertible_stvk(m.mu, m.lambda, s);
      break;
    default: {  // the neo-Hookean family
      const DistortionEnergy W = distortion_energy(model, m, dot(s, s) - 3.0, with_energy);
      t.psi = W.value;
      t.d_psi = W.d * s;
      t.stretch = outer_plus(W.dd, s, constant(W.d));
      t.symmetric = t.antisymmetric = constant(W.d);
      add_volume(t, s, volume_energy(model, m, s.x * s.y * s.z - 1.0));
      break;
    }
  }
  return t;
}

[[gnu::always_inline]] inline void project(StretchTangent& t) {
  if (any_not_positive(t.stretch)) t.stretch = clamped(t.stretch);
  t.symmetric = {larger(t.symmetric.x, 0.0), larger(t.symmetric.y, 0.0), larger(t.symmetric.z, 0.0)};
  t.antisymmetric = {larger(t.antisymmetric.x, 0.0), larger(t.antisymmetric.y, 0.0), larger(t.antisymmetric.z, 0.0)};
}

// dP for a given dF.
[[gnu::always_inline]] inline LaneMatrix apply(const StretchTangent& t, const LaneSvd& svd, const LaneMatrix& dF) {
  const LaneMatrix d = transpose(svd.U) * dF * svd.V;
  const LaneSymmetric& A = t.stretch;
  const LaneVector same = 0.5 * (t.symmetric + t.antisymmetric), swap = 0.5 * (t.symmetric - t.antisymmetric);
  const Lanes &dx = d.c0.x, &dy = d.c1.y, &dz = d.c2.z;
  const LaneMatrix dP{
      {A.xx * dx + A.xy * dy + A.xz * dz, same.z * d.c0.y + swap.z * d.c1.x, same.y * d.c0.z + swap.y * d.c2.x},
      {same.z * d.c1.x + swap.z * d.c0.y, A.xy * dx + A.yy * dy + A.yz * dz, same.x * d.c1.z + swap.x * d.c2.y},
      {same.y * d.c2.x + swap.y * d.c0.z, same.x * d.c2.y + swap.x * d.c1.z, A.xz * dx + A.yz * dy + A.zz * dz}};
  return svd.U * dP * transpose(svd.V);
}

}  // namespace SUPPLE_LANES
}  // namespace supple
