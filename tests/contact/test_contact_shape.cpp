#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "supple/base/error.h"
#include "supple/contact/contact_shape.h"
#include "tests/contact/shapes.h"

namespace supple {
namespace {

TEST(ContactShapes, PartsEdgesAndAreas) {
  Soup both = make_sphere(3);
  const int n = static_cast<int>(both.points.size());
  both.add(make_sphere(1), {5, 0, 0});
  both.points.push_back({0, 0, 9});  // of no triangle
  both.triangles.push_back({4, 4, 7});
  const ContactShape shape = make_contact_shape(both.points, both.triangles);
  EXPECT_EQ(shape.triangles.size(), both.triangles.size() - 1);
  EXPECT_EQ(shape.edges.size(), 3 * shape.triangles.size() / 2);
  EXPECT_TRUE(std::is_sorted(shape.edges.begin(), shape.edges.end()));
  for (int i = 0; i < shape.n_points; ++i) {
    EXPECT_EQ(shape.part[i], i < n ? 0 : i + 1 < shape.n_points ? 1 : 2);
    EXPECT_FALSE(shape.fixed[i]);
  }
  const double area = std::accumulate(shape.area.begin(), shape.area.begin() + n, 0.0);
  EXPECT_NEAR(area, 4 * std::numbers::pi, 0.2);
  EXPECT_EQ(shape.area.back(), 0);
  EXPECT_GT(shape.mean_edge, 0.1);
}

TEST(ContactShapes, WrongInput) {
  const Points corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  EXPECT_THROW(make_contact_shape(corners, {{0, 1, 3}}), InputError);
  EXPECT_THROW(make_contact_shape(corners, {{0, 1, -1}}), InputError);
  EXPECT_THROW(make_contact_shape({}, {{0, 1, 2}}), InputError);
  EXPECT_THROW(make_contact_shape({{0, std::nan(""), 0}}, {}), InputError);
  EXPECT_THROW(make_contact_shape({{0, 0, INFINITY}}, {}), InputError);
  EXPECT_EQ(make_contact_shape({}, {}).n_points, 0);
  EXPECT_EQ(make_contact_shape({{1, 2, 3}}, {{0, 0, 0}}).triangles.size(), 0u);
}

TEST(PairThickness, Rules) {
  // Two squares of one part that a long strip joins, 0.1 above each other; a third of its own, as far above again.
  Soup s;
  s.points = {{0, 0, 0},   {1, 0, 0}, {0, 1, 0},   {0, 0, 0.1}, {1, 0, 0.1},
              {0, 1, 0.1}, {9, 0, 0}, {0, 0, 0.2}, {1, 0, 0.2}, {0, 1, 0.2}};
  s.triangles = {{0, 1, 2}, {3, 4, 5}, {1, 6, 2}, {4, 6, 5}, {7, 8, 9}};
  ContactShape shape = make_contact_shape(s.points, s.triangles);
  const ContactPair same = ContactPair::point_triangle(0, {3, 4, 5}), other = ContactPair::point_triangle(7, {3, 4, 5});
  EXPECT_NEAR(pair_thickness(shape, same, 1), 0.05, 1e-15);
  EXPECT_EQ(pair_thickness(shape, same, 0.02), 0.02);
  EXPECT_EQ(pair_thickness(shape, other, 1), 1);
  EXPECT_EQ(pair_thickness(shape, ContactPair::point_triangle(0, {0, 1, 2}), 1), 0);
  EXPECT_EQ(pair_thickness(shape, ContactPair::edge_edge({0, 1}, {1, 2}), 1), 0);
  EXPECT_EQ(pair_thickness(shape, ContactPair::edge_edge({7, 8}, {0, 1}), 1), 1);
  shape.fixed = {1, 0, 0, 1, 1, 1, 0, 1, 1, 1};
  EXPECT_EQ(pair_thickness(shape, same, 1), 0);
  EXPECT_EQ(pair_thickness(shape, other, 1), 0);
  EXPECT_EQ(pair_thickness(shape, ContactPair::edge_edge({7, 8}, {0, 1}), 1), 1);
  shape.fixed.assign(10, 0);
  shape.rest[0] = {0, 0, 0.1};  // where the drawing meets itself
  EXPECT_EQ(pair_thickness(shape, same, 1), 0);
  shape.rest[0] = {0, 0, 0};
  shape.within_parts = false;
  EXPECT_EQ(pair_thickness(shape, same, 1), 0);
  EXPECT_EQ(pair_thickness(shape, other, 1), 1);
}

}  // namespace
}  // namespace supple
