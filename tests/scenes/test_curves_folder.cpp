// Where `supple curves` and other runs write: what is somebody else's stays, and what is in the way is told at once.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "supple/anim/drawn.h"
#include "supple/pipeline/deliver/result_folder.h"
#include "supple/pipeline/run/run.h"
#include "tests/scenes/curves_files.h"

namespace supple {

using namespace pipeline;
using namespace pipeline::curves;
namespace {

namespace fs = std::filesystem;

class CurvesFolder : public CurvesFiles {
 protected:
  static bool told(const CurvesOutcome& out, const std::string& words) {
    return std::any_of(out.warnings.begin(), out.warnings.end(),
                       [&](const std::string& w) { return w.find(words) != std::string::npos; });
  }
  // A bar with a lattice around all of it.
  void put_lattice(const std::string& curves, const std::string& timeline = "loop = false\n") const {
    write("scene.toml", "[surface]\nfile = \"bar.obj\"\n[tets]\nfile = \"tail.msh\"\n[timeline]\n" + timeline +
                            "[output]\nformats = [\"pc2\"]\nreport = false\n[curves]\n" + curves +
                            "[[curves.deformer]]\nname = \"box\"\nkind = \"lattice\"\ndivisions = [2, 2, 2]\n");
  }
};

TEST_F(CurvesFolder, what_is_somebody_elses_stays) {
  fs::copy_file(path("tail.msh"), path("tets_bar.msh"));
  fs::copy_file(path("tail.glb"), path("surface_bar.glb"));
  for (const char* name : {"surface_refs/a.txt", "surface_obj/notes.txt", "tets_vtu/plan.vtu", "curves.txt",
                           "report.md", "surface-old.obj", "checkpoint/mine.bin"})
    write(name, "mine");
  write("scene.toml",
        "[surface]\nfile = \"surface_bar.glb\"\nscale = 1\nclip = \"shake\"\n[tets]\nfile = \"tets_bar.msh\"\n"
        "[timeline]\nrange = [0, 2]\n[output]\nformats = [\"pc2\"]\nreport = false\n[curves]\nfree = [\"Tail*\"]\n");
  const std::vector<std::string> before = listing();
  for (const char* again : {"", " --overwrite"}) {
    const Call c = supple(std::string("curves scene.toml -o .") + again);
    ASSERT_EQ(c.status, 0) << c.out;
    const std::vector<std::string> after = listing();
    EXPECT_TRUE(std::includes(after.begin(), after.end(), before.begin(), before.end()));
    EXPECT_TRUE(fs::exists(path("curves.csv")));
  }
  // Nor does another run take it for its own.
  write("bar.toml", "[tets]\nfile = \"tets_bar.msh\"\n[timeline]\nframes = 2\n[output]\nreport = false\n");
  const Call other = supple("simulate bar.toml -o . --overwrite");
  ASSERT_EQ(other.status, 0) << other.out;
  const std::vector<std::string> after = listing();
  EXPECT_TRUE(std::includes(after.begin(), after.end(), before.begin(), before.end()));
  // What the first one left has gone.
  EXPECT_FALSE(fs::exists(path("curves.csv")));
  EXPECT_TRUE(fs::exists(path("tets.pc2")));
}

TEST_F(CurvesFolder, inputs_are_never_replaced) {
  fs::copy_file(path("tail.glb"), path("surface.glb"));
  fs::copy_file(path("tail.msh"), path("tets.msh"));
  const std::string before = read(path("surface.glb"));
  for (const char* more : {"", " --overwrite"}) {
    const Call c = supple(std::string("curves surface.glb --free 'Tail*' --set timeline.range=[0,2] -o .") + more);
    EXPECT_EQ(c.status, 2);
    EXPECT_NE(c.out.find("surface.glb"), std::string::npos) << c.out;
  }
  write("bar.toml", "[tets]\nfile = \"tets.msh\"\n[timeline]\nframes = 2\n");
  const Call other = supple("simulate bar.toml -o . --overwrite");
  EXPECT_EQ(other.status, 2);
  EXPECT_NE(other.out.find("tets.msh"), std::string::npos) << other.out;
  EXPECT_EQ(read(path("surface.glb")), before);
  EXPECT_TRUE(fs::exists(path("tets.msh")));
  EXPECT_FALSE(fs::exists(path("report.json")));
  // By another name of the same directory too.
  fs::create_directory_symlink(folder_, path("link"));
  EXPECT_EQ(supple("curves surface.glb --free 'Tail*' -o link --overwrite").status, 2);
  EXPECT_EQ(read(path("surface.glb")), before);
}

TEST_F(CurvesFolder, files_with_names_of_results_are_not_replaced_unless_told) {
  write("out/curves.csv", "mine");
  const Call c = supple("curves scene.toml -o out --set timeline.range=[0,2]");
  EXPECT_EQ(c.status, 2);
  EXPECT_NE(c.out.find("curves.csv"), std::string::npos) << c.out;
  EXPECT_EQ(read(path("out/curves.csv")), "mine");
  EXPECT_EQ(supple("curves scene.toml -o out --overwrite --set timeline.range=[0,2]").status, 0);
}

TEST_F(CurvesFolder, where_nothing_can_be_written_is_told_at_once) {
  write("file", "");
  int frames = 0;
  CurvesOptions options;
  options.directory = path("file/out");
  const Watch count{.progress = [&](std::string_view, int, int) { ++frames; }};
  EXPECT_THROW(make_curves(load_scene(path("scene.toml")), options, count), InputError);
  EXPECT_EQ(frames, 0);
  // A directory that was made in vain goes again.
  options.directory = path("a/b/c");
  EXPECT_THROW(make_curves(load_scene(path("scene.toml")), options, {.cancelled = [] { return true; }}), Cancelled);
  EXPECT_FALSE(fs::exists(path("a")));
}

TEST_F(CurvesFolder, all_files_of_a_scene_are_known) {
  write("scene.toml",
        "[surface]\nfile = \"a.obj\"\n[tets]\nfile = \"b.msh\"\n[curves]\nfree = [\"*\"]\nkeys = \"c.csv\"\n"
        "[[curves.deformer]]\nname = \"d\"\nkind = \"blend\"\nshapes = [\"e.obj\", \"f.obj\"]\n");
  std::vector<std::string> names;
  for (const std::string& file : files_of(load_scene(path("scene.toml"))))
    names.push_back(fs::path(file).filename().string());
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"a.obj", "b.msh", "c.csv", "e.obj", "f.obj", "scene.toml"}));
}

