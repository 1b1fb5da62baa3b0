// One flesh for a file, whatever of it is asked for and in whatever tets.
#include "supple/pipeline/character/flesh_plan.h"

#include <gtest/gtest.h>

#include <cmath>

#include "supple/attach/reach.h"
#include "supple/base/parallel.h"
#include "supple/demos/gallery/pear.h"
#include "supple/io/gltf/gltf_write.h"
#include "supple/mesh/tet_mesh.h"
#include "supple/pipeline/setup/stage_cache.h"
#include "supple/scene/looks.h"
#include "supple/scene/read_scene.h"
#include "tests/scene/scene_files.h"

namespace supple::pipeline {
namespace {

class FleshPlans : public SceneFiles {
 protected:
  void SetUp() override {
    SceneFiles::SetUp();
    write_gltf(path("pear.glb"), demos::make_pear({.rings = 20, .segments = 16}), {.colors = demos::pear_colors()});
  }
  FleshPlan planned(const std::vector<std::string>& set = {}) const {
    const SceneConfig scene = load_character_scene(path("pear.glb"), set);
    return plan_flesh(scene, *set_up_character(scene, scene.surface.clip));
  }
  static void expect_same(const FleshPlan& a, const FleshPlan& b) {
    ASSERT_EQ(a.flesh.size(), b.flesh.size());
    for (size_t k = 0; k < a.flesh.size(); ++k) {
      EXPECT_EQ(a.flesh[k].bone, b.flesh[k].bone);
      EXPECT_EQ(a.flesh[k].frequency_hz, b.flesh[k].frequency_hz) << a.flesh[k].bone;
      EXPECT_EQ(a.flesh[k].half_life_s, b.flesh[k].half_life_s) << a.flesh[k].bone;
      EXPECT_EQ(a.flesh[k].swing, b.flesh[k].swing) << a.flesh[k].bone;
    }
    ASSERT_EQ(a.clips.size(), b.clips.size());
    for (size_t k = 0; k < a.clips.size(); ++k) EXPECT_EQ(a.clips[k].swing99, b.clips[k].swing99);
  }
};

TEST_F(FleshPlans, are_the_same_for_any_clip_tets_dials_threads_and_cache) {
  set_thread_count(1);
  const FleshPlan plain = planned({"tets.preset=preview"});
  set_thread_count(2);
  ASSERT_FALSE(plain.flesh.empty());
  ASSERT_EQ(plain.clips.size(), 3u);
  expect_same(plain, planned({"tets.preset=preview", "surface.clip=twist"}));
  expect_same(plain, planned({"surface.clip=hold", "controls.amplitude=2", "timeline.fps=60"}));
  stage_cache().open(path("cache"));
  expect_same(plain, planned());
  const FleshPlan found = planned();
  EXPECT_TRUE(found.found);
  expect_same(plain, found);
  stage_cache().open("");
  set_thread_count(0);
}

TEST_F(FleshPlans, calm_where_the_clip_is_and_not_held_back_too_often) {
  const FleshPlan plan = planned({"tets.preset=preview"});
  const auto clip = [&](const std::string& name) {
    return *std::find_if(plan.clips.begin(), plan.clips.end(), [&](const auto& c) { return c.clip == name; });
  };
  EXPECT_LT(clip("hold").swing99, 1e-6);
  EXPECT_GT(clip("hop").swing99, 0.05);
  EXPECT_GT(clip("hop").farthest, 6.0 / 400);
  EXPECT_GT(clip("hop").swing99, clip("twist").swing99);
  for (const ClipForecast& c : plan.clips) EXPECT_LT(c.held, 0.1) << c.clip;
  for (const FleshConfig& f : plan.flesh) {
    EXPECT_GT(f.swing.value_or(0), 0) << f.bone;
    EXPECT_LE(*f.half_life_s * *f.frequency_hz, kUsualPeriods + 1e-9);
    EXPECT_LE(*f.half_life_s, 0.35);
  }
}

TEST_F(FleshPlans, twice_the_swing_is_twice_everywhere) {
  const FleshPlan plain = planned({"tets.preset=preview"});
  const FleshPlan more = planned({"tets.preset=preview", "material.swing=0.045"});
  ASSERT_EQ(plain.flesh.size(), more.flesh.size());
  for (size_t k = 0; k < plain.flesh.size(); ++k) {
    EXPECT_NEAR(*more.flesh[k].swing, 2 * *plain.flesh[k].swing, 1e-12);
    EXPECT_EQ(*more.flesh[k].frequency_hz, *plain.flesh[k].frequency_hz);
  }
}

TEST_F(FleshPlans, the_report_has_forecast_and_run_side_by_side) {
  const std::vector<ClipForecast> clips = {
      {.clip = "Run", .run = true, .swing99 = 0.2, .held = 0.01, .farthest = 0, .regions = {{"Hips", 0.1}}}};
  MotionCheck run;
  run.swing99 = 0.22, run.held_share = 0.02;
  run.regions = {{.name = "Hips", .n_seen = 9, .swing99 = 0.05}};
  const std::string text = forecast_json(clips, "Run", run).text(-1);
  EXPECT_NE(text.find("linear run"), std::string::npos) << text;
  EXPECT_NE(text.find("\"measured\":0.05,\"ratio\":0.5"), std::string::npos) << text;
  EXPECT_EQ(forecast_json(clips, "Walk", run).text(-1), "null");
}

TEST(HeldBack, the_same_below_its_knee_smooth_and_bounded) {
  for (const double x : {0.0, 0.3, 0.999, 1.0}) EXPECT_EQ(held_back(x, 1), x);
  const double h = 1e-6;
  for (const double x : {1.0, 1.2, 2.0}) {
    const double below = (held_back(x, 1) - held_back(x - h, 1)) / h,
                 above = (held_back(x + h, 1) - held_back(x, 1)) / h;
    EXPECT_NEAR(below, above, 1e-5) << x;
    EXPECT_GT(above, 0);
  }
  EXPECT_LT(held_back(1e9, 0.2), 0.3 + 1e-12);
  EXPECT_GT(held_back(0.5, 0.2), 0.29);
  EXPECT_EQ(held_back(7, 0), 7);
}

// A box with a bar that trails: its reach grows along the bar, and nowhere else.
TEST(Reach, grows_along_what_trails) {
  const TetMesh mesh = make_box(10, 1, 1, Vec3(1, 0.1, 0.1));
  Flesh flesh;
  flesh.half_thickness.assign(mesh.vertices.size(), 0.05);
  for (const Vec3& x : mesh.vertices) flesh.softness.push_back(x.x() > 0.55 ? 1 : 0);
  flesh.regions = {{.name = "body"}, {.name = "tail", .trailing = true}};
  for (const Tet& t : mesh.tets) {
    bool soft = false;
    for (int v : t) soft = soft || flesh.softness[v] > 0;
    flesh.region.push_back(soft ? 1 : -1);
  }
  const std::vector<double> reach = reach_of(mesh, flesh), way = distance_from_root(mesh, flesh);
  for (size_t v = 0; v < reach.size(); ++v) {
    const double x = mesh.vertices[v].x();
    if (x < 0.55) EXPECT_NEAR(reach[v], 0.1, 1e-12);
    if (x > 0.55) EXPECT_GT(way[v], x - 0.5 - 1e-9);
    if (x > 0.55) EXPECT_LT(way[v], x - 0.5 + 0.2);
    EXPECT_NEAR(reach[v], 0.1 + 2 * way[v], 1e-12);
  }
  flesh.regions[1].trailing = false;
  for (double r : reach_of(mesh, flesh)) EXPECT_NEAR(r, 0.1, 1e-12);
}

}  // namespace
}  // namespace supple::pipeline
