// What files from elsewhere can make the built program read, start, write and print.
#include <sys/stat.h>
#include <sys/wait.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "supple/io/tets/tet_formats.h"
#include "tests/scene/scene_files.h"

namespace supple {
namespace {

namespace fs = std::filesystem;

class Trust : public SceneFiles {
 protected:
  void SetUp() override {
    SceneFiles::SetUp();
    for (const char* name : {"stranger", "elsewhere", "state"}) fs::create_directories(path(name));
    write_tet_mesh(path("elsewhere/body.msh"), make_box(2, 1, 1, Vec3(2, 1, 1)));
    write("stranger/scene.toml", scene_of("../elsewhere/body.msh"));
    option_ = "--allow-read=" + fs::canonical(path("elsewhere")).string();
  }
  struct Call {
    int status = -1;
    std::string out, err;
  };
  // In the folder of the test, with a state of its own. Nothing may wait for ever.
  Call call(const std::string& arguments, const std::string& environment = "") const {
    const int code = std::system(("cd '" + folder_.string() + "' && XDG_STATE_HOME='" + path("state") +
                                  "' SUPPLE_CACHE=off SUPPLE_STATE= SUPPLE_ALLOW_READ= " + environment +
                                  " timeout 600 '" SUPPLE_PROGRAM "' " + arguments + " >'" + path("out.txt") + "' 2>'" +
                                  path("err.txt") + "' </dev/null")
                                     .c_str());
    return {WIFEXITED(code) ? WEXITSTATUS(code) : -1, read(path("out.txt")), read(path("err.txt"))};
  }
  void forget() const { fs::remove_all(path("state/supple")); }
  void expect_refused(const std::string& arguments, const std::string& environment = "") const {
    const Call c = call(arguments, environment);
    EXPECT_EQ(c.status, 2) << arguments << c.out;
    EXPECT_NE(c.err.find("  If it may be read, say so: " + option_ + "\n"), std::string::npos) << arguments << c.err;
  }
  void expect_done(const std::string& arguments, const std::string& environment = "") const {
    const Call c = call(arguments, environment);
    EXPECT_EQ(c.status, 0) << arguments << "\n" << c.err;
  }
  static std::string scene_of(const std::string& tets, const std::string& more = "") {
    return "[tets]\nfile = \"" + tets +
           "\"\n[attach]\nvertices = [0, 1, 2, 3]\n[output]\nformats = []\nreport = false\n" + more;
  }