// A character with nothing but a lattice: what it does is in its file too.
TEST_F(CurvesFolder, deformers_of_a_character_are_baked) {
  const std::string lattice =
      "[[curves.deformer]]\nname = \"box\"\nkind = \"lattice\"\nspace = \"rest\"\ncentre = [0.5, 0, 0]\n"
      "size = [0.3, 0.2, 0.2]\ndivisions = [2, 2, 2]\nfade = true\nbasis = \"bernstein\"\n";
  for (const bool joints : {false, true}) {
    put_scene(joints ? "free = [\"Tail2\", \"box.*\"]\n" : "free = [\"box.*\"]\n", lattice);
    const CurvesOutcome out =
        take("run", {"output.formats=[\"glb\"]", "timeline.range=[0,8]", "curves.frequency_hz=4"});
    ASSERT_TRUE(fs::exists(path("run/surface.glb")));
    EXPECT_EQ(std::count(out.files.begin(), out.files.end(), "surface.glb"), 1);
    const Character before = read_gltf(path("tail.glb")), after = read_gltf(path("run/surface.glb"));
    ASSERT_EQ(after.clips.size(), before.clips.size() + (joints ? 2 : 1));
    const Clip& made = after.clips.back();
    EXPECT_EQ(made.name, joints ? "shake curves.soft" : "shake.soft");
    EXPECT_TRUE(told(out, made.name));
    const Drawn drawn = lay_out(after, 1);
    const PointCache surface = read_pc2(path("run/surface.pc2"));
    ASSERT_EQ(surface.n_samples, 9);
    double worst = 0, moved = 0;
    for (int f = 0; f < 9; ++f) {
      const Points played = posed(drawn.vertices, pose_at(after, drawn, made, f / 24.0)), shown = surface.points(f);
      const Clip& without = joints ? after.clips[after.clips.size() - 2] : find_clip(after, "shake");
      const Points plain = posed(drawn.vertices, pose_at(after, drawn, without, f / 24.0));
      for (size_t v = 0; v < played.size(); ++v) {
        worst = std::max(worst, (played[v] - shown[v]).norm());
        moved = std::max(moved, (played[v] - plain[v]).norm());
      }
    }
    EXPECT_LT(worst, joints ? 2 * 0.002 * kLength : 0.011 * moved);
    if (joints) {
      EXPECT_GT(moved, 1e-4);
    }
    EXPECT_GT(out.result.layers[0].departure_rms_m, 1e-4);
  }
}

TEST_F(CurvesFolder, the_report_has_the_name_of_the_clip_in_the_file) {
  Character c = tail();
  c.clips.push_back(moving("shake curves", 5, 9));
  write_gltf(path("tail.glb"), c);
  const CurvesOutcome out = take("run", {"output.formats=[\"glb\"]", "timeline.range=[0,2]"});
  const auto report = nlohmann::json::parse(read(path("run/report.json")));
  EXPECT_EQ(report["keys"]["clip"], "shake curves 2");
  EXPECT_EQ(read_gltf(path("run/surface.glb")).clips.back().name, "shake curves 2");
}

TEST_F(CurvesFolder, a_lattice_around_everything_moves_it) {
  put_lattice("free = [\"box.*\"]\npose = \"rest\"\n", "frames = 5\nloop = false\n");
  const CurvesRig rig = make_curves_rig(load_scene(path("scene.toml")));
  VecX p = rig.rig->rest();
  for (Eigen::Index i = 0; i < p.size(); i += 3) p[i] += 0.1;  // x of all control points
  const VecX moved = rig.rig->evaluate(p, 0) - rig.rig->evaluate(rig.rig->rest(), 0);
  for (Eigen::Index i = 0; i < moved.size(); i += 3) EXPECT_NEAR(moved[i], 0.1, 1e-9);
}

