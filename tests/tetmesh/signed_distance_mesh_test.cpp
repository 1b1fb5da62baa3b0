#include "supple/tetmesh/signed_distance_mesh.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <random>

#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "supple/mesh/quality.h"

namespace supple {
namespace {

constexpr double kPi = std::numbers::pi;

SignedDistance ball_distance(const Vec3& centre, double radius) {
  return [=](const Vec3& p) { return (p - centre).norm() - radius; };
}
SignedDistance torus(double major, double minor) {
  return [=](const Vec3& p) { return std::hypot(std::hypot(p.x(), p.z()) - major, p.y()) - minor; };
}
SignedDistance box_distance(const Vec3& half) {
  return [=](const Vec3& p) {
    const Vec3 d = p.cwiseAbs() - half;
    return d.cwiseMax(0.0).norm() + std::min(0.0, d.maxCoeff());
  };
}
Box cube(double half) { return {Vec3::Constant(-half), Vec3::Constant(half)}; }

// How often each boundary edge is used by boundary triangles.
std::map<std::pair<int, int>, int> edge_uses(const std::vector<Tri>& triangles) {
  std::map<std::pair<int, int>, int> uses;
  for (const Tri& t : triangles) {
    for (size_t c = 0; c < 3; ++c) ++uses[std::minmax(t[c], t[(c + 1) % 3])];
  }
  return uses;
}

struct Checked {
  TetMesh mesh;
  LatticeReport report;
};

// What must hold for any function.
Checked check(const SignedDistance& f, const Box& bounds, double edge) {
  Checked out;
  out.mesh = mesh_signed_distance(f, bounds, {.edge = edge}, &out.report);
  const TetMesh& m = out.mesh;
  EXPECT_NO_THROW(require_simulable(m, "lattice"));
  const QualityReport q = measure_quality(m);
  EXPECT_GE(q.min_dihedral_deg, kLatticeMinDihedral);
  EXPECT_LE(q.max_dihedral_deg, kLatticeMaxDihedral);
  EXPECT_DOUBLE_EQ(q.min_dihedral_deg, out.report.min_dihedral_deg);
  EXPECT_TRUE(q.unused_vertices.empty());
  EXPECT_EQ(q.n_nonmanifold_faces, 0);
  for (double v : tet_volumes(m)) EXPECT_GT(v, 0);
  EXPECT_EQ(m.n_tets(), out.report.n_tets);
  return out;
}

void check_boundary(const Checked& c, const SignedDistance& f) {
  const auto triangles = boundary_triangles(c.mesh.tets);
  for (const auto& [edge, n] : edge_uses(triangles)) EXPECT_EQ(n, 2) << edge.first << "-" << edge.second;
  double largest = 0;
  for (const Tri& t : triangles) {
    for (int v : t) largest = std::max(largest, std::abs(f(c.mesh.vertices[static_cast<size_t>(v)])));
  }
  EXPECT_LT(largest, 1e-11);
}

// V - E + F of the boundary.
int euler(const TetMesh& mesh) {
  const auto triangles = boundary_triangles(mesh.tets);
  std::vector<int> used;
  for (const Tri& t : triangles) used.insert(used.end(), t.begin(), t.end());
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  return static_cast<int>(used.size()) - static_cast<int>(edge_uses(triangles).size()) +
         static_cast<int>(triangles.size());
}

int components(const TetMesh& mesh) {
  std::vector<int> of;
  return connected_components(mesh, of);
}

void expect_second_order(const SignedDistance& f, const Box& bounds, double edge, double exact) {
  std::vector<double> error;
  for (int level = 0; level < 3; ++level, edge /= 2) {
    const Checked c = check(f, bounds, edge);
    check_boundary(c, f);
    error.push_back(std::abs(c.report.volume - exact) / exact);
  }
  EXPECT_LT(error[2], 0.01);
  EXPECT_GT(std::log2(error[0] / error[2]) / 2, 1.8) << error[0] << " " << error[1] << " " << error[2];
}

TEST(SignedDistanceMesh, SphereConvergesAtSecondOrder) {
  const auto f = ball_distance({0.013, -0.02, 0.007}, 0.5);
  expect_second_order(f, cube(0.53), 0.16, 4.0 / 3 * kPi * 0.125);
  EXPECT_EQ(euler(check(f, cube(0.53), 0.1).mesh), 2);
}

TEST(SignedDistanceMesh, TorusConvergesAndKeepsItsHole) {
  const auto f = torus(0.5, 0.2);
  expect_second_order(f, cube(0.71), 0.14, 2 * kPi * kPi * 0.5 * 0.04);
  const Checked c = check(f, cube(0.71), 0.1);
  EXPECT_EQ(euler(c.mesh), 0);
  EXPECT_EQ(components(c.mesh), 1);
}

TEST(SignedDistanceMesh, BoxWithSharpEdges) {
  // Turned out of the lattice axes.
  const Vec3 half(0.3, 0.2, 0.25);
  const Mat3 turn = (Mat3() << 0.36, 0.48, -0.8, -0.8, 0.6, 0, 0.48, 0.64, 0.6).finished();
  const auto straight = box_distance(half);
  const SignedDistance f = [&](const Vec3& p) { return straight(turn * p); };
  double previous = 1;
  for (double edge : {0.1, 0.05, 0.025}) {
    const Checked c = check(f, cube(0.5), edge);
    check_boundary(c, f);
    const double error = std::abs(c.report.volume / (8 * half.prod()) - 1);
    EXPECT_LT(error, 0.35 * previous);  // edges cut off: second order too
    previous = error;
  }
  EXPECT_LT(previous, 0.006);
}

TEST(SignedDistanceMesh, LatticeAlignedBoxIsExact) {
  // Corners of the lattice fall on the faces: the value is exactly zero there.
  const auto f = box_distance({0.25, 0.25, 0.25});
  const Checked c = check(f, cube(0.5), 0.25);
  check_boundary(c, f);
  EXPECT_GT(c.report.volume, 0.1);
}

SignedDistance turned(const SignedDistance& f, double angle, const Vec3& axis, const Vec3& shift) {
  const Mat3 turn = Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
  return [=](const Vec3& p) { return f(turn * p + shift); };
}

TEST(SignedDistanceMesh, PlatesOfOneAndAHalfEdgesAreWhole) {
  const Vec3 half(0.4, 0.045, 0.3);
  std::mt19937 random(11);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int k = 0; k < 12; ++k) {
    // Along the lattice, then across it in any way.
    const Vec3 axis(unit(random), unit(random), unit(random)), shift(0, 0.03 * unit(random), 0);
    const auto f = turned(box_distance(half), k < 4 ? 0 : 3 * unit(random), axis, shift);
    const Checked c = check(f, cube(0.6), 0.06);
    check_boundary(c, f);
    EXPECT_EQ(components(c.mesh), 1);
    EXPECT_EQ(euler(c.mesh), 2);
    EXPECT_NEAR(c.report.volume / (8 * half.prod()), 1, 0.12);
    EXPECT_EQ(c.report.n_lost_near, 0);
  }
}

TEST(SignedDistanceMesh, ThinAndLostPartsAreCounted) {
  const auto ball = ball_distance({0, 0.35, 0}, 0.2);
  EXPECT_EQ(check(ball, cube(0.7), 0.1).report.n_lost_near, 0);
  EXPECT_EQ(check(ball, cube(0.7), 0.1).report.n_thin, 0);
  // A plate of a tenth of an edge between the planes of the lattice is lost.
  const auto film = box_distance({0.4, 0.005, 0.4});
  const SignedDistance f = [&](const Vec3& p) { return std::min(film(p - Vec3(0, -0.42, 0)), ball(p)); };
  EXPECT_GT(check(f, cube(0.7), 0.1).report.n_lost_near, 50);
  // One of an edge, its vertices all within reach of its faces, has holes.
  const auto plate = box_distance({0.4, 0.03, 0.3});
  const SignedDistance g = [&](const Vec3& p) { return plate(p + Vec3(0, 0.015, 0)); };
  EXPECT_GT(check(g, cube(0.5), 0.06).report.n_thin, 50);
}

TEST(SignedDistanceMesh, TwoSpheresAreBothKept) {
  const auto a = ball_distance({-0.3, 0, 0}, 0.25), b = ball_distance({0.35, 0.1, 0}, 0.2);
  const SignedDistance f = [&](const Vec3& p) { return std::min(a(p), b(p)); };
  const Checked c = check(f, cube(0.6), 0.06);
  check_boundary(c, f);
  EXPECT_EQ(components(c.mesh), 2);
  EXPECT_EQ(euler(c.mesh), 4);
}

SignedDistance blobs(unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(-1, 1);
  std::vector<std::pair<Vec3, double>> balls;
  for (int i = 0; i < 7; ++i) {
    const Vec3 c(unit(random), unit(random), unit(random));
    balls.emplace_back(0.35 * c, 0.15 + 0.05 * unit(random));
  }
  return [=](const Vec3& p) {
    double sum = 0;
    for (const auto& [c, r] : balls) sum += std::exp(-20 * ((p - c).norm() - r));
    return -std::log(sum) / 20;
  };
}

TEST(SignedDistanceMesh, RandomBlobs) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const auto f = blobs(seed);
    const Checked c = check(f, cube(0.9), 0.05);
    check_boundary(c, f);
  }
}

