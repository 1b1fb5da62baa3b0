// The body of element_kernels.h for one form of lanes. Inside the room only: included by one source file for each form.
#pragma once
#include "supple/fem/element_batch.h"
#include "supple/fem/element_kernels.h"

namespace supple {
inline namespace SUPPLE_LANES {
namespace {

// The material with the scales of the moment. By 1 it stays itself to the bit.
[[gnu::always_inline]] inline LaneMaterial scaled(LaneMaterial m, const ElementWork& w) {
  const Lanes k = w.stiffness_scale;
  m.lame_mu = k * m.lame_mu, m.lame_lambda = k * m.lame_lambda;
  m.mu = k * m.mu, m.lambda = k * m.lambda, m.volume = k * m.volume;
  m.damping = Lanes(w.damping_scale) * m.damping;
  return m;
}

[[gnu::always_inline]] inline LaneMatrix strain_of(MaterialModel model, const LaneMatrix& H) {
  return model == MaterialModel::linear ? small_strain(H) : green_strain(H);
}

// Stress and, unless K is null, stiffness of four elements. One function a model, not inlined: it is large, and used
// in several places.
template <MaterialModel model>
[[gnu::noinline]] void respond(const ElementBatch& b, const LaneMaterial& m, const LaneMatrix& H, bool project_it,
                               LaneMatrix* P, kernel::InnerBlocks* K) {
  const bool by_stretch = kernel::needs_stretches(model) || (K && project_it && model != MaterialModel::linear);
  kernel::Stretched s;
  if (by_stretch) s = kernel::stretched(model, m, H, false);
  if (P) *P = kernel::stress(model, m, H, s, false).P;
  if (!K) return;
  if (by_stretch) {
    if (project_it) project(s.tangent);
    *K = kernel::stretch_blocks(s.tangent, s.svd, b.g, b.vol);
  } else {
    *K = kernel::direct_blocks(model, m, H, b.g, b.vol);
  }
}

// dv_du E + offset: E' of four elements from place `first` on.
[[gnu::always_inline]] inline LaneMatrix strain_rate(const double* offsets, double dv_du, int first, int count,
                                                     const LaneMatrix& strain) {
  const double* r = offsets + 6 * static_cast<long>(first);
  auto offset = [&](int k) __attribute__((always_inline)) {
    return Lanes(r[k], count > 1 ? r[k + 6] : 0.0, count > 2 ? r[k + 12] : 0.0, count > 3 ? r[k + 18] : 0.0);
  };
  const Lanes yz = offset(3), xz = offset(4), xy = offset(5);
  return dv_du * strain + LaneMatrix{{offset(0), xy, xz}, {xy, offset(1), yz}, {xz, yz, offset(2)}};
}

// Whether the damping is a stress of its own: viscous, or of the rest stiffness.
[[gnu::always_inline]] inline bool has_damping_stress(const ElementWork& w) {
  return w.damping == ElementDamping::viscous ? w.rate_offset != nullptr
                                              : w.damping == ElementDamping::rest && w.dv_du > 0;
}
template <MaterialModel model>
[[gnu::always_inline]] inline LaneMatrix damped_rate(const ElementWork& w, const ElementBatch& b, const LaneMatrix& H) {
  if (w.damping == ElementDamping::viscous)
    return strain_rate(w.rate_offset, w.dv_du, b.first, b.count, strain_of(model, H));
  return small_strain(field_gradient(b, w.v));
}

// Symmetric, with its negative eigenvalues clamped.
[[gnu::always_inline]] inline LaneMatrix clamped_matrix(const LaneMatrix& S) {
  const LaneSymmetric c = clamped({S.c0.x, S.c1.y, S.c2.z, S.c1.z, S.c0.z, S.c0.y});
  return {{c.xx, c.xy, c.xz}, {c.xy, c.yy, c.yz}, {c.xz, c.yz, c.zz}};
}

// P += F S with the damping stress S, K += its derivative.
template <MaterialModel model>
[[gnu::noinline]] void add_damping_stress(const ElementWork& w, const ElementBatch& b, const LaneMaterial& m,
                                          const LaneMatrix& H, LaneMatrix& P, kernel::InnerBlocks* K) {
  const bool straight = w.damping == ElementDamping::rest || model == MaterialModel::linear;
  const LaneMatrix F = straight ? diagonal(1.0) : diagonal(1.0) + H;
  const LaneMatrix S = m.damping * kernel::hooke(m.lame_mu, m.lame_lambda, damped_rate<model>(w, b, H));
  P = P + F * S;
  if (!K) return;
  const Lanes scale = m.damping * w.dv_du;
  const LaneMatrix turning = straight ? diagonal(0.0) : w.project ? clamped_matrix(S) : S;
  *K = *K + kernel::strain_blocks(scale * m.lame_mu, scale * m.lame_lambda, turning, F, b.g, b.vol);
}

// f += d_k K v, and K becomes K + d_k (dv_du K + dK/du v), the last by a central difference of K along v.
template <MaterialModel model>
[[gnu::noinline]] void add_full_damping(const ElementWork& w, const ElementBatch& b, const LaneMaterial& m,
                                        const LaneMatrix& H, LaneMatrix& f, kernel::InnerBlocks& K) {
  f = f + m.damping * kernel::multiply(K, differences(b, w.v));
  if (!w.values) return;
  K = (1.0 + m.damping * w.dv_du) * K;
  if (model == MaterialModel::linear) return;
  constexpr double kStep = 1e-4;  // in F
  const LaneMatrix rate = field_gradient(b, w.v);
  const Lanes size = square_root(product(rate, rate));
  const Lanes step = select(size > 1e-100, kStep / size, 0.0);
  kernel::InnerBlocks ahead, behind;
  respond<model>(b, m, H + step * rate, false, nullptr, &ahead);
  respond<model>(b, m, H - step * rate, false, nullptr, &behind);
  const Lanes weight = 0.5 / kStep * m.damping * size;
  K = K + weight * ahead + (-weight) * behind;
}

template <MaterialModel model>
void add_elements(const ElementWork& w, int begin, int end) {
  for (int i = begin; i < end; i += Lanes::kCount) {
    const ElementBatch b = element_batch(w.list, w.shapes, i, end);
    const LaneMaterial m = scaled(lane_material(b), w);
    const LaneMatrix H = field_gradient(b, w.u);
    const bool damped = any(m.damping > 0.0);
    const bool full = damped && w.damping == ElementDamping::full && w.dv_du > 0;
    LaneMatrix P, f;
    kernel::InnerBlocks K;
    respond<model>(b, m, H, w.project && !full, &P, w.values || full ? &K : nullptr);
    if (damped && has_damping_stress(w)) add_damping_stress<model>(w, b, m, H, P, w.values ? &K : nullptr);
    f = b.vol * (P * b.g);  // columns: residuals of vertices 1..3
    if (full) add_full_damping<model>(w, b, m, H, f, K);
    if (w.residual) add_to_residual(b, f, w.residual);
    if (w.values && b.turned) turn_to_world(b.R, K);
    if (w.values) add_to_matrix(b, K, w.slots + i, w.values);
  }
}

template <MaterialModel model>
double element_energy(const ElementWork& w, bool with_damping, int begin, int end) {
  double sum = 0;
  for (int i = begin; i < end; i += Lanes::kCount) {
    const ElementBatch b = element_batch(w.list, w.shapes, i, end);
    const LaneMaterial m = scaled(lane_material(b), w);
    const LaneMatrix H = field_gradient(b, w.u);
    kernel::Stretched s;
    if (kernel::needs_stretches(model)) s = kernel::stretched(model, m, H, true);
    Lanes psi = kernel::stress(model, m, H, s, true).psi;
    if (with_damping && has_damping_stress(w) && any(m.damping > 0.0)) {
      const LaneMatrix rate = damped_rate<model>(w, b, H);
      psi += m.damping / (2 * w.dv_du) * product(kernel::hooke(m.lame_mu, m.lame_lambda, rate), rate);
    }
    const Lanes energy = b.vol * psi;
    for (int l = 0; l < b.count; ++l) sum += energy[l];
  }
  return sum;
}

// Calls f.operator()<model>() for the model at hand.
template <class F>
decltype(auto) with_model(MaterialModel model, F f) {
  switch (model) {
    case MaterialModel::linear:
      return f.template operator()<MaterialModel::linear>();
    case MaterialModel::corotational:
      return f.template operator()<MaterialModel::corotational>();
    case MaterialModel::stvk:
      return f.template operator()<MaterialModel::stvk>();
    case MaterialModel::invertible_stvk:
      return f.template operator()<MaterialModel::invertible_stvk>();
    case MaterialModel::neo_hookean_log:
      return f.template operator()<MaterialModel::neo_hookean_log>();
    default:
      return f.template operator()<MaterialModel::stable_neo_hookean>();
  }
}

void add_loop(const ElementWork& w, int begin, int end) {
  with_model(w.model, [&]<MaterialModel model>() { add_elements<model>(w, begin, end); });
}

double energy_loop(const ElementWork& w, bool with_damping, int begin, int end) {
  return with_model(w.model, [&]<MaterialModel model>() { return element_energy<model>(w, with_damping, begin, end); });
}

[[gnu::always_inline]] inline void store_strains(const LaneMatrix& E, int first, int count, double* strains) {
  for (int l = 0; l < count; ++l) {
    double* e = strains + 6 * static_cast<long>(first + l);
    e[0] = E.c0.x[l], e[1] = E.c1.y[l], e[2] = E.c2.z[l], e[3] = E.c2.y[l], e[4] = E.c2.x[l], e[5] = E.c1.x[l];
  }
}

void strain_loop(const ElementWork& w, double* strains, int begin, int end) {
  for (int i = begin; i < end; i += Lanes::kCount) {
    const ElementBatch b = element_batch(w.list, w.shapes, i, end);
    store_strains(strain_of(w.model, field_gradient(b, w.u)), b.first, b.count, strains);
  }
}

int inverted_loop(const ElementWork& w, int begin, int end) {
  int count = 0;
  for (int i = begin; i < end; i += Lanes::kCount) {
    const ElementBatch b = element_batch(w.list, w.shapes, i, end);
    const Lanes inside_out = select(volume_change(field_gradient(b, w.u)) > -1.0, 0.0, 1.0);
    for (int l = 0; l < b.count; ++l) count += inside_out[l] > 0;
  }
  return count;
}

}  // namespace
}  // namespace SUPPLE_LANES
}  // namespace supple
