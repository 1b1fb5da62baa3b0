#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "supple/contact/crossings.h"
#include "tests/contact/shapes.h"

namespace supple {
namespace {

std::vector<Crossing> crossings(const ContactShape& shape, const Points& x, bool with_fixed = false) {
  BroadPhase broad(shape);
  const std::vector<Crossing> found = find_crossings(shape, x, broad, with_fixed);
  EXPECT_EQ(found, find_crossings_brute(shape, x, with_fixed));
  return found;
}

Soup make_cube() {
  Soup s;
  for (int i = 0; i < 8; ++i) s.points.push_back({i & 1 ? 1.0 : 0.0, i & 2 ? 1.0 : 0.0, i & 4 ? 1.0 : 0.0});
  s.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                 {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return s;
}

ContactShape two(const Soup& one, const Vec3& shift) {
  Soup both = one;
  both.add(one, shift);
  return make_contact_shape(both.points, both.triangles);
}

TEST(Crossings, TwoSpheres) {
  const Soup ball = make_sphere(3);
  for (const Vec3& shift : {Vec3(2.01, 0, 0), Vec3(2, 0, 0), Vec3(0, 5, 1)}) {  // apart, corners touch, far
    const ContactShape shape = two(ball, shift);
    EXPECT_TRUE(crossings(shape, shape.rest).empty());
  }
  for (const Vec3& shift : {Vec3(1.7, 0.1, 0.2), Vec3(0.3, 0.2, -0.1), Vec3(0.01, 0.02, 0.03)}) {
    const ContactShape shape = two(ball, shift);
    const std::vector<Crossing> found = crossings(shape, shape.rest);
    EXPECT_GT(found.size(), 20u);
    EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
    // Both ways around the closed curve where they meet.
    int first_in_second = 0;
    for (const Crossing& c : found) {
      const int part = shape.part[shape.edges[c.edge][0]];
      EXPECT_NE(part, shape.part[shape.triangles[c.triangle][0]]);
      first_in_second += part == 0;
    }
    EXPECT_GT(first_in_second, 5);
    EXPECT_GT(static_cast<int>(found.size()) - first_in_second, 5);
  }
}

TEST(Crossings, TouchingIsNone) {
  const Soup cube = make_cube();
  for (const Vec3& shift : {Vec3(1, 0, 0), Vec3(1, 1, 0), Vec3(1, 1, 1), Vec3(1 + 1e-9, 0.3, 0.2)}) {
    const ContactShape shape = two(cube, shift);
    EXPECT_TRUE(crossings(shape, shape.rest).empty()) << shift.transpose();
    // Neither turned and elsewhere, where coordinates are rounded.
    for (double angle : {0.3, 1.1, 2.5}) {
      const Mat3 turn = Eigen::AngleAxisd(angle, Vec3(1, 2, 3).normalized()).toRotationMatrix();
      Points x = shape.rest;
      for (Vec3& p : x) p = turn * p;
      EXPECT_TRUE(crossings(shape, x).empty()) << shift.transpose();
      for (Vec3& p : x) p += Vec3(60, -128, 31);
      EXPECT_TRUE(crossings(shape, x).empty()) << shift.transpose();
    }
  }
  for (double depth : {0.5, 1e-3, 1e-9}) {
    const ContactShape shape = two(cube, {1 - depth, 0.3, 0.2});
    EXPECT_FALSE(crossings(shape, shape.rest).empty()) << depth;
  }
}

TEST(Crossings, InOnePlane) {
  // Triangles that overlap in a plane, to within rounding.
  Random random(23);
  const auto flat = [&] { return Vec3(random.in(-1, 1), random.in(-1, 1), 0); };
  for (int trial = 0; trial < 300; ++trial) {
    const Mat3 turn = Eigen::AngleAxisd(random.in(0, 3), random.vector(1).normalized()).toRotationMatrix();
    const Vec3 shift = trial % 2 ? Vec3(60, -128, 31) : Vec3(0, 0, 0);
    Points x;
    for (int i = 0; i < 6; ++i) x.push_back(turn * flat() + shift);
    EXPECT_TRUE(crossings(make_contact_shape(x, {{0, 1, 2}, {3, 4, 5}}), x).empty());
  }
}

// What a solver moves is flat to its tolerance only.
TEST(Crossings, NearlyInOnePlane) {
  constexpr int n = 8;
  Soup sheet;
  const Mat3 turn = Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  for (double size : {1e-14, 1e-12, 1e-9}) {
    sheet = {};
    for (int i = 0; i <= n; ++i) {
      for (int j = 0; j <= n; ++j)
        sheet.points.push_back(turn * Vec3(0.05 * i, size * std::sin(12.9 * i + 78.2 * j * j), 0.05 * j));
    }
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        const int a = i * (n + 1) + j, b = a + n + 1;
        sheet.triangles.push_back({a, b, a + 1});
        sheet.triangles.push_back({a + 1, b, b + 1});
      }
    }
    const ContactShape shape = make_contact_shape(sheet.points, sheet.triangles);
    EXPECT_TRUE(crossings(shape, shape.rest).empty()) << size;
  }
}

// An edge and a triangle beside it, of a flat face that a solver had moved: to rounding in one plane, and every sign of
// a volume among them said that they cross.
TEST(Crossings, BesideInOnePlane) {
  const Points x = {{-0x1.9999999999a51p-5, 0x1.01eb851eb8bdp-7, -0x1.99999999999adp-5},
                    {-0x1.3e7bba7d8p-49, 0x1.01eb851eb8ea2p-7, 0x1.673e7adep-52},
                    {-0x1.9999999999ap-5, 0x1.01eb851eb89c7p-7, -0x1.99999999999a2p-4},
                    {-0x1.8e68c2d9p-51, 0x1.01eb851eb88b1p-7, -0x1.9999999999972p-4},
                    {-0x1.b13c82bd8p-50, 0x1.01eb851eb8b82p-7, -0x1.999999999997p-5},
                    {-9, 9, -9}};
  const ContactShape shape = make_contact_shape(x, {{2, 3, 4}, {0, 1, 5}});
  for (const Crossing& c : crossings(shape, x)) {
    EXPECT_FALSE(c.triangle == 0 && (shape.edges[c.edge] == std::array<int, 2>{0, 1})) << "edge " << c.edge;
  }
}

TEST(Crossings, OneEdge) {
  // Two triangles of a square and the first edge of another triangle through them.
  const Points square = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  Mat3 turn = Mat3::Identity();
  const auto through = [&](const Vec3& from, const Vec3& to) {
    Points x = square;
    x.insert(x.end(), {from, to, {9, 9, 9}});
    for (Vec3& p : x) p = turn * p;
    const ContactShape shape = make_contact_shape(x, {{0, 1, 2}, {0, 2, 3}, {4, 5, 6}});
    std::vector<int> triangles;
    for (const Crossing& c : crossings(shape, x)) {
      if (shape.edges[c.edge] == std::array<int, 2>{4, 5}) triangles.push_back(c.triangle);
    }
    return triangles;
  };
  for (double angle : {0.7, 2.0, 0.0}) {
    turn = Eigen::AngleAxisd(angle, Vec3(1, 2, 3).normalized()).toRotationMatrix();
    EXPECT_EQ(through({0.6, 0.25, -1}, {0.6, 0.25, 1}), std::vector<int>{0});
    EXPECT_EQ(through({0.25, 0.6, 1}, {0.25, 0.6, -1e-9}), std::vector<int>{1});
    EXPECT_EQ(through({-1, 0.5, 1}, {2, 0.7, -1}), std::vector<int>{1});
    EXPECT_EQ(through({1e-9, 0.5, -1}, {1e-9, 0.5, 1}), std::vector<int>{1});
    EXPECT_TRUE(through({-1e-9, 0.5, -1}, {-1e-9, 0.5, 1}).empty());
    EXPECT_TRUE(through({0.6, 0.25, 1e-9}, {0.6, 0.25, 1}).empty());
  }
  EXPECT_TRUE(through({0.6, 0.25, 0}, {0.6, 0.25, 1}).empty());
  EXPECT_TRUE(through({0.1, 0.2, 0}, {0.6, 0.25, 0}).empty());
  // A border counts, a common one twice.
  EXPECT_EQ(through({0, 0.5, -1}, {0, 0.5, 1}), std::vector<int>{1});
  EXPECT_EQ(through({0.25, 0.25, -1}, {0.25, 0.25, 1}), (std::vector<int>{0, 1}));
}

TEST(Crossings, WhatCounts) {
  ContactShape shape = two(make_sphere(2), {1, 0.1, 0.2});
  const size_t n = crossings(shape, shape.rest).size();
  EXPECT_GT(n, 0u);
  shape.within_parts = false;
  EXPECT_EQ(crossings(shape, shape.rest).size(), n);
  shape.fixed.assign(shape.n_points, 1);
  EXPECT_EQ(crossings(shape, shape.rest).size(), 0u);
  EXPECT_EQ(crossings(shape, shape.rest, true).size(), n);
  for (int i = 0; i < shape.n_points / 2; ++i) shape.fixed[i] = 0;
  EXPECT_EQ(crossings(shape, shape.rest).size(), n);

  // A sphere whose pole is pushed straight through the other: edges meet edges and corners.
  const Soup ball = make_sphere(2);
  shape = make_contact_shape(ball.points, ball.triangles);
  Points x = ball.points;
  for (Vec3& p : x) {
    if (p[2] > 0.9) p[2] -= 2.5;
  }
  EXPECT_FALSE(crossings(shape, x).empty());
  shape.within_parts = false;
  EXPECT_TRUE(crossings(shape, x).empty());
  EXPECT_FALSE(crossings(shape, x, true).empty());
}

TEST(Crossings, RandomSoup) {
  Random random(19);
  Soup soup = random_soup(150, 0.3, random);
  for (int i = 0; i < 20; ++i) soup.triangles.push_back({i, i + 1, i});  // dropped
  soup.points[5] = soup.points[4] = soup.points[3];                      // no area
  const ContactShape shape = make_contact_shape(soup.points, soup.triangles);
  EXPECT_GT(crossings(shape, soup.points).size(), 50u);
  EXPECT_TRUE(crossings(make_contact_shape({}, {}), {}).empty());
}

}  // namespace
}  // namespace supple
