// Pictures that move, for those who open nothing but a folder.
#pragma once
#include <cstdint>
#include <vector>

#include "supple/render/image.h"

namespace supple {

// An animated PNG (APNG) that goes on for ever: at most 256 colours for all frames, chosen from them, and of each frame
// the rectangle that changes. Viewers that know nothing of it show the first frame. The same frames give the same
// bytes. Frames: at least one, all of one size.
std::vector<uint8_t> encode_moving_png(const std::vector<Image>& frames, double seconds_a_frame);

}  // namespace supple
