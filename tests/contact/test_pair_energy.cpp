#include <gtest/gtest.h>

#include <random>

#include "supple/contact/pair_distance.h"
#include "supple/contact/pair_energy.h"
#include "supple/linalg/dense.h"

namespace supple {
namespace {

// Every kind of nearest feature, and edges nearly parallel, at random places.
TEST(PairEnergy, derivatives_are_those_of_the_value) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> unit(-1, 1);
  auto point = [&](double r) { return Vec3(r * unit(random), r * unit(random), r * unit(random)); };
  int checked = 0, mollified = 0;
  for (int n = 0; n < 4000 && checked < 300; ++n) {
    const bool edges = n % 2;
    const ContactPair pair = edges ? ContactPair::edge_edge({0, 1}, {2, 3}) : ContactPair::point_triangle(0, {1, 2, 3});
    Points x = {point(0.5), point(0.5), point(0.5), point(0.5)};
    if (edges && n % 4 == 1) x[3] = x[2] + (x[1] - x[0]) + point(0.02);  // nearly parallel
    const Points rest = x;
    const double thickness = 0.4;
    const double d = distance(pair, x).distance;
    if (d > 0.9 * thickness || d < 0.05) continue;
    const PairEnergy e = pair_energy(pair, x, rest, thickness, PairDerivatives::hessian, false);
    // Away from where the nearest feature changes.
    const Eigen::Vector4d w = distance(pair, x).weights.cwiseAbs();
    if ((w.array() > 0 && w.array() < 0.02).any() || (w.array() < 1 && w.array() > 0.98).any()) continue;
    ++checked;
    mollified += parallel_mollifier(pair, x, rest).active;
    const double h = 1e-6;
    for (int k = 0; k < 12; ++k) {
      Points up = x, down = x;
      up[k / 3][k % 3] += h, down[k / 3][k % 3] -= h;
      const PairEnergy plus = pair_energy(pair, up, rest, thickness, PairDerivatives::gradient);
      const PairEnergy minus = pair_energy(pair, down, rest, thickness, PairDerivatives::gradient);
      EXPECT_NEAR(e.gradient[k], (plus.value - minus.value) / (2 * h), 1e-6 * (1 + e.gradient.norm())) << n << " " << k;
      const Eigen::Matrix<double, 12, 1> column = (plus.gradient - minus.gradient) / (2 * h);
      EXPECT_LT((e.hessian.col(k) - column).cwiseAbs().maxCoeff(), 1e-5 * (1 + e.hessian.cwiseAbs().maxCoeff()))
          << n << " " << k;
    }
  }
  EXPECT_GT(checked, 100);
  EXPECT_GT(mollified, 10);
}

// The projection is that of the whole matrix, however it is found.
TEST(PairEnergy, projection_sets_negative_eigenvalues_to_zero) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> unit(-1, 1);
  auto point = [&] { return Vec3(0.3 * unit(random), 0.3 * unit(random), 0.3 * unit(random)); };
  int negative = 0;
  for (int n = 0; n < 200; ++n) {
    const Points x = {point(), point(), point(), point()};
    const ContactPair pair = n % 2 ? ContactPair::edge_edge({0, 1}, {2, 3}) : ContactPair::point_triangle(0, {1, 2, 3});
    const Eigen::Matrix<double, 12, 12> exact = pair_energy(pair, x, x, 0.3, PairDerivatives::hessian, false).hessian;
    const Eigen::Matrix<double, 12, 12> projected =
        pair_energy(pair, x, x, 0.3, PairDerivatives::hessian, true).hessian;
    const SymmetricEigen eigen = symmetric_eigen(exact);
    const MatX wanted = eigen.vectors * eigen.values.cwiseMax(0).asDiagonal() * eigen.vectors.transpose();
    negative += eigen.values[0] < -1e-6;
    EXPECT_LT((projected - wanted).cwiseAbs().maxCoeff(), 1e-9 * (1 + exact.cwiseAbs().maxCoeff())) << n;
  }
  EXPECT_GT(negative, 50);
}

}  // namespace
}  // namespace supple
