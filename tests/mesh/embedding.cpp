#include "supple/mesh/embedding.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>

#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "supple/mesh/bvh.h"
#include "supple/mesh/closest_point.h"

namespace supple {
namespace {

Points random_points(int n, const Vec3& low, const Vec3& high, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  Points points;
  for (int i = 0; i < n; ++i) {
    const Vec3 u(unit(random), unit(random), unit(random));
    points.push_back(low + u.cwiseProduct(high - low));
  }
  return points;
}

TEST(Embedding, ReproducesLinearMapsInsideAndOut) {
  // Turned, so that the boxes of tets reach beyond the mesh.
  const Mat3 turn = Eigen::AngleAxisd(0.7, Vec3(1, 2, -1).normalized()).toRotationMatrix();
  TetMesh mesh = make_box(4, 3, 5, Vec3(1, 0.7, 1.4), Vec3(-0.2, 0.1, 0));
  const Points upright = random_points(3000, Vec3(-0.6, -0.3, -0.4), Vec3(1.2, 1.2, 1.8), 3);
  for (Vec3& v : mesh.vertices) v = turn * v;
  Points points;
  for (const Vec3& p : upright) points.push_back(turn * p);
  const Embedding e = embed(mesh, points);
  Mat3 a;
  a << 1, 2, -1, 0.3, -2, 0.7, 1.5, 0.2, 1;
  const Vec3 t(3, -1, 2);
  VecX moved(3 * mesh.n_vertices());
  for (int v = 0; v < mesh.n_vertices(); ++v) moved.segment<3>(3 * v) = a * mesh.vertices[v] + t;
  const Points result = embedded_points(e, mesh.tets, moved);
  int outside = 0;
  double farthest = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    EXPECT_NEAR((result[i] - (a * points[i] + t)).norm(), 0, 1e-12);
    EXPECT_NEAR(e.weights[i].sum(), 1, 1e-13);
    const double d = std::sqrt(Bvh::distance_squared(upright[i], {Vec3(-0.2, 0.1, 0), Vec3(0.8, 0.8, 1.4)}));
    outside += d > 0;
    farthest = std::max(farthest, d);
    EXPECT_EQ(e.weights[i].minCoeff() >= -1e-10, d == 0);
    // The carrying tet is the nearest: its distance is that to the box.
    const Tet& tet = mesh.tets[e.tet[i]];
    const Vec3 nearest = closest_on_tet(points[i], mesh.vertices[tet[0]], mesh.vertices[tet[1]], mesh.vertices[tet[2]],
                                        mesh.vertices[tet[3]]);
    EXPECT_NEAR((nearest - points[i]).norm(), d, 1e-12);
  }
  EXPECT_GT(outside, 500);
  EXPECT_EQ(e.n_outside, outside);
  EXPECT_NEAR(e.max_distance, farthest, 1e-12);
}

TEST(Embedding, VerticesAndFacesAreInside) {
  const TetMesh mesh = make_box(3, 3, 3, Vec3(0.3, 0.7, 1.1), Vec3(100, -50, 3));
  Points points = mesh.vertices;
  for (const Tri& t : boundary_triangles(mesh.tets)) {
    points.push_back((mesh.vertices[t[0]] + mesh.vertices[t[1]] + mesh.vertices[t[2]]) / 3);
  }
  const Embedding e = embed(mesh, points);
  EXPECT_EQ(e.n_outside, 0);
  EXPECT_EQ(e.max_distance, 0);
}

TEST(Embedding, PrefersTheTetThatHoldsThePointDeepest) {
  // Two overlapping tets; the point is deep in the second, larger one.
  TetMesh mesh;
  mesh.vertices = {Vec3(0, 0, 0),    Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1),
                   Vec3(-1, -1, -1), Vec3(3, 0, 0), Vec3(0, 3, 0), Vec3(0, 0, 3)};
  mesh.tets = {{0, 1, 2, 3}, {4, 5, 6, 7}};
  EXPECT_EQ(embed(mesh, {Vec3(0.05, 0.05, 0.05)}).tet[0], 1);
}

TEST(Embedding, SameForAnyThreadCount) {
  const TetMesh mesh = make_box(6, 6, 6, Vec3::Ones());
  const Points points = random_points(5000, Vec3::Constant(-0.3), Vec3::Constant(1.3), 9);
  const int before = thread_count();
  set_thread_count(1);
  const Embedding one = embed(mesh, points);
  set_thread_count(4);
  const Embedding four = embed(mesh, points);
  set_thread_count(before);
  EXPECT_EQ(one.tet, four.tet);
  EXPECT_EQ(one.weights, four.weights);
}

