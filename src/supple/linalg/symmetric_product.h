// y = A x in parallel for matrices of one pattern, straight from the stored half.
#pragma once
#include <memory>
#include <vector>

#include "supple/linalg/block_matrix.h"

namespace supple {

class SymmetricProduct {
 public:
  explicit SymmetricProduct(const BlockPattern& pattern);
  void operator()(const BlockMatrix& A, const VecX& x, VecX& y) const;
  // The same bits for any number of threads.
  static double dot(const VecX& a, const VecX& b);

 private:
  // Blocks above the diagonal, row by row: those below it, seen from their columns.
  std::vector<int> start_, row_, block_;
};

}  // namespace supple
