#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "supple/base/error.h"
#include "supple/demos/gallery/pear.h"
#include "supple/io/gltf/gltf_write.h"
#include "supple/pipeline/character/character_subject.h"
#include "supple/pipeline/job/job.h"
#include "supple/pipeline/takes/look_file.h"
#include "supple/scene/looks.h"
#include "supple/scene/read_scene.h"
#include "tests/scene/shared_stages.h"

namespace supple {

using namespace demos;
using namespace pipeline;
namespace {

class Looks : public SharedStages {
 protected:
  void SetUp() override {
    SharedStages::SetUp();
    write_gltf(path("pear.glb"), make_pear({.rings = 16, .segments = 12}), {.colors = pear_colors()});
  }
  SceneConfig pear(std::vector<std::string> set = {}) const {
    set.push_back("tets.count=1200");
    return load_character_scene(path("pear.glb"), set);
  }
};

TEST_F(Looks, are_dials_beside_the_flesh_without_one) {
  const Job plain = build_job(pear(), false);
  for (const Look& l : looks()) {
    const Job job = build_job(pear({std::string("material.look=") + l.name}), false);
    EXPECT_NEAR(job.body->adjusted.frequency_hz / plain.body->adjusted.frequency_hz, l.ratios.frequency, 1e-6)
        << l.name;
    EXPECT_NEAR(job.body->adjusted.half_life_s / plain.body->adjusted.half_life_s, l.ratios.half_life,
                0.02 * l.ratios.half_life);
    EXPECT_NEAR(job.body->adjusted.sag_m, plain.body->adjusted.sag_m, 1e-6 * plain.body->adjusted.sag_m);
    // Amplitude dial, and epsilon follows chi for short pushes.
    EXPECT_NEAR(job.body->scalings.epsilon, l.ratios.amplitude * l.ratios.frequency, 1e-9);
  }
  // Dials turn on top.
  const Job both = build_job(pear({"material.look=jelly", "controls.frequency=2"}), false);
  EXPECT_NEAR(both.body->adjusted.frequency_hz / plain.body->adjusted.frequency_hz, 2 * look_ratios("jelly").frequency,
              1e-6);
  EXPECT_THROW(look_ratios("glue"), InputError);
}

TEST_F(Looks, are_the_same_at_any_scale) {
  // In its own periods; flesh that is slow and large stands sooner than that, after a third of a second at most.
  for (const auto& [height, clip] : {std::pair("0.3", "hop"), {"0.3", "twist"}, {"1.5", "hop"}}) {
    const Job job = build_job(
        pear({"material.look=jelly", fmt::format("surface.height={}", height), fmt::format("surface.clip={}", clip)}),
        false);
    const PartNumbers& part = job.body->parts[0];
    const double plain = std::min(kUsualPeriods, 0.35 * part.baseline.frequency_hz);
    EXPECT_NEAR(part.adjusted.half_life_s * part.adjusted.frequency_hz, 3.5 * plain / kUsualPeriods, 0.1) << height;
  }
}

TEST_F(Looks, a_saved_look_has_ratios_only_and_comes_back) {
  const std::string bone = build_job(pear(), false).subject->character()->setup().flesh.regions[0].name;
  SceneConfig scene = pear({"controls.amplitude=1.4"});
  RegionConfig r;
  r.name = "soft part", r.bones = {bone};
  r.frequency_hz = 3, r.half_life_s = 0.4, r.limit_m = 0.02;
  scene.regions = {r};
  const Job job = build_job(scene, false);
  const auto part = std::find_if(job.body->parts.begin(), job.body->parts.end(),
                                 [](const PartNumbers& p) { return p.name.rfind("soft part", 0) == 0; });
  ASSERT_NE(part, job.body->parts.end());
  const SceneConfig look = look_of(scene);
  ASSERT_EQ(look.regions.size(), 1u);
  EXPECT_FALSE(look.regions[0].frequency_hz || look.regions[0].half_life_s);
  EXPECT_NEAR(*look.regions[0].frequency, 3 / part->baseline.frequency_hz, 1e-9);
  EXPECT_NEAR(*look.regions[0].half_life, 0.4 / part->baseline.half_life_s, 1e-9);
  EXPECT_EQ(look.controls.amplitude, 1.4);
  save_look(look, path("look.toml"));

  const AppliedLook applied = apply_look(load_look(path("look.toml")), pear());
  ASSERT_EQ(applied.matches.size(), 1u);
  EXPECT_TRUE(applied.matches[0].used);
  EXPECT_EQ(std::count(applied.matches[0].bones.begin(), applied.matches[0].bones.end(), bone), 1);
  ASSERT_EQ(applied.scene.regions.size(), 1u);
  EXPECT_NEAR(*applied.scene.regions[0].limit_m, 0.02, 1e-6);
  EXPECT_EQ(applied.scene.controls.amplitude, 1.4);
}

TEST_F(Looks, names_of_bones_need_not_be_the_same_to_the_letter) {
  const std::string bone = build_job(pear(), false).subject->character()->setup().flesh.regions[0].name;
  SceneConfig look;
  RegionConfig near, nobody;
  std::string loud = "rig:" + bone;
  for (char& c : loud) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  near.name = "near", near.bones = {loud}, near.frequency = 0.5;
  nobody.name = "nobody", nobody.bones = {"Rotor.L"}, nobody.frequency = 0.5;
  look.regions = {near, nobody};
  const AppliedLook applied = apply_look(look, pear());
  ASSERT_EQ(applied.matches.size(), 2u);
  EXPECT_TRUE(applied.matches[0].used);
  EXPECT_FALSE(applied.matches[1].used);
  EXPECT_EQ(applied.matches[1].missing, std::vector<std::string>{"Rotor.L"});
  EXPECT_EQ(applied.scene.regions.size(), 1u);
}

TEST_F(Looks, what_is_no_look_is_refused) {
  EXPECT_THROW(look_of(pear()), InputError);
  write("bad.toml", "[surface]\nfile = \"x.glb\"\n");
  EXPECT_THROW(load_look(path("bad.toml")), InputError);
  write("typo.toml", "[controls]\nfrequencie = 2\n");
  EXPECT_THROW(load_look(path("typo.toml")), InputError);
}

}  // namespace
}  // namespace supple
