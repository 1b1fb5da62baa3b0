// Live packs as others read them: the Khronos validator, three.js in node and in a browser, Blender; and the page and
// the JavaScript runtime. Each test says what it needs.
#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "supple/io/obj.h"
#include "supple/io/point_cache.h"
#include "supple/mesh/tri_mesh.h"
#include "tests/scenes/live_man_files.h"
#include "tests/support/tools.h"

namespace supple {

using namespace demos;
namespace {

using test::runs;

using nlohmann::json;

constexpr double kAllowed = 1e-4;  // of the size: distance of what is shown from what is meant
const std::vector<double> kTimes = {0, 0.6, 1.0, 1.05, 1.3, 1.4833};

bool has_node() { return runs("node --version"); }
constexpr const char* kNoNode = "node is not on the PATH: install nodejs";

class LiveViewers : public LiveManFiles {
 protected:
  // What a script of ours says. Such a script ends with 3 where something is not installed, and names it.
  struct Said {
    int status = 0;
    std::string out, errors;
    bool is_missing() const { return status == 3; }
  };
  Said ask(const std::string& name, const std::string& arguments = "") const {
    const std::string command = "node '" SUPPLE_SOURCE_DIR "/tests/" + name + "' " + arguments + " > '" +
                                path("said.txt") + "' 2> '" + path("errors.txt") + "'";
    const int status = system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(path("said.txt")), read(path("errors.txt"))};
  }
  // The lines of a check that do not say "ok".
  static std::string wrong(const Said& said) {
    std::istringstream in(said.out);
    std::string text;
    for (std::string line; std::getline(in, line);)
      if (line.rfind("ok", 0) != 0) text += line + "\n";
    return text + said.errors;
  }
  std::string quoted(const std::string& name) const { return "'" + path(name) + "'"; }
  double size() const { return longest_side(job_.subject->character()->setup().drawn.vertices.rest); }

