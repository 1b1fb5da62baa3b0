// Shapes and weights in rounds: every point has the first few, and no more than it needs.
#include "supple/anim/shape_rounds.h"

#include <gtest/gtest.h>

#include <cmath>

#include "supple/base/parallel.h"

namespace supple {
namespace {

constexpr int kMovingPoints = 300, kRoundFrames = 90;

// All points follow three slow waves; those from kMovingPoints - 20 on also go their own ways, each in another.
MotionRows mixed_motion() {
  MotionRows m(3 * kMovingPoints, kRoundFrames);
  for (int r = 0; r < m.rows(); ++r) {
    for (int f = 0; f < kRoundFrames; ++f) {
      const double t = 0.07 * f, x = 0.01 * r;
      double value = 20 * std::sin(t + x) + 9 * std::cos(2 * t) * std::sin(3 * x) + 4 * std::sin(3 * t + 1) * x;
      if (r >= 3 * (kMovingPoints - 20)) value += 6 * std::sin(0.31 * f + 0.1 * f * (r % 7) + r);
      m(r, f) = static_cast<float>(value);
    }
  }
  return m;
}

// The farthest of a point from its motion with the shapes of its first so many rounds.
double farthest_left(const MotionRows& m, const ShapeRounds& found, int point, int rounds) {
  const int n = found.first[static_cast<size_t>(rounds)];
  const MatX left =
      m.middleRows(3 * point, 3).cast<double>() -
      found.points.shapes.block(3 * point, 0, 3, n).cast<double>() * found.weights.leftCols(n).transpose();
  return left.colwise().norm().maxCoeff();
}

TEST(ShapeRounds, every_point_comes_near_and_what_is_left_is_told) {
  const MotionRows m = mixed_motion();
  const ShapeRounds found = fit_in_rounds(m, 1000);
  const auto n = static_cast<int>(found.weights.cols());
  EXPECT_EQ(found.first.back(), n);
  EXPECT_LT((found.weights.transpose() * found.weights - MatX::Identity(n, n)).norm(), 1e-9);
  ASSERT_EQ(found.points.left.cols(), found.n_rounds() + 1);
  int few = 0, all = 0;
  for (int p = 0; p < kMovingPoints; ++p) {
    EXPECT_LE(found.points.left(p, found.n_rounds()), 1);
    for (int r = 0; r <= found.n_rounds(); ++r)
      EXPECT_NEAR(farthest_left(m, found, p, r), static_cast<double>(found.points.left(p, r)), 1e-3) << p << ", " << r;
    // A point that is near enough has no shapes any more.
    const auto last = found.points.shapes.block(3 * p, found.first[static_cast<size_t>(found.n_rounds() - 1)], 3,
                                                n - found.first[static_cast<size_t>(found.n_rounds() - 1)]);
    (last.isZero(0) ? few : all) += 1;
  }
  // Three waves are six shapes; what only twenty points do is not carried by the others.
  EXPECT_GE(few, kMovingPoints - 20);
  EXPECT_GT(all, 0);
  EXPECT_GT(n, 10);
}

TEST(ShapeRounds, the_least_shapes_there_are) {
  // Two shapes, whatever else: no round is needed that finds nothing.
  MotionRows m(3 * kMovingPoints, kRoundFrames);
  for (int r = 0; r < m.rows(); ++r)
    for (int f = 0; f < kRoundFrames; ++f)
      m(r, f) =
          static_cast<float>(50 * std::sin(0.3 * f) * std::cos(0.1 * r) + 7 * std::cos(0.2 * f) * std::sin(0.3 * r));
  EXPECT_EQ(fit_in_rounds(m, 1000).weights.cols(), 2);
  EXPECT_EQ(fit_in_rounds(m, 1).weights.cols(), 1);
  EXPECT_EQ(fit_in_rounds(m / 100, 1000).weights.cols(), 0);
  // As many frames as shapes: exact, and no more.
  MotionRows noise(3 * kMovingPoints, 5);
  for (int i = 0; i < noise.size(); ++i) noise.data()[i] = static_cast<float>(100 * std::sin(1.7 * i * i));
  const ShapeRounds all = fit_in_rounds(noise, 1000);
  EXPECT_EQ(all.weights.cols(), 5);
  EXPECT_LE(all.points.left.rightCols(1).maxCoeff(), 1e-3);
  // Fewer frames than a round takes at once, and none at all.
  EXPECT_EQ(fit_in_rounds(noise.leftCols(1), 1000).weights.cols(), 1);
  EXPECT_EQ(fit_in_rounds(MotionRows(0, 7), 1000).weights.cols(), 0);
}

TEST(ShapeRounds, threads_do_not_matter) {
  const MotionRows m = mixed_motion();
  set_thread_count(1);
  const ShapeRounds one = fit_in_rounds(m, 1000);
  set_thread_count(3);
  const ShapeRounds three = fit_in_rounds(m, 1000);
  set_thread_count(0);
  EXPECT_EQ(one.weights, three.weights);
  EXPECT_EQ(one.points.shapes, three.points.shapes);
  EXPECT_EQ(one.points.left, three.points.left);
}

TEST(ShapeRounds, another_motion_follows_in_its_own_unit) {
  const MotionRows m = mixed_motion();
  const ShapeRounds found = fit_in_rounds(m, 1000);
  const VecX unit = VecX::LinSpaced(kRoundFrames, 0.5, 2);
  const MotionRows other = -0.5f * m;
  const RoundedShapes followed = follow_rounds(other, found, unit);
  for (const int p : {0, 7, kMovingPoints - 3}) {
    const MatX left = (other.middleRows(3 * p, 3).cast<double>() -
                       followed.shapes.middleRows(3 * p, 3).cast<double>() * found.weights.transpose()) *
                      unit.asDiagonal();
    EXPECT_NEAR(left.colwise().norm().maxCoeff(), static_cast<double>(followed.left(p, found.n_rounds())), 1e-3);
    EXPECT_GT(followed.left(p, 0), 1);
  }
  EXPECT_LE(followed.left.rightCols(1).maxCoeff(), 1.01f);
}

}  // namespace
}  // namespace supple
