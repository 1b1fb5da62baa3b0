// Regions and tets of a character: what was asked of each is there, whatever the tets.
#include <algorithm>
#include <cmath>

#include "supple/demos/gallery/pear.h"
#include "supple/io/gltf/gltf_write.h"
#include "supple/pipeline/character/character_subject.h"
#include "supple/pipeline/run/run.h"
#include "supple/pipeline/run/run_character.h"
#include "supple/scene/read_scene.h"
#include "supple/scene/write_scene.h"
#include "supple/sim/damped_modes.h"
#include "tests/scene/shared_stages.h"

namespace supple {

using namespace demos;
using namespace pipeline;
namespace {

class RegionScene : public SharedStages {
 protected:
  void SetUp() override {
    SharedStages::SetUp();
    write_gltf(path("pear.glb"), make_pear({.rings = 20, .segments = 16}), {.colors = pear_colors()});
  }
  SceneConfig scene(std::vector<std::string> set = {}) const {
    if (std::none_of(set.begin(), set.end(), [](const std::string& s) { return s.rfind("tets.", 0) == 0; }))
      set.push_back("tets.count=1500");
    return load_character_scene(path("pear.glb"), set);
  }
};

// A region with a frequency and a half-life of its own has them where all else is held, and what is asked of nothing
// keeps what it has in the scene without dials.
TEST_F(RegionScene, a_region_has_what_it_was_asked_for_although_it_touches_others) {
  SceneConfig config = scene({"surface.clip=hop"});
  const Job plain = build_job(config, false);
  RegionConfig a;
  a.name = "belly", a.bones = {"hips"};
  a.frequency_hz = 1.1 * plain.body->baseline.frequency_hz;
  a.half_life_s = 0.3;
  config.regions = {a};
  const Job job = build_job(config, false);
  ASSERT_GT(job.body->parts.size(), 1u);
  const auto held = [](const Model& model, const std::vector<int>& part) {
    ModelSpec spec = model.spec();
    spec.driven.clear();
    for (int v = 0; v < model.n_vertices(); ++v)
      if (!std::binary_search(part.begin(), part.end(), v)) spec.driven.push_back(v);
    return Model(std::move(spec));
  };
  for (const PartNumbers& p : job.body->parts) {
    const Model here = held(*job.body->model, p.vertices), before = held(*plain.body->model, p.vertices);
    const Modes now = natural_modes(here, 1), was = natural_modes(before, 1);
    ASSERT_TRUE(now.ok && was.ok);
    const bool asked = p.name == "belly";
    EXPECT_NEAR(now.frequencies_hz[0], asked ? *a.frequency_hz : was.frequencies_hz[0], 0.01 * now.frequencies_hz[0])
        << p.name;
    // Of one swing alone: half-life = 2 ln 2 / its damping.
    const double loss = damping_matrix(here, now.shapes)(0, 0), lost = damping_matrix(before, was.shapes)(0, 0);
    if (asked) {
      EXPECT_NEAR(p.adjusted.half_life_s, 0.3, 0.01);
      EXPECT_NEAR(2 * std::log(2.0) / loss, 0.3, 0.02);  // the integrator damps a little too
    } else {
      EXPECT_NEAR(loss, lost, 0.03 * lost) << p.name;
    }
  }
}

// The same flesh in few tets and in many: frequency, sag and half-life stay.
TEST_F(RegionScene, tets_do_not_decide_the_look) {
  const Job few = build_job(scene({"surface.clip=hop", "tets.preset=preview"}), false);
  const Job many = build_job(scene({"surface.clip=hop", "tets.preset=final"}), false);
  ASSERT_LT(few.body->base.mesh.n_tets(), 0.5 * many.body->base.mesh.n_tets());
  EXPECT_NEAR(few.body->baseline.frequency_hz / many.body->baseline.frequency_hz, 1, 0.05);
  EXPECT_NEAR(few.body->baseline.half_life_s / many.body->baseline.half_life_s, 1, 0.05);
  EXPECT_NEAR(few.body->baseline.sag_m / many.body->baseline.sag_m, 1, 0.25);
  // And what was chosen is the same to the bit: it comes from one cage.
  ASSERT_EQ(few.body->flesh.size(), many.body->flesh.size());
  for (size_t k = 0; k < few.body->flesh.size(); ++k) {
    EXPECT_EQ(few.body->flesh[k].bone, many.body->flesh[k].bone);
    EXPECT_EQ(few.body->flesh[k].frequency_hz, many.body->flesh[k].frequency_hz);
    EXPECT_EQ(few.body->flesh[k].inertia, many.body->flesh[k].inertia);
  }
}

// As a scene stores it, flesh comes back as it was.
TEST_F(RegionScene, flesh_that_a_scene_states_is_used) {
  SceneConfig config = scene({"surface.clip=hop"});
  const Job chosen = build_job(config, false);
  config.flesh = chosen.body->flesh;
  write("scene.toml", to_toml(config, path(".")));
  const SceneConfig again = load_scene(path("scene.toml"));
  ASSERT_EQ(again.flesh.size(), chosen.body->flesh.size());
  const Job stated = build_job(again, false);
  EXPECT_EQ(stated.body->inertia, chosen.body->inertia);
  EXPECT_NEAR(stated.body->baseline.frequency_hz, chosen.body->baseline.frequency_hz,
              0.01 * chosen.body->baseline.frequency_hz);
  SceneConfig faster = again;
  for (FleshConfig& f : faster.flesh) f.frequency_hz = 1.5 * *f.frequency_hz, f.inertia = 2;
  const Job changed = build_job(faster, false);
  EXPECT_NEAR(changed.body->baseline.frequency_hz, 1.5 * chosen.body->baseline.frequency_hz,
              0.05 * chosen.body->baseline.frequency_hz);
  EXPECT_NEAR(changed.body->inertia.maxCoeff(), 2, 1e-9);
}

// soft = 0 makes flesh follow, to the bit; soft = 1 makes what followed flesh.
TEST_F(RegionScene, soft_says_what_is_flesh) {
  SceneConfig config = scene({"surface.clip=hop"});
  const Job plain = build_job(config, false);
  RegionConfig r;
  r.name = "here", r.bones = {"*"};
  const auto free_in = [](const Job& job) {
    int n = 0;
    for (const FleshRegion& f : job.subject->character()->setup().flesh.regions)
      if (f.name == "here") n += f.n_free;
    return n;
  };
  config.regions = {r};
  const int usual = free_in(build_job(config, false));
  ASSERT_GT(usual, 0);
  // Without any flesh nothing is left to simulate.
  config.regions[0].soft = 0;
  EXPECT_THROW(build_job(config, false), InputError);
  config.regions[0].soft = 1;
  EXPECT_GE(free_in(build_job(config, false)), usual);
}

}  // namespace
}  // namespace supple
