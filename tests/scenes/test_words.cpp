// Words on the command line: places on a character, names with any letters, files without clips, and the table of
// options in docs/guide/commands.md.
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "supple/demos/gallery/pear.h"
#include "supple/io/gltf/gltf_read.h"
#include "supple/io/gltf/gltf_write.h"
#include "tests/scene/scene_files.h"

namespace supple {

using namespace demos;
namespace {

class Words : public SceneFiles {
 protected:
  struct Outcome {
    int status = -1;
    std::string out, err;
  };
  Outcome run(const std::string& arguments) const {
    const std::string out = folder_.string() + ".out", err = folder_.string() + ".err";
    const int code = std::system(("cd '" + folder_.string() + "' && SUPPLE_CACHE='" + path("cache") +
                                  "' '" SUPPLE_PROGRAM "' " + arguments + " >'" + out + "' 2>'" + err + "' </dev/null")
                                     .c_str());
    Outcome outcome{WIFEXITED(code) ? WEXITSTATUS(code) : -1, read(out), read(err)};
    std::filesystem::remove(out);
    std::filesystem::remove(err);
    return outcome;
  }
  void write_pear(bool clips = true) const {
    Character pear = make_pear({.rings = 14, .segments = 12});
    if (!clips) pear.clips.clear();
    for (CharacterMesh& mesh : pear.meshes)
      for (Primitive& p : mesh.primitives) p.maps["_SOFT"].assign(p.positions.size(), 1);
    write_gltf(path("pear.glb"), pear, {.colors = pear_colors()});
  }
  // So few that a run takes a second.
  const std::string quick_ = " --set tets.count=700 --set timeline.range=[0,3] --set output.report=false ";
};

TEST_F(Words, regions_are_listed_with_numbers_and_a_picture) {
  write_pear();
  const Outcome o = run("regions pear.glb --set tets.count=700 -o pear.svg --json");
  ASSERT_EQ(o.status, 0) << o.err;
  const auto json = nlohmann::json::parse(o.out);
  std::set<std::string> kinds;
  bool belly = false;
  for (const auto& place : json["places"]) {
    kinds.insert(place["kind"]);
    belly = belly || place["name"] == "belly";
    EXPECT_GT(place["vertices"], 0) << place;
    EXPECT_GT(place["thickness_m"], 0) << place;
    if (place.contains("frequency_hz")) {
      EXPECT_GT(place["frequency_hz"], 0.3) << place;
      EXPECT_LT(place["frequency_hz"], 30) << place;
    }
  }
  EXPECT_TRUE(belly) << o.out;
  EXPECT_TRUE(kinds.count("flesh"));
  EXPECT_TRUE(json["places"][0].contains("frequency_hz"));
  const std::string svg = read(path("pear.svg"));
  for (const auto& place : json["places"]) {
    if (place["kind"] == "flesh") {
      EXPECT_NE(svg.find(">" + place["name"].get<std::string>() + "</text>"), std::string::npos);
    }
  }
  const Outcome again = run("regions pear.glb --set tets.count=700 -o pear.svg");
  EXPECT_EQ(again.status, 2);
  EXPECT_NE(again.err.find("is there already"), std::string::npos);
  EXPECT_EQ(run("regions nothing.obj").status, 2);
}

TEST_F(Words, wrong_words_end_with_2_and_the_nearest_before_anything_is_written) {
  write_pear();
  struct Case {
    const char* arguments;
    const char* said;
  };
  for (const Case& c :
       {Case{"--only bely", "Did you mean belly"}, Case{"--hold 'Tail*'", "nothing of the character"},
        Case{"--only tail", "the shape of this body shows no tail"},
        Case{"--region bely:amplitude=2", "Did you mean belly"},
        Case{"--region belly:amplitud=2", "Did you mean amplitude?"}, Case{"--region belly", "NAME:key=value"},
        Case{"--region :amplitude=2", "NAME:key=value"}, Case{"--region belly:amplitude", "NAME:key=value"},
        Case{"--soft COLOR_0.r", "its maps are: _SOFT"}, Case{"--soft _SFOT", "Did you mean _SOFT?"}}) {
    const Outcome o = run("run pear.glb -o soft.glb" + quick_ + c.arguments);
    EXPECT_EQ(o.status, 2) << c.arguments << "\n" << o.err;
    EXPECT_NE(o.err.find(c.said), std::string::npos) << c.arguments << "\n" << o.err;
    EXPECT_FALSE(std::filesystem::exists(path("soft.glb"))) << c.arguments;
    EXPECT_FALSE(std::filesystem::exists(path("takes"))) << c.arguments;
  }
}

TEST_F(Words, what_is_said_of_places_is_in_the_scene_and_done) {
  write_pear();
  const Outcome o =
      run("run pear.glb -o soft.glb --take t --soft _SOFT --region belly:amplitude=2,frequency=.7" + quick_);
  ASSERT_EQ(o.status, 0) << o.err;
  const std::string scene = read(path("t/scene.toml"));
  for (const char* line : {"soft = \"_SOFT\"", "name = \"belly\"", "amplitude = 2", "frequency = 0.7"})
    EXPECT_NE(scene.find(line), std::string::npos) << line << "\n" << scene;
  // The scene of the take says the same again.
  EXPECT_EQ(run("simulate t/scene.toml -o again --set timeline.range=[0,1] --set output.report=false").status, 0);
}

TEST_F(Words, a_file_without_clips_plays_a_test_motion) {
  write_pear(false);
  const Outcome o = run("run pear.glb -o soft.glb --take t" + quick_);
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.err.find("it plays the test motion 'hop'"), std::string::npos) << o.err;
  const Character c = read_gltf(path("soft.glb"));
  ASSERT_EQ(c.clips.size(), 1u);
  EXPECT_EQ(c.clips[0].name, "hop.soft");
  // It goes up and down as a whole, and its flesh by weights.
  bool moves = false, weighs = false;
  for (const Channel& channel : c.clips[0].channels) {
    moves = moves || channel.path == ChannelPath::translation;
    weighs = weighs || channel.path == ChannelPath::weights;
  }
  EXPECT_TRUE(moves);
  EXPECT_TRUE(weighs);
  const Outcome wrong = run("run pear.glb -o other.glb --clip Walk" + quick_);
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.err.find("hop, stop, twist, lean, shake"), std::string::npos) << wrong.err;
}

