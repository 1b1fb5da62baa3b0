// Which frames of weights are keys.
#include "supple/anim/weight_keys.h"

#include <gtest/gtest.h>

#include <cmath>

namespace supple {
namespace {

TEST(WeightKeys, what_lines_pass_is_left_out_and_nothing_else) {
  constexpr int kFrames = 60;
  std::vector<float> times;
  Eigen::MatrixXf weights = Eigen::MatrixXf::Zero(kFrames, 2);
  for (int f = 0; f < kFrames; ++f) {
    times.push_back(static_cast<float>(f) / 24);
    // Still, then a ramp, then a swing.
    weights(f, 0) = f < 20 ? 0.25f : f < 35 ? 0.25f + 0.02f * static_cast<float>(f - 20) : 0.53f;
    weights(f, 1) = f < 35 ? 0.5f : 0.5f + 0.3f * std::sin(0.5f * static_cast<float>(f - 34));
  }
  const VecX reach = Eigen::Vector2d(2, 1);
  const double allowed = 1e-4;
  const std::vector<size_t> keys = frames_as_keys(times, weights, reach, allowed);
  EXPECT_EQ(keys.front(), 0u);
  EXPECT_EQ(keys.back(), 59u);
  EXPECT_LT(keys.size(), 32u);
  EXPECT_GT(keys.size(), 20u);
  for (size_t i = 1; i < keys.size(); ++i) {
    for (size_t f = keys[i - 1]; f <= keys[i]; ++f) {
      const float s = static_cast<float>(f - keys[i - 1]) / static_cast<float>(keys[i] - keys[i - 1]);
      const Eigen::RowVectorXf line =
          (1 - s) * weights.row(static_cast<long>(keys[i - 1])) + s * weights.row(static_cast<long>(keys[i]));
      const VecX off = (line - weights.row(static_cast<long>(f))).transpose().cast<double>();
      EXPECT_LE(off.cwiseProduct(reach).norm(), allowed + 1e-6);
    }
  }
  // What reaches nowhere does not count; all may be asked for.
  EXPECT_LT(frames_as_keys(times, weights, Eigen::Vector2d(2, 0), allowed).size(), 6u);
  EXPECT_EQ(frames_as_keys({0.5f}, weights.topRows(1), reach, allowed).size(), 1u);
}

}  // namespace
}  // namespace supple
