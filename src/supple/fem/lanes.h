// Four doubles worked on side by side, and the small vectors and matrices made of them.
//
// The element kernels evaluate four tets at once, the same operations in the same order for each, and always the same
// four together, so results have the same bits for any thread count and instruction set. Two forms of the same type:
// two pairs, which every x86-64 or ARM core has, and one AVX2 register, in the one source file that is compiled for it
// and used where the processor has it (SUPPLE_LANES_AVX2). Everything is inlined by force, since a Lanes passed in
// memory costs more than the arithmetic on it; and no function may leave the AVX2 file that others could link to.
//
//   select(mask, x, y)  x where the mask is set, y elsewhere; nothing is seen of the side not chosen, be it NaN
//   larger(x, y)        y where either is NaN
//   times_sign(x, y)    x, with its sign turned round where y is negative
//   transpose4          lane i of x, y, z, w becomes the row (x_i, y_i, z_i, w_i)
//   add_four(to, x)     to[0..3] += x
#pragma once
#include <cmath>
#include <cstring>
#if defined(SUPPLE_LANES_AVX2)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

// The two forms live in two namespaces, and all that is built on them with them.
#ifdef SUPPLE_LANES_AVX2
#define SUPPLE_LANES avx2_lanes
#else
#define SUPPLE_LANES pair_lanes
#endif

