#include "supple/linalg/dense.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

namespace supple {

SymmetricEigen symmetric_eigen(const MatX& A) {
  const Eigen::SelfAdjointEigenSolver<MatX> eigen(A);
  return {eigen.eigenvalues(), eigen.eigenvectors()};
}

SymmetricEigen symmetric_eigen(const MatX& A, const MatX& B) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatX> eigen(A, B);
  if (eigen.info() != Eigen::Success) return {};
  return {eigen.eigenvalues(), eigen.eigenvectors()};
}

Eigen::VectorXcd eigenvalues(const MatX& A) { return A.eigenvalues(); }

GeneralEigen general_eigen(const MatX& A) {
  const Eigen::EigenSolver<MatX> eigen(A);
  return {eigen.eigenvalues(), eigen.eigenvectors()};
}

VecX least_squares(const MatX& A, const VecX& b) { return A.colPivHouseholderQr().solve(b); }
MatX least_squares(const MatX& A, const MatX& b) { return A.colPivHouseholderQr().solve(b); }

}  // namespace supple
