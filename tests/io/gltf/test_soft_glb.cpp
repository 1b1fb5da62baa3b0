#include <gtest/gtest.h>

#include <filesystem>

#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "supple/io/gltf/soft_glb.h"
#include "tests/io/gltf/soft_glb_files.h"

namespace supple {
namespace {

using nlohmann::ordered_json;

// Everything of `a` is in `b` with the same value; lists of b may be longer. Returns where not, "" when so.
std::string missing(const ordered_json& a, const ordered_json& b, const std::string& path = "") {
  if (a.is_object() && b.is_object()) {
    for (const auto& [key, value] : a.items()) {
      if (!b.contains(key)) return path + "/" + key;
      const std::string found = missing(value, b[key], path + "/" + key);
      if (!found.empty()) return found;
    }
    return "";
  }
  if (a.is_array() && b.is_array() && a.size() <= b.size()) {
    for (size_t i = 0; i < a.size(); ++i) {
      const std::string found = missing(a[i], b[i], path + "/" + std::to_string(i));
      if (!found.empty()) return found;
    }
    return "";
  }
  return a == b ? "" : path;
}

TEST(SoftGlb, AllOfTheInputStays) {
  const Scratch dir;
  GltfBuilder b = Ribbon().file();
  b.json["asset"]["generator"] = "some exporter";
  b.json["asset"]["extras"] = "@order@";
  b.json["extensionsUsed"] = {"EXT_of_nobody"};
  b.json["extensions"]["EXT_of_nobody"] = {{"list", {1, 2.5, "x", nullptr, true}}};
  b.json["nodes"][1]["extras"] = {{"note", "kept"}};
  b.json["nodes"][3]["weights"] = {0.5};
  b.json["animations"][0]["extras"] = 7;
  b.push("cameras", {{"type", "perspective"}, {"perspective", {{"yfov", 0.7}, {"znear", 0.1}}}});
  std::string bytes = b.glb();
  // Keys in no alphabetical order, padded to the same length; and a chunk of a kind nobody knows.
  const std::string order = "{\"z\":1,\"a\":[]}";
  bytes.replace(bytes.find("\"@order@\""), 9, order);
  const size_t n = ReadGlb::read<uint32_t>(bytes, 12);
  bytes.replace(12, 4, bytes_of(static_cast<uint32_t>(n + 8), false));
  bytes.insert(20 + n + order.size() - 9, 8 - (order.size() - 9), ' ');
  const std::string chunk = bytes_of<uint32_t>(4, false) + "WHATwhat";
  bytes += chunk;
  bytes.replace(8, 4, bytes_of(static_cast<uint32_t>(bytes.size()), false));

  const SoftGlbReport report =
      write_soft_glb(dir.put("in.glb", bytes), dir.path("out.glb"), {ribbon_clip("Walk", {0}, 30)});
  EXPECT_TRUE(report.warnings.empty()) << report.warnings[0];
  const std::string written = dir.get("out.glb");
  EXPECT_EQ(report.bytes, written.size());
  EXPECT_NEAR(static_cast<double>(report.bytes_added), static_cast<double>(written.size() - bytes.size()), 16);
  const ReadGlb in(bytes), out(written);
  EXPECT_EQ(out.rest, chunk);
  EXPECT_EQ(out.bin.substr(0, b.bin.size()), b.bin);
  EXPECT_EQ(out.json["asset"].dump(), in.json["asset"].dump());
  EXPECT_EQ(out.json["extensions"].dump(), in.json["extensions"].dump());
  ordered_json before = in.json;
  before["buffers"][0].erase("byteLength");
  EXPECT_EQ(missing(before, out.json), "");
  // What was added to: the mesh, its node's weights, one animation; nothing else of these lists.
  for (const char* list : {"nodes", "meshes", "skins", "materials", "scenes", "cameras"}) {
    EXPECT_EQ(out.json[list].size(), in.json[list].size()) << list;
  }
  EXPECT_EQ(out.json["animations"].size(), 2u);
  EXPECT_EQ(out.json["animations"][0], in.json["animations"][0]);
  for (size_t i = 0; i < in.json["accessors"].size(); ++i) {
    EXPECT_EQ(in.numbers(static_cast<int>(i)), out.numbers(static_cast<int>(i))) << i;
  }
  const auto n_targets = static_cast<size_t>(report.targets);
  const ordered_json& mesh = out.json["meshes"][0];
  EXPECT_EQ(mesh["weights"].size(), 1 + n_targets);
  EXPECT_EQ(out.json["nodes"][3]["weights"].size(), 1 + n_targets);
  EXPECT_EQ(mesh["weights"].back(), 0.0);
  EXPECT_EQ(mesh["extras"]["targetNames"][0], "Bulge");
  EXPECT_EQ(mesh["extras"]["targetNames"][1], "soft 0");
  EXPECT_EQ(mesh["extras"]["targetNames"][2], "soft 1");
  EXPECT_EQ(mesh["extras"]["targetNames"].size(), 1 + n_targets);
}

// Two clips, two nodes with one mesh of three primitives, of which one never moves: errors by another path.
TEST(SoftGlb, FramesComeBackWithinTheError) {
  const Scratch dir;
  GltfBuilder b = Ribbon().file();
  b.json["animations"].push_back(b.json["animations"][0]);
  b.json["animations"][1]["name"] = "Run";
  b.json["meshes"][0].erase("weights");
  Json& primitives = b.json["meshes"][0]["primitives"];
  primitives[0].erase("targets");
  primitives.push_back(primitives[0]);
  primitives.push_back(primitives[0]);
  primitives[2]["attributes"].erase("NORMAL");
  b.push("nodes", {{"name", "Twin"}, {"mesh", 0}, {"skin", 0}});
  b.json["nodes"][0]["children"].push_back(4);
  SoftClip walk{"Walk", {0}, frame_times(40), {}, {}}, run{"Run", {1}, frame_times(25), {}, {}};
  const auto& t = walk.times;
  walk.meshes.push_back(
      {3, {0, 2}, {wave(12, t, 4, 0.05), wave(12, t, 2, 0.01, 3)}, {wave(12, t, 4, 0.1), wave(12, t, 1, 0.1)}, {}});
  walk.meshes.push_back({4, {2}, {wave(12, t, 3, 0.02, 3)}, {}, {}});
  run.meshes.push_back({3, {0}, {wave(12, run.times, 5, 0.03, 7)}, {}, {}});
  const SoftGlbReport report =
      write_soft_glb(dir.put("in.glb", b.glb()), dir.path("out.glb"), {walk, run}, {.max_growth = 0});
  EXPECT_EQ(report.clips, (std::vector<std::string>{"Walk.soft", "Run.soft"}));
  EXPECT_LE(report.max_error_of_departure, 0.01);
  EXPECT_GT(report.max_error_of_departure, 0.001);
  EXPECT_FALSE(report.limited);
  EXPECT_NEAR(report.max_error, 2 * report.max_error_share, 1e-12);  // the ribbon is 2 long
  EXPECT_LT(report.targets, 30);
  const ReadGlb out(dir.get("out.glb"));
  double worst = 0, furthest = 0;
  for (const SoftClip& clip : {walk, run}) {
    for (const SoftMesh& soft : clip.meshes) {
      for (int p = 0; p < 3; ++p) {
        const auto entry = std::find(soft.primitives.begin(), soft.primitives.end(), p) - soft.primitives.begin();
        for (size_t f = 0; f < clip.times.size(); ++f) {
          const auto time = static_cast<double>(static_cast<float>(clip.times[f]));
          const std::vector<double> got = out.displacement(clip.name + ".soft", soft.node, p, 0, time);
          for (size_t v = 0; v < 12; ++v) {
            Vec3 u(got[3 * v], got[3 * v + 1], got[3 * v + 2]);
            furthest = std::max(furthest, u.norm());
            if (entry < 2 && entry < static_cast<long>(soft.primitives.size())) {
              u -= soft.positions[static_cast<size_t>(entry)][f].segment<3>(3 * static_cast<Eigen::Index>(v));
            }
            worst = std::max(worst, u.norm());
          }
        }
      }
    }
  }
  EXPECT_GT(furthest, 0.05);
  EXPECT_NEAR(worst, report.max_error, 1e-6);
  // All primitives have all targets with the same attributes; bounds are those of the numbers.
  for (const auto& primitive : out.json["meshes"][0]["primitives"]) {
    ASSERT_EQ(primitive["targets"].size(), static_cast<size_t>(report.targets));
    for (const auto& target : primitive["targets"]) {
      EXPECT_EQ(target.contains("NORMAL"), primitive["targets"][0].contains("NORMAL"));
      const std::vector<double> x = out.numbers(target["POSITION"]);
      const auto& a = out.json["accessors"][target["POSITION"].get<size_t>()];
      for (size_t axis = 0; axis < 3; ++axis) {
        double low = x[axis], high = x[axis];
        for (size_t i = axis; i < x.size(); i += 3) low = std::min(low, x[i]), high = std::max(high, x[i]);
        EXPECT_EQ(a["min"][axis].get<double>(), low);
        EXPECT_EQ(a["max"][axis].get<double>(), high);
      }
    }
  }
  EXPECT_TRUE(out.json["meshes"][0]["primitives"][0]["targets"][0].contains("NORMAL"));
  EXPECT_FALSE(out.json["meshes"][0]["primitives"][2]["targets"][0].contains("NORMAL"));
  // Three vertices of twelve move: a list of them is smaller. Nothing moves: no bytes at all.
  EXPECT_TRUE(
      out.json["accessors"][out.json["meshes"][0]["primitives"][2]["targets"][0]["POSITION"].get<size_t>()].contains(
          "sparse"));
  EXPECT_FALSE(
      out.json["accessors"][out.json["meshes"][0]["primitives"][1]["targets"][0]["POSITION"].get<size_t>()].contains(
          "bufferView"));
  // A clip that does not touch the twin does not name it.
  EXPECT_EQ(out.sampler("Run.soft", 4, "weights"), nullptr);
  EXPECT_NE(out.sampler("Run.soft", 2, "rotation"), nullptr);
}

// Normals that depend on the weights in a linear way come back to about a degree.
TEST(SoftGlb, NormalsFollowTheWeights) {
  const Scratch dir;
  SoftClip clip = ribbon_clip("Walk", {0}, 30);
  clip.meshes[0].normals = clip.meshes[0].positions;
  for (VecX& u : clip.meshes[0].normals[0]) u *= 10;
  write_soft_glb(dir.put("in.glb", Ribbon().file().glb()), dir.path("out.glb"), {clip}, {.max_growth = 0});
  const ReadGlb out(dir.get("out.glb"));
  double furthest = 0;
  for (size_t f = 0; f < clip.times.size(); ++f) {
    const std::vector<double> got = out.displacement("Walk.soft", 3, 0, 1, static_cast<float>(clip.times[f]), "NORMAL");
    const VecX left = Eigen::Map<const VecX>(got.data(), 36) - clip.meshes[0].normals[0][f];
    for (Eigen::Index v = 0; v < 12; ++v) EXPECT_LT(left.segment<3>(3 * v).norm(), 0.0201) << f;
    furthest = std::max(furthest, clip.meshes[0].normals[0][f].lpNorm<Eigen::Infinity>());
  }
  EXPECT_GT(furthest, 0.2);
  // The file's own target says nothing of normals, which some viewers take for the base: zeros do.
  const auto& own = out.json["meshes"][0]["primitives"][0]["targets"][0];
  ASSERT_TRUE(own.contains("NORMAL"));
  for (const double x : out.numbers(own["NORMAL"])) EXPECT_EQ(x, 0);
  write_soft_glb(dir.path("in.glb"), dir.path("plain.glb"), {clip}, {.normals = false});
  EXPECT_FALSE(ReadGlb(dir.get("plain.glb")).json["meshes"][0]["primitives"][0]["targets"][1].contains("NORMAL"));
}

// 1500 vertices in waves, of which only a few go through all of them.
class SoftGlbLimits : public ::testing::Test {
 protected:
  static constexpr size_t kVertices = 1500;
  SoftGlbLimits() : clip_{"", {}, frame_times(60), {}, {}} {
    GltfBuilder b;
    std::vector<float> x, normals;
    for (size_t v = 0; v < kVertices; ++v) {
      x.insert(x.end(), {static_cast<float>(v) * 0.01f, static_cast<float>(v % 7), 0.0f});
      normals.insert(normals.end(), {0.0f, 0.0f, 1.0f});
    }
    b.push("nodes", {{"mesh", 0}});
    const int positions = b.accessor(x, "VEC3"), turns = b.accessor(normals, "VEC3");
    b.push("meshes", {{"primitives", {{{"attributes", {{"POSITION", positions}, {"NORMAL", turns}}}, {"mode", 0}}}}});
    in_ = dir_.put("in.glb", b.glb());
    std::vector<VecX> frames = wave(kVertices, clip_.times, 3, 0.2);
    const std::vector<VecX> more = wave(kVertices, clip_.times, 12, 0.1, 200);
    for (size_t f = 0; f < frames.size(); ++f) frames[f] += more[f];
    clip_.meshes.push_back({0, {0}, {frames}, {wave(kVertices, clip_.times, 4, 0.1)}, {}});
  }
  // By the test's own sum.
  double error_in(const std::string& name) const {
    const ReadGlb out(dir_.get(name));
    MatX left(3 * kVertices, clip_.times.size());
    MatX weights(out.json["meshes"][0]["weights"].size(), clip_.times.size());
    for (Eigen::Index f = 0; f < left.cols(); ++f) {
      const std::vector<double> w =
          out.value(*out.sampler("soft", 0, "weights"), static_cast<float>(clip_.times[static_cast<size_t>(f)]));
      weights.col(f) = Eigen::Map<const VecX>(w.data(), weights.rows());
      left.col(f) = clip_.meshes[0].positions[0][static_cast<size_t>(f)];
    }
    for (Eigen::Index k = 0; k < weights.rows(); ++k) {
      const auto& target = out.json["meshes"][0]["primitives"][0]["targets"][static_cast<size_t>(k)];
      const std::vector<double> shape = out.numbers(target["POSITION"]);
      left -= Eigen::Map<const VecX>(shape.data(), left.rows()) * weights.row(k);
    }
    double worst = 0;
    for (Eigen::Index v = 0; v < left.rows(); v += 3)
      worst = std::max(worst, left.middleRows(v, 3).colwise().norm().maxCoeff());
    return worst;
  }
  Scratch dir_;
  SoftClip clip_;
  std::string in_;
};

TEST_F(SoftGlbLimits, LaterTargetsAreListsOfWhatStillNeedsThem) {
  const SoftGlbReport all = write_soft_glb(in_, dir_.path("all.glb"), {clip_}, {.max_growth = 0});
  EXPECT_TRUE(all.warnings.empty());
  EXPECT_FALSE(all.limited);
  EXPECT_GT(all.targets, 12);
  EXPECT_LE(all.max_error_of_departure, 0.01);
  EXPECT_NEAR(error_in("all.glb"), all.max_error, 1e-4 * all.max_error + 1e-6);
  // With all vertices in all targets it would be nearly twice as large.
  EXPECT_LT(static_cast<double>(all.bytes_added), 0.55 * 24 * kVertices * all.targets);
  EXPECT_NEAR(all.growth, static_cast<double>(all.bytes) / static_cast<double>(all.bytes - all.bytes_added), 1e-9);
}

TEST_F(SoftGlbLimits, AccuracyGivesWayAndIsTold) {
  const SoftGlbReport all = write_soft_glb(in_, dir_.path("all.glb"), {clip_}, {.max_growth = 0});
  const double half = 0.5 * static_cast<double>(all.bytes);
  double before = all.max_error;
  for (const SoftGlbOptions& options : {SoftGlbOptions{.max_growth = 0, .max_megabytes = 1e-6 * half},
                                        SoftGlbOptions{.max_growth = 2}, SoftGlbOptions{.max_growth = 1.3}}) {
    const SoftGlbReport some = write_soft_glb(in_, dir_.path("some.glb"), {clip_}, options);
    const double limit =
        options.max_growth > 0 ? options.max_growth * static_cast<double>(some.bytes - some.bytes_added) : half;
    EXPECT_LE(static_cast<double>(some.bytes), limit);
    EXPECT_GT(static_cast<double>(some.bytes), 0.5 * limit);
    EXPECT_TRUE(some.limited);
    ASSERT_EQ(some.warnings.size(), 1u);
    EXPECT_NE(some.warnings[0].find("% of the size"), std::string::npos) << some.warnings[0];
    EXPECT_GE(some.max_error, before);
    EXPECT_GT(some.max_error_of_departure, 0.01);
    EXPECT_NEAR(error_in("some.glb"), some.max_error, 1e-4 * some.max_error);
    before = some.max_error;
  }
  const SoftGlbReport few = write_soft_glb(in_, dir_.path("few.glb"), {clip_}, {.max_growth = 0, .max_targets = 5});
  EXPECT_LE(few.targets, 5);
  EXPECT_TRUE(few.limited);
  EXPECT_NEAR(error_in("few.glb"), few.max_error, 1e-4 * few.max_error);
}

// Errors are those of what is delivered: behind a skin that makes displacements longer, here not so long that they are
// held nearer than in proportion.
TEST_F(SoftGlbLimits, ErrorsCountAsDelivered) {
  for (VecX& frame : clip_.meshes[0].positions[0]) frame *= 0.15;
  const SoftGlbReport plain = write_soft_glb(in_, dir_.path("plain.glb"), {clip_}, {.max_growth = 0});
  clip_.meshes[0].stretch = {std::vector<Eigen::VectorXf>(60, Eigen::VectorXf::Constant(kVertices, 7))};
  const SoftGlbReport seven = write_soft_glb(in_, dir_.path("seven.glb"), {clip_}, {.max_growth = 0});
  EXPECT_EQ(seven.targets, plain.targets);
  EXPECT_NEAR(seven.max_error, 7 * plain.max_error, 0.05 * seven.max_error);
  EXPECT_LE(seven.max_error_of_departure, 0.01);
}

// A clip that comes to rest needs no keys there.
TEST_F(SoftGlbLimits, FramesThatLinesPassAreNoKeys) {
  for (size_t f = 30; f < 60; ++f) clip_.meshes[0].positions[0][f] = clip_.meshes[0].positions[0][29];
  const SoftGlbReport report = write_soft_glb(in_, dir_.path("rest.glb"), {clip_}, {.max_growth = 0});
  const ReadGlb out(dir_.get("rest.glb"));
  const std::vector<double> times = out.numbers((*out.sampler("soft", 0, "weights"))["input"]);
  EXPECT_LE(times.size(), 31u);
  EXPECT_GE(times.size(), 20u);
  EXPECT_EQ(times.front(), 0);
  EXPECT_EQ(times.back(), static_cast<double>(static_cast<float>(clip_.times.back())));
  EXPECT_LE(report.max_error_of_departure, 0.01);
  EXPECT_NEAR(error_in("rest.glb"), report.max_error, 1e-4 * report.max_error + 1e-6);
}

TEST(SoftGlb, ThreadsDoNotMatter) {
  const Scratch dir;
  const std::string in = dir.put("in.glb", Ribbon().file().glb());
  set_thread_count(1);
  write_soft_glb(in, dir.path("one.glb"), {ribbon_clip("Walk", {0}, 200, 5)});
  set_thread_count(3);
  write_soft_glb(in, dir.path("three.glb"), {ribbon_clip("Walk", {0}, 200, 5)});
  set_thread_count(0);
  EXPECT_EQ(dir.get("one.glb"), dir.get("three.glb"));
}

void expect_refused(const Scratch& dir, const SoftClip& clip, const std::vector<std::string>& words) {
  try {
    write_soft_glb(dir.path("in.glb"), dir.path("out.glb"), {clip});
    ADD_FAILURE() << "not refused: " << words[0];
  } catch (const InputError& e) {
    for (const std::string& word : words) EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << e.what();
  }
  EXPECT_FALSE(std::filesystem::exists(dir.path("out.glb")));
  EXPECT_FALSE(std::filesystem::exists(dir.path("out.glb.part")));
}

TEST(SoftGlb, WhatDoesNotFitIsRefused) {
  const Scratch dir;
  dir.put("in.glb", Ribbon().file().glb());
  const SoftClip good = ribbon_clip("Walk", {0}, 5);
  auto with = [&](auto change) {
    SoftClip clip = good;
    change(clip);
    return clip;
  };
  expect_refused(dir, with([](SoftClip& c) { c.meshes[0].positions[0][2][17] = NAN; }),
                 {"node 3 'Body'", "frame 2", "vertex 5", "not finite"});
  expect_refused(dir, with([](SoftClip& c) { c.meshes[0].normals[0][4][0] = INFINITY; }),
                 {"frame 4", "vertex 0", "normal"});
  expect_refused(dir, with([](SoftClip& c) { c.meshes[0].positions[0][1].conservativeResize(33); }),
                 {"frame 1", "12 vertices"});
  expect_refused(dir, with([](SoftClip& c) { c.meshes[0].positions[0].pop_back(); }), {"4 frames", "5 times"});
  expect_refused(dir, with([](SoftClip& c) { c.meshes[0].primitives[0] = 1; }), {"no primitive 1"});
  expect_refused(dir, with([](SoftClip& c) { c.meshes[0].primitives = {0, 0}; }), {"2 primitives"});
  expect_refused(dir, with([](SoftClip& c) { c.meshes[0].node = 1; }), {"'Hip'", "no mesh"});
  expect_refused(dir, with([](SoftClip& c) { c.meshes[0].node = 4; }), {"node 4"});
  expect_refused(dir, with([](SoftClip& c) { c.meshes.push_back(c.meshes[0]); }), {"twice"});
  expect_refused(dir, with([](SoftClip& c) { c.sources = {1}; }), {"animation 1"});
  expect_refused(dir, with([](SoftClip& c) { c.times[3] = c.times[2]; }), {"frame 3", "later"});
  expect_refused(dir, with([](SoftClip& c) { c.times[0] = -1; }), {"frame 0", "at least 0"});
  expect_refused(dir, with([](SoftClip& c) { c.times.clear(); }), {"no frames"});
  expect_refused(dir, with([](SoftClip& c) {
                   c.nodes.push_back({1, Points(4, Vec3::Zero()), {}});
                 }),
                 {"'Hip'", "5 frames"});
  EXPECT_THROW(write_soft_glb(dir.path("none.glb"), dir.path("out.glb"), {good}), InputError);
  EXPECT_THROW(write_soft_glb(dir.path("in.glb"), dir.path("no/such/out.glb"), {good}), InputError);
  EXPECT_NO_THROW(write_soft_glb(dir.path("in.glb"), dir.path("out.glb"), {good}));
}

}  // namespace
}  // namespace supple
