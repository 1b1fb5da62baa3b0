// The innermost loops of the supernodal Cholesky, on panels of rows as FactorLayout describes them: W scalars, one line
// of 64 bytes, are the W rows of a panel in one column. Compiled for several instruction sets; the processor decides at
// run time. Every entry of a result is one chain of fused multiply-adds in ascending order, so neither the blocking nor
// the vector width changes a bit. (Without fused multiply-add in the processor the bits differ.)
#pragma once

namespace supple {

template <typename T>
struct DenseKernels {
  const char* name;
  int strip;  // most columns of one call, a divisor of W

  // C -= A B^T on `columns` columns of C, from `column` on: for panels i of [first, last)
  // c[i](:, column + j) -= sum over k in [k_begin, k_end) of a[i](:, k) b(j, k). b: row 0 in column 0; columns W apart.
  // fresh: C is taken for zero, whatever is there.
  void (*update)(T* const* c, const T* const* a, int first, int last, int column, int columns, const T* b, int k_begin,
                 int k_end, bool fresh);
  // The same with A = C, K = [k_begin, column), then C L^-T with the triangle L at rows and columns from `column` on.
  // b: row `column` of the factor, column 0. Diagonals hold reciprocals.
  void (*solve)(T* const* c, int first, int last, int column, int columns, const T* b, int k_begin);
  // The same on the panel that has the diagonal: factorizes. lane: row `column` within the panel. False: a pivot was
  // not positive.
  bool (*factorize)(T* panel, int column, int columns, int lane, int k_begin);

  // Adds whole columns of a panel to rows that lie anywhere: for j of [from, to) and lanes l
  // target[l][column[j]] += panel(l, j).
  void (*extend)(const T* panel, int from, int to, const int* column, T* const* target);

  // One right-hand side. y: columns of the front, z: rows below, whole panels both.
  // z[panel i] -= a[i] y for panels i of [first, last)
  void (*forward_rows)(const T* const* a, int first, int last, int columns, const T* y, T* z);
  // L y = y with the triangle of panels a
  void (*forward_triangle)(const T* const* a, int columns, T* y);
  // sums[k] (a line a column) += a[i](:, k) z[panel i], for columns of [k_begin, k_end)
  void (*backward_rows)(const T* const* a, int first, int last, int k_begin, int k_end, const T* z, T* sums);
  // L^T y = y - sums of the lanes of `sums`; sums is used up
  void (*backward_triangle)(const T* const* a, int columns, T* y, T* sums);

  // W right-hand sides at a time: every row of y and z is a line.
  void (*forward_rows_many)(const T* const* a, int first, int last, int columns, const T* y, T* z);
  void (*forward_triangle_many)(const T* const* a, int columns, T* y);
  void (*backward_rows_many)(const T* const* a, int first, int last, int k_begin, int k_end, const T* z, T* y);
  void (*backward_triangle_many)(const T* const* a, int columns, T* y);
};

// The best for this processor.
template <typename T>
const DenseKernels<T>& dense_kernels();

// One for each instruction set this build and this processor have, best first: for tests.
template <typename T>
struct KernelSets {
  const DenseKernels<T>* set[3];
  int count;
};
template <typename T>
KernelSets<T> dense_kernel_sets();

}  // namespace supple
