#include <gtest/gtest.h>

#include <cmath>

#include "supple/contact/barrier.h"

namespace supple {
namespace {

TEST(Barriers, ClosedForm) {
  for (double thickness : {1e-3, 1.0, 20.0}) {
    EXPECT_NEAR(barrier(0.5 * thickness, thickness).value, 0.25 * std::log(2) * thickness, 1e-15 * thickness);
    EXPECT_NEAR(barrier(0.5 * thickness, thickness).slope, -std::log(2) - 0.5, 1e-14);
    for (double y : {1e-9, 1e-4, 0.03, 0.2, 0.499, 0.501, 0.7, 0.95, 0.999}) {
      const double d = y * thickness, h = 1e-5 * std::min(d, thickness - d);
      const BarrierValue at = barrier(d, thickness), ahead = barrier(d + h, thickness),
                         back = barrier(d - h, thickness);
      EXPECT_GT(at.value, 0);
      EXPECT_LT(at.slope, 0);
      EXPECT_GT(at.curvature, 0);
      EXPECT_NEAR((ahead.value - back.value) / (2 * h) / at.slope, 1, 1e-6) << y;
      EXPECT_NEAR((ahead.slope - back.slope) / (2 * h) / at.curvature, 1, 1e-6) << y;
    }
  }
}

TEST(Barriers, BeginsSoftly) {
  // -z^2 ln(1 + z) = -z^3 to first order, so that value, slope and curvature all begin at 0.
  const double z = -1e-5;
  const BarrierValue b = barrier(1 + z, 1);
  EXPECT_NEAR(b.value / (-z * z * z), 1, 1e-4);
  EXPECT_NEAR(b.slope / (-3 * z * z), 1, 1e-4);
  EXPECT_NEAR(b.curvature / (-6 * z), 1, 1e-4);
  for (double d : {1.0, 1.01, 1.5, 1e9}) {
    EXPECT_EQ(barrier(d, 1).value, 0);
    EXPECT_EQ(barrier(d, 1).slope, 0);
    EXPECT_EQ(barrier(d, 1).curvature, 0);
  }
}

TEST(Barriers, Ends) {
  EXPECT_TRUE(std::isinf(barrier(0, 1).value) && barrier(0, 1).value > 0);
  EXPECT_TRUE(std::isinf(barrier(-1, 1).slope) && barrier(-1, 1).slope < 0);
  EXPECT_EQ(barrier(0, 0).value, 0);
  EXPECT_EQ(barrier(0.1, -1).slope, 0);
  EXPECT_TRUE(std::isnan(barrier(std::nan(""), 1).value));
}

}  // namespace
}  // namespace supple
