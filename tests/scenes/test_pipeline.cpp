// run_scene: one call for every kind of scene gives what the commands give.
#include "supple/pipeline/pipeline.h"

#include "supple/demos/gallery/pear.h"
#include "supple/pipeline/live/run.h"
#include "supple/pipeline/run/run_character.h"
#include "tests/scenes/curves_files.h"

namespace supple {

using namespace demos;
using namespace pipeline;
using namespace pipeline::curves;
using namespace pipeline::live;
namespace {

struct Heard {
  std::vector<std::string> notes, warnings, stages;
  int done = 0, of = 0;
  Watch watch() {
    return {.note = [this](std::string_view text) { notes.emplace_back(text); },
            .warn = [this](std::string_view text) { warnings.emplace_back(text); },
            .progress =
                [this](std::string_view stage, int now, int all) {
                  const std::string name(stage.substr(0, stage.find(',')));
                  if (stages.empty() || stages.back() != name) stages.emplace_back(name);
                  done = now, of = all;
                },
            .cancelled = {}};
  }
};

class Pipeline : public CurvesFiles {
 protected:
  // A bar that is shaken, of few tets.
  SceneConfig bar(const Overrides& set = {}) const {
    write_tet_mesh(path("bar.msh"), make_box(6, 1, 1, {0.3, 0.05, 0.05}));
    write("keys.csv", "0,0,0,0,0,0,0,1\n0.2,0,0.05,0,0,0,0.3826834,0.9238795\n");
    return load_scene(write("bar.toml",
                            "[tets]\nfile = \"bar.msh\"\n[attach]\nvertices = [0, 7, 14, 21]\nrigid = \"keys.csv\"\n"
                            "[timeline]\nframes = 8\nsubsteps = 4\n[material]\nyoungs_modulus = 5e4\n[output]\nformats "
                            "= [\"pc2\"]\nreport = false\n"),
                      set);
  }
  void expect_same(const std::string& a, const std::string& b, const std::vector<std::string>& files) const {
    for (const std::string& f : files) {
      EXPECT_GT(read(path(a + "/" + f)).size(), 0u) << f;
      EXPECT_TRUE(read(path(a + "/" + f)) == read(path(b + "/" + f))) << f;
    }
  }
};

TEST_F(Pipeline, tets_as_the_command_does) {
  Heard heard;
  Outcome out = run_scene(bar(), {.directory = path("a")}, heard.watch());
  EXPECT_EQ(out.status, RunStatus::done) << out.message;
  EXPECT_EQ(out.lines.size(), 1u);
  EXPECT_EQ(heard.stages, (std::vector<std::string>{"reading", "simulating", "writing"}));
  EXPECT_EQ(heard.done, heard.of);
  const Call c = supple("simulate bar.toml -o b");
  EXPECT_EQ(c.status, 0) << c.out;
  expect_same("a", "b", {"tets.pc2", "static.pc2", "amplitude.csv", "surface.pc2"});
  for (const std::string& note : heard.notes)
    EXPECT_TRUE(note.starts_with("reading") || c.out.find(note) != std::string::npos) << note;
  EXPECT_NE(c.out.find(out.lines[0]), std::string::npos) << c.out;
  for (const std::string& f : out.files) EXPECT_TRUE(std::filesystem::exists(path("a/" + f))) << f;
  EXPECT_EQ(out.report["directory"].text(), Json(path("a")).text());
  // What is there is not replaced unasked.
  EXPECT_THROW(run_scene(bar(), {.directory = path("a")}), InputError);
}

TEST_F(Pipeline, a_stop_is_told_and_gone_on_from) {
  int polls = 0;
  const Outcome cut = run_scene(bar(), {.directory = path("cut")}, {.cancelled = [&] { return ++polls > 9; }});
  EXPECT_EQ(cut.status, RunStatus::interrupted);
  EXPECT_NE(cut.message.find("--resume"), std::string::npos) << cut.message;
  EXPECT_EQ(run_scene(bar(), {.directory = path("cut"), .resume = true}).status, RunStatus::done);
  EXPECT_EQ(run_scene(bar(), {.directory = path("whole")}).status, RunStatus::done);
  expect_same("cut", "whole", {"tets.pc2", "amplitude.csv"});
  const Outcome again = run_scene(bar(), {.directory = path("cut"), .resume = true});
  EXPECT_EQ(again.status, RunStatus::done);
  EXPECT_NE(again.lines.at(0).find("complete already"), std::string::npos);
  expect_same("cut", "whole", {"tets.pc2", "amplitude.csv"});
  // Stopped before it had begun, there is nothing to go on with: it begins.
  const Outcome none =
      run_scene(load_scene(path("scene.toml")), {.directory = path("curves")}, {.cancelled = [] { return true; }});
  EXPECT_EQ(none.status, RunStatus::interrupted);
  EXPECT_EQ(none.message, "interrupted");
  const Overrides few = {{"timeline.range=[0,4]"}};
  const Outcome late = run_scene(load_scene(path("scene.toml"), few), {.directory = path("curves"), .resume = true});
  EXPECT_EQ(late.status, RunStatus::done) << late.message;
}

TEST_F(Pipeline, curves_where_the_scene_has_them) {
  Heard heard;
  const Overrides set = {{"timeline.range=[0,4]"}};
  const Outcome out = run_scene(load_scene(path("scene.toml"), set), {.directory = path("a")}, heard.watch());
  EXPECT_EQ(out.status, RunStatus::done) << out.message;
  EXPECT_EQ(heard.done, heard.of);
  EXPECT_EQ(heard.warnings, out.warnings);
  EXPECT_EQ(supple("curves scene.toml -o b --set timeline.range=[0,4]").status, 0);
  expect_same("a", "b", {"curves.csv"});
}

TEST_F(Pipeline, a_character_in_every_way) {
  write_gltf(path("pear.glb"), make_pear({.rings = 12, .segments = 10}), {.colors = pear_colors()});
  const Overrides set = {{"tets.count", 400}, {"output.report", false}, {"timeline.range=[6,10]"}};
  const SceneConfig scene = character_scene({.file = path("pear.glb"), .clip = "hop", .set = set});
  Heard heard;
  const Outcome out = run_scene(scene, {.directory = path("take"), .product = Product::soft_character}, heard.watch());
  EXPECT_EQ(out.status, RunStatus::done) << out.message;
  EXPECT_EQ(heard.stages.front(), "reading");
  EXPECT_EQ(heard.stages.back(), "writing");
  EXPECT_EQ(heard.done, heard.of);
  EXPECT_EQ(out.takes, std::vector<std::string>{""});
  EXPECT_EQ(read_gltf(path("take/pear_soft.glb")).clips.size(), 4u);
  for (const std::string& f : out.files) EXPECT_TRUE(std::filesystem::exists(path("take/" + f))) << f;
  // The scene beside it, as written, is the same flesh.
  const Outcome again = run_scene(load_scene(path("take/scene.toml")), {.directory = path("again")});
  EXPECT_EQ(again.status, RunStatus::done) << again.message;
  expect_same("take", "again", {"tets.pc2"});
  const Outcome live = run_scene(scene, {.directory = path("live"), .product = Product::live_pack});
  EXPECT_EQ(live.status, RunStatus::done) << live.message;
  EXPECT_TRUE(std::filesystem::exists(path("live/pear.live.glb")));
  for (const auto& [folder, product] : {std::pair("take", Product::soft_character), {"live", Product::live_pack}}) {
    const Outcome done = run_scene(scene, {.directory = path(folder), .resume = true, .product = product});
    EXPECT_EQ(done.status, RunStatus::done) << done.message;
    EXPECT_NE(done.lines.at(0).find("complete already"), std::string::npos) << done.lines.at(0);
  }
}

}  // namespace
}  // namespace supple
