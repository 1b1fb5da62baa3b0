// Small vectors of 3 or 6 floats held in quads. Lanes beyond the last number hold rubbish that is never read: loads of
// one row of a block reach into the next, so arrays of blocks end with kPad spare floats. Inside the room only.
#pragma once
#include <cstring>
#include <utility>

namespace supple::multilevel {

inline constexpr int kPad = 8;
using Quad = float __attribute__((vector_size(16)));

inline Quad load_quad(const float* p) {
  Quad q;
  std::memcpy(&q, p, sizeof q);
  return q;
}
inline Quad repeated(float s) { return Quad{s, s, s, s}; }

// body(0), body(1), ..., body(N - 1), each with a constant.
template <int N, typename Body>
[[gnu::always_inline]] inline void unrolled(const Body& body) {
  [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    (body(std::integral_constant<int, I>{}), ...);
  }
  (std::make_integer_sequence<int, N>{});
}

template <int N>
struct Lanes;

template <>
struct Lanes<3> {
  static constexpr int kStride = 4;  // floats a node in vectors
  Quad a{};

  static Lanes load(const float* p) { return {load_quad(p)}; }
  void store(float* p) const { std::memcpy(p, &a, sizeof a); }
  void add_product(const Lanes& x, const Lanes& y) { a += x.a * y.a; }
  void add_product(const Lanes& x, float s) { a += x.a * repeated(s); }
  void subtract_product(const Lanes& x, float s) { a -= x.a * repeated(s); }
  void add(const Lanes& x) { a += x.a; }
  float sum() const { return (a[0] + a[1]) + a[2]; }
};

template <>
struct Lanes<6> {
  static constexpr int kStride = 8;
  Quad a{}, b{};

  static Lanes load(const float* p) { return {load_quad(p), load_quad(p + 4)}; }
  void store(float* p) const { std::memcpy(p, &a, sizeof a), std::memcpy(p + 4, &b, sizeof b); }
  void add_product(const Lanes& x, const Lanes& y) { a += x.a * y.a, b += x.b * y.b; }
  void add_product(const Lanes& x, float s) { a += x.a * repeated(s), b += x.b * repeated(s); }
  void subtract_product(const Lanes& x, float s) { a -= x.a * repeated(s), b -= x.b * repeated(s); }
  void add(const Lanes& x) { a += x.a, b += x.b; }
  float sum() const { return ((a[0] + b[0]) + (a[1] + b[1])) + (a[2] + a[3]); }
};

// N sums of products, one for each row of blocks with M columns.
template <int N, int M>
struct RowSums {
  Lanes<M> row[N];

  // += block x
  [[gnu::always_inline]] void add(const float* block, const float* x) {
    const Lanes<M> v = Lanes<M>::load(x);
    unrolled<N>([&](auto r) { row[r].add_product(Lanes<M>::load(block + M * r), v); });
  }
};

// y += block^T x and y -= block^T x for a block of N rows and M columns.
template <int N, int M>
[[gnu::always_inline]] inline void add_transposed(const float* block, const float* x, Lanes<M>& y) {
  unrolled<N>([&](auto r) { y.add_product(Lanes<M>::load(block + M * r), x[r]); });
}
template <int N, int M>
[[gnu::always_inline]] inline void subtract_transposed(const float* block, const float* x, Lanes<M>& y) {
  unrolled<N>([&](auto r) { y.subtract_product(Lanes<M>::load(block + M * r), x[r]); });
}

}  // namespace supple::multilevel
