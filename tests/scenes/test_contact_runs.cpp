// Runs in which things touch: other bodies, obstacles, planes, characters; resumed, finished, looped.
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "supple/contact/crossings.h"
#include "supple/demos/examples/examples.h"
#include "supple/demos/gallery/bar.h"
#include "supple/demos/gallery/pear.h"
#include "supple/demos/gallery/toys.h"
#include "supple/io/gltf/gltf_write.h"
#include "supple/io/obj.h"
#include "supple/io/point_cache.h"
#include "supple/io/tets/tet_formats.h"
#include "supple/pipeline/job/contact_setup.h"
#include "supple/pipeline/run/run.h"
#include "supple/pipeline/run/run_character.h"
#include "supple/pipeline/setup/surroundings.h"
#include "supple/pipeline/takes/refinish.h"
#include "supple/scene/read_scene.h"
#include "tests/scene/scene_files.h"

namespace supple {

using namespace demos;
using namespace pipeline;
namespace {

class ContactRuns : public SceneFiles {
 protected:
  RunResult run(const Job& job, const std::string& name) const {
    const RunResult r = run_job(job, {.directory = path(name)});
    EXPECT_EQ(r.status, RunStatus::done) << r.message;
    return r;
  }
  bool has(const std::string& file) const { return std::filesystem::exists(path(file)); }
  double number(const RunResult& r, const std::string& key) const {
    const std::string text = r.report.text();
    const size_t at = text.find("\"" + key + "\": ");
    return at == std::string::npos ? std::nan("") : std::stod(text.substr(at + key.size() + 4));
  }
  // Whether surfaces in contact cross at any frame of a run, by its files.
  bool crosses(const Job& job, const std::string& name) const {
    std::vector<std::string> warnings;
    const auto setup = set_up_contact(job, warnings);
    const ContactSurface& surface = *setup->model->contact();
    const PointCache own = read_pc2(path(name + "/tets.pc2"));
    const PointCache others = has(name + "/bodies.pc2") ? read_pc2(path(name + "/bodies.pc2")) : PointCache();
    const VecX rest = flatten(setup->model->mesh().vertices);
    for (int f = 0; f < own.n_samples; ++f) {
      Points x = own.points(f);
      if (others.n_samples > 0)
        for (const Vec3& p : others.points(f)) x.push_back(p);
      const VecX obstacles =
          setup->obstacles ? setup->obstacles->at(job.shot.start_time() + f / job.shot.fps) : surface.obstacle_rest();
      if (!find_crossings_brute(surface.shape(), surface.places(flatten(x) - rest, obstacles)).empty()) return true;
    }
    return false;
  }
};

double lowest(const PointCache& c, int frame) {
  double y = 1e9;
  for (const Vec3& x : c.points(frame)) y = std::min(y, x.y());
  return y;
}

TEST_F(ContactRuns, what_is_dropped_lies_on_the_floor_and_on_each_other) {
  const std::string scene = write_example("drop", path("scene"), {.short_shot = true});
  const Job job = build_job(load_scene(scene));
  const RunResult whole = run(job, "whole");
  EXPECT_FALSE(crosses(job, "whole"));
  for (const char* file : {"surface.pc2", "body-ring.pc2", "body-bean.pc2"}) {
    const PointCache c = read_pc2(path(std::string("whole/") + file));
    ASSERT_EQ(c.n_samples, 24);
    for (int f = 0; f < 24; ++f) EXPECT_GT(lowest(c, f), 0) << file << " " << f;
    EXPECT_LT(lowest(c, 23), 0.25) << file;
  }
  for (const char* file : {"body-ring.glb", "body-ring.obj", "body-bean.glb", "report.html", "poster.png"})
    EXPECT_TRUE(has(std::string("whole/") + file)) << file;
  EXPECT_GT(number(whole, "pairs_max"), 10);
  EXPECT_GT(number(whole, "least_gap_share"), 0);
  EXPECT_LT(number(whole, "least_gap_share"), 1);
  EXPECT_GT(number(whole, "contact"), 0);  // seconds

  // Stopped inside a frame and resumed: the same bits.
  int polls = 0;
  const Watch stop{.cancelled = [&] { return ++polls > 33; }};
  ASSERT_EQ(run_job(job, {.directory = path("cut")}, stop).status, RunStatus::interrupted);
  const RunResult resumed = run_job(job, {.directory = path("cut"), .resume = true});
  ASSERT_EQ(resumed.status, RunStatus::done);
  for (const char* file : {"tets.pc2", "bodies.pc2", "amplitude.csv", "body-bean.pc2"})
    EXPECT_TRUE(read(path(std::string("whole/") + file)) == read(path(std::string("cut/") + file))) << file;
  EXPECT_EQ(number(whole, "pairs_max"), number(resumed, "pairs_max"));

  // Finished again without simulating: the bodies are there, as they were.
  finish_run({.directory = path("whole"), .out = path("finished")});
  EXPECT_TRUE(read(path("whole/body-ring.pc2")) == read(path("finished/body-ring.pc2")));
  EXPECT_TRUE(read(path("whole/poster.png")) == read(path("finished/poster.png")));
}

TEST_F(ContactRuns, an_obstacle_lifts_what_lies_on_it) {
  write_tet_mesh(path("box.msh"), make_box(2, 2, 2, Vec3::Constant(0.2), Vec3(-0.1, 0.001, -0.1)));
  const TriMesh plate = boundary_surface(make_box(1, 1, 1, Vec3(1, 0.1, 1), Vec3(-0.5, -0.1, -0.5)));
  write_obj(path("plate.obj"), plate);
  PointCache cache;
  for (int f = 0; f < 25; ++f) {
    Points x = plate.vertices;
    for (Vec3& p : x) p.y() += 0.15 * (1 - std::cos(M_PI * f / 24));
    cache.add(flatten(x));
  }
  write_pc2(path("plate.pc2"), cache);
  const Job job = build_job(load_scene(write("s.toml", R"([tets]
file = "box.msh"
[timeline]
frames = 36
substeps = 2
[material]
youngs_modulus = 1e5
[[contact.obstacle]]
file = "plate.obj"
cache = "plate.pc2"
[output]
formats = ["pc2"]
)")));
  run(job, "out");
  EXPECT_FALSE(crosses(job, "out"));
  const PointCache box = read_pc2(path("out/tets.pc2"));
  EXPECT_GT(lowest(box, 35), 0.3);
  EXPECT_LT(lowest(box, 35), 0.3 + 0.01);
}

// A body alone is simulated to the same bits whether or not something far away could be touched.
TEST_F(ContactRuns, without_contact_nothing_changes) {
  const std::string scene = write_example("bar", path("scene"));
  const std::vector<std::string> set = {"timeline.range=[0,6]", "output.report=false"};
  run(build_job(load_scene(scene, set)), "plain");
  const Job job = build_job(load_scene(scene, {set[0], set[1], "contact.self=false"}));
  EXPECT_EQ(job.surroundings, nullptr);
  run(job, "off");
  EXPECT_TRUE(read(path("plain/tets.pc2")) == read(path("off/tets.pc2")));
  EXPECT_FALSE(has("plain/bodies.pc2"));
}

// One tet in place of a box: it falls as a box does, and spins as one.
TEST_F(ContactRuns, a_rigid_body_falls_and_spins_as_it_should) {
  write_tet_mesh(path("held.msh"), make_box(1, 1, 1, Vec3::Constant(0.1), Vec3(5, 0, 0)));
  write_obj(path("box.obj"), boundary_surface(make_box(1, 1, 1, Vec3(0.1, 0.2, 0.4), Vec3(-0.05, -0.1, -0.2))));
  for (int axis = 0; axis < 3; ++axis) {
    Vec3 spin = Vec3::Zero();
    spin[axis] = 360;
    const std::string name = "out" + std::to_string(axis);
    run(build_job(load_scene(write("s.toml", fmt::format(R"([tets]
file = "held.msh"
[attach]
vertices = [0, 1, 2, 3]
[timeline]
frames = 49
substeps = 8
[[body]]
name = "box"
file = "box.obj"
rigid = true
velocity = [0, 3, 0]
spin = [{}, {}, {}]
[output]
formats = ["pc2"]
report = false
)",
                                                         spin[0], spin[1], spin[2])))),
        name);
    const PointCache box = read_pc2(path(name + "/body-box.pc2"));
    const Points first = box.points(0);
    for (int f : {12, 24, 48}) {
      const double t = f / 24.0, angle = 2 * M_PI * t;
      const Vec3 way(0, 3 * t - 9.81 / 2 * t * t, 0);
      const Mat3 turn = Eigen::AngleAxisd(angle, Vec3::Unit(axis)).toRotationMatrix();
      double worst = 0;
      for (size_t v = 0; v < first.size(); ++v)
        worst = std::max(worst, (box.points(f)[v] - way - turn * first[v]).norm());
      // Corners are 0.23 m out: a hundredth of the way round.
      EXPECT_LT(worst, 0.01 * 2 * M_PI * 0.23 * t) << "axis " << axis << " frame " << f;
    }
  }
}

TEST_F(ContactRuns, a_rigid_body_comes_to_rest_on_a_plane) {
  write_tet_mesh(path("held.msh"), make_box(1, 1, 1, Vec3::Constant(0.1), Vec3(5, 0, 0)));
  write_obj(path("box.obj"), boundary_surface(make_box(2, 2, 2, Vec3(0.2, 0.1, 0.2), Vec3(-0.1, -0.05, -0.1))));
  const Job job = build_job(load_scene(write("s.toml", R"([tets]
file = "held.msh"
[attach]
vertices = [0, 1, 2, 3]
[timeline]
frames = 72
substeps = 4
[[contact.plane]]
[[body]]
name = "box"
file = "box.obj"
rigid = true
position = [0, 0.12, 0]
rotation = [5, 0, 3]
[output]
formats = ["pc2"]
report = false
)")));
  run(job, "out");
  const PointCache box = read_pc2(path("out/body-box.pc2"));
  EXPECT_GT(lowest(box, 71), 0);
  EXPECT_LT(lowest(box, 71), contact_thickness(job));
  double moved = 0;
  for (size_t v = 0; v < box.points(0).size(); ++v)
    moved = std::max(moved, (box.points(71)[v] - box.points(68)[v]).norm());
  EXPECT_LT(moved, 1e-3);
}

TEST_F(ContactRuns, things_that_begin_inside_one_another_are_told) {
  write_tet_mesh(path("box.msh"), make_box(2, 2, 2, Vec3::Constant(0.2), Vec3::Constant(-0.1)));
  write_obj(path("ball.obj"), make_ball(0.05, 3));
  const std::string scene = write("s.toml", R"([tets]
file = "box.msh"
[timeline]
frames = 3
substeps = 2
[world]
gravity = [0, 0, 0]
[[contact.plane]]
normal = [1, 0, 0]
point = [-0.08, 0, 0]
[[body]]
name = "inner"
file = "ball.obj"
edge = 0.1
[[body]]
name = "beside"
file = "ball.obj"
edge = 0.1
position = [0.4, 0, 0]
[[body]]
name = "through"
file = "ball.obj"
edge = 0.1
position = [0, 0.1, 0.01]
[output]
report = false
formats = ["pc2"]
)");
  const std::string report = run(build_job(load_scene(scene)), "out").report.text();
  for (const char* part :
       {"the body and inner are inside", "the body and through are inside", "the body is below plane 1"})
    EXPECT_NE(report.find(part), std::string::npos) << part;
  EXPECT_EQ(report.find("and beside are inside"), std::string::npos);
}

TEST_F(ContactRuns, a_loop_with_bodies_is_refused_and_auto_gives_way) {
  const Bar bar = make_bar({.size = {0.3, 0.1, 0.1}, .cells = {3, 1, 1}});
  write_tet_mesh(path("bar.msh"), bar.tets);
  write_obj(path("ball.obj"), make_ball(0.05, 3));
  PointCache cache;
  for (int f = 0; f <= 24; ++f) {
    VecX x(12);
    for (int i = 0; i < 4; ++i)
      x.segment<3>(3 * i) = bar.tets.vertices[bar.root[i]] + Vec3(0, 0.02 * std::sin(2 * M_PI * f / 24), 0);
    cache.add(x);
  }
  write_pc2(path("root.pc2"), cache);
  const std::string plain = "[tets]\nfile = \"bar.msh\"\n[attach]\nvertices = [0, 1, 2, 3]\ntrack = \"root.pc2\"\n";
  const std::string body = "[[body]]\nname = \"ball\"\nfile = \"ball.obj\"\nposition = [0, 1, 0]\nedge = 0.1\n";
  EXPECT_TRUE(build_job(load_scene(write("p.toml", plain))).shot.start.loop);
  const Job job = build_job(load_scene(write("s.toml", plain + body)));
  EXPECT_FALSE(job.shot.start.loop);
  EXPECT_NE(job.shot.start.why.find("other bodies"), std::string::npos) << job.shot.start.why;
  EXPECT_THROW(build_job(load_scene(path("s.toml"), {"timeline.loop=true"})), InputError);
  // With itself and things that stay, a loop is found and closes.
  const Job on_floor = build_job(load_scene(write("f.toml", plain + "[[contact.plane]]\npoint = [0, -0.3, 0]\n")));
  ASSERT_TRUE(on_floor.shot.start.loop);
  run(on_floor, "loop");
  const PointCache c = read_pc2(path("loop/tets.pc2"));
  double open = 0;
  for (int v = 0; v < c.n_points; ++v)
    open = std::max(open, (c.points(0)[static_cast<size_t>(v)] - c.points(24)[static_cast<size_t>(v)]).norm());
  EXPECT_LT(open, 1e-3);
}

TEST_F(ContactRuns, a_character_is_run_once_with_what_it_touches) {
  write_gltf(path("pear.glb"), make_pear({.rings = 20, .segments = 16}), {.colors = pear_colors()});
  write_obj(path("ball.obj"), make_ball(0.2, 4));
  write("set.toml", "");
  SceneConfig scene = load_character_scene(
      path("pear.glb"), {"tets.count=1500", "contact.self=true", "timeline.range=[0,12]", "timeline.loop=false"});
  BodyConfig ball;
  ball.name = "ball";
  ball.file = {path("ball.obj"), path("ball.obj")};
  ball.edge = 0.2;
  ball.position = Vec3(1.2, 0.6, 0);
  ball.velocity = Vec3(-3, 1, 0);
  scene.bodies.push_back(ball);
  const RunCharacterResult r = run_character(scene, "", {.out = path("soft.glb"), .directory = path("take")});
  ASSERT_EQ(r.status, RunStatus::done) << r.message;
  EXPECT_TRUE(has("soft.glb"));
  EXPECT_TRUE(has("take/body-ball.glb"));
  EXPECT_GT(number(r.clips[0].result, "pairs_max"), 0);
  EXPECT_LT(r.clips[0].result.steps_total, 1.5 * r.clips[0].result.steps);
  // What was chosen and what was said can be run again as a scene.
  const SceneConfig again = load_scene(path("take/scene.toml"));
  EXPECT_EQ(again.bodies.size(), 1u);
  EXPECT_TRUE(again.contact.present);
}

}  // namespace
}  // namespace supple