  static double farthest(const Points& a, const std::vector<double>& b, size_t first) {
    double most = 0;
    for (size_t i = 0; i < b.size() / 3; ++i)
      most = std::max(most, (a[first + i] - Vec3(b[3 * i], b[3 * i + 1], b[3 * i + 2])).norm());
    return most;
  }
  double most_moved() const {
    double most = 0;
    for (const double t : kTimes) {
      const Points a = soft(t), b = rigid(t);
      for (size_t v = 0; v < a.size(); ++v) most = std::max(most, (a[v] - b[v]).norm());
    }
    return most;
  }
};

TEST_F(LiveViewers, the_validator_finds_no_errors) {
  if (!has_node()) GTEST_SKIP() << kNoNode;
  if (const Said said = ask("three/validate.mjs"); said.is_missing()) GTEST_SKIP() << said.errors;
  ASSERT_NO_FATAL_FAILURE(make_man(R"(["live", "baked", "bones", "springs"])"));
  const std::vector<std::string> files = {"man.glb", "out/man.live.glb", "out/man.baked.glb", "out/man.bones.glb",
                                          "out/man.springs.glb"};
  std::string arguments;
  for (const std::string& f : files) arguments += quoted(f) + " ";
  const Said said = ask("three/validate.mjs", arguments);
  ASSERT_EQ(said.status, 0) << said.errors;
  const json seen = json::parse(said.out);
  ASSERT_EQ(seen.size(), files.size());
  for (const json& file : seen) EXPECT_EQ(file["errors"], 0) << file;
  // Nothing to complain of that the character does not have.
  for (const json& file : seen) EXPECT_EQ(file["codes"], seen[0]["codes"]) << file;
}

TEST_F(LiveViewers, three_shows_the_baked_clip) {
  if (!has_node()) GTEST_SKIP() << kNoNode;
  if (const Said said = ask("three/evaluate.mjs"); said.is_missing()) GTEST_SKIP() << said.errors;
  ASSERT_NO_FATAL_FAILURE(make_man(R"(["baked"])"));
  std::string arguments = quoted("out/man.baked.glb") + " jump.live";
  for (const double t : kTimes) arguments += " " + std::to_string(t);
  const Said said = ask("three/evaluate.mjs", arguments);
  ASSERT_EQ(said.status, 0) << said.errors;
  const json seen = json::parse(said.out);
  EXPECT_EQ(seen["clips"], json({"jump", "twist", "walk", "run", "stop", "jump.live", "walk.live"}));
  const Drawn& drawn = job_.subject->character()->setup().drawn;
  ASSERT_EQ(seen["shapes"].size(), drawn.primitives.size());
  double worst = 0;
  for (size_t k = 0; k < kTimes.size(); ++k) {
    const Points meant = soft(kTimes[k]);
    for (const json& shape : seen["shapes"])
      for (const DrawnPrimitive& p : drawn.primitives) {
        if (shape["node"] != p.node || shape["primitive"] != p.primitive) continue;
        const std::vector<double> x = shape["positions"][k];
        ASSERT_EQ(x.size(), 3 * static_cast<size_t>(p.n_vertices));
        worst = std::max(worst, farthest(meant, x, static_cast<size_t>(p.first_vertex)));
      }
  }
  EXPECT_LT(worst, kAllowed * size());
  EXPECT_GT(most_moved(), 20 * kAllowed * size());
}

TEST_F(LiveViewers, a_browser_plays_the_baked_clip) {
  if (!has_node()) GTEST_SKIP() << kNoNode;
  ASSERT_NO_FATAL_FAILURE(make_man(R"(["baked"])"));
  json shapes = json::array();
  for (const DrawnPrimitive& p : job_.subject->character()->setup().drawn.primitives) {
    json at = json::array();
    for (const double t : kTimes) {
      const Points x = soft(t);
      std::vector<double> list;
      for (int v = p.first_vertex; v < p.first_vertex + p.n_vertices; ++v)
        for (int c = 0; c < 3; ++c) list.push_back(x[v][c]);
      at.push_back(list);
    }
    shapes.push_back({{"positions", at}});
  }
  write("expected.json", json({{"clip", "jump.live"}, {"rigid", kClip}, {"times", kTimes}, {"shapes", shapes}}).dump());
  const Said said = ask("three/play.mjs", quoted("out/man.baked.glb") + " " + quoted("expected.json"));
  if (said.is_missing()) GTEST_SKIP() << said.errors;
  ASSERT_EQ(said.status, 0) << said.errors;
  const json seen = json::parse(said.out);
  ASSERT_FALSE(seen.empty());
  for (const json& run : seen) {
    ASSERT_FALSE(run.contains("error")) << run;
    const double worst = run["worst"], moved = run["moved"], changed = run["changed"];
    EXPECT_LT(worst, kAllowed * size()) << run;
    EXPECT_NEAR(moved, most_moved(), 2 * kAllowed * size()) << run;
    EXPECT_GT(changed, 0.1 * size()) << run;
    EXPECT_EQ(run["gl_error"], 0) << run;
    // Pictures: three up to r132 draws no more than eight targets at once, the largest, so that they are only alike.
    const bool all_targets = std::stoi(run["revision"].get<std::string>()) > 132;
    double flesh = 0;
    for (const json& picture : run["pictures"]) {
      EXPECT_LT(picture["ours"].get<double>(), all_targets ? 2e-4 : 0.01) << run;
      flesh = std::max(flesh, picture["rigid"].get<double>());
    }
    if (all_targets) {
      EXPECT_GT(flesh, 0.002) << run;
    }
  }
}

TEST_F(LiveViewers, blender_shows_the_baked_clip) {
  if (!runs("blender --version")) GTEST_SKIP() << "blender is not on the PATH";
  ASSERT_NO_FATAL_FAILURE(make_man(R"(["baked"])"));
  // What the check takes for the delivery of a run.
  const Drawn& drawn = job_.subject->character()->setup().drawn;
  PointCache cache;
  for (const double t : build_.clips[0].times) cache.add(flatten(soft(t)));
  std::filesystem::create_directories(path("take"));
  write_pc2(path("take/surface.pc2"), cache);
  write_obj(path("take/surface.obj"), {.vertices = drawn.vertices.rest, .triangles = drawn.triangles});
  write("take/report.json", json({{"timeline", {{"fps", build_.clips[0].fps}}}}).dump());
  write("take/scene.toml", "");
  const std::string command = "blender -b --factory-startup --python-exit-code 2 --python '" SUPPLE_SOURCE_DIR
                              "/tests/blender/check_character.py' -- " +
                              quoted("man.glb") + " " + quoted("out/man.baked.glb") + " " + quoted("take") +
                              " jump.live " + std::to_string(kAllowed / 2) + " 7";
  const int status = system((command + " > " + quoted("blender.txt") + " 2>&1").c_str());
  EXPECT_EQ(status, 0) << read(path("blender.txt"));
  EXPECT_NE(read(path("blender.txt")).find("\"clamped_keys\": 0,"), std::string::npos) << read(path("blender.txt"));
}

TEST_F(LiveViewers, the_page_does_what_it_says) {
  if (!has_node()) GTEST_SKIP() << kNoNode;
  make_live_example(path("demo"), {"tets.preset=preview", "live.deliver=[\"live\"]"});
  const Said said = ask("runtime/check_page.mjs", quoted("demo/dyrt.html"));
  if (said.is_missing()) GTEST_SKIP() << said.errors;
  EXPECT_EQ(said.status, 0) << wrong(said);
}

TEST_F(LiveViewers, the_shader_draws_what_the_processor_moves) {
  if (!has_node()) GTEST_SKIP() << kNoNode;
  const Said said = ask("runtime/check_browser.mjs");
  if (said.is_missing()) GTEST_SKIP() << said.errors;
  EXPECT_EQ(said.status, 0) << wrong(said);
}

TEST_F(LiveViewers, the_javascript_runtime_meets_the_vectors) {
  if (!has_node()) GTEST_SKIP() << kNoNode;
  const Said said = ask("runtime/check_vectors.mjs");
  EXPECT_EQ(said.status, 0) << wrong(said);
  EXPECT_NE(said.out.find("ok   vector "), std::string::npos) << said.out;
}

TEST_F(LiveViewers, the_javascript_runtime_attaches_to_three) {
  if (!has_node()) GTEST_SKIP() << kNoNode;
  const Said said = ask("runtime/check_attach.mjs");
  if (said.is_missing()) GTEST_SKIP() << said.errors;
  EXPECT_EQ(said.status, 0) << wrong(said);
}

}  // namespace
}  // namespace supple
