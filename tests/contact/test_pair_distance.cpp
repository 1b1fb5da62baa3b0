#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <set>

#include "supple/contact/pair_distance.h"
#include "tests/contact/shapes.h"

namespace supple {
namespace {

// The smallest distance of points on a grid over both features.
double sampled(const ContactPair& pair, const Points& x, int n) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= n; ++i) {
    for (int j = 0; j <= n; ++j) {
      const double s = static_cast<double>(i) / n, t = static_cast<double>(j) / n;
      Vec3 gap;
      if (pair.kind == ContactPair::Kind::point_triangle) {
        gap = x[0] - ((1 - s) * x[1] + s * ((1 - t) * x[2] + t * x[3]));
      } else {
        gap = (1 - s) * x[0] + s * x[1] - (1 - t) * x[2] - t * x[3];
      }
      best = std::min(best, gap.norm());
    }
  }
  return best;
}

// What distance() promises besides being the smallest.
void expect_consistent(const ContactPair& pair, const Points& x, const PairDistance& d) {
  ASSERT_TRUE(std::isfinite(d.distance) && d.weights.allFinite() && d.normal.allFinite());
  EXPECT_NEAR(d.normal.norm(), 1, 1e-12);
  const int n = pair.n_first();
  EXPECT_NEAR(d.weights.head(n).sum(), 1, 1e-12);
  EXPECT_NEAR(d.weights.tail(4 - n).sum(), -1, 1e-12);
  EXPECT_GE(d.weights.head(n).minCoeff(), -1e-12);
  EXPECT_LE(d.weights.tail(4 - n).maxCoeff(), 1e-12);
  Vec3 gap = Vec3::Zero();
  double size = 0;
  for (int i = 0; i < 4; ++i) gap += d.weights[i] * x[i], size = std::max(size, x[i].norm());
  EXPECT_NEAR((gap - d.distance * d.normal).norm(), 0, 1e-13 * size);
  EXPECT_DOUBLE_EQ(d.distance * d.distance, squared_distance_only(pair, x));
}

std::array<int, 4> which_case(const PairDistance& d) {
  std::array<int, 4> zero{};
  for (int i = 0; i < 4; ++i) zero[i] = d.weights[i] == 0;
  return zero;
}

TEST(ContactPairs, AreWrittenInOneWay) {
  EXPECT_EQ(ContactPair::edge_edge({7, 2}, {1, 9}), ContactPair::edge_edge({9, 1}, {2, 7}));
  EXPECT_EQ(ContactPair::edge_edge({7, 2}, {1, 9}).points, (std::array<int, 4>{1, 9, 2, 7}));
  EXPECT_EQ(ContactPair::point_triangle(5, {4, 1, 3}), ContactPair::point_triangle(5, {3, 4, 1}));
  EXPECT_LT(ContactPair::point_triangle(9, {1, 2, 3}), ContactPair::edge_edge({0, 1}, {2, 3}));
}

TEST(PairDistances, EveryCaseAgainstSamplesAndDifferences) {
  Random random(3);
  for (const ContactPair& pair : {kFace, kEdges}) {
    std::set<std::array<int, 4>> cases;
    for (int trial = 0; trial < 3000; ++trial) {
      const double size = std::pow(10.0, random.in(-3, 3));
      Points x(4);
      for (Vec3& p : x) p = random.vector(size);
      const PairDistance d = distance(pair, x);
      expect_consistent(pair, x, d);
      cases.insert(which_case(d));
      if (trial < 300) {
        const double s = sampled(pair, x, 100);
        EXPECT_LE(d.distance, s * (1 + 1e-12));
        EXPECT_GE(d.distance, s - 0.05 * size);
      }
      // The distance is smooth but where two cases meet; with a small step that is rare, and errors are then of its
      // order.
      if (d.distance < 0.05 * size) continue;
      double largest = 0;
      for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 3; ++k) {
          const double h = 1e-6 * size;
          Points ahead = x, back = x;
          ahead[i][k] += h;
          back[i][k] -= h;
          const double slope = (distance(pair, ahead).distance - distance(pair, back).distance) / (2 * h);
          EXPECT_NEAR(slope, d.weights[i] * d.normal[k], 2e-4);
          largest = std::max(largest, std::abs(slope));
        }
      }
      EXPECT_GT(largest, 0.1);
    }
    EXPECT_EQ(cases.size(), pair.kind == ContactPair::Kind::point_triangle ? 7u : 9u);
  }
}

TEST(PairDistances, DegenerateFeatures) {
  // All ways to take four points of a small lattice: repeated, in line, in a plane, parallel.
  Points lattice;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 2; ++j) lattice.push_back({static_cast<double>(i), static_cast<double>(j), 0});
  }
  lattice.push_back({1, 0, 1});
  const int n = static_cast<int>(lattice.size());
  for (int code = 0; code < n * n * n * n; ++code) {
    const Points x = {lattice[code % n], lattice[code / n % n], lattice[code / n / n % n], lattice[code / n / n / n]};
    for (const ContactPair& pair : {kFace, kEdges}) {
      const PairDistance d = distance(pair, x);
      expect_consistent(pair, x, d);
      const double s = sampled(pair, x, 30);
      ASSERT_LE(d.distance, s + 1e-12) << code;
      ASSERT_GE(d.distance, s - 0.05) << code;
    }
  }
}

