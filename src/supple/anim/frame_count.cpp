#include "supple/anim/frame_count.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace supple {

namespace {

int checked_frames(double frames, double seconds, double fps, const Location& where) {
  if (!(frames <= kMostFrames))
    throw InputError(where,
                     fmt::format("{:.4g} s at {:g} frames a second are more than {} frames", seconds, fps, kMostFrames),
                     "Are its times seconds? Shorten it, or set timeline.fps lower.");
  return std::max(1, static_cast<int>(frames));
}

}  // namespace

int frames_up_to(double seconds, double fps, const Location& where) {
  return checked_frames(std::ceil(seconds * fps - 1e-3) + 1, seconds, fps, where);
}

int frames_within(double seconds, double fps, const Location& where) {
  return checked_frames(std::floor(seconds * fps + 1e-6) + 1, seconds, fps, where);
}

}  // namespace supple
