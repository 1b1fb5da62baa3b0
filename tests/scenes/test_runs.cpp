// Whole runs through the program, as a user makes them: demos as regression tests on named numbers, resuming, errors.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "supple/base/error.h"
#include "supple/demos/examples/examples.h"
#include "supple/io/tets/tet_formats.h"
#include "supple/pipeline/run/run.h"
#include "supple/scene/read_scene.h"
#include "supple/sim/ringdown.h"

namespace supple {

using namespace demos;
using namespace pipeline;
namespace {

namespace fs = std::filesystem;

struct Call {
  int status;
  std::string out;
};
Call supple_call(const std::string& arguments) {
  const std::string command = std::string("SUPPLE_CACHE=off " SUPPLE_PROGRAM " ") + arguments + " 2>/dev/null";
  FILE* pipe = popen(command.c_str(), "r");
  Call call;
  char block[4096];
  while (size_t n = fread(block, 1, sizeof block, pipe)) call.out.append(block, n);
  call.status = WEXITSTATUS(pclose(pipe));
  return call;
}

class Runs : public ::testing::Test {
 protected:
  void SetUp() override {
    dir_ = fs::path(::testing::TempDir()) /
           (std::string("supple_runs_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(dir_);
    fs::create_directories(dir_);
  }
  void TearDown() override { fs::remove_all(dir_); }
  std::string at(const std::string& name) const { return (dir_ / name).string(); }
  static std::string bytes(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::stringstream s;
    s << in.rdbuf();
    return s.str();
  }
  // One coordinate of one vertex from a PC2 file.
  double coordinate(const std::string& file, int frame, int vertex, int axis, int points) {
    if (cached_name_ != file) cached_name_ = file, cached_ = bytes(at(file));
    float x = 0;
    std::memcpy(&x, cached_.data() + 32 + 4 * (3 * (static_cast<size_t>(frame) * points + vertex) + axis), 4);
    return x;
  }
  fs::path dir_;
  std::string cached_name_, cached_;
};

}  // namespace

// The oscillator rings at the frequency and half-life of its closed form after the stop.
TEST_F(Runs, OscillatorMeetsItsClosedForm) {
  const Call c = supple_call("demo oscillator --json --quiet -o " + at("o"));
  ASSERT_EQ(c.status, 0);
  const auto r = nlohmann::json::parse(c.out);
  const int points = r["model"]["vertices"], tip = points - 1;  // a corner of the far face
  std::vector<double> z;
  for (int f = 52; f < 120; ++f)
    z.push_back(coordinate("o/tets.pc2", f, tip, 0, points) - coordinate("o/static.pc2", f, tip, 0, points));
  const Ringdown ring = fit_ringdown(z, 1.0 / 24);
  ASSERT_TRUE(ring.found);
  // k = 1e4 * 0.01 / 0.5 = 200 N/m, m = 2 kg; damped by a half-life of 1 s.
  const double rate = std::log(2.0), damped = std::sqrt(100 - rate * rate) / (2 * M_PI);
  EXPECT_NEAR(ring.frequency_hz / damped, 1, 3e-3);
  EXPECT_NEAR(ring.half_life_s, 1, 2e-2);
  for (const char* file : {"tets.pc2", "static.pc2", "tets.msh", "amplitude.csv", "surface.glb", "surface.pc2",
                           "report.json", "report.html", "checkpoint/state.bin"})
    EXPECT_TRUE(fs::exists(dir_ / "o" / file)) << file;
  for (const auto& entry : fs::recursive_directory_iterator(dir_))
    EXPECT_NE(entry.path().extension(), ".part") << entry.path();
}

// A run stopped half-way and resumed is the uninterrupted one, bit for bit; a finished one has nothing to resume.
TEST_F(Runs, ResumedIsUninterrupted) {
  const std::string scene = write_example("bar", at("scene"));
  const Job job = build_job(load_scene(scene, {"timeline.range=[0,35]"}));
  ASSERT_EQ(run_job(job, {.directory = at("whole")}).status, RunStatus::done);
  int polls = 0;
  const Watch stop{.cancelled = [&] { return ++polls > 37; }};  // inside a frame, past a checkpoint
  const RunResult stopped = run_job(job, {.directory = at("cut")}, stop);
  ASSERT_EQ(stopped.status, RunStatus::interrupted);
  EXPECT_NE(stopped.message.find("--resume"), std::string::npos);
  EXPECT_FALSE(fs::exists(dir_ / "cut/tets.pc2"));
  EXPECT_THROW(run_job(job, {.directory = at("cut")}), InputError);  // would overwrite
  ASSERT_EQ(run_job(job, {.directory = at("cut"), .resume = true}).status, RunStatus::done);
  for (const char* file : {"tets.pc2", "static.pc2", "amplitude.csv", "surface.pc2", "surface.glb"})
    EXPECT_TRUE(bytes(at("whole/") + file) == bytes(at("cut/") + file)) << file;
  // One that is done is delivered again.
  EXPECT_TRUE(is_done(job, at("cut")));
  ASSERT_EQ(run_job(job, {.directory = at("cut"), .resume = true}).status, RunStatus::done);
  for (const char* file : {"tets.pc2", "static.pc2", "amplitude.csv", "surface.pc2", "surface.glb"})
    EXPECT_TRUE(bytes(at("whole/") + file) == bytes(at("cut/") + file)) << file;
  const Job other = build_job(load_scene(scene, {"timeline.range=[0,35]", "material.density=900"}));
  EXPECT_FALSE(is_done(other, at("cut")));
  EXPECT_THROW(run_job(other, {.directory = at("cut"), .resume = true}), InputError);
}

// Frames before one that was kept stay, what comes after is made anew, with other dials or the same.
TEST_F(Runs, FromAFrameOn) {
  const std::string scene = write_example("bar", at("scene"));
  const auto job = [&](const std::vector<std::string>& set) {
    std::vector<std::string> all = {"timeline.range=[0,35]", "output.formats=[\"pc2\"]"};
    all.insert(all.end(), set.begin(), set.end());
    return build_job(load_scene(scene, all));
  };
  ASSERT_EQ(run_job(job({}), {.directory = at("old")}).status, RunStatus::done);
  fs::copy(at("old"), at("same"), fs::copy_options::recursive);
  fs::copy(at("old"), at("more"), fs::copy_options::recursive);
  // With the same dials it is the same.
  ASSERT_EQ(run_job(job({}), {.directory = at("same"), .from = 27}).status, RunStatus::done);
  for (const char* file : {"tets.pc2", "static.pc2", "amplitude.csv", "surface.pc2"})
    EXPECT_TRUE(bytes(at("old/") + file) == bytes(at("same/") + file)) << file;
  // With others it is the same until there, and also when it is stopped on the way.
  const Job louder = job({"controls.amplitude=2", "controls.half_life=0.5"});
  int polls = 0;
  const Watch stop{.cancelled = [&] { return ++polls > 20; }};
  EXPECT_EQ(run_job(louder, {.directory = at("more"), .from = 27}, stop).status, RunStatus::interrupted);
  EXPECT_FALSE(fs::exists(at("more/report.json")) && is_done(louder, at("more")));
  const RunResult done = run_job(louder, {.directory = at("more"), .resume = true, .from = 27});
  ASSERT_EQ(done.status, RunStatus::done) << done.message;
  EXPECT_NE(done.report.text().find("frames 0 to 20"), std::string::npos);
  const PointCache old = read_pc2(at("old/tets.pc2")), now = read_pc2(at("more/tets.pc2")),
                   still = read_pc2(at("more/static.pc2"));
  ASSERT_EQ(now.n_samples, 36);
  const auto differ = [&](int f) { return (flatten(old.points(f)) - flatten(now.points(f))).cwiseAbs().maxCoeff(); };
  EXPECT_EQ(differ(20), 0);
  EXPECT_GT(differ(30), 1e-3);
  // The flesh goes on from where it was: it does not leap.
  const auto step = [&](int f) {
    return ((flatten(now.points(f)) - flatten(still.points(f))) -
            (flatten(now.points(f - 1)) - flatten(still.points(f - 1))))
        .cwiseAbs()
        .maxCoeff();
  };
  double elsewhere = 0;
  for (int f = 23; f < 36; ++f) elsewhere = std::max(elsewhere, step(f));
  EXPECT_LT(step(21), 1.2 * elsewhere);
  // What moves the equilibrium needs the whole run, and so does what comes before anything was kept.
  EXPECT_THROW(run_job(job({"controls.sag=2"}), {.directory = at("old"), .from = 27}), InputError);
  EXPECT_THROW(run_job(job({"material.density=900"}), {.directory = at("old"), .from = 27}), InputError);
  EXPECT_THROW(run_job(job({}), {.directory = at("old"), .from = 5}), InputError);
  EXPECT_THROW(run_job(job({}), {.directory = at("none"), .from = 27}), InputError);
  EXPECT_EQ(read_pc2(at("old/tets.pc2")).n_samples, 36);
}

TEST_F(Runs, SameBitsForAnyThreadCount) {
  for (int n : {1, 3})
    ASSERT_EQ(supple_call("demo bar --quiet --threads " + std::to_string(n) + " -o " + at(std::to_string(n)) +
                          " --set timeline.range=[0,12]")
                  .status,
              0);
  EXPECT_TRUE(bytes(at("1/tets.pc2")) == bytes(at("3/tets.pc2")));
}

TEST_F(Runs, NeverOverwritesUnlessTold) {
  ASSERT_EQ(supple_call("demo bar --quiet -o " + at("a") + " --set timeline.range=[0,3]").status, 0);
  const std::string again = "simulate " + at("a/scene/bar.toml") + " --set timeline.range=[0,3] --quiet -o " + at("a");
  EXPECT_EQ(supple_call(again).status, 2);
  EXPECT_EQ(supple_call(again + " --overwrite").status, 0);
}

// The sunflower's linear version: one factorization, and it sways where the paper's Figure 2 says, to the left of its
// root when it is pulled to the right.
TEST_F(Runs, SunflowerLagsBehindItsRoot) {
  const Call c = supple_call("demo sunflower-linear --json --quiet -o " + at("s") + " --set timeline.range=[0,40]");
  ASSERT_EQ(c.status, 0);
  const auto r = nlohmann::json::parse(c.out);
  EXPECT_LE(r["solver"]["factorizations"].get<int>(), 2);
  EXPECT_EQ(r["solver"]["retries"].get<int>(), 0);
  EXPECT_NEAR(r["baseline"]["frequency_hz"].get<double>(), 1.64, 0.2);
  EXPECT_LT(r["baseline"]["sag_m"].get<double>(), 0.03);  // self-weight is far from buckling it
  // u - p at frame 6 of the topmost vertex.
  const int points = r["model"]["vertices"];
  int top = 0;
  for (int v = 0; v < points; ++v)
    if (coordinate("s/tets.pc2", 0, v, 1, points) > coordinate("s/tets.pc2", 0, top, 1, points)) top = v;
  EXPECT_LT(coordinate("s/tets.pc2", 6, top, 0, points) - coordinate("s/static.pc2", 6, top, 0, points), -0.01);
}

TEST_F(Runs, AnalyzeSaysWhatTheBarWillDo) {
  ASSERT_EQ(supple_call("demo bar --quiet -o " + at("a") + " --set timeline.range=[0,1]").status, 0);
  const Call c = supple_call("analyze --json " + at("a/scene/bar.toml") + " --shapes " + at("modes") + " --modes 3");
  ASSERT_EQ(c.status, 0);
  const auto r = nlohmann::json::parse(c.out);
  EXPECT_NEAR(r["half_life_s"].get<double>(), 0.5, 1e-6);
  EXPECT_GT(r["refined"]["ratio"].get<double>(), 1.0);
  EXPECT_EQ(r["frequencies_hz"].size(), 3u);
  EXPECT_TRUE(fs::exists(dir_ / "modes/mode_03.glb"));
  EXPECT_EQ(supple_call("analyze " + at("a/scene/bar.msh")).status, 0);
  EXPECT_EQ(supple_call("analyze /nonexistent.msh").status, 2);
}

// Two boxes, one of them held: the other goes along instead of falling, and is named.
TEST_F(Runs, LoosePartsFollow) {
  TetMesh two = make_box(2, 1, 1, {0.2, 0.1, 0.1});
  const TetMesh other = make_box(2, 1, 1, {0.2, 0.1, 0.1}, {0.3, 0, 0});
  const int n = two.n_vertices();
  two.vertices.insert(two.vertices.end(), other.vertices.begin(), other.vertices.end());
  for (Tet t : other.tets) {
    for (int& v : t) v += n;
    two.tets.push_back(t);
  }
  write_tet_mesh(at("two.msh"), two);
  std::ofstream(at("two.toml"))
      << "[tets]\nfile = \"two.msh\"\n[attach]\nvertices = [0, 1, 2, 3]\nrigid = \"keys.csv\"\n"
         "[timeline]\nframes = 48\n[material]\nyoungs_modulus = 1e5\n";
  std::ofstream(at("keys.csv")) << "0,0,0,0,0,0,0,1\n1,0.5,0,0,0,0,0,1\n2,0.5,0.2,0,0,0,0,1\n";
  const Job job = build_job(load_scene(at("two.toml")));
  EXPECT_TRUE(job.body->model->loose_parts().empty());
  ASSERT_FALSE(job.notes.warnings.empty());
  const RunResult r = run_job(job, {.directory = at("out")});
  ASSERT_EQ(r.status, RunStatus::done);
  const int last = two.n_vertices() - 1;
  EXPECT_NEAR(coordinate("out/tets.pc2", 47, last, 0, two.n_vertices()), 1.0, 0.05);
  EXPECT_GT(coordinate("out/tets.pc2", 47, last, 1, two.n_vertices()), 0.2);
}

}  // namespace supple
