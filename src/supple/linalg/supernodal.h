// Sparse Cholesky factor of a symmetric positive definite block matrix: multifrontal, on our own dense kernels, in
// parallel along the elimination tree. Bits do not depend on the number of threads. T: double, or float for
// preconditioners (half the memory and about half the time).
#pragma once
#include <memory>
#include <mutex>
#include <vector>

#include "supple/linalg/dense_kernels.h"
#include "supple/linalg/line_buffer.h"
#include "supple/linalg/solver.h"
#include "supple/linalg/symbolic_factor.h"

namespace supple {

template <typename T>
class SupernodalFactor {
 public:
  // kernels: those of the processor unless a test names others.
  explicit SupernodalFactor(std::shared_ptr<const SymbolicFactor> symbolic,
                            const DenseKernels<T>& kernels = dense_kernels<T>());
  ~SupernodalFactor();

  // The matrix must have the analysed pattern and finite values. Memory is allocated by the first call only.
  // A value too large for T counts as not positive definite.
  FactorStatus factorize(const BlockMatrix& matrix);
  // Columns of x: right-hand sides in, solutions out. After a successful factorize. Uses scratch of this object.
  void solve(Eigen::Ref<MatX> x);

  const SymbolicFactor& symbolic() const { return *symbolic_; }
  size_t factor_bytes() const { return factor_.bytes(); }
  size_t memory_bytes() const;  // with working space

 private:
  struct Workspace;
  class Lease;  // of a workspace
  static constexpr int W = 64 / static_cast<int>(sizeof(T));

  T* update_of(int s, Workspace& w);
  template <typename Loop>
  bool eliminate_front(const BlockMatrix& matrix, int s, Workspace& w, const Loop& loop);
  void assemble(const BlockMatrix& matrix, int s, Workspace& w, int begin, int end);
  void extend(int s, Workspace& w, int begin, int end);
  template <int N, typename Loop>
  void forward(int s, Workspace& w, const Loop& loop);
  template <int N, typename Loop>
  void backward(int s, Workspace& w, const Loop& loop);
  template <int N>
  void solve_columns(Eigen::Ref<MatX> x, Eigen::Index first, int count);

  std::shared_ptr<const SymbolicFactor> symbolic_;
  const FactorLayout& layout_;
  const DenseKernels<T>& kernels_;
  LineBuffer<T> factor_, store_;
  std::vector<std::unique_ptr<Workspace>> spare_;  // not in use
  std::mutex spare_mutex_;
  // Solves: right-hand sides in the order of elimination, and what each front hands to its parent.
  LineBuffer<T> values_, passed_;
  std::vector<size_t> passed_start_;
};

}  // namespace supple
