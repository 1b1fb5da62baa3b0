// The built program, from outside: exit status, what goes to stdout and stderr, what is left on disk.
#include <sys/wait.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "supple/io/obj.h"
#include "supple/io/point_cache.h"
#include "supple/io/tets/tet_formats.h"
#include "tests/scene/scene_files.h"

namespace supple {
namespace {

struct Outcome {
  int status = -1;
  std::string out, err;
};

class Cli : public SceneFiles {
 protected:
  Outcome run(const std::string& arguments) const {
    const std::string out = folder_.string() + ".out", err = folder_.string() + ".err";
    const int code = std::system(("cd '" + folder_.string() + "' && SUPPLE_CACHE=off '" SUPPLE_PROGRAM "' " +
                                  arguments + " >'" + out + "' 2>'" + err + "' </dev/null")
                                     .c_str());
    Outcome outcome{WIFEXITED(code) ? WEXITSTATUS(code) : -1, read(out), read(err)};
    std::filesystem::remove(out);
    std::filesystem::remove(err);
    return outcome;
  }
  // stdout must be one JSON object and nothing else.
  nlohmann::json run_json(const std::string& arguments, int status) const {
    const Outcome o = run(arguments + " --json");
    EXPECT_EQ(o.status, status) << o.err;
    EXPECT_TRUE(nlohmann::json::accept(o.out)) << o.out;
    const auto json = nlohmann::json::parse(o.out, nullptr, false);
    EXPECT_TRUE(json.is_object());
    return json;
  }
  void write_box() const { write_tet_mesh(path("box.msh"), make_box(2, 1, 1, Vec3(2, 1, 1))); }
  void write_cache(const std::string& name, int n_points, int n_samples) const {
    PointCache cache;
    cache.start = 3, cache.rate = 1;
    for (int s = 0; s < n_samples; ++s) {
      VecX x(3 * n_points);
      for (Eigen::Index i = 0; i < x.size(); ++i) x[i] = 0.25 * static_cast<double>(i) + 0.125 * s;
      cache.add(x);
      cache.times.push_back(static_cast<float>(s) / 24);
    }
    write_point_cache(path(name), cache);
  }
};

TEST_F(Cli, help_and_version) {
  EXPECT_EQ(run("--help").status, 0);
  EXPECT_NE(run("--help").out.find("convert"), std::string::npos);
  EXPECT_NE(run("convert --help").out.find("--repair"), std::string::npos);
  EXPECT_NE(run("--version").out.find("supple 0."), std::string::npos);
  EXPECT_TRUE(run_json("--version", 0).contains("version"));
  EXPECT_TRUE(run_json("--help", 0).contains("help"));
}

TEST_F(Cli, wrong_calls_end_with_2_and_a_suggestion) {
  struct Case {
    const char* arguments;
    const char* said;
  };
  for (const Case& c :
       {Case{"", "which command?"}, Case{"convrt a b", "Did you mean convert?"}, Case{"zzzz", "Commands: "},
        Case{"schema --markdwn", "Did you mean --markdown?"}, Case{"schema --jsn", "Did you mean --json?"},
        Case{"check", "file"}, Case{"check a b", "too many arguments, from here on: b"},
        Case{"schema --threads x", "--threads"}, Case{"schema --threads -3", "--threads"},
        Case{"convert a.msh b.msh --fps 0", "--fps"}}) {
    const Outcome o = run(c.arguments);
    EXPECT_EQ(o.status, 2) << c.arguments;
    EXPECT_EQ(o.out, "") << c.arguments;
    EXPECT_NE(o.err.find(c.said), std::string::npos) << c.arguments << "\n" << o.err;
    const auto json = run_json(c.arguments, 2);
    EXPECT_EQ(json["error"]["kind"], "input") << c.arguments;
  }
}

TEST_F(Cli, schema_in_three_forms) {
  EXPECT_NE(run("schema").out.find("[material]"), std::string::npos);
  EXPECT_EQ(run("schema --markdown").out, read(std::string(SUPPLE_SOURCE_DIR) + "/docs/reference/scene.md"));
  EXPECT_GT(run_json("schema", 0)["tables"].size(), 5u);
  EXPECT_EQ(run("--json schema").out, run("schema --json").out);
}

TEST_F(Cli, convert_tets_there_and_back) {
  write_box();
  for (const char* name : {"b.veg", "b.vtk", "b.mesh", "b.node"}) {
    EXPECT_EQ(run(std::string("convert box.msh ") + name).status, 0) << name;
    EXPECT_EQ(run(std::string("convert ") + name + " back.msh").status, 0) << name;
    const TetMesh a = read_tet_mesh(path("box.msh")), b = read_tet_mesh(path("back.msh"));
    EXPECT_EQ(a.tets, b.tets) << name;
    EXPECT_EQ(a.vertices, b.vertices) << name;
  }
}

TEST_F(Cli, convert_tets_to_their_surface) {
  write_box();
  const auto json = run_json("convert box.msh skin.obj", 0);
  EXPECT_EQ(json["out"], "skin.obj");
  const TriMesh skin = read_obj(path("skin.obj"));
  EXPECT_EQ(skin.n_vertices(), 12);
  EXPECT_EQ(skin.triangles.size(), 20u);
  EXPECT_EQ(run("convert skin.obj copy.obj").status, 0);
  EXPECT_EQ(read_obj(path("copy.obj")).triangles, skin.triangles);
}

TEST_F(Cli, convert_repairs_when_asked) {
  TetMesh box = make_box(1, 1, 1, Vec3(1, 1, 1));
  std::swap(box.tets[2][0], box.tets[2][1]);
  write_tet_mesh(path("bad.msh"), box);
  EXPECT_EQ(run("check bad.msh").status, 2);
  EXPECT_EQ(run("convert bad.msh good.msh --repair").status, 0);
  EXPECT_EQ(run("check good.msh").status, 0);
}

TEST_F(Cli, convert_caches_keeps_every_sample) {
  write_cache("a.pc2", 4, 7);
  EXPECT_EQ(run("convert a.pc2 b.mdd --fps 30").status, 0);
  const PointCache mdd = read_point_cache(path("b.mdd"));
  EXPECT_FLOAT_EQ(mdd.times[0], 3 / 30.0f);
  EXPECT_FLOAT_EQ(mdd.times[6], 9 / 30.0f);
  EXPECT_EQ(run("convert b.mdd c.pc2 --fps 30").status, 0);
  EXPECT_EQ(read(path("c.pc2")).size(), read(path("a.pc2")).size());
  EXPECT_EQ(read_point_cache(path("c.pc2")).xyz, read_point_cache(path("a.pc2")).xyz);
  EXPECT_NEAR(read_point_cache(path("c.pc2")).start, 3, 1e-5);
}

TEST_F(Cli, convert_refuses_what_cannot_be_and_leaves_nothing_behind) {
  write_box();
  write_cache("a.pc2", 4, 7);
  write("skin.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  write("broken.msh", "$MeshFormat\n4.1 0 8\n");
  PointCache uneven;
  uneven.times = {0, 0.1f, 0.5f};
  for (int s = 0; s < 3; ++s) uneven.add(VecX::Zero(3));
  write_mdd(path("uneven.mdd"), uneven);
  const std::vector<std::string> before = listing();
  for (const char* arguments :
       {"skin.obj x.msh", "a.pc2 x.obj", "box.msh x.pc2", "box.msh x.doc", "box.msh x", "none.msh x.msh",
        "broken.msh x.msh", "box.msh no_such_folder/x.msh", "uneven.mdd x.pc2", "a.pc2 x.mdd --repair"}) {
    const Outcome o = run(std::string("convert ") + arguments);
    EXPECT_EQ(o.status, 2) << arguments << "\n" << o.err;
    EXPECT_EQ(o.out, "");
    EXPECT_FALSE(o.err.empty());
  }
  EXPECT_EQ(listing(), before);
}

TEST_F(Cli, check_tets) {
  write_box();
  const auto json = run_json("check box.msh", 0);
  EXPECT_EQ(json["kind"], "tets");
  EXPECT_EQ(json["facts"]["tets"], 12);
  EXPECT_NEAR(json["facts"]["volume"].get<double>(), 2, 1e-12);
  EXPECT_NE(run("check box.msh").out.find("12 vertices, 12 tets"), std::string::npos);

  TetMesh bad = make_box(1, 1, 1, Vec3(1, 1, 1));
  std::swap(bad.tets[3][0], bad.tets[3][1]);
  write_tet_mesh(path("bad.msh"), bad);
  const auto told = run_json("check bad.msh", 2);
  EXPECT_EQ(told["ok"], false);
  EXPECT_NE(told["problems"][0]["message"].get<std::string>().find("3"), std::string::npos);
  EXPECT_EQ(told["error"], told["problems"][0]);
}

TEST_F(Cli, check_surfaces_and_caches) {
  write("skin.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  EXPECT_EQ(run_json("check skin.obj", 0)["facts"]["open_edges"], 3);
  EXPECT_EQ(run("check none.obj").status, 2);
  EXPECT_EQ(run("check folder.xyz").status, 2);
  write_cache("a.pc2", 4, 7);
  EXPECT_EQ(run_json("check a.pc2", 0)["facts"]["samples"], 7);
  std::string bytes = read(path("a.pc2"));
  bytes.resize(bytes.size() - 5);
  write("short.pc2", bytes);
  EXPECT_EQ(run("check short.pc2").status, 2);

  PointCache jump;
  for (int s = 0; s < 10; ++s) jump.add(Vec3(s < 6 ? 0 : 9, 0.01 * s, 0));
  write_pc2(path("jump.pc2"), jump);
  const auto json = run_json("check jump.pc2", 0);
  EXPECT_EQ(json["facts"]["jumps"], nlohmann::json::array({6}));
  EXPECT_EQ(json["warnings"].size(), 1u);

  write("keys.csv", "t,tx,ty,tz,qx,qy,qz,qw\n0,0,0,0,0,0,0,1\n1,1,0,0,0,0,0,1\n");
  EXPECT_EQ(run_json("check keys.csv", 0)["facts"]["keys"], 2);
}

TEST_F(Cli, check_a_scene_and_the_files_it_names) {
  write_box();
  write_cache("core.pc2", 2, 5);
  write("good.toml", "[tets]\nfile = \"box.msh\"\n[attach]\nvertices = [0, 1]\ntrack = \"core.pc2\"\n");
  EXPECT_EQ(run_json("check good.toml", 0)["facts"]["files"].size(), 2u);
  EXPECT_EQ(run("check good.toml --set attach.vertices=[0]").status, 2);
  EXPECT_EQ(run("check good.toml --set material.density=900 --set world.up=z").status, 0);
  EXPECT_EQ(run("check box.msh --set world.up=z").status, 2);

  write("bad.toml", R"([tets]
file = "box.msh"
[attach]
vertices = [0, 99]
track = "none.pc2"
[material]
density_map = "painted"
[[region]]
name = "ear"
)");
  const auto json = run_json("check bad.toml", 2);
  ASSERT_EQ(json["problems"].size(), 4u);
  std::set<int> lines;
  for (const auto& p : json["problems"]) lines.insert(p["line"].get<int>());
  EXPECT_EQ(lines, (std::set<int>{4, 5, 7, 9}));

  write("worse.toml", "[tets]\nfile = \"box.msh\"\n[material]\nmodl = 1\ndensity = 0\n");
  const auto worse = run_json("check worse.toml", 2);
  EXPECT_EQ(worse["problems"].size(), 2u);
  EXPECT_EQ(worse["error"]["line"], 4);
  EXPECT_EQ(worse["error"]["column"], 1);
  EXPECT_EQ(worse["error"]["place"], "key material.modl");
  EXPECT_EQ(worse["error"]["advice"], "Did you mean model?");
}

TEST_F(Cli, quiet_keeps_errors_and_results) {
  write_cache("a.pc2", 4, 7);
  EXPECT_NE(run("convert a.pc2 b.mdd").err, "");
  EXPECT_EQ(run("convert a.pc2 b.mdd --quiet").err, "");
  EXPECT_NE(run("convert none.pc2 b.mdd --quiet").err, "");
}

}  // namespace
}  // namespace supple
