// `supple enrich` and input that is wrong: it is named, with its file and key, and nothing is left behind.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/scenes/enrich_files.h"

namespace supple {
namespace {

class EnrichErrors : public EnrichFiles {
 protected:
  // Status 2, all of these words, and no file more or less than before.
  void refused(const std::string& arguments, const std::vector<std::string>& words) const {
    const std::vector<std::string> before = listing();
    const Call c = supple("enrich " + arguments);
    EXPECT_EQ(c.status, 2) << arguments << "\n" << c.out;
    for (const std::string& word : words)
      EXPECT_NE(c.out.find(word), std::string::npos) << arguments << ": expected " << word << "\n" << c.out;
    EXPECT_EQ(listing(), before) << arguments;
  }
  void refused_scene(const std::vector<std::string>& words, const std::string& more = "") const {
    refused("scene.toml -o out " + more, words);
  }
};

TEST_F(EnrichErrors, caches_that_do_not_fit) {
  const std::string whole = read(path("bar.pc2"));
  put_cache("bar.pc2", Points(7, Vec3::Zero()), 5, shaken);
  refused_scene({"scene.toml:", "'bar.pc2' moves 7 points", "'bar.obj' has"});
  write("bar.pc2", whole.substr(0, whole.size() / 2));
  refused_scene({"bar.pc2", "truncated"});
  write("bar.pc2", whole.substr(0, 20));
  refused_scene({"bar.pc2"});
  write("bar.pc2", "not a cache at all, but long enough to have a header");
  refused_scene({"bar.pc2"});
  put_cache("bar.pc2", bar_.vertices, 1, shaken);
  refused_scene({"scene.toml:", "'bar.pc2' has one frame", "two frames"});
  put_cache("bar.pc2", bar_.vertices, 4,
            [](const Vec3&, int) -> Vec3 { return Vec3::Constant(std::numeric_limits<double>::quiet_NaN()); });
  refused_scene({"bar.pc2", "missing"});
  std::filesystem::remove(path("bar.pc2"));
  refused_scene({"bar.pc2", "cannot be opened"});
  put_scene({.cache = "bar.abc"});
  refused_scene({"surface.cache", "bar.abc", ".mdd"});
  put_scene({.cache = ""});
  refused_scene({"bar.obj", "has no animation", "cache"});
}

TEST_F(EnrichErrors, surfaces_that_are_none) {
  put_scene({.surface = "none.obj"});
  refused_scene({"none.obj", "cannot be opened"});
  write("none.obj", "");
  refused_scene({"none.obj"});
  write("none.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n");
  refused_scene({"none.obj", "no faces"});
  write("none.obj", "v 1 1 1\nv 1 1 1\nv 1 1 1\nf 1 2 3\n");
  refused_scene({"none.obj", "one place"});
  put_scene({.surface = "bar.abc"});
  refused_scene({"surface.file", "bar.abc", ".obj"});
  write("bare.toml", "[enrich]\nsoftness = 0.5\n");
  refused("bare.toml -o out", {"surface", "bare.toml"});
  write("plain.toml", "[surface]\nfile = \"bar.obj\"\ncache = \"bar.pc2\"\n");
  refused("plain.toml -o out", {"plain.toml", "[enrich]"});
  refused("nothing.toml -o out", {"nothing.toml"});
  refused("", {"what is to be enriched"});
  refused("--resume scene.toml", {"--resume", "-o"});
}

// Faces without area are no reason to refuse a mesh.
TEST_F(EnrichErrors, faces_without_area_are_let_pass) {
  std::string text = read(path("bar.obj"));
  text += "f 1 1 2\nf 1 2 2\n";
  write("bar.obj", text);
  const Call given = supple("enrich scene.toml --quiet -o given --set enrich.softness=0 --set timeline.range=[0,4]");
  EXPECT_EQ(given.status, 0) << given.out;
  put_scene({.tets = "count = 300\n"});
  const Call built = supple("enrich scene.toml --quiet -o built --set timeline.range=[0,4]");
  EXPECT_EQ(built.status, 0) << built.out;
  for (const char* name : {"given", "built"}) {
    const PointCache out = read_pc2(path(std::string(name) + "/surface.pc2"));
    EXPECT_EQ(out.n_points, bar_.n_vertices());
    for (float x : out.xyz) ASSERT_TRUE(std::isfinite(x)) << name;
  }
}

TEST_F(EnrichErrors, softness_that_cannot_be) {
  TriMesh painted = bar_;
  painted.colors.assign(bar_.vertices.size(), Vec3(1, 0, 0));
  painted.colors[3][1] = 1.5;
  write_obj(path("bar.obj"), painted);
  put_scene({.enrich = ""});
  refused_scene({"nothing follows the animation", "enrich.fixed", "enrich.softness"});
  put_scene({.enrich = "soft = \"COLOR_0.r\"\n"});
  refused_scene({"scene.toml:", "enrich.soft", "nothing follows the animation"});
  put_scene({.enrich = "soft = \"COLOR_0.w\"\n"});
  refused_scene({"scene.toml:", "'COLOR_0.w'", "did you mean 'COLOR_0.", "COLOR_0.b"});
  put_scene({.enrich = "soft = \"COLOR_0.g\"\n"});
  refused_scene({"COLOR_0.g", "1.5", "vertex 3", "0 to 1"});
  put_scene({.enrich = "soft = \"paint.txt\"\n"});
  refused_scene({"'paint.txt' is neither a map of the surface nor a file"});
  write("paint.txt", "0 0.5\n1 1.25\n");
  refused_scene({"paint.txt:2", "1.25", "outside 0 .. 1"});
  write("paint.txt", "0 0.5\n100000 1\n");
  refused_scene({"paint.txt:2", "vertex 100000"});
  write("paint.txt", "0 0.5\n-1 1\n");
  refused_scene({"paint.txt:2", "vertex -1"});
  write("paint.txt", "0 half\n");
  refused_scene({"paint.txt:1"});
  put_scene({.enrich = "fixed = [0, 100000]\n"});
  refused_scene({"scene.toml:", "vertex 100000 does not exist"});
  put_scene({.enrich = "fixed = \"lost.txt\"\n"});
  refused_scene({"lost.txt"});
  put_scene({.enrich = "fixed = \"root.txt\"\nsoftness = 1.5\n"});
  refused_scene({"scene.toml:", "enrich.softness", "1"});
  put_scene({.enrich = "fixed = \"root.txt\"\nsoft_keys = [[5, 1], [2, 0]]\n"});
  refused_scene({"scene.toml:", "soft_keys"});
  put_scene({.enrich = "fixed = \"root.txt\"\nblend_map = \"nowhere\"\n"});
  refused_scene({"scene.toml:", "nowhere"});
  put_scene({.enrich = "fixed = \"root.txt\"\nrigid = [\"teeth\"]\n"});
  refused_scene({"scene.toml:", "'teeth'"});
  refused("bar.obj --cache bar.pc2 --softness 2 -o out", {"softness"});
  refused("bar.obj --cache bar.pc2 --fixed root.txt --blend -0.5 -o out", {"blend"});
}

TEST_F(EnrichErrors, points_that_are_not_there) {
  put_scene({.cache = "", .enrich = "tracked = [0, 1, 2]\nsoftness = 0.5\n"});
  refused_scene({"scene.toml:", "enrich.tracked", "surface.cache"});
  put_scene({.cache = "", .enrich = "points = \"bar.obj\"\nsoftness = 0.5\n"});
  refused_scene({"scene.toml:", "enrich.points", "surface.cache"});
  put_scene({.enrich = "tracked = [0, 1, 2]\npoints = \"bar.obj\"\nsoftness = 0.5\n"});
  refused_scene({"enrich.points", "exclude"});
  put_scene({.enrich = "tracked = [0, 1, 2]\nsoftness = 0.5\n"});
  refused_scene({"'bar.pc2' moves", "enrich.tracked lists 3 vertices"});
  put_scene({.enrich = "tracked = [0, 1, 1]\nsoftness = 0.5\n"});
  refused_scene({"scene.toml:", "listed twice"});
  TriMesh moved = bar_;
  for (Vec3& x : moved.vertices) x += Vec3(1, 0, 0);
  write_obj(path("moved.obj"), moved);
  put_scene({.enrich = "tracked = \"moved.obj\"\nsoftness = 0.5\n"});
  refused_scene({"scene.toml:", "no vertices of the neutral surface"});
  put_scene({.enrich = "fixed = \"root.txt\"\napart = \"frame:99\"\n"});
  refused_scene({"scene.toml:", "enrich.apart", "no frame 99"});
  write("other.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  put_scene({.enrich = "fixed = \"root.txt\"\napart = \"other.obj\"\n"});
  refused_scene({"scene.toml:", "'other.obj' has 3 vertices"});
}

TEST_F(EnrichErrors, keys_that_mean_nothing) {
  put_scene({.enrich = "fixed = \"root.txt\"\nsofness = 0.5\n"});
  refused_scene({"scene.toml:", "sofness", "softness"});
  put_scene({.enrich = "fixed = \"root.txt\"\n[attach]\nvertices = [0]\n"});
  refused_scene({"scene.toml:", "attach.vertices", "enriched"});
  put_scene({.enrich = "fixed = \"root.txt\"\n[attach]\nsoft = \"COLOR_0\"\n"});
  refused_scene({"scene.toml:", "attach.soft", "enriched"});
  put_scene({.enrich = "fixed = \"root.txt\"\n[[region]]\nname = \"tip\"\n"});
  refused_scene({"scene.toml:", "region tip does not say where it is"});
  put_scene({.enrich = "fixed = \"root.txt\"\ninterpolation = \"smoth\"\n"});
  refused_scene({"scene.toml:", "interpolation", "smooth"});
  put_scene({.enrich = "fixed = \"root.txt\"\nfit = 0\n"});
  refused_scene({"scene.toml:", "enrich.fit"});
  put_scene({});
  refused_scene({"timeline.range", "past the last frame"}, "--set timeline.range=[0,99]");
}

// A scan with holes is enriched, and what was missing is told of.
TEST_F(EnrichErrors, holes_are_completed_and_told_of) {
  put_cache("bar.pc2", bar_.vertices, 9, [&](const Vec3& x, int f) -> Vec3 {
    const bool hole = (f == 3 && x[0] > 0.5) || f == 6;
    return hole ? Vec3::Constant(std::numeric_limits<double>::quiet_NaN()) : shaken(x, f);
  });
  const Call c = supple("enrich scene.toml -o out --set enrich.softness=0");
  ASSERT_EQ(c.status, 0) << c.out;
  EXPECT_NE(c.out.find("bar.pc2, frame 3:"), std::string::npos) << c.out;
  EXPECT_NE(c.out.find("bar.pc2, frame 6:"), std::string::npos) << c.out;
  const PointCache out = read_pc2(path("out/surface.pc2"));
  for (int f = 0; f < 9; ++f)
    for (size_t v = 0; v < bar_.vertices.size(); ++v) {
      const bool hole = (f == 3 && bar_.vertices[v][0] > 0.5) || f == 6;
      const double off = (out.points(f)[v] - shaken(bar_.vertices[v], f)).norm();
      EXPECT_LT(off, hole ? 0.01 * kLength : 1e-6 * kLength) << f << " " << v;
    }
  // The report has them too.
  const std::string report = read(path("out/report.json"));
  EXPECT_NE(report.find("frame 6"), std::string::npos);
  EXPECT_NE(report.find("\"bridged\": 1"), std::string::npos);
  // And reblending knows the same of them.
  ASSERT_EQ(supple("enrich --reblend out --blend 0.5 -o again").status, 0);
  EXPECT_LT(farthest(read_pc2(path("again/surface.pc2")), out), kExact);
}

// One frame in which some points, here and there, jump away and back.
TEST_F(EnrichErrors, spikes_are_left_out_and_told_of) {
  std::vector<Vec3> off;
  for (size_t v = 3; v < bar_.vertices.size(); v += 19) off.push_back(bar_.vertices[v]);
  put_cache("bar.pc2", bar_.vertices, 9, [&](const Vec3& x, int f) -> Vec3 {
    const bool jumps = f == 4 && std::find(off.begin(), off.end(), x) != off.end();
    return shaken(x, f) + (jumps ? Vec3(0, 3, 0) : Vec3(0, 0, 0));
  });
  const Call c = supple("enrich scene.toml -o out --set enrich.softness=0");
  ASSERT_EQ(c.status, 0) << c.out;
  EXPECT_NE(c.out.find(fmt::format("4 ({} points left out)", off.size())), std::string::npos) << c.out;
  const PointCache out = read_pc2(path("out/surface.pc2"));
  for (int f = 0; f < 9; ++f)
    for (size_t v = 0; v < bar_.vertices.size(); ++v)
      EXPECT_LT((out.points(f)[v] - shaken(bar_.vertices[v], f)).norm(), 0.005 * kLength) << f << " " << v;
}

TEST_F(EnrichErrors, reblending_asks_for_what_it_needs) {
  ASSERT_EQ(supple("enrich scene.toml --quiet -o run --set timeline.range=[0,6]").status, 0);
  refused("--reblend run --blend 0.5 --set material.density=900 -o out", {"material.density", "needs a simulation"});
  refused("--reblend run --softness 0.5 -o out", {"--softness", "--reblend"});
  refused("--reblend run --cache bar.pc2 -o out", {"--cache", "--reblend"});
  refused("--reblend run --blend 1.5 -o out", {"blend"});
  refused("--reblend run --set enrich.blendd=0.5 -o out", {"blendd", "blend"});
  refused("--reblend run --blend 0.5 -o run", {"run", "there already"});
  refused("--reblend nowhere --blend 0.5 -o out", {"nowhere"});
  const std::string fit = read(path("run/fit.pc2")), record = read(path("run/fit.csv"));
  std::filesystem::remove(path("run/fit.pc2"));
  refused("--reblend run --blend 0.5 -o out", {"fit.pc2"});
  write("run/fit.pc2", fit.substr(0, fit.size() / 2));
  refused("--reblend run --blend 0.5 -o out", {"fit.pc2"});
  write("run/fit.pc2", fit);
  write("run/fit.csv", record.substr(0, record.size() / 2));
  refused("--reblend run --blend 0.5 -o out", {"fit.csv"});
  write("run/fit.csv", record);
  // The input has changed since.
  const std::string cache = read(path("bar.pc2"));
  put_cache("bar.pc2", bar_.vertices, kFrames, [](const Vec3& x, int f) { return shaken(x, f + 1); });
  refused("--reblend run --blend 0.5 -o out", {"bar.pc2", "has changed since the run"});
  write("bar.pc2", cache);
  put_list("root.txt", [](const Vec3& x) { return x[0] < 0.2; });
  refused("--reblend run --blend 0.5 -o out", {"root.txt", "has changed since the run"});
  put_list("root.txt", [](const Vec3& x) { return x[0] < 0.13; });
  EXPECT_EQ(supple("enrich --reblend run --blend 0.5 -o out").status, 0);
  // A run that is not of an enriched scene has nothing to blend.
  write("plain.toml",
        "[tets]\nfile = \"cage.msh\"\n[attach]\nvertices = [0, 1, 2, 3, 4, 5, 6, 7, 8]\n"
        "[timeline]\nframes = 3\n[output]\nformats = []\nreport = false\n");
  ASSERT_EQ(supple("simulate plain.toml --quiet -o plain").status, 0);
  refused("--reblend plain --blend 0.5 -o out2", {"enrich"});
}

// What a run of frames is made of is noticed when one of them changes.
TEST_F(EnrichErrors, a_changed_frame_of_a_sequence_is_noticed) {
  const auto put_frame = [&](int f, double lift) {
    TriMesh now = bar_;
    for (Vec3& x : now.vertices) x = shaken(x, f) + Vec3(0, lift, 0);
    write(fmt::format("walk/{:02}.obj", f), "");
    write_obj(path(fmt::format("walk/{:02}.obj", f)), now);
  };
  for (int f = 0; f < 7; ++f) put_frame(f, 0);
  put_scene({.cache = "walk/##.obj"});
  ASSERT_EQ(supple("enrich scene.toml --quiet -o run").status, 0);
  EXPECT_EQ(supple("enrich --reblend run --blend 0.5 -o half").status, 0);
  put_frame(4, 0.01);
  refused("--reblend run --blend 0.5 -o out", {"walk/", "has changed since the run"});
}

}  // namespace
}  // namespace supple
