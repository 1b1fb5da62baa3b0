// Pictures of what a run drew, from one side, with its own materials.
#pragma once
#include <string>

#include "supple/pipeline/deliver/surface_files.h"
#include "supple/render/image.h"

namespace supple::pipeline {

// A strip: the first frame, the largest departure from it (where things touch: the frame in which most do), the last.
std::string poster_png(const OutputRequest& out, const DrawnFrames& drawn);

// One frame, from the same side.
Image picture_of(const OutputRequest& out, const DrawnFrames& drawn, int frame);

// The liveliest two seconds as an animated PNG, of at most 48 frames and about a megabyte.
std::string moving_png(const OutputRequest& out, const DrawnFrames& drawn);

// Which frames those are: the window of `seconds` in which the sum is largest, every so many so that there are not more
// than `most`. liveliness: one number a frame.
struct Window {
  int first = 0, count = 1, every = 1;  // frames first, first + every, ...
};
Window liveliest(const std::vector<double>& liveliness, double fps, double seconds, int most);

}  // namespace supple::pipeline
