// Two takes compared: distances, keys, both next to each other.
#include <sys/wait.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "supple/demos/gallery/pear.h"
#include "supple/io/gltf/gltf_write.h"
#include "supple/io/point_cache.h"
#include "supple/io/tets/tet_formats.h"
#include "supple/pipeline/pipeline.h"
#include "supple/pipeline/run/run.h"
#include "supple/pipeline/run/run_character.h"
#include "supple/pipeline/takes/compare_runs.h"
#include "supple/pipeline/takes/refinish.h"
#include "supple/scene/read_scene.h"
#include "tests/scene/scene_files.h"
#include "tests/scene/shared_stages.h"

namespace supple {

using namespace demos;
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
                                  "youngs_modulus = 1e5\n[output]\nreport = false\n" +
                                  (more.empty() ? "formats = []\n" : more));
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

// As the guide has it: the finishing is written into the take's own scene, and finish makes another take of it. What
// was delivered is compared, whatever the scene says by then.
TEST_F(Compare, takes_whose_scene_was_edited_after_the_run) {
  simulate("bar", 5, "formats = [\"pc2\"]\n");
  std::string scene = read(path("bar/scene.toml"));
  const size_t at = scene.find("[output]\n");
  ASSERT_NE(at, std::string::npos);
  write("bar/scene.toml", scene.insert(at + 9, "mix = 0.25\n"));
  finish_run({.directory = path("bar"), .out = path("quarter")});
  const PointCache whole = read_pc2(path("bar/surface.pc2")), quarter = read_pc2(path("quarter/surface.pc2"));
  double largest = 0;
  for (size_t i = 0; i < whole.xyz.size(); i += 3)
    largest = std::max<double>(largest, std::hypot(whole.xyz[i] - quarter.xyz[i], whole.xyz[i + 1] - quarter.xyz[i + 1],
                                                   whole.xyz[i + 2] - quarter.xyz[i + 2]));
  ASSERT_GT(largest, 1e-3);
  const CompareResult r = compare_runs(path("bar"), path("quarter"));
  EXPECT_NEAR(r.largest_m, largest, 1e-7);
  const auto j = nlohmann::json::parse(r.json.text());
  EXPECT_EQ(j["a"]["surface"], "surface.pc2");
  ASSERT_EQ(j["differences"].size(), 1u);
  EXPECT_EQ(j["differences"][0]["key"], "output.mix");
  EXPECT_TRUE(j["differences"][0]["a"].is_null());
  ASSERT_EQ(r.page.warnings.size(), 1u);
  EXPECT_NE(r.page.warnings[0].find("output.mix"), std::string::npos);
  // Drawn once more of what the take keeps it is the same; and a scene that is gone or of another run does no harm.
  std::filesystem::remove(path("bar/surface.pc2"));
  write("bar/scene.toml", "not even a scene");
  EXPECT_NEAR(compare_runs(path("bar"), path("quarter")).largest_m, largest, 1e-7);
  std::filesystem::remove(path("bar/scene.toml"));
  const CompareResult gone = compare_runs(path("bar"), path("quarter"));
  EXPECT_NEAR(gone.largest_m, largest, 1e-7);
  EXPECT_EQ(nlohmann::json::parse(gone.json.text())["a"]["surface"], "what was simulated");
  // Finishing starts from what the run kept, and needs no scene beside it.
  const FinishResult again = finish_run({.directory = path("bar"), .out = path("again"), .set = {"output.mix=0.25"}});
  EXPECT_NEAR(compare_runs(path("quarter"), path("again")).largest_m, 0, 1e-7);
  EXPECT_NEAR(again.simulated.largest, largest / 0.75, 1e-6);
}

class CompareCharacters : public SharedStages {
 protected:
  void run(const std::string& name, const Overrides& set) const {
    Overrides all = {"timeline.range=[4,12]", "timeline.loop=false"};
    for (const Override& o : set) all.add({o.text});
    const SceneConfig scene = character_scene({.file = path("pear.glb"), .clip = "hop", .set = all});
    const Outcome out = run_scene(scene, {.directory = path(name), .product = Product::soft_character});
    ASSERT_EQ(out.status, RunStatus::done) << out.message;
  }
  void SetUp() override {
    SharedStages::SetUp();
    write_gltf(path("pear.glb"), make_pear({.rings = 14, .segments = 12}), {.colors = pear_colors()});
  }
};

