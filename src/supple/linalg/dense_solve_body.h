// Triangular solves of dense_kernels.h; see dense_kernels_body.h on how it is compiled. Inside the room only.
#pragma once
#include "supple/linalg/dense_kernels_body.h"

namespace supple {
namespace {

// Sum of the lanes, by halves.
template <typename T>
[[gnu::always_inline]] inline T sum_of_lanes(const T* line) {
  T half[kWidth<T> / 2];
  for (int i = 0; i < kWidth<T> / 2; ++i) half[i] = line[i] + line[i + kWidth<T> / 2];
  for (int n = kWidth<T> / 4; n > 0; n /= 2)
    for (int i = 0; i < n; ++i) half[i] += half[i + n];
  return half[0];
}

template <typename T>
void forward_rows(const T* const* a, int first, int last, int columns, const T* y, T* z) {
  constexpr int W = kWidth<T>;
  for (int i = first; i < last; ++i) {
    const T* from = a[i];
    Line<T> acc[4] = {Line<T>::load(z + W * i), Line<T>::zero(), Line<T>::zero(), Line<T>::zero()};
    int k = 0;
    for (; k + 4 <= columns; k += 4, from += 4 * W)
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) acc[j].subtract(Line<T>::load(from + W * j), y[k + j]);
    for (; k < columns; ++k, from += W) acc[0].subtract(Line<T>::load(from), y[k]);
    acc[0].add(acc[1]);
    acc[2].add(acc[3]);
    acc[0].add(acc[2]);
    acc[0].store(z + W * i);
  }
}

template <typename T>
void forward_triangle(const T* const* a, int columns, T* y) {
  constexpr int W = kWidth<T>;
  for (int p = 0, begin = 0; begin < columns; ++p, begin += W) {
    forward_rows(a, p, p + 1, begin, y, y);
    const int n = columns - begin < W ? columns - begin : W;
    const T* d = a[p] + W * begin;
    for (int j = 0; j < n; ++j) {
      const T value = y[begin + j] *= d[W * j + j];
      for (int r = j + 1; r < n; ++r) y[begin + r] -= d[W * j + r] * value;
    }
  }
}

template <typename T>
void backward_rows(const T* const* a, int first, int last, int k_begin, int k_end, const T* z, T* sums) {
  constexpr int W = kWidth<T>;
  int i = first;
  for (; i + 4 <= last; i += 4) {
    Line<T> line[4];
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) line[j] = Line<T>::load(z + W * (i + j));
    for (int k = k_begin; k < k_end; ++k) {
      Line<T> acc = Line<T>::load(sums + W * k);
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) acc.add(Line<T>::load(a[i + j] + W * k), line[j]);
      acc.store(sums + W * k);
    }
  }
  for (; i < last; ++i) {
    const Line<T> line = Line<T>::load(z + W * i);
    for (int k = k_begin; k < k_end; ++k) {
      Line<T> acc = Line<T>::load(sums + W * k);
      acc.add(Line<T>::load(a[i] + W * k), line);
      acc.store(sums + W * k);
    }
  }
}

template <typename T>
void backward_triangle(const T* const* a, int columns, T* y, T* sums) {
  constexpr int W = kWidth<T>;
  for (int p = (columns - 1) / W; p >= 0; --p) {
    const int begin = W * p, n = columns - begin < W ? columns - begin : W;
    const T* d = a[p] + W * begin;
    for (int j = n - 1; j >= 0; --j) {
      T value = y[begin + j] - sum_of_lanes(sums + W * (begin + j));
      for (int r = j + 1; r < n; ++r) value -= d[W * j + r] * y[begin + r];
      y[begin + j] = value * d[W * j + j];
    }
    backward_rows(a, p, p + 1, 0, begin, y, sums);
  }
}

// Rows kept in registers at a time.
constexpr int kRows = kStrip;

template <typename T>
void forward_rows_many(const T* const* a, int first, int last, int columns, const T* y, T* z) {
  constexpr int W = kWidth<T>;
  for (int i = first; i < last; ++i)
    for (int r0 = 0; r0 < W; r0 += kRows) {
      T* out = z + W * (W * i + r0);
      Line<T> acc[kRows];
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) acc[r] = Line<T>::load(out + W * r);
      const T* from = a[i] + r0;
      for (int k = 0; k < columns; ++k, from += W) {
        const Line<T> line = Line<T>::load(y + W * k);
#pragma GCC unroll 8
        for (int r = 0; r < kRows; ++r) acc[r].subtract(line, from[r]);
      }
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) acc[r].store(out + W * r);
    }
}

template <typename T>
void forward_triangle_many(const T* const* a, int columns, T* y) {
  constexpr int W = kWidth<T>;
  for (int p = 0, begin = 0; begin < columns; ++p, begin += W) {
    forward_rows_many(a, p, p + 1, begin, y, y);
    const int n = columns - begin < W ? columns - begin : W;
    const T* d = a[p] + W * begin;
    for (int r = 0; r < n; ++r) {
      Line<T> acc = Line<T>::load(y + W * (begin + r));
      for (int j = 0; j < r; ++j) acc.subtract(Line<T>::load(y + W * (begin + j)), d[W * j + r]);
      acc.scale(d[W * r + r]);
      acc.store(y + W * (begin + r));
    }
  }
}

template <typename T>
void backward_rows_many(const T* const* a, int first, int last, int k_begin, int k_end, const T* z, T* y) {
  constexpr int W = kWidth<T>;
  for (int i = first; i < last; ++i)
    for (int r0 = 0; r0 < W; r0 += kRows) {
      Line<T> line[kRows];
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) line[r] = Line<T>::load(z + W * (W * i + r0 + r));
      const T* from = a[i] + r0 + W * k_begin;
      for (int k = k_begin; k < k_end; ++k, from += W) {
        Line<T> acc = Line<T>::load(y + W * k);
#pragma GCC unroll 8
        for (int r = 0; r < kRows; ++r) acc.subtract(line[r], from[r]);
        acc.store(y + W * k);
      }
    }
}

template <typename T>
void backward_triangle_many(const T* const* a, int columns, T* y) {
  constexpr int W = kWidth<T>;
  for (int p = (columns - 1) / W; p >= 0; --p) {
    const int begin = W * p, n = columns - begin < W ? columns - begin : W;
    const T* d = a[p] + W * begin;
    for (int j = n - 1; j >= 0; --j) {
      Line<T> acc = Line<T>::load(y + W * (begin + j));
      for (int r = j + 1; r < n; ++r) acc.subtract(Line<T>::load(y + W * (begin + r)), d[W * j + r]);
      acc.scale(d[W * j + j]);
      acc.store(y + W * (begin + j));
    }
    backward_rows_many(a, p, p + 1, 0, begin, y, y);
  }
}

template <typename T>
constexpr DenseKernels<T> all_kernels(const char* name) {
  return {name,
          kStrip,
          update_any<T>,
          solve_any<T>,
          factorize_any<T>,
          extend<T>,
          forward_rows<T>,
          forward_triangle<T>,
          backward_rows<T>,
          backward_triangle<T>,
          forward_rows_many<T>,
          forward_triangle_many<T>,
          backward_rows_many<T>,
          backward_triangle_many<T>};
}

}  // namespace
}  // namespace supple
