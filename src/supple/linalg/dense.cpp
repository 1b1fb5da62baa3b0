#include "supple/linalg/dense.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>

namespace supple {

SymmetricEigen symmetric_eigen(const MatX& A) {
  const Eigen::SelfAdjointEigenSolver<MatX> eigen(A);
  return {eigen.eigenvalues(), eigen.eigenvectors()};
}

SymmetricEigen3 symmetric_eigen3(const Mat3& A) {
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(A);
  return {eigen.eigenvalues(), eigen.eigenvectors()};
}

SymmetricEigen4 symmetric_eigen4(const Eigen::Matrix4d& A) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d> eigen(A);
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

VecX solve_symmetric(const MatX& A, const VecX& b) { return A.ldlt().solve(b); }
MatX solve_square(const MatX& A, const MatX& b) { return A.partialPivLu().solve(b); }

MatX orthonormal(const MatX& A) {
  return Eigen::HouseholderQR<MatX>(A).householderQ() * MatX::Identity(A.rows(), A.cols());
}

VecX least_squares(const MatX& A, const VecX& b) { return A.colPivHouseholderQr().solve(b); }
MatX least_squares(const MatX& A, const MatX& b) { return A.colPivHouseholderQr().solve(b); }
Eigen::VectorXcd least_squares(const Eigen::MatrixXcd& A, const Eigen::VectorXcd& b) {
  return A.colPivHouseholderQr().solve(b);
}

Vec3 shortest_least_squares(const Mat3& A, const Vec3& b) { return A.completeOrthogonalDecomposition().solve(b); }
MatX pseudo_inverse(const MatX& A) { return A.completeOrthogonalDecomposition().pseudoInverse(); }

RightSingular right_singular(const MatX& A) {
  const Eigen::BDCSVD<MatX> svd(A, Eigen::ComputeThinV);
  return {svd.singularValues(), svd.matrixV()};
}

}  // namespace supple
