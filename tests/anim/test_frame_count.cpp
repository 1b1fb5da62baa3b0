#include "supple/anim/frame_count.h"

#include <gtest/gtest.h>

#include <limits>

namespace supple {
namespace {

TEST(FrameCount, an_end_between_two_frames_counts_as_asked) {
  EXPECT_EQ(frames_up_to(1, 24, {}), 25);  // both ends
  EXPECT_EQ(frames_within(1, 24, {}), 25);
  EXPECT_EQ(frames_up_to(1.01, 24, {}), 26);
  EXPECT_EQ(frames_within(1.01, 24, {}), 25);
}

// Too many for a whole number, or for any memory: told, and never counted round to something small.
TEST(FrameCount, what_no_motion_has_is_refused_at_its_place) {
  for (const double seconds : {1e9, 1e300, std::numeric_limits<double>::infinity()}) {
    try {
      frames_up_to(seconds, 24, {.file = "walk.glb"});
      ADD_FAILURE() << seconds;
    } catch (const InputError& e) {
      EXPECT_EQ(e.where().file, "walk.glb");
    }
    EXPECT_THROW(frames_within(seconds, 24, {}), InputError) << seconds;
  }
}

}  // namespace
}  // namespace supple
