// What a scene may say of a character besides its file: rest shapes, vertices, proxies, tracks, and a cache for a clip.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "supple/base/error.h"
#include "supple/demos/gallery/pear.h"
#include "supple/io/gltf/gltf_read.h"
#include "supple/io/gltf/gltf_write.h"
#include "supple/io/obj.h"
#include "supple/io/point_cache.h"
#include "supple/pipeline/character/character_subject.h"
#include "supple/pipeline/deliver/delivered_run.h"
#include "supple/pipeline/run/run.h"
#include "supple/scene/read_scene.h"
#include "supple/scene/write_scene.h"
#include "tests/scene/shared_stages.h"

namespace supple {

using namespace demos;
using namespace pipeline;
namespace {

class CharacterInputs : public SharedStages {
 protected:
  void SetUp() override {
    SharedStages::SetUp();
    write_gltf(path("pear.glb"), make_pear({.rings = 20, .segments = 16, .unit = kUnit}), {.colors = pear_colors()});
  }
  // The pear is 1.6 m high.
  SceneConfig scene(std::vector<std::string> set) const {
    set.insert(set.end(), {"tets.count=1200", "surface.scale=0.01", "output.formats=[\"pc2\"]", "output.report=false"});
    return load_character_scene(path("pear.glb"), set);
  }
  Job still(const std::vector<std::string>& set) const { return build_job(scene(set), false); }
  RunResult run(const Job& job, const std::string& name) const {
    RunOptions options{.directory = path(name), .overwrite = true};
    RunResult r = run_job(job, options);
    EXPECT_EQ(r.status, RunStatus::done) << r.message;
    return r;
  }
  std::string fault(const std::vector<std::string>& set, bool with_motion = false) const {
    try {
      build_job(scene(set), with_motion);
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  }
  // A ball in the units of the file.
  void write_ball(const std::string& name, const Vec3& centre, double radius, bool closed = true) const {
    TriMesh ball;
    ball.vertices = {Vec3::UnitX(), -Vec3::UnitX(), Vec3::UnitY(), -Vec3::UnitY(), Vec3::UnitZ(), -Vec3::UnitZ()};
    for (Vec3& x : ball.vertices) x = kUnit * (centre + radius * x);
    ball.triangles = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}};
    if (closed) ball.triangles.push_back({0, 3, 5});
    write_obj(path(name), ball);
  }
  static bool driven(const Job& job, int v) {
    return std::find(job.body->base.driven.begin(), job.body->base.driven.end(), v) != job.body->base.driven.end();
  }
  static double worst(const Points& a, const Points& b) {
    double d = 0;
    for (size_t i = 0; i < a.size(); ++i) d = std::max(d, (a[i] - b[i]).norm());
    return d;
  }
  static constexpr double kUnit = 100;
};

// Without gravity, flesh whose rest shape is a frame of the clip has no stress there, and has some elsewhere.
TEST_F(CharacterInputs, a_frame_of_the_clip_is_at_rest_in_that_frame) {
  const std::vector<std::string> set = {"surface.clip=twist", "world.gravity=[0,0,0]", "timeline.range=[0,7]",
                                        "timeline.loop=false", "output.shape=simulated"};
  const auto off = [&](const std::string& rest, int frame) {
    auto all = set;
    all.push_back("surface.rest=" + rest);
    const Job job = build_job(scene(all));
    for (const std::string& w : job.notes.warnings) EXPECT_EQ(w.find("folded"), std::string::npos) << w;
    run(job, "run");
    const PointCache p = read_pc2(path("run/static.pc2"));
    return worst(p.points(frame), posed(job.subject->character()->setup().flesh.points,
                                        job.subject->character()->clip().poses[static_cast<size_t>(frame)]));
  };
  EXPECT_LT(off("frame:6", 6), 1e-5);
  EXPECT_GT(off("frame:6", 0), 1e-3);
  EXPECT_GT(off("weightless", 6), 1e-3);
}

TEST_F(CharacterInputs, a_file_gives_the_rest_shape_and_the_inside_goes_along) {
  const Job plain = still({"surface.rest=weightless"});
  const Points& bound = plain.subject->character()->setup().cage.mesh.vertices;
  TriMesh shape = plain.surface.mesh;
  Mat3 A = Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  A.col(1) *= 1.2;
  const Vec3 t(0.1, 0.2, -0.3);
  for (Vec3& x : shape.vertices) x = kUnit * (A * x + t);
  write_obj(path("shape.obj"), shape);
  const Job job = still({"surface.rest=" + path("shape.obj")});
  Points expected = bound;
  for (Vec3& x : expected) x = A * x + t;
  EXPECT_LT(worst(job.body->base.mesh.vertices, expected), 2e-3);
  EXPECT_GT(worst(job.body->base.mesh.vertices, bound), 0.1);
  // It is stretched, and so is heavier: what is measured is that shape.
  double before = 0, after = 0;
  for (double v : tet_volumes(plain.body->base.mesh)) before += v;
  for (double v : tet_volumes(job.body->base.mesh)) after += v;
  EXPECT_NEAR(after / before, 1.2, 0.01);
  // A scene that is written elsewhere still finds the file.
  const SceneConfig written = scene({"surface.rest=" + path("shape.obj")});
  EXPECT_NE(to_toml(written, path("take")).find("shape.obj"), std::string::npos);

  shape.vertices.pop_back();
  const int last = static_cast<int>(shape.vertices.size());
  std::erase_if(shape.triangles, [&](const Tri& q) { return q[0] == last || q[1] == last || q[2] == last; });
  shape.uvs.clear(), shape.normals.clear(), shape.colors.clear();
  write_obj(path("short.obj"), shape);
  EXPECT_NE(fault({"surface.rest=" + path("short.obj")}).find(std::to_string(last) + " vertices"), std::string::npos);
}

TEST_F(CharacterInputs, rest_shapes_that_make_no_sense_are_refused) {
  EXPECT_NE(fault({"surface.clip=hop", "surface.rest=frame:4000"}).find("frames 0 to 48"), std::string::npos);
  EXPECT_NE(fault({"surface.rest=" + path("shape.ply")}).find(".obj"), std::string::npos);
  TriMesh mirrored = still({"surface.rest=weightless"}).surface.mesh;
  for (Vec3& x : mirrored.vertices) x = kUnit * Vec3(-x.x(), x.y(), x.z());
  write_obj(path("mirrored.obj"), mirrored);
  EXPECT_NE(fault({"surface.rest=" + path("mirrored.obj")}).find("inside out"), std::string::npos);
  for (const char* text : {"frame:", "frame:-1", "frame:1.5", "frame:99999999999", "autored"})
    EXPECT_THROW(scene({std::string("surface.rest=") + text}), InputError) << text;
}

TEST_F(CharacterInputs, vertices_are_the_core_and_the_rest_is_soft) {
  const Job by_rule = still({});
  const TetMesh& cage = by_rule.subject->character()->setup().cage.mesh;
  int middle = 0;
  for (int v = 0; v < cage.n_vertices(); ++v)
    if ((cage.vertices[v] - Vec3(0, 0.7, 0)).norm() < (cage.vertices[middle] - Vec3(0, 0.7, 0)).norm()) middle = v;
  const std::string list = "attach.vertices=[" + std::to_string(middle) + "]";
  const Job job = still({list});
  EXPECT_TRUE(driven(job, middle));
  EXPECT_LT(job.body->base.driven.size(), by_rule.body->base.driven.size());
  // With bones named as well, both follow.
  const Job both = still({list, "attach.joints=[\"head\"]", "attach.radius=0.1"});
  EXPECT_TRUE(driven(both, middle));
  EXPECT_GT(both.body->base.driven.size(), job.body->base.driven.size());
  // By a spring: it is free, and the last spring is its own.
  const Job soft = still({list, "attach.stiffness=1234"});
  EXPECT_FALSE(driven(soft, middle));
  ASSERT_EQ(soft.body->base.spring_strengths.size(), soft.body->base.springs.size());
  EXPECT_EQ(soft.body->base.spring_strengths.back(), 1234);
  EXPECT_EQ(soft.body->base.springs.back().weights.maxCoeff(), 1);

  EXPECT_NE(fault({"attach.vertices=[99999]"}).find("there is no tet vertex 99999"), std::string::npos);
  EXPECT_NE(fault({"attach.vertices=[3, 3]"}).find("twice"), std::string::npos);
}

TEST_F(CharacterInputs, what_is_inside_a_proxy_follows) {
  const Vec3 centre(0, 0.6, 0);
  write_ball("core.obj", centre, 0.25);
  const Job job = still({"attach.points=" + path("core.obj")});
  const TetMesh& cage = job.subject->character()->setup().cage.mesh;
  int inside = 0;
  for (int v = 0; v < cage.n_vertices(); ++v) {
    const Vec3 d = (cage.vertices[v] - centre).cwiseAbs();
    if (d.sum() > 0.249) continue;  // an octahedron
    EXPECT_TRUE(driven(job, v)) << v;
    ++inside;
  }
  EXPECT_GT(inside, 3);
  EXPECT_LT(job.body->base.driven.size(), still({}).body->base.driven.size());

  write_ball("open.obj", centre, 0.25, false);
  EXPECT_NE(fault({"attach.points=" + path("open.obj")}).find("is open"), std::string::npos);
  write_ball("far.obj", Vec3(50, 0, 0), 0.25);
  EXPECT_NE(fault({"attach.points=" + path("far.obj")}).find("nothing inside"), std::string::npos);
  write_ball("tiny.obj", centre + Vec3(0.011, 0.007, 0.003), 1e-4);
  EXPECT_NE(fault({"attach.points=" + path("tiny.obj")}).find("no tet vertex"), std::string::npos);
}

TEST_F(CharacterInputs, a_track_takes_vertices_where_it_says) {
  const Job plain = still({"surface.clip=hold"});
  const TetMesh& cage = plain.subject->character()->setup().cage.mesh;
  std::string list;
  Points at;
  std::vector<int> vertices;
  for (int v = 0; v < cage.n_vertices(); ++v) {
    if ((cage.vertices[v] - Vec3(0, 0.6, 0)).norm() > 0.2) continue;
    list += (list.empty() ? "" : ",") + std::to_string(v);
    at.push_back(kUnit * cage.vertices[v]);
    vertices.push_back(v);
  }
  ASSERT_GT(vertices.size(), 2u);
  PointCache track;
  for (int f = 0; f < 49; ++f) {
    Points x = at;
    for (Vec3& p : x) p += kUnit * Vec3(0.02 * std::sin(0.4 * f), 0, 0);
    track.add(flatten(x));
  }
  write_pc2(path("core.pc2"), track);
  const std::vector<std::string> set = {"surface.clip=hold", "attach.vertices=[" + list + "]", "timeline.range=[0,8]",
                                        "output.shape=simulated"};
  auto tracked = set;
  tracked.push_back("attach.track=" + path("core.pc2"));
  run(build_job(scene(tracked)), "track");
  const PointCache x = read_pc2(path("track/tets.pc2"));
  for (int f : {0, 4, 8})
    for (size_t i = 0; i < vertices.size(); ++i)
      EXPECT_LT((x.points(f)[static_cast<size_t>(vertices[i])] - track.points(f)[i] / kUnit).norm(), 1e-6) << f;

  // The same as a rigid motion, in the units of the file.
  std::string keys = "t,tx,ty,tz,qx,qy,qz,qw\n";
  for (int f = 0; f < 49; ++f)
    keys += std::to_string(f / 24.0) + "," + std::to_string(2 * std::sin(0.4 * f)) + ",0,0,0,0,0,1\n";
  auto rigid = set;
  rigid.push_back("attach.rigid=" + write("core.csv", keys));
  run(build_job(scene(rigid)), "rigid");
  EXPECT_LT(worst(read_pc2(path("rigid/tets.pc2")).points(6), x.points(6)), 1e-4);

  auto wrong = set;
  wrong.push_back("attach.track=" + path("wrong.pc2"));
  track.n_samples = 20;
  track.xyz.resize(3 * 20 * vertices.size());
  write_pc2(path("wrong.pc2"), track);
  EXPECT_NE(fault(wrong, true).find("20 samples"), std::string::npos);
  PointCache other;
  for (int f = 0; f < 49; ++f) other.add(VecX::Zero(3));
  write_pc2(path("wrong.pc2"), other);
  EXPECT_NE(fault(wrong, true).find("moves 1 points"), std::string::npos);
  EXPECT_THROW(scene({"attach.track=" + path("core.pc2")}), InputError);  // of nothing
}

TEST_F(CharacterInputs, points_with_a_track_are_tied) {
  write_ball("proxy.obj", Vec3(0, 0.6, 0), 0.2);
  const Points at = read_obj(path("proxy.obj")).vertices;
  PointCache track;
  for (int f = 0; f < 49; ++f) {
    Points x = at;
    for (Vec3& p : x) p += kUnit * Vec3(0, 0, 0.02 * std::sin(0.4 * f));
    track.add(flatten(x));
  }
  write_pc2(path("proxy.pc2"), track);
  const Job job = build_job(scene({"surface.clip=hold", "attach.points=" + path("proxy.obj"), "timeline.range=[0,5]",
                                   "attach.track=" + path("proxy.pc2")}));
  ASSERT_EQ(job.body->base.ties.size(), 6u);
  run(job, "tied");
  const PointCache x = read_pc2(path("tied/tets.pc2"));
  for (size_t i = 0; i < at.size(); ++i) {
    const PointTie& tie = job.body->base.ties[i];
    Vec3 p = Vec3::Zero();
    for (int c = 0; c < 4; ++c) p += tie.weights[c] * x.points(4)[static_cast<size_t>(tie.vertices[c])];
    EXPECT_LT((p - track.points(4)[i] / kUnit).norm(), 1e-5) << i;
  }
}

class CachedSurface : public CharacterInputs {
 protected:
  // The pear's clip as a surface with a cache.
  void SetUp() override {
    CharacterInputs::SetUp();
    const Job job = still({"surface.clip=hop"});
    TriMesh mesh = job.surface.mesh;
    for (Vec3& x : mesh.vertices) x *= kUnit;
    mesh.colors.assign(mesh.vertices.size(), Vec3(1, 0, 0));
    for (size_t v = 0; v < mesh.vertices.size(); ++v)
      if (mesh.vertices[v].y() > 0.8 * kUnit) mesh.colors[v].setZero();
    write_obj(path("body.obj"), mesh);
    const auto delivery = job.drawing();
    for (int f = 0; f < 13; ++f) cache_.add(kUnit * flatten(delivery->base(f, VecX())));
    write_pc2(path("body.pc2"), cache_);
  }
  SceneConfig cached(const std::string& more = "") const {
    return load_scene(
        write("scene.toml",
              "[surface]\nfile = \"body.obj\"\ncache = \"body.pc2\"\nscale = 0.01\n[tets]\ncount = 1200\n" + more));
  }
  PointCache cache_;
};

TEST_F(CachedSurface, is_carried_as_the_cache_says_and_jiggles) {
  const Job job =
      build_job(cached("[attach]\nsoft = \"COLOR_0.r\"\n[output]\nformats = [\"pc2\", \"glb\"]\nreport = false\n"));
  EXPECT_EQ(job.shot.n_frames(), 13);
  const auto delivery = job.drawing();
  for (int f : {0, 6, 12})
    EXPECT_LT(worst(delivery->base(f, VecX()),
                    [&] {
                      Points x = cache_.points(f);
                      for (Vec3& p : x) p /= kUnit;
                      return x;
                    }()),
              1e-6)
        << f;
  run(job, "cached");
  const PointCache out = read_pc2(path("cached/surface.pc2"));
  ASSERT_EQ(out.n_points, cache_.n_points);
  const CharacterSetup& c = job.subject->character()->setup();
  double most = 0;
  int hard = 0;
  for (int v = 0; v < out.n_points; ++v) {
    const double d = (out.points(11)[static_cast<size_t>(v)] - cache_.points(11)[static_cast<size_t>(v)]).norm();
    most = std::max(most, d);
    if (c.skin_of[v] < 0 || c.flesh.skin_softness[c.skin_of[v]] != 0) continue;
    EXPECT_LT(d, 1e-4 * kUnit) << v;
    ++hard;
  }
  EXPECT_GT(most, 0.002 * kUnit);
  EXPECT_LT(most, 0.3 * kUnit);
  EXPECT_GT(hard, 0);
  // Its .glb is a surface of its own.
  EXPECT_EQ(read_gltf(path("cached/surface.glb")).clips.size(), 1u);
}

// Turned as a whole, its inside is turned as a whole.
TEST_F(CachedSurface, the_inside_goes_along_with_the_skin) {
  const Points bound = read_obj(path("body.obj")).vertices;
  const Mat3 R = Eigen::AngleAxisd(1.1, Vec3(0.2, 1, 0.4).normalized()).toRotationMatrix();
  PointCache turned;
  for (int f = 0; f < 3; ++f) {
    Points x = bound;
    // Bent besides: heads lean.
    for (Vec3& p : x) p = (f == 0 ? Mat3::Identity() : R) * (p + (f == 2 ? 0.002 * p.y() * p.y() : 0) * Vec3::UnitX());
    turned.add(flatten(x));
  }
  write_pc2(path("body.pc2"), turned);
  const Job job = build_job(cached(), false);
  const CharacterSetup& c = job.subject->character()->setup();
  Points expected = c.cage.mesh.vertices;
  for (Vec3& x : expected) x = R * x;
  EXPECT_LT(worst(posed(c.flesh.points, job.subject->character()->clip().poses[1]), expected), 1e-4);
  for (size_t v = 0; v < expected.size(); ++v) {
    const Vec3 x = c.cage.mesh.vertices[v];
    expected[v] = R * (x + 0.2 * x.y() * x.y() * Vec3::UnitX());
  }
  EXPECT_LT(worst(posed(c.flesh.points, job.subject->character()->clip().poses[2]), expected), 0.05);
}

TEST_F(CachedSurface, vertex_colours_paint_it) {
  const Job plain = build_job(cached(), false), painted = build_job(cached("[attach]\nsoft = \"COLOR_0.r\"\n"), false);
  const auto softest_above = [](const Job& job, double y) {
    const CharacterSetup& c = job.subject->character()->setup();
    double most = 0;
    for (size_t v = 0; v < c.skin.vertices.size(); ++v)
      if (c.skin.vertices[v].y() > y) most = std::max(most, c.flesh.skin_softness[v]);
    return most;
  };
  EXPECT_GT(softest_above(painted, 0), 0.5);
  EXPECT_EQ(softest_above(painted, 0.85), 0);
  EXPECT_GT(softest_above(plain, 0.6), 0.1);
}

TEST_F(CachedSurface, what_does_not_fit_is_refused) {
  PointCache other;
  for (int f = 0; f < 3; ++f) other.add(VecX::Zero(30));
  write_pc2(path("body.pc2"), other);
  try {
    build_job(cached(), false);
    FAIL() << "a cache of other points";
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("moves 10 points"), std::string::npos) << e.what();
  }
  EXPECT_THROW(cached("[timeline]\nfps = 24\n[attach]\ntrack = \"body.pc2\"\n"), InputError);
  EXPECT_THROW(load_scene(write("a.toml", "[surface]\nfile = \"pear.glb\"\ncache = \"body.pc2\"\n")), InputError);
  EXPECT_THROW(load_scene(write("b.toml", "[surface]\ncache = \"body.pc2\"\n")), InputError);
  EXPECT_THROW(load_scene(write("c.toml", "[surface]\nfile = \"body.obj\"\ncache = \"body.pc2\"\nclip = \"a\"\n")),
               InputError);
}

}  // namespace
}  // namespace supple
