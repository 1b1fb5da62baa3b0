// Runs of clips that are cut, or have frames that are none of them: what the flesh does beside those frames, by what
// timeline.cuts says, and what is told.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "supple/base/error.h"
#include "supple/demos/gallery/pear.h"
#include "supple/io/gltf/gltf_read.h"
#include "supple/io/gltf/gltf_write.h"
#include "supple/pipeline/job/begin.h"
#include "supple/pipeline/live/motion.h"
#include "supple/pipeline/run/run.h"
#include "supple/scene/read_scene.h"
#include "tests/scenes/enrich_files.h"

namespace supple {

using namespace demos;
using namespace pipeline;
namespace {

constexpr int kAt = 20, kLast = 35;

// Hips of a pear that run and sway, as a clip may have them.
struct Hips {
  Vec3 place = Vec3::Zero();
  Quat turn = Quat::Identity();
};
Hips running(int f) {
  const double t = f / 24.0;
  return {Vec3(1.2 * t, 0.03 * std::sin(7 * t), 0.02 * std::cos(5 * t)),
          Quat(Eigen::AngleAxisd(0.15 * std::sin(5 * t), Vec3::UnitZ()))};
}
Hips jumped(int f) {
  Hips h = running(f);
  if (f >= kAt) h.place += Vec3(0, 1, 4);
  return h;
}
Hips turned(int f) {
  Hips h = running(f), at = running(kAt);
  const Quat quarter(Eigen::AngleAxisd(M_PI / 2, Vec3::UnitY()));
  if (f >= kAt) h = {at.place + quarter * (h.place - at.place), quarter * h.turn};
  return h;
}
Hips off_once(int f) {
  Hips h = running(f);
  if (f == kAt) h.place += Vec3(0, 2, 1), h.turn = Quat(Eigen::AngleAxisd(2, Vec3::UnitX())) * h.turn;
  return h;
}
Hips doubled(int f) { return running(f == kAt ? kAt - 1 : f); }

struct Flesh {
  std::vector<double> swing;  // largest departure of a vertex from its equilibrium, frame by frame [m]
  double amplitude = 0;
  int cuts = 0;
  double most(int first, int last) const { return *std::max_element(swing.begin() + first, swing.begin() + last + 1); }
};

class RunsOverCuts : public EnrichFiles {
 protected:
  void put_clip(const std::string& name, Hips (*motion)(int)) const {
    Character c = make_pear({.rings = 14, .segments = 12});
    Clip clip = c.clips[0];
    Channel way = clip.channels[0], turn = way;
    const Vec3 start(way.values[0], way.values[1], way.values[2]);
    way.times.clear(), way.values.clear();
    way.interpolation = Interpolation::linear;
    turn = way, turn.path = ChannelPath::rotation, turn.width = 4;
    for (int f = 0; f <= kLast; ++f) {
      const Hips h = motion(f);
      const Vec3 x = start + h.place;
      way.times.push_back(f / 24.0), turn.times.push_back(f / 24.0);
      way.values.insert(way.values.end(), x.data(), x.data() + 3);
      turn.values.insert(turn.values.end(), {h.turn.x(), h.turn.y(), h.turn.z(), h.turn.w()});
    }
    clip.channels = {way, turn};
    clip.start = 0, clip.end = way.times.back();
    c.clips = {clip};
    write_gltf(path(name), c, {.colors = pear_colors()});
  }
  SceneConfig scene_of(Hips (*motion)(int), const std::string& cuts) {
    put_clip("pear.glb", motion);
    SceneConfig scene = load_character_scene(
        path("pear.glb"), {"tets.count=300", "surface.scale=1", "timeline.loop=false", "timeline.fps=24",
                           "timeline.cuts=\"" + cuts + "\"", "output.report=false", "output.formats=[\"pc2\"]"});
    // The flesh of all of them, which no clip has a say in.
    if (flesh_.empty()) {
      put_clip("pear.glb", running);
      flesh_ = build_job(scene, false).body->flesh;
      for (FleshConfig& f : flesh_) f.half_life_s = 0.25;
      put_clip("pear.glb", motion);
    }
    scene.flesh = flesh_;
    return scene;
  }
  Flesh flesh_of(Hips (*motion)(int), const std::string& cuts) {
    const Job job = build_job(scene_of(motion, cuts));
    Simulation sim(job.model(), simulation_spec(job));
    begin(sim, job);
    Flesh out;
    const auto look = [&] {
      out.swing.push_back(VecX(sim.q()).reshaped(3, sim.q().size() / 3).colwise().norm().maxCoeff());
    };
    look();
    while (static_cast<int>(out.swing.size()) < job.shot.n_frames()) {
      for (int k = 0; k < job.body->substeps; ++k) out.cuts += sim.step().cuts;
      look();
    }
    out.amplitude = sim.amplitude().value();
    return out;
  }
  std::vector<FleshConfig> flesh_;
  Character character_;
  Drawn drawn_;
};

// Beside each of them the flesh swings no further than it does in the clip as it was meant, and as far over all.
TEST_F(RunsOverCuts, the_flesh_goes_on_as_it_was) {
  const Flesh whole = flesh_of(running, "carry");
  EXPECT_EQ(whole.cuts, 0);
  const double usual = whole.most(8, kLast);
  EXPECT_GT(usual, 2e-3);
  struct Case {
    const char* name;
    Hips (*motion)(int);
    int cuts;
  };
  for (const auto& [name, motion, cuts] :
       {Case{"jump", jumped, 1}, {"turn", turned, 1}, {"bad", off_once, 0}, {"doubled", doubled, 0}}) {
    const Flesh flesh = flesh_of(motion, "carry");
    EXPECT_EQ(flesh.cuts, cuts) << name;
    EXPECT_LT(flesh.most(kAt - 2, kAt + 4), 1.1 * usual) << name;
    EXPECT_NEAR(flesh.amplitude, whole.amplitude, 0.05 * whole.amplitude) << name;
    // It is a swing that goes on, not one that begins.
    EXPECT_GT(flesh.swing[kAt], 0.3 * whole.swing[kAt]) << name;
  }
}

TEST_F(RunsOverCuts, it_begins_anew_settled) {
  const Flesh whole = flesh_of(running, "settle");
  for (Hips (*motion)(int) : {jumped, turned}) {
    const Flesh flesh = flesh_of(motion, "settle");
    EXPECT_EQ(flesh.cuts, 1);
    EXPECT_LT(flesh.swing[kAt], 1e-9);
    EXPECT_GT(flesh.swing[kAt - 1], 1e-3);
    EXPECT_LT(flesh.most(kAt, kLast), 1.1 * whole.most(8, kLast));
  }
}

// What it is for.
TEST_F(RunsOverCuts, taken_as_motion_they_throw_it) {
  const double usual = flesh_of(running, "off").most(8, kLast);
  for (const auto motion : {jumped, off_once}) {
    double wild = 0;
    try {
      const Flesh flesh = flesh_of(motion, "off");
      EXPECT_EQ(flesh.cuts, 0);
      wild = flesh.most(kAt - 2, kAt + 4);
    } catch (const SimulationFailure&) {  // or it is torn
      wild = INFINITY;
    }
    EXPECT_GT(wild, 3 * usual);
  }
}

TEST_F(RunsOverCuts, are_told_with_their_frames) {
  const auto report_of = [&](Hips (*motion)(int), const std::string& cuts) {
    const Job job = build_job(scene_of(motion, cuts));
    const RunResult run = run_job(job, {.directory = path("run"), .overwrite = true});
    EXPECT_EQ(run.status, RunStatus::done) << run.message;
    return nlohmann::json::parse(read(path("run/report.json")));
  };
  const auto turn = report_of(turned, "settle");
  ASSERT_EQ(turn["timeline"]["cuts"].size(), 1u);
  EXPECT_EQ(turn["timeline"]["cuts"][0]["frame"], kAt);
  EXPECT_EQ(turn["timeline"]["cuts"][0]["kind"], "turn");
  EXPECT_NEAR(turn["timeline"]["cuts"][0]["turn_deg"].get<double>(), 90, 10);
  EXPECT_EQ(turn["timeline"]["over_cuts"], "settle");
  EXPECT_NE(turn["warnings"].dump().find("cut at frame 20"), std::string::npos) << turn["warnings"].dump();
  const auto bad = report_of(off_once, "carry");
  EXPECT_EQ(bad["timeline"]["cuts"][0]["kind"], "bad frame");
  EXPECT_NE(bad["warnings"].dump().find("frame 20 (off)"), std::string::npos) << bad["warnings"].dump();
  EXPECT_TRUE(build_job(scene_of(running, "carry")).shot.start.cuts.list.empty());
  EXPECT_TRUE(build_job(scene_of(off_once, "off")).shot.start.cuts.list.empty());
}

// Stopped before and after a cut, and gone on with: the same bits.
TEST_F(RunsOverCuts, resume_over_them) {
  for (const char* cuts : {"carry", "settle"}) {
    const Job job = build_job(scene_of(turned, cuts));
    const auto run = [&](const std::string& name, bool resume, int polls) {
      int left = polls, asked = 0;
      const Watch watch{.cancelled = [&] { return ++asked, --left < 0; }};
      run_job(job, {.directory = path(name), .overwrite = !resume, .resume = resume}, watch);
      return asked;
    };
    const int polls = run("whole", false, 1 << 30);
    for (double share : {0.5, 0.6}) {
      run("stopped", false, static_cast<int>(share * polls));
      ASSERT_FALSE(std::filesystem::exists(path("stopped/tets.pc2"))) << share;
      run("stopped", true, 1 << 30);
      for (const char* file : {"tets.pc2", "static.pc2", "amplitude.csv"})
        EXPECT_TRUE(read(path("whole/") + file) == read(path("stopped/") + file))
            << file << " " << cuts << " " << share;
    }
  }
}

// Noise on a whole frame of what is enriched, in fast motion: nothing is left of it.
TEST_F(RunsOverCuts, of_an_animation_that_is_enriched) {
  const auto animated = [](bool noise) {
    return [noise](const Vec3& x, int f) {
      Vec3 y = x + Vec3(0.12 * f, 0.03 * std::sin(0.3 * f), 0);
      for (int axis = 0; noise && f == 9 && axis < 3; ++axis) {
        const double dice = 43758.5 * std::sin(x.dot(Vec3(129.9, 782.3, 377.1)) + 3 * axis);
        y[axis] += 0.08 * (dice - std::floor(dice) - 0.5);
      }
      return y;
    };
  };
  const auto simulated = [&](bool noise, const std::string& cuts) {
    put_cache("bar.pc2", bar_.vertices, 18, animated(noise));
    const Job job = build_job(scene({"timeline.cuts=\"" + cuts + "\""}));
    Simulation sim(job.model(), simulation_spec(job));
    begin(sim, job);
    std::vector<VecX> frames;
    for (int f = 1; f < job.shot.n_frames(); ++f) {
      for (int k = 0; k < job.body->substeps; ++k) sim.step();
      frames.push_back(sim.state().u);
    }
    return std::pair(frames, job.shot.start.cuts);
  };
  const auto [clean, none] = simulated(false, "carry");
  EXPECT_TRUE(none.list.empty());
  const auto [bridged, cuts] = simulated(true, "carry");
  EXPECT_EQ(cuts.bridged(), std::vector<int>{9});
  double off = 0;
  for (size_t f = 0; f < clean.size(); ++f) off = std::max(off, (clean[f] - bridged[f]).cwiseAbs().maxCoeff());
  EXPECT_LT(off, 2e-3);
  EXPECT_TRUE(simulated(true, "off").second.list.empty());
}

// A live pack bakes its clips by the same frames.
TEST_F(RunsOverCuts, of_clips_that_are_baked) {
  const auto plan_of = [&](Hips (*motion)(int), const std::string& cuts) {
    put_clip("pear.glb", motion);
    const SceneConfig config =
        load_character_scene(path("pear.glb"), {"surface.scale=1", "timeline.cuts=\"" + cuts + "\""});
    character_ = read_gltf(path("pear.glb"));
    drawn_ = lay_out(character_);
    return live::plan_clip(character_, drawn_, character_.clips[0], 1, 24, config.timeline);
  };
  const auto most = [](const Points& list, size_t first, size_t last) {
    double m = 0;
    for (size_t k = first; k < last; ++k) m = std::max(m, list[k].norm());
    return m;
  };
  for (Hips (*motion)(int) : {jumped, turned, off_once, doubled}) {
    const live::ClipPlan plan = plan_of(motion, "carry");
    ASSERT_EQ(plan.cuts.list.size(), 1u);
    EXPECT_EQ(plan.cuts.list[0].frame, kAt);
    const live::ClipMotion carried = live::clip_motion(plan, 0, 1, false),
                           settled = live::clip_motion(plan, 0, 1, true);
    EXPECT_TRUE(carried.motion.cuts.empty());
    EXPECT_EQ(settled.motion.cuts.size(), plan.cuts.leaps().size());
    const size_t at = kAt * carried.per_frame, n = carried.motion.size();
    EXPECT_LT(most(carried.motion.acceleration, at - 2 * carried.per_frame, at + 2 * carried.per_frame),
              1.5 * most(carried.motion.acceleration, 0, n / 2 - 3 * carried.per_frame));
  }
  EXPECT_TRUE(plan_of(jumped, "off").cuts.list.empty());
}

}  // namespace
}  // namespace supple
