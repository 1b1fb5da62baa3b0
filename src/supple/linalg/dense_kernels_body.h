// The kernels of dense_kernels.h, written once for vectors of kVectorBytes. Included by one source per instruction set,
// which is compiled with its flags; so nothing here may have linkage, and nothing of the standard library is inlined.
// Inside the room only.
#pragma once
#include <cstdint>
#include <type_traits>

#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include "supple/linalg/dense_kernels.h"

namespace supple {
namespace {

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64, kStrip = 8, kTile = 3;
#elif defined(__AVX2__)
constexpr int kVectorBytes = 32, kStrip = 4, kTile = 1;
#else
constexpr int kVectorBytes = 16, kStrip = 2, kTile = 1;
#endif
constexpr int kLineBytes = 64, kParts = kLineBytes / kVectorBytes;

template <typename T>
struct Simd {
  typedef T Vector __attribute__((vector_size(kVectorBytes), may_alias));
  static constexpr int lanes = kVectorBytes / static_cast<int>(sizeof(T));
};
template <typename T>
constexpr int kWidth = kLineBytes / static_cast<int>(sizeof(T));

// A line in registers.
template <typename T>
struct Line {
  using Vector = typename Simd<T>::Vector;
  Vector v[kParts];

  [[gnu::always_inline]] static Line load(const T* from) {
    Line line;
#pragma GCC unroll 4
    for (int p = 0; p < kParts; ++p) line.v[p] = reinterpret_cast<const Vector*>(from)[p];
    return line;
  }
  [[gnu::always_inline]] void store(T* to) const {
#pragma GCC unroll 4
    for (int p = 0; p < kParts; ++p) reinterpret_cast<Vector*>(to)[p] = v[p];
  }
  [[gnu::always_inline]] static Line zero() {
    Line line;
#pragma GCC unroll 4
    for (int p = 0; p < kParts; ++p) line.v[p] = Vector{};
    return line;
  }
  [[gnu::always_inline]] void subtract(const Line& a, T s) {
#pragma GCC unroll 4
    for (int p = 0; p < kParts; ++p) v[p] -= a.v[p] * s;
  }
  [[gnu::always_inline]] void add(const Line& a, const Line& b) {
#pragma GCC unroll 4
    for (int p = 0; p < kParts; ++p) v[p] += a.v[p] * b.v[p];
  }
  [[gnu::always_inline]] void add(const Line& a) {
#pragma GCC unroll 4
    for (int p = 0; p < kParts; ++p) v[p] += a.v[p];
  }
  [[gnu::always_inline]] void scale(T s) {
#pragma GCC unroll 4
    for (int p = 0; p < kParts; ++p) v[p] *= s;
  }
};

// The registers of L panels by N columns.
template <typename T, int L, int N>
struct Tile {
  static constexpr int W = kWidth<T>;
  Line<T> acc[L][N];

