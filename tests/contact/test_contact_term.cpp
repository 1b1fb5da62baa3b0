#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <random>

#include "supple/contact/contact_bodies.h"
#include "supple/contact/contact_term.h"
#include "supple/energy/check_derivatives.h"
#include "supple/linalg/pattern_union.h"

namespace supple {
namespace {

struct Two {
  TetMesh mesh;
  ContactSpec spec;
  std::vector<char> driven;
};

// Two boxes, the upper one a little turned and half a thickness above the lower. embedded: their surfaces hang on tets
// that are larger than they are.
Two two_boxes(bool embedded, double gap = 0.005) {
  Two two;
  two.spec.thickness = 0.01;
  for (int k = 0; k < 2; ++k) {
    const double low = k == 0 ? -0.2 : gap;
    TetMesh box = make_box(2, 1, 2, Vec3(0.4, 0.2, 0.4), Vec3(-0.2, low, -0.2));
    if (k == 1)
      for (Vec3& x : box.vertices) x = Vec3(0.9 * x[0] - 0.3 * x[2], x[1] + 0.004 * x[0], 0.3 * x[0] + 0.9 * x[2]);
    const int shift = two.mesh.n_vertices();
    TetMesh carrier = box;
    if (embedded)
      for (Vec3& x : carrier.vertices) x = 1.5 * (x - Vec3(0, low, 0)) + Vec3(0, low - 0.05, 0);
    std::vector<Tet> tets;
    for (const Tet& t : carrier.tets) tets.push_back({t[0] + shift, t[1] + shift, t[2] + shift, t[3] + shift});
    two.mesh.vertices.insert(two.mesh.vertices.end(), carrier.vertices.begin(), carrier.vertices.end());
    two.mesh.tets.insert(two.mesh.tets.end(), tets.begin(), tets.end());
    if (embedded) {
      const TriMesh surface = boundary_surface(box);
      add_surface(two.spec, surface, embed(carrier, surface.vertices), tets, "box");
    } else {
      add_boundary(two.spec, tets, "box");
    }
  }
  two.driven.assign(two.mesh.vertices.size(), 0);
  return two;
}

class Term : public testing::TestWithParam<bool> {};

TEST_P(Term, derivatives_agree_with_differences) {
  Two two = two_boxes(GetParam());
  two.spec.planes = {{Vec3(0.1, 1, 0).normalized(), -0.222}};
  ContactTerm term(std::make_shared<ContactSurface>(two.spec, two.mesh.vertices, two.driven),
                   {.thickness = two.spec.thickness, .friction = 0.4, .slip_speed = 0.01});
  const Eigen::Index n = 3 * two.mesh.n_vertices();
  std::mt19937 random(2);
  std::uniform_real_distribution<double> unit(-1, 1);
  const VecX zero = VecX::Zero(n);
  VecX u(n);
  for (double& x : u) x = 5e-4 * unit(random);
  term.begin_step(zero, VecX(), 1e4, {});
  term.begin_stage(zero, VecX(), 0.02, 2);
  term.look(u, 1);
  EXPECT_GT(term.count(u).pairs, 10);
  const DerivativeCheck check = check_derivatives(term, {u, zero, zero, 0, 0}, {.step = 1e-5});
  EXPECT_TRUE(check.energy_checked);
  EXPECT_TRUE(check.ok(2e-5)) << check.text();
}
INSTANTIATE_TEST_SUITE_P(Embedded, Term, testing::Values(false, true));

TEST(ContactTerm, obstacles_push_and_their_advance_is_the_derivative) {
  Two two = two_boxes(false);
  TriMesh plate;
  plate.vertices = {Vec3(-1, 0.209, -1), Vec3(1, 0.21, -1), Vec3(-1, 0.208, 1), Vec3(1, 0.209, 1.1)};
  plate.triangles = {{0, 1, 2}, {1, 3, 2}};
  add_obstacle(two.spec, plate, "plate");
  ContactTerm term(std::make_shared<ContactSurface>(two.spec, two.mesh.vertices, two.driven),
                   {.thickness = two.spec.thickness, .friction = 0.4, .slip_speed = 0.01});
  const VecX zero = VecX::Zero(3 * two.mesh.n_vertices());
  VecX from(12), to(12);
  for (int i = 0; i < 4; ++i) {
    from.segment<3>(3 * i) = plate.vertices[i];
    to.segment<3>(3 * i) = plate.vertices[i] + Vec3(0.001, -0.0005, 0.0003);
  }
  term.begin_step(zero, from, 1e4, {});
  term.begin_stage(zero, to, 0.02, 1);
  EXPECT_TRUE(term.obstacles_move());
  auto residual = [&](double progress) {
    term.look(zero, progress);
    VecX r = VecX::Zero(zero.size());
    term.add({zero, zero, zero, 0, 0, progress}, {.residual = &r});
    return r;
  };
  const VecX difference = (residual(0.5 + 1e-4) - residual(0.5 - 1e-4)) / 2e-4;
  residual(0.5);
  VecX rate = VecX::Zero(zero.size());
  term.add_advance({zero, zero, zero, 0, 0, 0.5}, 1, rate);
  EXPECT_GT(difference.cwiseAbs().maxCoeff(), 1);
  EXPECT_LT((rate - difference).cwiseAbs().maxCoeff(), 1e-4 * difference.cwiseAbs().maxCoeff());
}

TEST(ContactTerm, forces_between_bodies_cancel) {
  const Two two = two_boxes(true);
  ContactTerm term(std::make_shared<ContactSurface>(two.spec, two.mesh.vertices, two.driven),
                   {.thickness = two.spec.thickness, .friction = 0, .slip_speed = 0.01});
  const VecX zero = VecX::Zero(3 * two.mesh.n_vertices());
  term.begin_step(zero, VecX(), 1e4, {});
  term.begin_stage(zero, VecX(), 0.02, 2);
  const VecX f = term.force(zero);
  Vec3 sum = Vec3::Zero(), upper = Vec3::Zero(), moment = Vec3::Zero();
  for (int i = 0; i < two.mesh.n_vertices(); ++i) {
    const Vec3 one = f.segment<3>(3 * i);
    sum += one;
    moment += two.mesh.vertices[i].cross(one);
    if (i >= two.mesh.n_vertices() / 2) upper += one;
  }
  EXPECT_GT(upper[1], 1);
  EXPECT_LT(sum.norm(), 1e-9 * upper.norm());
  EXPECT_LT(moment.norm(), 1e-9 * upper.norm());
  // What the upper one does to the lower one is all there is.
  const VecX of_others = term.force_of_others(zero, two.mesh.n_vertices() / 2);
  EXPECT_LT((of_others.head(f.size() / 2) - f.head(f.size() / 2)).norm(), 1e-9 * f.norm());
  EXPECT_EQ(of_others.tail(f.size() / 2).norm(), 0);
}

TEST(ContactTerm, a_step_ends_before_the_surfaces_meet) {
  const Two two = two_boxes(false);
  ContactTerm term(std::make_shared<ContactSurface>(two.spec, two.mesh.vertices, two.driven),
                   {.thickness = two.spec.thickness, .friction = 0, .slip_speed = 0.01});
  const VecX zero = VecX::Zero(3 * two.mesh.n_vertices());
  VecX down = zero;
  for (int i = two.mesh.n_vertices() / 2; i < two.mesh.n_vertices(); ++i) down[3 * i + 1] = -1;
  term.begin_step(zero, VecX(), 1e4, {});
  term.begin_stage(zero, VecX(), 0.02, 1);
  const double s = term.safe_step({zero, zero, zero, 0, 0}, down, 0);
  EXPECT_GT(s, 0.002);
  EXPECT_LT(s, 0.005);
  double energy = 0;
  const VecX there = s * down;
  term.add({there, zero, zero, 0, 0}, {.energy = &energy});
  EXPECT_TRUE(std::isfinite(energy));
  EXPECT_EQ(term.safe_step({zero, zero, zero, 0, 0}, -down, 0), 1);
}

TEST(ContactTerm, what_is_inside_is_led_out_and_what_is_at_rest_is_left_alone) {
  Two two = two_boxes(false, -0.03);  // the upper one sunk into the lower
  ContactTerm term(std::make_shared<ContactSurface>(two.spec, two.mesh.vertices, two.driven),
                   {.thickness = two.spec.thickness, .friction = 0, .slip_speed = 0.01});
  const VecX zero = VecX::Zero(3 * two.mesh.n_vertices());
  VecX apart = zero;
  for (int i = two.mesh.n_vertices() / 2; i < two.mesh.n_vertices(); ++i) apart[3 * i + 1] = 0.1;
  term.begin_step(apart, VecX(), 1e4, {});
  term.begin_stage(apart, VecX(), 0.02, 1);
  EXPECT_EQ(term.count(apart).tangled, 0);
  EXPECT_EQ(term.force(apart).norm(), 0);
  // Whether things are inside one another is judged beside how they are at rest, so rest is put apart for this.
  Two rest = two_boxes(false, 0.07);
  ContactTerm judged(std::make_shared<ContactSurface>(rest.spec, rest.mesh.vertices, rest.driven),
                     {.thickness = rest.spec.thickness, .friction = 0, .slip_speed = 0.01});
  judged.begin_step(-apart, VecX(), 1e4, {});
  judged.begin_stage(-apart, VecX(), 0.02, 1);
  const ContactCount count = judged.count(-apart);
  EXPECT_GT(count.tangled, 4);
  EXPECT_GT(count.deepest, 0.02);
  EXPECT_EQ(count.bodies.size(), 2u);
  const VecX f = judged.force(-apart);
  Vec3 upper = Vec3::Zero();
  for (int i = rest.mesh.n_vertices() / 2; i < rest.mesh.n_vertices(); ++i) upper += f.segment<3>(3 * i);
  EXPECT_GT(upper[1], 0);
}

TEST(PatternUnion, sums_matrices_of_two_patterns) {
  PatternBuilder a(4), b(4);
  a.couple(0, 1), a.couple(2, 3);
  b.couple(0, 3), b.couple(0, 1);
  const auto pa = a.build(), pb = b.build();
  BlockMatrix x(pa), y(pb), sum;
  for (size_t i = 0; i < x.values.size(); ++i) x.values[i] = static_cast<double>(i);
  for (size_t i = 0; i < y.values.size(); ++i) y.values[i] = 0.5 * static_cast<double>(i);
  const PatternUnion both(pa, pb);
  both.add(x, y, sum);
  EXPECT_EQ(sum.dense(), x.dense() + y.dense());
  EXPECT_EQ(PatternUnion(both.pattern(), pb).pattern(), both.pattern());
}

}  // namespace
}  // namespace supple
