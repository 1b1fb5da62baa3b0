// A moving picture, read back by a second reader straight from the words of the APNG specification.
#include "supple/render/moving_image.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <random>

namespace supple {
namespace {

struct Played {
  int plays = -1;
  std::vector<Image> frames;
  std::vector<double> seconds;
};

Played play(const std::vector<uint8_t>& png) {
  const auto u32 = [&](size_t at) {
    return static_cast<uint32_t>(png.at(at)) << 24 | static_cast<uint32_t>(png.at(at + 1)) << 16 |
           static_cast<uint32_t>(png.at(at + 2)) << 8 | png.at(at + 3);
  };
  Played out;
  Image canvas;
  std::vector<uint8_t> palette, alpha;
  uint32_t sequence = 0;
  int w = 0, h = 0, x0 = 0, y0 = 0, blend = 0;
  for (size_t at = 8; at < png.size();) {
    const size_t n = u32(at), data = at + 8;
    const std::string kind(png.begin() + static_cast<long>(at) + 4, png.begin() + static_cast<long>(at) + 8);
    EXPECT_EQ(crc32(0, &png.at(at + 4), static_cast<uInt>(n + 4)), u32(data + n)) << kind;
    if (kind == "IHDR") canvas = Image(static_cast<int>(u32(data)), static_cast<int>(u32(data + 4)));
    if (kind == "acTL") out.plays = static_cast<int>(u32(data + 4));
    if (kind == "PLTE") palette.assign(&png[data], &png[data] + n);
    if (kind == "tRNS") alpha.assign(&png[data], &png[data] + n);
    if (kind == "fcTL") {
      EXPECT_EQ(u32(data), sequence++);
      w = static_cast<int>(u32(data + 4)), h = static_cast<int>(u32(data + 8));
      x0 = static_cast<int>(u32(data + 12)), y0 = static_cast<int>(u32(data + 16));
      out.seconds.push_back((png[data + 20] << 8 | png[data + 21]) / double(png[data + 22] << 8 | png[data + 23]));
      EXPECT_EQ(png[data + 24], 0);
      blend = png[data + 25];
    }
    if (kind == "IDAT" || kind == "fdAT") {
      const size_t skip = kind == "fdAT" ? 4 : 0;
      if (skip) EXPECT_EQ(u32(data), sequence++);
      std::vector<uint8_t> rows(static_cast<size_t>((w + 1) * h));
      uLongf size = rows.size();
      EXPECT_EQ(uncompress(rows.data(), &size, &png[data + skip], n - skip), Z_OK);
      EXPECT_EQ(size, rows.size());
      for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x) {
          const size_t k = rows[static_cast<size_t>(y * (w + 1) + 1 + x)];
          if (blend == 1 && k < alpha.size() && alpha[k] == 0) continue;
          canvas.set(x0 + x, y0 + y, {palette.at(3 * k), palette.at(3 * k + 1), palette.at(3 * k + 2)});
        }
      out.frames.push_back(canvas);
    }
    at += 12 + n;
  }
  return out;
}

TEST(MovingPng, few_colours_come_back_as_they_are) {
  std::vector<Image> frames;
  for (int f = 0; f < 6; ++f) {
    Image image(30, 20, {200, 210, 220});
    for (int y = 4; y < 9; ++y)
      for (int x = 0; x < 5; ++x) image.set(3 * f + x, y + f, {static_cast<uint8_t>(40 * x), 20, 90});
    frames.push_back(image);
  }
  frames.push_back(frames.back());  // nothing changes
  const auto bytes = encode_moving_png(frames, 1 / 24.0);
  const Played p = play(bytes);
  EXPECT_EQ(p.plays, 0);
  ASSERT_EQ(p.frames.size(), frames.size());
  for (size_t f = 0; f < frames.size(); ++f) {
    EXPECT_EQ(p.frames[f].rgb, frames[f].rgb) << f;
    EXPECT_NEAR(p.seconds[f], 1 / 24.0, 5e-4);
  }
  EXPECT_LT(bytes.size(), 4000u);
  EXPECT_EQ(bytes, encode_moving_png(frames, 1 / 24.0));
}

TEST(MovingPng, many_colours_become_the_nearest_of_256) {
  Image image(64, 64);
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 64; ++x)
      image.set(x, y, {static_cast<uint8_t>(4 * x), static_cast<uint8_t>(4 * y), static_cast<uint8_t>(2 * (x + y))});
  const Played p = play(encode_moving_png({image}, 0.1));
  ASSERT_EQ(p.frames.size(), 1u);
  double sum = 0;
  for (size_t i = 0; i < image.rgb.size(); ++i) sum += std::pow(p.frames[0].rgb[i] - image.rgb[i], 2);
  EXPECT_LT(std::sqrt(sum / static_cast<double>(image.rgb.size())), 8);
}

}  // namespace
}  // namespace supple