  [[gnu::always_inline]] void clear() {
#pragma GCC unroll 4
    for (int l = 0; l < L; ++l)
#pragma GCC unroll 8
      for (int n = 0; n < N; ++n) acc[l][n] = Line<T>::zero();
  }
  [[gnu::always_inline]] void load(T* const* c, int column) {
#pragma GCC unroll 4
    for (int l = 0; l < L; ++l)
#pragma GCC unroll 8
      for (int n = 0; n < N; ++n) acc[l][n] = Line<T>::load(c[l] + W * (column + n));
  }
  [[gnu::always_inline]] void store(T* const* c, int column) const {
#pragma GCC unroll 4
    for (int l = 0; l < L; ++l)
#pragma GCC unroll 8
      for (int n = 0; n < N; ++n) acc[l][n].store(c[l] + W * (column + n));
  }
  [[gnu::always_inline]] void update(const T* const* a, const T* b, int k_begin, int k_end) {
    const T* from[L];
#pragma GCC unroll 4
    for (int l = 0; l < L; ++l) from[l] = a[l] + W * k_begin;
    b += W * k_begin;
    for (int k = k_begin; k < k_end; ++k) {
      Line<T> line[L];
#pragma GCC unroll 4
      for (int l = 0; l < L; ++l) {
        line[l] = Line<T>::load(from[l]);
        from[l] += W;
      }
#pragma GCC unroll 8
      for (int n = 0; n < N; ++n)
#pragma GCC unroll 4
        for (int l = 0; l < L; ++l) acc[l][n].subtract(line[l], b[n]);
      b += W;
    }
  }
  // Times the inverse transposed triangle at d, which has reciprocals on its diagonal.
  [[gnu::always_inline]] void solve(const T* d) {
#pragma GCC unroll 8
    for (int j = 0; j < N; ++j)
#pragma GCC unroll 4
      for (int l = 0; l < L; ++l) {
        acc[l][j].scale(d[W * j + j]);
#pragma GCC unroll 8
        for (int n = j + 1; n < N; ++n) acc[l][n].subtract(acc[l][j], d[W * j + n]);
      }
  }
};

template <typename T, int L, int N>
void update_tile(T* const* c, const T* const* a, int column, const T* b, int k_begin, int k_end, bool fresh) {
  Tile<T, L, N> tile;
  if (fresh)
    tile.clear();
  else
    tile.load(c, column);
  tile.update(a, b, k_begin, k_end);
  tile.store(c, column);
}

template <typename T, int L, int N>
void solve_tile(T* const* c, int column, const T* b, int k_begin) {
  Tile<T, L, N> tile;
  tile.load(c, column);
  tile.update(c, b, k_begin, column);
  tile.solve(b + kWidth<T> * column);
  tile.store(c, column);
}

template <typename T, int N>
void update_columns(T* const* c, const T* const* a, int first, int last, int column, int, const T* b, int k_begin,
                    int k_end, bool fresh) {
  int i = first;
  if constexpr (kTile > 1) {
    // Four panels left are better halved than cut into three and one.
    for (; i + 3 <= last && last - i != 4; i += 3) update_tile<T, 3, N>(c + i, a + i, column, b, k_begin, k_end, fresh);
    for (; i + 2 <= last; i += 2) update_tile<T, 2, N>(c + i, a + i, column, b, k_begin, k_end, fresh);
  }
  for (; i < last; ++i) update_tile<T, 1, N>(c + i, a + i, column, b, k_begin, k_end, fresh);
}

template <typename T, int N>
void solve_columns(T* const* c, int first, int last, int column, int, const T* b, int k_begin) {
  int i = first;
  if constexpr (kTile > 1) {
    for (; i + 3 <= last && last - i != 4; i += 3) solve_tile<T, 3, N>(c + i, column, b, k_begin);
    for (; i + 2 <= last; i += 2) solve_tile<T, 2, N>(c + i, column, b, k_begin);
  }
  for (; i < last; ++i) solve_tile<T, 1, N>(c + i, column, b, k_begin);
}

template <typename T, int N>
bool factorize_columns(T* panel, int column, int, int lane, int k_begin) {
  constexpr int W = kWidth<T>;
  Tile<T, 1, N> tile;
  tile.load(&panel, column);
  const T* own = panel;
  tile.update(&own, panel + lane, k_begin, column);
  T* out = panel + W * column;
  T inverse[N];
#pragma GCC unroll 8
  for (int j = 0; j < N; ++j) {
    tile.acc[0][j].store(out + W * j);
    const T pivot = out[W * j + lane + j];
    if (!(pivot > 0 && pivot <= static_cast<T>(sizeof(T) == 8 ? __DBL_MAX__ : __FLT_MAX__))) return false;
    inverse[j] = 1 / (sizeof(T) == 8 ? static_cast<T>(__builtin_sqrt(pivot)) : static_cast<T>(__builtin_sqrtf(pivot)));
    tile.acc[0][j].scale(inverse[j]);
    tile.acc[0][j].store(out + W * j);
#pragma GCC unroll 8
    for (int n = j + 1; n < N; ++n) tile.acc[0][n].subtract(tile.acc[0][j], out[W * j + lane + n]);
  }
  // Above the diagonal stand the leftovers of whole lines.
  for (int j = 0; j < N; ++j) {
    for (int r = 0; r < lane + j; ++r) out[W * j + r] = 0;
    out[W * j + lane + j] = inverse[j];
  }
  return true;
}

// Calls the instance for n columns of a strip.
template <typename T>
void update_any(T* const* c, const T* const* a, int first, int last, int column, int columns, const T* b, int k_begin,
                int k_end, bool fresh) {
  using Function = void (*)(T* const*, const T* const*, int, int, int, int, const T*, int, int, bool);
  static constexpr Function by_columns[] = {
    update_columns<T, 1>,
    update_columns<T, 2>,
#if defined(__AVX2__)
    update_columns<T, 3>,
    update_columns<T, 4>,
#endif
#if defined(__AVX512F__)
    update_columns<T, 5>,
    update_columns<T, 6>,
    update_columns<T, 7>,
    update_columns<T, 8>,
#endif
  };
  by_columns[columns - 1](c, a, first, last, column, columns, b, k_begin, k_end, fresh);
}

template <typename T>
void solve_any(T* const* c, int first, int last, int column, int columns, const T* b, int k_begin) {
  using Function = void (*)(T* const*, int, int, int, int, const T*, int);
  static constexpr Function by_columns[] = {
    solve_columns<T, 1>,
    solve_columns<T, 2>,
#if defined(__AVX2__)
    solve_columns<T, 3>,
    solve_columns<T, 4>,
#endif
#if defined(__AVX512F__)
    solve_columns<T, 5>,
    solve_columns<T, 6>,
    solve_columns<T, 7>,
    solve_columns<T, 8>,
#endif
  };
  by_columns[columns - 1](c, first, last, column, columns, b, k_begin);
}

template <typename T>
bool factorize_any(T* panel, int column, int columns, int lane, int k_begin) {
  using Function = bool (*)(T*, int, int, int, int);
  static constexpr Function by_columns[] = {
    factorize_columns<T, 1>,
    factorize_columns<T, 2>,
#if defined(__AVX2__)
    factorize_columns<T, 3>,
    factorize_columns<T, 4>,
#endif
#if defined(__AVX512F__)
    factorize_columns<T, 5>,
    factorize_columns<T, 6>,
    factorize_columns<T, 7>,
    factorize_columns<T, 8>,
#endif
  };
  return by_columns[columns - 1](panel, column, columns, lane, k_begin);
}

#if defined(__AVX512F__)
// The lanes of a line that go to the same line of the target: which, and where.
template <typename T>
struct Share {
  alignas(kLineBytes) typename std::conditional<sizeof(T) == 8, int64_t, int32_t>::type from[kWidth<T>] = {};
  T* line = nullptr;
  unsigned mask = 0;

