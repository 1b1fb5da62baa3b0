#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <limits>

#include "supple/rigs/wire_curve.h"

namespace supple {
namespace {

const Points kBent = {{0, 0, 0}, {1, 0.3, 0}, {1.4, 1.2, 0.5}, {3, 1, -0.4}, {3.2, 0.1, 0}};

TEST(WireCurve, RunsThroughItsControlPoints) {
  const WireCurve curve(kBent);
  for (size_t i = 0; i < kBent.size(); ++i) {
    EXPECT_LT((curve.at_blend(curve.value(static_cast<double>(i))) - kBent[i]).norm(), 1e-15);
  }
}

// Along a straight line the same way for the same share of a segment, however control points are spaced.
TEST(WireCurve, IsStraightBetweenPointsOfALine) {
  const WireCurve curve({{0, 0, 0}, {1, 0, 0}, {4, 0, 0}, {4.5, 0, 0}});
  EXPECT_LT((curve.at_blend(curve.value(0.3)) - Vec3(0.3, 0, 0)).norm(), 1e-14);
  EXPECT_LT((curve.at_blend(curve.value(1.3)) - Vec3(1.9, 0, 0)).norm(), 1e-14);
  EXPECT_LT((curve.at_blend(curve.value(2.3)) - Vec3(4.15, 0, 0)).norm(), 1e-14);
}

TEST(WireCurve, SlopesAreDerivativesAndMeetAtControlPoints) {
  const WireCurve curve(kBent);
  for (const double u : {0.2, 0.9, 1.5, 2.7, 3.4}) {
    const double h = 1e-6;
    const Vec3 difference = (curve.at_blend(curve.value(u + h)) - curve.at_blend(curve.value(u - h))) / (2 * h);
    EXPECT_LT((curve.at_blend(curve.slope(u)) - difference).norm(), 1e-8);
    double sum = 0;
    for (const double weight : curve.value(u).weight) sum += weight;
    EXPECT_NEAR(sum, 1, 1e-14);
  }
  for (size_t i = 1; i + 1 < kBent.size(); ++i) {
    const double before = (kBent[i] - kBent[i - 1]).norm(), after = (kBent[i + 1] - kBent[i]).norm();
    const Vec3 left = curve.at_blend(curve.slope(static_cast<double>(i) - 1e-12)) / before;
    const Vec3 right = curve.at_blend(curve.slope(static_cast<double>(i))) / after;
    EXPECT_LT((left - right).norm(), 1e-9);
  }
}

TEST(WireCurve, FindsTheNearestPlace) {
  const WireCurve curve(kBent);
  for (const Vec3& x : {Vec3(0.5, 0.6, 0.1), Vec3(2.2, 0.4, 0.3), Vec3(-1, 0, 0), Vec3(3.3, -0.5, 0.1), kBent[2]}) {
    double least = std::numeric_limits<double>::infinity();
    for (int k = 0; k <= 40000; ++k) {
      least = std::min(least, (curve.at_blend(curve.value(k / 10000.0)) - x).norm());
    }
    const double found = (curve.at_blend(curve.value(curve.nearest(x))) - x).norm();
    EXPECT_LE(found, least + 1e-12);
    EXPECT_GT(found, least - 1e-3);
  }
  EXPECT_EQ(curve.nearest({-1, -0.2, 0}), 0);
}

}  // namespace
}  // namespace supple
