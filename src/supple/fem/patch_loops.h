// The patch half of element_kernels.h for one form of lanes. Inside the room only: included by one source file for each
// form.
#pragma once
#include "supple/fem/element_loops.h"

namespace supple {
inline namespace SUPPLE_LANES {
namespace {

struct PatchBatch {
  const Patch* p[Lanes::kCount];  // lanes past `count` repeat the first
  int first, count;               // place in the list, lanes in use
  bool turned;                    // seen from frames of their own
  Lanes vol;
  LaneMaterial m;
  LaneMatrix R;  // those; only when turned
};

[[gnu::always_inline]] inline PatchBatch patch_batch(const ElementWork& w, int first, int end) {
  PatchBatch b;
  b.first = first;
  b.count = end - first < Lanes::kCount ? end - first : Lanes::kCount;
  for (int l = 0; l < Lanes::kCount; ++l) b.p[l] = w.patches + (l < b.count ? first + l : first);
  auto value = [&](double ElementMaterial::*field) __attribute__((always_inline)) {
    return Lanes(b.p[0]->material.*field, b.p[1]->material.*field, b.p[2]->material.*field, b.p[3]->material.*field);
  };
  b.vol = {b.p[0]->vol, b.p[1]->vol, b.p[2]->vol, b.p[3]->vol};
  b.m = {value(&ElementMaterial::lame_mu), value(&ElementMaterial::lame_lambda), value(&ElementMaterial::mu),
         value(&ElementMaterial::lambda),  value(&ElementMaterial::alpha),       value(&ElementMaterial::volume),
         value(&ElementMaterial::damping)};
  b.m = scaled(b.m, w);
  b.turned = w.patch_shapes != nullptr;
  if (b.turned) {
    const ShapeFrame* s[Lanes::kCount];
    for (int l = 0; l < Lanes::kCount; ++l) s[l] = w.patch_shapes + (l < b.count ? first + l : first);
    b.vol = b.vol * Lanes(s[0]->weight, s[1]->weight, s[2]->weight, s[3]->weight);
    b.R =
        four_matrices([&](int l) __attribute__((always_inline)) { return reinterpret_cast<const double*>(&s[l]->R); });
  }
  return b;
}

// The averaged gradient of a flat field in each patch. Relative to the patch's own vertex: the gradients sum to zero
// to rounding only, which a large common displacement would show.
[[gnu::noinline]] LaneMatrix patch_gradient(const ElementWork& w, const PatchBatch& b, const double* field) {
  double H[Lanes::kCount][9];  // by columns
  for (int l = 0; l < Lanes::kCount; ++l) {
    const Patch& p = *b.p[l];
    const double* origin = field + 3 * p.vertex;
    double sum[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    for (int k = p.first; k < p.first + p.count; ++k) {
      const double* x = field + 3 * w.patch_vertices[k];
      const double* g = w.patch_gradients + 3 * static_cast<long>(k);
      const double d[3] = {x[0] - origin[0], x[1] - origin[1], x[2] - origin[2]};
      for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i) sum[3 * j + i] += d[i] * g[j];
    }
    for (int k = 0; k < 9; ++k) H[l][k] = sum[k];
  }
  const LaneMatrix in_world = four_matrices([&](int l) __attribute__((always_inline)) { return H[l]; });
  return b.turned ? transpose(b.R) * in_world : in_world;
}

// dP for a unit change of each entry of F, by columns of F.
struct UnitResponses {
  LaneMatrix dP[9];
};
[[gnu::always_inline]] inline LaneMatrix unit(int k) {
  auto one = [&](int i) __attribute__((always_inline)) { return Lanes(i == k ? 1.0 : 0.0); };
  return {{one(0), one(1), one(2)}, {one(3), one(4), one(5)}, {one(6), one(7), one(8)}};
}

template <MaterialModel model>
[[gnu::noinline]] void patch_tangent(const LaneMaterial& m, const LaneMatrix& H, bool project_it, UnitResponses& D) {
  kernel::Stretched s;
  if (model != MaterialModel::linear) s = kernel::stretched(model, m, H, false);
  if (project_it && model != MaterialModel::linear) project(s.tangent);
  for (int k = 0; k < 9; ++k)
    D.dP[k] = model == MaterialModel::linear ? kernel::hooke(m.mu, m.lambda, small_strain(unit(k)))
                                             : apply(s.tangent, s.svd, unit(k));
}

template <MaterialModel model>
[[gnu::always_inline]] inline LaneMatrix patch_rate(const ElementWork& w, const PatchBatch& b, const LaneMatrix& H) {
  if (w.damping == ElementDamping::viscous)
    return strain_rate(w.patch_rate_offset, w.dv_du, b.first, b.count, strain_of(model, H));
  return small_strain(patch_gradient(w, b, w.v));
}

// Stress P and, unless D is null, tangent of four patches with all their damping.
template <MaterialModel model>
[[gnu::noinline]] void patch_respond(const ElementWork& w, const PatchBatch& b, const LaneMatrix& H, LaneMatrix& P,
                                     UnitResponses* D) {
  const LaneMaterial& m = b.m;
  const bool damped = any(m.damping > 0.0);
  const bool full = damped && w.damping == ElementDamping::full && w.dv_du > 0;
  kernel::Stretched s;
  if (kernel::needs_stretches(model)) s = kernel::stretched(model, m, H, false);
  P = kernel::stress(model, m, H, s, false).P;
  if (D) patch_tangent<model>(m, H, w.project && !full, *D);
  if (full) {
    // P += d_k dP/dF F', and D becomes D + d_k (dv_du D + its change along F').
    const LaneMatrix rate = patch_gradient(w, b, w.v);
    P = P + m.damping * kernel::stress_differential(model, m, diagonal(1.0) + H, rate, false);
    if (!D) return;
    constexpr double kStep = 1e-4;  // in F
    const Lanes size = square_root(product(rate, rate)), step = select(size > 1e-100, kStep / size, 0.0);
    const Lanes weight = 0.5 / kStep * m.damping * size;
    UnitResponses ahead, behind;
    patch_tangent<model>(m, H + step * rate, false, ahead);
    patch_tangent<model>(m, H - step * rate, false, behind);
    for (int k = 0; k < 9; ++k)
      D->dP[k] = (1.0 + m.damping * w.dv_du) * D->dP[k] + weight * (ahead.dP[k] - behind.dP[k]);
  } else if (damped && has_damping_stress(w)) {
    const bool straight = w.damping == ElementDamping::rest || model == MaterialModel::linear;
    const LaneMatrix F = straight ? diagonal(1.0) : diagonal(1.0) + H;
    const LaneMatrix S = m.damping * kernel::hooke(m.lame_mu, m.lame_lambda, patch_rate<model>(w, b, H));
    P = P + F * S;
    if (!D) return;
    const Lanes scale = m.damping * w.dv_du;
    const LaneMatrix turning = straight ? diagonal(0.0) : w.project ? clamped_matrix(S) : S;
    for (int k = 0; k < 9; ++k) {
      const LaneMatrix dF = unit(k), dE = small_strain(transpose(F) * dF);
      D->dP[k] = D->dP[k] + dF * turning + F * kernel::hooke(scale * m.lame_mu, scale * m.lame_lambda, dE);
    }
  }
}

// residual += vol P g_i for the vertices of one patch. P by columns, in world axes.
void add_patch_residual(const ElementWork& w, const Patch& p, double vol, const double* P) {
  for (int k = p.first; k < p.first + p.count; ++k) {
    const double* g = w.patch_gradients + 3 * static_cast<long>(k);
    double* r = w.residual + 3 * w.patch_vertices[k];
    for (int i = 0; i < 3; ++i) r[i] += vol * (P[i] * g[0] + P[3 + i] * g[1] + P[6 + i] * g[2]);
  }
}

// T[3 l + k][i], k the axis of a displacement and i that of a force, from the axes of a frame to those of the world.
void turn_responses(const double* R, double (*T)[3]) {
  for (int l = 0; l < 3; ++l) {
    double force[3][3], both[3][3];
    for (int k = 0; k < 3; ++k)
      for (int i = 0; i < 3; ++i)
        force[k][i] = R[i] * T[3 * l + k][0] + R[3 + i] * T[3 * l + k][1] + R[6 + i] * T[3 * l + k][2];
    for (int k = 0; k < 3; ++k)
      for (int i = 0; i < 3; ++i) both[k][i] = R[k] * force[0][i] + R[3 + k] * force[1][i] + R[6 + k] * force[2][i];
    for (int k = 0; k < 3; ++k)
      for (int i = 0; i < 3; ++i) T[3 * l + k][i] = both[k][i];
  }
}

// values += vol g_i^T D g_j for every pair of vertices of one patch. D[3 l + k][3 j + i] = dP_ij / dF_kl.
// R: of the frame, by columns; null: D is in world axes.
void add_patch_matrix(const ElementWork& w, const Patch& p, double vol, const double* R, const double (*D)[9]) {
  const int* slot = w.patch_slots + p.first_slot;
  const double* g = w.patch_gradients + 3 * static_cast<long>(p.first);
  for (int row = 0; row < p.count; ++row) {
    // T[3 l + k][i] = vol dP_ij / dF_kl g_j
    const double x = vol * g[3 * row], y = vol * g[3 * row + 1], z = vol * g[3 * row + 2];
    double T[9][3];
    for (int kl = 0; kl < 9; ++kl)
      for (int i = 0; i < 3; ++i) T[kl][i] = D[kl][i] * x + D[kl][3 + i] * y + D[kl][6 + i] * z;
    if (R) turn_responses(R, T);
    for (int col = 0; col <= row; ++col) {
      const double* h = g + 3 * col;
      double* b = w.values + 9 * static_cast<long>(*slot++);
      for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) b[3 * i + k] += T[k][i] * h[0] + T[3 + k][i] * h[1] + T[6 + k][i] * h[2];
    }
  }
}

[[gnu::always_inline]] inline void take_lane(const LaneMatrix& A, int l, double* out) {
  out[0] = A.c0.x[l], out[1] = A.c0.y[l], out[2] = A.c0.z[l];
  out[3] = A.c1.x[l], out[4] = A.c1.y[l], out[5] = A.c1.z[l];
  out[6] = A.c2.x[l], out[7] = A.c2.y[l], out[8] = A.c2.z[l];
}

template <MaterialModel model>
void add_patches(const ElementWork& w, int begin, int end) {
  for (int i = begin; i < end; i += Lanes::kCount) {
    const PatchBatch b = patch_batch(w, i, end);
    LaneMatrix P;
    UnitResponses D;
    patch_respond<model>(w, b, patch_gradient(w, b, w.u), P, w.values ? &D : nullptr);
    if (b.turned) P = b.R * P;
    for (int l = 0; l < b.count; ++l) {
      double one[9][9], R[9];
      if (w.residual) take_lane(P, l, one[0]), add_patch_residual(w, *b.p[l], b.vol[l], one[0]);
      if (!w.values) continue;
      if (b.turned) take_lane(b.R, l, R);
      for (int k = 0; k < 9; ++k) take_lane(D.dP[k], l, one[k]);
      add_patch_matrix(w, *b.p[l], b.vol[l], b.turned ? R : nullptr, one);
    }
  }
}

template <MaterialModel model>
double patch_energy(const ElementWork& w, bool with_damping, int begin, int end) {
  double sum = 0;
  for (int i = begin; i < end; i += Lanes::kCount) {
    const PatchBatch b = patch_batch(w, i, end);
    const LaneMatrix H = patch_gradient(w, b, w.u);
    kernel::Stretched s;
    if (kernel::needs_stretches(model)) s = kernel::stretched(model, b.m, H, true);
    Lanes psi = kernel::stress(model, b.m, H, s, true).psi;
    if (with_damping && has_damping_stress(w) && any(b.m.damping > 0.0)) {
      const LaneMatrix rate = patch_rate<model>(w, b, H);
      psi += b.m.damping / (2 * w.dv_du) * product(kernel::hooke(b.m.lame_mu, b.m.lame_lambda, rate), rate);
    }
    const Lanes energy = b.vol * psi;
    for (int l = 0; l < b.count; ++l) sum += energy[l];
  }
  return sum;
}

void add_patch_loop(const ElementWork& w, int begin, int end) {
  with_model(w.model, [&]<MaterialModel model>() { add_patches<model>(w, begin, end); });
}

double patch_energy_loop(const ElementWork& w, bool with_damping, int begin, int end) {
  return with_model(w.model, [&]<MaterialModel model>() { return patch_energy<model>(w, with_damping, begin, end); });
}

void patch_strain_loop(const ElementWork& w, double* strains, int begin, int end) {
  for (int i = begin; i < end; i += Lanes::kCount) {
    const PatchBatch b = patch_batch(w, i, end);
    store_strains(strain_of(w.model, patch_gradient(w, b, w.u)), b.first, b.count, strains);
  }
}

constexpr ElementKernels kKernels{energy_loop, patch_energy_loop, add_loop,     add_patch_loop,
                                  strain_loop, patch_strain_loop, inverted_loop};

}  // namespace
}  // namespace SUPPLE_LANES
}  // namespace supple
