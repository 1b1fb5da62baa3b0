// A character's result as others read it: the Khronos validator, three.js and Blender. Each test says what it needs.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "supple/demos/gallery/pear.h"
#include "supple/io/gltf/gltf_read.h"
#include "supple/io/gltf/gltf_write.h"
#include "supple/io/point_cache.h"
#include "supple/mesh/tri_mesh.h"
#include "supple/pipeline/run/run_character.h"
#include "tests/scene/shared_stages.h"
#include "tests/support/tools.h"

namespace supple {

using namespace demos;
using namespace pipeline;
namespace {

using test::missing_package;
using test::runs;

using nlohmann::json;

constexpr int kFirstFrame = 10, kLastFrame = 18;  // about the take-off, where most moves

class Viewers : public SharedStages {
 protected:
  // A run whose surface is known frame by frame.
  void run_pear() {
    write_gltf(path("pear.glb"), make_pear({.rings = 14, .segments = 12}), {.colors = pear_colors()});
    const SceneConfig scene = character_scene(
        {.file = path("pear.glb"),
         .clip = "hop",
         .set = {"tets.count=800", "output.report=false", "output.formats=[\"pc2\"]", "timeline.loop=false",
                 "timeline.range=[" + std::to_string(kFirstFrame) + "," + std::to_string(kLastFrame) + "]"}});
    RunCharacterOptions options{.out = path("soft.glb"), .directory = path("take")};
    const RunCharacterResult result = run_character(scene, "hop", options);
    ASSERT_EQ(result.status, RunStatus::done) << result.message;
    ASSERT_EQ(result.glb.clips, std::vector<std::string>{"hop.soft"});
    share_ = result.glb.max_error_share;
    surface_ = read_pc2(path("take/surface.pc2"));
    ASSERT_EQ(surface_.n_samples, kLastFrame - kFirstFrame + 1);
    size_ = longest_side(surface_.points(0));
  }

  json output_of(const std::string& command) const {
    EXPECT_EQ(system((command + " > '" + path("seen.json") + "'").c_str()), 0) << command;
    return json::parse(read(path("seen.json")), nullptr, false);
  }
  static std::string script(const std::string& name) { return "'" SUPPLE_SOURCE_DIR "/tests/" + name + "'"; }

  // What three.js shows of a clip at times.
  json shown(const std::string& file, const std::string& clip, const std::vector<double>& times) const {
    std::string command = "node " + script("three/evaluate.mjs") + " '" + path(file) + "' " + clip;
    for (const double t : times) command += " " + std::to_string(t);
    json seen = output_of(command);
    // In the order of the file, as surface.pc2 has it.
    std::sort(seen["shapes"].begin(), seen["shapes"].end(), [](const json& a, const json& b) {
      return std::pair<int, int>(a["node"], a["primitive"]) < std::pair<int, int>(b["node"], b["primitive"]);
    });
    return seen;
  }
  static std::vector<double> positions(const json& seen, size_t time) {
    std::vector<double> all;
    for (const json& shape : seen["shapes"])
      for (const json& x : shape["positions"][time]) all.push_back(x);
    return all;
  }

  double share_ = 0, size_ = 0;
  PointCache surface_;
};

TEST_F(Viewers, the_validator_finds_nothing_that_the_input_does_not_have) {
  if (const std::string why = missing_package("GLTF_VALIDATOR_DIR", "gltf-validator"); !why.empty())
    GTEST_SKIP() << why;
  ASSERT_NO_FATAL_FAILURE(run_pear());
  const json seen =
      output_of("node " + script("three/validate.mjs") + " '" + path("pear.glb") + "' '" + path("soft.glb") + "'");
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0]["errors"], 0) << seen[0];
  EXPECT_EQ(seen[1]["errors"], 0) << seen[1];
  EXPECT_EQ(seen[0]["codes"], seen[1]["codes"]);
  EXPECT_EQ(seen[0]["warnings"], 0) << seen[0];
}

// What others leave out or complain of, without them: vertices of no triangle, joints of no weight.
TEST_F(Viewers, the_pear_has_nothing_unused) {
  for (const PearOptions& options : {PearOptions{}, PearOptions{.rings = 14, .segments = 12}}) {
    const Character pear = make_pear(options);
    for (const Primitive& p : pear.meshes[0].primitives) {
      std::vector<char> used(p.positions.size(), 0);
      for (const Tri& t : p.triangles)
        for (const int v : t) used.at(static_cast<size_t>(v)) = 1;
      EXPECT_EQ(std::count(used.begin(), used.end(), 0), 0);
    }
    write_gltf(path("pear.glb"), pear, {.colors = pear_colors()});
    const Character written = read_gltf(path("pear.glb"));
    int without = 0;
    for (const Primitive& p : written.meshes[0].primitives) {
      for (size_t i = 0; i < p.joints.size(); ++i) {
        if (p.weights[i] != 0) continue;
        EXPECT_EQ(p.joints[i], 0);
        ++without;
      }
    }
    EXPECT_GT(without, 0);
  }
}

