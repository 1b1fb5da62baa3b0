// Frames to frequencies and half-lives, checked on the signals they describe.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "supple/base/error.h"
#include "supple/tune/direct.h"

using namespace supple;

namespace {

double height(const Swing& s, double frame) {
  const double t = (frame - s.from_frame) / s.fps;
  return std::exp2(-t / s.half_life_s) * std::cos(2 * std::numbers::pi * s.frequency_hz * t + s.phase_rad);
}

void expect_low(const Swing& s, double frame) {
  const double d = 0.02 * s.fps / s.frequency_hz, here = height(s, frame);
  EXPECT_LT(here, 0);
  EXPECT_LT(here, height(s, frame - d));
  EXPECT_LT(here, height(s, frame + d));
  const double slope = (height(s, frame + 1e-5) - height(s, frame - 1e-5)) / 2e-5;
  EXPECT_NEAR(slope, 0, 1e-8);
}

}  // namespace

TEST(Direct, BounceAndSettle) {
  EXPECT_DOUBLE_EQ(frequency_for_bounce(24, 8), 3);
  const double t = half_life_to_settle(30, 12, 57);
  EXPECT_NEAR(std::exp2(-1.5 / t), 0.05, 1e-12);
  EXPECT_NEAR(std::exp2(-1.5 / half_life_to_settle(30, 12, 57, 0.01)), 0.01, 1e-12);
  EXPECT_THROW(frequency_for_bounce(24, 0), InputError);
  EXPECT_THROW(frequency_for_bounce(NAN, 8), InputError);
  EXPECT_THROW(half_life_to_settle(24, 30, 30), InputError);
  EXPECT_THROW(half_life_to_settle(24, 30, 40, 1), InputError);
}

TEST(Direct, LowFramesAreLow) {
  for (const double phase : {-1.57, 0.0, 1.2, 3.1, 7.0})
    for (const double half_life : {0.1, 0.5, 1e9}) {
      const Swing s{24, 10, 2, half_life, phase};
      const auto lows = low_frames(s, 60);
      ASSERT_GE(lows.size(), 3u);
      EXPECT_LE(lows.front(), 10 + 12 + 1e-9);  // one within the first period
      for (const double f : lows) {
        EXPECT_GT(f, 10);
        if (f < 40) expect_low(s, f);
      }
      for (size_t i = 1; i < lows.size(); ++i) EXPECT_NEAR(lows[i] - lows[i - 1], 12, 1e-9);
    }
}

TEST(Direct, LowAtAFrame) {
  for (const double phase : {-1.57, 0.0, 1.2, 3.1})
    for (const double half_life : {0.15, 0.5, std::numeric_limits<double>::infinity()})
      for (const double frame : {14.0, 19.0, 26.5, 40.0}) {
        const Swing now{24, 10, 2, half_life, phase};
        const LowAt r = frequency_for_low_at(now, frame);
        ASSERT_TRUE(r.reachable) << r.note;
        Swing then = now;
        then.frequency_hz = r.frequency_hz;
        expect_low(then, frame);
        EXPECT_NEAR(r.ratio, r.frequency_hz / 2, 1e-12);
        // Every candidate is low there, none is nearer, and the count of the bounce is right.
        for (const double f : r.candidates) {
          then.frequency_hz = f;
          expect_low(then, frame);
          EXPECT_GE(std::abs(std::log(f / 2)) + 1e-12, std::abs(std::log(r.ratio)));
        }
        then.frequency_hz = r.frequency_hz;
        const auto lows = low_frames(then, frame + 1e-6);
        EXPECT_EQ(static_cast<int>(lows.size()), r.bounce);
        EXPECT_NEAR(lows.back(), frame, 1e-6);
        EXPECT_NEAR(r.left, std::exp2(-(frame - 10) / 24 / half_life), 1e-12);
      }
}

TEST(Direct, LowAtOutOfReach) {
  const Swing now{24, 10, 0.5, 0.5, 0};
  EXPECT_FALSE(frequency_for_low_at(now, 10).reachable);
  EXPECT_FALSE(frequency_for_low_at(now, 9).reachable);
  const LowAt soon = frequency_for_low_at(now, 11);  // a half period of a 4 Hz swing takes 3 frames
  EXPECT_FALSE(soon.reachable);
  EXPECT_DOUBLE_EQ(soon.frequency_hz, 4);
  EXPECT_NE(soon.note.find("first low within reach"), std::string::npos) << soon.note;
  EXPECT_TRUE(frequency_for_low_at(now, 13.2).reachable);
  EXPECT_NE(frequency_for_low_at({24, 10, 2, 0.05, 0}, 40).note, "");  // nothing left to see
  EXPECT_THROW(frequency_for_low_at({24, 10, -2, 0.05, 0}, 40), InputError);
}
