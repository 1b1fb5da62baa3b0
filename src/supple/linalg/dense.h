// Dense decompositions that several rooms and tests use. Eigen's are templates and slow to compile, so they are
// compiled here once.
#pragma once
#include "supple/base/types.h"

namespace supple {

struct SymmetricEigen {
  VecX values;   // from the smallest
  MatX vectors;  // orthonormal columns
};
SymmetricEigen symmetric_eigen(const MatX& A);

// A x = value B x, with vectors orthonormal in B. Empty where B is not positive definite.
SymmetricEigen symmetric_eigen(const MatX& A, const MatX& B);

Eigen::VectorXcd eigenvalues(const MatX& A);
struct GeneralEigen {
  Eigen::VectorXcd values;
  Eigen::MatrixXcd vectors;  // columns
};
GeneralEigen general_eigen(const MatX& A);

// The x that minimises |A x - b|.
VecX least_squares(const MatX& A, const VecX& b);
MatX least_squares(const MatX& A, const MatX& b);

}  // namespace supple
