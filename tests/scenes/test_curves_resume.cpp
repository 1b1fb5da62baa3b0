// `supple curves` stopped and gone on with: the same bits as a run that was never stopped.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "supple/base/error.h"
#include "supple/demos/examples/examples.h"
#include "tests/scenes/curves_files.h"

namespace supple {

using namespace demos;
using namespace pipeline::curves;
namespace {

namespace fs = std::filesystem;

class CurvesResume : public CurvesFiles {
 protected:
  void run(const SceneConfig& scene, const std::string& name, bool resume, int* polls, int stop_after = 1 << 30) const {
    int left = stop_after;
    const Watch watch{.cancelled = [&] {
      if (polls) ++*polls;
      return --left < 0;
    }};
    make_curves(scene, {.directory = path(name), .overwrite = !resume, .resume = resume}, watch);
  }
  // Layers of the report without times.
  nlohmann::json layers(const std::string& name) const {
    nlohmann::json list = nlohmann::json::parse(read(path(name + "/report.json")))["layers"];
    for (auto& layer : list) layer.erase("seconds_a_frame");
    return list;
  }

  static constexpr double kAfterEquilibria = 0.5;  // of the way: with scaled inertia they come first
  // Stopped at some moments, the first that far on the way, gone on with, stopped once more and gone on with.
  void expect_same_bits(const std::string& file, const Settings& set, double first = 0.3) const {
    const SceneConfig scene = load_scene(path(file), set);
    int polls = 0;
    run(scene, "whole", false, &polls);
    ASSERT_GT(polls, 10);
    EXPECT_FALSE(fs::exists(path("whole/checkpoint/state.bin")));
    for (const double share : {first, 0.7, 0.95}) {
      EXPECT_THROW(run(scene, "cut", false, nullptr, static_cast<int>(share * polls)), Cancelled) << share;
      ASSERT_TRUE(fs::exists(path("cut/checkpoint/state.bin"))) << share;
      EXPECT_FALSE(fs::exists(path("cut/curves.csv"))) << share;
      if (share == first) {
        EXPECT_THROW(run(scene, "cut", true, nullptr, polls / 6), Cancelled);
      }
      int rest = 0;
      run(scene, "cut", true, &rest);
      EXPECT_LT(rest, polls) << share;
      for (const char* name : {"curves.csv", "curves.json", "surface.pc2"})
        EXPECT_TRUE(read(path("whole/") + name) == read(path("cut/") + name)) << name << " " << share;
      EXPECT_EQ(layers("whole"), layers("cut")) << share;
      EXPECT_FALSE(fs::exists(path("cut/checkpoint/state.bin"))) << share;
      fs::remove_all(path("cut"));
    }
  }
};

TEST_F(CurvesResume, one_layer) { expect_same_bits("scene.toml", {}); }
TEST_F(CurvesResume, quasi_newton) {
  expect_same_bits("scene.toml", {"curves.derivatives=differences", "timeline.range=[0,14]"});
}
TEST_F(CurvesResume, equilibria) { expect_same_bits("scene.toml", {"curves.motion=static"}); }
TEST_F(CurvesResume, modes_of_a_first_pass) {
  expect_same_bits("scene.toml", {"curves.modes=3", "timeline.range=[0,12]"});
}
TEST_F(CurvesResume, a_loop) { expect_same_bits("scene.toml", {"timeline.loop=true", "curves.frequency_hz=3"}); }
TEST_F(CurvesResume, scaled_inertia_in_a_loop) {
  expect_same_bits("scene.toml", {"timeline.loop=true", "controls.amplitude=0.5", "curves.pose=rest"});
}

TEST_F(CurvesResume, layers) {
  put_scene("", "[[curves.layer]]\nfree = [\"Tail1\"]\n[[curves.layer]]\nname = \"tip\"\nfree = [\"Tail2\"]\n");
  write("scene.toml", read(path("scene.toml")).substr(0, read(path("scene.toml")).find("[curves]\n")));
  expect_same_bits("scene.toml", {"timeline.range=[0,13]"});
}

TEST_F(CurvesResume, a_teleport) {
  Character far = tail();
  std::vector<double>& root = far.clips[1].channels[0].values;
  for (size_t f = 16; f < root.size() / 3; ++f) root[3 * f] += 3, root[3 * f + 1] += 4;
  write_gltf(path("tail.glb"), far);
  expect_same_bits("scene.toml", {"surface.clip=stop", "timeline.range=[8,24]", "controls.amplitude=2"},
                   kAfterEquilibria);
}

TEST_F(CurvesResume, contact) {
  write("scene.toml",
        "[surface]\nfile = \"bar.obj\"\n[tets]\nfile = \"tail.msh\"\n[timeline]\nframes = 20\nsubsteps = 2\n[output]\n"
        "formats = [\"pc2\"]\nreport = false\n[material]\nyoungs_modulus = 2e4\n[curves]\nfree = [\"*\"]\npose = "
        "\"rest\"\n[contact]\nself = true\nfriction = 0.3\n[[contact.plane]]\npoint = [0, -0.1, 0]\nnormal = [0.2, 1, "
        "0]\n[[curves.deformer]]\nname = \"box\"\nkind = \"lattice\"\ndivisions = [2, 2, 2]\n");
  expect_same_bits("scene.toml", {});
  EXPECT_GT(layers("whole")[0]["solver"]["contacts_max"], 0);
}

// Before and while one material turns into another, with inertia about equilibria of both.
TEST_F(CurvesResume, a_material_that_is_fitted_anew) {
  write_example("rig-bar", path("bar"), {.short_shot = true});
  write("bar/shake.csv", "frame,hand.translation.y\n0,0\n6,1\n12,0\n18,-1\n24,0\n");
  const Settings set = {
      "timeline.range=[0,19]",       "timeline.substeps=2",     "curves.keys=" + path("bar/shake.csv"),
      "material.youngs_modulus=2e7", "curves.refit=0.005",      "controls.amplitude=0.7",
      "output.report=false",         "output.formats=[\"pc2\"]"};
  expect_same_bits("bar/stiff-end.toml", set, kAfterEquilibria);
  const nlohmann::json layer = layers("whole")[0];
  EXPECT_GT(layer["material"]["refits"], 0);
  EXPECT_GT(layer["solver"]["factorizations"], 4);  // it changed frame by frame
}

TEST_F(CurvesResume, what_is_not_its_own_is_refused) {
  const SceneConfig scene = load_scene(path("scene.toml"));
  EXPECT_THROW(run(scene, "cut", false, nullptr, 20), Cancelled);
  const auto refused = [&](const std::string& more, const std::string& words) {
    const Call c = supple("curves scene.toml -o cut " + more);
    EXPECT_EQ(c.status, 2) << more;
    EXPECT_NE(c.out.find(words), std::string::npos) << c.out;
  };
  refused("", "--resume");  // nor is it begun anew unasked
  refused("--resume --set curves.frequency_hz=5", "another scene");
  const std::string before = read(path("tail.msh"));
  write_tet_mesh(path("tail.msh"), make_box(12, 2, 2, Vec3(kLength, kThick, 1.01 * kThick), Vec3(0, -0.05, -0.05)));
  refused("--resume", "another scene");
  write("tail.msh", before);
  EXPECT_EQ(supple("curves scene.toml -o cut --resume --quiet --threads 1").status, 0);
  const Call again = supple("curves scene.toml -o cut --resume");
  EXPECT_EQ(again.status, 0);
  EXPECT_NE(again.out.find("complete already"), std::string::npos) << again.out;
  EXPECT_EQ(supple("curves scene.toml --resume").status, 2);  // which?
}

// A failure would only come again: nothing stays to go on from.
TEST_F(CurvesResume, a_failure_leaves_no_checkpoint) {
  write("keys.csv", "frame,box.0.0.0.x\n0,0\n12,0\n13,1e180\n14,1e180\n");
  write("scene.toml",
        "[surface]\nfile = \"bar.obj\"\n[tets]\nfile = \"tail.msh\"\n[timeline]\nloop = false\nsubsteps = 1\n"
        "[output]\nformats = [\"pc2\"]\nreport = false\n[curves]\nfree = [\"box.1.*\"]\nkeys = \"keys.csv\"\n"
        "pose = \"rest\"\n[[curves.deformer]]\nname = \"box\"\nkind = \"lattice\"\ndivisions = [2, 2, 2]\n");
  bool kept = false;
  const Watch watch{
      .progress = [&](std::string_view, int, int) { kept = kept || fs::exists(path("failed/checkpoint/state.bin")); }};
  EXPECT_THROW(make_curves(load_scene(path("scene.toml")), {.directory = path("failed")}, watch), SimulationFailure);
  EXPECT_TRUE(kept);
  EXPECT_FALSE(fs::exists(path("failed")));
}

TEST_F(CurvesResume, an_interrupt_says_how_to_go_on) {
  const std::string set = "timeline.substeps=20";
  ASSERT_EQ(supple("curves scene.toml --quiet -o whole --set " + set).status, 0);
  for (const int signal : {SIGINT, SIGTERM}) {
    const pid_t program = fork();
    if (program == 0) {
      if (chdir(folder_.c_str()) != 0 || !freopen("told.txt", "w", stderr)) _exit(1);
      setenv("SUPPLE_CACHE", "off", 1);
      execl(SUPPLE_PROGRAM, SUPPLE_PROGRAM, "curves", "scene.toml", "-o", "cut", "--set", set.c_str(),
            static_cast<char*>(nullptr));
      _exit(1);
    }
    ASSERT_GT(program, 0);
    int status = 0;
    while (!fs::exists(path("cut/checkpoint/state.bin")) && waitpid(program, &status, WNOHANG) == 0) usleep(2000);
    kill(program, signal);
    ASSERT_EQ(waitpid(program, &status, 0), program);
    const std::string told = read(path("told.txt")), before = "go on with: ";
    ASSERT_EQ(WEXITSTATUS(status), 128 + signal) << told;
    ASSERT_NE(told.find(before), std::string::npos) << told;
    // The very line that is printed.
    const std::string line = told.substr(told.find(before) + before.size());
    EXPECT_EQ(
        std::system(("cd " + folder_.string() + " && SUPPLE_CACHE=off " + line.substr(0, line.find('\n'))).c_str()), 0)
        << line;
    EXPECT_EQ(read(path("whole/curves.csv")), read(path("cut/curves.csv")));
    fs::remove_all(path("cut"));
  }
}

}  // namespace
}  // namespace supple