std::set<std::string> options_in(const std::string& text, const std::string& pattern) {
  std::set<std::string> names;
  const std::regex option(pattern);
  for (std::sregex_iterator it(text.begin(), text.end(), option), end; it != end; ++it) names.insert((*it)[1]);
  return names;
}

// docs/guide/commands.md has a table for each of these commands: the options that --help lists, no more and no fewer.
TEST_F(Words, every_option_is_in_the_table_of_the_guide) {
  const std::string page = read(std::string(SUPPLE_SOURCE_DIR) + "/docs/guide/commands.md");
  for (const std::string command : {"run", "regions", "finish", "compare", "look save", "look apply"}) {
    const size_t at = page.find("<!-- options: " + command + " -->");
    ASSERT_NE(at, std::string::npos) << "docs/guide/commands.md has no table for " << command;
    const size_t rows = page.find("\n|", at);
    const std::string table = page.substr(rows, page.find("\n\n", rows) - rows);
    std::set<std::string> told;
    for (const std::string& cell : options_in(table, "\n\\| (`[^|]*`) \\|"))
      for (const std::string& name : options_in(cell, "(--[a-z-]+)")) told.insert(name);
    std::set<std::string> known = options_in(run(command + " --help").out, "\n +(?:-\\w, *)?(?:-\\w,)*(--[a-z-]+)");
    for (const char* everywhere : {"--help", "--json", "--quiet", "--threads", "--no-cache", "--allow-read"})
      known.erase(everywhere);
    EXPECT_FALSE(known.empty()) << command;
    EXPECT_EQ(told, known) << "docs/guide/commands.md, the table of " << command;
  }
}

}  // namespace
}  // namespace supple
