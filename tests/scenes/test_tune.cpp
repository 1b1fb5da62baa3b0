// Dials met by measuring, on whole scenes.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include "supple/base/error.h"
#include "supple/demos/examples/examples.h"
#include "supple/io/index_list.h"
#include "supple/io/point_cache.h"
#include "supple/io/tets/tet_formats.h"
#include "supple/pipeline/run/run.h"
#include "supple/pipeline/trials/experiment.h"
#include "supple/pipeline/trials/part_settling.h"
#include "supple/pipeline/trials/reference_motion.h"
#include "supple/pipeline/trials/tune_scene.h"
#include "supple/pipeline/trials/wanted_scene.h"
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

// What an outsider finds in the caches of two runs: root of the mean square of u - p over some points and all frames.
double outside_amount(const std::string& folder, const std::vector<int>& points) {
  const PointCache x = read_pc2(folder + "/tets.pc2"), y = read_pc2(folder + "/static.pc2");
  double sum = 0;
  for (int f = 0; f < x.n_samples; ++f)
    for (int v : points)
      for (int c = 0; c < 3; ++c) sum += std::pow(double(x.sample(f)[3 * v + c]) - y.sample(f)[3 * v + c], 2);
  return std::sqrt(sum / (x.n_samples * static_cast<double>(points.size())));
}

// Of parts that touch others: the 99th percentile over points and frames.
double outside_reach(const std::string& folder, const std::vector<int>& points) {
  const PointCache x = read_pc2(folder + "/tets.pc2"), y = read_pc2(folder + "/static.pc2");
  std::vector<double> all;
  for (int f = 0; f < x.n_samples; ++f)
    for (int v : points) {
      double sum = 0;
      for (int c = 0; c < 3; ++c) sum += std::pow(double(x.sample(f)[3 * v + c]) - y.sample(f)[3 * v + c], 2);
      all.push_back(std::sqrt(sum));
    }
  std::sort(all.begin(), all.end());
  return all[static_cast<size_t>(0.99 * static_cast<double>(all.size() - 1))];
}

const TunedDial& dial(const TuneOutcome& out, const std::string& name, const std::string& part = "") {
  for (const TunedDial& d : out.dials)
    if (d.dial == name && (part.empty() || d.part == part)) return d;
  throw std::runtime_error("there is no " + name + " of " + part);
}

}  // namespace

TEST_F(TuneScene, MeetsAllFourAndTheSceneItWritesDoesTheSame) {
  const TuneRequest request{.frequency = 1.5, .amplitude = 1.3, .sag = 0.5, .half_life = 0.7};
  const TuneOutcome out = tune_scene(bar(), request, at("out"), {});
  ASSERT_EQ(out.take.status, RunStatus::done) << out.take.message;
  EXPECT_TRUE(out.met());
  EXPECT_NEAR(dial(out, "frequency").got, 1.5, 0.01 * 1.5);
  EXPECT_NEAR(dial(out, "amplitude").got, 1.3, 0.013);
  EXPECT_NEAR(dial(out, "sag").got, 0.5, 0.005);
  EXPECT_NEAR(dial(out, "half_life").got, 0.7, 0.01);
  EXPECT_LE(out.motions, 7);
  // The card is of the take: an outsider finds the same in its caches.
  const SceneConfig tuned = load_scene(at("out/tuned.toml"));
  const Job job = build_job(tuned);
  std::vector<int> free;
  for (const PartNumbers& p : job.body->parts) free.insert(free.end(), p.vertices.begin(), p.vertices.end());
  EXPECT_NEAR(outside_amount(at("out"), free) / outside_amount(at("out/baseline"), free), 1.3, 0.03 * 1.3);
  // What is asked stands in its usual place, what was found beside it, and no expert's key.
  EXPECT_EQ(tuned.controls.frequency, 1.5);
  EXPECT_EQ(tuned.controls.amplitude, 1.3);
  ASSERT_EQ(tuned.tuned.size(), 1u);
  EXPECT_FALSE(tuned.expert.raw());
  // And it does the same to the bit.
  ASSERT_EQ(run_job(job, {.directory = at("again")}).status, RunStatus::done);
  EXPECT_EQ(read_pc2(at("again/tets.pc2")).xyz, read_pc2(at("out/tets.pc2")).xyz);
  // Asked again, the run without dials is there.
  const TuneOutcome again = tune_scene(bar(), request, at("out"), {});
  EXPECT_EQ(again.motions, out.motions - 1);
  EXPECT_EQ(dial(again, "amplitude").got, dial(out, "amplitude").got);
}

