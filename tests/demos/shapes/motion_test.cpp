#include "supple/demos/shapes/motion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

namespace supple {

using namespace demos;
namespace {

using Motion = std::function<Vec3(double, int)>;

// Derivatives against central differences of the order below, where the motion is smooth.
void check_derivatives(const Motion& motion, const std::vector<double>& times) {
  double seen = 0;
  for (double t : times) {
    for (int order : {1, 2}) {
      const double h = 1e-5;
      const Vec3 difference = (motion(t + h, order - 1) - motion(t - h, order - 1)) / (2 * h);
      EXPECT_LT((motion(t, order) - difference).norm(), 1e-6 * (1 + difference.norm())) << t << " " << order;
      seen += difference.norm();
    }
  }
  EXPECT_GT(seen, 0);
}

TEST(Motion, StartStopIsTheSunflowerDrive) {
  const StartStop m;
  EXPECT_EQ(start_stop(-1), Vec3::Zero());
  EXPECT_EQ(start_stop(0), Vec3::Zero());
  // Constant velocity to the right up to frame 150, then still.
  for (int frame : {1, 75, 149}) {
    EXPECT_NEAR((start_stop(frame / kSunflowerFps) - frame / kSunflowerFps * m.velocity).norm(), 0, 1e-12);
  }
  EXPECT_EQ(start_stop(150 / kSunflowerFps), start_stop(299 / kSunflowerFps));
  EXPECT_EQ(start_stop(150 / kSunflowerFps, {}, 1), Vec3::Zero());
  EXPECT_EQ(start_stop(149.9 / kSunflowerFps, {}, 1), m.velocity);
  EXPECT_EQ(start_stop(0, {}, 1), m.velocity);
  EXPECT_EQ(start_stop(-1e-9, {}, 1), Vec3::Zero());
  EXPECT_GT(m.velocity.x(), 0);
  check_derivatives([](double t, int d) { return start_stop(t, {{1, 2, 3}, 1, 2}, d); }, {0.5, 1.2, 1.9, 2.5});
}

TEST(Motion, ShakeEndsAtRest) {
  const Shake m{{0.1, 0, 0.2}, 3, 0.5, 2};
  check_derivatives([&](double t, int d) { return shake(t, m, d); }, {0.2, 0.61, 0.7, 1.0, 1.1, 1.5});
  EXPECT_NEAR(shake(0.5 + 0.25 / 3, m).x(), 0.1, 1e-12);
  EXPECT_EQ(shake(0.49, m), Vec3::Zero());
  EXPECT_EQ(shake(1.17, m), Vec3::Zero());
}

TEST(Motion, RampIsSmoothAtBothEnds) {
  const Ramp m{{0.3, -0.1, 0}, 0.5, 2};
  check_derivatives([&](double t, int d) { return ramp(t, m, d); }, {0.2, 0.6, 1.0, 1.5, 2.4, 3.0});
  EXPECT_EQ(ramp(2.6, m), m.offset);
  EXPECT_NEAR((ramp(1.5, m) - 0.5 * m.offset).norm(), 0, 1e-15);
  for (double end : {0.5, 2.5}) {
    EXPECT_NEAR(ramp(end, m, 1).norm(), 0, 1e-15);
    EXPECT_NEAR(ramp(end, m, 2).norm(), 0, 1e-15);
  }
}

}  // namespace
}  // namespace supple
