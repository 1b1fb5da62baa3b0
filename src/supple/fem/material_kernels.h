// Inner loops of the materials, four tets at a time: stress from the displacement gradient, and the element stiffness.
//
// symbol | meaning
// H      | displacement gradient, F = I + H (H keeps full accuracy near rest)
// g_a    | gradient of the shape function of local vertex a [1/m]; g_0 = -(g_1 + g_2 + g_3)
// K_ab   | 3x3 block of the element stiffness, rows of vertex a, columns of vertex b
#pragma once
#include "supple/fem/deformation.h"
#include "supple/fem/stretch_tangent.h"

namespace supple {
inline namespace SUPPLE_LANES {
namespace kernel {

// The decomposed deformation gradient and the tangent there.
struct Stretched {
  LaneSvd svd;
  StretchTangent tangent;
};
[[gnu::always_inline]] inline Stretched stretched(MaterialModel model, const LaneMaterial& m, const LaneMatrix& H,
                                                  bool with_energy) {
  Stretched s;
  s.svd = lane_svd(diagonal(1.0) + H);
  s.tangent = stretch_tangent(model, m, s.svd.sigma, with_energy);
  return s;
}
// Materials that are written in the stretches and nothing else.
constexpr bool needs_stretches(MaterialModel model) {
  return model == MaterialModel::corotational || model == MaterialModel::invertible_stvk;
}

struct Stress {
  Lanes psi;  // only when asked for
  LaneMatrix P;
};

// 2 mu e + lambda tr(e) I
[[gnu::always_inline]] inline LaneMatrix hooke(const Lanes& mu, const Lanes& lambda, const LaneMatrix& e) {
  return 2.0 * mu * e + diagonal(lambda * trace(e));
}

// `s` is read for the materials that need it only.
[[gnu::always_inline]] inline Stress stress(MaterialModel model, const LaneMaterial& m, const LaneMatrix& H,
                                            const Stretched& s, bool with_energy) {
  const LaneMatrix F = diagonal(1.0) + H;
  switch (model) {
    case MaterialModel::linear: {
      const LaneMatrix e = small_strain(H), S = hooke(m.mu, m.lambda, e);
      return {0.5 * product(S, e), S};
    }
    case MaterialModel::stvk: {
      const LaneMatrix e = green_strain(H), S = hooke(m.mu, m.lambda, e);
      const VolumeEnergy U = collapse_energy(m, volume_change(H));
      return {0.5 * product(S, e) + U.value, F * S + U.d * cofactor(F)};
    }
    case MaterialModel::stable_neo_hookean:
    case MaterialModel::neo_hookean_log: {
      const DistortionEnergy W = distortion_energy(model, m, stretch_change(H), with_energy);
      const VolumeEnergy U = volume_energy(model, m, volume_change(H));
      return {W.value + U.value, W.d * F + U.d * cofactor(F)};
    }
    default: {
      const LaneVector& d = s.tangent.d_psi;
      const LaneMatrix Ud{d.x * s.svd.U.c0, d.y * s.svd.U.c1, d.z * s.svd.U.c2};
      return {s.tangent.psi, Ud * transpose(s.svd.V)};
    }
  }
}

// ------------------------------------------------------------------------------------------------ element stiffness

// The blocks (a, b), 1 <= b <= a <= 3. The rest follows from sum_a K_ab = 0.
struct InnerBlocks {
  LaneMatrix k11, k21, k22, k31, k32, k33;
};
[[gnu::always_inline]] inline InnerBlocks operator+(const InnerBlocks& x, const InnerBlocks& y) {
  return {x.k11 + y.k11, x.k21 + y.k21, x.k22 + y.k22, x.k31 + y.k31, x.k32 + y.k32, x.k33 + y.k33};
}
[[gnu::always_inline]] inline InnerBlocks operator*(const Lanes& s, const InnerBlocks& x) {
  return {s * x.k11, s * x.k21, s * x.k22, s * x.k31, s * x.k32, s * x.k33};
}
// Columns a: sum over b of K_ab d_b for vectors d_b relative to vertex 0.
[[gnu::always_inline]] inline LaneMatrix multiply(const InnerBlocks& K, const LaneMatrix& d) {
  return {K.k11 * d.c0 + transpose_times(K.k21, d.c1) + transpose_times(K.k31, d.c2),
          K.k21 * d.c0 + K.k22 * d.c1 + transpose_times(K.k32, d.c2), K.k31 * d.c0 + K.k32 * d.c1 + K.k33 * d.c2};
}

// vol K_ab of a stress F S with S = 2 mu e + lambda tr(e) I (e the Green strain), when the second Piola stress is S:
//   lambda (F g_a)(F g_b)^T + mu ((F g_b)(F g_a)^T + (g_a.g_b) F F^T) + (g_a^T S g_b) I
[[gnu::always_inline]] inline InnerBlocks strain_blocks(const Lanes& mu, const Lanes& lambda, const LaneMatrix& S,
                                                        const LaneMatrix& F, const LaneMatrix& g, const Lanes& vol) {
  const LaneMatrix Fg = F * g, FFt = F * transpose(F), Sg = S * g;
  const Lanes l = vol * lambda, w = vol * mu;
  auto block = [&](const LaneVector& ga, const LaneVector& gb, const LaneVector& Fa, const LaneVector& Fb,
                   const LaneVector& Sb) __attribute__((always_inline)) {
    return outer(l * Fa, Fb) + outer(w * Fb, Fa) + (w * dot(ga, gb)) * FFt + diagonal(vol * dot(ga, Sb));
  };
  return {block(g.c0, g.c0, Fg.c0, Fg.c0, Sg.c0), block(g.c1, g.c0, Fg.c1, Fg.c0, Sg.c0),
          block(g.c1, g.c1, Fg.c1, Fg.c1, Sg.c1), block(g.c2, g.c0, Fg.c2, Fg.c0, Sg.c0),
          block(g.c2, g.c1, Fg.c2, Fg.c1, Sg.c1), block(g.c2, g.c2, Fg.c2, Fg.c2, Sg.c2)};
}

// vol K_ab of Psi = W(I_C) + U(J):
//   W.d (g_a.g_b) I + W.dd (F g_a)(F g_b)^T + U.dd (C g_a)(C g_b)^T + U.d [F (g_a x g_b)],
// C = cof F, [x]_ik = eps_ikm x_m
[[gnu::always_inline]] inline InnerBlocks invariant_blocks(const DistortionEnergy& W, const VolumeEnergy& U,
                                                           const LaneMatrix& F, const LaneMatrix& g, const Lanes& vol) {
  const LaneMatrix Fg = F * g, Cg = cofactor(F) * g;
  const LaneMatrix wF = (vol * W.dd) * Fg, wC = (vol * U.dd) * Cg, wg = (vol * W.d) * g;
  const Lanes turn = vol * U.d;
  auto block = [&](const LaneVector& wFa, const LaneVector& Fb, const LaneVector& wCa, const LaneVector& Cb,
                   const LaneVector& wga, const LaneVector& gb) __attribute__((always_inline)) {
    return outer(wFa, Fb) + outer(wCa, Cb) + diagonal(dot(wga, gb));
  };
  auto turned = [&](const LaneVector& ga, const LaneVector& gb, LaneMatrix K) __attribute__((always_inline)) {
    const LaneVector x = turn * (F * cross(ga, gb));
    K.c1.x += x.z, K.c0.y -= x.z, K.c2.x -= x.y, K.c0.z += x.y, K.c2.y += x.x, K.c1.z -= x.x;
    return K;
  };
  return {block(wF.c0, Fg.c0, wC.c0, Cg.c0, wg.c0, g.c0),
          turned(g.c1, g.c0, block(wF.c1, Fg.c0, wC.c1, Cg.c0, wg.c1, g.c0)),
          block(wF.c1, Fg.c1, wC.c1, Cg.c1, wg.c1, g.c1),
          turned(g.c2, g.c0, block(wF.c2, Fg.c0, wC.c2, Cg.c0, wg.c2, g.c0)),
          turned(g.c2, g.c1, block(wF.c2, Fg.c1, wC.c2, Cg.c1, wg.c2, g.c1)),
          block(wF.c2, Fg.c2, wC.c2, Cg.c2, wg.c2, g.c2)};
}

// vol K_ab from the decomposed tangent.
[[gnu::always_inline]] inline InnerBlocks stretch_blocks(const StretchTangent& t, const LaneSvd& svd,
                                                         const LaneMatrix& g, const Lanes& vol) {
  const LaneMatrix Ut = transpose(svd.U);
  const LaneSymmetric& A = t.stretch;
  const LaneVector same = (0.5 * vol) * (t.symmetric + t.antisymmetric);
  const LaneVector swap = (0.5 * vol) * (t.symmetric - t.antisymmetric);
  const LaneVector line = {vol * A.xx, vol * A.yy, vol * A.zz}, mix = {vol * A.yz, vol * A.xz, vol * A.xy};
  auto block = [&](const LaneVector& a, const LaneVector& b) __attribute__((always_inline)) {
    const Lanes xx = a.x * b.x, yy = a.y * b.y, zz = a.z * b.z;
    const Lanes xy = a.x * b.y, yx = a.y * b.x, xz = a.x * b.z, zx = a.z * b.x, yz = a.y * b.z, zy = a.z * b.y;
    const LaneMatrix B{{line.x * xx + same.z * yy + same.y * zz, mix.z * yx + swap.z * xy, mix.y * zx + swap.y * xz},
                       {mix.z * xy + swap.z * yx, same.z * xx + line.y * yy + same.x * zz, mix.x * zy + swap.x * yz},
                       {mix.y * xz + swap.y * zx, mix.x * yz + swap.x * zy, same.y * xx + same.x * yy + line.z * zz}};
    return svd.U * (B * Ut);
  };
  const LaneVector h1 = transpose_times(svd.V, g.c0), h2 = transpose_times(svd.V, g.c1),
                   h3 = transpose_times(svd.V, g.c2);
  return {block(h1, h1), block(h2, h1), block(h2, h2), block(h3, h1), block(h3, h2), block(h3, h3)};
}

// The exact stiffness of a material that is written in invariants of F.
[[gnu::always_inline]] inline InnerBlocks direct_blocks(MaterialModel model, const LaneMaterial& m, const LaneMatrix& H,
                                                        const LaneMatrix& g, const Lanes& vol) {
  if (model == MaterialModel::linear) return strain_blocks(m.mu, m.lambda, diagonal(0.0), diagonal(1.0), g, vol);
  const LaneMatrix F = diagonal(1.0) + H;
  if (model == MaterialModel::stvk) {
    const InnerBlocks K = strain_blocks(m.mu, m.lambda, hooke(m.mu, m.lambda, green_strain(H)), F, g, vol);
    if (!any(m.volume > 0.0)) return K;
    return K + invariant_blocks({0.0, 0.0, 0.0}, collapse_energy(m, volume_change(H)), F, g, vol);
  }
  return invariant_blocks(distortion_energy(model, m, stretch_change(H), false),
                          volume_energy(model, m, volume_change(H)), F, g, vol);
}

// dP for a given dF: the plain way, through the singular value decomposition for every nonlinear material.
[[gnu::always_inline]] inline LaneMatrix stress_differential(MaterialModel model, const LaneMaterial& m,
                                                             const LaneMatrix& F, const LaneMatrix& dF,
                                                             bool project_it) {
  if (model == MaterialModel::linear) return hooke(m.mu, m.lambda, small_strain(dF));
  Stretched s = stretched(model, m, F - diagonal(1.0), false);
  if (project_it) project(s.tangent);
  return apply(s.tangent, s.svd, dF);
}

}  // namespace kernel
}  // namespace SUPPLE_LANES
}  // namespace supple
