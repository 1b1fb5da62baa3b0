#include "supple/render/image.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "supple/base/error.h"
#include "supple/base/expect.h"
#include "supple/base/part_file.h"
#include "supple/render/png_chunks.h"

namespace supple {

namespace {
size_t offset(const Image& image, int x, int y) {
  return 3 * (static_cast<size_t>(y) * static_cast<size_t>(image.width) + static_cast<size_t>(x));
}

int paeth(int left, int up, int corner) {
  const int p = left + up - corner;
  const int dl = std::abs(p - left), du = std::abs(p - up), dc = std::abs(p - corner);
  return dl <= du && dl <= dc ? left : du <= dc ? up : corner;
}

// The row under PNG filter 0..4.
std::vector<uint8_t> filtered(const uint8_t* row, const uint8_t* above, size_t n, int filter) {
  std::vector<uint8_t> out(n);
  for (size_t i = 0; i < n; ++i) {
    const int left = i >= 3 ? row[i - 3] : 0, up = above ? above[i] : 0, corner = above && i >= 3 ? above[i - 3] : 0;
    const std::array<int, 5> guess{0, left, up, (left + up) / 2, paeth(left, up, corner)};
    out[i] = static_cast<uint8_t>(row[i] - guess[static_cast<size_t>(filter)]);
  }
  return out;
}
}  // namespace

Image::Image(int w, int h, std::array<uint8_t, 3> fill) : width(w), height(h) {
  expect(w >= 0 && h >= 0, "a size that is not negative");
  rgb.resize(3 * static_cast<size_t>(w) * static_cast<size_t>(h));
  for (size_t i = 0; i < rgb.size(); ++i) rgb[i] = fill[i % 3];
}

std::array<uint8_t, 3> Image::at(int x, int y) const {
  const size_t o = offset(*this, x, y);
  return {rgb[o], rgb[o + 1], rgb[o + 2]};
}

void Image::set(int x, int y, std::array<uint8_t, 3> color) {
  std::copy(color.begin(), color.end(), rgb.begin() + static_cast<std::ptrdiff_t>(offset(*this, x, y)));
}

uint8_t srgb_byte(double linear) {
  const double x = std::isnan(linear) ? 0 : std::clamp(linear, 0.0, 1.0);
  const double s = x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1 / 2.4) - 0.055;
  return static_cast<uint8_t>(std::lround(255 * s));
}

Image film_strip(const std::vector<Image>& frames, int columns, int gap, std::array<uint8_t, 3> gap_color) {
  if (frames.empty()) return {};
  const size_t per_row = columns > 0 ? static_cast<size_t>(columns) : frames.size();
  // Where each frame goes, then the copy.
  std::vector<std::array<int, 2>> place;
  int width = 0, y = 0;
  for (size_t begin = 0; begin < frames.size(); begin += per_row) {
    int x = 0, row_height = 0;
    for (size_t i = begin; i < std::min(frames.size(), begin + per_row); ++i) {
      place.push_back({x, y});
      x += frames[i].width + gap;
      row_height = std::max(row_height, frames[i].height);
    }
    width = std::max(width, x - gap);
    y += row_height + gap;
  }
  Image strip(width, y - gap, gap_color);
  for (size_t i = 0; i < frames.size(); ++i) {
    const Image& frame = frames[i];
    for (int row = 0; row < frame.height; ++row) {
      const auto from = frame.rgb.begin() + static_cast<std::ptrdiff_t>(offset(frame, 0, row));
      std::copy(from, from + 3 * frame.width,
                strip.rgb.begin() + static_cast<std::ptrdiff_t>(offset(strip, place[i][0], place[i][1] + row)));
    }
  }
  return strip;
}

std::vector<uint8_t> encode_png(const Image& image) {
  expect(image.rgb.size() == 3 * static_cast<size_t>(image.width) * static_cast<size_t>(image.height),
         "as many bytes as the size of the picture says");
  const size_t n = 3 * static_cast<size_t>(image.width);
  std::vector<uint8_t> rows;
  for (int y = 0; y < image.height; ++y) {
    const uint8_t* row = image.rgb.data() + n * static_cast<size_t>(y);
    // The filter whose output looks smallest, the usual rule of thumb.
    std::vector<uint8_t> best;
    long best_sum = 0;
    uint8_t best_filter = 0;
    for (int filter = 0; filter < 5; ++filter) {
      auto bytes = filtered(row, y > 0 ? row - n : nullptr, n, filter);
      long sum = 0;
      for (uint8_t b : bytes) sum += std::abs(static_cast<int8_t>(b));
      if (filter == 0 || sum < best_sum)
        best = std::move(bytes), best_sum = sum, best_filter = static_cast<uint8_t>(filter);
    }
    rows.push_back(best_filter);
    rows.insert(rows.end(), best.begin(), best.end());
  }
  std::vector<uint8_t> out{0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
  std::vector<uint8_t> header;
  put_u32(header, static_cast<uint32_t>(image.width));
  put_u32(header, static_cast<uint32_t>(image.height));
  header.insert(header.end(), {8, 2, 0, 0, 0});  // 8 bits, RGB
  put_chunk(out, "IHDR", header);
  put_chunk(out, "IDAT", compressed(rows));
  put_chunk(out, "IEND", {});
  return out;
}

void write_png(const std::string& path, const Image& image) {
  if (image.width <= 0 || image.height <= 0) throw InputError({path, 0, 0, ""}, "the picture is empty");
  const auto bytes = encode_png(image);
  PartFile file(path);
  try {
    file.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    file.put_in_place();
  } catch (...) {
    file.drop();
    throw;
  }
}

}  // namespace supple