TEST(Embedding, FlatTetsCarryNothingAndBadPointsAreRefused) {
  TetMesh mesh = make_box(1, 1, 1, Vec3::Ones());
  mesh.tets.insert(mesh.tets.begin(), {0, 1, 2, 3});  // flat: four vertices of one side
  const Embedding e = embed(mesh, {Vec3(0, 0.4, 0.4), Vec3(-1, 0.4, 0.4)});
  for (int i = 0; i < 2; ++i) {
    EXPECT_NE(e.tet[i], 0);
    EXPECT_TRUE(e.weights[i].allFinite());
  }
  for (double far : {1e100, 1e200, 1e308}) {
    const Embedding lost = embed(mesh, {Vec3(far, -far, far)});
    EXPECT_GT(lost.tet[0], 0);
    EXPECT_TRUE(lost.weights[0].allFinite());
    EXPECT_EQ(lost.n_outside, 1);
  }
  EXPECT_THROW(embed(mesh, {Vec3(0, std::nan(""), 0)}), InputError);
  EXPECT_THROW(embed(TetMesh{}, {Vec3::Zero()}), InputError);
  EXPECT_TRUE(embed(TetMesh{}, {}).tet.empty());
}

TEST(Bvh, AgreesWithBruteForce) {
  const Points centres = random_points(700, Vec3::Zero(), Vec3::Constant(10), 5);
  std::vector<Box> boxes;
  for (size_t i = 0; i < centres.size(); ++i) {
    const Vec3 half = Vec3::Constant(0.1 + 0.001 * static_cast<double>(i));
    boxes.push_back({centres[i] - half, centres[i] + half});
  }
  const Bvh tree(boxes);
  for (const Vec3& p : random_points(200, Vec3::Constant(-3), Vec3::Constant(13), 6)) {
    const Box probe{p, p + Vec3(1, 2, 0.5)};
    std::vector<char> found(boxes.size(), 0);
    tree.overlapping(probe, [&](int i) { ++found[i]; });
    double best = 1e300;
    int best_item = -1;
    for (size_t i = 0; i < boxes.size(); ++i) {
      const bool overlap =
          ((boxes[i].low - probe.high).array() <= 0).all() && ((probe.low - boxes[i].high).array() <= 0).all();
      EXPECT_EQ(found[i], overlap ? 1 : 0);
      const double d = Bvh::distance_squared(p, boxes[i]);
      if (d < best) {
        best = d;
        best_item = static_cast<int>(i);
      }
    }
    auto exact = [&](int i) { return Bvh::distance_squared(p, boxes[i]); };
    const Bvh::Closest closest = tree.closest(p, exact);
    EXPECT_EQ(closest.item, best_item);
    EXPECT_EQ(closest.distance2, best);
    int near = 0;
    tree.within(p, best + 1, [&](int) { ++near; });
    int expected = 0;
    for (const Box& b : boxes) expected += Bvh::distance_squared(p, b) <= best + 1;
    EXPECT_EQ(near, expected);
  }
  EXPECT_EQ(Bvh().closest(Vec3::Zero(), [](int) { return 0.0; }).item, -1);
}

TEST(ClosestPoint, TriangleAgainstSampling) {
  const Points p = random_points(60, Vec3::Constant(-1), Vec3::Constant(1), 12);
  for (size_t i = 0; i + 3 < p.size(); i += 4) {
    const Vec3 &q = p[i], &a = p[i + 1], &b = p[i + 2], &c = p[i + 3];
    double best = 1e300;
    const int n = 150;
    for (int u = 0; u <= n; ++u) {
      for (int v = 0; u + v <= n; ++v) best = std::min(best, ((a * u + b * v + c * (n - u - v)) / n - q).norm());
    }
    const double d = (closest_on_triangle(q, a, b, c) - q).norm();
    EXPECT_LE(d, best + 1e-14);
    EXPECT_NEAR(d, best, 0.03);
  }
  // A triangle collapsed to a segment, and to a point.
  EXPECT_NEAR(
      (closest_on_triangle(Vec3(0.5, 1, 0), Vec3::Zero(), Vec3(1, 0, 0), Vec3(2, 0, 0)) - Vec3(0.5, 0, 0)).norm(), 0,
      1e-15);
  EXPECT_EQ(closest_on_triangle(Vec3(0.5, 1, 0), Vec3::Ones(), Vec3::Ones(), Vec3::Ones()), Vec3::Ones());
}

}  // namespace
}  // namespace supple
