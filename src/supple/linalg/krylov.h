// A small non-symmetric solve on top of a factorized symmetric matrix.
#pragma once
#include <functional>

#include "supple/base/types.h"

namespace supple {

struct KrylovReport {
  bool ok = false;
  int iterations = 0;
  double residual = 0;  // ||b - A x|| / ||b||
};

using LinearMap = std::function<VecX(const VecX&)>;

// Flexible GMRES [Saad 1993], right-preconditioned: x with A x = b to the relative residual `tolerance`, from x = 0.
// Few iterations are expected (the preconditioner is nearly A), so nothing is restarted. All sums run in one order.
KrylovReport flexible_gmres(const LinearMap& A, const LinearMap& precondition, const VecX& b, VecX& x, double tolerance,
                            int max_iterations);

}  // namespace supple
