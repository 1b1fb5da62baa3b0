#include <gtest/gtest.h>

#include "supple/base/error.h"
#include "supple/contact/contact_bodies.h"
#include "supple/contact/contact_surface.h"
#include "supple/contact/tangles.h"

namespace supple {
namespace {

// Two boxes `gap` apart in y.
ContactSpec boxes(double gap, Points& rest) {
  ContactSpec spec;
  spec.thickness = 0.01;
  for (int k = 0; k < 2; ++k) {
    const TetMesh box = make_box(4, 4, 4, Vec3::Constant(1), Vec3(0.03 * k, k * (1 + gap), 0.02 * k));
    std::vector<Tet> tets;
    const int shift = static_cast<int>(rest.size());
    for (const Tet& t : box.tets) tets.push_back({t[0] + shift, t[1] + shift, t[2] + shift, t[3] + shift});
    rest.insert(rest.end(), box.vertices.begin(), box.vertices.end());
    add_boundary(spec, tets, "box");
  }
  return spec;
}

TEST(Tangles, points_inside_are_led_out_the_shortest_way) {
  Points rest;
  const ContactSpec spec = boxes(0.5, rest);
  const ContactSurface surface(spec, rest, std::vector<char>(rest.size(), 0));
  BroadPhase broad(surface.shape());
  TangleFinder finder(surface.shape(), 0.005);
  EXPECT_TRUE(finder.find(broad, surface.shape().rest, {}).released.empty());
  // The upper one sunk by 0.6 into the lower one, which is 0.1 deep.
  Points x = surface.shape().rest;
  for (size_t i = 0; i < x.size(); ++i)
    if (surface.body()[i] == 1) x[i][1] -= 0.6;
  const Tangles all = finder.find(broad, x, {});
  ASSERT_FALSE(all.released.empty());
  ASSERT_FALSE(all.pushes.empty());
  double deepest = 0;
  for (const Push& p : all.pushes) {
    EXPECT_TRUE(all.released[static_cast<size_t>(p.point)]);
    EXPECT_NEAR(p.weights.sum(), 1, 1e-9);
    EXPECT_NE(surface.body()[static_cast<size_t>(p.point)], surface.body()[static_cast<size_t>(p.corners[0])]);
    EXPECT_LT(p.depth, 0.1 + 1e-9);
    deepest = std::max(deepest, p.depth);
  }
  EXPECT_GT(deepest, 0.09);
  // With what was tangled a step ago the answer is the same, from fewer questions.
  EXPECT_EQ(finder.find(broad, x, all.released).released, all.released);
}

TEST(ContactSurface, points_are_carried_and_what_is_prescribed_is_added) {
  Points rest;
  ContactSpec spec = boxes(0.5, rest);
  add_obstacle(spec, {.vertices = {Vec3(5, 0, 0), Vec3(6, 0, 0), Vec3(5, 1, 0)}, .triangles = {{0, 1, 2}}}, "wall");
  const ContactSurface surface(spec, rest, std::vector<char>(rest.size(), 0));
  EXPECT_EQ(surface.n_obstacle_points(), 3);
  const int n = surface.n_points();
  VecX u = VecX::Zero(3 * static_cast<Eigen::Index>(rest.size()));
  for (Eigen::Index i = 0; i < u.size(); i += 3) u[i] = 0.25;
  VecX prescribed = VecX::Zero(9 + 3 * n);
  prescribed.head(9) = surface.obstacle_rest();
  prescribed[9 + 1] = 0.5;  // point 0, in y
  const Points x = surface.places(u, prescribed);
  EXPECT_LT((x[0] - surface.shape().rest[0] - Vec3(0.25, 0.5, 0)).norm(), 1e-12);
  EXPECT_LT((x[1] - surface.shape().rest[1] - Vec3(0.25, 0, 0)).norm(), 1e-12);
  EXPECT_LT((x[static_cast<size_t>(n - 1)] - Vec3(5, 1, 0)).norm(), 1e-12);
  EXPECT_TRUE(surface.shape().fixed[static_cast<size_t>(n - 1)]);
  spec.anchors[0].vertex[0] = 100000;
  EXPECT_THROW(ContactSurface(spec, rest, std::vector<char>(rest.size(), 0)), InputError);
}

}  // namespace
}  // namespace supple