TEST_F(Viewers, three_shows_the_delivered_surface) {
  if (const std::string why = missing_package("THREE_DIR", "three"); !why.empty()) GTEST_SKIP() << why;
  ASSERT_NO_FATAL_FAILURE(run_pear());
  const double fps = 24;
  std::vector<double> times, halfway;
  for (int f = kFirstFrame; f <= kLastFrame; ++f) times.push_back(f / fps);
  for (int f = kFirstFrame; f < kLastFrame; ++f) halfway.push_back((f + 0.5) / fps);

  const json soft = shown("soft.glb", "hop.soft", times), artists = shown("soft.glb", "hop", times);
  EXPECT_EQ(soft["clips"], json({"hop", "twist", "hold", "hop.soft"}));
  double worst = 0, moved = 0;
  for (int s = 0; s < surface_.n_samples; ++s) {
    const std::vector<double> x = positions(soft, static_cast<size_t>(s));
    const std::vector<double> rigid = positions(artists, static_cast<size_t>(s));
    ASSERT_EQ(x.size(), 3 * static_cast<size_t>(surface_.n_points));
    for (size_t i = 0; i < x.size(); i += 3) {
      const float* at = surface_.sample(s) + i;
      worst = std::max(worst, std::hypot(x[i] - at[0], x[i + 1] - at[1], x[i + 2] - at[2]));
      moved = std::max(moved, std::hypot(x[i] - rigid[i], x[i + 1] - rigid[i + 1], x[i + 2] - rigid[i + 2]));
    }
  }
  // The stated error is of the mesh as bound, and bones may stretch it.
  EXPECT_LT(worst, (1.5 * share_ + 2e-6) * size_);
  EXPECT_GT(moved, 20 * worst);

  // Between frames weights are straight.
  const json between = shown("soft.glb", "hop.soft", halfway);
  for (size_t k = 0; k < between["shapes"].size(); ++k) {
    const json &at = soft["shapes"][k]["weights"], &middle = between["shapes"][k]["weights"];
    for (size_t i = 0; i < middle.size(); ++i)
      for (size_t w = 0; w < middle[i].size(); ++w) {
        const double mean = 0.5 * (at[i][w].get<double>() + at[i + 1][w].get<double>());
        EXPECT_NEAR(middle[i][w].get<double>(), mean, 1e-4);
      }
  }

  // The artist's clips are as they were.
  const std::vector<double> any = {0, 0.377, 0.61, 1.9};
  for (const char* clip : {"hop", "twist"}) {
    const json before = shown("pear.glb", clip, any), after = shown("soft.glb", clip, any);
    for (size_t i = 0; i < any.size(); ++i)
      EXPECT_EQ(positions(before, i), positions(after, i)) << clip << " " << any[i];
  }
}

TEST_F(Viewers, blender_shows_the_delivered_surface_and_plays_its_cache) {
  if (!runs("blender --version")) GTEST_SKIP() << "blender is not on the PATH";
  ASSERT_NO_FATAL_FAILURE(run_pear());
  const std::string command = "blender -b --factory-startup --python-exit-code 2 --python " +
                              script("blender/check_character.py") + " -- '" + path("pear.glb") + "' '" +
                              path("soft.glb") + "' '" + path("take") + "' hop.soft " + std::to_string(share_) + " 2";
  const int status = system((command + " > '" + path("blender.txt") + "' 2>&1").c_str());
  EXPECT_EQ(status, 0) << read(path("blender.txt"));
  const std::string said = read(path("blender.txt"));
  ASSERT_NE(said.find("CHECK {"), std::string::npos);
  EXPECT_NE(said.find("\"clamped_keys\": 0,"), std::string::npos) << said;
  EXPECT_NE(said.find("\"unused_vertices\": 0,"), std::string::npos) << said;
}

// The add-on on a character that a script builds in Blender: its modifier shows what is in the cache.
TEST_F(Viewers, the_blender_add_on_shows_the_cache) {
  if (!runs("blender --version")) GTEST_SKIP() << "blender is not on the PATH";
  const std::string command = "SUPPLE_CACHE=off blender -b --factory-startup --python-exit-code 2 --python " +
                              script("blender/check_addon.py") + " -- " +
                              script("../integrations/blender/supple_addon.py") + " '" SUPPLE_PROGRAM "' '" +
                              path("takes") + "'";
  const int status = system((command + " > '" + path("addon.txt") + "' 2>&1").c_str());
  EXPECT_EQ(status, 0) << read(path("addon.txt"));
  EXPECT_NE(read(path("addon.txt")).find("CHECK {"), std::string::npos);
}

}  // namespace
}  // namespace supple
