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
struct SymmetricEigen3 {
  Vec3 values;
  Mat3 vectors;
};
SymmetricEigen3 symmetric_eigen3(const Mat3& A);
struct SymmetricEigen4 {
  Eigen::Vector4d values;
  Eigen::Matrix4d vectors;
};
SymmetricEigen4 symmetric_eigen4(const Eigen::Matrix4d& A);

// A x = value B x, with vectors orthonormal in B. Empty where B is not positive definite.
SymmetricEigen symmetric_eigen(const MatX& A, const MatX& B);

Eigen::VectorXcd eigenvalues(const MatX& A);
struct GeneralEigen {
  Eigen::VectorXcd values;
  Eigen::MatrixXcd vectors;  // columns
};
GeneralEigen general_eigen(const MatX& A);

// A x = b; of symmetric A.
VecX solve_symmetric(const MatX& A, const VecX& b);
MatX solve_square(const MatX& A, const MatX& b);

// Orthonormal columns that span what those of A do.
MatX orthonormal(const MatX& A);

// The x that minimises |A x - b|.
VecX least_squares(const MatX& A, const VecX& b);
MatX least_squares(const MatX& A, const MatX& b);
Eigen::VectorXcd least_squares(const Eigen::MatrixXcd& A, const Eigen::VectorXcd& b);

// Of the x that minimise |A x - b| the shortest; and the matrix that gives it.
Vec3 shortest_least_squares(const Mat3& A, const Vec3& b);
MatX pseudo_inverse(const MatX& A);

struct RightSingular {
  VecX values;   // from the largest
  MatX vectors;  // as many columns
};
RightSingular right_singular(const MatX& A);

}  // namespace supple
