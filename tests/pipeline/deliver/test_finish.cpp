// Finishing: each formula against a closed form, whole takes, and what is refused.
#include <sys/wait.h>

#include <cmath>
#include <cstdlib>
#include <numbers>

#include "supple/base/error.h"
#include "supple/demos/gallery/pear.h"
#include "supple/io/gltf/gltf_write.h"
#include "supple/io/tets/tet_formats.h"
#include "supple/linalg/svd3.h"
#include "supple/pipeline/character/character_subject.h"
#include "supple/pipeline/deliver/result_folder.h"
#include "supple/pipeline/run/run.h"
#include "supple/pipeline/run/run_character.h"
#include "supple/pipeline/setup/stage_cache.h"
#include "supple/pipeline/takes/refinish.h"
#include "supple/pipeline/takes/take.h"
#include "supple/scene/read_scene.h"
#include "tests/scene/scene_files.h"

namespace supple {

using namespace demos;
using namespace pipeline;
namespace {

namespace fs = std::filesystem;

// A flat sheet of n x n squares of 1 cm.
TriMesh sheet(int n) {
  TriMesh m;
  for (int y = 0; y <= n; ++y)
    for (int x = 0; x <= n; ++x) m.vertices.emplace_back(0.01 * x, 0.01 * y, 0);
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < n; ++x) {
      const int a = y * (n + 1) + x, b = a + n + 1;
      m.triangles.push_back({a, a + 1, b + 1});
      m.triangles.push_back({a, b + 1, b});
    }
  return m;
}

FinishInput input_for(const TriMesh& mesh) {
  FinishInput in;
  in.mesh = mesh;
  in.hard.assign(mesh.vertices.size(), 0);
  return in;
}

std::vector<Mat3> turned_about_z(size_t n, double angle) {
  return std::vector<Mat3>(n, Eigen::AngleAxisd(angle, Vec3::UnitZ()).toRotationMatrix());
}
std::vector<Mat3> unturned(int n) { return turned_about_z(static_cast<size_t>(n), 0); }

TEST(Limit, holds_everywhere_and_has_no_kink) {
  const double limit = 0.03, h = 1e-5;
  double before = -1;
  for (double x = 0; x < 1; x += 1e-4) {
    const double y = limited(x, limit);
    EXPECT_LT(y, limit);
    EXPECT_LE(y, x);
    EXPECT_GE(y, before);
    if (x <= limit / 2) {
      EXPECT_EQ(y, x);
    }
    before = y;
  }
  // First and second derivatives on both sides of where it begins.
  const auto slope = [&](double x) { return (limited(x + h, limit) - limited(x - h, limit)) / (2 * h); };
  const auto bend = [&](double x) {
    return (limited(x + h, limit) - 2 * limited(x, limit) + limited(x - h, limit)) / (h * h);
  };
  EXPECT_NEAR(slope(limit / 2 - 2 * h), slope(limit / 2 + 2 * h), 1e-4);
  EXPECT_LT(std::abs(bend(limit / 2 + 2 * h)) * limit, 0.05);
  EXPECT_EQ(limited(1, 0), 0);
  EXPECT_LT(limited(1e9, limit), limit);
}

TEST(Axis, scales_along_the_turned_axes) {
  const double angle = 0.7, c = std::cos(angle), s = std::sin(angle);
  OutputConfig o;
  o.axis = Vec3(0.25, 2, 1);
  const TriMesh mesh = sheet(1);
  const Finish finish(o, input_for(mesh));
  const Vec3 d(0.3, -0.2, 0.5);
  std::vector<VecX> frames(1, d.replicate(4, 1));
  finish.apply(frames, [&](int) { return turned_about_z(4, angle); });
  const double along = c * d[0] + s * d[1], across = -s * d[0] + c * d[1];
  const Vec3 expected(0.25 * along * c - 2 * across * s, 0.25 * along * s + 2 * across * c, d[2]);
  for (int v = 0; v < 4; ++v) EXPECT_LT((frames[0].segment<3>(3 * v) - expected).norm(), 1e-15);
}

TEST(OverTime, a_constant_stays_and_an_impulse_becomes_the_bell) {
  for (int period : {0, 40, 41}) {
    std::vector<VecX> constant(41, VecX::Constant(5, 0.37)), impulse(41, VecX::Zero(2));
    smooth_over_time(constant, 3.5, period);
    for (const VecX& x : constant) EXPECT_LT((x - VecX::Constant(5, 0.37)).norm(), 1e-15);
    impulse[20][1] = 1;
    smooth_over_time(impulse, 2, period);
    for (int f = 0; f < 41; ++f) {
      const double bell = std::exp(-0.5 * std::pow((f - 20) / 2.0, 2)) / (2 * std::sqrt(2 * std::numbers::pi));
      EXPECT_NEAR(impulse[static_cast<size_t>(f)][1], bell, 2e-4) << f;
      EXPECT_EQ(impulse[static_cast<size_t>(f)][0], 0);
    }
  }
}

TEST(OverTime, a_loop_goes_round) {
  const int period = 24;
  std::vector<VecX> frames;
  for (int f = 0; f <= period; ++f) frames.push_back(VecX::Constant(1, std::cos(2 * std::numbers::pi * f / period)));
  smooth_over_time(frames, 2, period);
  // A Gaussian takes a cosine of angular frequency w down by exp(-(w sigma)^2 / 2).
  const double w = 2 * std::numbers::pi / period, factor = std::exp(-0.5 * w * w * 4);
  for (int f = 0; f <= period; ++f) EXPECT_NEAR(frames[static_cast<size_t>(f)][0], factor * std::cos(w * f), 1e-4);
}

// What is constant as a turning limb sees it stays.
TEST(OverTime, smooths_in_the_local_frame) {
  OutputConfig o;
  o.smooth_frames = 3;
  const Finish finish(o, input_for(sheet(1)));
  const auto local = [](int f) { return turned_about_z(4, 0.4 * f); };
  std::vector<VecX> frames;
  for (int f = 0; f < 20; ++f) frames.push_back((local(f)[0] * Vec3(1, 2, 3)).replicate(4, 1));
  const std::vector<VecX> before = frames;
  finish.apply(frames, local);
  for (size_t f = 0; f < frames.size(); ++f) EXPECT_LT((frames[f] - before[f]).norm(), 1e-13);
}

TEST(OverTheSurface, constants_stay_where_all_is_soft_and_hard_vertices_stay_zero) {
  const TriMesh mesh = sheet(8);
  const SurfaceGraph graph(mesh);
  std::vector<char> hard(mesh.vertices.size(), 0);
  VecX d = Vec3(1, -2, 3).replicate(mesh.n_vertices(), 1);
  const VecX before = d;
  graph.smooth(d, 7, hard);
  EXPECT_LT((d - before).norm(), 1e-13);
  for (size_t v = 0; v < hard.size(); ++v)
    if (mesh.vertices[v].x() == 0) hard[v] = 1, d.segment<3>(3 * static_cast<Eigen::Index>(v)).setZero();
  graph.smooth(d, 7, hard);
  for (size_t v = 0; v < hard.size(); ++v) {
    const Vec3 x = d.segment<3>(3 * static_cast<Eigen::Index>(v));
    if (hard[v]) {
      EXPECT_EQ(x, Vec3::Zero());
    }
    if (!hard[v]) {
      EXPECT_GT(x.norm(), 0);
    }
  }
}

// A seam of the file does not part the surface.
TEST(OverTheSurface, vertices_at_one_place_are_one) {
  TriMesh mesh = sheet(4), torn = mesh;
  torn.vertices.clear(), torn.triangles.clear();
  for (const Tri& t : mesh.triangles) {
    const int n = torn.n_vertices();
    for (int v : t) torn.vertices.push_back(mesh.vertices[v]);
    torn.triangles.push_back({n, n + 1, n + 2});
  }
  const auto bump = [](const TriMesh& m) {
    VecX d(3 * m.n_vertices());
    for (int v = 0; v < m.n_vertices(); ++v) d.segment<3>(3 * v) = Vec3(0, 0, std::sin(300 * m.vertices[v].x()));
    return d;
  };
  VecX a = bump(mesh), b = bump(torn);
  SurfaceGraph(mesh).smooth(a, 3, std::vector<char>(mesh.vertices.size(), 0));
  SurfaceGraph(torn).smooth(b, 3, std::vector<char>(torn.vertices.size(), 0));
  for (size_t t = 0; t < mesh.triangles.size(); ++t)
    for (size_t k = 0; k < 3; ++k) EXPECT_NEAR(a[3 * mesh.triangles[t][k] + 2], b[3 * torn.triangles[t][k] + 2], 1e-14);
}

TEST(Mix, map_keys_and_regions_multiply) {
  const TriMesh mesh = sheet(40);
  const size_t n = mesh.vertices.size();
  RegionConfig region;
  region.mix = 0.5;
  FinishInput in = input_for(mesh);
  in.painted.assign(n, 1);
  in.painted[7] = 0.25;
  in.keys.keys = {{0, 1}, {4, 3}};
  in.regions = {{&region, std::vector<char>(n, 0)}};
  for (size_t v = 0; v < n; ++v) in.regions[0].on[v] = mesh.vertices[v].x() > 0.3;
  OutputConfig o;
  o.mix = 0.8;
  o.mix_keys.keys = in.keys.keys;
  const Finish finish(o, in);
  std::vector<VecX> frames(6, VecX::Constant(3 * static_cast<Eigen::Index>(n), 1));
  finish.apply(frames, [&](int) { return unturned(static_cast<int>(n)); });
  EXPECT_DOUBLE_EQ(frames[0][0], 0.8);
  EXPECT_DOUBLE_EQ(frames[0][3 * 7], 0.25 * 0.8);
  EXPECT_DOUBLE_EQ(frames[4][0], 3 * 0.8);
  EXPECT_DOUBLE_EQ(frames[5][0], 3 * 0.8);
  EXPECT_NEAR(frames[2][0], 2 * 0.8, 1e-12);       // eased: halfway is the mean
  EXPECT_DOUBLE_EQ(frames[0][3 * 40], 0.5 * 0.8);  // inside the region
  // No step at its border: what a vertex differs from its neighbours by is a small part of the change.
  for (const Tri& t : mesh.triangles)
    if (std::find(t.begin(), t.end(), 7) == t.end()) {
      EXPECT_LT(std::abs(finish.mix()[t[0]] - finish.mix()[t[1]]), 0.4 * (0.8 - 0.4))
          << mesh.vertices[t[0]].transpose();
    }
}

TEST(Mix, a_region_fades_outside_of_itself) {
  const TriMesh mesh = sheet(40);
  const SurfaceGraph graph(mesh);
  std::vector<char> members(mesh.vertices.size());
  for (size_t v = 0; v < members.size(); ++v) members[v] = mesh.vertices[v].x() > 0.295;
  const std::vector<double> w = graph.falloff(members, 0.1);
  double before = -1;
  for (int x = 0; x <= 40; ++x) {
    const double here = w[static_cast<size_t>(20 * 41 + x)];
    if (x >= 30) {
      EXPECT_EQ(here, 1);
    }
    if (x <= 16) {
      EXPECT_EQ(here, 0);
    }
    EXPECT_GE(here, before);
    before = here;
  }
  EXPECT_GT(w[20 * 41 + 29], 0.9);
  EXPECT_NEAR(w[20 * 41 + 25], 0.5, 0.06);
}

TEST(Limit, of_regions_holds_on_both_sides_of_the_border) {
  const TriMesh mesh = sheet(40);
  const size_t n = mesh.vertices.size();
  RegionConfig tight, wide, none;
  tight.limit_m = 0.01, wide.limit_m = 0.08, none.limit_m = 0;
  FinishInput in = input_for(mesh);
  for (const auto& [region, low, high] :
       {std::tuple{&tight, 0.05, 0.12}, std::tuple{&wide, 0.2, 0.28}, std::tuple{&none, 0.35, 0.4}}) {
    in.regions.push_back({region, std::vector<char>(n)});
    for (size_t v = 0; v < n; ++v)
      in.regions.back().on[v] = mesh.vertices[v].x() > low - 1e-9 && mesh.vertices[v].x() < high + 1e-9;
  }
  OutputConfig o;
  o.limit_m = 0.03;
  const Finish finish(o, in);
  std::vector<VecX> frames(1, VecX::Constant(3 * static_cast<Eigen::Index>(n), 5));
  finish.apply(frames, [&](int) { return unturned(static_cast<int>(n)); });
  for (size_t v = 0; v < n; ++v) {
    const double limit = in.regions[0].on[v] ? 0.01 : in.regions[1].on[v] ? 0.08 : in.regions[2].on[v] ? 0 : 0.03;
    const double length = frames[0].segment<3>(3 * static_cast<Eigen::Index>(v)).norm();
    EXPECT_LE(length, limit) << mesh.vertices[v].transpose();
    EXPECT_EQ(limit == 0, length == 0);
  }
  EXPECT_GT(finish.limits()[20 * 41 + 24], 0.07);  // and is used where there is room
  EXPECT_NEAR(finish.limits()[20 * 41 + 0], 0.03, 0.01);
}

TEST(FinishKeys, without_any_nothing_is_done) {
  EXPECT_TRUE(Finish(OutputConfig(), input_for(sheet(1))).idle());
  for (const std::string& key : finish_keys()) EXPECT_TRUE(needs_no_simulation(key)) << key;
  EXPECT_TRUE(needs_no_simulation("region.3.mix"));
  EXPECT_FALSE(needs_no_simulation("region.3.amplitude"));
  EXPECT_FALSE(needs_no_simulation("controls.sag"));
}

TEST(SceneDifferences, are_found_by_key) {
  const std::string a = "[output]\nmix = 0.5\n\n[[region]]\nname = \"x\"\nmix = 1\n";
  const std::string b = "[output]\nmix = 0.7\nsmooth = 2\n\n[[region]]\nname = \"x\"\n";
  const auto d = scene_differences(a, b);
  ASSERT_EQ(d.size(), 3u);
  EXPECT_EQ(d[0].key + " " + d[0].a + " " + d[0].b, "output.mix 0.5 0.7");
  EXPECT_EQ(d[1].key + " " + d[1].a + " " + d[1].b, "region.0.mix 1 ");
  EXPECT_EQ(d[2].key + " " + d[2].a + " " + d[2].b, "output.smooth  2");
  EXPECT_TRUE(scene_differences(a, a).empty());
}

// One short run of a character and one of a bar, shared by the tests below.
class Finished : public SceneFiles {
 protected:
  static void SetUpTestSuite() {
    home_ = fs::temp_directory_path() / ("supple_finished_" + std::to_string(getpid()));
    fs::remove_all(home_);
    fs::create_directories(home_);
    stage_cache().open(home_.string() + "_cache");  // the character is set up once
    const std::string glb = (home_ / "pear.glb").string();
    write_gltf(glb, make_pear({.rings = 12, .segments = 10}), {.colors = pear_colors()});
    RunCharacterOptions o;
    o.out = (home_ / "soft.glb").string(), o.directory = (home_ / "take").string();
    run_character(load_character_scene(glb, {"tets.count=400", "timeline.range=[6,14]", "output.report=false"}), "", o);
    write_tet_mesh((home_ / "bar.msh").string(), make_box(6, 1, 1, {0.3, 0.05, 0.05}));
    std::ofstream(home_ / "keys.csv") << "0,0,0,0,0,0,0,1\n0.2,0,0.05,0,0,0,0.3826834,0.9238795\n";
    std::ofstream(home_ / "bar.toml") << "[tets]\nfile = \"bar.msh\"\n[attach]\nvertices = [0, 7, 14, 21]\n"
                                         "rigid = \"keys.csv\"\n[timeline]\nframes = 8\nsubsteps = 4\n[material]\n"
                                         "youngs_modulus = 5e4\n[output]\nformats = [\"pc2\"]\nreport = false\n";
    run_job(build_job(load_scene((home_ / "bar.toml").string())), {.directory = (home_ / "bar").string()});
  }
  static void TearDownTestSuite() {
    stage_cache().open("");
    fs::remove_all(home_);
    fs::remove_all(home_.string() + "_cache");
  }
  void SetUp() override {
    SceneFiles::SetUp();
    fs::copy(home_, folder_, fs::copy_options::recursive);
    for (const char* name : {"take/scene.toml", "take/report.json"}) {
      std::string text = read(path(name));
      for (size_t at; (at = text.find(home_.string())) != std::string::npos;)
        text.replace(at, home_.string().size(), folder_.string());
      write(name, text);
    }
  }
  FinishResult finish(const std::string& take, std::vector<std::string> set, const std::string& out) const {
    return finish_run({.directory = path(take), .out = path(out), .set = std::move(set)});
  }
  // Departures of everything drawn, in metres.
  static std::vector<Points> departures(const Take& take) {
    const DeliveredRun run(take.job, take.tets, [&](int f) { return take.from(f); });
    std::vector<Points> out;
    for (int f = 0; f < run.n_frames(); ++f) {
      out.push_back(run.at(f));
      const Points base = run.base(f);
      for (size_t v = 0; v < base.size(); ++v) out.back()[v] -= base[v];
    }
    return out;
  }
  static double largest(const std::vector<Points>& list) {
    double most = 0;
    for (const Points& p : list)
      for (const Vec3& d : p) most = std::max(most, d.norm());
    return most;
  }
  static inline fs::path home_;
};

// Written out once more, from what the simulation left.
TEST_F(Finished, without_keys_the_departure_is_the_simulated_one_to_the_bit) {
  const Take take = open_take(path("take"), {"output.limit=0"});
  const Job& job = take.job;
  const CharacterSetup& c = job.subject->character()->setup();
  const DeliveredRun run(job, take.tets, [&](int f) { return take.from(f); });
  double most = 0;
  for (int f : {0, 3, 8}) {
    const VecX x = sample_of(take.tets, f), p = sample_of(take.statics, f);
    VecX d = x - p;
    for (int v : job.body->base.driven) d.segment<3>(3 * v).setZero();
    const VecX skin = blended(c.blend, d);
    const Departure shown = run.frame(f).departure;
    for (size_t v = 0; v < shown.offsets.size(); ++v) {
      const int s = c.skin_of[v];
      if (s < 0) continue;
      const Vec3 expected = c.flesh.skin_softness[s] == 0 ? Vec3(Vec3::Zero()) : Vec3(skin.segment<3>(3 * s));
      EXPECT_EQ(shown.offsets[v], expected);
      most = std::max(most, expected.norm());
    }
  }
  EXPECT_GT(most, 1e-3);
}

TEST_F(Finished, the_same_file_comes_out_without_keys) {
  const FinishResult r = finish("take", {}, "again");
  EXPECT_EQ(r.glb, path("again.glb"));
  EXPECT_EQ(read(path("again.glb")), read(path("soft.glb")));
  EXPECT_EQ(read(path("again/scene.toml")), read(path("take/scene.toml")));
}

TEST_F(Finished, mix_0_is_the_input_exactly) {
  EXPECT_EQ(largest(departures(open_take(path("take"), {"output.mix=0"}))), 0);
  EXPECT_EQ(largest(departures(open_take(path("bar"), {"output.mix=0"}))), 0);
  EXPECT_GT(largest(departures(open_take(path("bar")))), 1e-3);
}

TEST_F(Finished, no_drawn_vertex_passes_the_limit) {
  for (const char* name : {"take", "bar"}) {
    const double before = largest(departures(open_take(path(name))));
    for (double limit : {0.6 * before, 0.1 * before, 1e-4}) {
      const auto d = departures(open_take(path(name), {"output.mix=3", "output.limit_m=" + std::to_string(limit)}));
      EXPECT_LE(largest(d), std::stod(std::to_string(limit)) + 1e-15);
      EXPECT_GT(largest(d), 0.9 * limit);
    }
  }
}

TEST_F(Finished, what_is_not_soft_never_moves) {
  const Take take = open_take(
      path("take"), {"output.mix=2", "output.smooth=9", "output.smooth_frames=1.5", "output.axis=[1, 0.5, 2]"});
  const auto d = departures(take);
  const CharacterSetup& c = take.job.subject->character()->setup();
  int hard = 0;
  for (size_t v = 0; v < c.skin_of.size(); ++v) {
    if (c.skin_of[v] < 0 || c.flesh.skin_softness[c.skin_of[v]] != 0) continue;
    ++hard;
    for (const Points& frame : d) EXPECT_EQ(frame[v], Vec3::Zero());
  }
  EXPECT_GT(hard, 10);
  EXPECT_GT(largest(d), 1e-4);
}

// On the bar the frames are those of p: a departure that is scaled evenly is a mix.
TEST_F(Finished, axis_scales_in_the_frames_of_the_flesh) {
  const auto all = departures(open_take(path("bar"))),
             even = departures(open_take(path("bar"), {"output.axis=[2, 2, 2]"}));
  const auto flat = departures(open_take(path("bar"), {"output.axis=[1, 1, 0]"}));
  const Take take = open_take(path("bar"));
  const DeliveredRun run(take.job, take.tets, [&](int f) { return take.from(f); });
  for (int f = 0; f < 8; ++f) {
    const std::vector<Mat3> R = run.drawing().local_frames(f, take.from(f));
    for (size_t v = 0; v < R.size(); ++v) {
      const Vec3& d = all[static_cast<size_t>(f)][v];
      EXPECT_LT((even[static_cast<size_t>(f)][v] - 2 * d).norm(), 1e-12);
      const Vec3 n = R[v].col(2);
      EXPECT_LT((flat[static_cast<size_t>(f)][v] - (d - n * n.dot(d))).norm(), 1e-12);
    }
  }
}

TEST_F(Finished, a_take_is_made_and_none_is_touched) {
  const auto before = listing();
  const std::string scene = read(path("take/scene.toml"));
  const FinishResult r = finish("take", {"output.mix=0.5", "output.report=true"}, "half");
  EXPECT_NEAR(r.shown.rms, 0.5 * r.simulated.rms, 1e-12);
  EXPECT_EQ(read(path("take/scene.toml")), scene);
  for (const std::string& name : before) EXPECT_TRUE(fs::exists(folder_ / name));
  for (const char* name : {"scene.toml", "report.json", "report.html", "tets.pc2", "static.pc2", "tets.msh"})
    EXPECT_TRUE(fs::exists(path(std::string("half/") + name))) << name;
  EXPECT_EQ(load_scene(path("half/scene.toml")).output.mix, 0.5);
  EXPECT_FALSE(fs::exists(path("half.part")));
  // It can be finished again: from the simulation, not from what was shown.
  const FinishResult again = finish("half", {"output.mix=1"}, "whole");
  EXPECT_EQ(read(path("whole.glb")), read(path("soft.glb")));
  EXPECT_THROW(finish("take", {}, "half"), InputError);
  EXPECT_EQ(folder_of_takes("shots/007"), "shots");
  EXPECT_EQ(folder_of_takes("shots/mine/"), "takes");
}

TEST_F(Finished, regions_and_keys_reach_the_run) {
  const Take take = open_take(path("take"), {"output.mix_keys=[[6, 0], [10, 1]]"});
  const auto keyed = departures(take), all = departures(open_take(path("take")));
  EXPECT_EQ(largest({keyed[0]}), 0);
  EXPECT_EQ(largest({keyed[5]}), largest({all[5]}));
}

TEST_F(Finished, a_region_can_be_added_for_finishing_alone) {
  const std::string scene = read(path("take/scene.toml"));
  write("take/scene.toml", scene + "\n[[region]]\nname = \"all\"\nbones = [\"*\"]\nmix = 0\n");
  EXPECT_EQ(largest(departures(open_take(path("take")))), 0);
  write("take/scene.toml", scene + "\n[[region]]\nname = \"all\"\nbones = [\"*\"]\namplitude = 2\n");
  EXPECT_THROW(open_take(path("take")), InputError);
}

class Refused : public Finished {
 protected:
  // Refused with these words, and nothing is left behind.
  void expect(const std::string& take, std::vector<std::string> set, const std::string& words) const {
    const auto before = listing();
    try {
      finish(take, std::move(set), "out");
      ADD_FAILURE() << "not refused: " << words;
    } catch (const InputError& e) {
      EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
    }
    EXPECT_EQ(listing(), before);
    EXPECT_FALSE(fs::exists(path("out")) || fs::exists(path("out.part")) || fs::exists(path("out.glb")));
  }
};

TEST_F(Refused, what_is_no_finished_run) {
  expect("nowhere", {}, "is no folder");
  fs::create_directories(path("empty/inner"));
  expect("empty", {}, "holds no finished run");
  write("empty/inner/report.json", "{}");
  expect("empty", {}, "choose of");
  expect("empty/inner", {}, "not the report of a run");
  write("empty/inner/scene.toml", read(path("take/scene.toml")));
  write("empty/inner/tets.msh", read(path("take/tets.msh")));
  write("empty/inner/report.json", "{\"model\": {}, \"timeline\": {}, \"status\": \"done\"}");
  expect("empty/inner", {}, "how many frames");
  write("empty/inner/report.json", "{\"model\": {}, \"timeline\": {}, \"status\": \"interrupted\"}");
  expect("empty/inner", {}, "did not finish");
}

TEST_F(Refused, damaged_files) {
  for (const char* file : {"tets.pc2", "static.pc2", "tets.msh"}) {
    const std::string name = path(std::string("take/") + file), content = read(name);
    write(std::string("take/") + file, content.substr(0, content.size() / 2));
    expect("take", {}, file);
    fs::remove(name);
    expect("take", {}, "is missing");
    std::ofstream(name, std::ios::binary) << content;
  }
  PointCache other = read_pc2(path("take/tets.pc2"));
  other.n_samples -= 1, other.xyz.resize(other.xyz.size() - 3 * static_cast<size_t>(other.n_points));
  write_pc2(path("take/static.pc2"), other);
  expect("take", {}, "over 8 frames");
  fs::copy_file(path("bar/tets.msh"), path("take/tets.msh"), fs::copy_options::overwrite_existing);
  expect("take", {}, "points");
}

TEST_F(Refused, what_has_changed_or_needs_a_simulation) {
  expect("take", {"controls.amplitude=2"}, "needs a simulation");
  expect("take", {"output.mixx=2"}, "mix");
  expect("take", {"output.mix=-1"}, "mix");
  expect("take", {"output.axis=[1, nan, 1]"}, "finite");
  expect("take", {"output.mix_map=paint"}, "no mesh of the character has a map");
  expect("bar", {"output.mix_map=paint"}, "character");
  const std::string scene = read(path("take/scene.toml"));
  write("take/scene.toml", scene + "\n[controls]\namplitude = 3\n");
  expect("take", {}, "has changed since the run: controls.amplitude");
  write("take/scene.toml", scene);
  write_gltf(path("pear.glb"), make_pear({.rings = 18, .segments = 12}), {.colors = pear_colors()});
  expect("take", {}, "has changed since the run");
  fs::remove(path("pear.glb"));
  expect("take", {}, "pear.glb");
}

TEST_F(Finished, from_outside) {
  const auto run = [&](const std::string& arguments) {
    const int code =
        std::system(("cd '" + folder_.string() + "' && SUPPLE_CACHE='" + home_.string() +
                     "_cache' SUPPLE_ALLOW_READ=. '" SUPPLE_PROGRAM "' " + arguments + " >log 2>&1 </dev/null")
                        .c_str());
    return WIFEXITED(code) ? WEXITSTATUS(code) : -1;
  };
  EXPECT_EQ(run("finish take --mix 0.5 --limit 3mm --smooth 2 --smooth-frames 1 --axis 1,0.5,1 -o new.glb --json -q"),
            0);
  EXPECT_TRUE(fs::exists(path("new.glb")));
  EXPECT_TRUE(fs::exists(path("takes/001/report.json")));
  EXPECT_EQ(read(path("log"))[0], '{');
  const OutputConfig o = load_scene(path("takes/001/scene.toml")).output;
  EXPECT_EQ(o.mix, 0.5);
  EXPECT_NEAR(*o.limit_m, 0.003, 1e-15);
  EXPECT_EQ(*o.axis, Vec3(1, 0.5, 1));
  EXPECT_EQ(run("finish takes/001 --mix 1"), 0);
  EXPECT_TRUE(fs::exists(path("takes/002.glb")));
  EXPECT_EQ(run("finish bar --mix 0.3 -o bar2"), 0);
  EXPECT_TRUE(fs::exists(path("bar2/surface.pc2")));
  for (const char* wrong : {"finish", "finish nowhere", "finish take --limit 3parsec", "finish take --limit -1cm",
                            "finish take --axis 1,2", "finish take --mix -1", "finish take --set timeline.fps=9",
                            "finish take -o new.glb", "finish bar -o bar.glb", "finish take -o take"})
    EXPECT_EQ(run(wrong), 2) << wrong << read(path("log"));
}

}  // namespace
}  // namespace supple