// Waves as short as the lattice edges: every way a tet can be cut comes up, hundreds of thousands of times. The
// surface is no longer a manifold, but the angles must hold.
TEST(SignedDistanceMesh, AnglesHoldForAnyFunction) {
  double low = 180, high = 0;
  for (unsigned seed = 1; seed <= 5; seed += 2) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> unit(-1, 1);
    std::vector<std::pair<Vec3, double>> waves;
    for (int i = 0; i < 16; ++i) {
      const Vec3 k(unit(random), unit(random), unit(random));
      waves.emplace_back((20 + 25 * seed) * k, kPi * unit(random));
    }
    const SignedDistance f = [&](const Vec3& p) {
      double sum = 0;
      for (const auto& [k, phase] : waves) sum += std::sin(k.dot(p) + phase);
      return std::max(sum, 50 * (p.norm() - 1));
    };
    const Checked c = check(f, cube(1.01), 0.08);
    low = std::min(low, c.report.min_dihedral_deg);
    high = std::max(high, c.report.max_dihedral_deg);
  }
  // The waves do reach the bad cases.
  EXPECT_LT(low, 14);
  EXPECT_GT(high, 150);
  RecordProperty("min_dihedral", std::to_string(low));
  RecordProperty("max_dihedral", std::to_string(high));
}

