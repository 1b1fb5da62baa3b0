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

// A region with a frequency and a half-life of its own: the mode of the finished model, about the shape it hangs in,
// that has most of its energy there has them, whatever the flesh around it does.
TEST_F(RegionScene, a_region_has_what_it_was_asked_for_although_it_touches_others) {
  SceneConfig config = scene({"surface.clip=hop"});
  const Job plain = build_job(config, false);
  RegionConfig a;
  a.name = "belly", a.bones = {"hips"};
  a.frequency_hz = 1.3 * plain.body->baseline.frequency_hz;
  a.half_life_s = 0.3;
  config.regions = {a};
  const Job job = build_job(config, false);
  const Modes modes = natural_modes(*job.body->model, 60, "auto", job.body->hanging);
  ASSERT_TRUE(modes.ok);
  for (const RegionConfig* r : {&a}) {
    double found = 0, loss = 0;
    for (Eigen::Index m = 0; m < modes.frequencies_hz.size() && found == 0; ++m) {
      double here = 0, total = 0;
      for (const PartNumbers& p : job.body->parts)
        for (int v : p.vertices) {
          const double e =
              job.body->model->mass()->per_vertex()[v] * modes.shapes.col(m).segment<3>(3 * v).squaredNorm();
          total += e;
          if (p.name.rfind(r->name, 0) == 0) here += e;
        }
      if (here <= 0.5 * total) continue;
      found = modes.frequencies_hz[m];
      // How it rings among the other modes with every part damped as it is.
      const VecX squares = (2 * M_PI * modes.frequencies_hz).cwiseAbs2();
      loss = 2 * pole_of(poles(squares, damping_matrix(*job.body->model, modes.shapes, job.body->hanging)), m).decay();
    }
    EXPECT_NEAR(found, *r->frequency_hz, 0.02 * *r->frequency_hz) << r->name;
    // The integrator damps too; what is left to the material is the damping that was chosen for one mode alone.
    const auto part = std::find_if(job.body->parts.begin(), job.body->parts.end(),
                                   [&](const PartNumbers& p) { return p.name == r->name; });
    ASSERT_NE(part, job.body->parts.end());
    const double felt = job.body->fields.part_felt[static_cast<size_t>(part - job.body->parts.begin())];
    EXPECT_NEAR(loss, felt * std::pow(2 * M_PI * found, 2), 0.02 * loss);
    EXPECT_NE(part->adjusted_damping, felt);
    EXPECT_NEAR(part->adjusted.half_life_s, 0.3, 0.01);
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
  r.name = "here", r.bones = {plain.subject->character()->setup().flesh.regions[0].name};
  const auto free_in = [](const Job& job) {
    int n = 0;
    for (const FleshRegion& f : job.subject->character()->setup().flesh.regions)
      if (f.name == "here") n += f.n_free;
    return n;
  };
  config.regions = {r};
  const int usual = free_in(build_job(config, false));
  ASSERT_GT(usual, 0);
  // The only flesh there is: without it nothing is left to simulate.
  config.regions[0].soft = 0;
  EXPECT_THROW(build_job(config, false), InputError);
  config.regions[0].soft = 1;
  EXPECT_GE(free_in(build_job(config, false)), usual);
}

}  // namespace
}  // namespace supple