TEST_F(CurvesFolder, a_take_begins_at_its_first_key) {
  for (const int first : {101, -30}) {
    std::string keys = "frame,box.0.0.0.x\n";
    for (int f = 0; f < 6; ++f) keys += fmt::format("{},{}\n", first + f, 0.01 * f);
    write("keys.csv", keys);
    put_lattice("free = [\"box.1.*\"]\nkeys = \"keys.csv\"\n");
    const CurvesOutcome out = take("run");
    const CurveTable t = curves("run");
    ASSERT_EQ(t.frames.size(), 6u);
    EXPECT_EQ(t.frames.front(), first);
    EXPECT_EQ(t.frames.back(), first + 5);
    EXPECT_TRUE(told(out, fmt::format("frame {}", first)));
    EXPECT_EQ(read_pc2(path("run/surface.pc2")).n_samples, 6);
  }
  // A clip has a beginning of its own.
  write("keys.csv", "frame,Tail1.rotation.x\n-9,0\n-5,0.1\n");
  put_scene("free = [\"Tail2\"]\nkeys = \"keys.csv\"\n");
  EXPECT_THROW(make_curves_rig(load_scene(path("scene.toml"))), InputError);
}

TEST_F(CurvesFolder, a_rig_that_says_nothing_can_be_left) {
  write("rig.sh",
        "read g; echo supple-rig 1; read d; echo parameters 1; echo a angle 0 1; echo points 1; echo end\n"
        "touch silent; sleep 100\n");
  write("scene.toml", "[tets]\nfile = \"tail.msh\"\n[curves]\nfree = [\"a\"]\nrig = \"sh rig.sh\"\ntimeout_s = 60\n");
  const pid_t program = fork();
  if (program == 0) {
    const std::string told = path("told");
    if (chdir(folder_.c_str()) != 0 || !freopen(told.c_str(), "w", stderr)) _exit(1);
    setenv("SUPPLE_CACHE", "off", 1);
    execl(SUPPLE_PROGRAM, SUPPLE_PROGRAM, "curves", "scene.toml", "--allow-run", "-o", "cut",
          static_cast<char*>(nullptr));
    _exit(1);
  }
  ASSERT_GT(program, 0);
  int status = 0;
  while (!fs::exists(path("silent")) && waitpid(program, &status, WNOHANG) == 0) usleep(2000);
  usleep(50000);
  kill(program, SIGINT);
  ASSERT_EQ(waitpid(program, &status, 0), program);
  EXPECT_EQ(WEXITSTATUS(status), 130) << read(path("told"));
  EXPECT_FALSE(fs::exists(path("cut")));
}

TEST_F(CurvesFolder, no_scene_starts_a_program_unless_the_call_allows_it) {
  write("scene.toml",
        "[tets]\nfile = \"tail.msh\"\n[curves]\nfree = [\"a\"]\nrig = \"touch started; exit 1\"\ntimeout_s = 60\n");
  for (const char* command : {"curves scene.toml -o out", "curves scene.toml --list", "simulate scene.toml -o out",
                              "curves scene.toml --serve", "live scene.toml -o out", "analyze scene.toml",
                              "tune scene.toml --sag 2 -o out", "check scene.toml"}) {
    const Call c = supple(command);
    EXPECT_FALSE(fs::exists(path("started"))) << command;
    EXPECT_EQ(c.status, std::string(command).starts_with("check") ? 0 : 2) << command << ": " << c.out;
  }
  EXPECT_NE(supple("check scene.toml").out.find("touch started"), std::string::npos);
  EXPECT_NE(supple("curves scene.toml -o out").out.find("--allow-run"), std::string::npos);
  EXPECT_FALSE(fs::exists(path("out")));
  EXPECT_EQ(supple("simulate scene.toml --allow-run -o out").status, 2);
  EXPECT_TRUE(fs::exists(path("started")));
}

TEST_F(CurvesFolder, what_does_not_move_has_no_keys_in_a_mode) {
  for (const char* kind : {"linear", "cubic"}) {
    write("tip.csv", "frame,Tail2.rotation.z\n0,0\n1,0.1\n2,0.2\n");
    take("run", {"curves.modes=1", "curves.modes_from=" + path("tip.csv"), "output.formats=[\"glb\"]",
                 "timeline.range=[0,6]", fmt::format("curves.key_interpolation={}", kind)});
    const Clip mode = read_gltf(path("run/surface.glb")).clips.back();
    EXPECT_EQ(mode.name, "mode 1");
    EXPECT_EQ(mode.channels.size(), 1u) << kind;
  }
}

TEST_F(CurvesFolder, a_demo_tells_the_command_that_goes_with_it) {
  const Call c = supple("demo rig-bar -o bar --set timeline.range=[0,2] --set output.report=false");
  ASSERT_EQ(c.status, 0) << c.out;
  EXPECT_NE(c.out.find("supple curves bar/scene/rig-bar.toml"), std::string::npos) << c.out;
}

}  // namespace
}  // namespace supple
