#include "supple/linalg/svd3.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

#include "supple/base/parallel.h"

namespace supple {
namespace {

class Random {
 public:
  double uniform() { return std::uniform_real_distribution<double>(-1, 1)(rng_); }
  Mat3 matrix() {
    Mat3 m;
    for (int i = 0; i < 9; ++i) m.data()[i] = uniform();
    return m;
  }
  Mat3 rotation() { return Eigen::Quaterniond(uniform(), uniform(), uniform(), uniform()).normalized().matrix(); }

 private:
  std::mt19937 rng_{12};
};

void expect_rotation(const Mat3& R) {
  EXPECT_LT((R.transpose() * R - Mat3::Identity()).cwiseAbs().maxCoeff(), 4e-15);
  EXPECT_GT(R.determinant(), 0.5);
}

void check(const Mat3& F) {
  const double size = F.cwiseAbs().maxCoeff();
  const Svd3 svd = svd3(F);
  expect_rotation(svd.U);
  expect_rotation(svd.V);
  EXPECT_GE(svd.sigma[0], svd.sigma[1]);
  EXPECT_GE(svd.sigma[1], std::abs(svd.sigma[2]));
  // Compared at a size of one: near the ends of the range of doubles products would leave it.
  const double s = size > 0 ? size : 1;
  const Vec3 relative = svd.sigma / s;
  const double error = (svd.U * relative.asDiagonal() * svd.V.transpose() - F / s).cwiseAbs().maxCoeff();
  EXPECT_LT(error, 1e-14) << F;
  const Polar3 polar = polar3(F);
  expect_rotation(polar.R);
  EXPECT_LT((polar.R * (polar.S / s) - F / s).cwiseAbs().maxCoeff(), 1e-14) << F;
  EXPECT_EQ(polar.S, polar.S.transpose());
}

void check_eigen(const Mat3& A) {
  const SymEigen3 e = sym_eigen3(A);
  const double size = std::max(A.cwiseAbs().maxCoeff(), 1e-300);
  EXPECT_LE(e.values[0], e.values[1]);
  EXPECT_LE(e.values[1], e.values[2]);
  EXPECT_LT((e.vectors.transpose() * e.vectors - Mat3::Identity()).cwiseAbs().maxCoeff(), 4e-15);
  const Mat3 back = e.vectors * (e.values / size).asDiagonal() * e.vectors.transpose();
  EXPECT_LT((back - A / size).cwiseAbs().maxCoeff(), 1e-14) << A;
}

TEST(Svd3, RandomMatrices) {
  Random random;
  for (int i = 0; i < 100000; ++i) check(random.matrix());
}

TEST(Svd3, NearRotations) {
  // What simulations feed it: a rotation times a small strain, the three singular values close together.
  Random random;
  for (double strain : {0.3, 1e-3, 1e-8, 1e-13, 0.0})
    for (int i = 0; i < 2000; ++i) check(random.rotation() * (Mat3::Identity() + strain * random.matrix()));
}

TEST(Svd3, PrescribedSingularValues) {
  Random random;
  const double levels[] = {1, 1, 0.5, 1e-3, 1e-8, 1e-16, 1e-100, 0};
  for (double a : levels)
    for (double b : levels)
      for (double c : levels)
        for (double sign : {1.0, -1.0}) {
          const Mat3 U = random.rotation(), V = random.rotation();
          const Vec3 sigma(a, b, sign * c);
          const Mat3 F = U * sigma.asDiagonal() * V.transpose();
          check(F);
          Vec3 sorted = sigma.cwiseAbs();
          std::sort(sorted.data(), sorted.data() + 3, std::greater<>());
          const Svd3 svd = svd3(F);
          EXPECT_LT((svd.sigma.cwiseAbs() - sorted).cwiseAbs().maxCoeff(), 2e-15 * std::max(1.0, sorted[0]));
          if (sorted[2] > 1e-12) {
            EXPECT_EQ(svd.sigma[2] < 0, sign < 0);
          }
        }
}

TEST(Svd3, GradedColumnsKeepTheirSmallValues) {
  // One-sided Jacobi gives each singular value of B D to relative accuracy when B is well conditioned.
  Random random;
  for (int i = 0; i < 200; ++i) {
    const Mat3 R = random.rotation();
    const Vec3 sigma(1, 1e-12, -1e-25);
    const Svd3 svd = svd3(R * sigma.asDiagonal());
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(svd.sigma[c] / sigma[c], 1, 1e-14);
  }
}

TEST(Svd3, Scales) {
  Random random;
  for (double scale : {1e-308, 1e-200, 1e-100, 1e-60, 1e60, 1e100, 1e150, 1e300})
    for (int i = 0; i < 500; ++i) check(scale * random.matrix());
  Mat3 mixed = Mat3::Zero();
  mixed(0, 0) = 1e150;
  mixed(1, 1) = 1e-150;
  mixed(2, 1) = 1;
  check(mixed);
}

TEST(Svd3, SpecialMatrices) {
  check(Mat3::Zero());
  check(Mat3::Identity());
  check(-Mat3::Identity());
  check(Mat3::Ones());
  Random random;
  for (int i = 0; i < 200; ++i) {
    check(random.rotation());
    check(-random.rotation());
    check(random.matrix().col(0) * random.matrix().col(1).transpose());
    Mat3 one = Mat3::Zero();
    one.data()[i % 9] = i % 2 ? 3.0 : -3.0;
    check(one);
    Mat3 flat = random.matrix();
    flat.row(i % 3).setZero();
    check(flat);
    flat = random.matrix();
    flat.col(i % 3) = flat.col((i + 1) % 3);
    check(flat);
  }
  EXPECT_LT(svd3(-Mat3::Identity()).sigma[2], 0);
}

TEST(SymEigen3, RandomAndSpecial) {
  Random random;
  for (int i = 0; i < 100000; ++i) {
    const Mat3 m = random.matrix();
    check_eigen(m + m.transpose());
  }
  const double levels[] = {1, 1, -1, 1e-8, -1e-16, 0};
  for (double a : levels)
    for (double b : levels)
      for (double c : levels) {
        const Mat3 R = random.rotation();
        const Mat3 A = R * Vec3(a, b, c).asDiagonal() * R.transpose();
        check_eigen(0.5 * (A + A.transpose()));
        check_eigen(Vec3(a, b, c).asDiagonal());
      }
  for (double scale : {1e-300, 1e-150, 1e150, 1e300}) {
    const Mat3 m = random.matrix();
    check_eigen(scale * (m + m.transpose()));
  }
}

}  // namespace
}  // namespace supple