  std::string option_;
};

TEST_F(Trust, a_scene_reads_below_its_own_folder_and_what_is_allowed) {
  expect_refused("check stranger/scene.toml");
  EXPECT_NE(call("check stranger/scene.toml").err.find("stranger/scene.toml:2:8 (key tets.file): "), std::string::npos);
  expect_refused("analyze stranger/scene.toml");
  expect_refused("simulate stranger/scene.toml -o out");
  EXPECT_FALSE(fs::exists(path("out")));
  expect_done("check stranger/scene.toml --allow-read=elsewhere", "SUPPLE_STATE=off");
  expect_done("check stranger/scene.toml --allow-read=stranger --allow-read=elsewhere", "SUPPLE_STATE=off");
  expect_done("check stranger/scene.toml", "SUPPLE_STATE=off SUPPLE_ALLOW_READ=/nowhere:" + path("elsewhere"));
  expect_refused("check stranger/scene.toml --allow-read=stranger", "SUPPLE_STATE=off");
  EXPECT_EQ(call("check stranger/scene.toml --allow-read=nowhere").status, 2);
}

TEST_F(Trust, links_and_absolute_paths_lead_nowhere_else) {
  fs::create_symlink("../elsewhere/body.msh", path("stranger/linked.msh"));
  fs::create_directory_symlink("../elsewhere", path("stranger/folder"));
  fs::copy_file(path("elsewhere/body.msh"), path("stranger/own.msh"));
  fs::create_symlink("own.msh", path("stranger/beside.msh"));
  for (const std::string& name :
       {std::string("linked.msh"), std::string("folder/body.msh"), path("elsewhere/body.msh")}) {
    write("stranger/other.toml", scene_of(name));
    expect_refused("check stranger/other.toml");
  }
  write("stranger/other.toml", scene_of("beside.msh"));
  expect_done("check stranger/other.toml");
  // A folder whose name begins alike is another.
  fs::rename(path("elsewhere"), path("stranger2"));
  write("stranger/other.toml", scene_of("../stranger2/body.msh"));
  EXPECT_EQ(call("check stranger/other.toml").status, 2);
}

TEST_F(Trust, what_a_person_names_may_be_read_by_this_person) {
  expect_done("check stranger/scene.toml --set tets.file=elsewhere/body.msh", "SUPPLE_STATE=off");
  expect_refused("check stranger/scene.toml");
  expect_done("check elsewhere/body.msh");
  expect_done("check stranger/scene.toml");
  expect_refused("check stranger/scene.toml", "SUPPLE_STATE=off");
  struct stat named {};
  ASSERT_EQ(stat(path("state/supple/named").c_str(), &named), 0);
  EXPECT_EQ(named.st_mode & 0777, 0600u);
  forget();
  expect_refused("check stranger/scene.toml");
  expect_done("check stranger/scene.toml --set tets.file=elsewhere/body.msh");
  expect_done("check stranger/scene.toml");
}

TEST_F(Trust, the_list_of_what_was_named_is_bounded) {
  std::string many;
  for (int k = 0; k < 4096; ++k) many += "/nowhere/" + std::to_string(k) + "\n";
  write("state/supple/named", many);
  expect_done("check elsewhere/body.msh");
  const std::string after = read(path("state/supple/named"));
  EXPECT_EQ(std::count(after.begin(), after.end(), '\n'), 4096);
  EXPECT_NE(after.find("/elsewhere/body.msh\n"), std::string::npos);
  EXPECT_EQ(after.find("/nowhere/0\n"), std::string::npos);
}

TEST_F(Trust, the_scene_of_a_take_reads_what_its_run_read) {
  write("elsewhere/scene.toml", scene_of("body.msh", "[timeline]\nframes = 2\n"));
  expect_done("simulate elsewhere/scene.toml -o take");
  expect_done("check take/scene.toml");
  expect_done("finish take -o again --mix 0.5");
  expect_refused("check take/scene.toml", "SUPPLE_STATE=off");
  expect_refused("finish take -o third --mix 0.5", "SUPPLE_STATE=off");
  expect_done("finish take -o third --mix 0.5 --allow-read=elsewhere", "SUPPLE_STATE=off");
  const Call hinted = call("finish take -o fourth --mix 0.5 --allow-read=elsewhere", "SUPPLE_STATE=off");
  EXPECT_NE(hinted.out.find("supple compare take fourth " + option_ + "\n"), std::string::npos) << hinted.out;
  // A file of a take that is a link is not the take's.
  fs::rename(path("take/tets.pc2"), path("elsewhere/tets.pc2"));
  fs::create_symlink("../elsewhere/tets.pc2", path("take/tets.pc2"));
  expect_refused("finish take -o fifth --mix 0.5");
}

// A triangle whose positions are in a file of its own.
std::string gltf_triangle(const std::string& uri, const std::string& clip = "") {
  std::string animation;
  if (!clip.empty())
    animation = R"(, "animations": [{"name": )" + nlohmann::json(clip).dump(-1, ' ', true) +
                R"(, "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}],
                    "samplers": [{"input": 1, "output": 2}]}])";
  return R"({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
    "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
    "buffers": [{"uri": ")" +
         uri + R"(", "byteLength": 68}], "bufferViews": [{"buffer": 0, "byteLength": 68}],
    "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0,0,0], "max": [1,1,0]},
                  {"bufferView": 0, "byteOffset": 36, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0],
                   "max": [1]},
                  {"bufferView": 0, "byteOffset": 44, "componentType": 5126, "count": 2, "type": "VEC3"}])" +
         animation + "}";
}

std::string gltf_numbers() {
  const float numbers[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0};
  return {reinterpret_cast<const char*>(numbers), sizeof numbers};
}

TEST_F(Trust, a_gltf_reads_below_its_own_folder) {
  write("elsewhere/data.bin", gltf_numbers());
  write("stranger/data.bin", gltf_numbers());
  for (const char* uri : {"../elsewhere/data.bin", "..%2felsewhere/data.bin"}) {
    write("stranger/fox.gltf", gltf_triangle(uri));
    expect_refused("check stranger/fox.gltf");
    expect_refused("run stranger/fox.gltf --list-clips");
    expect_done("check stranger/fox.gltf --allow-read=elsewhere");
  }
  write("stranger/fox.gltf", gltf_triangle(path("elsewhere/data.bin")));
  EXPECT_EQ(call("check stranger/fox.gltf").status, 2);
  write("stranger/fox.gltf", gltf_triangle("data.bin"));
  expect_done("check stranger/fox.gltf");
}

