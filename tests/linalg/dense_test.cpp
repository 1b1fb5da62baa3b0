#include "supple/linalg/dense.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

namespace supple {
namespace {

MatX filled(int rows, int cols) {
  MatX A(rows, cols);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j) A(i, j) = std::sin(1.0 + 3 * i + 7 * j + i * j);
  return A;
}

TEST(Dense, RightSingularVectorsDiagonaliseTheSquare) {
  const MatX A = filled(7, 4);
  const RightSingular s = right_singular(A);
  ASSERT_EQ(s.vectors.cols(), 4);
  const MatX D = s.vectors.transpose() * (A.transpose() * A) * s.vectors;
  EXPECT_LT((D - MatX(s.values.cwiseAbs2().asDiagonal())).norm(), 1e-12 * D.norm());
  for (int k = 1; k < 4; ++k) EXPECT_LE(s.values[k], s.values[k - 1]);
}

TEST(Dense, PseudoInverseAndShortestSolution) {
  MatX A = filled(6, 4);
  A.col(3) = A.col(0) - 2 * A.col(1);  // of rank 3
  const MatX P = pseudo_inverse(A);
  EXPECT_LT((A * P * A - A).norm(), 1e-12 * A.norm());
  EXPECT_LT((P * A * P - P).norm(), 1e-12 * P.norm());
  EXPECT_LT((P * A - (P * A).transpose()).norm(), 1e-12);

  const Mat3 flat = Vec3(2, 1, 0).asDiagonal();  // nothing is known of the third
  EXPECT_LT((shortest_least_squares(flat, Vec3(4, 3, 5)) - Vec3(2, 3, 0)).norm(), 1e-14);
}

TEST(Dense, ComplexLeastSquaresLeaveWhatIsOrthogonal) {
  const Eigen::MatrixXcd A = filled(8, 3) + std::complex<double>(0, 1) * filled(8, 5).rightCols(3);
  const Eigen::VectorXcd b = filled(8, 1).col(0).cast<std::complex<double>>();
  EXPECT_LT((A.adjoint() * (A * least_squares(A, b) - b)).norm(), 1e-12 * b.norm());
}

TEST(Dense, EigenpairsOfFour) {
  const MatX r = filled(4, 4);
  const Eigen::Matrix4d A = r + r.transpose();
  const SymmetricEigen4 e = symmetric_eigen4(A);
  EXPECT_LT((A * e.vectors - e.vectors * e.values.asDiagonal()).norm(), 1e-12 * A.norm());
}

}  // namespace
}  // namespace supple
