// Values at frames are met, what moves evenly moves evenly in between, and ends, loops and jumps are as they say.
#include "supple/rigs/curve_samples.h"

#include <gtest/gtest.h>

namespace supple {
namespace {

constexpr double kFps = 24;

double value(const CurveSamples& samples, double frame) {
  VecX p = VecX::Constant(3, -7);
  samples.put(frame / kFps, p);
  EXPECT_EQ(p[0], -7);  // not one of its parameters
  EXPECT_EQ(p[2], -7);
  return p[1];
}

TEST(CurveSamples, meets_its_frames_and_goes_evenly_between_them) {
  CurveSamples samples(kFps, 7, false);
  EXPECT_TRUE(samples.empty());
  samples.set(1, VecX::LinSpaced(7, 2, 5));
  EXPECT_TRUE(samples.has(1));
  EXPECT_FALSE(samples.has(0));
  for (double frame : {0.0, 1.0, 2.5, 3.25, 6.0}) EXPECT_NEAR(value(samples, frame), 2 + 0.5 * frame, 1e-12) << frame;
}

TEST(CurveSamples, is_held_outside) {
  CurveSamples samples(kFps, 4, false);
  samples.set(1, Eigen::Vector4d(1, 3, 2, 6));
  EXPECT_NEAR(value(samples, -5), 1, 1e-12);
  EXPECT_NEAR(value(samples, 9), 6, 1e-12);
}

TEST(CurveSamples, is_set_in_place_of_what_was_there) {
  CurveSamples samples(kFps, 4, false);
  samples.set(1, VecX::Constant(4, 1));
  samples.set(1, VecX::Constant(4, 8));
  EXPECT_NEAR(value(samples, 1.5), 8, 1e-12);
}

TEST(CurveSamples, a_loop_goes_on_from_its_first_frame) {
  CurveSamples samples(kFps, 5, true);
  VecX values(5);
  values << 1, 3, 2, 0, 1;
  samples.set(1, values);
  for (double frame : {0.0, 0.5, 1.0, 2.75, 3.5}) {
    EXPECT_NEAR(value(samples, frame + 4), value(samples, frame), 1e-12) << frame;
    EXPECT_NEAR(value(samples, frame - 8), value(samples, frame), 1e-12) << frame;
  }
  EXPECT_NEAR(value(samples, 5), 3, 1e-12);
}

// Before the step over which all jumps the old values go on, and the new ones begin with the frame after it.
TEST(CurveSamples, does_not_go_through_a_jump) {
  VecX values(8);
  values << 0, 1, 2, 3, 100, 101, 102, 103;
  CurveSamples samples(kFps, 8, false, {3});
  samples.set(1, values);
  EXPECT_NEAR(value(samples, 2.5), 2.5, 1e-9);
  EXPECT_NEAR(value(samples, 3), 3, 1e-9);
  EXPECT_LT(value(samples, 3.5), 10);
  EXPECT_NEAR(value(samples, 4), 100, 1e-9);
  EXPECT_NEAR(value(samples, 4.5), 100.5, 1e-9);
}

}  // namespace
}  // namespace supple