TEST_F(TuneScene, DirectsInFrames) {
  const TuneOutcome out =
      tune_scene(bar(), {.frames_per_bounce = 12, .settle_by = 84, .tolerance = 0.05}, at("out"), {});
  EXPECT_NEAR(out.take.measured.ring_hz, 2, 0.02);  // 24 frames a second
  const Job job = build_job(bar());
  const double from = last_moving_frame(job);
  EXPECT_NEAR(from, 42, 1);  // shaken from 0.25 s for three periods of half a second
  EXPECT_NEAR(out.take.measured.ring_half_life_s, (84 - from) / 24 * std::log(2) / std::log(20), 0.01);
}

TEST_F(TuneScene, LowestAtTheFrameAskedFor) {
  const TuneOutcome out = tune_scene(bar(), {.low_at = 66, .tolerance = 0.05}, at("out"), {});
  std::string said;
  for (const std::string& n : out.notes) said += n + "\n";
  ASSERT_NE(said.find("lowest at frame"), std::string::npos) << said;
  // Looked for in the take itself.
  const std::vector<double> y =
      heights_of(build_job(bar()), read_pc2(at("out/tets.pc2")), read_pc2(at("out/static.pc2")));
  int lowest = -1;
  for (size_t f = 60; f < 72; ++f)
    if (y[f] < y[f - 1] && y[f] <= y[f + 1]) lowest = static_cast<int>(f);
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
  EXPECT_NEAR(out.take.measured.ring_hz, 2.2, 0.03);
  EXPECT_NEAR(out.take.measured.ring_half_life_s, 0.4, 0.02);
}

// Two beams in one scene, one twice as long: each goes twice as far, not both together.
TEST_F(TuneScene, EveryBodyMeetsWhatIsAsked) {
  TetMesh mesh = make_box(8, 1, 1, {0.4, 0.06, 0.06});
  const TetMesh other = make_box(8, 1, 1, {0.2, 0.06, 0.06});
  const int n = mesh.n_vertices();
  for (const Vec3& x : other.vertices) mesh.vertices.push_back(x + Vec3(0, 0, 0.5));
  for (Tet t : other.tets) {
    for (int& v : t) v += n;
    mesh.tets.push_back(t);
  }
  write_tet_mesh(at("two.msh"), mesh);
  std::vector<int> root, longer, shorter;
  for (int v = 0; v < mesh.n_vertices(); ++v)
    (mesh.vertices[v][0] < 1e-9 ? root : v < n ? longer : shorter).push_back(v);
  write_index_list(at("root.txt"), root);
  std::ofstream(at("two.toml")) << R"([tets]
file = "two.msh"
[attach]
vertices = "root.txt"
[timeline]
test_motion = "stop"
frames = 40
[material]
youngs_modulus = 3e5
[output]
formats = []
report = false
)";
  const TuneOutcome out = tune_scene(load_scene(at("two.toml")), {.frequency = 0.8, .amplitude = 2}, at("out"), {});
  EXPECT_TRUE(out.met());
  for (const std::vector<int>& beam : {longer, shorter})
    EXPECT_NEAR(outside_amount(at("out"), beam) / outside_amount(at("out/baseline"), beam), 2, 0.06);
}

