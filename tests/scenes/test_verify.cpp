// `supple verify`: takes of every kind made again, and takes that are not what their runs wrote.
#include <sys/wait.h>

#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "supple/base/hash.h"
#include "supple/demos/gallery/pear.h"
#include "supple/io/gltf/gltf_write.h"
#include "supple/io/tets/tet_formats.h"
#include "tests/scene/scene_files.h"
#include "tests/scenes/curves_files.h"
#include "tests/scenes/enrich_files.h"

namespace supple {

using namespace demos;
namespace {

using nlohmann::ordered_json;

class Verify : public SceneFiles {
 protected:
  struct Call {
    int status = -1;
    std::string out, err;
  };
  // shell: said before, as a limit.
  Call supple(const std::string& arguments, const std::string& shell = "") const {
    const std::string out = path("said.out"), err = path("said.err");
    const int code =
        std::system(("cd '" + folder_.string() + "' && " + shell + " SUPPLE_CACHE=off '" SUPPLE_PROGRAM "' " +
                     arguments + " >'" + out + "' 2>'" + err + "' </dev/null")
                        .c_str());
    return {WIFEXITED(code) ? WEXITSTATUS(code) : -1, read(out), read(err)};
  }
  void put_box(int cells = 2) const {
    write_tet_mesh(path("box.msh"), make_box(cells, cells / 2, cells / 2, Vec3(0.2, 0.1, 0.1)));
    write("keys.csv", "0,0,0,0,0,0,0,1\n0.2,0.05,0,0,0,0,0,1\n1,0.05,0.02,0,0,0,0,1\n");
    write("box.toml",
          "[tets]\nfile = \"box.msh\"\n[attach]\nvertices = [0, 1, 2, 3]\nrigid = \"keys.csv\"\n[timeline]\nframes = "
          "8\nsubsteps = 2\n[material]\nyoungs_modulus = 1e5\n[output]\nformats = [\"obj\"]\nreport = false\n");
  }
  ordered_json verified(const std::string& arguments, int status) const {
    const Call c = supple("verify --json " + arguments);
    EXPECT_EQ(c.status, status) << c.out << c.err;
    return ordered_json::parse(c.out, nullptr, false);
  }
  static std::string verdict(const ordered_json& told, const std::string& file) {
    for (const auto& f : told["files"])
      if (f["file"] == file) return f["verdict"];
    return "not told of";
  }
  void change_report(const std::string& take, const std::function<void(ordered_json&)>& change) const {
    ordered_json report = ordered_json::parse(read(path(take + "/report.json")));
    change(report);
    write(take + "/report.json", report.dump(2));
  }
  // Moves one coordinate of the tets of a take, and has its report say that its run wrote them so.
  void move_a_point(const std::string& take, float by) const {
    std::string bytes = read(path(take + "/tets.pc2"));
    float x;
    std::memcpy(&x, bytes.data() + bytes.size() - 12, 4);
    x += by;
    std::memcpy(bytes.data() + bytes.size() - 12, &x, 4);
    write(take + "/tets.pc2", bytes);
    change_report(take, [&](ordered_json& r) { r["hashes"]["tets.pc2"] = hash_file(path(take + "/tets.pc2")); });
  }
};

TEST_F(Verify, a_take_of_simulate_and_what_can_be_wrong_with_it) {
  put_box();
  ASSERT_EQ(supple("simulate box.toml -o take --quiet").status, 0);
  const ordered_json same = verified("take", 0);
  EXPECT_EQ(same["same"], true);
  EXPECT_EQ(same["compared_by"], "hashes");
  for (const char* file : {"tets.pc2", "static.pc2", "tets.msh", "amplitude.csv", "surface_obj/00007.obj"})
    EXPECT_EQ(verdict(same, file), "same") << file << same;
  EXPECT_EQ(verified("take --threads 1", 0)["same"], true);

  // Somebody's hand in the take is not the run's.
  std::filesystem::copy(path("take"), path("edited"), std::filesystem::copy_options::recursive);
  write("edited/amplitude.csv", "none\n");
  EXPECT_EQ(verdict(verified("edited", 1), "amplitude.csv"), "edited");

  // Positions a little apart are different here, and close where another processor made them.
  move_a_point("take", 1e-5f);
  EXPECT_EQ(verdict(verified("take", 1), "tets.pc2"), "different");
  change_report("take", [](ordered_json& r) {
    r["made"]["kernels"] = "of another kind";
    r["hashes"]["amplitude.csv"] = "0";
  });
  write("take/amplitude.csv", "of another kind\n");
  change_report("take", [&](ordered_json& r) { r["hashes"]["amplitude.csv"] = hash_file(path("take/amplitude.csv")); });
  const ordered_json close = verified("take", 0);
  EXPECT_EQ(close["compared_by"], "positions");
  EXPECT_EQ(verdict(close, "tets.pc2"), "close");
  EXPECT_EQ(verdict(close, "amplitude.csv"), "follows");
  EXPECT_EQ(verdict(verified("take --tolerance 1e-6", 1), "tets.pc2"), "different");
  EXPECT_NE(supple("verify take").out.find("of another kind"), std::string::npos);

  // What it was made of.
  write("keys.csv", read(path("keys.csv")) + "2,0,0,0,0,0,0,1\n");
  const ordered_json changed = verified("take", 1);
  EXPECT_EQ(changed["changed_inputs"], ordered_json({"../keys.csv"}));
  EXPECT_TRUE(changed["files"].empty());
}

TEST_F(Verify, wrong_calls) {
  write("empty/note.txt", "");
  write("old/report.json", R"({"version": "0.0.1", "status": "done", "model": {}, "timeline": {}})");
  write("stopped/report.json", R"({"status": "interrupted"})");
  for (const char* call : {"nothing", "empty", "old", "stopped", "", "old --tolerance -1"})
    EXPECT_EQ(supple(std::string("verify ") + call).status, 2) << call;
  EXPECT_NE(supple("verify old").err.find("does not say how the run was made"), std::string::npos);
}

TEST_F(Verify, takes_of_run_of_one_clip_and_of_all) {
  Character pear = make_pear({.rings = 14, .segments = 12});
  pear.clips.push_back(pear.clips[0]);
  pear.clips[1].name = "again";
  write_gltf(path("pear.glb"), pear, {.colors = pear_colors()});
  const std::string quick = " --quiet --set tets.count=700 --set timeline.range=[0,3] --set output.report=false ";
  ASSERT_EQ(supple("run pear.glb --take one --look jelly --replace" + quick).status, 0);
  const ordered_json one = verified("one", 0);
  EXPECT_EQ(verdict(one, "tets.pc2"), "same");
  EXPECT_EQ(verdict(one, "pear_soft.glb"), "same");
  ASSERT_EQ(supple("run pear.glb --take all --clip all -o all.glb" + quick).status, 0);
  const ordered_json all = verified("all", 0);
  EXPECT_EQ(verdict(all, "again/tets.pc2"), "same") << all;
  EXPECT_EQ(verdict(all, "all.glb"), "same");
}

class VerifyEnriched : public EnrichFiles {};
TEST_F(VerifyEnriched, a_take_of_enrich) {
  ASSERT_EQ(supple("enrich scene.toml --quiet -o take --set timeline.range=[0,5]").status, 0);
  const auto again = supple("verify take");
  EXPECT_EQ(again.status, 0) << again.out;
  EXPECT_NE(again.out.find("surface.pc2"), std::string::npos) << again.out;
}

class VerifyCurves : public CurvesFiles {};
TEST_F(VerifyCurves, a_take_of_curves) {
  put_scene("", "");
  ASSERT_EQ(supple("curves scene.toml --quiet -o take --set timeline.range=[0,8]").status, 0);
  const auto again = supple("verify take");
  EXPECT_EQ(again.status, 0) << again.out;
  EXPECT_NE(again.out.find("curves.csv"), std::string::npos) << again.out;
}

// Memory and threads are asked for before they are needed.
TEST_F(Verify, a_run_that_needs_more_memory_than_there_is_is_refused_with_its_size) {
  put_box(4);
  const Call c = supple("simulate box.toml -o take --set timeline.frames=1000000", "ulimit -v 1500000;");
  EXPECT_EQ(c.status, 2) << c.err;
  EXPECT_NE(c.err.find("GB of memory, this machine has 1.54 GB"), std::string::npos) << c.err;
  EXPECT_NE(c.err.find("tets.preset=preview"), std::string::npos) << c.err;
  EXPECT_FALSE(std::filesystem::exists(path("take")));
}

TEST_F(Verify, without_memory_a_command_ends_with_words) {
  put_box(8);
  write("box.toml", read(path("box.toml")) + "[solver]\nthreads = 1\n");
  for (const int kilobytes : {20000, 45000, 70000}) {
    const Call c = supple("simulate box.toml -o take --overwrite --threads 1",
                          "ulimit -c 0; ulimit -v " + std::to_string(kilobytes) + ";");
    EXPECT_GE(c.status, 0) << kilobytes << " kB: ended by a signal";
    EXPECT_LT(c.status, 128) << kilobytes << " kB: " << c.err;
    if (c.status != 0) EXPECT_FALSE(c.err.empty()) << kilobytes;
  }
}

TEST_F(Verify, the_report_tells_the_memory_of_the_run) {
  put_box();
  ASSERT_EQ(supple("simulate box.toml -o take --quiet").status, 0);
  const ordered_json memory = ordered_json::parse(read(path("take/report.json")))["memory"];
  EXPECT_GT(memory["peak_bytes"], 10'000'000);
  EXPECT_GT(memory["estimated_bytes"], memory["peak_bytes"].get<double>() / 2);
  EXPECT_LT(memory["estimated_bytes"], memory["peak_bytes"].get<double>() * 3);
}

}  // namespace
}  // namespace supple