Mat3 random_turn(Random& random) {
  return Eigen::AngleAxisd(random.in(0, 3), random.vector(1).normalized()).toRotationMatrix();
}

TEST(PairDistances, EdgesAtSmallAngles) {
  Random random(6);
  for (double angle : {1e-2, 1e-4, 1e-6, 1e-7, 1e-8, 1e-10, 1e-14, 1e-16, 0.0}) {
    for (int trial = 0; trial < 90; ++trial) {
      const double gap = std::pow(1e-3, trial % 3);
      const Mat3 turn = random_turn(random);
      const Vec3 along = {std::cos(angle), std::sin(angle), 0};
      // Above each other they cross, a third of the way along.
      Points x = {{-1, 0, 0}, {2, 0, 0}, Vec3(0, 0, gap) - along, Vec3(0, 0, gap) + 2 * along};
      for (Vec3& p : x) p = turn * p;
      PairDistance d = distance(kEdges, x);
      EXPECT_NEAR(d.distance / gap, 1, 1e-6) << angle << " " << gap;
      expect_consistent(kEdges, x, d);
      // One ends where the other begins, in line but for the gap, which may be none, and the angle.
      const double beside = trial % 2 ? gap : 0;
      x = {{-1, 0, 0}, {2, 0, 0}, {3, 0, beside}, Vec3(3, 0, beside) + along};
      for (Vec3& p : x) p = turn * p;
      d = distance(kEdges, x);
      EXPECT_NEAR(d.distance, std::hypot(1, beside), 1e-12) << angle << " " << beside;
      expect_consistent(kEdges, x, d);
    }
  }
}

TEST(PairDistances, NeedleTriangles) {
  Random random(4);
  for (double height : {1e-3, 1e-6, 1e-9, 1e-12, 1e-15, 1e-17}) {
    for (int trial = 0; trial < 500; ++trial) {
      const double top = random.in(-0.5, 1.5);
      Points x = {random.vector(1), {0, 0, 0}, {1, 0, 0}, {top, height, 0}};
      if (trial % 2) x[0] = {random.in(-1, 2), 0, 0};
      // It is the segment that its corners span, to within the height.
      const double low = std::min(0.0, top), high = std::max(1.0, top), at = std::clamp(x[0][0], low, high);
      const double expected = (x[0] - Vec3(at, 0, 0)).norm();
      const Mat3 turn = random_turn(random);
      for (Vec3& p : x) p = turn * p;
      EXPECT_NEAR(distance(kFace, x).distance, expected, 1.01 * height + 1e-10);
    }
  }
}

TEST(Mollifiers, AgainstDifferences) {
  Random random(5);
  int n_active = 0;
  for (int trial = 0; trial < 200; ++trial) {
    Points rest(4), x(4);
    for (Vec3& p : rest) p = random.vector(1);
    const Vec3 along = random.vector(1);
    x[0] = random.vector(1), x[2] = random.vector(1);
    x[1] = x[0] + along + random.vector(0.02);
    x[3] = x[2] + random.in(0.5, 2) * along + random.vector(0.02);
    const Mollifier m = parallel_mollifier(kEdges, x, rest);
    EXPECT_GE(m.value, 0);
    EXPECT_LE(m.value, 1);
    if (!m.active) continue;
    ++n_active;
    double largest = 0;
    for (int i = 0; i < 4; ++i) {
      for (int k = 0; k < 3; ++k) {
        const double h = 1e-6;
        Points ahead = x, back = x;
        ahead[i][k] += h;
        back[i][k] -= h;
        const double slope =
            (parallel_mollifier(kEdges, ahead, rest).value - parallel_mollifier(kEdges, back, rest).value) / (2 * h);
        largest = std::max(largest, std::abs(slope));
        EXPECT_NEAR(slope, m.gradient[i][k], 1e-3 * (1 + std::abs(slope)));
      }
    }
    EXPECT_GT(largest, 1e-3);
  }
  EXPECT_GT(n_active, 50);
}

TEST(Mollifiers, Ends) {
  const Points parallel = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}},
               across = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {0, 1, 1}};
  EXPECT_EQ(parallel_mollifier(kEdges, parallel, across).value, 0);
  EXPECT_TRUE(parallel_mollifier(kEdges, parallel, across).active);
  EXPECT_EQ(parallel_mollifier(kEdges, across, parallel).value, 1);
  EXPECT_FALSE(parallel_mollifier(kEdges, across, parallel).active);
  EXPECT_EQ(parallel_mollifier(kFace, parallel, across).value, 1);
  // The square of the sine where it ends is 1e-3.
  for (double factor : {0.999, 1.001}) {
    const double angle = std::asin(std::sqrt(1e-3 * factor));
    Points x = across;
    x[3] = x[2] + Vec3(std::cos(angle), std::sin(angle), 0);
    EXPECT_EQ(parallel_mollifier(kEdges, x, across).active, factor < 1);
    EXPECT_NEAR(parallel_mollifier(kEdges, x, across).value, 1, 1e-5);
  }
  const Points nothing(4, Vec3::Zero());
  EXPECT_EQ(parallel_mollifier(kEdges, nothing, nothing).value, 1);
}

}  // namespace
}  // namespace supple