TEST_F(Trust, pipes_and_devices_are_not_waited_for) {
  ASSERT_EQ(mkfifo(path("stranger/pipe.msh").c_str(), 0600), 0);
  ASSERT_EQ(mkfifo(path("stranger/pipe.toml").c_str(), 0600), 0);
  ASSERT_EQ(mkfifo(path("stranger/pipe.bin").c_str(), 0600), 0);
  write("stranger/other.toml", scene_of("pipe.msh"));
  write("stranger/fox.gltf", gltf_triangle("pipe.bin"));
  for (const char* call_of :
       {"check stranger/pipe.toml", "check stranger/pipe.msh", "check stranger/other.toml",
        "simulate stranger/other.toml -o out", "check stranger/fox.gltf", "simulate /dev/zero -o out"}) {
    const Call c = call(call_of);
    EXPECT_EQ(c.status, 2) << call_of;
    EXPECT_NE(c.err.find("a pipe, a socket or a device"), std::string::npos) << call_of << c.err;
  }
  // A scene that nobody can have written.
  write("stranger/huge.toml", "");
  fs::resize_file(path("stranger/huge.toml"), 17u << 20);
  EXPECT_NE(call("check stranger/huge.toml").err.find("larger than 16.78 MB"), std::string::npos);
}

TEST_F(Trust, no_command_starts_a_program_without_a_word) {
  write("stranger/rig.toml", "[curves]\nrig = \"touch started; exit 1\"\nfree = [\"*\"]\n");
  fs::create_directories(path("stranger/take"));
  fs::copy_file(path("stranger/rig.toml"), path("stranger/take/scene.toml"));
  write("stranger/look.toml", "[controls]\nfrequency = 2\n");
  const auto started = [&] { return fs::exists(path("stranger/started")) || fs::exists(path("started")); };
  expect_done("check stranger/rig.toml");
  for (const char* call_of :
       {"simulate stranger/rig.toml -o out", "curves stranger/rig.toml -o out", "curves stranger/rig.toml --list",
        "curves stranger/rig.toml --serve", "regions stranger/rig.toml", "regions stranger/take",
        "analyze stranger/rig.toml", "tune stranger/rig.toml -o out --frequency 2", "finish stranger/take -o out",
        "compare stranger/take stranger/take", "look save stranger/rig.toml",
        "look apply stranger/look.toml stranger/rig.toml", "live stranger/rig.toml -o out",
        "enrich stranger/rig.toml -o out", "check stranger/rig.toml --allow-run"}) {
    EXPECT_NE(call(call_of).status, 0) << call_of;
    EXPECT_FALSE(started()) << call_of;
  }
  EXPECT_NE(call("curves stranger/rig.toml --list").err.find("--allow-run"), std::string::npos);
  EXPECT_EQ(call("curves stranger/rig.toml --list --allow-run").status, 2);
  EXPECT_TRUE(started());
}

TEST_F(Trust, a_terminal_gets_no_orders_from_names) {
  write("stranger/data.bin", gltf_numbers());
  write("stranger/fox.gltf", gltf_triangle("data.bin", "a\x1b[2J\u202Eb\nsupple: all is well"));
  const auto plain = [](const std::string& text) {
    return text.find('\x1b') == std::string::npos && text.find("\u202E") == std::string::npos &&
           text.find("\nsupple: all is well") == std::string::npos;
  };
  const Call listed = call("run stranger/fox.gltf --list-clips");
  EXPECT_EQ(listed.status, 0) << listed.err;
  EXPECT_TRUE(plain(listed.out)) << listed.out;
  EXPECT_NE(listed.out.find("a\\x1b[2J\\u{202E}b\\x0asupple: all is well"), std::string::npos) << listed.out;
  const Call checked = call("check stranger/fox.gltf");
  EXPECT_TRUE(plain(checked.out) && plain(checked.err)) << checked.out << checked.err;
  const Call wrong = call("run stranger/fox.gltf --clip none");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_TRUE(plain(wrong.err)) << wrong.err;
  write("stranger/named.toml", "[\"\\u001b]0;x\\u0007\"]\na = 1\n[surface]\nfile = \"no\\u202Ene.glb\"\n");
  const Call named = call("check stranger/named.toml");
  EXPECT_EQ(named.status, 2);
  EXPECT_TRUE(plain(named.err)) << named.err;
  EXPECT_NE(named.err.find("\\x1b]0;x\\x07"), std::string::npos) << named.err;
  // As JSON names are what they are.
  const auto json = nlohmann::json::parse(call("run stranger/fox.gltf --list-clips --json").out);
  EXPECT_EQ(json["clips"][0]["name"], "a\x1b[2J\u202Eb\nsupple: all is well");
}

