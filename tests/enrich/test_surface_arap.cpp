#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <random>

#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "supple/enrich/surface_arap.h"
#include "supple/mesh/tet_mesh.h"

namespace supple {
namespace {

const TriMesh kArapBar = boundary_surface(make_box(8, 3, 3, {2, 0.5, 0.5}));
const Mat3 kArapTurn = Eigen::AngleAxisd(0.8, Vec3(1, -2, 0.5).normalized()).toRotationMatrix();

Vec3 rigid(const Vec3& p) { return kArapTurn * p + Vec3(1, 0.3, -0.4); }

std::vector<int> ends(const TriMesh& mesh) {
  std::vector<int> both;
  for (int v = 0; v < mesh.n_vertices(); ++v) {
    if (mesh.vertices[v].x() == 0 || mesh.vertices[v].x() == 2) both.push_back(v);
  }
  return both;
}

Points places(const TriMesh& mesh, const std::vector<int>& which, Vec3 (*f)(const Vec3&)) {
  Points p;
  for (int v : which) p.push_back(f(mesh.vertices[v]));
  return p;
}

double apart(const Points& a, const Points& b) { return (flatten(a) - flatten(b)).lpNorm<Eigen::Infinity>(); }

Vec3 twisted(const Vec3& p) {
  return Eigen::AngleAxisd(p.x() > 1 ? 1.2 : 0, Vec3::UnitX()) * p + Vec3(p.x() > 1 ? -0.2 : 0, 0, p.x() > 1 ? 0.5 : 0);
}

TEST(SurfaceArap, ARigidMotionOfTheConstraintsMovesAllRigidly) {
  const std::vector<int> both = ends(kArapBar);
  const SurfaceArap arap(kArapBar, both);
  Points expected;
  for (const Vec3& p : kArapBar.vertices) expected.push_back(rigid(p));
  EXPECT_LT(arap.energy(expected), 1e-25);
  const CompletedSurface there = arap.complete(places(kArapBar, both, rigid), expected, 5);
  EXPECT_LT(apart(there.positions, expected), 1e-13);
  // From the rest shape.
  const CompletedSurface found = arap.complete(places(kArapBar, both, rigid), kArapBar.vertices, 400);
  EXPECT_LT(apart(found.positions, expected), 1e-6);
}

TEST(SurfaceArap, EnergyNeverGrows) {
  const std::vector<int> both = ends(kArapBar);
  std::mt19937 random(4);
  std::uniform_real_distribution<double> push(-0.3, 0.3);
  Points guess = kArapBar.vertices;
  for (Vec3& p : guess) p += Vec3(push(random), push(random), push(random));
  const SurfaceArap arap(kArapBar, both);
  const CompletedSurface done = arap.complete(places(kArapBar, both, twisted), guess, 60);
  ASSERT_EQ(done.energy.size(), 61);
  for (size_t i = 1; i < done.energy.size(); ++i) EXPECT_LT(done.energy[i], done.energy[i - 1] * (1 + 1e-13));
  EXPECT_LT(done.energy.back(), 0.2 * done.energy.front());
  EXPECT_GT(done.energy.back(), 1e-3);
  EXPECT_NEAR(arap.energy(done.positions), done.energy.back(), 1e-12);
  for (size_t k = 0; k < both.size(); ++k) EXPECT_EQ(done.positions[both[k]], twisted(kArapBar.vertices[both[k]]));
}

// Where the iterations end no free vertex feels a force: the gradient of the energy by differences.
TEST(SurfaceArap, EndsAtAMinimum) {
  const std::vector<int> both = ends(kArapBar);
  const SurfaceArap arap(kArapBar, both);
  const CompletedSurface done = arap.complete(places(kArapBar, both, twisted), kArapBar.vertices, 3000);
  const double h = 1e-5;
  for (int v = 0; v < kArapBar.n_vertices(); v += 3) {
    if (std::find(both.begin(), both.end(), v) != both.end()) continue;
    for (int axis = 0; axis < 3; ++axis) {
      Points more = done.positions, less = done.positions;
      more[v][axis] += h;
      less[v][axis] -= h;
      EXPECT_NEAR((arap.energy(more) - arap.energy(less)) / (2 * h), 0, 1e-7);
    }
  }
}

// Cotangent weights of two right triangles: 1/2 on the sides, none along the diagonal but what keeps it above 0.
TEST(SurfaceArap, EnergyOfASquare) {
  TriMesh square;
  square.vertices = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  square.triangles = {{0, 1, 2}, {0, 2, 3}};
  Points larger;
  for (const Vec3& p : square.vertices) larger.push_back(1.5 * p);
  // Each edge counts from both ends: 4 sides x 2 x 1/2 x 0.5^2, and the diagonal 2 x 0.001 x 2 x 0.5^2.
  EXPECT_NEAR(SurfaceArap(square, {}).energy(larger), 1.0 + 0.001, 1e-12);
}

TEST(SurfaceArap, ComponentsWithoutConstraintsStayPut) {
  TriMesh mesh = kArapBar;
  const int n = kArapBar.n_vertices();
  for (const Vec3& p : kArapBar.vertices) mesh.vertices.push_back(p + Vec3(0, 5, 0));
  for (Tri t : kArapBar.triangles) {
    for (int& v : t) v += n;
    mesh.triangles.push_back(t);
  }
  mesh.vertices.push_back({8, 8, 8});  // without triangles
  const std::vector<int> both = ends(kArapBar);
  Points guess = mesh.vertices;
  for (Vec3& p : guess) p *= 1.1;
  const CompletedSurface done = SurfaceArap(mesh, both).complete(places(kArapBar, both, twisted), guess, 30);
  for (int v = n; v < mesh.n_vertices(); ++v) EXPECT_EQ(done.positions[v], guess[v]);
  const CompletedSurface alone =
      SurfaceArap(kArapBar, both)
          .complete(places(kArapBar, both, twisted), Points(guess.begin(), guess.begin() + n), 30);
  EXPECT_LT(apart(Points(done.positions.begin(), done.positions.begin() + n), alone.positions), 1e-12);
}

TEST(SurfaceArap, DegenerateTrianglesAndNothingToDo) {
  TriMesh mesh = kArapBar;
  mesh.triangles.push_back({0, 0, 5});
  mesh.triangles.push_back({3, 4, 4});
  mesh.vertices[10] = mesh.vertices[kArapBar.triangles[0][0]];
  const std::vector<int> both = ends(kArapBar);
  const CompletedSurface done = SurfaceArap(mesh, both).complete(places(kArapBar, both, twisted), mesh.vertices, 20);
  EXPECT_TRUE(flatten(done.positions).allFinite());
  EXPECT_EQ(SurfaceArap(kArapBar, {}).complete({}, kArapBar.vertices, 5).positions, kArapBar.vertices);
  EXPECT_THROW(SurfaceArap(kArapBar, {1, 2, 1}), InputError);
}

TEST(SurfaceArap, SameBitsForAnyThreadCount) {
  const std::vector<int> both = ends(kArapBar);
  const SurfaceArap arap(kArapBar, both);
  set_thread_count(1);
  const CompletedSurface one = arap.complete(places(kArapBar, both, twisted), kArapBar.vertices, 10);
  set_thread_count(4);
  const CompletedSurface four = arap.complete(places(kArapBar, both, twisted), kArapBar.vertices, 10);
  set_thread_count(0);
  EXPECT_EQ(one.positions, four.positions);
  EXPECT_EQ(one.energy, four.energy);
}

}  // namespace
}  // namespace supple
