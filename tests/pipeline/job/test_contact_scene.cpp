// What the flesh of a scene can touch: keys, files, the model that is made of it.
#include <gtest/gtest.h>

#include <cmath>

#include "supple/demos/gallery/bar.h"
#include "supple/demos/gallery/toys.h"
#include "supple/io/obj.h"
#include "supple/io/point_cache.h"
#include "supple/io/tets/tet_formats.h"
#include "supple/mesh/solid_surface.h"
#include "supple/pipeline/job/contact_setup.h"
#include "supple/pipeline/run/contact_log.h"
#include "supple/pipeline/setup/surroundings.h"
#include "supple/scene/read_scene.h"
#include "tests/scene/scene_files.h"

namespace supple {

using namespace demos;
using namespace pipeline;
namespace {

TriMesh box_surface(const Vec3& size, const Vec3& origin) { return boundary_surface(make_box(1, 1, 1, size, origin)); }

class ContactScene : public SceneFiles {
 protected:
  // A bar held at one end, and what the text adds.
  SceneConfig scene(const std::string& text, const std::vector<std::string>& set = {}) {
    const Bar bar = make_bar({.size = {0.5, 0.1, 0.1}, .cells = {5, 1, 1}});
    write_tet_mesh(path("bar.msh"), bar.tets);
    write_obj(path("ball.obj"), make_ball(0.1, 4));
    write_obj(path("floor.obj"), box_surface({2, 0.1, 2}, {-1, -0.6, -1}));
    return load_scene(write("s.toml", "[tets]\nfile = \"bar.msh\"\n[attach]\nvertices = [0, 1, 2, 3]\n" + text), set);
  }
  std::string fault(const std::string& text, const std::vector<std::string>& set = {}) {
    try {
      const Job job = build_job(scene(text, set));
      std::vector<std::string> warnings;
      set_up_contact(job, warnings);
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  }
};

TEST_F(ContactScene, nothing_touches_unless_asked_for) {
  std::vector<std::string> warnings;
  for (const char* text : {"", "[contact]\nself = false\n"}) {
    const Job job = build_job(scene(text));
    EXPECT_EQ(job.surroundings, nullptr) << text;
    EXPECT_EQ(set_up_contact(job, warnings), nullptr);
  }
  for (const char* text : {"[contact]\n", "[[contact.plane]]\n", "[[contact.obstacle]]\nfile = \"floor.obj\"\n",
                           "[[body]]\nname = \"ball\"\nfile = \"ball.obj\"\nposition = [0, 1, 0]\n"})
    EXPECT_NE(set_up_contact(build_job(scene(text)), warnings), nullptr) << text;
  EXPECT_TRUE(has_contact(scene("", {"contact.friction=0.5"})));
  EXPECT_EQ(scene("[[body]]\nname = \"b\"\nfile = \"ball.obj\"\n", {"body.b.material.density=7"}).bodies[0].density, 7);
}

TEST_F(ContactScene, other_bodies_come_last_and_no_dial_is_about_them) {
  const Job job = build_job(scene(R"([controls]
sag = 3
[contact]
thickness = 0.002
friction = 0.1
[[contact.plane]]
point = [0, -1, 0]
[[contact.obstacle]]
file = "floor.obj"
[[body]]
name = "ball"
file = "ball.obj"
edge = 0.1
position = [0, 0.5, 0]
scale = 0.5
velocity = [1, 2, 3]
spin = [0, 180, 0]
material = { youngs_modulus = 5e4, density = 400, stiffness_damping = 0.01 }
)"));
  std::vector<std::string> warnings;
  const auto setup = set_up_contact(job, warnings);
  const ModelSpec& spec = setup->model->spec();
  const int own = job.body->model->n_vertices();
  EXPECT_EQ(setup->model->n_own(), own);
  EXPECT_EQ(spec.contact.thickness, 0.002);
  EXPECT_EQ(spec.contact.planes[0].offset, -1);
  EXPECT_EQ(static_cast<int>(spec.contact.obstacle_rest.size()), 8);
  ASSERT_GT(spec.n_bystanders, 4);
  // Gravity of the body is thrice what it was, that of the ball what it is.
  const VecX g = setup->model->gravity_force();
  double own_pull = 0, ball_pull = 0, own_mass = 0, ball_mass = 0;
  for (int v = 0; v < setup->model->n_vertices(); ++v) {
    (v < own ? own_pull : ball_pull) -= g[3 * v + 1];
    (v < own ? own_mass : ball_mass) += setup->model->mass()->per_vertex()[v];
  }
  EXPECT_NEAR(own_pull / own_mass, 3 * 9.81, 1e-9);
  EXPECT_NEAR(ball_pull / ball_mass, 9.81, 1e-9);
  EXPECT_NEAR(ball_mass, 400 * 4.0 / 3 * M_PI * std::pow(0.05, 3), 0.1 * ball_mass);
  // Without them it is the body alone again.
  const ModelSpec alone = without_bystanders(spec);
  EXPECT_EQ(alone.mesh.vertices, job.body->model->mesh().vertices);
  EXPECT_LT((Model(alone).gravity_force() - job.body->model->gravity_force()).norm(), 1e-12 * own_pull);
  // It moves as a whole, and turns about its centre.
  Vec3 mean = Vec3::Zero();
  double turning = 0;
  for (int i = 0; i < spec.n_bystanders; ++i) {
    const Vec3 v = setup->velocity.segment<3>(3 * i), x = spec.mesh.vertices[static_cast<size_t>(own + i)];
    mean += v / spec.n_bystanders;
    turning = std::max(turning, (v - Vec3(1, 2, 3) - M_PI * Vec3::UnitY().cross(x - Vec3(0, 0.5, 0))).norm());
  }
  EXPECT_LT((mean - Vec3(1, 2, 3)).norm(), 0.05);
  EXPECT_LT(turning, 0.02);
  EXPECT_EQ(setup->names, (std::vector<std::string>{"the body", "ball", "floor"}));
  ASSERT_EQ(setup->name_of.size(), spec.contact.anchors.size());
}

TEST_F(ContactScene, the_surface_in_contact_is_the_chosen_one) {
  std::vector<std::string> warnings;
  const TetMesh bar = make_bar({.size = {0.5, 0.1, 0.1}, .cells = {5, 1, 1}}).tets;
  write_obj(path("skin.obj"), box_surface({0.48, 0.08, 0.08}, {0.01, -0.04, -0.04}));
  const std::string surface = "[surface]\nfile = \"skin.obj\"\n";
  auto setup = set_up_contact(build_job(scene(surface + "[contact]\n")), warnings);
  EXPECT_EQ(setup->surface, "drawn");
  EXPECT_EQ(setup->model->spec().contact.triangles.size(), 12u);
  setup = set_up_contact(build_job(scene(surface + "[contact]\nsurface = \"tets\"\n")), warnings);
  EXPECT_EQ(setup->surface, "tets");
  EXPECT_EQ(setup->model->spec().contact.triangles.size(), boundary_triangles(bar.tets).size());
}

TEST_F(ContactScene, caches_move_obstacles_at_their_own_rate) {
  const SceneConfig plain = scene("");  // writes the files
  const TriMesh floor = read_obj(path("floor.obj"));
  PointCache cache;
  for (int s = 0; s < 9; ++s) {
    Points x = floor.vertices;
    for (Vec3& p : x) p.y() += 0.25 * s;
    cache.add(flatten(x));
    cache.times.push_back(0.5F + 0.125F * static_cast<float>(s));
  }
  cache.start = 12, cache.rate = 3;
  write_pc2(path("floor.pc2"), cache);
  write_mdd(path("floor.mdd"), cache);
  for (const char* file : {"floor.pc2", "floor.mdd"}) {
    const Job job = build_job(
        scene(std::string("[[contact.obstacle]]\nfile = \"floor.obj\"\nscale = 2\ncache = \"") + file + "\"\n"));
    std::vector<std::string> warnings;
    const auto setup = set_up_contact(job, warnings);
    ASSERT_TRUE(setup->obstacles) << file;
    // 12 frames of 24 a second are half a second, 3 of them an eighth.
    EXPECT_NEAR(setup->obstacles->at(1.0)[1], 2 * (floor.vertices[0].y() + 0.25 * 4), 1e-6) << file;
    EXPECT_NEAR(setup->obstacles->at(1.0, 1)[1], 2 * 0.25 / 0.125, 1e-4) << file;
    EXPECT_NEAR(setup->obstacles->at(9.0)[1], 2 * (floor.vertices[0].y() + 0.25 * 8), 1e-6) << file;
  }
}

TEST_F(ContactScene, mistakes_are_told_where_they_are) {
  const std::string obstacle = "[[contact.obstacle]]\nfile = \"", body = "[[body]]\nname = \"b\"\nfile = \"";
  write("empty.obj", "");
  write("cloud.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n");
  write("nan.obj", "v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  write("flat.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n");
  write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n");
  PointCache small;
  small.add(VecX::Zero(9));
  write_pc2(path("small.pc2"), small);
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"[contact]\nthickness = 0\n", "s.toml:6"},
      {"[contact]\nthickness = 0\n", "above 0"},
      {"[contact]\nfriction = -1\n", "at least 0"},
      {"[contact]\nfriktion = 1\n", "friction"},
      {"[contact]\nsurface = \"skin\"\n", "drawn"},
      {"[contact]\nself = 1\n", "true or false"},
      {"[contact.obstacle]\nfile = \"floor.obj\"\n", "[[contact.obstacle]]"},
      {"[[contact.obstacle]]\nname = \"x\"\n", "lacks file"},
      {"[[contact.plane]]\nnormal = [0, 0, 0]\n", "no direction"},
      {"[[contact.plane]]\nnormal = [0, nan, 0]\n", "finite"},
      {obstacle + "none.obj\"\n", "there is no file"},
      {obstacle + "empty.obj\"\n", "empty.obj"},
      {obstacle + "cloud.obj\"\n", "no faces"},
      {obstacle + "nan.obj\"\n", "nan.obj"},
      {obstacle + "flat.obj\"\n", "no faces"},
      {obstacle + "floor.obj\"\nscale = 0\n", "above 0"},
      {obstacle + "floor.obj\"\nclip = \"a\"\n", "clips"},
      {obstacle + "floor.obj\"\ncache = \"small.pc2\"\n", "moves 3 points"},
      {"[[body]]\nfile = \"ball.obj\"\n", "lacks name"},
      {body + "ball.obj\"\n[[body]]\nname = \"b\"\nfile = \"ball.obj\"\n", "two bodies"},
      {"[[body]]\nname = \"a/b\"\nfile = \"ball.obj\"\n", "file's name"},
      {body + "cloud.obj\"\n", "no faces"},
      {body + "open.obj\"\nrigid = true\n", "is open"},
      {body + "ball.obj\"\nrigid = true\nmaterial.youngs_modulus = 1\n", "rigid body"},
      {body + "ball.obj\"\nmaterial = { density = -1 }\n", "above 0"},
      {body + "ball.obj\"\nmaterial = { denzity = 1 }\n", "material.density"},
      {body + "ball.obj\"\nmaterial = { half_life_s = 1, stiffness_damping = 1 }\n", "exclude"},
      {body + "ball.obj\"\nmaterial = 5\n", "material"},
      {body + "ball.obj\"\nvelocity = 5\n", "velocity"},
  };
  for (const auto& [text, part] : cases) {
    const std::string what = fault(text);
    EXPECT_NE(what.find(part), std::string::npos) << text << "->" << what;
  }
  EXPECT_NE(fault("", {"contact.obstacle.file=x.obj"}).find("not by --set"), std::string::npos);
  EXPECT_NE(fault(body + "ball.obj\"\n", {"body.c.scale=2"}).find("named c"), std::string::npos);
  // What is odd but can be done.
  EXPECT_EQ(fault(obstacle + "open.obj\"\n"), "");
  EXPECT_EQ(fault(body + "open.obj\"\nedge = 0.2\n"), "");
}

TEST(SolidSurface, moments_are_those_of_a_box) {
  const Vec3 size(0.2, 0.5, 0.3), origin(1, -2, 3);
  TriMesh box = box_surface(size, origin);
  EXPECT_TRUE(is_closed(box));
  const SolidMoments m = solid_moments(box, 800);
  const double mass = 800 * size.prod();
  EXPECT_NEAR(m.mass, mass, 1e-10 * mass);
  EXPECT_LT((m.centre - origin - size / 2).norm(), 1e-12);
  const Mat3 second = (mass / 12 * size.cwiseAbs2()).asDiagonal();
  EXPECT_LT((m.second - second).norm(), 1e-10 * second.norm());
  for (Tri& t : box.triangles) std::swap(t[0], t[1]);
  turn_outwards(box);
  EXPECT_NEAR(solid_moments(box, 800).mass, mass, 1e-10 * mass);
  box.triangles.pop_back();
  EXPECT_FALSE(is_closed(box));
}

TEST(SolidSurface, four_points_have_the_moments_of_the_body) {
  TriMesh bean = make_bean(0.4, 6);
  const Mat3 turn = Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  for (Vec3& x : bean.vertices) x = turn * x + Vec3(0.3, -0.2, 1);
  const SolidMoments m = solid_moments(bean, 500);
  EXPECT_GT(m.mass, 1);
  const Points points = equal_points(m);
  Vec3 centre = Vec3::Zero();
  Mat3 second = Mat3::Zero();
  for (const Vec3& x : points) {
    centre += x / 4;
    second += m.mass / 4 * (x - m.centre) * (x - m.centre).transpose();
  }
  EXPECT_LT((centre - m.centre).norm(), 1e-12);
  EXPECT_LT((second - m.second).norm(), 1e-12 * second.norm());
  EXPECT_GT(tet_volume(points[0], points[1], points[2], points[3]), 0);
}

TEST(Toys, are_closed_and_hold_what_they_should) {
  for (const TriMesh& toy : {make_ball(0.5, 7), make_ring(0.3, 0.1), make_bean(0.4)}) EXPECT_TRUE(is_closed(toy));
  EXPECT_NEAR(solid_moments(make_ball(0.5, 30), 1).mass, 4.0 / 3 * M_PI * 0.125, 2e-3);
  EXPECT_NEAR(solid_moments(make_ring(0.3, 0.1, 200), 1).mass, 2 * M_PI * M_PI * 0.3 * 0.01, 2e-4);
  EXPECT_GT(solid_moments(make_bean(0.4), 1).mass, 0);
}

TEST(ContactWatch, frames_are_told_as_ranges) {
  EXPECT_EQ(frame_ranges({3}), "3");
  EXPECT_EQ(frame_ranges({1, 2, 3, 7, 9, 10}), "1-3, 7, 9-10");
}

}  // namespace
}  // namespace supple