TEST_F(Trust, counts_that_nothing_can_have_are_told_at_their_place) {
  struct Case {
    const char* timeline;
    const char* said;
  };
  for (const Case& c : {Case{"frames = 1000000000000", "frames is 1e+12, but must be"},
                        Case{"frames = 1e12", "frames needs whole number"},
                        Case{"range = [0, 2147483648]", "range is 2147483648, which is too large"},
                        Case{"range = [2147483646, 2147483647]", "frame 2147483647 is past the last frame"},
                        Case{"range = [5, 2]", "range"}, Case{"fps = 1e-300", "fps is 1e-300, but must be"}}) {
    write("elsewhere/scene.toml", scene_of("body.msh", std::string("[timeline]\n") + c.timeline + "\n"));
    const Call o = call("simulate elsewhere/scene.toml -o out --overwrite");
    EXPECT_EQ(o.status, 2) << c.timeline;
    EXPECT_NE(o.err.find(c.said), std::string::npos) << c.timeline << o.err;
    EXPECT_NE(o.err.find("scene.toml:9:"), std::string::npos) << c.timeline << o.err;
  }
  write("elsewhere/far.csv", "0,0,0,0,0,0,0,1\n1e12,1,0,0,0,0,0,1\n");
  write("elsewhere/scene.toml", "[tets]\nfile = \"body.msh\"\n[attach]\nvertices = [0, 1, 2]\nrigid = \"far.csv\"\n");
  const Call far = call("simulate elsewhere/scene.toml -o out --overwrite");
  EXPECT_EQ(far.status, 2) << far.err;
  EXPECT_NE(far.err.find("far.csv: 1e+12 s at 24 frames a second"), std::string::npos) << far.err;
}

TEST_F(Trust, scenes_that_name_scenes_come_to_an_end) {
  write("stranger/self.toml", scene_of("self.toml"));
  write("stranger/one.toml", scene_of("two.toml"));
  write("stranger/two.toml", scene_of("one.toml"));
  for (const char* name : {"self", "one"}) {
    const Call checked = call(std::string("check stranger/") + name + ".toml");
    EXPECT_EQ(checked.status, 2) << name;
    EXPECT_NE(checked.err.find("is a scene, and no scene is part of another"), std::string::npos) << checked.err;
    EXPECT_EQ(call(std::string("simulate stranger/") + name + ".toml -o out").status, 2) << name;
  }
  std::string veg = "*INCLUDE self.veg\n";
  write("stranger/self.veg", veg);
  EXPECT_NE(call("check stranger/self.veg").err.find("Does a file include itself?"), std::string::npos);
  write("stranger/out.veg", "*INCLUDE ../elsewhere/part.veg\n");
  expect_refused("check stranger/out.veg");
}

// The square of their number of steps would be hours.
TEST_F(Trust, a_polygon_of_very_many_corners_is_read) {
  constexpr int kCorners = 300'000;
  std::string obj, face = "f";
  for (int i = 0; i < kCorners; ++i) {
    const double angle = 2 * M_PI * i / kCorners, r = 2 + 0.7 * std::cos(5 * angle);
    obj += "v " + std::to_string(r * std::cos(angle)) + " " + std::to_string(r * std::sin(angle)) + " 0\n";
    face += " " + std::to_string(i + 1);
  }
  write("stranger/wavy.obj", obj + face + "\n");
  const Call c = call("check stranger/wavy.obj");
  EXPECT_EQ(c.status, 0) << c.err;
  EXPECT_NE(c.out.find("300000 vertices, 299998 triangles"), std::string::npos) << c.out;
}

TEST_F(Trust, what_turns_freely_is_told_with_its_cause) {
  write("elsewhere/scene.toml", "[tets]\nfile = \"body.msh\"\n[attach]\nvertices = [0]\n[timeline]\nframes = 1\n");
  const Call analyzed = call("analyze elsewhere/scene.toml --no-refine");
  EXPECT_NE(analyzed.err.find("of 'body' (around vertex"), std::string::npos) << analyzed.err;
  EXPECT_NE(analyzed.err.find("are held at a single vertex, 0:"), std::string::npos) << analyzed.err;
}

}  // namespace
}  // namespace supple
