// Clips of write_soft_glb: the file's own weights under ours, names, nodes that ride along.
#include <gtest/gtest.h>

#include "supple/base/error.h"
#include "supple/io/gltf/soft_glb.h"
#include "tests/io/gltf/soft_glb_files.h"

namespace supple {
namespace {

using nlohmann::ordered_json;

// The ribbon with a second target and their weights animated in "Walk", at times that are not those of the frames.
GltfBuilder morphing_ribbon(const std::string& mode) {
  GltfBuilder b = Ribbon().file();
  b.primitive()["targets"].push_back(b.primitive()["targets"][0]);
  b.json["meshes"][0]["weights"] = {0.25, 0.75};
  std::vector<float> values;
  for (int i = 0; i < 4 * 2 * (mode == "CUBICSPLINE" ? 3 : 1); ++i)
    values.push_back(std::sin(0.9f * static_cast<float>(i * i)));
  b.channel(0, 3, "weights", b.accessor<float>({0.1f, 0.25f, 0.63f, 1.7f}, "SCALAR"), b.accessor(values, "SCALAR"),
            mode);
  return b;
}

class SoftGlbWeights : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Modes, SoftGlbWeights, testing::Values("LINEAR", "STEP", "CUBICSPLINE"));

TEST_P(SoftGlbWeights, TheOldStayAndOursAreStraightBetweenFrames) {
  const Scratch dir;
  const GltfBuilder b = morphing_ribbon(GetParam());
  const SoftClip clip = ribbon_clip("Walk", {0}, 30);
  const SoftGlbReport report =
      write_soft_glb(dir.put("in.glb", b.glb()), dir.path("out.glb"), {clip}, {.accuracy = 1e-4, .max_growth = 0});
  const ReadGlb in(dir.get("in.glb")), out(dir.get("out.glb"));
  const auto n = static_cast<size_t>(report.targets);
  const ordered_json &before = *in.sampler("Walk", 3, "weights"), &after = *out.sampler("Walk.soft", 3, "weights"),
                     &wide = *out.sampler("Walk", 3, "weights");
  const std::vector<double> times = out.numbers(after["input"]);
  for (size_t k = 1; k < times.size(); ++k) ASSERT_LT(times[k - 1], times[k]);
  for (double t = 0; t < 2; t += 0.00371) {
    const std::vector<double> old = in.value(before, t), now = out.value(after, t), own = out.value(wide, t);
    ASSERT_EQ(now.size(), 2 + n);
    for (size_t k = 0; k < 2; ++k) {
      EXPECT_NEAR(now[k], old[k], 1e-6) << t;
      EXPECT_EQ(own[k], old[k]);
    }
    // Between frames: on the line between what the frames have.
    const double f = std::min(t * 24, 29.0), s = f - std::floor(f);
    const auto a = static_cast<size_t>(f), c = std::min<size_t>(a + 1, 29);
    const std::vector<double> wa = out.value(after, static_cast<float>(clip.times[a])),
                              wc = out.value(after, static_cast<float>(clip.times[c]));
    for (size_t k = 2; k < 2 + n; ++k) {
      EXPECT_NEAR(now[k], (1 - s) * wa[k] + s * wc[k], 2e-6) << t;
      EXPECT_EQ(own[k], 0);
    }
  }
  for (size_t f = 0; f < 30; ++f) {
    const std::vector<double> got = out.displacement("Walk.soft", 3, 0, 2, static_cast<float>(clip.times[f]));
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_NEAR(got[i], clip.meshes[0].positions[0][f][static_cast<long>(i)], report.max_error + 1e-7);
    }
  }
  // Widened in place: no list and no view without a use.
  EXPECT_EQ(wide["output"], before["output"]);
  EXPECT_EQ(wide["input"], before["input"]);
}

TEST(SoftGlbClips, WeightsAtRestAreHeld) {
  const Scratch dir;
  GltfBuilder b = Ribbon().file();
  const SoftClip clip = ribbon_clip("Walk", {0}, 10);
  write_soft_glb(dir.put("in.glb", b.glb()), dir.path("mesh.glb"), {clip});
  b.json["nodes"][3]["weights"] = {0.5};
  write_soft_glb(dir.put("in.glb", b.glb()), dir.path("node.glb"), {clip});
  const ReadGlb mesh(dir.get("mesh.glb")), node(dir.get("node.glb"));
  EXPECT_EQ(mesh.value(*mesh.sampler("Walk.soft", 3, "weights"), 0.2)[0], 0.25);
  EXPECT_EQ(node.value(*node.sampler("Walk.soft", 3, "weights"), 0.2)[0], 0.5);
  // The clip without weights stays without.
  EXPECT_EQ(mesh.sampler("Walk", 3, "weights"), nullptr);
}

