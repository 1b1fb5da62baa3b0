#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "supple/rigs/rotations.h"

namespace supple {
namespace {

// Central differences of R and of d.
void expect_slopes(RotationDerivatives (*rotation)(const Vec3&), const Vec3& w) {
  const RotationDerivatives r = rotation(w);
  const double h = 1e-5;
  for (int b = 0; b < 3; ++b) {
    const RotationDerivatives above = rotation(w + h * Vec3::Unit(b)), below = rotation(w - h * Vec3::Unit(b));
    EXPECT_LT((r.d[b] - (above.R - below.R) / (2 * h)).norm(), 2e-10) << "d by " << b << " at " << w.transpose();
    EXPECT_GT(r.d[b].norm(), 0.01);
    for (int a = 0; a < 3; ++a) {
      const Mat3 second = (above.d[a] - below.d[a]) / (2 * h);
      EXPECT_LT((r.dd[second_of(a, b)] - second).norm(), 2e-10) << a << b << " at " << w.transpose();
    }
  }
}

const Vec3 kDirection = Vec3(0.6, -0.48, 0.64);

TEST(Rotations, ExponentialIsATurnAboutItsAxis) {
  for (const double angle : {0.0, 1e-12, 1e-4, 0.3, 2.9, 3.0, M_PI, 3.1, 2 * M_PI - 1e-7, 2 * M_PI, 9.0, 40.0}) {
    const Mat3 expected = Eigen::AngleAxisd(angle, kDirection).toRotationMatrix();
    EXPECT_LT((exponential(angle * kDirection).R - expected).norm(), 4e-15 * (1 + angle)) << angle;
  }
}

TEST(Rotations, DerivativesOfTheExponentialAreSmoothEverywhere) {
  // 3 is where the series ends.
  for (const double angle : {0.0, 1e-9, 1e-3, 0.7, 2.99999, 3.0, 3.00001, M_PI, 2 * M_PI - 1e-6, 2 * M_PI, 11.0}) {
    expect_slopes(exponential, angle * kDirection);
  }
  // Both ways of computing meet.
  const RotationDerivatives below = exponential((3 - 1e-13) * kDirection),
                            above = exponential((3 + 1e-13) * kDirection);
  for (size_t k = 0; k < 6; ++k) EXPECT_LT((below.dd[k] - above.dd[k]).norm(), 2e-12);
}

TEST(Rotations, EulerAnglesTurnAboutXThenYThenZOfTheBody) {
  const Vec3 a(0.4, -1.1, 2.3);
  const Mat3 expected = (Eigen::AngleAxisd(a.x(), Vec3::UnitX()) * Eigen::AngleAxisd(a.y(), Vec3::UnitY()) *
                         Eigen::AngleAxisd(a.z(), Vec3::UnitZ()))
                            .toRotationMatrix();
  EXPECT_LT((euler_xyz(a).R - expected).norm(), 1e-15);
  expect_slopes(euler_xyz, a);
  expect_slopes(euler_xyz, {0, M_PI / 2, 0});
  expect_slopes(euler_xyz, Vec3::Zero());
}

}  // namespace
}  // namespace supple
