// Lowest eigenpairs of K phi = lambda M phi by shift-invert Lanczos through a factorization of our own.
#pragma once
#include "supple/linalg/solver.h"

namespace supple {

struct EigenPairs {
  bool ok = false;
  VecX values;   // ascending [1/s^2]; k of them, fewer when the problem is smaller
  MatX vectors;  // 3n x k, M-orthonormal
  int iterations = 0;
  std::string message;  // when not ok
};

// K symmetric positive semidefinite, M symmetric positive definite, same pattern object. shift < 0 is needed when K is
// singular (a free body): the factorized matrix is K - shift M. solver is analysed and factorized here.
EigenPairs lowest_eigenpairs(const BlockMatrix& stiffness, const BlockMatrix& mass, int k, LinearSolver& solver,
                             double shift = 0.0, double tolerance = 1e-10);

}  // namespace supple