TEST(SignedDistanceMesh, AnInsideTestIsEnough) {
  const auto f = ball_distance({0, 0, 0}, 0.4);
  const SignedDistance sign = [&](const Vec3& p) { return f(p) < 0 ? -1.0 : 1.0; };
  const SignedDistance infinite = [&](const Vec3& p) { return f(p) < 0 ? -INFINITY : INFINITY; };
  const SignedDistance steep = [&](const Vec3& p) { return std::pow(f(p), 3) * 1e6; };
  const double exact = check(f, cube(0.5), 0.07).report.volume;
  EXPECT_NEAR(check(sign, cube(0.5), 0.07).report.volume, exact, 1e-9);
  EXPECT_NEAR(check(infinite, cube(0.5), 0.07).report.volume, exact, 1e-9);
  EXPECT_NEAR(check(steep, cube(0.5), 0.07).report.volume, exact, 1e-5);
}

TEST(SignedDistanceMesh, CountIsMet) {
  for (int count : {1000, 1500, 6000, 20000}) {
    for (const SignedDistance& f : {ball_distance({0, 0, 0}, 0.4), torus(0.3, 0.1), blobs(3)}) {
      LatticeReport report;
      const TetMesh mesh = mesh_signed_distance(f, cube(0.9), {.count = count}, &report);
      EXPECT_NEAR(mesh.n_tets(), count, 0.1 * count);
      EXPECT_GT(report.edge, 0);
    }
  }
}

TEST(SignedDistanceMesh, SameBitsForAnyThreadCount) {
  const auto f = blobs(2);
  set_thread_count(1);
  const TetMesh one = mesh_signed_distance(f, cube(0.9), {.edge = 0.05});
  set_thread_count(4);
  const TetMesh four = mesh_signed_distance(f, cube(0.9), {.edge = 0.05});
  set_thread_count(0);
  EXPECT_EQ(one.tets, four.tets);
  EXPECT_EQ(one.vertices, four.vertices);
}

TEST(SignedDistanceMesh, RefusesWithAdvice) {
  const auto f = ball_distance({0, 0, 0}, 0.4);
  EXPECT_THROW(mesh_signed_distance(f, cube(0.5), {}), InputError);
  EXPECT_THROW(mesh_signed_distance(f, cube(0.5), {.edge = 0.1, .count = 10}), InputError);
  EXPECT_THROW(mesh_signed_distance(f, cube(0.5), {.edge = -1}), InputError);
  EXPECT_THROW(mesh_signed_distance(f, cube(0.5), {.edge = NAN}), InputError);
  EXPECT_THROW(mesh_signed_distance(f, cube(0.5), {.count = -4}), InputError);
  EXPECT_THROW(mesh_signed_distance(f, cube(0), {.edge = 0.1}), InputError);
  EXPECT_THROW(mesh_signed_distance(f, cube(NAN), {.edge = 0.1}), InputError);
  EXPECT_THROW(mesh_signed_distance(f, cube(0.1), {.edge = 0.1}), InputError);  // beyond the bounds
  EXPECT_THROW(mesh_signed_distance(ball_distance({0.1, 0, 0}, 0.01), cube(0.5), {.edge = 0.3}), InputError);
  EXPECT_THROW(mesh_signed_distance([](const Vec3&) { return 1.0; }, cube(0.5), {.count = 1000}), InputError);
  EXPECT_THROW(mesh_signed_distance([](const Vec3& p) { return p.x() > 0.1 ? NAN : 1.0; }, cube(0.5), {.edge = 0.1}),
               InputError);
  try {
    mesh_signed_distance(f, cube(0.5), {.edge = 1e-5});
    FAIL();
  } catch (const InputError& e) {
    const std::string advice = e.advice();
    const double edge = std::stod(advice.substr(advice.find("of ") + 3));
    EXPECT_LT(std::pow(std::ceil(1 / edge) + 2, 3), static_cast<double>(kLatticeMaxCells) * 1.02);
    EXPECT_GT(std::pow(1 / edge, 3), static_cast<double>(kLatticeMaxCells) * 0.7);
  }
  EXPECT_THROW(mesh_signed_distance(f, cube(0.5), {.edge = 1e-300}), InputError);
}

}  // namespace
}  // namespace supple
