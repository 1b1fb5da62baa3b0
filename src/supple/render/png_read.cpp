// PNG as in its specification (ISO/IEC 15948): all colour types and depths, interlaced or not. Check sums are not
// looked at: a picture that shows something is better than none.
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "supple/render/picture.h"

namespace supple {

namespace {

constexpr size_t kCutOff = 64;

constexpr uint32_t kLargestSide = 8192, kMostDots = 1 << 25;

uint32_t u32(std::string_view s, size_t at) {
  uint32_t x = 0;
  for (size_t i = 0; i < 4; ++i) x = x << 8 | static_cast<uint8_t>(s[at + i]);
  return x;
}

struct PngHeader {
  uint32_t width = 0, height = 0;
  int depth = 0, kind = 0, interlace = 0;
  int channels() const { return kind == 2 ? 3 : kind == 4 ? 2 : kind == 6 ? 4 : 1; }
  size_t row_bytes(uint32_t w) const {
    return (static_cast<size_t>(w) * static_cast<size_t>(channels() * depth) + 7) / 8;
  }
  bool ok() const {
    const bool depths = kind == 0   ? depth == 1 || depth == 2 || depth == 4 || depth == 8 || depth == 16
                        : kind == 3 ? depth == 1 || depth == 2 || depth == 4 || depth == 8
                                    : (kind == 2 || kind == 4 || kind == 6) && (depth == 8 || depth == 16);
    return depths && width > 0 && height > 0 && width <= kLargestSide && height <= kLargestSide &&
           width * height <= kMostDots && interlace <= 1;
  }
};

uint8_t predicted(int left, int up, int corner) {
  const int p = left + up - corner, dl = std::abs(p - left), du = std::abs(p - up), dc = std::abs(p - corner);
  return static_cast<uint8_t>(dl <= du && dl <= dc ? left : du <= dc ? up : corner);
}

// Rows of a picture or of one of its passes, filters undone in place; false: there are not so many bytes.
bool unfilter(std::vector<uint8_t>& data, size_t& at, size_t rows, size_t bytes, size_t step,
              std::vector<uint8_t>& out) {
  out.assign(rows * bytes, 0);
  for (size_t y = 0; y < rows; ++y) {
    if (at + 1 + bytes > data.size()) return false;
    const int filter = data[at++];
    uint8_t* row = &out[y * bytes];
    const uint8_t* above = y > 0 ? row - bytes : nullptr;
    for (size_t i = 0; i < bytes; ++i) {
      const int left = i >= step ? row[i - step] : 0, up = above ? above[i] : 0;
      const int corner = above && i >= step ? above[i - step] : 0;
      const int guess = filter == 1   ? left
                        : filter == 2 ? up
                        : filter == 3 ? (left + up) / 2
                        : filter == 4 ? predicted(left, up, corner)
                                      : 0;
      row[i] = static_cast<uint8_t>(data[at + i] + guess);
    }
    at += bytes;
  }
  return true;
}

struct PngColors {
  std::array<std::array<uint8_t, 4>, 256> palette;
  int keyed[3] = {-1, -1, -1};  // the grey or colour that is left out, as in the file
};

void put_dot(const PngHeader& h, const PngColors& colors, const uint8_t* row, size_t x, uint8_t* to) {
  std::array<int, 4> raw{};
  const auto n = static_cast<size_t>(h.channels());
  for (size_t c = 0; c < n; ++c) {
    const size_t i = x * n + c;
    if (h.depth == 16)
      raw[c] = row[2 * i] << 8 | row[2 * i + 1];
    else if (h.depth == 8)
      raw[c] = row[i];
    else
      raw[c] = row[i * static_cast<size_t>(h.depth) / 8] >>
                   (8 - h.depth - static_cast<int>(i * static_cast<size_t>(h.depth) % 8)) &
               ((1 << h.depth) - 1);
  }
  if (h.kind == 3) {
    std::copy(colors.palette[static_cast<size_t>(raw[0])].begin(), colors.palette[static_cast<size_t>(raw[0])].end(),
              to);
    return;
  }
  const auto byte = [&](int v) {
    return static_cast<uint8_t>(h.depth == 16 ? v >> 8 : v * 255 / ((1 << h.depth) - 1));
  };
  const bool grey = h.kind == 0 || h.kind == 4;
  for (size_t c = 0; c < 3; ++c) to[c] = byte(raw[grey ? 0 : c]);
  to[3] = 255;
  if (h.kind == 4) to[3] = byte(raw[1]);
  if (h.kind == 6) to[3] = byte(raw[3]);
  if (colors.keyed[0] >= 0 && raw[0] == colors.keyed[0] &&
      (grey || (raw[1] == colors.keyed[1] && raw[2] == colors.keyed[2])))
    to[3] = 0;
}

}  // namespace

std::optional<Picture> read_png(std::string_view bytes) {
  PngHeader h;
  PngColors colors;
  for (auto& c : colors.palette) c = {0, 0, 0, 255};
  std::string packed;
  for (size_t at = 8; at + 12 <= bytes.size();) {
    const size_t length = u32(bytes, at);
    const std::string_view kind = bytes.substr(at + 4, 4);
    const std::string_view data = bytes.substr(at + 8, std::min(length, bytes.size() - at - 8));
    if (kind == "IHDR" && data.size() >= 13) {
      h.width = u32(data, 0), h.height = u32(data, 4);
      h.depth = static_cast<uint8_t>(data[8]), h.kind = static_cast<uint8_t>(data[9]);
      h.interlace = static_cast<uint8_t>(data[12]);
      if (!h.ok()) return std::nullopt;
    } else if (kind == "PLTE") {
      for (size_t i = 0; i < std::min<size_t>(256, data.size() / 3); ++i)
        for (size_t c = 0; c < 3; ++c) colors.palette[i][c] = static_cast<uint8_t>(data[3 * i + c]);
    } else if (kind == "tRNS" && h.kind == 3) {
      for (size_t i = 0; i < std::min<size_t>(256, data.size()); ++i)
        colors.palette[i][3] = static_cast<uint8_t>(data[i]);
    } else if (kind == "tRNS") {
      for (size_t c = 0; c < 3 && 2 * c + 1 < data.size(); ++c)
        colors.keyed[c] = static_cast<uint8_t>(data[2 * c]) << 8 | static_cast<uint8_t>(data[2 * c + 1]);
    } else if (kind == "IDAT") {
      packed += data;
    } else if (kind == "IEND") {
      break;
    }
    at += 12 + length;
  }
  if (!h.ok() || packed.empty()) return std::nullopt;

  // Passes: where each begins and how far apart its pixels are.
  struct Pass {
    uint32_t x, y, dx, dy;
  };
  std::vector<Pass> passes = {{0, 0, 1, 1}};
  if (h.interlace)
    passes = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};
  const auto count = [](uint32_t n, uint32_t from, uint32_t step) {
    return n > from ? (n - from + step - 1) / step : 0;
  };
  size_t size = 0;
  for (const Pass& p : passes)
    if (const uint32_t w = count(h.width, p.x, p.dx); w > 0) size += count(h.height, p.y, p.dy) * (1 + h.row_bytes(w));
  // Deflate makes a thousand bytes of one at most; what is cut off is shown as far as it goes.
  if (size / 1032 > kCutOff * (packed.size() + kCutOff)) return std::nullopt;
  std::vector<uint8_t> data(size);
  z_stream z{};
  if (inflateInit(&z) != Z_OK) return std::nullopt;
  z.next_in = reinterpret_cast<Bytef*>(packed.data()), z.avail_in = static_cast<uInt>(packed.size());
  z.next_out = data.data(), z.avail_out = static_cast<uInt>(data.size());
  inflate(&z, Z_FINISH);
  const size_t filled = data.size() - z.avail_out;
  inflateEnd(&z);
  if (filled == 0) return std::nullopt;  // of one that is cut off the rest is black

  Picture out;
  out.width = static_cast<int>(h.width), out.height = static_cast<int>(h.height);
  out.rgba.assign(4 * static_cast<size_t>(h.width) * h.height, 255);
  size_t at = 0;
  std::vector<uint8_t> rows;
  for (const Pass& p : passes) {
    const uint32_t w = count(h.width, p.x, p.dx), n = count(h.height, p.y, p.dy);
    if (w == 0 || n == 0) continue;
    const size_t bytes_a_row = h.row_bytes(w),
                 step = std::max<size_t>(1, static_cast<size_t>(h.channels() * h.depth) / 8);
    if (!unfilter(data, at, n, bytes_a_row, step, rows)) break;
    for (uint32_t y = 0; y < n; ++y)
      for (uint32_t x = 0; x < w; ++x) {
        const size_t pixel = static_cast<size_t>(p.y + y * p.dy) * h.width + p.x + x * p.dx;
        put_dot(h, colors, &rows[y * bytes_a_row], x, &out.rgba[4 * pixel]);
      }
  }
  return out;
}

}  // namespace supple
