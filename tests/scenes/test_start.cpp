// How runs begin and repeat, from the scene file to the written frames.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "supple/anim/loop_track.h"
#include "supple/base/error.h"
#include "supple/io/point_cache.h"
#include "supple/io/tets/tet_formats.h"
#include "supple/pipeline/run/run.h"
#include "supple/scene/read_scene.h"

namespace supple {

using namespace pipeline;
namespace {

namespace fs = std::filesystem;
using StartMotion = std::function<Vec3(const Vec3& x, double t)>;

class Starts : public ::testing::Test {
 protected:
  void SetUp() override {
    dir_ = fs::path(::testing::TempDir()) /
           (std::string("supple_start_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(dir_);
    fs::create_directories(dir_);
    mesh_ = make_box(4, 1, 1, {0.4, 0.1, 0.1});
    for (int v = 0; v < mesh_.n_vertices(); ++v)
      if (mesh_.vertices[v][0] < 1e-9) driven_.push_back(v);
    write_tet_mesh(at("beam.msh"), mesh_);
  }
  void TearDown() override { fs::remove_all(dir_); }
  std::string at(const std::string& name) const { return (dir_ / name).string(); }

  std::vector<std::string> settings(const std::vector<std::string>& more) const {
    std::vector<std::string> all = {"output.report=false", "output.formats=[\"pc2\"]"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  // The beam with its root moved, over n frames of 1/24 s.
  Job job(const StartMotion& f, int n, const std::vector<std::string>& set = {}) {
    PointCache cache;
    std::string list;
    for (int k = 0; k < n; ++k) {
      Points x;
      for (int v : driven_) x.push_back(f(mesh_.vertices[v], k / 24.0));
      cache.add(flatten(x));
    }
    for (int v : driven_) list += std::to_string(v) + ", ";
    write_pc2(at("root.pc2"), cache);
    std::ofstream(at("beam.toml")) << "[tets]\nfile = \"beam.msh\"\n[attach]\nvertices = [" + list +
                                          "]\ntrack = \"root.pc2\"\n[timeline]\nsubsteps = 2\n[material]\n"
                                          "youngs_modulus = 5e4\nhalf_life_s = 0.6\n";
    return build_job(load_scene(at("beam.toml"), settings(set)));
  }
  std::vector<VecX> frames(const std::string& file) const {
    const PointCache cache = read_pc2(at(file));
    std::vector<VecX> list;
    for (int s = 0; s < cache.n_samples; ++s)
      list.push_back(Eigen::Map<const Eigen::VectorXf>(cache.sample(s), 3 * cache.n_points).cast<double>());
    return list;
  }
  std::string bytes(const std::string& name) const {
    std::ifstream in(at(name), std::ios::binary);
    std::stringstream s;
    s << in.rdbuf();
    return s.str();
  }
  static const Json& timeline(RunResult& r) { return r.report["timeline"]; }

  fs::path dir_;
  TetMesh mesh_;
  std::vector<int> driven_;
};

Vec3 shaken_root(const Vec3& x, double t) {
  return x + Vec3(0, 0.02 * std::sin(4 * M_PI * t + 0.4), 0.01 * std::cos(2 * M_PI * t));
}
Vec3 lap(const Vec3& x, double t) {
  return Eigen::AngleAxisd(0.7 * t, Vec3::UnitY()) * (shaken_root(x, t) + Vec3(1, 0, 0));
}
Vec3 glide(const Vec3& x, double t) { return x + t * Vec3(2, 0, 0); }
Vec3 speeding(const Vec3& x, double t) { return x + (t + t * t) * Vec3(1, 0, 0); }
Vec3 tumble(const Vec3& x, double t) { return Eigen::AngleAxisd(0.7 * t, Vec3::UnitZ()) * shaken_root(x, t); }
Vec3 off_and_back(const Vec3& x, double t) {
  const double s = std::clamp((t - 0.1) / 0.8, 0.0, 1.0);
  return x + 4 * s * s * s * (1 - s) * (1 - s) * (1 - s) * Vec3(0, 1, 0);
}

}  // namespace

TEST_F(Starts, WhatAutoMakesOfAMotion) {
  struct Case {
    StartMotion f;
    int n;
    std::vector<std::string> set;
    const char* start;
    bool loop;
  };
  const std::vector<Case> cases = {
      {shaken_root, 25, {}, "moving", true},
      {lap, 25, {}, "moving", true},
      {tumble, 25, {}, "moving", false},  // turns against gravity
      {tumble, 25, {"world.gravity=[0,0,0]"}, "moving", true},
      {lap, 25, {"material.model=\"linear\""}, "moving", false},
      {shaken_root, 25, {"timeline.loop=false"}, "moving", false},
      {shaken_root, 25, {"timeline.start=\"rest\""}, "rest", false},
      {shaken_root, 25, {"timeline.start=\"settled\""}, "settled", false},
      {shaken_root, 49, {"timeline.range=[6,30]"}, "moving", true},
      {shaken_root, 25, {"timeline.frames=40"}, "moving", false},
      {shaken_root, 20, {}, "moving", false},
      {shaken_root, 24, {}, "moving", true},  // ends a frame before its first pose
      {shaken_root, 24, {"timeline.loop=true"}, "moving", true},
      {glide, 25, {}, "moving", false},
      {speeding, 25, {}, "moving", false},
      {off_and_back, 25, {}, "moving", false},
      {off_and_back, 25, {"timeline.loop=true"}, "moving", true},
  };
  int k = 0;
  for (const Case& c : cases) {
    const Job j = job(c.f, c.n, c.set);
    EXPECT_EQ(j.shot.start.start, c.start) << k << " " << j.shot.start.text();
    EXPECT_EQ(j.shot.start.loop, c.loop) << k << " " << j.shot.start.text();
    EXPECT_FALSE(j.shot.start.why.empty()) << k;
    EXPECT_EQ(j.shot.start.period, c.loop ? 24 : 0) << k;
    ++k;
  }
  EXPECT_THROW(job(speeding, 25, {"timeline.loop=true"}), InputError);
  EXPECT_THROW(job(tumble, 25, {"timeline.loop=true"}), InputError);
  EXPECT_THROW(job(shaken_root, 25, {"timeline.loop=true", "timeline.frames=40"}), InputError);
  EXPECT_THROW(job(shaken_root, 25, {"timeline.loop=true", "timeline.start=\"rest\""}), InputError);
  EXPECT_THROW(job(shaken_root, 5, {"timeline.loop=true"}), InputError);
  EXPECT_THROW(job([](const Vec3& x, double) { return x; }, 25, {"timeline.loop=true"}), InputError);
}

// The written frames of a travelling loop: the last is the first, carried on.
TEST_F(Starts, ALoopClosesAndResumesBitForBit) {
  const Job j = job(lap, 25);
  RunResult r = run_job(j, {.directory = at("whole")});
  ASSERT_EQ(r.status, RunStatus::done);
  const auto x = frames("whole/tets.pc2");
  ASSERT_EQ(x.size(), 25u);
  EXPECT_LT((carried(j.shot.start.carry, x[0]) - x[24]).cwiseAbs().maxCoeff(), 2e-3 * r.peak_m);
  EXPECT_GT(r.peak_m, 5e-3);
  EXPECT_NE(bytes("whole/report.json").find("\"closing_error\""), std::string::npos);
  // The seam bends no more than the motion does elsewhere.
  const auto bend = [](const VecX& a, const VecX& b, const VecX& c) { return (a - 2 * b + c).cwiseAbs().maxCoeff(); };
  double usual = 0;
  for (size_t f = 1; f < 24; ++f) usual = std::max(usual, bend(x[f - 1], x[f], x[f + 1]));
  EXPECT_LT(bend(x[23], x[24], carried(j.shot.start.carry, x[1])), 1.1 * usual);

  // Stopped after the warm-up and some frames, and resumed.
  const int warm_up = 48 * static_cast<int>(std::lround(std::stod(r.report["timeline"]["warm_up_periods"].text())));
  int left = warm_up + 25;
  const Watch stop{.cancelled = [&] { return --left < 0; }};
  ASSERT_EQ(run_job(j, {.directory = at("cut")}, stop).status, RunStatus::interrupted);
  RunResult rest = run_job(j, {.directory = at("cut"), .resume = true});
  ASSERT_EQ(rest.status, RunStatus::done);
  for (const char* file : {"tets.pc2", "static.pc2", "amplitude.csv"})
    EXPECT_TRUE(bytes(std::string("whole/") + file) == bytes(std::string("cut/") + file)) << file;

  // Stopped during the warm-up there is nothing to go on from.
  left = 20;
  const RunResult none = run_job(j, {.directory = at("early")}, stop);
  EXPECT_EQ(none.status, RunStatus::interrupted);
  EXPECT_EQ(none.message.find("--resume"), std::string::npos);
  EXPECT_THROW(run_job(j, {.directory = at("early"), .resume = true}), InputError);
}

// A start in motion is in equilibrium from the first frame on; pre-roll changes nothing there.
TEST_F(Starts, NoPopAndPreRoll) {
  for (const char* pre_roll : {"0", "7"}) {
    const Job j = job(glide, 25, {std::string("timeline.pre_roll=") + pre_roll});
    EXPECT_EQ(j.shot.start.start, "moving");
    const RunResult r = run_job(j, {.directory = at(std::string("out") + pre_roll)});
    EXPECT_LT(r.peak_m, 2e-6) << pre_roll;
  }
  // From rest it does pop: that is what the clip says then.
  EXPECT_GT(run_job(job(glide, 25, {"timeline.start=\"rest\""}), {.directory = at("rest")}).peak_m, 0.02);
  // Pre-roll of a standstill is a standstill; that of a spin lets the flesh swing out before the first frame.
  const StartMotion spin = [](const Vec3& x, double t) { return Vec3(Eigen::AngleAxisd(5 * t, Vec3::UnitY()) * x); };
  const auto first_q = [&](const std::string& name, const std::string& pre_roll) {
    const Job j = job(spin, 25, {"timeline.loop=false", "timeline.pre_roll=" + pre_roll});
    run_job(j, {.directory = at(name)});
    return (frames(name + "/tets.pc2")[0] - frames(name + "/static.pc2")[0]).cwiseAbs().maxCoeff();
  };
  EXPECT_LT(first_q("spin0", "0"), 1e-6);
  EXPECT_GT(first_q("spin40", "40"), 5e-3);
}

TEST_F(Starts, SettledStartsWhereItHangs) {
  const auto posed = [](const Vec3& x, double t) {
    const double s = std::clamp(t - 0.2, 0.0, 1.0);
    return Vec3(Eigen::AngleAxisd(0.6 + 0.3 * s * s * s, Vec3::UnitX()) * x);
  };
  const Job j = job(posed, 25, {"timeline.start=\"settled\""});
  std::string told;
  const Watch watch{.note = [&](std::string_view text) { told = text; }};
  ASSERT_EQ(run_job(j, {.directory = at("out")}, watch).status, RunStatus::done);
  EXPECT_NE(told.find("still after"), std::string::npos) << told;
  const auto x = frames("out/tets.pc2"), p = frames("out/static.pc2");
  EXPECT_LT((x[0] - p[0]).cwiseAbs().maxCoeff(), 2e-6);
  EXPECT_LT((x[4] - x[0]).cwiseAbs().maxCoeff(), 2e-6);  // and stays while it is held
}

// Keys of a rigid motion, one a frame.
TEST_F(Starts, RigidKeysLoop) {
  job(shaken_root, 25);
  std::ofstream keys(at("keys.csv"));
  for (int k = 0; k <= 24; ++k) {
    const double t = k / 24.0;
    const Eigen::Quaterniond q(Eigen::AngleAxisd(0.2 * std::sin(2 * M_PI * t + 1), Vec3::UnitX()));
    keys << t << "," << 0.5 * t << "," << 0.02 * std::sin(4 * M_PI * t) << ",0," << q.x() << "," << q.y() << ","
         << q.z() << "," << q.w() << "\n";
  }
  keys.close();
  std::string scene = bytes("beam.toml");
  scene.replace(scene.find("track = \"root.pc2\""), 18, "rigid = \"keys.csv\"");
  std::ofstream(at("rigid.toml")) << scene;
  const Job j = build_job(load_scene(at("rigid.toml"), settings({})));
  ASSERT_TRUE(j.shot.start.loop) << j.shot.start.text();
  EXPECT_LT((j.shot.start.carry(Vec3::Zero()) - Vec3(0.5, 0, 0)).norm(), 1e-4);
  RunResult r = run_job(j, {.directory = at("out")});
  const auto x = frames("out/tets.pc2");
  EXPECT_LT((carried(j.shot.start.carry, x[0]) - x[24]).cwiseAbs().maxCoeff(), 2e-3 * r.peak_m);
}

}  // namespace supple
