// Pictures in memory and as PNG files.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "supple/base/types.h"

namespace supple {

struct Image {
  int width = 0, height = 0;
  std::vector<uint8_t> rgb;  // sRGB, rows from the top, 3 bytes a pixel

  Image() = default;
  Image(int w, int h, std::array<uint8_t, 3> fill = {255, 255, 255});
  std::array<uint8_t, 3> at(int x, int y) const;
  void set(int x, int y, std::array<uint8_t, 3> color);
};

// Linear 0..1 to an sRGB byte, clamped; NaN gives 0.
uint8_t srgb_byte(double linear);

// Frames side by side from left to right, `columns` to a row (0: all in one row), with a gap between them. Frames may
// differ in size; each row is as high as its highest frame.
Image film_strip(const std::vector<Image>& frames, int columns = 0, int gap = 4,
                 std::array<uint8_t, 3> gap_color = {255, 255, 255});

// The file's bytes: 8-bit RGB, row filters, zlib. The same image gives the same bytes.
std::vector<uint8_t> encode_png(const Image& image);
// Writes beside the target and renames. Throws InputError when the file cannot be written.
void write_png(const std::string& path, const Image& image);

}  // namespace supple