namespace supple {

inline namespace SUPPLE_LANES {

#ifdef SUPPLE_LANES_AVX2

using DoubleQuad [[gnu::vector_size(32)]] = double;
using MaskQuad [[gnu::vector_size(32)]] = long long;

struct LaneMask {
  MaskQuad v;
};
struct Lanes {
  static constexpr int kCount = 4;
  DoubleQuad v;

  Lanes() = default;
  [[gnu::always_inline]] Lanes(double s) : v{s, s, s, s} {}
  [[gnu::always_inline]] Lanes(DoubleQuad v_) : v(v_) {}
  [[gnu::always_inline]] Lanes(double s0, double s1, double s2, double s3) : v{s0, s1, s2, s3} {}
  [[gnu::always_inline]] double operator[](int lane) const { return v[lane]; }
};

[[gnu::always_inline]] inline Lanes operator+(const Lanes& x, const Lanes& y) { return x.v + y.v; }
[[gnu::always_inline]] inline Lanes operator-(const Lanes& x, const Lanes& y) { return x.v - y.v; }
[[gnu::always_inline]] inline Lanes operator*(const Lanes& x, const Lanes& y) { return x.v * y.v; }
[[gnu::always_inline]] inline Lanes operator/(const Lanes& x, const Lanes& y) { return x.v / y.v; }
[[gnu::always_inline]] inline Lanes operator-(const Lanes& x) { return -x.v; }
[[gnu::always_inline]] inline LaneMask operator<(const Lanes& x, const Lanes& y) { return {x.v < y.v}; }
[[gnu::always_inline]] inline LaneMask operator&(const LaneMask& x, const LaneMask& y) { return {x.v & y.v}; }
[[gnu::always_inline]] inline bool any(const LaneMask& m) { return _mm256_movemask_pd((__m256d)m.v) != 0; }
[[gnu::always_inline]] inline bool all(const LaneMask& m) { return _mm256_movemask_pd((__m256d)m.v) == 15; }
[[gnu::always_inline]] inline Lanes select(const LaneMask& m, const Lanes& x, const Lanes& y) {
  return m.v ? x.v : y.v;
}
[[gnu::always_inline]] inline Lanes larger(const Lanes& x, const Lanes& y) { return _mm256_max_pd(x.v, y.v); }
[[gnu::always_inline]] inline Lanes absolute(const Lanes& x) { return _mm256_andnot_pd(Lanes(-0.0).v, x.v); }
[[gnu::always_inline]] inline Lanes times_sign(const Lanes& x, const Lanes& y) {
  return _mm256_xor_pd(x.v, _mm256_and_pd(y.v, Lanes(-0.0).v));
}
[[gnu::always_inline]] inline Lanes square_root(const Lanes& x) { return _mm256_sqrt_pd(x.v); }
[[gnu::always_inline]] inline void transpose4(Lanes& x, Lanes& y, Lanes& z, Lanes& w) {
  const __m256d a = _mm256_unpacklo_pd(x.v, y.v), b = _mm256_unpackhi_pd(x.v, y.v);
  const __m256d c = _mm256_unpacklo_pd(z.v, w.v), d = _mm256_unpackhi_pd(z.v, w.v);
  x = _mm256_permute2f128_pd(a, c, 0x20), y = _mm256_permute2f128_pd(b, d, 0x20);
  z = _mm256_permute2f128_pd(a, c, 0x31), w = _mm256_permute2f128_pd(b, d, 0x31);
}
[[gnu::always_inline]] inline void add_four(double* to, const Lanes& x) {
  _mm256_storeu_pd(to, _mm256_add_pd(_mm256_loadu_pd(to), x.v));
}

#else

using DoublePair [[gnu::vector_size(16)]] = double;
using MaskPair [[gnu::vector_size(16)]] = long long;

struct LaneMask {
  MaskPair a, b;
};
struct Lanes {
  static constexpr int kCount = 4;
  DoublePair a, b;

  Lanes() = default;
  [[gnu::always_inline]] Lanes(double s) : a{s, s}, b{s, s} {}
  [[gnu::always_inline]] Lanes(DoublePair a_, DoublePair b_) : a(a_), b(b_) {}
  [[gnu::always_inline]] Lanes(double s0, double s1, double s2, double s3) : a{s0, s1}, b{s2, s3} {}
  [[gnu::always_inline]] double operator[](int lane) const { return lane < 2 ? a[lane] : b[lane - 2]; }
};

[[gnu::always_inline]] inline Lanes operator+(const Lanes& x, const Lanes& y) { return {x.a + y.a, x.b + y.b}; }
[[gnu::always_inline]] inline Lanes operator-(const Lanes& x, const Lanes& y) { return {x.a - y.a, x.b - y.b}; }
[[gnu::always_inline]] inline Lanes operator*(const Lanes& x, const Lanes& y) { return {x.a * y.a, x.b * y.b}; }
[[gnu::always_inline]] inline Lanes operator/(const Lanes& x, const Lanes& y) { return {x.a / y.a, x.b / y.b}; }
[[gnu::always_inline]] inline Lanes operator-(const Lanes& x) { return {-x.a, -x.b}; }
[[gnu::always_inline]] inline LaneMask operator<(const Lanes& x, const Lanes& y) { return {x.a < y.a, x.b < y.b}; }
[[gnu::always_inline]] inline LaneMask operator&(const LaneMask& x, const LaneMask& y) {
  return {x.a & y.a, x.b & y.b};
}
[[gnu::always_inline]] inline bool any(const LaneMask& m) {
  const MaskPair either = m.a | m.b;
  return (either[0] | either[1]) != 0;
}
[[gnu::always_inline]] inline bool all(const LaneMask& m) {
  const MaskPair both = m.a & m.b;
  return (both[0] & both[1]) != 0;
}
[[gnu::always_inline]] inline Lanes select(const LaneMask& m, const Lanes& x, const Lanes& y) {
  return {m.a ? x.a : y.a, m.b ? x.b : y.b};
}
[[gnu::always_inline]] inline DoublePair masked(const DoublePair& x, long long mask) {
  return (DoublePair)((MaskPair)x & MaskPair{mask, mask});
}
[[gnu::always_inline]] inline DoublePair flipped(const DoublePair& x, const DoublePair& sign) {
  return (DoublePair)((MaskPair)x ^ (MaskPair)sign);
}
[[gnu::always_inline]] inline Lanes absolute(const Lanes& x) {
  constexpr long long kMagnitude = 0x7fffffffffffffff;
  return {masked(x.a, kMagnitude), masked(x.b, kMagnitude)};
}
[[gnu::always_inline]] inline Lanes times_sign(const Lanes& x, const Lanes& y) {
  constexpr long long kSign = static_cast<long long>(0x8000000000000000ull);
  return {flipped(x.a, masked(y.a, kSign)), flipped(x.b, masked(y.b, kSign))};
}
#ifdef __SSE2__
[[gnu::always_inline]] inline Lanes larger(const Lanes& x, const Lanes& y) {
  return {_mm_max_pd(x.a, y.a), _mm_max_pd(x.b, y.b)};
}
[[gnu::always_inline]] inline Lanes square_root(const Lanes& x) { return {_mm_sqrt_pd(x.a), _mm_sqrt_pd(x.b)}; }
#else
[[gnu::always_inline]] inline Lanes larger(const Lanes& x, const Lanes& y) { return select(y < x, x, y); }
[[gnu::always_inline]] inline Lanes square_root(const Lanes& x) {
  return {std::sqrt(x[0]), std::sqrt(x[1]), std::sqrt(x[2]), std::sqrt(x[3])};
}
#endif
[[gnu::always_inline]] inline void transpose4(Lanes& x, Lanes& y, Lanes& z, Lanes& w) {
  const Lanes p = x, q = y, r = z, s = w;
  x = {DoublePair{p.a[0], q.a[0]}, DoublePair{r.a[0], s.a[0]}};
  y = {DoublePair{p.a[1], q.a[1]}, DoublePair{r.a[1], s.a[1]}};
  z = {DoublePair{p.b[0], q.b[0]}, DoublePair{r.b[0], s.b[0]}};
  w = {DoublePair{p.b[1], q.b[1]}, DoublePair{r.b[1], s.b[1]}};
}
[[gnu::always_inline]] inline void add_four(double* to, const Lanes& x) {
  DoublePair low, high;  // by copies: `to` is aligned to one double only
  std::memcpy(&low, to, sizeof low);
  std::memcpy(&high, to + 2, sizeof high);
  low += x.a, high += x.b;
  std::memcpy(to, &low, sizeof low);
  std::memcpy(to + 2, &high, sizeof high);
}

#endif

[[gnu::always_inline]] inline Lanes& operator+=(Lanes& x, const Lanes& y) { return x = x + y; }
[[gnu::always_inline]] inline Lanes& operator-=(Lanes& x, const Lanes& y) { return x = x - y; }
[[gnu::always_inline]] inline LaneMask operator>(const Lanes& x, const Lanes& y) { return y < x; }
[[gnu::always_inline]] inline Lanes logarithm_1p(const Lanes& x) {
  return {std::log1p(x[0]), std::log1p(x[1]), std::log1p(x[2]), std::log1p(x[3])};
}

// ------------------------------------------------------------------------------------------------ vectors, matrices

struct LaneVector {
  Lanes x, y, z;
};

[[gnu::always_inline]] inline LaneVector operator+(const LaneVector& a, const LaneVector& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
[[gnu::always_inline]] inline LaneVector operator-(const LaneVector& a, const LaneVector& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
[[gnu::always_inline]] inline LaneVector operator*(const Lanes& s, const LaneVector& a) {
  return {s * a.x, s * a.y, s * a.z};
}
[[gnu::always_inline]] inline Lanes dot(const LaneVector& a, const LaneVector& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
[[gnu::always_inline]] inline LaneVector cross(const LaneVector& a, const LaneVector& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
[[gnu::always_inline]] inline LaneVector select(const LaneMask& m, const LaneVector& a, const LaneVector& b) {
  return {select(m, a.x, b.x), select(m, a.y, b.y), select(m, a.z, b.z)};
}

// By columns.
struct LaneMatrix {
  LaneVector c0, c1, c2;
};

[[gnu::always_inline]] inline LaneMatrix diagonal(const Lanes& s) {
  return {{s, 0.0, 0.0}, {0.0, s, 0.0}, {0.0, 0.0, s}};
}
[[gnu::always_inline]] inline LaneMatrix operator+(const LaneMatrix& A, const LaneMatrix& B) {
  return {A.c0 + B.c0, A.c1 + B.c1, A.c2 + B.c2};
}
[[gnu::always_inline]] inline LaneMatrix operator-(const LaneMatrix& A, const LaneMatrix& B) {
  return {A.c0 - B.c0, A.c1 - B.c1, A.c2 - B.c2};
}
[[gnu::always_inline]] inline LaneMatrix operator*(const Lanes& s, const LaneMatrix& A) {
  return {s * A.c0, s * A.c1, s * A.c2};
}
[[gnu::always_inline]] inline LaneVector operator*(const LaneMatrix& A, const LaneVector& v) {
  return v.x * A.c0 + v.y * A.c1 + v.z * A.c2;
}
[[gnu::always_inline]] inline LaneMatrix operator*(const LaneMatrix& A, const LaneMatrix& B) {
  return {A * B.c0, A * B.c1, A * B.c2};
}
[[gnu::always_inline]] inline LaneVector transpose_times(const LaneMatrix& A, const LaneVector& v) {
  return {dot(A.c0, v), dot(A.c1, v), dot(A.c2, v)};
}
[[gnu::always_inline]] inline LaneMatrix transpose(const LaneMatrix& A) {
  return {{A.c0.x, A.c1.x, A.c2.x}, {A.c0.y, A.c1.y, A.c2.y}, {A.c0.z, A.c1.z, A.c2.z}};
}
// a b^T
[[gnu::always_inline]] inline LaneMatrix outer(const LaneVector& a, const LaneVector& b) {
  return {b.x * a, b.y * a, b.z * a};
}
[[gnu::always_inline]] inline Lanes trace(const LaneMatrix& A) { return A.c0.x + A.c1.y + A.c2.z; }
[[gnu::always_inline]] inline Lanes product(const LaneMatrix& A, const LaneMatrix& B) {  // A : B
  return dot(A.c0, B.c0) + dot(A.c1, B.c1) + dot(A.c2, B.c2);
}
[[gnu::always_inline]] inline LaneMatrix cofactor(const LaneMatrix& A) {
  return {cross(A.c1, A.c2), cross(A.c2, A.c0), cross(A.c0, A.c1)};
}

}  // namespace SUPPLE_LANES
}  // namespace supple
