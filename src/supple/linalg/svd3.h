// Rotation-variant SVD and polar decomposition of 3x3 matrices.
#pragma once
#include "supple/base/types.h"

namespace supple {

// F = U diag(sigma) V^T with det U = det V = +1 and sigma0 >= sigma1 >= |sigma2|; sigma2 has the sign of det F.
// Accurate to rounding for any finite F, including flat, inverted and zero matrices.
struct Svd3 {
  Mat3 U, V;
  Vec3 sigma;
};
Svd3 svd3(const Mat3& F);

// F = R S, det R = +1, S symmetric (its smallest eigenvalue carries the sign of det F).
struct Polar3 {
  Mat3 R, S;
};
Polar3 polar3(const Mat3& F);

// Eigen-decomposition of a symmetric 3x3 matrix, eigenvalues ascending.
struct SymEigen3 {
  Vec3 values;
  Mat3 vectors;
};
SymEigen3 sym_eigen3(const Mat3& A);

}  // namespace supple
