#include "supple/anim/morph_basis.h"

#include <gtest/gtest.h>

#include <cmath>

#include "supple/base/parallel.h"

namespace supple {
namespace {

// 3 n_points x n_frames, which must outlive the result.
MovingPoints moving_points(const MatX& displacement) {
  return {displacement.rows() / 3, displacement.cols(),
          [&displacement](Eigen::Index begin, Eigen::Index end, Eigen::Ref<MatX> rows) {
            rows = displacement.middleRows(3 * begin, 3 * (end - begin));
          }};
}

TEST(MorphBasis, RankIsFoundAndThreadsDoNotMatter) {
  // Three shapes in any mixture need three targets.
  const int n = 40, frames = 25;
  MatX shapes(3 * n, 3), mix(3, frames);
  for (int i = 0; i < shapes.size(); ++i) shapes.data()[i] = std::sin(0.1 * i * i + 0.3);
  for (int i = 0; i < mix.size(); ++i) mix.data()[i] = std::cos(0.7 * i * i);
  const MatX displacement = shapes * mix;
  set_thread_count(1);
  const MorphBasis one = fit_few_morphs(moving_points(displacement), 1e-5, 64);
  set_thread_count(3);
  const MorphBasis three = fit_few_morphs(moving_points(displacement), 1e-5, 64);
  set_thread_count(0);
  EXPECT_EQ(one.n_targets, 3);
  EXPECT_LE(one.weights.cwiseAbs().maxCoeff(), 1.0f);
  EXPECT_EQ(one.targets, three.targets);
  EXPECT_EQ(one.weights, three.weights);
  EXPECT_EQ(one.max_error, three.max_error);
  // Nothing moves: one target, no error.
  const MatX nothing = MatX::Zero(9, 10);
  const MorphBasis still = fit_few_morphs(moving_points(nothing), 1e-6, 64);
  EXPECT_EQ(still.n_targets, 1);
  EXPECT_EQ(still.max_error, 0);
  EXPECT_TRUE(still.weights.allFinite());
}

// Few targets are looked for in some of the points only; what they miss has to be found all the same.
TEST(MorphBasis, WhatAFewOfThePointsDoNotTellIsFound) {
  const int n = 50, frames = 60;
  const auto worst = [](const MatX& d, const MorphBasis& b) {
    const MatX left = d - b.targets.cast<double>() * b.weights.cast<double>().transpose();
    double most = 0;
    for (int f = 0; f < left.cols(); ++f)
      for (int p = 0; p < left.rows() / 3; ++p) most = std::max(most, left.col(f).segment<3>(3 * p).norm());
    return most;
  };
  MatX alone = MatX::Zero(3 * n, frames);
  for (int f = 0; f < frames; ++f) alone(3 * 13 + 1, f) = std::sin(0.3 * f);
  const MorphBasis one = fit_few_morphs(moving_points(alone), 1e-4, 64);
  EXPECT_EQ(one.n_targets, 1);
  EXPECT_LE(one.max_error, 1e-4);
  EXPECT_NEAR(worst(alone, one), one.max_error, 1e-12);
  // More shapes than a few.
  MatX shapes(3 * n, 20), mix(20, frames);
  for (int i = 0; i < shapes.size(); ++i) shapes.data()[i] = std::sin(0.1 * i * i + 0.3);
  for (int i = 0; i < mix.size(); ++i) mix.data()[i] = std::cos(0.7 * i * i);
  const MatX many = shapes * mix;
  const MorphBasis twenty = fit_few_morphs(moving_points(many), 1e-4, 64);
  EXPECT_EQ(twenty.n_targets, 20);
  EXPECT_LE(twenty.max_error, 1e-4);
  EXPECT_NEAR(worst(many, twenty), twenty.max_error, 1e-9);
  // All counts: one target less is not enough.
  const MorphBasis short_of = fit_few_morphs(moving_points(many), 1e-4, 19);
  EXPECT_EQ(short_of.n_targets, 19);
  EXPECT_GT(short_of.max_error, 1e-4);
  EXPECT_NEAR(worst(many, short_of), short_of.max_error, 1e-6);
  MorphBasis dropped = twenty;
  drop_last(dropped);
  EXPECT_EQ(dropped.n_targets, 19);
  EXPECT_NEAR(worst(many, dropped), short_of.max_error, 1e-3 * short_of.max_error);
}

}  // namespace
}  // namespace supple
