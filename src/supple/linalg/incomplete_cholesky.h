// A ~ L L^T on the pattern of A itself, in 3x3 blocks: the preconditioner of conjugate gradients. Inside the room only.
#pragma once
#include "supple/linalg/block_matrix.h"

namespace supple {

class IncompleteCholesky {
 public:
  void analyse(const BlockPattern& pattern);
  // False when a diagonal block of the matrix is not positive definite, so the matrix cannot be. A breakdown of the
  // incomplete factorization itself is met by enlarging the diagonal blocks, in the end by using them alone.
  bool factorize(const BlockMatrix& matrix);
  // z = (L L^T)^-1 r
  void apply(const VecX& r, VecX& z) const;
  double shift() const { return shift_; }  // share added to the diagonal blocks; -1: diagonal blocks alone

 private:
  bool attempt(const BlockMatrix& matrix, double shift);
  BlockPattern pattern_;
  std::vector<double> lower_;    // off-diagonal blocks of L, 9 each, in the order of the pattern
  std::vector<double> inverse_;  // of the diagonal blocks of L: a lower triangle in 9 numbers a row
  double shift_ = 0;
};

}  // namespace supple
