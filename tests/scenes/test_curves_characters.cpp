// Characters of others, where they are at hand: some joints are simulated, all others stay as they were to the bit.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "supple/anim/drawn.h"
#include "tests/scenes/curves_files.h"
#include "tests/support/curves_check.h"
#include "tests/support/tools.h"

namespace supple {

using namespace pipeline::curves;
namespace {

struct FreedCharacter {
  const char *file, *free, *clip;
};

class CurvesCharacters : public CurvesFiles {
 protected:
  static std::string data(const char* file) {
    return (std::filesystem::path(SUPPLE_SOURCE_DIR) / "../shared/data" / file).string();
  }
  CurvesOutcome simulate(const FreedCharacter& s, const std::string& name) const {
    const Settings set = {fmt::format("curves.free=[\"{}\"]", s.free),
                          fmt::format("surface.clip=\"{}\"", s.clip),
                          "tets.preset=preview",
                          "timeline.range=[2,8]",
                          "output.formats=[\"glb\",\"pc2\"]",
                          "output.report=false"};
    return make_curves(curves_scene(data(s.file), set), {.directory = path(name), .overwrite = true});
  }
  static bool is_free(const LayerResult& layer, const std::string& joint) {
    return std::any_of(layer.names.begin(), layer.names.end(),
                       [&](const std::string& n) { return n.starts_with(joint + ".rotation"); });
  }
};

const FreedCharacter kSubjects[] = {{"quaternius/Cow.glb", "Tail*", "AnimalArmature|Gallop"},
                                    {"quaternius/Horse.glb", "Neck*", "AnimalArmature|Gallop"},
                                    {"quaternius/Apatosaurus.glb", "Tail*", "Armature|Apatosaurus_Walk"},
                                    {"derived/heavy_man_cmu.glb", "LowerBack", "jump_hop"}};

TEST_F(CurvesCharacters, only_what_is_free_changes) {
  int there = 0;
  for (const FreedCharacter& s : kSubjects) {
    if (!std::filesystem::exists(data(s.file))) continue;
    ++there;
    const CurvesOutcome out = simulate(s, "run");
    const LayerResult& layer = out.result.layers[0];
    EXPECT_GT(layer.departure_rms_m, 1e-5) << s.file;
    EXPECT_TRUE(layer.curves.allFinite()) << s.file;
    const Character before = read_gltf(data(s.file)), after = read_gltf(path("run/surface.glb"));
    const Clip& old = find_clip(before, s.clip);
    const Clip& made = after.clips.back();
    ASSERT_EQ(made.name, std::string(s.clip) + " curves");
    std::map<std::pair<int, int>, const Channel*> was;
    for (const Channel& c : old.channels) was[{c.node, static_cast<int>(c.path)}] = &c;
    int changed = 0, same = 0;
    for (const Channel& c : made.channels) {
      const auto it = was.find({c.node, static_cast<int>(c.path)});
      if (c.path == ChannelPath::rotation && is_free(layer, after.nodes[static_cast<size_t>(c.node)].name)) {
        ++changed;
        continue;
      }
      ASSERT_NE(it, was.end()) << s.file;
      EXPECT_EQ(c.times, it->second->times) << s.file;
      EXPECT_EQ(c.values, it->second->values) << s.file;
      ++same;
    }
    EXPECT_EQ(3 * changed, static_cast<int>(layer.free.size())) << s.file;
    EXPECT_GE(same + changed, static_cast<int>(old.channels.size())) << s.file;
  }
  if (there == 0) GTEST_SKIP() << "none of the characters is at hand";
}

// In Blender the clip is an action with curves on the bones by name.
TEST_F(CurvesCharacters, blender_has_curves_to_edit) {
  const FreedCharacter& cow = kSubjects[0];
  if (!test::runs("blender --version")) GTEST_SKIP() << "blender is not on the PATH";
  if (!std::filesystem::exists(data(cow.file))) GTEST_SKIP() << "the cow is not at hand";
  const CurvesOutcome out = simulate(cow, "run");
  const Character after = read_gltf(path("run/surface.glb"));
  const Clip& made = after.clips.back();
  std::vector<CurveChannel> channels;
  std::vector<double> times;
  for (const Channel& c : made.channels) {
    if (c.path != ChannelPath::rotation) continue;
    if (!is_free(out.result.layers[0], after.nodes[static_cast<size_t>(c.node)].name)) continue;
    CurveChannel made_of;
    made_of.node = c.node, made_of.path = c.path, made_of.width = c.width;
    channels.push_back(made_of);
    times = c.times;
  }
  ASSERT_FALSE(channels.empty());
  write("expected.json",
        test::curves_expectation(after, made.name, channels, {times.front(), times.back()}, test::CurvesTolerance()));
  const std::string command = "blender -b --factory-startup --python-exit-code 2 --python '" SUPPLE_SOURCE_DIR
                              "/tests/blender/curves_check.py' -- '" +
                              data(cow.file) + "' '" + path("run/surface.glb") + "' '" + made.name + "' '" + cow.clip +
                              "' '" + path("expected.json") + "'";
  const int status = std::system((command + " > '" + path("blender.txt") + "' 2>&1").c_str());
  EXPECT_EQ(status, 0) << read(path("blender.txt"));
}

}  // namespace
}  // namespace supple
