// Two takes compared: distances, keys, both next to each other.
#include <sys/wait.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "supple/io/tets/tet_formats.h"
#include "supple/pipeline/run/run.h"
#include "supple/pipeline/takes/compare_runs.h"
#include "supple/pipeline/takes/refinish.h"
#include "supple/scene/read_scene.h"
#include "tests/scene/scene_files.h"

namespace supple {

using namespace pipeline;
namespace {

class Compare : public SceneFiles {
 protected:
  void simulate(const std::string& name, int n, const std::string& more = "") const {
    write_tet_mesh(path(name + ".msh"), make_box(n, 1, 1, {0.3, 0.05, 0.05}));
    write("keys.csv", "0,0,0,0,0,0,0,1\n0.2,0,0.05,0,0,0,0,1\n");
    const std::string scene =
        write(name + ".toml", "[tets]\nfile = \"" + name + ".msh\"\n[attach]\nvertices = [0, " + std::to_string(n + 1) +
                                  ", " + std::to_string(2 * n + 2) + "]\nrigid = \"keys.csv\"\n" +
                                  "[timeline]\nframes = 6\nsubsteps = 3\n[material]\n"
                                  "youngs_modulus = 1e5\n[output]\nformats = []\nreport = false\n" +
                                  more);
    ASSERT_EQ(run_job(build_job(load_scene(scene)), {.directory = path(name)}).status, RunStatus::done);
  }
};

TEST_F(Compare, a_take_with_itself_and_with_half_of_it) {
  simulate("bar", 5);
  const CompareResult same = compare_runs(path("bar"), path("bar"));
  EXPECT_TRUE(same.same_mesh);
  EXPECT_EQ(same.largest_m, 0);
  finish_run({.directory = path("bar"), .out = path("half"), .set = {"output.mix=0.5"}});
  const CompareResult r = compare_runs(path("bar"), path("half"));
  const auto j = nlohmann::json::parse(r.json.text());
  ASSERT_EQ(r.distance.size(), 6u);
  // What is half as far from the same place is as far from the whole.
  EXPECT_NEAR(r.rms_m, j["b"]["departure"]["rms_m"].get<double>(), 1e-8);
  EXPECT_NEAR(j["a"]["departure"]["rms_m"].get<double>(), 2 * r.rms_m, 1e-7);
  EXPECT_GT(r.largest_m, 1e-4);
  EXPECT_NEAR(j["distance"]["largest_percent"].get<double>(), 100 * r.largest_m / 0.3, 1e-6);
  ASSERT_EQ(j["differences"].size(), 1u);
  EXPECT_EQ(j["differences"][0]["key"], "output.mix");
  EXPECT_EQ(j["distance"]["frames"].size(), 6u);
  ASSERT_TRUE(r.page.motion);
  EXPECT_EQ(r.page.motion->n_frames, 6);
  EXPECT_EQ(r.page.plots.size(), 3u);
  EXPECT_EQ(r.page.plots[0].lines.size(), 2u);
}

TEST_F(Compare, other_meshes_by_their_numbers) {
  simulate("bar", 5);
  simulate("longer", 6);
  const CompareResult r = compare_runs(path("bar"), path("longer"));
  EXPECT_FALSE(r.same_mesh);
  EXPECT_NE(r.why_not.find("24 and 28 vertices"), std::string::npos) << r.why_not;
  EXPECT_TRUE(r.distance.empty());
  EXPECT_EQ(r.page.plots.size(), 2u);
  EXPECT_TRUE(r.page.motion);
}

TEST_F(Compare, from_outside) {
  simulate("bar", 4);
  const auto run = [&](const std::string& arguments) {
    const int code = std::system(
        ("cd '" + folder_.string() + "' && '" SUPPLE_PROGRAM "' " + arguments + " >log 2>/dev/null </dev/null")
            .c_str());
    return WIFEXITED(code) ? WEXITSTATUS(code) : -1;
  };
  EXPECT_EQ(run("compare bar bar --json"), 0);
  EXPECT_EQ(nlohmann::json::parse(read(path("log")))["page"], "compare_bar_bar.html");
  EXPECT_NE(read(path("compare_bar_bar.html")).find("Asked / got"), std::string::npos);
  EXPECT_EQ(run("compare bar nowhere"), 2);
  EXPECT_EQ(run("compare bar"), 2);
  EXPECT_EQ(run("compare bar bar -o nowhere/page.html"), 2);
  EXPECT_EQ(run("compare bar bar -o bar"), 2);
}

TEST(SideBySide, the_second_stands_beside_the_first_in_its_units) {
  MotionSource a, b;
  a.n_vertices = b.n_vertices = 3, a.n_frames = 2, b.n_frames = 1;
  a.triangles = b.triangles = {{0, 1, 2}};
  a.looks = b.looks = {{.n_triangles = 1}};
  b.pictures = {{"x", "image/png"}}, b.looks[0].picture = 0;
  b.uvs.assign(3, Eigen::Vector2d(0.5, 0.5));
  a.pictures = {{"y", "image/png"}};
  a.normals = b.normals = Points(3, Vec3::UnitZ());
  b.metres = 0.01;
  a.frame = [](int f, std::vector<float>& i, std::vector<float>& r) {
    i = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    r = i;
    r[3] += static_cast<float>(f);
  };
  b.frame = [](int, std::vector<float>& i, std::vector<float>& r) { i = r = {0, 0, 0, 100, 0, 0, 0, 100, 0}; };
  const MotionSource s = side_by_side(a, b);
  EXPECT_EQ(s.n_vertices, 6);
  EXPECT_EQ(s.n_frames, 2);
  EXPECT_EQ(s.triangles[1], (Tri{3, 4, 5}));
  EXPECT_EQ(s.looks[1].picture, 1);
  ASSERT_EQ(s.uvs.size(), 6u);
  EXPECT_EQ(s.uvs[0], Eigen::Vector2d(0, 0));
  EXPECT_EQ(s.uvs[5], Eigen::Vector2d(0.5, 0.5));
  std::vector<float> i, r;
  s.frame(1, i, r);
  ASSERT_EQ(r.size(), 18u);
  EXPECT_EQ(r[3], 2);
  EXPECT_GT(r[9], 2);                  // beyond all of a
  EXPECT_NEAR(r[12] - r[9], 1, 1e-6);  // in metres
  EXPECT_NEAR(r[16], 1, 1e-6);
}

}  // namespace
}  // namespace supple
