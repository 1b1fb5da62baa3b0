// Clips of live modes, as any viewer plays them: by our own reader, the Khronos validator, three.js and Blender.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "supple/base/error.h"
#include "supple/io/obj.h"
#include "supple/io/point_cache.h"
#include "tests/io/gltf/live_files.h"
#include "tests/support/tools.h"

namespace supple {
namespace {

using test::missing_package;
using test::runs;

using nlohmann::ordered_json;

constexpr int kBakedFrames = 25;

struct BakedCase : LiveCase {
  std::vector<BakedClip> clips;

  explicit BakedCase(const std::string& file) : LiveCase(file) {
    BakedClip walk{"walk", {0}, frame_times(kBakedFrames), {}}, idle{"idle", {}, frame_times(7), {}};
    for (BakedClip* clip : {&walk, &idle}) {
      clip->weights.push_back(live_weights(clip->times, 3, clip == &walk ? 0 : 2));
      clip->weights.push_back(live_weights(clip->times, 4, clip == &walk ? 1 : 0.5));
    }
    clips = {walk, idle};
  }
  Points wanted(int frame) const {
    std::vector<VecX> weights;
    for (const MatX& w : clips[0].weights) weights.push_back(w.row(frame).transpose());
    return live_positions(*this, weights, clips[0].times[static_cast<size_t>(frame)]);
  }
};

double farthest(const Points& a, const Points& b) {
  double worst = 0;
  for (size_t i = 0; i < a.size(); ++i) worst = std::max(worst, (a[i] - b.at(i)).norm());
  return worst;
}

TEST(BakedGlb, OurReaderShowsTheFlesh) {
  const Scratch dir;
  const BakedCase c(dir.path("in.glb"));
  const BakedGlbReport report = write_baked_glb(c.path, dir.path("out.glb"), c.character, c.drawn, c.pack, c.clips);
  EXPECT_EQ(report.clips, (std::vector<std::string>{"walk.live", "idle.live"}));
  EXPECT_TRUE(report.warnings.empty());
  EXPECT_EQ(report.targets, 4 + 5 + 5);  // one more a part
  EXPECT_EQ(report.bytes, dir.get("out.glb").size());
  const Character read = read_gltf(dir.path("out.glb"));
  const Drawn drawn = lay_out(read, LiveCase::kUnit);
  double moved = 0;
  for (int f = 0; f < kBakedFrames; ++f) {
    const double t = c.clips[0].times[static_cast<size_t>(f)];
    const Points shown = posed(drawn.vertices, pose_at(read, drawn, find_clip(read, "walk.live"), t));
    const Points rigid = posed(c.drawn.vertices, pose_at(c.character, c.drawn, c.character.clips[0], t));
    EXPECT_LT(farthest(shown, c.wanted(f)), 2e-6) << f;
    EXPECT_EQ(posed(drawn.vertices, pose_at(read, drawn, find_clip(read, "walk"), t)), rigid) << f;
    moved = std::max(moved, farthest(shown, rigid));
  }
  EXPECT_GT(moved, 0.05);
}

TEST(BakedGlb, WeightsUseTheSlidersAndNoMore) {
  const Scratch dir;
  const BakedCase c(dir.path("in.glb"));
  write_baked_glb(c.path, dir.path("out.glb"), c.character, c.drawn, c.pack, c.clips);
  const ReadGlb out(dir.get("out.glb"));
  EXPECT_EQ(
      out.json["meshes"][0]["extras"]["targetNames"],
      ordered_json({"Bulge", "belly 0", "belly 1", "belly 2", "belly 3", "top 0", "top 1", "top 2", "top 3", "top 4"}));
  EXPECT_FALSE(out.json.contains("extras"));
  std::vector<double> low(9, INFINITY), high(9, -INFINITY);
  for (const char* clip : {"walk.live", "idle.live"}) {
    const ordered_json* sampler = out.sampler(clip, 3, "weights");
    ASSERT_NE(sampler, nullptr);
    EXPECT_NE(out.sampler(clip, 4, "weights"), nullptr);
    const std::vector<double> w = out.numbers((*sampler)["output"]);
    ASSERT_EQ(w.size() % 10, 0u);
    for (size_t i = 0; i < w.size(); ++i) {
      if (i % 10 == 0) continue;
      low[i % 10 - 1] = std::min(low[i % 10 - 1], w[i]);
      high[i % 10 - 1] = std::max(high[i % 10 - 1], w[i]);
    }
  }
  for (const size_t k : {0u, 4u}) {
    EXPECT_EQ(low[k], 1);
    EXPECT_EQ(high[k], 1);
  }
  for (const size_t k : {1u, 2u, 3u, 5u, 6u, 7u, 8u}) {
    EXPECT_EQ(low[k], 0) << k;
    EXPECT_EQ(high[k], 1) << k;
  }
  // The clip repeats the file's channels.
  EXPECT_NE(out.sampler("walk.live", 2, "rotation"), nullptr);
  EXPECT_EQ(out.sampler("idle.live", 2, "rotation"), nullptr);
  // A weight that is never below 0 needs no target more, also past 1.
  BakedCase up = c;
  for (BakedClip& clip : up.clips)
    for (MatX& w : clip.weights) w = w.cwiseAbs();
  const BakedGlbReport report = write_baked_glb(up.path, dir.path("up.glb"), up.character, up.drawn, up.pack, up.clips);
  EXPECT_EQ(report.targets, 3 + 4 + 4);
  const Character read = read_gltf(dir.path("up.glb"));
  const Drawn drawn = lay_out(read, LiveCase::kUnit);
  for (const int f : {3, 11, 20}) {
    const Pose pose = pose_at(read, drawn, find_clip(read, "walk.live"), up.clips[0].times[static_cast<size_t>(f)]);
    EXPECT_LT(farthest(posed(drawn.vertices, pose), up.wanted(f)), 2e-6) << f;
    for (const double w : pose.morphs) EXPECT_TRUE(w >= 0 && w <= 1) << w;
  }
}

TEST(BakedGlb, NamesOfTheFileAreLeftAlone) {
  const Scratch dir;
  BakedCase c(dir.path("in.glb"));
  c.pack.parts[1].name = "Bulge";
  c.pack.parts[1].modes[2].name = "Bulge 0";
  write_baked_glb(c.path, dir.path("out.glb"), c.character, c.drawn, c.pack, c.clips);
  std::set<std::string> names;
  const ReadGlb out(dir.get("out.glb"));
  for (const ordered_json& name : out.json["meshes"][0]["extras"]["targetNames"])
    EXPECT_TRUE(names.insert(name.get<std::string>()).second) << name;
  EXPECT_EQ(names.size(), 10u);
}

TEST(BakedGlb, WhatDoesNotFitIsRefused) {
  const Scratch dir;
  const BakedCase c(dir.path("in.glb"));
  auto expect_refused = [&](auto change, const std::vector<std::string>& words) {
    std::vector<BakedClip> clips = c.clips;
    change(clips);
    try {
      write_baked_glb(c.path, dir.path("out.glb"), c.character, c.drawn, c.pack, clips);
      ADD_FAILURE() << "not refused: " << words[0];
    } catch (const InputError& e) {
      for (const std::string& word : words) EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << e.what();
    }
    EXPECT_FALSE(std::filesystem::exists(dir.path("out.glb")));
  };
  using Clips = std::vector<BakedClip>;
  expect_refused([](Clips& l) { l[0].weights[1](5, 2) = NAN; }, {"'walk'", "'top'", "frame 5", "finite"});
  expect_refused([](Clips& l) { l[0].weights.pop_back(); }, {"'walk'", "1 parts"});
  expect_refused([](Clips& l) { l[1].weights[0].conservativeResize(6, 3); },
                 {"'idle'", "'belly'", "6 x 3", "7 frames"});
  expect_refused([](Clips& l) { l[1].weights[0].conservativeResize(7, 2); }, {"'idle'", "'belly'", "7 x 2"});
  expect_refused([](Clips& l) { l[1].times[2] = l[1].times[1]; }, {"'idle'", "frame 2", "later"});
  expect_refused([](Clips& l) { l[0].sources = {1}; }, {"animation 1"});
  expect_refused([](Clips& l) { l.clear(); }, {"no clip"});
}

std::string script(const std::string& name) { return "'" SUPPLE_SOURCE_DIR "/tests/" + name + "'"; }
ordered_json output_of(const Scratch& dir, const std::string& command) {
  EXPECT_EQ(system((command + " > '" + dir.path("seen.json") + "'").c_str()), 0) << command;
  return ordered_json::parse(dir.get("seen.json"), nullptr, false);
}

TEST(LiveViewers, TheValidatorFindsNothing) {
  if (const std::string why = missing_package("GLTF_VALIDATOR_DIR", "gltf-validator"); !why.empty())
    GTEST_SKIP() << why;
  const Scratch dir;
  const BakedCase c(dir.path("in.glb"));
  write_live_glb(c.path, dir.path("live.glb"), c.character, c.drawn, c.pack);
  write_baked_glb(c.path, dir.path("baked.glb"), c.character, c.drawn, c.pack, c.clips);
  const ordered_json seen = output_of(dir, "node " + script("three/validate.mjs") + " '" + c.path + "' '" +
                                               dir.path("live.glb") + "' '" + dir.path("baked.glb") + "'");
  ASSERT_EQ(seen.size(), 3u);
  for (const ordered_json& file : seen) {
    EXPECT_EQ(file["errors"], 0) << file;
    EXPECT_EQ(file["codes"], seen[0]["codes"]) << file;
  }
}

TEST(LiveViewers, ThreeShowsTheFlesh) {
  if (const std::string why = missing_package("THREE_DIR", "three"); !why.empty()) GTEST_SKIP() << why;
  const Scratch dir;
  const BakedCase c(dir.path("in.glb"));
  write_baked_glb(c.path, dir.path("out.glb"), c.character, c.drawn, c.pack, c.clips);
  std::string command = "node " + script("three/evaluate.mjs") + " '" + dir.path("out.glb") + "' walk.live";
  for (const double t : c.clips[0].times) command += " " + std::to_string(t);
  ordered_json seen = output_of(dir, command);
  std::sort(seen["shapes"].begin(), seen["shapes"].end(), [](const ordered_json& a, const ordered_json& b) {
    return std::pair<int, int>(a["node"], a["primitive"]) < std::pair<int, int>(b["node"], b["primitive"]);
  });
  for (int f = 0; f < kBakedFrames; ++f) {
    Points shown;
    for (const ordered_json& shape : seen["shapes"]) {
      const std::vector<double> x = shape["positions"][static_cast<size_t>(f)];
      for (size_t i = 0; i < x.size(); i += 3) shown.emplace_back(LiveCase::kUnit * Vec3(x[i], x[i + 1], x[i + 2]));
    }
    ASSERT_EQ(shown.size(), c.drawn.vertices.rest.size());
    EXPECT_LT(farthest(shown, c.wanted(f)), 1e-5) << f;  // times on the command line have six digits
  }
}

// The take that the check of characters asks for, made of what is expected.
TEST(LiveViewers, BlenderShowsTheFlesh) {
  if (!runs("blender --version")) GTEST_SKIP() << "blender is not on the PATH";
  const Scratch dir;
  const BakedCase c(dir.path("in.glb"));
  write_baked_glb(c.path, dir.path("out.glb"), c.character, c.drawn, c.pack, c.clips);
  std::filesystem::create_directories(dir.path("take/surface_pc2"));
  std::vector<PointCache> caches(3);  // all, body, tag
  const auto body = static_cast<size_t>(c.drawn.primitives[2].first_vertex);
  TriMesh surface;
  for (int f = 0; f < kBakedFrames; ++f) {
    Points x = c.wanted(f);
    for (Vec3& p : x) p /= LiveCase::kUnit;
    if (f == 0) surface.vertices = x;
    const VecX all = flatten(x);
    caches[0].add(all);
    caches[1].add(all.head(3 * static_cast<Eigen::Index>(body)));
    caches[2].add(all.tail(all.size() - 3 * static_cast<Eigen::Index>(body)));
  }
  surface.triangles = c.drawn.triangles;
  write_obj(dir.path("take/surface.obj"), surface);
  write_pc2(dir.path("take/surface.pc2"), caches[0]);
  write_pc2(dir.path("take/surface_pc2/Body.pc2"), caches[1]);
  write_pc2(dir.path("take/surface_pc2/Tag.pc2"), caches[2]);
  dir.put("take/report.json", R"({"timeline": {"fps": 24}})");
  dir.put("take/scene.toml", "");
  const std::string command = "blender -b --factory-startup --python-exit-code 2 --python " +
                              script("blender/check_character.py") + " -- '" + c.path + "' '" + dir.path("out.glb") +
                              "' '" + dir.path("take") + "' walk.live 1e-6 4";
  const int status = system((command + " > '" + dir.path("blender.txt") + "' 2>&1").c_str());
  const std::string said = dir.get("blender.txt");
  EXPECT_EQ(status, 0) << said;
  EXPECT_NE(said.find("\"clamped_keys\": 0,"), std::string::npos) << said;
  if (status == 0) RecordProperty("check", said.substr(said.find("CHECK {")));
}

}  // namespace
}  // namespace supple
