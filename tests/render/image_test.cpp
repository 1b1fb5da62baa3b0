#include "supple/render/image.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "supple/base/error.h"
#include "supple/render/deflate.h"

namespace supple {
namespace {

// A second path: inflate for blocks of fixed codes, written from RFC 1951 with its tables.
class Inflate {
 public:
  explicit Inflate(const std::vector<uint8_t>& in) : in_(in) {}
  std::vector<uint8_t> run() {
    static const int length_base[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                      31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const int length_extra[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                       2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    static const int far_base[] = {1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                   33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                   1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    static const int far_extra[] = {0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
                                    6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};
    std::vector<uint8_t> out;
    EXPECT_EQ((in_[0] * 256 + in_[1]) % 31, 0);
    EXPECT_EQ(in_[0] & 15, 8);
    at_ = 16;
    EXPECT_EQ(bits(1), 1);
    EXPECT_EQ(bits(2), 1);
    for (;;) {
      const int s = symbol();
      if (s == 256) break;
      if (s < 256) {
        out.push_back(static_cast<uint8_t>(s));
        continue;
      }
      const int length = length_base[s - 257] + bits(length_extra[s - 257]);
      const int f = code(5);
      const int far = far_base[f] + bits(far_extra[f]);
      for (int i = 0; i < length; ++i) out.push_back(out.at(out.size() - static_cast<size_t>(far)));
    }
    const size_t tail = (at_ + 7) / 8;
    EXPECT_EQ(tail + 4, in_.size());
    uint32_t check = 0;
    for (size_t i = tail; i < in_.size(); ++i) check = check << 8 | in_[i];
    EXPECT_EQ(check, adler32(out.data(), out.size()));
    return out;
  }

 private:
  int bit() {
    const int b = in_.at(at_ / 8) >> (at_ % 8) & 1;
    ++at_;
    return b;
  }
  int bits(int n) {
    int v = 0;
    for (int i = 0; i < n; ++i) v |= bit() << i;
    return v;
  }
  int code(int n) {
    int v = 0;
    for (int i = 0; i < n; ++i) v = v << 1 | bit();
    return v;
  }
  int symbol() {
    int v = code(7);
    if (v <= 23) return 256 + v;
    v = v << 1 | bit();
    if (v >= 48 && v <= 191) return v - 48;
    if (v >= 192 && v <= 199) return 280 + v - 192;
    v = v << 1 | bit();
    return 144 + v - 400;
  }
  const std::vector<uint8_t>& in_;
  size_t at_ = 0;
};

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
    EXPECT_EQ(crc32(&png.at(at + 4), n + 4), u32(png, at + 8 + n));
    if (type == "IHDR") image = Image(static_cast<int>(u32(png, at + 8)), static_cast<int>(u32(png, at + 12)));
    if (type == "IDAT") packed.assign(&png[at + 8], &png[at + 8] + n);
    at += 12 + n;
  }
  EXPECT_EQ(at, png.size());
  const auto rows = Inflate(packed).run();
  const size_t n = 3 * static_cast<size_t>(image.width);
  EXPECT_EQ(rows.size(), (n + 1) * static_cast<size_t>(image.height));
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

TEST(Checksums, KnownValues) {
  const std::string text = "123456789", wiki = "Wikipedia";
  EXPECT_EQ(crc32(reinterpret_cast<const uint8_t*>(text.data()), 9), 0xCBF43926u);
  EXPECT_EQ(adler32(reinterpret_cast<const uint8_t*>(wiki.data()), 9), 0x11E60398u);
}

TEST(Deflate, RoundTripsAnyData) {
  std::mt19937 random(3);
  for (size_t n : {0, 1, 2, 3, 4, 257, 258, 259, 5000, 100000}) {
    for (unsigned letters : {1u, 2u, 7u, 256u}) {
      std::vector<uint8_t> data(n);
      for (auto& b : data) b = static_cast<uint8_t>(random() % letters + (letters == 7 ? 140 : 0));
      EXPECT_EQ(Inflate(zlib_compress(data)).run(), data) << n << " " << letters;
    }
  }
  // Repeats far apart, up to the edge of the window and beyond it.
  for (size_t gap : {32767, 32768, 32769, 40000}) {
    std::vector<uint8_t> data(gap + 300);
    for (auto& b : data) b = static_cast<uint8_t>(random());
    std::copy_n(data.begin(), 300, data.begin() + static_cast<std::ptrdiff_t>(gap));
    EXPECT_EQ(Inflate(zlib_compress(data)).run(), data) << gap;
  }
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
  EXPECT_LT(encode_png(ramp).size(), 3000u);
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
