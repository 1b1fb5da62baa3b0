// `supple enrich` as a whole: what comes in comes out, what is free is simulated, what is not tracked is completed.
#include <gtest/gtest.h>
#include <unistd.h>

#include <Eigen/Geometry>
#include <cmath>
#include <csignal>

#include "supple/anim/drawn.h"
#include "supple/demos/gallery/pear.h"
#include "supple/io/gltf/gltf_read.h"
#include "supple/io/gltf/gltf_write.h"
#include "supple/io/obj_sequence.h"
#include "tests/scenes/enrich_files.h"

namespace supple {

using namespace demos;
using namespace pipeline;
namespace {

class Enriched : public EnrichFiles {};

// Bent by the square of the distance from the root, finer than tets can follow.
Vec3 bent(const Vec3& x, int f) {
  const double bend = 0.8 * std::sin(2 * M_PI * f / 24.0);
  return shaken(x, f) + Vec3(0, bend * x[0] * x[0], 0.004 * std::sin(60 * x[0] + f));
}

// Frames of the input, as the result should have them.
PointCache as_given(const Points& points, int n_frames, const PointMotion& motion) {
  PointCache cache;
  for (int f = 0; f < n_frames; ++f) {
    Points x;
    for (const Vec3& p : points) x.push_back(motion(p, f));
    cache.add(flatten(x));
  }
  return cache;
}

TEST_F(Enriched, without_softness_it_is_the_input_whatever_the_file) {
  const PointCache given = as_given(bar_.vertices, 12, bent);
  put_cache("bar.pc2", bar_.vertices, 12, bent);
  EXPECT_LT(farthest(take("pc2", {"enrich.softness=0"}).surface, given), 1e-6 * kLength);
  EXPECT_EQ(read_pc2(path("pc2/surface.pc2")).n_points, bar_.n_vertices());

  PointCache timed = given;
  for (int f = 0; f < 12; ++f) timed.times.push_back(static_cast<float>(f / 24.0));
  write_mdd(path("bar.mdd"), timed);
  put_scene({.cache = "bar.mdd"});
  EXPECT_LT(farthest(take("mdd", {"enrich.softness=0"}).surface, given), 1e-6 * kLength);

  for (int f = 0; f < 12; ++f) {
    TriMesh now = bar_;
    now.vertices = given.points(f);
    write(fmt::format("walk/bar_{:03}.obj", f), "");
    write_obj(path(fmt::format("walk/bar_{:03}.obj", f)), now);
  }
  put_scene({.cache = "walk/bar_###.obj"});
  EXPECT_LT(farthest(take("obj", {"enrich.softness=0"}).surface, given), 1e-6 * kLength);
}

// The clip of a character, in the units and the order of its file.
TEST_F(Enriched, without_softness_it_is_the_clip_of_a_character) {
  const Character pear = make_pear({.rings = 14, .segments = 12, .unit = 100});
  write_gltf(path("pear.glb"), pear, {.colors = pear_colors()});
  put_scene({.surface = "pear.glb", .cache = "", .tets = "count = 300\n", .enrich = "softness = 0\n"});
  const Taken t = take("pear", {"timeline.range=[2,9]", "surface.clip=hop"});
  const Character read = read_gltf(path("pear.glb"));
  const Drawn drawn = lay_out(read, 1);
  PointCache given;
  for (int f = 2; f <= 9; ++f)
    given.add(flatten(posed(drawn.vertices, pose_at(read, drawn, read.clips[0], f / t.setup->input.fps))));
  EXPECT_LT(farthest(t.surface, given), 1e-6 * longest_side(drawn.vertices.rest));
  EXPECT_GT(longest_side(drawn.vertices.rest), 20);  // centimetres
}

TEST_F(Enriched, units_of_the_file_are_kept) {
  TriMesh large = bar_;
  for (Vec3& x : large.vertices) x *= 100;
  write_obj(path("large.obj"), large);
  const PointMotion motion = [](const Vec3& x, int f) -> Vec3 { return 100 * bent(x / 100, f); };
  put_cache("large.pc2", large.vertices, kFrames, motion);
  put_cache("bar.pc2", bar_.vertices, kFrames, bent);
  const Taken metres = take("metres");
  const PointCache given = as_given(large.vertices, kFrames, motion);
  for (const char* units : {"surface.scale=0.01", "surface.height=0.12"}) {
    put_scene({.surface = "large.obj", .cache = "large.pc2"});
    const std::string name(units, 12);
    EXPECT_LT(farthest(take(name + "0", {units, "enrich.softness=0"}).surface, given), 1e-6 * 100 * kLength) << units;
    // And the soft part moves as it does in metres.
    const Taken t = take(name, {units});
    PointCache scaled = t.surface;
    for (float& x : scaled.xyz) x /= 100;
    EXPECT_LT(farthest(scaled, metres.surface), 1e-4 * kLength) << units;
    EXPECT_LT(farthest(t.tets, metres.tets), 1e-4 * kLength) << units;
    EXPECT_GT(apart(t.surface, given), 0.5) << units;
  }
}

TEST_F(Enriched, what_follows_has_the_input_exactly_beside_what_is_soft) {
  put_cache("bar.pc2", bar_.vertices, kFrames, bent);
  const Taken t = take("run");
  const PointCache given = as_given(bar_.vertices, kFrames, bent);
  const std::vector<int> root = vertices([](const Vec3& x) { return x[0] < 0.13; });
  EXPECT_LT(farthest(t.surface, given, root), 1e-6 * kLength);
  EXPECT_GT(farthest(t.surface, given), 0.02 * kLength);
}

TEST_F(Enriched, by_the_program_alone) {
  const Call c = supple(
      "enrich bar.obj --cache bar.pc2 --fixed root.txt --set tets.file=cage.msh --set "
      "timeline.substeps=2 --set output.report=false -o run");
  ASSERT_EQ(c.status, 0) << c.out;
  EXPECT_NE(c.out.find("--reblend run"), std::string::npos) << c.out;
  for (const char* file : {"surface.pc2", "surface.glb", "tets.pc2", "fit.pc2", "fit.csv", "report.json", "scene.toml"})
    EXPECT_TRUE(std::filesystem::exists(path(std::string("run/") + file))) << file;
  for (const std::string& name : listing()) EXPECT_EQ(name.find(".part"), std::string::npos) << name;
  EXPECT_LT(farthest(read_pc2(path("run/surface.pc2")), take("same", {"timeline.loop=auto"}).surface), 1e-7);
  // Nothing of a run is replaced by the next.
  const Call again = supple("enrich scene.toml -o run");
  EXPECT_EQ(again.status, 2) << again.out;
}

// The same tets held at the same vertices by a plain scene.
TEST_F(Enriched, soft_flesh_is_simply_simulated) {
  put_cache("bar.pc2", bar_.vertices, kFrames, bent);
  const Settings flesh = {"material.youngs_modulus=3e4", "material.half_life_s=0.4", "timeline.start=rest"};
  const Taken t = take("enriched", flesh + Settings{"surface.rest=weightless"});
  const std::vector<int> held = t.setup->fixed();
  ASSERT_GT(held.size(), 8u);
  ASSERT_LT(held.size(), t.setup->cage.vertices.size() / 2);
  PointCache track;
  for (const VecX& x : t.setup->fit.frames) {
    Points some;
    for (int v : held) some.push_back(x.segment<3>(3 * v));
    track.add(flatten(some));
  }
  write_pc2(path("held.pc2"), track);
  write("plain.toml", fmt::format("[tets]\nfile = \"cage.msh\"\n[attach]\nvertices = [{}]\ntrack = \"held.pc2\"\n"
                                  "[timeline]\nsubsteps = 2\nloop = \"false\"\n"
                                  "[output]\nformats = []\nreport = false\n",
                                  fmt::join(held, ", ")));
  const Job job = build_job(load_scene(path("plain.toml"), flesh));
  ASSERT_EQ(run_job(job, {.directory = path("plain")}).status, RunStatus::done);
  const PointCache plain = read_pc2(path("plain/tets.pc2"));
  EXPECT_LT(farthest(t.tets, plain), 1e-5 * kLength);  // float32 and solver tolerance
  // It is no small motion that agrees.
  PointCache fit;
  for (const VecX& x : t.setup->fit.frames) fit.add(x);
  EXPECT_GT(farthest(t.tets, fit), 0.05 * kLength);
}

TEST_F(Enriched, where_nothing_is_tracked_the_rest_completes_it) {
  // Turned about z on the way, and moved.
  const PointMotion turned = [](const Vec3& x, int f) -> Vec3 {
    return Eigen::AngleAxisd(0.05 * f, Vec3::UnitZ()) * x + Vec3(0.01 * f, 0, 0.02 * f);
  };
  const PointCache given = as_given(bar_.vertices, 9, turned);
  const std::vector<int> some = vertices([](const Vec3& x) { return x[1] > 0.1 && x[0] < 0.45; });
  ASSERT_LT(some.size(), bar_.vertices.size() / 3);
  TriMesh part;
  for (int v : some) part.vertices.push_back(bar_.vertices[static_cast<size_t>(v)]);
  std::reverse(part.vertices.begin(), part.vertices.end());
  write_obj(path("part.obj"), part);
  put_cache("part.pc2", part.vertices, 9, turned);
  std::vector<int> order = some;
  std::reverse(order.begin(), order.end());
  write("order.txt", fmt::format("{}\n", fmt::join(order, "\n")));
  // Points below the surface, which are no vertices.
  Points markers;
  for (int v : some) markers.push_back(bar_.vertices[static_cast<size_t>(v)] - Vec3(0, 0.02, 0));
  write_obj(path("markers.obj"), {.vertices = markers});
  put_cache("markers.pc2", markers, 9, turned);
  struct Case {
    const char *name, *cache;
    std::string key;
  };
  for (const Case& c :
       {Case{"list", "part.pc2", fmt::format("tracked = [{}]\n", fmt::join(order, ", "))},
        Case{"file", "part.pc2", "tracked = \"order.txt\"\n"}, Case{"place", "part.pc2", "tracked = \"part.obj\"\n"},
        Case{"points", "markers.pc2", "points = \"markers.obj\"\n"}}) {
    put_scene({.cache = c.cache, .enrich = c.key + "softness = 0\n"});
    const Taken t = take(c.name);
    // A rigid motion strains nothing: all of the bar goes along.
    EXPECT_LT(farthest(t.surface, given), 2e-3 * kLength) << c.name;
    if (c.name != std::string("points")) {
      EXPECT_LT(farthest(t.surface, given, some), 1e-6 * kLength) << c.name;
    }
  }
}

// Only the root is seen: the rest is completed, and goes on from there by its own inertia.
TEST_F(Enriched, what_is_not_tracked_may_be_soft) {
  const std::vector<int> root = vertices([](const Vec3& x) { return x[0] < 0.13; });
  Points seen;
  for (int v : root) seen.push_back(bar_.vertices[static_cast<size_t>(v)]);
  put_cache("root.pc2", seen, kFrames, shaken);
  put_scene({.cache = "root.pc2", .enrich = "tracked = \"root.txt\"\nfixed = \"root.txt\"\n"});
  const Taken t = take("run");
  const PointCache whole = as_given(bar_.vertices, kFrames, shaken);
  EXPECT_LT(farthest(t.surface, whole, root), 1e-6 * kLength);
  EXPECT_GT(apart(t.surface, whole), 0.01 * kLength);
  EXPECT_LT(farthest(reblend("run", "completed", {"enrich.blend=0"}), whole), 2e-3 * kLength);
  // As if all of it had been tracked: what follows is the same.
  put_scene({});
  EXPECT_LT(apart(t.surface, take("all").surface), 0.05 * apart(t.surface, whole));
}

// Only its ends are seen; the bend of the bar in between is that of flesh.
TEST_F(Enriched, a_bend_is_completed_smoothly) {
  const PointMotion bend = [](const Vec3& x, int f) -> Vec3 {
    const double curvature = 0.12 * f;  // an arc of constant length
    if (f == 0) return x;
    const double r = 1 / curvature - (x[1] - kThick / 2), a = curvature * x[0];
    return Vec3(r * std::sin(a), 1 / curvature - r * std::cos(a) + kThick / 2, x[2]);
  };
  const std::vector<int> ends = vertices([](const Vec3& x) { return x[0] < 0.18 || x[0] > kLength - 0.18; });
  Points seen;
  for (int v : ends) seen.push_back(bar_.vertices[static_cast<size_t>(v)]);
  put_cache("ends.pc2", seen, 9, bend);
  put_scene({.cache = "ends.pc2", .enrich = fmt::format("tracked = [{}]\nsoftness = 0\n", fmt::join(ends, ", "))});
  const Taken t = take("run");
  const PointCache given = as_given(bar_.vertices, 9, bend);
  EXPECT_LT(farthest(t.surface, given, ends), 1e-6 * kLength);
  EXPECT_LT(farthest(t.surface, given), 0.02 * kLength);
  // Far better than not to move at all.
  EXPECT_GT(farthest(as_given(bar_.vertices, 9, [](const Vec3& x, int) { return x; }), given), 0.1 * kLength);
}

TEST_F(Enriched, rigid_parts_keep_their_edges) {
  // A plate on the far end, as a group of its own.
  TriMesh mesh = bar_;
  const TriMesh plate = boundary_surface(make_box(2, 1, 2, Vec3(0.1, 0.02, 0.08), Vec3(0.45, 0.115, 0.02)));
  std::string text = read(path("bar.obj")) + "g plate\n";
  for (const Vec3& x : plate.vertices) text += fmt::format("v {:.9g} {:.9g} {:.9g}\n", x[0], x[1], x[2]);
  for (const Tri& t : plate.triangles)
    text += fmt::format("f {} {} {}\n", t[0] + 1 + bar_.n_vertices(), t[1] + 1 + bar_.n_vertices(),
                        t[2] + 1 + bar_.n_vertices());
  write("plated.obj", text);
  mesh.vertices.insert(mesh.vertices.end(), plate.vertices.begin(), plate.vertices.end());
  put_cache("plated.pc2", mesh.vertices, kFrames, bent);
  put_scene({.surface = "plated.obj", .cache = "plated.pc2"});
  const auto strain = [&](const PointCache& c) -> double {
    double most = 0;
    for (int f = 0; f < c.n_samples; ++f) {
      const Points x = c.points(f);
      for (const Tri& t : plate.triangles)
        for (int k = 0; k < 3; ++k) {
          const size_t a = static_cast<size_t>(t[k]), b = static_cast<size_t>(t[(k + 1) % 3]);
          const size_t first = bar_.vertices.size();
          const double length = (plate.vertices[a] - plate.vertices[b]).norm();
          most = std::max(most, std::abs((x[first + a] - x[first + b]).norm() - length) / kLength);
        }
    }
    return most;
  };
  const Taken soft = take("soft"), rigid = take("rigid", {"enrich.rigid=[\"plate\"]"});
  EXPECT_GT(strain(soft.surface), 1e-3);
  EXPECT_LT(strain(rigid.surface), 1e-6);
  // It goes along with the flesh.
  std::vector<int> of_plate;
  for (int v = bar_.n_vertices(); v < mesh.n_vertices(); ++v) of_plate.push_back(v);
  EXPECT_LT(farthest(soft.surface, rigid.surface, of_plate), 0.03 * kLength);
  EXPECT_GT(apart(rigid.surface, as_given(mesh.vertices, kFrames, bent)), 0.005);
}

// Two fingers that touch all along at rest. In one frame they are apart.
TEST_F(Enriched, parts_that_touch_are_not_joined) {
  const double gap = 1e-4;
  const TriMesh lower = boundary_surface(make_box(10, 2, 2, Vec3(0.5, 0.1, 0.1)));
  const TriMesh upper = boundary_surface(make_box(10, 2, 2, Vec3(0.5, 0.1, 0.1), Vec3(0, 0.1 + gap, 0)));
  TriMesh both = lower;
  both.vertices.insert(both.vertices.end(), upper.vertices.begin(), upper.vertices.end());
  for (const Tri& t : upper.triangles)
    both.triangles.push_back({t[0] + lower.n_vertices(), t[1] + lower.n_vertices(), t[2] + lower.n_vertices()});
  write_obj(path("two.obj"), both);
  // The upper one is lifted in the last frame; the lower one, shaken at its root, swings on its own.
  const int last = 19;
  const auto of_upper = [&](const Vec3& x) { return x[1] > 0.1 + gap / 2; };
  put_cache("two.pc2", both.vertices, last + 1, [&](const Vec3& x, int f) -> Vec3 {
    if (of_upper(x)) return f == last ? Vec3(x + Vec3(0, 0.3, 0)) : x;
    return f == last ? x : shaken(x, f);
  });
  write("roots.txt", [&] {
    std::string text;
    for (size_t v = 0; v < both.vertices.size(); ++v)
      if (both.vertices[v][0] < 0.12) text += fmt::format("{}\n", v);
    return text;
  }());
  put_scene({.surface = "two.obj", .cache = "two.pc2", .tets = "edge = 0.06\n", .enrich = "fixed = \"roots.txt\"\n"});
  // Tets alone would join them.
  const Settings tets = {"timeline.range=[0,18]", "world.gravity=[0,0,0]", "tets.keep_apart=false"};
  std::vector<int> upper_ones;
  for (int v = lower.n_vertices(); v < both.n_vertices(); ++v) upper_ones.push_back(v);
  const auto stirred = [&](const Taken& t) -> double {
    PointCache given;
    for (int f = 0; f <= 18; ++f) given.add(flatten(both.vertices));
    return farthest(t.surface, given, upper_ones);
  };
  const Taken apart_ones = take("apart", tets + Settings{fmt::format("enrich.apart=frame:{}", last)});
  EXPECT_LT(stirred(apart_ones), 1e-4);
  // No tet holds vertices of both, and none shares a vertex with one that holds the other's.
  const EnrichSetup& s = *apart_ones.setup;
  std::vector<int> owner(s.cage.vertices.size(), -1);
  for (size_t v = 0; v < both.vertices.size(); ++v)
    for (int c : s.cage.tets[s.tet[v]]) {
      const int who = of_upper(both.vertices[v]) ? 1 : 0;
      EXPECT_TRUE(owner[c] < 0 || owner[c] == who) << v;
      owner[c] = who;
    }
  std::vector<int> component;
  EXPECT_EQ(connected_components(s.cage, component), 2);
  // And every tet kept its volume on the way back.
  for (double volume : tet_volumes(s.cage)) EXPECT_GT(volume, 0);

  // Without, the tets of the one are those of the other.
  const Taken joined = take("joined", tets);
  EXPECT_GT(stirred(joined), 1e-3);
}

// An interrupted run goes on to the same bits, also where softness changes on the way.
TEST_F(Enriched, resumed_is_uninterrupted) {
  put_cache("bar.pc2", bar_.vertices, kFrames, bent);
  for (const Settings& set : {Settings{}, Settings{"enrich.softness=0.6"},
                              Settings{"enrich.soft_keys=[[0,1],[10,0.3],[20,0.8]]", "controls.amplitude=1.5"}}) {
    const Job job = build_job(scene(set));
    const std::string whole = fmt::format("whole{}", set.size()), cut = fmt::format("cut{}", set.size());
    ASSERT_EQ(run_job(job, {.directory = path(whole)}).status, RunStatus::done);
    int polls = 0;
    const Watch stop{.cancelled = [&] { return ++polls > 31; }};
    const RunResult stopped = run_job(job, {.directory = path(cut)}, stop);
    ASSERT_EQ(stopped.status, RunStatus::interrupted);
    EXPECT_FALSE(std::filesystem::exists(path(cut + "/tets.pc2")));
    const Job again = build_job(scene(set));
    ASSERT_EQ(run_job(again, {.directory = path(cut), .resume = true}).status, RunStatus::done);
    for (const char* file : {"/tets.pc2", "/static.pc2", "/surface.pc2", "/fit.pc2", "/fit.csv", "/amplitude.csv"})
      EXPECT_TRUE(read(path(whole + file)) == read(path(cut + file))) << file << " of " << fmt::format("{}", set);
  }
}

TEST_F(Enriched, another_input_is_not_resumed) {
  put_list("paint.txt", [](const Vec3& x) { return x[0] > 0.3; });
  const Settings set = {"enrich.soft=" + path("paint.txt")};
  const Job job = build_job(scene(set));
  int polls = 0;
  const Watch stop{.cancelled = [&] { return ++polls > 31; }};
  ASSERT_EQ(run_job(job, {.directory = path("cut")}, stop).status, RunStatus::interrupted);
  put_list("paint.txt", [](const Vec3& x) { return x[0] > 0.4; });
  const Job other = build_job(scene(set));
  EXPECT_THROW(run_job(other, {.directory = path("cut"), .resume = true}), InputError);
}

// As a person does it.
TEST_F(Enriched, an_interrupt_leaves_what_can_be_resumed) {
  const std::string set = "timeline.substeps=30";
  ASSERT_EQ(supple("enrich scene.toml --quiet -o whole --set " + set).status, 0);
  const pid_t program = fork();
  if (program == 0) {
    if (chdir(folder_.c_str()) != 0 || !freopen("told.txt", "w", stderr)) _exit(1);
    setenv("SUPPLE_CACHE", "off", 1);
    execl(SUPPLE_PROGRAM, SUPPLE_PROGRAM, "enrich", "scene.toml", "--quiet", "-o", "cut", "--set", set.c_str(),
          static_cast<char*>(nullptr));
    _exit(1);
  }
  ASSERT_GT(program, 0);
  int status = 0;
  while (!std::filesystem::exists(path("cut/tets.pc2.part")) && waitpid(program, &status, WNOHANG) == 0) usleep(2000);
  usleep(50000);
  kill(program, SIGINT);
  ASSERT_EQ(waitpid(program, &status, 0), program);
  ASSERT_EQ(WEXITSTATUS(status), 130) << read(path("told.txt"));
  EXPECT_NE(read(path("told.txt")).find("--resume"), std::string::npos) << read(path("told.txt"));
  EXPECT_FALSE(std::filesystem::exists(path("cut/tets.pc2")));
  EXPECT_EQ(supple("enrich scene.toml -o cut --set " + set).status, 2);  // would begin anew
  const Call resumed = supple("enrich scene.toml --resume --quiet -o cut --set " + set);
  ASSERT_EQ(resumed.status, 0) << resumed.out;
  for (const char* file : {"/tets.pc2", "/static.pc2", "/surface.pc2", "/fit.pc2"})
    EXPECT_TRUE(read(path(std::string("whole") + file)) == read(path(std::string("cut") + file))) << file;
}

TEST_F(Enriched, same_bits_for_any_thread_count) {
  put_scene({.tets = "count = 400\n"});
  put_cache("bar.pc2", bar_.vertices, 10, bent);
  for (int n : {1, 2})
    ASSERT_EQ(supple(fmt::format("enrich scene.toml --quiet --threads {0} -o {0} --set enrich.softness=0.7 --set "
                                 "enrich.blend=0.8",
                                 n))
                  .status,
              0);
  for (const char* file : {"tets.pc2", "static.pc2", "surface.pc2", "fit.pc2", "fit.csv", "amplitude.csv"})
    EXPECT_TRUE(read(path(std::string("1/") + file)) == read(path(std::string("2/") + file))) << file;
}

}  // namespace
}  // namespace supple