TEST(SoftGlbClips, SharedSamplersAndSmallIntegers) {
  const Scratch dir;
  GltfBuilder b = morphing_ribbon("LINEAR");
  // Another mesh with two targets that is not soft shares the sampler; a second animation has bytes as weights.
  b.json["meshes"].push_back(b.json["meshes"][0]);
  b.push("nodes", {{"mesh", 1}});
  Json& walk = b.json["animations"][0];
  walk["channels"].push_back(
      {{"sampler", walk["channels"].back()["sampler"]}, {"target", {{"node", 4}, {"path", "weights"}}}});
  const int talk = b.animation("Talk");
  const int bytes = b.accessor<uint8_t>({0, 255, 51, 102}, "SCALAR", true);
  b.channel(talk, 3, "weights", b.accessor<float>({0, 1}, "SCALAR"), bytes);
  const SoftGlbReport report =
      write_soft_glb(dir.put("in.glb", b.glb()), dir.path("out.glb"), {ribbon_clip("Walk", {0}, 20)});
  const ReadGlb in(dir.get("in.glb")), out(dir.get("out.glb"));
  const auto n = static_cast<size_t>(report.targets);
  for (const char* clip : {"Walk", "Walk.soft"}) {
    EXPECT_EQ(out.numbers((*out.sampler(clip, 4, "weights"))["output"]),
              in.numbers((*in.sampler("Walk", 4, "weights"))["output"]));
  }
  const std::vector<double> old = in.numbers((*in.sampler("Walk", 3, "weights"))["output"]),
                            now = out.numbers((*out.sampler("Walk", 3, "weights"))["output"]);
  ASSERT_EQ(now.size(), old.size() / 2 * (2 + n));
  for (size_t i = 0; i < now.size(); ++i) EXPECT_EQ(now[i], i % (2 + n) < 2 ? old[i / (2 + n) * 2 + i % (2 + n)] : 0);
  const ordered_json& small = out.json["accessors"][(*out.sampler("Talk", 3, "weights"))["output"].get<size_t>()];
  EXPECT_EQ(small["componentType"], 5121);
  EXPECT_TRUE(small["normalized"].get<bool>());
  const std::vector<double> talked = out.numbers((*out.sampler("Talk", 3, "weights"))["output"]);
  ASSERT_EQ(talked.size(), 2 * (2 + n));
  EXPECT_EQ(talked[0], 0);
  EXPECT_EQ(talked[1], 255);
  EXPECT_EQ(talked[2 + n], 51);
  EXPECT_EQ(talked[3 + n], 102);
}

TEST(SoftGlbClips, Names) {
  const Scratch dir;
  GltfBuilder b = Ribbon().file();
  b.json["animations"].push_back(b.json["animations"][0]);
  b.json["animations"][1].erase("name");
  const std::string in = dir.put("in.glb", b.glb());
  const SoftGlbReport first =
      write_soft_glb(in, dir.path("a.glb"), {ribbon_clip("Walk", {0}, 10), ribbon_clip("", {1}, 10)});
  EXPECT_EQ(first.clips, (std::vector<std::string>{"Walk.soft", "soft"}));
  // On our own output: other names, with a warning, and other names of targets.
  const SoftGlbReport again = write_soft_glb(dir.path("a.glb"), dir.path("b.glb"), {ribbon_clip("Walk", {0}, 10)});
  EXPECT_EQ(again.clips, std::vector<std::string>{"Walk.soft 2"});
  EXPECT_EQ(again.warnings.size(), 1u);
  const ReadGlb twice(dir.get("b.glb"));
  std::set<std::string> names;
  for (const auto& name : twice.json["meshes"][0]["extras"]["targetNames"]) names.insert(name);
  EXPECT_EQ(names.size(), static_cast<size_t>(1 + first.targets + again.targets));
  // The first soft clip moves as before.
  const ReadGlb once(dir.get("a.glb"));
  const std::vector<double> before = once.value(*once.sampler("Walk.soft", 3, "weights"), 0.3),
                            after = twice.value(*twice.sampler("Walk.soft", 3, "weights"), 0.3);
  for (size_t k = 0; k < before.size(); ++k) EXPECT_EQ(before[k], after[k]);

  const SoftGlbReport taken = write_soft_glb(in, dir.path("c.glb"), {ribbon_clip("Walk", {0}, 10)}, {.replace = true});
  EXPECT_EQ(taken.clips, std::vector<std::string>{"Walk"});
  const ReadGlb replaced(dir.get("c.glb"));
  EXPECT_EQ(replaced.json["animations"][0]["name"], "Walk.rigid");
  EXPECT_NE(replaced.sampler("Walk", 3, "weights"), nullptr);
}