  [[gnu::always_inline]] void add(const T* source, int column) const {
    T* to = line + column;
    if constexpr (sizeof(T) == 8) {
      const __m512d v =
          _mm512_maskz_permutexvar_pd(static_cast<__mmask8>(mask), _mm512_load_si512(from), _mm512_load_pd(source));
      _mm512_store_pd(to, _mm512_add_pd(_mm512_load_pd(to), v));
    } else {
      const __m512 v =
          _mm512_maskz_permutexvar_ps(static_cast<__mmask16>(mask), _mm512_load_si512(from), _mm512_load_ps(source));
      _mm512_store_ps(to, _mm512_add_ps(_mm512_load_ps(to), v));
    }
  }
};

template <typename T>
void extend(const T* panel, int from, int to, const int* column, T* const* target) {
  constexpr int W = kWidth<T>;
  Share<T> share[W];
  int n = 0;
  for (int l = 0; l < W; ++l) {
    const auto lane = reinterpret_cast<uintptr_t>(target[l]) % kLineBytes / sizeof(T);
    T* line = target[l] - lane;
    if (n == 0 || share[n - 1].line != line) share[n++].line = line;
    share[n - 1].from[lane] = l;
    share[n - 1].mask |= 1u << lane;
  }
  for (int s = 0; s < n; ++s)
    for (int j = from; j < to; ++j) share[s].add(panel + W * j, column[j]);
}
#else
template <typename T>
void extend(const T* panel, int from, int to, const int* column, T* const* target) {
  constexpr int W = kWidth<T>;
  for (int j = from; j < to; ++j)
    for (int l = 0; l < W; ++l) target[l][column[j]] += panel[W * j + l];
}
#endif

}  // namespace
}  // namespace supple
