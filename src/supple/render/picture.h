// Pictures that others made, read for what they show on a surface.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "supple/base/types.h"

namespace supple {

struct Picture {
  int width = 0, height = 0;
  std::vector<uint8_t> rgba;  // sRGB and alpha, rows from the top, 4 bytes a pixel

  // Linear RGB and alpha at a place; (0, 0) is the upper left corner, and the picture repeats beyond (1, 1).
  Eigen::Vector4d at(const Eigen::Vector2d& uv) const;
};

// A PNG, or a JPEG of 8 bits, sequential or progressive, grey or in colours. Nothing: it is of another kind, larger
// than 8192 pixels a side or 32 million in all, or damaged; of one that is cut off what is there.
std::optional<Picture> read_picture(std::string_view bytes);
std::optional<Picture> read_png(std::string_view bytes);
std::optional<Picture> read_jpeg(std::string_view bytes);

// Halved until neither side is longer, so that a small view of it does not flicker.
Picture shrunk(Picture picture, int longest_side);

}  // namespace supple