// Clips made of several animations; nodes that ride on the flesh, one of them with a matrix.
TEST(SoftGlbClips, MergedSourcesAndRiders) {
  const Scratch dir;
  GltfBuilder b = Ribbon().file();
  const int sword = b.animation("Sword");
  const int times = b.accessor<float>({0, 1}, "SCALAR");
  b.channel(sword, 0, "translation", times, b.accessor<float>({0, 0, 0, 1, 2, 3}, "VEC3"));
  b.channel(sword, 2, "rotation", times, b.accessor<float>({0, 0, 0, 1, 1, 0, 0, 0}, "VEC4"));
  b.push("nodes", {{"name", "Hat"}, {"matrix", {0, 0, -2, 0, 0, 2, 0, 0, 2, 0, 0, 0, 7, 8, 9, 1}}});
  SoftClip clip = ribbon_clip("Walk", {0, sword}, 3);
  clip.nodes.push_back({1, {Vec3(1, 2, 3), Vec3(4, 5, 6), Vec3(7, 8, 9)}, {}});
  clip.nodes.push_back({4, Points(3, Vec3(7, 8, 9)), {{0, 2, 0, 2}, {0, -1, 0, -1.1}, {0, 1, 0, 1.2}}});
  const SoftGlbReport report = write_soft_glb(dir.put("in.glb", b.glb()), dir.path("out.glb"), {clip});
  const ReadGlb out(dir.get("out.glb"));
  ASSERT_EQ(report.warnings.size(), 1u);  // the rotation of node 2 is in both
  EXPECT_NE(report.warnings[0].find("rotation of node 2"), std::string::npos);
  const ordered_json& soft = *out.animation("Walk.soft");
  // Weights, translation of 1, translation and rotation of 4, rotation of 2, translation of 0; no translation of 1
  // twice.
  EXPECT_EQ(soft["channels"].size(), 6u);
  EXPECT_EQ(soft["samplers"].size(), 6u);
  EXPECT_EQ((*out.sampler("Walk.soft", 2, "rotation")), (*out.sampler("Walk", 2, "rotation")));
  EXPECT_EQ((*out.sampler("Walk.soft", 0, "translation")), (*out.sampler("Sword", 0, "translation")));
  EXPECT_EQ(out.numbers((*out.sampler("Walk.soft", 1, "translation"))["output"]),
            (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 7, 8, 9}));  // held to the end of the clip
  const std::vector<double> turns = out.numbers((*out.sampler("Walk.soft", 4, "rotation"))["output"]);
  ASSERT_EQ(turns.size(), 16u);
  for (size_t f = 0; f < 4; ++f) {
    EXPECT_NEAR(std::hypot(turns[4 * f + 1], turns[4 * f + 3]), 1, 1e-6);
    EXPECT_GT(turns[4 * f + 1], 0);
  }
  // 2 x a quarter turn about y at (7, 8, 9).
  const ordered_json& hat = out.json["nodes"][4];
  EXPECT_FALSE(hat.contains("matrix"));
  EXPECT_EQ(hat["translation"], ordered_json({7, 8, 9}));
  for (const auto& s : hat["scale"]) EXPECT_NEAR(s.get<double>(), 2, 1e-12);
  EXPECT_NEAR(hat["rotation"][1].get<double>(), std::sqrt(0.5), 1e-12);
  EXPECT_NEAR(hat["rotation"][3].get<double>(), std::sqrt(0.5), 1e-12);

  b.json["nodes"][4]["matrix"] = {1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  EXPECT_THROW(write_soft_glb(dir.put("in.glb", b.glb()), dir.path("x.glb"), {clip}), InputError);
}

TEST(SoftGlbClips, WhatStaysStillGetsNothing) {
  const Scratch dir;
  SoftClip clip = ribbon_clip("Walk", {0}, 10);
  for (VecX& u : clip.meshes[0].positions[0]) u *= 1e-9;
  GltfBuilder b = morphing_ribbon("LINEAR");
  const SoftGlbReport report = write_soft_glb(dir.put("in.glb", b.glb()), dir.path("out.glb"), {clip});
  EXPECT_EQ(report.targets, 0);
  EXPECT_LT(report.max_error_share, 1e-6);
  const ReadGlb out(dir.get("out.glb"));
  EXPECT_EQ(out.json["meshes"][0]["primitives"][0]["targets"].size(), 2u);
  EXPECT_EQ(*out.sampler("Walk.soft", 3, "weights"), *out.sampler("Walk", 3, "weights"));
  // Nothing at all to say: no clip.
  const SoftGlbReport none = write_soft_glb(dir.path("in.glb"), dir.path("none.glb"), {{"x", {}, {0}, {}, {}}});
  EXPECT_TRUE(none.clips.empty());
  EXPECT_EQ(none.warnings.size(), 1u);
}

}  // namespace
}  // namespace supple
