// Places on characters whose bones have made-up names, and looks taken from one to another.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "supple/attach/body_words.h"
#include "supple/io/gltf/gltf_write.h"
#include "supple/pipeline/character/character.h"
#include "supple/pipeline/takes/look_file.h"
#include "supple/scene/read_scene.h"
#include "tests/cast/cast.h"

namespace supple::cast {
namespace {

using namespace pipeline;

class Places : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("supple_places_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  SceneConfig scene(const std::string& name, const Character& character) const {
    const std::string file = (folder_ / (name + ".glb")).string();
    if (!std::filesystem::exists(file)) write_gltf(file, character, {});
    return load_character_scene(file, {"tets.preset=preview"});
  }
  std::filesystem::path folder_;
};

std::set<std::string> words_of(const SceneConfig& scene) {
  const auto c = set_up_character(scene, "");
  pipeline::Places places = places_of(scene, *c);
  std::set<std::string> words;
  for (const BodyWord& w : body_words()) {
    const std::vector<char> on = skin_of({&w}, places.plan());
    if (std::find(on.begin(), on.end(), 1) != on.end()) words.insert(w.word);
  }
  return words;
}

bool has(const std::set<std::string>& words, std::initializer_list<const char*> some) {
  return std::all_of(some.begin(), some.end(), [&](const char* w) { return words.count(w) > 0; });
}

TEST_F(Places, WordsApplyWhereTheBodyHasThem) {
  const std::set<std::string> four = words_of(scene("quadruped", make_quadruped()));
  EXPECT_TRUE(has(four, {"belly", "back", "tail", "ears", "forelegs", "hind legs", "thighs", "head"}));
  EXPECT_FALSE(has(four, {"arms"}));
  const std::set<std::string> two = words_of(scene("walker", make_walker()));
  EXPECT_TRUE(has(two, {"belly", "buttocks", "breasts", "thighs", "upper arms", "calves", "head"}));
  EXPECT_EQ(two.count("tail") + two.count("ears") + two.count("forelegs"), 0u);
}

// From the walker to the fighter, whose bones are called otherwise: the belly is the belly.
TEST_F(Places, ALookLandsOnTheSameFleshOfAnotherCharacter) {
  SceneConfig from = scene("walker", make_walker());
  RegionConfig belly, thigh;
  belly.name = "belly", belly.amplitude = 1.7;
  thigh.name = "one side", thigh.bones = {"thigh.L"}, thigh.mirror = true, thigh.frequency = 0.8;
  from.regions = {belly, thigh};
  const SceneConfig look = look_of(from);
  ASSERT_EQ(look.regions.size(), 2u);
  for (const RegionConfig& r : look.regions) {
    EXPECT_TRUE(r.bones.empty()) << r.name;
    EXPECT_FALSE(r.place.empty()) << r.name;
  }
  const std::string file = (folder_ / "look.toml").string();
  save_look(look, file);

  const AppliedLook applied = apply_look(load_look(file), scene("fighter", make_fighter()));
  ASSERT_EQ(applied.matches.size(), 2u);
  const auto c = set_up_character(applied.scene, "");
  pipeline::Places places = places_of(applied.scene, *c);
  const auto overlap = [&](const std::string& region, const std::string& word) {
    const std::vector<char> there = skin_of(*said_word(word), places.plan());
    double both = 0, either = 0;
    for (const NamedRegion& n : places.regions())
      for (size_t i = 0; i < there.size() && n.name == region; ++i)
        both += n.on_skin[i] && there[i], either += n.on_skin[i] || there[i];
    return either > 0 ? both / either : 0;
  };
  EXPECT_GT(overlap("belly", "belly"), 0.7);
  EXPECT_GT(overlap("one side", "thigh.L"), 0.7);
  EXPECT_GT(overlap("one side.other", "thigh.R"), 0.7);
  EXPECT_EQ(overlap("one side", "thigh.R"), 0);
  EXPECT_EQ(applied.scene.regions[0].amplitude, 1.7);
  EXPECT_GT(applied.matches[0].soft, 0);
}

}  // namespace
}  // namespace supple::cast
