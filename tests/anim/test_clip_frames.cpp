// Poses of a clip, one a frame of any rate.
#include "supple/anim/clip_frames.h"

#include <gtest/gtest.h>

namespace supple {
namespace {

// One node that goes along x by a metre a second, from half a second on.
Character moving(double end) {
  Character c;
  c.nodes.resize(1);
  c.nodes[0].name = "root";
  Channel x{.node = 0, .path = ChannelPath::translation, .times = {0.5, end}, .values = {0, 0, 0, end - 0.5, 0, 0}};
  c.clips.push_back({.name = "go", .channels = {x}, .start = 0.5, .end = end});
  return c;
}

TEST(ClipFrames, the_first_and_the_last_key_are_frames) {
  const Character c = moving(1.5);
  const Drawn drawn = lay_out(c);
  const ClipFrames f = frames_of(c, drawn, c.clips[0], 10);
  EXPECT_EQ(f.fps, 10);
  ASSERT_EQ(f.times.size(), 11u);
  ASSERT_EQ(f.poses.size(), 11u);
  for (size_t k = 0; k < f.times.size(); ++k) EXPECT_NEAR(f.times[k], 0.5 + 0.1 * static_cast<double>(k), 1e-12);
}

TEST(ClipFrames, a_clip_that_ends_between_two_frames_ends_there) {
  const Character c = moving(1.03);
  const ClipFrames f = frames_of(c, lay_out(c), c.clips[0], 10);
  ASSERT_EQ(f.times.size(), 7u);
  EXPECT_NEAR(f.times[5], 1.0, 1e-12);
  EXPECT_EQ(f.times[6], 1.03);
}

TEST(ClipFrames, a_single_key_is_one_frame) {
  Character c = moving(1.5);
  c.clips[0].end = c.clips[0].start;
  EXPECT_EQ(frames_of(c, lay_out(c), c.clips[0], 24).poses.size(), 1u);
}

}  // namespace
}  // namespace supple
