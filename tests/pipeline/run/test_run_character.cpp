// Clips of one character: one flesh for all, each simulated once, several at a time.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "supple/base/staged_work.h"
#include "supple/demos/gallery/pear.h"
#include "supple/io/gltf/gltf_read.h"
#include "supple/io/gltf/gltf_write.h"
#include "supple/pipeline/run/run_character.h"
#include "supple/scene/read_scene.h"
#include "tests/scene/shared_stages.h"

namespace supple {

using namespace demos;
using namespace pipeline;
namespace {

namespace fs = std::filesystem;

class RunCharacter : public SharedStages {
 protected:
  void SetUp() override {
    SharedStages::SetUp();
    Character pear = make_pear({.rings = 14, .segments = 12});
    // The second clip is the shortest.
    Clip& twist = pear.clips[1];
    twist.end = 8.0 / 24;
    for (Channel& c : twist.channels) {
      c.times.resize(9);
      c.values.resize(9 * static_cast<size_t>(c.width));
    }
    write_gltf(path("pear.glb"), pear, {.colors = pear_colors()});
  }
  void TearDown() override {
    set_thread_count(0);
    SharedStages::TearDown();
  }

  RunCharacterResult run(const std::string& clip, const std::string& take, const std::string& range = "[2,7]",
                         const Watch& watch = {}) const {
    SceneConfig scene = load_character_scene(
        path("pear.glb"), {"tets.count=500", "timeline.loop=false", "output.report=false", "timeline.range=" + range});
    if (clip != "all") scene.surface.clip = clip;
    return run_character(scene, clip, {.out = path(take + ".glb"), .directory = path(take), .overwrite = true}, watch);
  }
  nlohmann::json report(const std::string& folder) const {
    return nlohmann::json::parse(read(path(folder + "/report.json")));
  }
};

// Its flesh and its motion are what the file gives it, whatever else is asked for and however many threads there are.
TEST_F(RunCharacter, a_clip_alone_is_the_clip_among_all_to_the_bit) {
  std::map<std::string, std::string> first;
  std::string glb;
  for (int threads : {1, 2, 3}) {
    set_thread_count(threads);
    ASSERT_EQ(run("all", "all").status, RunStatus::done);
    for (const char* clip : {"hop", "twist", "hold"}) {
      const std::string tets = read(path(std::string("all/") + clip + "/tets.pc2"));
      EXPECT_FALSE(tets.empty());
      EXPECT_EQ(first.emplace(clip, tets).first->second, tets) << clip << ", " << threads << " threads";
    }
    if (glb.empty()) glb = read(path("all.glb"));
    EXPECT_TRUE(read(path("all.glb")) == glb) << threads << " threads";
  }
  for (const char* clip : {"twist", "hold"}) {
    ASSERT_EQ(run(clip, "alone").status, RunStatus::done);
    EXPECT_TRUE(read(path("alone/tets.pc2")) == first.at(clip)) << clip;
  }
}

TEST_F(RunCharacter, a_clip_that_fails_is_told_and_the_others_are_delivered) {
  for (int threads : {1, 2}) {
    set_thread_count(threads);
    std::vector<std::string> warnings;
    const RunCharacterResult r =
        run("all", "some", "[2,12]", {.warn = [&](std::string_view text) { warnings.emplace_back(text); }});
    ASSERT_EQ(r.status, RunStatus::done) << r.message;
    EXPECT_EQ(r.n_failed(), 1);
    EXPECT_NE(r.message.find("1 of 3"), std::string::npos) << r.message;
    EXPECT_NE(r.message.find("twist"), std::string::npos) << r.message;
    EXPECT_EQ(r.glb.clips, (std::vector<std::string>{"hop.soft", "hold.soft"}));
    EXPECT_EQ(read_gltf(path("some.glb")).clips.size(), 5u);
    ASSERT_EQ(r.clips.size(), 3u);
    EXPECT_EQ(r.clips[0].result.status, RunStatus::done);
    EXPECT_EQ(r.clips[1].result.status, RunStatus::failed);
    EXPECT_TRUE(std::any_of(warnings.begin(), warnings.end(), [](const std::string& w) {
      return w.find("'twist'") != std::string::npos && w.find("past the last frame") != std::string::npos;
    }));
    const nlohmann::json j = report("some");
    EXPECT_EQ(j.at("failed"), 1);
    EXPECT_EQ(j.at("clips")[0].at("status"), "done");
    EXPECT_EQ(j.at("clips")[1].at("status"), "failed");
    EXPECT_NE(j.at("clips")[1].at("message").get<std::string>().find("past the last frame"), std::string::npos);
  }
}

// Thicknesses are in metres and what is drawn is in units of the file.
TEST_F(RunCharacter, what_is_drawn_is_told_in_thicknesses_whatever_the_units) {
  for (const char* height : {"0.02", "200"}) {
    const SceneConfig scene = load_character_scene(
        path("pear.glb"), {"tets.count=500", "timeline.loop=false", "output.report=false", "timeline.range=[2,7]",
                           std::string("surface.height=") + height, "surface.clip=hop"});
    run_character(scene, "hop", {.out = path("h.glb"), .directory = path("h"), .overwrite = true});
    const nlohmann::json motion = report("h").at("character").at("motion");
    EXPECT_GT(motion.at("drawn99"), 0.3 * motion.at("swing99").get<double>()) << height;
    EXPECT_LT(motion.at("drawn99"), 1.2 * motion.at("swing99").get<double>()) << height;
  }
}

TEST_F(RunCharacter, where_all_fail_nothing_is_written) {
  EXPECT_THROW(run("all", "none", "[0,300]"), InputError);
  EXPECT_THROW(run("twist", "none", "[0,12]"), InputError);
  EXPECT_FALSE(fs::exists(path("none.glb")));
}

TEST_F(RunCharacter, an_interrupted_run_delivers_nothing_and_says_how_to_go_on) {
  set_thread_count(2);
  std::atomic<bool> stop = false;
  const RunCharacterResult r =
      run("hop", "stopped", "[2,8]",
          {.progress = [&](std::string_view stage, int done,
                           int) { stop = stop || (stage.starts_with("simulating") && done > 1); },
           .cancelled = [&] { return stop.load(); }});
  EXPECT_EQ(r.status, RunStatus::interrupted);
  EXPECT_NE(r.message.find("--resume"), std::string::npos) << r.message;
  EXPECT_FALSE(fs::exists(path("stopped.glb")));
}

TEST_F(RunCharacter, one_bar_over_the_frames_of_all_clips) {
  set_thread_count(2);
  std::vector<int> told;
  std::vector<std::string> stages;
  int total = 0;
  run("all", "bar", "[2,7]", {.progress = [&](std::string_view stage, int done, int of) {
        if (!stage.starts_with("simulating")) return;
        stages.emplace_back(stage);
        told.push_back(done), total = of;
      }});
  EXPECT_EQ(total, 3 * 5);
  ASSERT_GT(told.size(), 3u);
  EXPECT_EQ(told.front(), 0);
  EXPECT_EQ(told.back(), total);
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  EXPECT_EQ(std::count(told.begin(), told.end(), total), 1);
  EXPECT_EQ(stages.front(), "simulating, 0 of 3 clips done");
  EXPECT_EQ(stages.back(), "simulating, 3 of 3 clips done");
}

// Whatever the clips: one way, that never goes back and is not at its end before all is written.
TEST_F(RunCharacter, the_share_of_the_whole_never_goes_back) {
  for (const char* clip : {"hop", "all"}) {
    StagedWork work;
    std::vector<std::string> stages;
    double last = 0;
    const RunCharacterResult r = run(clip, std::string("share_") + clip, "[2,7]",
                                     {.plan = [&](const std::vector<PlannedStage>& ahead) { work.plan(ahead); },
                                      .progress =
                                          [&](std::string_view stage, int done, int of) {
                                            work.tell(stage, done, of);
                                            EXPECT_GE(work.share(), last);
                                            last = work.share();
                                            const std::string name(stage_name(stage));
                                            if (stages.empty() || stages.back() != name) stages.push_back(name);
                                          }});
    ASSERT_EQ(r.status, RunStatus::done) << r.message;
    EXPECT_GT(last, 0.99);
    EXPECT_EQ(std::set<std::string>(stages.begin(), stages.end()).size(), stages.size());  // none comes twice
    EXPECT_EQ(stages[0], "reading");
    EXPECT_EQ(stages[1], "finding the flesh");
    const nlohmann::json t = report(std::string("share_") + clip).at("timings_s");
    double sum = 0;
    for (const auto& [name, seconds] : t.items())
      if (name != "wall" && name != "total") sum += seconds.get<double>();
    EXPECT_NEAR(sum, t.at("wall"), 1e-9 * t.at("wall").get<double>());
    for (const char* part : {"reading", "planning", "set_up", "other"}) EXPECT_GE(t.at(part), 0) << part;
  }
}

// Every step is counted, and there are none but those of the frames and of what leads to the first.
TEST_F(RunCharacter, each_clip_is_simulated_once) {
  run("all", "once");
  for (const char* clip : {"hop", "twist", "hold"}) {
    const nlohmann::json j = report(std::string("once/") + clip);
    const int steps = j.at("solver").at("steps"), total = j.at("solver").at("steps_total"),
              warm_up = j.at("solver").at("steps_warm_up"), retries = j.at("solver").at("retries");
    EXPECT_EQ(steps, 5 * j.at("timeline").at("substeps").get<int>()) << clip;
    EXPECT_EQ(total, steps + warm_up + retries) << clip;
  }
  const nlohmann::json all = report("once");
  EXPECT_EQ(all.at("clips").size(), 3u);
  EXPECT_GT(all.at("timings_s").at("set_up"), 0);
}

// Names that make the same folder get one each.
TEST_F(RunCharacter, each_clip_has_a_folder_of_its_own) {
  Character pear = make_pear({.rings = 14, .segments = 12});
  pear.clips[0].name = "a b", pear.clips[1].name = "A_b", pear.clips[2].name = "a/b";
  write_gltf(path("pear.glb"), pear, {.colors = pear_colors()});
  const RunCharacterResult r = run("all", "folders", "[2,4]");
  ASSERT_EQ(r.status, RunStatus::done) << r.message;
  std::vector<std::string> folders;
  for (const ClipRun& c : r.clips) {
    folders.push_back(c.folder);
    EXPECT_TRUE(fs::exists(path("folders/" + c.folder + "/report.json"))) << c.folder;
  }
  EXPECT_EQ(folders, (std::vector<std::string>{"a_b", "A_b_2", "a_b_3"}));
}

}  // namespace
}  // namespace supple
