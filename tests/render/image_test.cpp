#include "supple/render/image.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "supple/base/error.h"

namespace supple {
namespace {

uint32_t u32(const std::vector<uint8_t>& b, size_t at) {
  return static_cast<uint32_t>(b.at(at)) << 24 | static_cast<uint32_t>(b.at(at + 1)) << 16 |
         static_cast<uint32_t>(b.at(at + 2)) << 8 | b.at(at + 3);
}

// Reads what encode_png writes, checking every checksum.
Image decode(const std::vector<uint8_t>& png) {
  Image image;
  std::vector<uint8_t> packed;
  size_t at = 8;
  std::string type;
  while (type != "IEND") {
    const size_t n = u32(png, at);
    type.assign(png.begin() + static_cast<std::ptrdiff_t>(at) + 4, png.begin() + static_cast<std::ptrdiff_t>(at) + 8);
    EXPECT_EQ(crc32(0, &png.at(at + 4), static_cast<uInt>(n + 4)), u32(png, at + 8 + n));
    if (type == "IHDR") image = Image(static_cast<int>(u32(png, at + 8)), static_cast<int>(u32(png, at + 12)));
    if (type == "IDAT") packed.assign(&png[at + 8], &png[at + 8] + n);
    at += 12 + n;
  }
  EXPECT_EQ(at, png.size());
  const size_t n = 3 * static_cast<size_t>(image.width);
  std::vector<uint8_t> rows((n + 1) * static_cast<size_t>(image.height) + 1);  // one more than there should be
  uLongf size = rows.size();
  EXPECT_EQ(uncompress(rows.data(), &size, packed.data(), packed.size()), Z_OK);
  EXPECT_EQ(size, rows.size() - 1);
  for (size_t y = 0; y < static_cast<size_t>(image.height); ++y) {
    const uint8_t filter = rows[y * (n + 1)];
    for (size_t i = 0; i < n; ++i) {
      const int left = i >= 3 ? image.rgb[y * n + i - 3] : 0, up = y ? image.rgb[(y - 1) * n + i] : 0;
      const int corner = y && i >= 3 ? image.rgb[(y - 1) * n + i - 3] : 0;
      int guess = 0;
      if (filter == 1) guess = left;
      if (filter == 2) guess = up;
      if (filter == 3) guess = (left + up) / 2;
      if (filter == 4) {
        const int p = left + up - corner, pl = std::abs(p - left), pu = std::abs(p - up), pc = std::abs(p - corner);
        guess = pl <= pu && pl <= pc ? left : pu <= pc ? up : corner;
      }
      image.rgb[y * n + i] = static_cast<uint8_t>(rows[y * (n + 1) + 1 + i] + guess);
    }
  }
  return image;
}

TEST(Png, RoundTripsAndIsSmall) {
  std::mt19937 random(5);
  Image noise(33, 17), ramp(200, 150);
  for (auto& b : noise.rgb) b = static_cast<uint8_t>(random());
  for (int y = 0; y < 150; ++y) {
    for (int x = 0; x < 200; ++x) ramp.set(x, y, {static_cast<uint8_t>(x), static_cast<uint8_t>(y), 7});
  }
  for (const Image& image : {noise, ramp, Image(1, 1, {1, 2, 3})}) {
    const Image back = decode(encode_png(image));
    EXPECT_EQ(back.width, image.width);
    EXPECT_EQ(back.height, image.height);
    EXPECT_EQ(back.rgb, image.rgb);
  }
  EXPECT_LT(encode_png(ramp).size(), 1000u);
}

TEST(Png, WritesWholeFilesOnly) {
  const auto folder = std::filesystem::temp_directory_path() / "supple_png_test";
  std::filesystem::create_directories(folder);
  const Image image(8, 5, {10, 200, 30});
  const auto path = folder / "a.png";
  write_png(path.string(), image);
  std::ifstream file(path, std::ios::binary);
  const std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(bytes, encode_png(image));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
  EXPECT_THROW(write_png((folder / "no" / "such.png").string(), image), InputError);
  EXPECT_THROW(write_png((folder / "empty.png").string(), Image()), InputError);
  std::filesystem::remove_all(folder);
}

TEST(FilmStrip, PutsFramesSideBySide) {
  const Image red(4, 3, {255, 0, 0}), green(2, 5, {0, 255, 0}), blue(3, 2, {0, 0, 255});
  const Image row = film_strip({red, green, blue}, 0, 1);
  EXPECT_EQ(row.width, 4 + 1 + 2 + 1 + 3);
  EXPECT_EQ(row.height, 5);
  EXPECT_EQ(row.at(3, 2), (std::array<uint8_t, 3>{255, 0, 0}));
  EXPECT_EQ(row.at(4, 0), (std::array<uint8_t, 3>{255, 255, 255}));
  EXPECT_EQ(row.at(5, 4), (std::array<uint8_t, 3>{0, 255, 0}));
  EXPECT_EQ(row.at(8, 1), (std::array<uint8_t, 3>{0, 0, 255}));
  EXPECT_EQ(row.at(8, 2), (std::array<uint8_t, 3>{255, 255, 255}));
  const Image block = film_strip({red, green, blue}, 2, 1);
  EXPECT_EQ(block.width, 7);
  EXPECT_EQ(block.height, 5 + 1 + 2);
  EXPECT_EQ(block.at(0, 6), (std::array<uint8_t, 3>{0, 0, 255}));
  EXPECT_EQ(film_strip({}).width, 0);
}

TEST(Srgb, EndsAndMiddle) {
  EXPECT_EQ(srgb_byte(0), 0);
  EXPECT_EQ(srgb_byte(1), 255);
  EXPECT_EQ(srgb_byte(7), 255);
  EXPECT_EQ(srgb_byte(-1), 0);
  EXPECT_EQ(srgb_byte(NAN), 0);
  EXPECT_EQ(srgb_byte(0.21586), 128);
}

}  // namespace
}  // namespace supple
