// Runs that find what earlier ones made: the same to the bit, and nothing is taken that another scene made.
#include <algorithm>

#include "supple/demos/gallery/pear.h"
#include "supple/io/gltf/gltf_write.h"
#include "supple/pipeline/run/run_character.h"
#include "supple/pipeline/setup/stage_cache.h"
#include "supple/scene/read_scene.h"
#include "tests/scene/scene_files.h"

namespace supple {

using namespace demos;
using namespace pipeline;
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

class Cached : public SceneFiles {
 protected:
  void SetUp() override {
    SceneFiles::SetUp();
    write_gltf(path("pear.glb"), make_pear({.rings = 16, .segments = 12}), {.colors = pear_colors()});
    stage_cache().open(path("cache"));
  }
  void TearDown() override {
    stage_cache().open("");
    SceneFiles::TearDown();
  }

  struct Taken {
    std::string tets, statics, glb;
    Names reused, notes;
    bool operator==(const Taken& other) const {
      return tets == other.tets && statics == other.statics && glb == other.glb;
    }
  };
  Taken take(const Names& set, const std::string& clip = "hop") {
    Names all = {"tets.count=600", "output.report=false"};
    all.insert(all.end(), set.begin(), set.end());
    Taken out;
    RunCharacterOptions options{.out = path("soft.glb"), .directory = path("take"), .overwrite = true};
    const Watch watch{.note = [&](std::string_view text) { out.notes.emplace_back(text); }};
    SceneConfig scene = load_character_scene(path("pear.glb"), all);
    scene.surface.clip = clip;
    const RunCharacterResult r = run_character(scene, clip, options, watch);
    EXPECT_EQ(r.status, RunStatus::done) << r.message;
    out.tets = read(path("take/tets.pc2")), out.statics = read(path("take/static.pc2")),
    out.glb = read(path("soft.glb"));
    const std::string report = read(path("take/report.json"));
    for (const char* name : {"tets", "embedding", "weights", "plan", "static track"}) {
      const size_t from = report.find("\"reused\""), to = report.find(']', from);
      if (report.substr(from, to - from).find('"' + std::string(name) + '"') != std::string::npos)
        out.reused.push_back(name);
    }
    return out;
  }
  Taken take_anew(const Names& set, const std::string& clip = "hop") {
    stage_cache().open("");
    Taken out = take(set, clip);
    stage_cache().open(path("cache"));
    return out;
  }
  // What a run re-used, as it says.
  static std::string told(const Taken& t) {
    const auto it =
        std::find_if(t.notes.begin(), t.notes.end(), [](const auto& n) { return n.rfind("re-used", 0) == 0; });
    return it == t.notes.end() ? "" : *it;
  }
};

// A few frames.
const Names kInertia = {"material.inertia=0.3", "timeline.range=[0,5]", "timeline.loop=false"};

Names plus(Names set, const Names& more) {
  set.insert(set.end(), more.begin(), more.end());
  return set;
}

TEST_F(Cached, a_run_is_the_same_to_the_bit) {
  const Taken anew = take_anew(kInertia), first = take(kInertia), second = take(kInertia);
  EXPECT_TRUE(anew.reused.empty());
  EXPECT_TRUE(first.reused.empty());
  EXPECT_EQ(told(first), "");
  EXPECT_EQ(second.reused, (Names{"tets", "embedding", "weights", "plan"}));
  EXPECT_EQ(told(second), "re-used: tets, embedding, weights, plan");
  EXPECT_TRUE(first == anew);
  EXPECT_TRUE(second == anew);
}

// Speed scales stiffness and gravity together: not even equilibria, where there are any, are solved for again.
TEST_F(Cached, a_dial_makes_nothing_again_that_it_does_not_change) {
  const Names simulated = plus(kInertia, {"output.shape=simulated"});
  take(simulated);
  const Names faster = plus(simulated, {"controls.frequency=1.3"}), lower = plus(simulated, {"controls.sag=1.5"});
  const Taken fast = take(faster), low = take(lower);
  EXPECT_EQ(fast.reused, (Names{"tets", "embedding", "weights", "plan", "static track"}));
  EXPECT_EQ(low.reused, (Names{"tets", "embedding", "weights", "plan"}));
  EXPECT_TRUE(fast == take_anew(faster));
  EXPECT_NE(low.statics, fast.statics);
}

// One flesh for the file: another clip keeps all of it.
TEST_F(Cached, another_clip_keeps_the_flesh_and_another_region_the_tets) {
  take(kInertia);
  EXPECT_EQ(take(kInertia, "twist").reused, (Names{"tets", "embedding", "weights", "plan"}));
  const Names hard = plus(kInertia, {"attach.joints=[\"*\"]", "attach.radius=0.05"});
  EXPECT_EQ(take(hard).reused, (Names{"tets", "embedding"}));
  EXPECT_TRUE(take(plus(kInertia, {"tets.count=800"})).reused.empty());
}

// The search for a loop goes through the same knots again and again.
TEST_F(Cached, loops_are_the_same_to_the_bit) {
  const Names set = {"tets.count=300", "output.shape=simulated"};
  const Taken anew = take_anew(set, "twist"), first = take(set, "twist"), second = take(set, "twist");
  const auto tells = [&](const char* what) {
    return std::any_of(first.notes.begin(), first.notes.end(), [&](const auto& n) { return n.find(what) != n.npos; });
  };
  EXPECT_TRUE(tells("loop of "));
  EXPECT_TRUE(first == anew);
  EXPECT_TRUE(second == anew);
  EXPECT_NE(told(second).find("static track"), std::string::npos);
}

TEST_F(Cached, entries_that_are_damaged_are_made_again) {
  const Taken first = take(kInertia);
  for (const auto& entry : fs::directory_iterator(path("cache"))) {
    const std::string bytes = read(entry.path().string());
    write("cache/" + entry.path().filename().string(), bytes.substr(0, bytes.size() / 2));
  }
  const Taken second = take(kInertia);
  EXPECT_TRUE(second.reused.empty());
  EXPECT_TRUE(second == first);
  EXPECT_EQ(take(kInertia).reused.size(), 4u);
}

}  // namespace
}  // namespace supple
