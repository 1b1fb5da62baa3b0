// What Blender needs of write_soft_glb: weights within its sliders, and parts of a clip that begin together.
#include <gtest/gtest.h>

#include "supple/base/error.h"
#include "supple/io/gltf/soft_glb.h"
#include "tests/io/gltf/soft_glb_files.h"

namespace supple {
namespace {

using nlohmann::ordered_json;

// Largest distance of a displacement from what was asked for, by the test's own sum.
double worst_error(const ReadGlb& out, const SoftClip& clip, size_t n_old) {
  double worst = 0;
  for (const SoftMesh& soft : clip.meshes) {
    for (size_t f = 0; f < clip.times.size(); ++f) {
      const std::vector<double> got =
          out.displacement(clip.name + ".soft", soft.node, 0, n_old, static_cast<float>(clip.times[f]));
      for (size_t v = 0; v < got.size() / 3; ++v) {
        const Vec3 u(got[3 * v], got[3 * v + 1], got[3 * v + 2]);
        worst = std::max(worst, (u - soft.positions[0][f].segment<3>(3 * static_cast<Eigen::Index>(v))).norm());
      }
    }
  }
  return worst;
}

// Two nodes show the mesh, in two clips: the range of a target is that over all of them.
TEST(SoftGlbBlender, WeightsUseTheSlidersAndNoMore) {
  const Scratch dir;
  GltfBuilder b = Ribbon().file();
  b.push("nodes", {{"name", "Twin"}, {"mesh", 0}, {"skin", 0}});
  b.json["nodes"][0]["children"].push_back(4);
  b.animation("Run");
  SoftClip walk = ribbon_clip("Walk", {0}, 30), run = ribbon_clip("Run", {1}, 20);
  walk.meshes.push_back({4, {0}, {wave(12, walk.times, 4, 0.03)}, {wave(12, walk.times, 2, 0.1)}, {}});
  for (VecX& u : run.meshes[0].positions[0]) u *= -1.7;
  const SoftGlbReport report =
      write_soft_glb(dir.put("in.glb", b.glb()), dir.path("out.glb"), {walk, run}, {.accuracy = 1e-3, .max_growth = 0});
  EXPECT_LE(report.max_error_of_departure, 1e-3);
  const ReadGlb out(dir.get("out.glb"));
  EXPECT_NEAR(std::max(worst_error(out, walk, 1), worst_error(out, run, 1)), report.max_error, 5e-7);

  const auto n = static_cast<size_t>(report.targets);
  std::vector<double> low(n, INFINITY), high(n, -INFINITY);
  for (const auto& [clip, node] : {std::pair("Walk.soft", 3), {"Walk.soft", 4}, {"Run.soft", 3}}) {
    const std::vector<double> w = out.numbers((*out.sampler(clip, node, "weights"))["output"]);
    ASSERT_EQ(w.size() % (1 + n), 0u);
    for (size_t i = 0; i < w.size(); ++i) {
      const size_t k = i % (1 + n);
      if (k == 0) continue;
      low[k - 1] = std::min(low[k - 1], w[i]);
      high[k - 1] = std::max(high[k - 1], w[i]);
    }
  }
  EXPECT_EQ(low[0], 1);  // always on
  EXPECT_EQ(high[0], 1);
  for (size_t k = 1; k < n; ++k) {
    EXPECT_EQ(low[k], 0) << k;
    EXPECT_EQ(high[k], 1) << k;
  }
  // At rest nothing of ours is seen, the one that is always on in clips included.
  const ordered_json& rest = out.json["meshes"][0]["weights"];
  ASSERT_EQ(rest.size(), 1 + n);
  EXPECT_EQ(rest[0], 0.25);
  for (size_t k = 1; k <= n; ++k) EXPECT_EQ(rest[k], 0.0);
}

// A motion that goes one way only needs no more than its own targets.
TEST(SoftGlbBlender, NoTargetMoreWithoutNeed) {
  const Scratch dir;
  SoftClip clip = ribbon_clip("Walk", {0}, 12);
  const VecX shape = clip.meshes[0].positions[0][5];
  for (size_t f = 0; f < 12; ++f) clip.meshes[0].positions[0][f] = 0.1 * static_cast<double>(f) * shape;
  const std::string in = dir.put("in.glb", Ribbon().file().glb());
  const SoftGlbReport report = write_soft_glb(in, dir.path("out.glb"), {clip});
  EXPECT_EQ(report.targets, 1);
  const ReadGlb out(dir.get("out.glb"));
  EXPECT_EQ(out.json["meshes"][0]["extras"]["targetNames"], ordered_json({"Bulge", "soft 1"}));
  EXPECT_LE(worst_error(out, clip, 1), report.max_error + 1e-7);
  // Both ways: two.
  clip.meshes[0].positions[0][3] *= -1;
  EXPECT_EQ(write_soft_glb(in, dir.path("out.glb"), {clip}).targets, 2);
  EXPECT_LE(worst_error(ReadGlb(dir.get("out.glb")), clip, 1), report.max_error + 1e-7);
}

TEST(SoftGlbBlender, TheMostTargetsAreAllOfThem) {
  const Scratch dir;
  const std::string in = dir.put("in.glb", Ribbon().file().glb());
  const SoftClip clip = ribbon_clip("Walk", {0}, 40, 6);
  const SoftGlbReport report = write_soft_glb(in, dir.path("out.glb"), {clip}, {.max_growth = 0, .max_targets = 5});
  EXPECT_EQ(report.targets, 5);
  EXPECT_EQ(report.warnings.size(), 1u);
  const ReadGlb out(dir.get("out.glb"));
  EXPECT_EQ(out.json["meshes"][0]["primitives"][0]["targets"].size(), 6u);
  for (const double w : out.numbers((*out.sampler("Walk.soft", 3, "weights"))["output"])) {
    EXPECT_GE(w, 0);
    EXPECT_LE(w, 1);
  }
  EXPECT_NEAR(worst_error(out, clip, 1), report.max_error, 5e-7);
  EXPECT_THROW(write_soft_glb(in, dir.path("x.glb"), {clip}, {.max_targets = 1}), InputError);
}

// Frames from within the clip: what is ours begins and ends with it, and holds there.
TEST(SoftGlbBlender, OursHaveKeysAtBothEndsOfTheClip) {
  const Scratch dir;
  const std::string in = dir.put("in.glb", Ribbon().file().glb());
  SoftClip clip = ribbon_clip("Walk", {0}, 7);
  for (double& t : clip.times) t += 0.25;
  SoftNode rider{1, {}, {}};
  for (int f = 0; f < 7; ++f) {
    rider.translations.emplace_back(f, 2, 3);
    rider.rotations.emplace_back(0, std::sin(0.1 * f), 0, std::cos(0.1 * f));
  }
  clip.nodes.push_back(rider);
  const SoftGlbReport report = write_soft_glb(in, dir.path("out.glb"), {clip});
  const ReadGlb out(dir.get("out.glb"));
  for (const auto& [node, path] : {std::pair(3, "weights"), {1, "translation"}, {1, "rotation"}}) {
    const ordered_json& s = *out.sampler("Walk.soft", node, path);
    const std::vector<double> times = out.numbers(s["input"]);
    ASSERT_EQ(times.size(), 9u) << path;
    EXPECT_EQ(times.front(), 0) << path;
    EXPECT_EQ(times.back(), 1) << path;
    EXPECT_EQ(out.value(s, 0), out.value(s, 0.25)) << path;
    EXPECT_EQ(out.value(s, 0.1), out.value(s, 0.25)) << path;
    EXPECT_EQ(out.value(s, 1), out.value(s, 0.5)) << path;
    EXPECT_NE(out.value(s, 0.25), out.value(s, 0.5)) << path;
  }
  EXPECT_LE(worst_error(out, clip, 1), report.max_error + 1e-7);
  // Frames of the whole clip need none, nor does one that is off by rounding.
  for (const double shift : {0.0, 1e-7}) {
    clip = ribbon_clip("Walk", {0}, 25);
    for (double& t : clip.times) t += shift;
    write_soft_glb(in, dir.path("whole.glb"), {clip});
    const ReadGlb whole(dir.get("whole.glb"));
    EXPECT_EQ(whole.numbers((*whole.sampler("Walk.soft", 3, "weights"))["input"]).size(), 25u);
  }
}

}  // namespace
}  // namespace supple