// A region, a map and keys are met, and what is asked of nothing stays.
TEST_F(TuneScene, RegionsMapsAndKeysAreMet) {
  TetMesh mesh = make_box(16, 2, 2, {0.8, 0.06, 0.12});
  std::vector<int> floor, left, right;
  std::ofstream paint(at("paint.txt"));
  for (int v = 0; v < mesh.n_vertices(); ++v) {
    const Vec3& x = mesh.vertices[v];
    paint << (x[0] < 0.4 ? 0.5 : 2) << "\n";
    if (x[1] < 1e-9)
      floor.push_back(v);
    else if (std::abs(x[0] - 0.4) > 0.09)  // a tenth of the size is their border
      (x[0] < 0.4 ? left : right).push_back(v);
  }
  paint.close();
  mesh.region_names = {"left", "right"};
  for (const Tet& t : mesh.tets) {
    double x = 0;
    for (int v : t) x += mesh.vertices[v][0] / 4;
    mesh.tet_region.push_back(x < 0.4 ? 0 : 1);
  }
  write_tet_mesh(at("slab.msh"), mesh);
  write_index_list(at("floor.txt"), floor);
  const auto tuned = [&](const std::string& name, const std::string& text) {
    std::ofstream(at(name + ".toml")) << R"([tets]
file = "slab.msh"
[attach]
vertices = "floor.txt"
[timeline]
test_motion = "stop"
frames = 30
[material]
youngs_modulus = 3e3
half_life_s = 0.15
[output]
formats = []
report = false
)" << text;
    return tune_scene(load_scene(at(name + ".toml")), {.tolerance = 0.02}, at(name), {});
  };
  const auto ratio = [&](const std::string& name, const std::vector<int>& points) {
    return outside_reach(at(name), points) / outside_reach(at(name + "/baseline"), points);
  };
  const TuneOutcome region = tuned("region", "[[region]]\nname = \"left\"\namplitude = 2\nfrequency = 0.8\n");
  EXPECT_TRUE(region.met());
  EXPECT_NEAR(dial(region, "amplitude", "left").asked, 2, 1e-9);
  EXPECT_NEAR(dial(region, "frequency", "left").got, 0.8, 0.016);
  EXPECT_NEAR(dial(region, "frequency", "body").got, 1, 0.02);
  EXPECT_NEAR(dial(region, "half_life", "body").got, 1, 0.02);
  EXPECT_NEAR(ratio("region", right), 1, 0.04);
  const TuneOutcome map = tuned("map", "[controls]\namplitude_map = \"paint.txt\"\n");
  EXPECT_TRUE(map.met());
  EXPECT_NEAR(ratio("map", left), 0.5, 0.02);
  EXPECT_NEAR(ratio("map", right), 2, 0.08);
  const TuneOutcome keys = tuned("keys", "[controls]\namplitude_keys = [[0, 1], [20, 3]]\n");
  EXPECT_TRUE(keys.met());
  EXPECT_GT(dial(keys, "amplitude").asked, 1.2);
}

// Fifty times as far is fifty times the run without dials, or it is told how far it went.
TEST_F(TuneScene, WhatIsOutOfReachIsTold) {
  const TuneOutcome out = tune_scene(bar(), {.amplitude = 50, .max_runs = 4}, at("out"), {});
  ASSERT_EQ(out.take.status, RunStatus::done) << out.take.message;
  const TunedDial& d = dial(out, "amplitude");
  EXPECT_EQ(d.asked, 50);
  if (!d.met) {
    EXPECT_FALSE(out.met());
    EXPECT_NE(d.note.find("nearest"), std::string::npos);
  }
  const Job job = build_job(load_scene(at("out/tuned.toml")));
  EXPECT_NEAR(part_amounts({whole_body(*job.body)}, read_pc2(at("out/tets.pc2")), read_pc2(at("out/static.pc2")))[0] /
                  part_amounts({whole_body(*job.body)}, read_pc2(at("out/baseline/tets.pc2")),
                               read_pc2(at("out/baseline/static.pc2")))[0],
              d.got, 1e-6 * d.got);
}

// The formulas are those of a linear body. Soft flesh is measured before it is run.
TEST_F(TuneScene, SoftFleshDoesWhatIsAskedWithoutTune) {
  const SceneConfig scene = bar({"material.youngs_modulus=6e4", "controls.frequency=0.7", "controls.half_life=0.6"});
  const Job by_formula = build_job(scene), settled = settled_job(by_formula, {});
  const double release = 1e-3 * by_formula.body->model->size();
  const auto hz = [&](const Job& job) { return measured_at_rest(job, release, nullptr)[0].ring_hz; };
  const double before = hz(build_job(without_dials(scene)));
  EXPECT_GT(std::abs(hz(by_formula) / before / 0.7 - 1), 0.05);
  EXPECT_NEAR(hz(settled) / before, 0.7, 0.007);
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
