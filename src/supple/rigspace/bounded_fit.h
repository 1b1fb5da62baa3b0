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
// ridge > 0. Needs rows^2 doubles beside A. The same bits for any number of threads.
BoundedFit bounded_least_squares(const MatX& A, const VecX& b, double ridge, const VecX& prior, double low,
                                 int max_iterations);

}  // namespace supple
