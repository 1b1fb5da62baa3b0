// Four elements side by side: what the kernels read, and where their results go.
#pragma once
#include "supple/fem/elements.h"
#include "supple/fem/material_kernels.h"

namespace supple {
inline namespace SUPPLE_LANES {

struct ElementBatch {
  const Element* e[Lanes::kCount];  // lanes past `count` repeat the first
  int first, count;                 // place in the list, lanes in use
  bool turned;                      // seen from frames of their own
  Lanes vol;
  LaneMatrix g;
  LaneMatrix R;  // those; only when turned
};

// Four matrices, of nine doubles by columns each.
template <class At>
[[gnu::always_inline]] inline LaneMatrix four_matrices(At at) {
  auto entry = [&](int k) __attribute__((always_inline)) { return Lanes(at(0)[k], at(1)[k], at(2)[k], at(3)[k]); };
  return {{entry(0), entry(1), entry(2)}, {entry(3), entry(4), entry(5)}, {entry(6), entry(7), entry(8)}};
}

// shapes: of the list; null: they are as at rest.
[[gnu::always_inline]] inline ElementBatch element_batch(const Element* list, const ShapeFrame* shapes, int first,
                                                         int end) {
  ElementBatch b;
  b.first = first;
  b.count = end - first < Lanes::kCount ? end - first : Lanes::kCount;
  b.turned = shapes != nullptr;
  auto place = [&](int l) __attribute__((always_inline)) { return l < b.count ? first + l : first; };
  for (int l = 0; l < Lanes::kCount; ++l) b.e[l] = list + place(l);
  b.vol = {b.e[0]->vol, b.e[1]->vol, b.e[2]->vol, b.e[3]->vol};
  if (!shapes) {
    b.g = four_matrices([&](int l)
                            __attribute__((always_inline)) { return reinterpret_cast<const double*>(&b.e[l]->g); });
    return b;
  }
  const ShapeFrame* s[Lanes::kCount];
  for (int l = 0; l < Lanes::kCount; ++l) s[l] = shapes + place(l);
  b.vol = b.vol * Lanes(s[0]->weight, s[1]->weight, s[2]->weight, s[3]->weight);
  b.g = four_matrices([&](int l) __attribute__((always_inline)) { return reinterpret_cast<const double*>(&s[l]->g); });
  b.R = four_matrices([&](int l) __attribute__((always_inline)) { return reinterpret_cast<const double*>(&s[l]->R); });
  return b;
}

[[gnu::always_inline]] inline LaneMaterial lane_material(const ElementBatch& b) {
  auto value = [&](double ElementMaterial::*field) __attribute__((always_inline)) {
    return Lanes(b.e[0]->material.*field, b.e[1]->material.*field, b.e[2]->material.*field, b.e[3]->material.*field);
  };
  return {value(&ElementMaterial::lame_mu), value(&ElementMaterial::lame_lambda), value(&ElementMaterial::mu),
          value(&ElementMaterial::lambda),  value(&ElementMaterial::alpha),       value(&ElementMaterial::volume),
          value(&ElementMaterial::damping)};
}

// Columns: the vectors of vertices 1..3 less that of vertex 0, of a flat field, as seen from the frame.
[[gnu::always_inline]] inline LaneMatrix differences(const ElementBatch& b, const double* field) {
  auto vertex = [&](int a) __attribute__((always_inline))->LaneVector {
    const double *p = field + 3 * b.e[0]->v[a], *q = field + 3 * b.e[1]->v[a], *r = field + 3 * b.e[2]->v[a],
                 *s = field + 3 * b.e[3]->v[a];
    return {{p[0], q[0], r[0], s[0]}, {p[1], q[1], r[1], s[1]}, {p[2], q[2], r[2], s[2]}};
  };
  const LaneVector origin = vertex(0);
  const LaneMatrix d{vertex(1) - origin, vertex(2) - origin, vertex(3) - origin};
  return b.turned ? transpose(b.R) * d : d;
}
// The gradient of a flat field in each element.
[[gnu::always_inline]] inline LaneMatrix field_gradient(const ElementBatch& b, const double* field) {
  return differences(b, field) * transpose(b.g);
}

// residual += f, columns: the entries of vertices 1..3; that of vertex 0 is minus their sum.
[[gnu::always_inline]] inline void add_to_residual(const ElementBatch& b, const LaneMatrix& in_frame,
                                                   double* residual) {
  const LaneMatrix f = b.turned ? b.R * in_frame : in_frame;
  const LaneVector origin = -1.0 * (f.c0 + f.c1 + f.c2);
  for (int l = 0; l < b.count; ++l) {
    auto add = [&](int a, const LaneVector& x) __attribute__((always_inline)) {
      double* r = residual + 3 * b.e[l]->v[a];
      r[0] += x.x[l], r[1] += x.y[l], r[2] += x.z[l];
    };
    add(0, origin), add(1, f.c0), add(2, f.c1), add(3, f.c2);
  }
}

// One block of each lane, row-major in memory; one lane after the other, as lanes may share a block.
[[gnu::always_inline]] inline void add_block(const LaneMatrix& K, const std::array<int, 10>* slots, int place,
                                             int count, double* values) {
  Lanes p0 = K.c0.x, p1 = K.c1.x, p2 = K.c2.x, p3 = K.c0.y, q0 = K.c1.y, q1 = K.c2.y, q2 = K.c0.z, q3 = K.c1.z;
  transpose4(p0, p1, p2, p3);
  transpose4(q0, q1, q2, q3);
  auto add = [&](int l, const Lanes& p, const Lanes& q) __attribute__((always_inline)) {
    double* b = values + 9 * static_cast<long>(reinterpret_cast<const int*>(slots + l)[place]);
    add_four(b, p), add_four(b + 4, q);
    b[8] += K.c2.z[l];
  };
  add(0, p0, q0);
  if (count > 1) add(1, p1, q1);
  if (count > 2) add(2, p2, q2);
  if (count > 3) add(3, p3, q3);
}

// Blocks in the frame into those in world axes. In place: a copy costs all bodies a tenth of their instructions.
[[gnu::noinline]] inline void turn_to_world(const LaneMatrix& R, kernel::InnerBlocks& K) {
  const LaneMatrix Rt = transpose(R);
  for (LaneMatrix* k : {&K.k11, &K.k21, &K.k22, &K.k31, &K.k32, &K.k33}) *k = R * *k * Rt;
}

// values += the ten lower blocks made of the six inner ones. slots: of the elements of the batch.
[[gnu::always_inline]] inline void add_to_matrix(const ElementBatch& batch, const kernel::InnerBlocks& K,
                                                 const std::array<int, 10>* slots, double* values) {
  // -K_a0 = K_a1 + K_a2 + K_a3
  const LaneMatrix k10 = K.k11 + transpose(K.k21) + transpose(K.k31);
  const LaneMatrix k20 = K.k21 + K.k22 + transpose(K.k32);
  const LaneMatrix k30 = K.k31 + K.k32 + K.k33;
  const int n = batch.count;
  add_block(k10 + k20 + k30, slots, 0, n, values);
  add_block(-1.0 * k10, slots, 1, n, values);
  add_block(K.k11, slots, 2, n, values);
  add_block(-1.0 * k20, slots, 3, n, values);
  add_block(K.k21, slots, 4, n, values);
  add_block(K.k22, slots, 5, n, values);
  add_block(-1.0 * k30, slots, 6, n, values);
  add_block(K.k31, slots, 7, n, values);
  add_block(K.k32, slots, 8, n, values);
  add_block(K.k33, slots, 9, n, values);
}

}  // namespace SUPPLE_LANES
}  // namespace supple
