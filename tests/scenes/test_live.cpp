// `supple live`: from a character to a live pack.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <numbers>

#include "supple/demos/examples/examples.h"
#include "supple/demos/gallery/pear.h"
#include "supple/io/gltf/gltf_write.h"
#include "supple/io/gltf/live_json.h"
#include "supple/pipeline/character/character_subject.h"
#include "supple/pipeline/live/choice.h"
#include "supple/pipeline/live/run.h"
#include "supple/scene/read_scene.h"

namespace supple {

using namespace demos;
using namespace pipeline;
using namespace pipeline::live;
namespace {

namespace fs = std::filesystem;

class Live : public testing::Test {
 protected:
  Live() {
    dir_ = fs::path(testing::TempDir()) /
           ("supple_live_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(dir_);
    fs::create_directories(dir_);
    write_gltf((dir_ / "pear.glb").string(), make_pear({.rings = 20, .segments = 18}), {.colors = pear_colors()});
  }
  ~Live() override { fs::remove_all(dir_); }
  std::string scene(const std::string& more) const {
    std::ofstream(dir_ / "scene.toml") << "[surface]\nfile = \"pear.glb\"\nscale = 1\n[tets]\npreset = \"preview\"\n"
                                       << more;
    return (dir_ / "scene.toml").string();
  }
  SceneConfig config(const std::string& more = "") const { return live_scene(scene(more), {}); }
  LiveBuild built(const SceneConfig& c) const {
    job_ = build_job(c, false);
    return build_live(job_, job_.subject->character()->setup());
  }
  fs::path dir_;
  mutable Job job_;
};

TEST_F(Live, every_region_becomes_a_part_that_rests_as_drawn) {
  const LiveBuild build = built(config());
  ASSERT_FALSE(build.pack.parts.empty());
  for (size_t p = 0; p < build.pack.parts.size(); ++p) {
    const LivePart& part = build.pack.parts[p];
    EXPECT_FALSE(part.modes.empty());
    for (const LiveMode& m : part.modes) {
      EXPECT_GT(m.frequency_hz, 0);
      EXPECT_GT(m.mass, 0);
      EXPECT_FALSE(m.shape.vertices.empty());
      EXPECT_EQ(m.shape.normals.size(), m.shape.positions.size());
      double most = 0;
      for (const Vec3& d : m.shape.positions) most = std::max(most, d.norm());
      EXPECT_GT(most, 0);
    }
    // Gravity as it was drawn under: nothing hangs.
    std::vector<Mat3> still(10, rigid_frame(job_.subject->character()->setup().drawn.bound_nodes[part.node], 1).axes);
    const MatX w = respond(oscillators_of(part), bone_motion(still, Points(10, Vec3::Zero()), 0.01),
                           {.gravity = build.pack.gravity, .rest_gravity = part.rest_gravity});
    EXPECT_LT(w.cwiseAbs().maxCoeff(), 1e-9);
  }
  // The clips that made the weights do not exceed them.
  for (size_t k = 0; k < build.clips.size(); ++k)
    for (const MatX& w : baked_weights(build, k)) EXPECT_LT(w.cwiseAbs().maxCoeff(), 2);
}

TEST_F(Live, normals_of_a_shape_are_how_the_surface_turns) {
  const LiveBuild build = built(config());
  const Drawn& drawn = job_.subject->character()->setup().drawn;
  const LiveShape& shape = build.pack.parts[0].modes[0].shape;
  // Between smooth vertices a small step of the shape turns normals as those of the triangles turn.
  const DrawnNormalRates rates(drawn);
  Points field(static_cast<size_t>(drawn.n_vertices()), Vec3::Zero());
  for (size_t i = 0; i < shape.vertices.size(); ++i) field[shape.vertices[i]] = shape.positions[i];
  const Points expected = rates.at(field);
  for (size_t i = 0; i < shape.vertices.size(); ++i)
    EXPECT_LT((shape.normals[i] - expected[shape.vertices[i]]).norm(), 1e-6 * (1 + expected[shape.vertices[i]].norm()));
}

TEST_F(Live, parts_that_meet_share_what_they_show) {
  const SceneConfig c = config(
      "[[live.part]]\nname = \"below\"\nshape = \"box\"\ncentre = [0, 0, 0]\nsize = [2, 0.5, 2]\n"
      "[[live.part]]\nname = \"above\"\n");
  const Job job = build_job(c, false);
  std::vector<std::string> warnings;
  const std::vector<ChosenPart> parts = choose_live_parts(job, job.subject->character()->setup(), warnings);
  ASSERT_GE(parts.size(), 2u);
  const TetMesh& cage = job.subject->character()->setup().cage.mesh;
  int both = 0;
  for (int v = 0; v < cage.n_vertices(); ++v) {
    double sum = 0;
    int count = 0;
    for (const ChosenPart& p : parts) sum += p.shown[v], count += p.shown[v] > 0.01;
    if (count > 0) {
      EXPECT_NEAR(sum, 1, 1e-9);
    }
    both += count > 1;
  }
  EXPECT_GT(both, 0);
}

TEST_F(Live, a_shape_cuts_a_part_out_of_the_body) {
  const SceneConfig c = config(
      "[[live.part]]\nname = \"front\"\nshape = \"ellipsoid\"\ncentre = [0, 0.45, 0.2]\nsize = [0.4, 0.4, 0.3]\n"
      "frequency_hz = 2.5\nhalf_life_s = 0.3\nmodes = 4\n");
  const LiveBuild build = built(c);
  ASSERT_EQ(build.pack.parts.size(), 1u);
  const LivePart& part = build.pack.parts[0];
  EXPECT_EQ(part.name, "front");
  double slowest = 1e9, decay = 0;
  int modes = 0;
  for (const LiveMode& m : part.modes) {
    if (m.correction) continue;
    ++modes;
    if (m.frequency_hz < slowest) slowest = m.frequency_hz, decay = m.decay;
  }
  EXPECT_LE(modes, 4);
  EXPECT_NEAR(slowest, 2.5, 0.8);  // the slowest of all, which need not be among the chosen
  EXPECT_NEAR(std::numbers::ln2 / decay * slowest * slowest, 0.3 * 2.5 * 2.5, 1e-6);
  // Nothing outside of it moves but what the tets at its border carry.
  const Drawn& drawn = job_.subject->character()->setup().drawn;
  for (int v : part.modes[0].shape.vertices) {
    const Vec3 q = (drawn.vertices.rest[v] - Vec3(0, 0.45, 0.2)).cwiseQuotient(Vec3(0.4, 0.4, 0.3));
    EXPECT_LT(0.3 * (q.norm() - 1), 2 * job_.body->model->mean_edge());
  }
}

TEST_F(Live, a_clip_that_repeats_is_baked_without_a_pop) {
  const LiveBuild build = built(config("[live]\nclips = [\"twist\"]\n"));
  ASSERT_TRUE(build.clips[0].loops);
  for (const MatX& w : baked_weights(build, 0)) {
    const double swing = w.cwiseAbs().maxCoeff();
    EXPECT_GT(swing, 0.01);
    EXPECT_LT((w.row(0) - w.bottomRows(1)).cwiseAbs().maxCoeff(), 0.02 * swing);
  }
  const LiveBuild once = built(config("[live]\nclips = [\"twist\"]\n[timeline]\nloop = false\n"));
  EXPECT_FALSE(once.clips[0].loops);
  EXPECT_GT((baked_weights(once, 0)[0] - baked_weights(build, 0)[0]).cwiseAbs().maxCoeff(), 1e-3);
}

TEST_F(Live, a_last_frame_that_is_cut_short_is_no_jolt) {
  // A bone that goes at one speed, in a clip of 12.6 frames.
  Character character = make_pear({.rings = 8, .segments = 8});
  Clip clip;
  clip.name = "go", clip.start = 0, clip.end = 12.6 / 24;
  Channel c;
  c.node = 0, c.times = {0, clip.end}, c.values = {0, 0, 0, 1.0, 0, 0};
  clip.channels = {c};
  const Drawn drawn = lay_out(character);
  const ClipPlan plan = plan_clip(character, drawn, clip, 1, 24, {});
  EXPECT_EQ(plan.times.size(), 13u);
  const ClipMotion m = clip_motion(plan, 0, 1, false);
  for (const Vec3& a : m.motion.acceleration) EXPECT_LT(a.norm(), 1e-6);
}

TEST_F(Live, clips_that_hardly_move_still_give_a_pack_that_can) {
  const LiveBuild build = built(config("[live]\nclips = [\"hold\"]\n"));
  ASSERT_FALSE(build.pack.parts.empty());
  for (const LivePart& part : build.pack.parts) {
    double reach = 0;
    for (const LiveMode& m : part.modes) reach = std::max(reach, m.reach);
    EXPECT_GT(reach, 0.01 * part.size);
  }
}

TEST_F(Live, limits_act_in_what_is_baked) {
  const LiveBuild free = built(config("[live]\nclips = [\"hop\"]\nweight_limit = 0\n"));
  const LiveBuild held = built(config("[live]\nclips = [\"hop\"]\nweight_limit = 0.05\n"));
  const LiveBuild soft = built(config("[live]\nclips = [\"hop\"]\nforce_limit = 0.5\nangular_force_limit = 0.5\n"));
  const double most = baked_weights(free, 0)[0].cwiseAbs().maxCoeff();
  EXPECT_GT(most, 0.1);
  EXPECT_LT(baked_weights(soft, 0)[0].cwiseAbs().maxCoeff(), 0.5 * most);
  // Only departures are limited; the pear stays upright, so little hangs.
  EXPECT_LT(baked_weights(held, 0)[0].cwiseAbs().maxCoeff(), 0.5 * most);
}

TEST_F(Live, mistakes_are_told) {
  const auto fault = [&](const std::string& more) {
    try {
      built(config(more));
    } catch (const InputError& e) {
      return e.fault();
    }
    return std::string();
  };
  EXPECT_NE(fault("[[live.part]]\nname = \"x\"\nregion = \"nowhere\"\n").find("no soft region"), std::string::npos);
  EXPECT_NE(fault("[[live.part]]\nname = \"x\"\nbone = \"hipz\"\n").find("no bone"), std::string::npos);
  EXPECT_NE(fault("[[live.part]]\nname = \"x\"\nshape = \"box\"\n").find("centre"), std::string::npos);
  EXPECT_NE(fault("[[live.part]]\nname = \"x\"\nshape = \"box\"\ncentre = [9, 9, 9]\nsize = [1, 1, 1]\n")
                .find("no soft flesh"),
            std::string::npos);
  EXPECT_NE(fault("[[live.part]]\nname = \"x\"\nshape = \"box\"\ncentre = [0, 0, 0]\nsize = [2, 0.4, 2]\n"
                  "[[live.part]]\nname = \"x\"\n")
                .find("two live parts"),
            std::string::npos);
  EXPECT_NE(fault("[live]\nmodes = 0\n"), "");
  EXPECT_NE(fault("[live]\ndeliver = [\"films\"]\n"), "");
  EXPECT_NE(fault("[live]\nclips = [\"nothing\"]\n"), "");
  EXPECT_THROW(live_scene((dir_ / "none.glb").string(), {}), InputError);
  const std::string bar = write_example("bar", (dir_ / "bar").string());
  EXPECT_THROW(live_scene(bar, {}), InputError);
}

TEST_F(Live, files_of_all_kinds_are_written_and_not_overwritten) {
  LiveOptions options;
  options.directory = (dir_ / "out").string();
  const SceneConfig c =
      live_scene(scene("[live]\ndeliver = [\"live\", \"baked\", \"bones\", \"springs\"]\nclips = [\"hop\"]\n"), {});
  const LiveResult made = make_live(c, options);
  for (const char* name : {"pear.live.glb", "pear.live.json", "pear.live", "pear.live.html", "pear.baked.glb",
                           "pear.bones.glb", "pear.springs.glb", "report.json", "scene.toml"})
    EXPECT_GT(fs::file_size(dir_ / "out" / name), 100u) << name;
  const LiveBlock side = read_live((dir_ / "out" / "pear.live.json").string());
  const LiveBlock inside = read_live((dir_ / "out" / "pear.live.glb").string());
  EXPECT_EQ(live_json(side, "a"), live_json(inside, "a"));
  EXPECT_THROW(make_live(c, options), InputError);
  options.overwrite = true;
  EXPECT_NO_THROW(make_live(c, options));
  // The scene beside it makes the same pack.
  EXPECT_NO_THROW(live_scene((dir_ / "out" / "scene.toml").string(), {}));
}

TEST_F(Live, dials_of_the_scene_are_where_the_pack_starts) {
  const LiveBuild plain = built(config());
  SceneConfig c = config("[controls]\nfrequency = 2\namplitude = 0.5\n");
  LiveOptions options;
  options.directory = (dir_ / "out").string();
  make_live(c, options);
  const LiveBlock block = read_live((dir_ / "out" / "pear.live.json").string());
  EXPECT_EQ(block.pack.parts[0].dials.frequency, 2);
  EXPECT_EQ(block.pack.parts[0].dials.amplitude, 0.5);
  EXPECT_NEAR(block.pack.parts[0].modes[0].frequency_hz, plain.pack.parts[0].modes[0].frequency_hz, 1e-6);
  // Absolute ones as ratios to the slowest mode.
  const LiveBuild absolute = built(config("[controls]\nfrequency_hz = 5\nhalf_life_s = 0.1\nsag_m = 0.02\n"));
  const LivePart& part = absolute.pack.parts[0];
  double slowest = 1e9, decay = 0;
  for (const LiveMode& m : part.modes)
    if (m.frequency_hz < slowest) slowest = m.frequency_hz, decay = m.decay;
  EXPECT_NEAR(part.dials.frequency * slowest, 5, 1e-9);
  EXPECT_NEAR(std::numbers::ln2 / decay * part.dials.half_life, 0.1, 1e-9);
  EXPECT_NE(absolute.warnings.back().find("sag_m"), std::string::npos);
}

}  // namespace
}  // namespace supple
