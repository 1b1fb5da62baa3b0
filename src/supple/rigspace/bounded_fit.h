// Least squares with a ridge and a lower bound, for few rows and many columns:
//   min over x >= low of |A x - b|^2 + ridge |x - prior|^2
#pragma once
#include "supple/base/types.h"

namespace supple {

struct BoundedFit {
  VecX x;
  int iterations = 0;
  bool converged = false;
};
// ridge > 0; low: of each column. tolerance: of the residual of the conditions, relative to b and A prior. Needs rows^2
// doubles and a copy of A beside it. The same bits for any number of threads.
BoundedFit bounded_least_squares(const MatX& A, const VecX& b, double ridge, const VecX& prior, const VecX& low,
                                 int max_iterations, double tolerance = 1e-12);

}  // namespace supple
