// Displacements of surfaces kept even: bounds hold, what is within stays, nothing jumps.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "supple/base/parallel.h"
#include "supple/mesh/even_field.h"

namespace supple {
namespace {

constexpr int kSide = 12;

int at(int i, int j) { return i * (kSide + 1) + j; }

// A sheet of unit squares in the plane of x and z, each cut in the other direction than its neighbours, fixed along x =
// 0.
EvenSurface sheet() {
  EvenSurface on;
  for (int i = 0; i <= kSide; ++i)
    for (int j = 0; j <= kSide; ++j) on.rest.emplace_back(i, 0, j), on.fixed.push_back(i == 0);
  for (int i = 0; i < kSide; ++i)
    for (int j = 0; j < kSide; ++j) {
      const int a = at(i, j), b = at(i, j + 1), c = at(i + 1, j + 1), d = at(i + 1, j);
      if ((i + j) % 2 == 0)
        on.triangles.push_back({a, b, c}), on.triangles.push_back({a, c, d});
      else
        on.triangles.push_back({a, b, d}), on.triangles.push_back({b, c, d});
    }
  on.part = connected_parts(on.rest, on.triangles);
  return on;
}

// A ball around the middle, of n rings.
TriMesh ball(const Vec3& middle, double radius, int n = 8) {
  TriMesh mesh;
  mesh.vertices.push_back(middle + radius * Vec3::UnitY());
  for (int i = 1; i < n; ++i)
    for (int j = 0; j < 2 * n; ++j) {
      const double a = M_PI * i / n, b = M_PI * j / n;
      mesh.vertices.push_back(middle +
                              radius * Vec3(std::sin(a) * std::cos(b), std::cos(a), std::sin(a) * std::sin(b)));
    }
  mesh.vertices.push_back(middle - radius * Vec3::UnitY());
  const int last = mesh.n_vertices() - 1;
  const auto ring = [&](int i, int j) { return 1 + (i - 1) * 2 * n + j % (2 * n); };
  for (int j = 0; j < 2 * n; ++j) {
    mesh.triangles.push_back({0, ring(1, j + 1), ring(1, j)});
    mesh.triangles.push_back({last, ring(n - 1, j), ring(n - 1, j + 1)});
    for (int i = 1; i + 1 < n; ++i) {
      mesh.triangles.push_back({ring(i, j), ring(i, j + 1), ring(i + 1, j + 1)});
      mesh.triangles.push_back({ring(i, j), ring(i + 1, j + 1), ring(i + 1, j)});
    }
  }
  return mesh;
}

void add(const TriMesh& mesh, bool fixed, EvenSurface& on) {
  const int first = static_cast<int>(on.rest.size());
  on.rest.insert(on.rest.end(), mesh.vertices.begin(), mesh.vertices.end());
  on.fixed.resize(on.rest.size(), fixed);
  for (const auto& [a, b, c] : mesh.triangles) on.triangles.push_back({first + a, first + b, first + c});
  on.part = connected_parts(on.rest, on.triangles);
}

// As wild as flesh that is thrown, 0 where fixed.
Points wild(const EvenSurface& on, double size, double phase = 0) {
  Points d;
  for (size_t v = 0; v < on.rest.size(); ++v) {
    const Vec3& x = on.rest[v];
    const Vec3 wave(std::sin(1.3 * x[0] + x[2] + phase), std::cos(0.9 * x[2] - x[0]), std::sin(2.1 * x[2] + phase));
    d.push_back(on.fixed[v] ? Vec3::Zero() : Vec3(size * wave));
  }
  return d;
}

double steepest(const EvenSurface& on, const Points& d) {
  double most = 0;
  for (const Tri& t : on.triangles)
    for (int k = 0; k < 3; ++k) {
      const int a = t[k], b = t[(k + 1) % 3];
      most = std::max(most, (d[a] - d[b]).norm() / (on.rest[a] - on.rest[b]).norm());
    }
  return most;
}

double distance(const Points& a, const Points& b) {
  double sum = 0;
  for (size_t v = 0; v < a.size(); ++v) sum += (a[v] - b[v]).squaredNorm();
  return std::sqrt(sum);
}

TEST(EvenField, holds_slopes_and_what_is_fixed) {
  const EvenSurface on = sheet();
  Points d = wild(on, 2);
  EXPECT_GT(steepest(on, d), 2);
  const EvenReport report = EvenField(on, {}).apply(on.rest, d);
  EXPECT_LE(steepest(on, d), 0.25 * 1.0101);
  EXPECT_LE(report.worst, 0.01);
  EXPECT_LT(report.sweeps, 200);
  for (size_t v = 0; v < d.size(); ++v)
    if (on.fixed[v]) EXPECT_EQ(d[v], Vec3::Zero());
}

TEST(EvenField, leaves_what_is_even_to_the_bit) {
  const EvenSurface on = sheet();
  Points d;
  for (const Vec3& x : on.rest) d.push_back(x[0] * Vec3(0.1, 0.2, 0.05));
  const Points before = d;
  EXPECT_EQ(EvenField(on, {}).apply(on.rest, d).sweeps, 0);
  EXPECT_EQ(d, before);
  d.assign(d.size(), Vec3::Zero());
  EvenField(on, {}).apply(on.rest, d);
  EXPECT_EQ(d, Points(d.size(), Vec3::Zero()));
}

// The farthest that slopes let anything go: a start far off is brought in at once, not edge by edge.
TEST(EvenField, reaches_far_in_few_sweeps) {
  const EvenSurface on = sheet();
  Points d(on.rest.size(), Vec3(0, 100, 0));
  for (size_t v = 0; v < d.size(); ++v)
    if (on.fixed[v]) d[v].setZero();
  EXPECT_LT(EvenField(on, {}).apply(on.rest, d).sweeps, 3);
  for (int j = 0; j <= kSide; ++j) EXPECT_NEAR(d[at(kSide, j)][1], 0.25 * kSide, 0.05 * kSide);
}

// A corner that is close to the opposite side goes over it long before its edges are stretched.
TEST(EvenField, slivers_do_not_turn_over) {
  EvenSurface on;
  on.rest = {{0, 0, 0}, {1, 0, 0}, {0.5, 0, 0.02}};
  on.fixed = {1, 1, 0};
  on.triangles = {{0, 1, 2}};
  on.part = {0, 0, 0};
  Points d = {Vec3::Zero(), Vec3::Zero(), Vec3(0, 0, -0.1)};
  EvenField(on, {}).apply(on.rest, d);
  EXPECT_GE(d[2][2], -0.01 * 1.0101);
  EvenRules loose;
  loose.altitude = 1e9;
  d[2] = Vec3(0, 0, -0.1);
  EvenField(on, loose).apply(on.rest, d);
  EXPECT_LT(d[2][2], -0.02);
}

TEST(EvenField, brings_fields_nearer_to_each_other) {
  const EvenSurface on = sheet();
  const EvenField field(on, {.tolerance = 1e-6, .sweeps = 2000});
  for (const double by : {1e-6, 1e-3, 0.1, 1.0}) {
    Points a = wild(on, 2), b = a;
    for (size_t v = 0; v < b.size(); ++v)
      if (!on.fixed[v])
        b[v] += by * Vec3(std::sin(3.7 * static_cast<double>(v)), 0.3, std::cos(static_cast<double>(v)));
    const double before = distance(a, b);
    field.apply(on.rest, a), field.apply(on.rest, b);
    EXPECT_LT(distance(a, b), 1.01 * before) << by;
  }
}

TEST(EvenField, the_same_for_any_number_of_threads) {
  const EvenSurface on = sheet();
  const EvenField field(on, {});
  const auto frames = [&](int threads) {
    const int before = set_thread_count(threads);
    std::vector<Points> all;
    for (int k = 0; k < 8; ++k) all.push_back(wild(on, 2, k));
    parallel_for(all.size(), 1, [&](size_t begin, size_t end) {
      for (size_t k = begin; k < end; ++k) field.apply(on.rest, all[k]);
    });
    set_thread_count(before);
    return all;
  };
  EXPECT_EQ(frames(1), frames(4));
}

// The sheet is the same on both sides of its middle row, and so is what is left of a field that is.
TEST(EvenField, a_mirrored_field_stays_mirrored) {
  const EvenSurface on = sheet();
  const auto mirrored = [](const Vec3& d) { return Vec3(d[0], d[1], -d[2]); };
  Points d = wild(on, 2);
  for (int i = 0; i <= kSide; ++i)
    for (int j = 0; j <= kSide / 2; ++j) {
      if (2 * j == kSide) d[at(i, j)][2] = 0;
      d[at(i, kSide - j)] = mirrored(d[at(i, j)]);
    }
  double largest = 0, odd = 0;
  EvenField(on, {}).apply(on.rest, d);
  for (int i = 0; i <= kSide; ++i)
    for (int j = 0; j <= kSide; ++j) {
      largest = std::max(largest, d[at(i, j)].norm());
      odd = std::max(odd, (d[at(i, kSide - j)] - mirrored(d[at(i, j)])).norm());
    }
  EXPECT_GT(largest, 0.5);
  EXPECT_LT(odd, 1e-9 * largest);
}

// Two balls that touch, one thrown away from the other.
TEST(EvenField, what_touches_goes_together_and_what_is_far_does_not) {
  const auto parts_by = [](double gap, bool other_fixed) {
    EvenSurface on;
    add(ball(Vec3(-1, 0, 0), 1), false, on);
    const size_t n = on.rest.size();
    add(ball(Vec3(1 + gap, 0, 0), 1), other_fixed, on);
    Points d;
    for (size_t v = 0; v < on.rest.size(); ++v) d.push_back(v < n ? Vec3(0, 0.3, 0) : Vec3::Zero());
    EvenField(on, {.sliding = 0.01, .near = 0.1, .sweeps = 2000}).apply(on.rest, d);
    // The points that face each other.
    size_t a = 0, b = n;
    for (size_t v = 0; v < on.rest.size(); ++v) {
      size_t& of = v < n ? a : b;
      if (v < n ? on.rest[v][0] > on.rest[of][0] : on.rest[v][0] < on.rest[of][0]) of = v;
    }
    return (d[a] - d[b]).norm();
  };
  for (const bool fixed : {false, true}) {
    EXPECT_LE(parts_by(0, fixed), 0.0102) << fixed;
    EXPECT_LE(parts_by(0.02, fixed), 0.0215) << fixed;
    double before = 0;
    for (double gap = 0; gap < 0.12; gap += 0.01) {  // no switch
      const double now = parts_by(gap, fixed);
      EXPECT_GE(now, before - 1e-3) << fixed << " " << gap;
      before = now;
    }
    EXPECT_EQ(parts_by(0.11, fixed), 0.3) << fixed;
  }
}

TEST(EvenField, solids_keep_their_volume) {
  EvenSurface on;
  add(ball(Vec3::Zero(), 1), false, on);
  const auto volume = [&](const Points& d) {
    double sum = 0;
    for (const auto& [a, b, c] : on.triangles)
      sum += (on.rest[a] + d[a]).dot((on.rest[b] + d[b]).cross(on.rest[c] + d[c])) / 6;
    return sum;
  };
  const Points none(on.rest.size(), Vec3::Zero());
  for (const double by : {0.2, -0.2}) {
    Points d;
    for (const Vec3& x : on.rest) d.push_back(by * x);
    EvenField(on, {}).apply(on.rest, d);
    EXPECT_NEAR(volume(d) / volume(none), by > 0 ? 1.04 : 0.96, 0.001);
  }
  Points d;
  for (const Vec3& x : on.rest) d.emplace_back(0.1 * x[0], -0.1 * x[1], 0);
  const Points before = d;
  EvenField(on, {}).apply(on.rest, d);
  EXPECT_EQ(d, before);
}

TEST(EvenField, bodies_stay_rigid) {
  EvenSurface on;
  add(ball(Vec3(-1, 0, 0), 1), true, on);
  const int n = static_cast<int>(on.rest.size());
  add(ball(Vec3(1.02, 0, 0), 1), false, on);
  on.bodies.emplace_back();
  for (int v = n; v < static_cast<int>(on.rest.size()); ++v) on.bodies[0].push_back(v);
  Points d(on.rest.size(), Vec3::Zero());
  for (int v = n; v < static_cast<int>(on.rest.size()); ++v) d[v] = Vec3(-0.1, 0.4, 0);
  const EvenField field(on, {.sliding = 0.01, .near = 0.1});
  field.apply(on.rest, d);
  EXPECT_LT(d[n].norm(), 0.39);
  for (int v = n + 1; v < static_cast<int>(on.rest.size()); ++v)
    EXPECT_NEAR((on.rest[v] + d[v] - on.rest[n] - d[n]).norm(), (on.rest[v] - on.rest[n]).norm(), 1e-12);
  // One that does not move is not pushed.
  Points still(on.rest.size(), Vec3::Zero());
  field.apply(on.rest, still);
  EXPECT_EQ(still, Points(still.size(), Vec3::Zero()));
}

}  // namespace
}  // namespace supple
