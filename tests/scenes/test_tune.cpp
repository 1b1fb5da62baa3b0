// Dials met by measuring, on whole scenes.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include "supple/base/error.h"
#include "supple/demos/examples/examples.h"
#include "supple/io/index_list.h"
#include "supple/io/tets/tet_formats.h"
#include "supple/pipeline/run/run.h"
#include "supple/pipeline/trials/experiment.h"
#include "supple/pipeline/trials/reference_motion.h"
#include "supple/pipeline/trials/trials_file.h"
#include "supple/pipeline/trials/tune_scene.h"
#include "supple/scene/read_scene.h"
#include "supple/tune/direct.h"

namespace supple {

using namespace demos;
using namespace pipeline;
namespace {

namespace fs = std::filesystem;

class TuneScene : public ::testing::Test {
 protected:
  void SetUp() override {
    dir_ = fs::path(::testing::TempDir()) /
           (std::string("supple_tune_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(dir_);
    fs::create_directories(dir_);
  }
  void TearDown() override { fs::remove_all(dir_); }
  std::string at(const std::string& name) const { return (dir_ / name).string(); }
  SceneConfig bar(std::vector<std::string> set = {}) {
    set.push_back("output.formats=[]");
    return load_scene(write_example("bar", at("scene"), {.cells = 2}), set);
  }
  fs::path dir_;
};

}  // namespace

TEST_F(TuneScene, MeetsAllFourAndTheSceneItWritesDoesTheSame) {
  const TuneOutcome out = tune_scene(
      bar(), {.frequency = 1.5, .amplitude = 1.3, .sag = 0.5, .half_life = 0.7, .max_runs = 6}, at("out"), {});
  const TuneResult& r = out.result;
  EXPECT_TRUE(r.all_met());
  EXPECT_NEAR(r.got.frequency, 1.5, 0.01 * 1.5);
  EXPECT_NEAR(r.got.amplitude, 1.3, 0.015 * 1.3);
  EXPECT_NEAR(r.got.sag, 0.5, 0.005);
  EXPECT_NEAR(r.got.half_life, 0.7, 0.01);
  EXPECT_LE(r.full_runs, 6);
  write_tuned_scene(at("out/tuned.toml"), out);
  const Job job = build_job(load_scene(at("out/tuned.toml")));
  Simulation sim(*job.body->model, simulation_spec(job));
  begin(sim, job);
  for (int i = 0; i < (job.shot.n_frames() - 1) * job.body->substeps; ++i) sim.step();
  EXPECT_NEAR(sim.amplitude().value(), *r.tuned.amplitude, 1e-9 * *r.tuned.amplitude);

  // Asked again, nothing is simulated: the trials were kept.
  const TuneOutcome again = tune_scene(
      bar(), {.frequency = 1.5, .amplitude = 1.3, .sag = 0.5, .half_life = 0.7, .max_runs = 6}, at("out"), {});
  EXPECT_EQ(again.result.scalings.epsilon, r.scalings.epsilon);
  EXPECT_NE(again.report.text().find("\"simulated\": 0"), std::string::npos);
}

TEST_F(TuneScene, DirectsInFrames) {
  const TuneOutcome out =
      tune_scene(bar(), {.frames_per_bounce = 12, .settle_by = 84, .tolerance = 0.05}, at("out"), {});
  EXPECT_NEAR(*out.result.tuned.frequency_hz, 2, 0.02);  // 24 frames a second
  const Job job = build_job(bar());
  const double from = last_moving_frame(job);
  EXPECT_NEAR(from, 42, 1);  // shaken from 0.25 s for three periods of half a second
  EXPECT_NEAR(*out.result.tuned.half_life_s, (84 - from) / 24 * std::log(2) / std::log(20), 0.01);
}

TEST_F(TuneScene, LowestAtTheFrameAskedFor) {
  const TuneOutcome out = tune_scene(bar(), {.low_at = 66, .tolerance = 0.05}, at("out"), {});
  std::string said;
  for (const std::string& n : out.notes) said += n + "\n";
  ASSERT_NE(said.find("lowest at frame"), std::string::npos) << said;
  // Looked for in the motion itself.
  Job job = build_job(bar());
  SceneExperiment e(job, nullptr);
  const std::vector<double> y = e.record(out.result.scalings).low;
  int lowest = -1;
  for (int f = 60; f < 72; ++f)
    if (y[f] < y[f - 1] && y[f] <= y[f + 1]) lowest = f;
  EXPECT_NEAR(lowest, 66, 1) << said;
}

TEST_F(TuneScene, ResemblesATrackedPoint) {
  std::ofstream csv(at("point.csv"));
  csv << "frame,x,y,z\n";
  for (int f = 0; f < 80; ++f)
    csv << f << ",0," << 0.02 * std::pow(2, -f / 24.0 / 0.4) * std::cos(2 * M_PI * 2.2 * f / 24.0) << ",0\n";
  csv.close();
  const TuneOutcome out =
      tune_scene(bar(), {.amplitude = 1, .like = at("point.csv"), .tolerance = 0.05}, at("out"), {});
  EXPECT_NEAR(*out.result.tuned.frequency_hz, 2.2, 0.03);
  EXPECT_NEAR(*out.result.tuned.half_life_s, 0.4, 0.02);
}

TEST_F(TuneScene, TakesThatSayNothingAreErrors) {
  auto file = [&](const char* name, const std::string& text) {
    std::ofstream(at(name)) << text;
    return at(name);
  };
  EXPECT_THROW(read_like(at("absent.csv"), 24), InputError);
  EXPECT_THROW(read_like(file("words.csv", "x,y,z\n1,2,3\n4,five,6\n"), 24), InputError);
  EXPECT_THROW(read_like(file("nan.csv", "1,2,nan\n1,2,3\n"), 24), InputError);
  EXPECT_THROW(read_like(file("short.csv", "1,2,3\n1,2,3\n"), 24), InputError);
  EXPECT_THROW(read_like(dir_.string(), 24), InputError);  // a directory without a report
}

TEST_F(TuneScene, DamagedTrialsAreNotUsed) {
  Job job = build_job(bar());
  SceneExperiment e(job, nullptr);
  for (const char* text : {"", "{", "[]", "{\"fingerprint\":\"f\",\"rings\":3,\"runs\":{}}",
                           "{\"fingerprint\":\"f\",\"rings\":{},\"runs\":{\"1 1 1 1\":{\"ok\":true}}}"}) {
    std::ofstream(at("trials.json")) << text;
    read_trials(at("trials.json"), "f", e);
    EXPECT_TRUE(e.rings.empty() && e.runs.empty()) << text;
  }
}

TEST_F(TuneScene, NothingToTuneIsAnError) {
  EXPECT_THROW(tune_scene(bar({"expert.chi=2"}), {.frequency = 2}, at("out"), {}), InputError);
  EXPECT_THROW(tune_scene(bar({"attach.track=", "timeline.frames=4"}), {.amplitude = 2}, at("out"), {}), InputError);
  EXPECT_THROW(tune_scene(bar(), {.settle_by = 5}, at("out"), {}), InputError);
}

TEST_F(TuneScene, TestMotionsReplaceTheScenesOwn) {
  for (const char* name : {"hop", "stop", "twist", "lean", "shake"}) {
    const Job job = build_job(bar({std::string("timeline.test_motion=") + name}));
    const VecX first = job.shot.drive.vertices->at(0);
    EXPECT_GT(job.shot.n_frames(), 72) << name;
    EXPECT_NEAR((first - flatten([&] {
                   Points x;
                   for (int v : job.body->model->spec().driven) x.push_back(job.body->model->mesh().vertices[v]);
                   return x;
                 }()))
                    .cwiseAbs()
                    .maxCoeff(),
                0, 1e-12);
    double reach = 0;
    for (int f = 0; f < job.shot.n_frames(); ++f)
      reach = std::max(reach, (job.shot.drive.vertices->at(f / job.shot.fps) - first).cwiseAbs().maxCoeff());
    EXPECT_GT(reach, 0.01) << name;
  }
}

// A slab on a driven floor, painted 0.5 on its left half and 2 on its right: each half moves as if all were painted so,
// and nothing creases where they meet.
TEST_F(TuneScene, PaintedHalvesMoveAsSeparateTunesDo) {
  TetMesh mesh = make_box(30, 2, 2, {1.5, 0.06, 0.12});
  VecX paint(mesh.n_vertices());
  std::vector<int> floor;
  for (int i = 0; i < mesh.n_vertices(); ++i) {
    paint[i] = mesh.vertices[i][0] < 0.75 ? 0.5 : 2;
    if (mesh.vertices[i][1] < 1e-9) floor.push_back(i);
  }
  write_tet_mesh(at("slab.msh"), mesh);
  write_index_list(at("floor.txt"), floor);
  std::ofstream map(at("paint.txt"));
  for (double x : paint) map << x << "\n";
  map.close();
  std::ofstream scene(at("slab.toml"));
  scene << R"([tets]
file = "slab.msh"
[attach]
vertices = "floor.txt"
[timeline]
test_motion = "stop"
frames = 60
[material]
model = "linear"
youngs_modulus = 2e3
poisson_ratio = 0.3
half_life_s = 0.15
[output]
formats = []
)";
  scene.close();
  auto amplitudes = [&](const std::vector<std::string>& set) {
    const Job job = build_job(load_scene(at("slab.toml"), set));
    Simulation sim(*job.body->model, simulation_spec(job));
    begin(sim, job);
    std::array<double, 2> sum{};  // of the halves, but for a band where one pulls the other along
    double step = 0, whole = 0;
    for (int i = 0; i < (job.shot.n_frames() - 1) * job.body->substeps; ++i) {
      sim.step();
      const VecX q = sim.q();
      for (int v = 0; v < mesh.n_vertices(); ++v) {
        const double x = mesh.vertices[v][0];
        if (std::abs(x - 0.75) < 0.15) continue;
        sum[x > 0.75] += job.body->model->mass()->per_vertex()[v] * q.segment<3>(3 * v).squaredNorm();
      }
      // Along the top edge: no step from one vertex to the next beyond what the whole difference makes over a cell.
      std::map<double, Vec3> edge;
      for (int v = 0; v < mesh.n_vertices(); ++v)
        if (mesh.vertices[v][1] > 0.0599 && mesh.vertices[v][2] < 1e-9) edge[mesh.vertices[v][0]] = q.segment<3>(3 * v);
      whole = std::max(whole, (edge.rbegin()->second - edge.begin()->second).norm());
      for (auto a = edge.begin(), b = std::next(a); b != edge.end(); ++a, ++b)
        step = std::max(step, (b->second - a->second).norm());
    }
    return std::array<double, 3>{std::sqrt(sum[0]), std::sqrt(sum[1]), whole > 0 ? step / whole : 0};
  };
  const auto painted = amplitudes({"controls.amplitude_map=" + at("paint.txt")});
  const auto half = amplitudes({"controls.amplitude=0.5"}), twice = amplitudes({"controls.amplitude=2"});
  EXPECT_NEAR(painted[0] / half[0], 1, 0.05);
  EXPECT_NEAR(painted[1] / twice[1], 1, 0.05);
  EXPECT_NEAR(twice[1] / half[0], 4, 0.3);
  EXPECT_LT(painted[2], 0.5);  // spread over more than two cells, though the paint changes within one
}

}  // namespace supple
