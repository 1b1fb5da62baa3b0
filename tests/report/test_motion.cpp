// The motion inside report.html: packed, and read back by a second decoder here and by the page's own in node.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "supple/base/markup.h"
#include "supple/base/parallel.h"
#include "supple/report/bit_pack.h"
#include "supple/report/html.h"
#include "supple/report/motion.h"
#include "tests/report/unpack_motion.h"

namespace supple {
namespace {

// A bent sheet of cells x cells squares that swings, each square with corners of its own; its right half is soft.
MotionSource sheet(int cells, int n_frames) {
  MotionSource s;
  s.n_frames = n_frames;
  Points rest;
  for (int i = 0; i < cells; ++i)
    for (int j = 0; j < cells; ++j) {
      const int v = static_cast<int>(rest.size());
      for (const auto& [a, b] : {std::pair{0, 0}, std::pair{1, 0}, std::pair{1, 1}, std::pair{0, 1}})
        rest.emplace_back(i + a, 0, j + b);
      s.triangles.push_back({v, v + 2, v + 1});
      s.triangles.push_back({v, v + 3, v + 2});
    }
  s.n_vertices = static_cast<int>(rest.size());
  s.normals.assign(rest.size(), Vec3::UnitY());
  s.looks.resize(1);
  s.looks[0].n_triangles = static_cast<int>(s.triangles.size());
  s.size_m = cells;
  s.frame = [=](int f, std::vector<float>& input, std::vector<float>& result) {
    input.clear(), result.clear();
    for (const Vec3& r : rest) {
      const Vec3 x(r.x() + 0.3 * f, std::sin(0.2 * f) * r.x(), r.z());
      const double soft = r.x() > cells / 2 ? 0.02 * r.x() * std::sin(0.9 * f + r.z()) : 0;
      for (int a = 0; a < 3; ++a) {
        input.push_back(static_cast<float>(x[a]));
        result.push_back(static_cast<float>(x[a] + (a == 1 ? soft : 0)));
      }
    }
  };
  return s;
}

}  // namespace

TEST(BitPack, WhatIsAppendedIsAsPackedAtOnce) {
  std::mt19937 random(11);
  BitPacker whole, joined;
  for (int piece = 0; piece < 200; ++piece) {
    BitPacker part;
    for (int k = static_cast<int>(random() % 40); k > 0; --k) {
      const int n = 1 + static_cast<int>(random() % 48);
      const uint64_t value = (static_cast<uint64_t>(random()) << 32 | random()) & ((uint64_t{1} << n) - 1);
      whole.bits(value, n), part.bits(value, n);
    }
    joined.append(part);
    EXPECT_EQ(joined.size(), whole.size());
  }
  const std::string bytes = whole.finish();
  EXPECT_GT(bytes.size(), 10000u);
  EXPECT_EQ(joined.finish(), bytes);
}

TEST(BitPack, ListsComeBack) {
  std::mt19937 random(7);
  for (const int range : {0, 1, 2, 40, 5000, 1 << 20, std::numeric_limits<int>::max()}) {
    for (const size_t n : {0u, 1u, 31u, 32u, 33u, 1000u}) {
      std::vector<int> numbers(n);
      for (int& x : numbers) x = range == 0 ? 0 : static_cast<int>(random() % static_cast<unsigned>(range));
      EXPECT_EQ(unpack_list(pack_list(numbers), n), numbers) << range << " " << n;
    }
  }
  std::vector<int> rising(3200);
  for (size_t i = 0; i < rising.size(); ++i) rising[i] = static_cast<int>(i);
  EXPECT_EQ(pack_list(rising).size(), 3200 * 3 / 8 + 50u);      // 3 bits each and 4 a block
  EXPECT_EQ(pack_list(std::vector<int>(3200, 0)).size(), 50u);  // 4 bits a block
}

TEST(Motion, ComesBackToHalfAStep) {
  const MotionSource s = sheet(9, 40);
  const auto m = pack_motion(s);
  ASSERT_TRUE(m);
  EXPECT_EQ(m->bits, 16);
  EXPECT_EQ(m->every, 1);
  EXPECT_EQ(m->n_frames, 40);
  EXPECT_EQ(m->n_points, 100);  // what belongs together moves as one
  EXPECT_EQ(m->n_vertices, 100);
  EXPECT_EQ(m->n_shades, 100);
  EXPECT_NEAR(m->step * 65535, 9 + 0.3 * 39, 1e-4);
  const UnpackedMotion u = unpack(*m);
  EXPECT_LE(largest_error(s, *m, u), 0.5001);
  // Exactly nothing where nothing is soft, and far fewer bits than 16 a coordinate.
  for (size_t v = 0; v < u.points.size(); ++v) {
    const size_t y = 3 * static_cast<size_t>(u.points[v]) + 1;
    const bool rigid = static_cast<double>(u.input[0][y - 1]) * m->step < 4;
    for (int f = 0; f < 40 && rigid; ++f) EXPECT_EQ(u.input[f][y], u.result[f][y]);
  }
  EXPECT_LT(m->frames.size() * 8.0 / (40 * 600), 6);
}

TEST(Motion, FarthestAndTheEndOfTheScale) {
  MotionSource s = sheet(9, 200);
  s.metres = 0.01, s.size_m = 0.09;
  const auto m = pack_motion(s);
  ASSERT_TRUE(m);
  double farthest = 0;
  for (int f = 0; f < 200; ++f)
    for (int z = 0; z <= 9; ++z) farthest = std::max(farthest, 0.01 * 0.18 * std::abs(std::sin(0.9 * f + z)));
  EXPECT_NEAR(m->farthest_m, farthest, 1e-6 * 0.09);
  EXPECT_GT(m->heat_m, 0.9 * farthest);
  EXPECT_LE(m->heat_m, farthest * (1 + 1e-6));
}

// Corners at one point: apart where normals, colours or places in the picture differ; shaded as one where normals
// agree.
TEST(Motion, Seams) {
  MotionSource s = sheet(1, 3);
  s.triangles = {{0, 2, 1}, {4, 7, 6}};
  s.n_vertices = 8;
  s.normals.assign(8, Vec3::UnitY());
  s.looks[0].n_triangles = 2;
  const auto four = s.frame;
  s.frame = [four](int f, std::vector<float>& input, std::vector<float>& result) {  // all four corners twice
    four(f, input, result);
    for (auto* x : {&input, &result}) {
      const std::vector<float> once = *x;
      x->insert(x->end(), once.begin(), once.end());
    }
  };
  const auto counts = [&] {
    const auto m = pack_motion(s);
    return std::array{m->n_points, m->n_vertices, m->n_shades};
  };
  EXPECT_EQ(counts(), (std::array{4, 4, 4}));
  s.uvs.assign(8, {0, 0});
  s.uvs[6] = {0.5, 0};
  EXPECT_EQ(counts(), (std::array{4, 5, 4}));
  s.uvs.clear();
  s.colors.assign(8, Vec3::Ones());
  s.colors[4] = Vec3(1, 0, 0);
  EXPECT_EQ(counts(), (std::array{4, 5, 4}));
  const auto m = pack_motion(s);
  ASSERT_EQ(m->colors.size(), 15u);
  s.colors.clear();
  for (int v = 4; v < 8; ++v) s.normals[v] = Vec3(std::sin(0.3), std::cos(0.3), 0);
  EXPECT_EQ(counts(), (std::array{4, 6, 6}));
  s.crease_deg = 20;
  EXPECT_EQ(counts(), (std::array{4, 4, 4}));
}

TEST(Motion, FitsItsBudget) {
  const MotionSource s = sheet(9, 60);
  const size_t whole = pack_motion(s)->bytes();
  int every = 1, bits = 16;
  for (const double share : {0.8, 0.4, 0.2}) {
    const auto m = pack_motion(s, static_cast<size_t>(share * static_cast<double>(whole)));
    ASSERT_TRUE(m) << share;
    EXPECT_LE(m->bytes(), share * static_cast<double>(whole));
    EXPECT_LE(m->bits, bits);
    EXPECT_GE(m->every, every);
    every = m->every, bits = m->bits;
    EXPECT_DOUBLE_EQ(m->fps * m->every, s.fps);
    EXPECT_EQ(m->n_frames, (59 + m->every) / m->every);
    EXPECT_LE(largest_error(s, *m, unpack(*m)), 0.5001);
  }
  EXPECT_GT(every, 1);
  EXPECT_FALSE(pack_motion(s, 100));
}

TEST(Motion, NothingToShow) {
  MotionSource s = sheet(2, 5);
  const auto good = s.frame;
  s.frame = [good](int f, std::vector<float>& input, std::vector<float>& result) {
    good(f, input, result);
    if (f == 3) result[7] = std::numeric_limits<float>::quiet_NaN();
  };
  EXPECT_FALSE(pack_motion(s));
  s = sheet(2, 5);
  s.triangles.clear();
  EXPECT_FALSE(pack_motion(s));
  s = sheet(2, 0);
  EXPECT_FALSE(pack_motion(s));
  s = sheet(2, 1);  // a still picture
  EXPECT_TRUE(pack_motion(s));
}

TEST(MotionPage, HasEverythingInside) {
  ReportPage page{.title = "t", .poster_png = "png"};
  EXPECT_EQ(to_html(page).find("three"), std::string::npos);
  MotionSource s = sheet(3, 4);
  s.looks[0].name = "</script><b>";
  s.looks[0].picture = 0;
  s.pictures = {{"\x89PNG", "image/png"}};
  s.uvs.assign(static_cast<size_t>(s.n_vertices), {0, 1});
  page.motion = pack_motion(s);
  const std::string html = to_html(page);
  for (const std::string& part :
       {base64(page.motion->frames), base64(page.motion->points), base64(page.motion->triangles),
        "data:image/png;base64," + base64("\x89PNG"), std::string("id=\"poster\""), std::string("Input as wireframe"),
        std::string("Show how far it moved"), std::string("Permission is hereby granted")})
    EXPECT_NE(html.find(part), std::string::npos) << part;
  // As many ends of scripts as beginnings, and nothing is fetched.
  const auto count = [&](const std::string& what) {
    size_t n = 0;
    for (size_t at = html.find(what); at != std::string::npos; at = html.find(what, at + 1)) ++n;
    return n;
  };
  EXPECT_EQ(count("</script"), 14u);
  EXPECT_EQ(count("<script>") + count("<script type"), 14u);
  EXPECT_EQ(count("<!--"), 0u);
  for (const char* fetched : {"src=\"http", "src=\"//", "href=\"http", "@import"})
    EXPECT_EQ(count(fetched), 0u) << fetched;
  EXPECT_EQ(html.find("every 1"), std::string::npos);
  page.motion->every = 3, page.motion->fps = 8;
  EXPECT_NE(to_html(page).find("every 3rd frame, 8 a second"), std::string::npos);
}

// The page's own decoder, on the page's own text.
TEST(MotionPage, NodeReadsTheSame) {
  if (std::system("node --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "node is not installed";
  MotionSource s = sheet(12, 30);
  s.region_names = {"never drawn", "left", "right"};
  // By place: corners of squares that meet are drawn as one.
  std::vector<float> at, unused;
  s.frame(0, at, unused);
  const auto place = [&](int v) {
    return static_cast<int>(std::lround(13 * at[3 * static_cast<size_t>(v)] + at[3 * static_cast<size_t>(v) + 2]));
  };
  for (int v = 0; v < s.n_vertices; ++v) {
    s.softness.push_back(place(v) == 3 ? NAN : place(v) / 254.0);
    s.region.push_back(place(v) % 3 == 0 ? -1 : 3 - place(v) % 3);
  }
  ReportPage page{.title = "t"};
  page.motion = pack_motion(s);
  const UnpackedMotion u = unpack(*page.motion);
  const auto folder = std::filesystem::temp_directory_path() / ("supple_motion_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "page.html") << to_html(page);
  std::ofstream(folder / "read.js") << R"js(
const fs = require('fs'), decode = require(process.argv[2]), html = fs.readFileSync(process.argv[3], 'utf8');
const text = id => html.split('id="' + id + '">')[1].split('</script>')[0];
const about = JSON.parse(text('motion')), m = decode.motion(about, text), out = [];
out.push(...m.points, ...m.shades, ...m.triangles, ...m.softness, ...m.regions);
out.push(about.regions.indexOf('left'), about.regions.length);
for (let f = 0; f < about.frames; ++f) {
  const frame = m.frames.next();
  out.push(...frame.input, ...frame.result);
}
fs.writeFileSync(process.argv[4], out.join('\n'));
)js";
  const std::string command = "node " + (folder / "read.js").string() + " " + SUPPLE_SOURCE_DIR +
                              "/src/supple/report/page/decode.js " + (folder / "page.html").string() + " " +
                              (folder / "numbers.txt").string();
  ASSERT_EQ(std::system(command.c_str()), 0);
  std::vector<int64_t> expected(u.points.begin(), u.points.end()), got;
  expected.insert(expected.end(), u.shades.begin(), u.shades.end());
  expected.insert(expected.end(), u.triangles.begin(), u.triangles.end());
  std::vector<int> drawn;  // places in the order of their first use
  for (const Tri& t : s.triangles)
    for (const int v : t)
      if (std::find(drawn.begin(), drawn.end(), place(v)) == drawn.end()) drawn.push_back(place(v));
  for (const int v : drawn) expected.push_back(v == 3 ? 255 : v);
  const auto& names = page.motion->region_names;
  const auto number = [&](const char* name) { return std::find(names.begin(), names.end(), name) - names.begin(); };
  for (const int v : drawn) expected.push_back(v % 3 == 0 ? 0 : 1 + number(v % 3 == 1 ? "right" : "left"));
  expected.push_back(number("left")), expected.push_back(2);
  for (size_t f = 0; f < u.input.size(); ++f) {
    expected.insert(expected.end(), u.input[f].begin(), u.input[f].end());
    expected.insert(expected.end(), u.result[f].begin(), u.result[f].end());
  }
  std::ifstream numbers(folder / "numbers.txt");
  for (int64_t x; numbers >> x;) got.push_back(x);
  std::filesystem::remove_all(folder);
  EXPECT_EQ(got, expected);
}

TEST(MotionPage, SpacePlaysWhateverHasTheFocus) {
  if (std::system("node --version > /dev/null 2>&1") != 0 || std::system("test -x /usr/bin/chromium") != 0)
    GTEST_SKIP() << "node or chromium is not installed";
  MotionSource s = sheet(4, 5);
  s.region_names = {"<left>", "right"};
  for (int v = 0; v < s.n_vertices; ++v) s.region.push_back(v % 2);
  ReportPage page{.title = "t", .poster_png = "png"};
  page.motion = pack_motion(s);
  const auto folder = std::filesystem::temp_directory_path() / ("supple_keys_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "page.html") << to_html(page);
  const std::string command = std::string("node " SUPPLE_SOURCE_DIR "/tests/report/check_keys.mjs ") +
                              (folder / "page.html").string() + " > " + (folder / "said").string();
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::ifstream in(folder / "said");
  const auto said = nlohmann::json::parse(in, nullptr, false);
  std::filesystem::remove_all(folder);
  ASSERT_TRUE(said.is_object());
  EXPECT_FALSE(said.at("wire"));
  EXPECT_EQ(said.at("regions"), (nlohmann::json{"<left>", "right"}));
  for (const char* id : {"play", "frame", "heat", "reset"}) {
    EXPECT_TRUE(said.at(id).at("turned")) << id;
    EXPECT_EQ(said.at(id).at("stopped"), (nlohmann::json{true, true})) << id;
    EXPECT_FALSE(said.at(id).at("heat")) << id;
  }
  EXPECT_TRUE(said.at("enter"));
}

TEST(Motion, ThreadsDoNotMatter) {
  const MotionSource s = sheet(40, 70);
  set_thread_count(1);
  const auto one = pack_motion(s);
  const auto tight = pack_motion(s, 2 * one->bytes() / 5);
  set_thread_count(3);
  const auto three = pack_motion(s);
  const auto tight_three = pack_motion(s, 2 * one->bytes() / 5);
  set_thread_count(0);
  ASSERT_TRUE(one && three && tight && tight_three);
  EXPECT_EQ(one->frames, three->frames);
  EXPECT_EQ(one->points, three->points);
  EXPECT_EQ(one->low, three->low);
  EXPECT_EQ(one->heat_m, three->heat_m);
  EXPECT_EQ(one->farthest_m, three->farthest_m);
  EXPECT_GT(tight->every, 1);
  EXPECT_EQ(tight->every, tight_three->every);
  EXPECT_EQ(tight->frames, tight_three->frames);
}

}  // namespace supple