TEST_F(CompareCharacters, the_soft_clip_is_what_was_delivered) {
  run("take", {"tets.count=400", "output.report=false"});
  const CompareResult same = compare_runs(path("take"), path("take"));
  EXPECT_EQ(same.largest_m, 0);
  const auto a = nlohmann::json::parse(same.json.text())["a"];
  EXPECT_EQ(a["surface"], "pear_soft.glb: hop.soft");
  // The soft clip is exact to a hundredth of how far it departs.
  const double departs = a["departure"]["rms_m"];
  finish_run({.directory = path("take"), .out = path("exact"), .set = {"output.formats=[\"pc2\"]"}});
  const CompareResult r = compare_runs(path("take"), path("exact"));
  EXPECT_EQ(nlohmann::json::parse(r.json.text())["b"]["surface"], "surface.pc2");
  EXPECT_GT(r.rms_m, 0);
  EXPECT_LT(r.rms_m, 0.02 * departs);
  // A file that another run has replaced is not the take's any more.
  std::filesystem::copy_file(path("pear.glb"), path("take/pear_soft.glb"),
                             std::filesystem::copy_options::overwrite_existing);
  const CompareResult replaced = compare_runs(path("take"), path("exact"));
  EXPECT_EQ(nlohmann::json::parse(replaced.json.text())["a"]["surface"], "what was simulated");
  EXPECT_LT(replaced.largest_m, 1e-6);
}

// Told in the report of the preview, whichever of the two comes last, and by compare.
TEST_F(CompareCharacters, a_preview_beside_its_final) {
  const Overrides preview = {"tets.preset=preview", "tets.count=300", "output.formats=[\"pc2\"]"},
                  final = {"tets.count=700", "output.formats=[\"pc2\"]"};
  run("takes/001", preview);
  const auto report = [&](const char* take) {
    return nlohmann::json::parse(read(path(std::string(take) + "/report.json")));
  };
  EXPECT_FALSE(report("takes/001").contains("final_beside"));
  run("takes/002", final);
  run("takes/003", preview);
  run("takes/004", {"tets.count=300", "output.formats=[\"pc2\"]", "controls.sag=1.5"});  // another scene
  EXPECT_FALSE(report("takes/002").contains("final_beside"));
  const CompareResult r = compare_runs(path("takes/001"), path("takes/002"));
  ASSERT_TRUE(r.preview);
  const auto j = nlohmann::json::parse(r.json.text());
  EXPECT_GT(r.preview->rms_share(), 0);
  // By another way: all vertices count in both means.
  EXPECT_NEAR(r.preview->rms_share(), r.rms_m / j["b"]["departure"]["rms_m"].get<double>(), 1e-5);
  EXPECT_GE(r.preview->percentile99_m, r.preview->rms_m);
  EXPECT_LE(r.preview->percentile99_m, r.largest_m);
  for (const char* take : {"takes/001", "takes/003"}) {
    const auto told = report(take).at("final_beside");
    EXPECT_EQ(told.at("final"), "002");
    EXPECT_NEAR(told.at("rms_share").get<double>(), r.preview->rms_share(), 1e-6);
    EXPECT_NE(read(path(std::string(take) + "/report.html")).find("The final take is there: 002"), std::string::npos);
  }
  EXPECT_FALSE(compare_runs(path("takes/001"), path("takes/004")).preview);
}

TEST_F(Compare, from_outside) {
  simulate("bar", 4);
  const auto run = [&](const std::string& arguments) {
    const int code = std::system(("cd '" + folder_.string() + "' && SUPPLE_ALLOW_READ=. '" SUPPLE_PROGRAM "' " +
                                  arguments + " >log 2>/dev/null </dev/null")
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
