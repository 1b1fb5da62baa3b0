// Pictures of others: what another program reads of them.
#include "supple/render/picture.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <random>

#include "supple/render/image.h"
#include "supple/render/render.h"

namespace supple {
namespace {

// 20 by 18 pixels of (12 x, 13 y, 255 - 10 x), written by libjpeg: sequential with colours at half the size,
// progressive with colours at full size, and grey.
constexpr const char* kSequential =
    "ffd8ffe000104a46494600010100000100010000ffdb004300080606070605080707070909080a0c140d0c0b0b0c1912130f141d1a1f"
    "1e1d1a1c1c20242e2720222c231c1c2837292c30313434341f27393d38323c2e333432ffdb0043010909090c0b0c180d0d1832211c21"
    "3232323232323232323232323232323232323232323232323232323232323232323232323232323232323232323232323232ffc00011"
    "080012001403012200021101031101ffc4001800010101010100000000000000000000000005060307ffc4001f100001030403010000"
    "0000000000000000000102050321223104329112ffc400160101010100000000000000000000000000070604ffc4001c110002020203"
    "0000000000000000000000000501022122313241ffda000c03010002110311003f00f3fa111ac4a94223589a9a111ac4a942235894cf"
    "18f3933236dc64c932231ea0df32231ea039bb1da7221d1b6b193a506a5ac9e1538ed4b593c00a379e82093c2831a9f2964000757ed2"
    "2253ac1fffd9";
constexpr const char* kProgressive =
    "ffd8ffe000104a46494600010100000100010000ffdb004300080606070605080707070909080a0c140d0c0b0b0c1912130f141d1a1f"
    "1e1d1a1c1c20242e2720222c231c1c2837292c30313434341f27393d38323c2e333432ffdb0043010909090c0b0c180d0d1832211c21"
    "3232323232323232323232323232323232323232323232323232323232323232323232323232323232323232323232323232ffc20011"
    "080012001403011100021101031101ffc400160001010100000000000000000000000000040206ffc400170101010101000000000000"
    "00000000000005060307ffda000c03010002100310000001cfd3e0a198414a31ee7ea1d9492a55242a8661052bffc400191000030101"
    "010000000000000000000000000103130210ffda000801010001050252148c852148c8473e7fffc40018110101010101000000000000"
    "00000000000300022131ffda0008010301013f0105816c2f205816c2f2082cf97fffc400181101010101010000000000000000000000"
    "0300022131ffda0008010201013f01749d2da76749d2da7679edfb7fffc40014100100000000000000000000000000000030ffda0008"
    "010100063f021fffc4001810000301010000000000000000000000000001612131ffda0008010100013f2199316784c98b3c14412c3f"
    "ffda000c0301000200030000001000f89b5fffc4001811000301010000000000000000000000000001311021ffda0008010301013f10"
    "891c71238d98cf83b1ffc40017110101010100000000000000000000000031000110ffda0008010201013f105978d65e3d369b57ffc4"
    "001a100002030101000000000000000000000000011021319111ffda0008010100013f10cc670ccc670c5552e08aa5c15e291fffd9";
constexpr const char* kGrey =
    "ffd8ffe000104a46494600010100000100010000ffdb004300080606070605080707070909080a0c140d0c0b0b0c1912130f141d1a1f"
    "1e1d1a1c1c20242e2720222c231c1c2837292c30313434341f27393d38323c2e333432ffc0000b080012001401011100ffc400160001"
    "010100000000000000000000000000050307ffc4001f1000000602030100000000000000000000000102030522213104329112ffda00"
    "08010100003f00cfd888d5428c446aa1044457a865888d5428c446aa1144457a8a3092c60bc0a71d258c17810424be4b043fffd9";

std::string bytes_of(const std::string& hex) {
  std::string out;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    out.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return out;
}

using Rgb = std::array<int, 3>;
Rgb pixel(const Picture& p, int x, int y) {
  const uint8_t* at = &p.rgba[4 * static_cast<size_t>(y * p.width + x)];
  return {at[0], at[1], at[2]};
}

TEST(Jpeg, pixels_are_those_of_another_reader) {
  struct Case {
    const char* hex;
    std::array<Rgb, 4> expected;  // as libjpeg reads them
    double off;
  };
  for (const Case& c : {Case{kSequential, {{{2, 3, 243}, {85, 115, 187}, {220, 218, 81}, {147, 37, 132}}}, 14},
                        Case{kProgressive, {{{0, 3, 255}, {86, 115, 183}, {225, 218, 68}, {143, 39, 138}}}, 2},
                        Case{kGrey, {{{30, 30, 30}, {114, 114, 114}, {203, 203, 203}, {81, 81, 81}}}, 1}}) {
    const auto p = read_jpeg(bytes_of(c.hex));
    ASSERT_TRUE(p);
    EXPECT_EQ(p->width, 20);
    EXPECT_EQ(p->height, 18);
    const std::array<std::array<int, 2>, 4> places = {{{0, 0}, {7, 9}, {19, 17}, {12, 3}}};
    for (size_t k = 0; k < 4; ++k)
      for (size_t a = 0; a < 3; ++a)
        EXPECT_NEAR(pixel(*p, places[k][0], places[k][1])[a], c.expected[k][a], c.off) << k << " " << a;
  }
}

TEST(Jpeg, what_is_cut_off_or_damaged_harms_nobody) {
  std::mt19937 random(3);
  for (const char* hex : {kSequential, kProgressive, kGrey}) {
    const std::string whole = bytes_of(hex);
    for (size_t n = 0; n < whole.size(); n += 3) read_jpeg(whole.substr(0, n));
    for (int round = 0; round < 400; ++round) {
      std::string bad = whole;
      for (int k = 0; k < 3; ++k) bad[random() % bad.size()] = static_cast<char>(random());
      if (const auto p = read_jpeg(bad))
        EXPECT_EQ(p->rgba.size(), 4 * static_cast<size_t>(p->width) * static_cast<size_t>(p->height));
    }
    EXPECT_FALSE(read_jpeg(whole.substr(0, 60)));
  }
  EXPECT_FALSE(read_picture("GIF89a"));
  EXPECT_FALSE(read_picture(""));
}

TEST(PngRead, what_is_written_comes_back) {
  std::mt19937 random(7);
  Image image(37, 23);
  for (uint8_t& b : image.rgb) b = static_cast<uint8_t>(random());
  const auto bytes = encode_png(image);
  const auto p = read_picture({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  ASSERT_TRUE(p);
  for (int y = 0; y < 23; ++y)
    for (int x = 0; x < 37; ++x) {
      const auto c = image.at(x, y);
      EXPECT_EQ(pixel(*p, x, y), (Rgb{c[0], c[1], c[2]}));
    }
  for (size_t n = 0; n < bytes.size(); n += 31) read_png({reinterpret_cast<const char*>(bytes.data()), n});
}

// A PNG of rows as they are, without filters.
std::string png_of(uint32_t width, uint32_t height, int depth, int kind, int interlace, const std::string& rows,
                   const std::string& palette = "", const std::string& see_through = "") {
  std::string out = "\x89PNG\r\n\x1A\n";
  const auto u32 = [](uint32_t v) {
    std::string s;
    for (int shift = 24; shift >= 0; shift -= 8) s.push_back(static_cast<char>(v >> shift));
    return s;
  };
  const auto chunk = [&](const std::string& type, const std::string& data) {
    out += u32(static_cast<uint32_t>(data.size())) + type + data + u32(0);
  };
  chunk("IHDR", u32(width) + u32(height) +
                    std::string{static_cast<char>(depth), static_cast<char>(kind), 0, 0, static_cast<char>(interlace)});
  if (!palette.empty()) chunk("PLTE", palette);
  if (!see_through.empty()) chunk("tRNS", see_through);
  std::vector<Bytef> packed(compressBound(rows.size()));
  uLongf size = packed.size();
  compress(packed.data(), &size, reinterpret_cast<const Bytef*>(rows.data()), rows.size());
  chunk("IDAT", std::string(packed.begin(), packed.begin() + static_cast<long>(size)));
  chunk("IEND", "");
  return out;
}

TEST(PngRead, palettes_depths_and_what_is_see_through) {
  // Two bits a pixel: colours 0 1 2 3 0.
  const auto p = read_png(png_of(5, 1, 2, 3, 0, std::string("\x00\x1B\x00", 3), "abcdefghijkl", "\x05\x06"));
  ASSERT_TRUE(p);
  EXPECT_EQ(pixel(*p, 1, 0), (Rgb{'d', 'e', 'f'}));
  EXPECT_EQ(pixel(*p, 3, 0), (Rgb{'j', 'k', 'l'}));
  EXPECT_EQ(pixel(*p, 4, 0), (Rgb{'a', 'b', 'c'}));
  EXPECT_EQ(p->rgba[3], 5);
  EXPECT_EQ(p->rgba[7], 6);
  EXPECT_EQ(p->rgba[11], 255);
  const auto deep = read_png(png_of(1, 1, 16, 6, 0, std::string("\x00\x80\x11\x40\x22\x20\x33\x10\x44", 9)));
  ASSERT_TRUE(deep);
  EXPECT_EQ(pixel(*deep, 0, 0), (Rgb{0x80, 0x40, 0x20}));
  EXPECT_EQ(deep->rgba[3], 0x10);
  // Interlaced, 3 by 3, grey: the passes have 1 (0,0), none, none, 1 (2,0)... in the order of Adam7.
  std::string rows;
  const auto row = [&](std::initializer_list<int> values) {
    rows.push_back(0);
    for (int v : values) rows.push_back(static_cast<char>(v));
  };
  row({11});          // pass 1: (0,0)
  row({13});          // pass 4: (2,0)
  row({31, 33});      // pass 5: row 2, columns 0 and 2
  row({12});          // pass 6: (1,0)
  row({32});          // pass 6: (1,2)
  row({21, 22, 23});  // pass 7: row 1
  const auto grey = read_png(png_of(3, 3, 8, 0, 1, rows));
  ASSERT_TRUE(grey);
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < 3; ++x) EXPECT_EQ(pixel(*grey, x, y)[0], 10 * (y + 1) + x + 1) << x << y;
  EXPECT_FALSE(read_png(png_of(100000, 100000, 8, 6, 0, "")));
  EXPECT_FALSE(read_png(png_of(2, 2, 3, 2, 0, "")));
}

TEST(Picture, is_looked_up_between_pixels_repeats_and_shrinks) {
  Picture p;
  p.width = 2, p.height = 1;
  p.rgba = {255, 0, 0, 255, 0, 0, 255, 0};
  EXPECT_NEAR(p.at({0.25, 0.5})[0], 1, 1e-12);
  EXPECT_NEAR(p.at({0.5, 0.1})[0], 0.5, 1e-12);
  EXPECT_NEAR(p.at({0.5, 0.9})[3], 0.5, 1e-12);
  EXPECT_NEAR(p.at({-0.75, 7})[0], 1, 1e-12);
  EXPECT_NEAR(p.at({1, 0.5})[2], 0.5, 1e-12);
  const Picture half = shrunk(p, 1);
  EXPECT_EQ(half.width, 1);
  EXPECT_EQ(half.rgba[0], srgb_byte(0.5));
  EXPECT_EQ(half.rgba[3], 128);
}

// A square with a picture: each half in its colour, and what is cut out shows what is behind.
TEST(Picture, lies_on_a_surface) {
  Picture p;
  p.width = 2, p.height = 1;
  p.rgba = {255, 0, 0, 255, 0, 0, 255, 0};
  RenderMesh square;
  square.vertices = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
  square.triangles = {{0, 1, 2}, {0, 2, 3}};
  square.uvs = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  square.looks = {{.picture = std::make_shared<const Picture>(p), .cut_out = 0.5}};
  square.look = {0, 0};
  Camera camera;
  camera.perspective = false;
  const RenderOptions how{.width = 40, .height = 40, .background_top = {0, 1, 0}, .background_bottom = {0, 1, 0}};
  const Image image = render({square}, camera, how);
  const auto left = image.at(10, 20), right = image.at(30, 20);
  EXPECT_GT(left[0], 100);
  EXPECT_LT(left[2], 60);
  EXPECT_EQ(right, (std::array<uint8_t, 3>{0, 255, 0}));
  square.looks[0].cut_out = 0;
  const auto whole = render({square}, camera, how).at(30, 20);
  EXPECT_GT(whole[2], 100);
  EXPECT_LT(whole[0], 60);
}

}  // namespace
}  // namespace supple
