#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "supple/base/parallel.h"
#include "supple/contact/broad_phase.h"
#include "supple/contact/crossings.h"
#include "supple/contact/pair_distance.h"
#include "supple/contact/time_of_impact.h"
#include "tests/contact/shapes.h"

namespace supple {
namespace {

// The first of n + 1 shares at which the distance is below the floor; 1 when there is none.
double first_below(const ContactPair& pair, const Points& x, const Points& dx, double floor, int n) {
  for (int i = 0; i <= n; ++i) {
    const double s = static_cast<double>(i) / n;
    if (distance(pair, moved(x, dx, s)).distance < floor) return s;
  }
  return 1;
}

TEST(SafeShare, NeverComesTooNear) {
  Random random(7);
  int n_limited = 0, n_timid = 0;
  for (int trial = 0; trial < 1500; ++trial) {
    const ContactPair& pair = trial % 2 ? kEdges : kFace;
    // From slow drift to points that fly past several times their distance, also nearly touching at first.
    Points x(4), dx(4);
    for (Vec3& p : x) p = random.vector(1);
    for (Vec3& p : dx) p = random.vector(std::pow(10.0, random.in(-1, 1)));
    const double keep = trial % 3 ? 0.1 : 0.5;
    const PairDistance start = distance(pair, x);
    if (trial % 5 == 0) {
      for (int i = 0; i < pair.n_first(); ++i) x[i] -= 0.999 * start.distance * start.normal;
    }
    const double floor = keep * distance(pair, x).distance, share = safe_share(pair, x, dx, keep);
    ASSERT_GE(share, 0);
    ASSERT_LE(share, 1);
    for (int i = 0; i <= 400; ++i) {
      ASSERT_GE(distance(pair, moved(x, dx, share * i / 400)).distance, floor * (1 - 1e-9)) << trial;
    }
    // It comes too near before it has gone twice as far, but for some that just miss.
    n_limited += share < 1;
    bool too_near = 2 * share >= 1;
    for (int i = 0; i <= 400 && !too_near; ++i) {
      too_near = distance(pair, moved(x, dx, share * (1 + i / 400.0))).distance < floor;
    }
    n_timid += !too_near;
  }
  EXPECT_GT(n_limited, 250);
  EXPECT_LT(n_timid, 15);
}

TEST(SafeShare, HeadOn) {
  // A point falls onto a triangle from 1 to -1: half way is contact, 0.45 is a tenth of the distance.
  Points x = {{0.2, 0.2, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, dx(4, Vec3::Zero());
  dx[0] = {0, 0, -2};
  EXPECT_NEAR(safe_share(kFace, x, dx, 0.1), 0.45, 0.005);
  EXPECT_EQ(safe_share(kFace, x, dx, 0.1, 0.3), 0.3);
  EXPECT_NEAR(safe_share(kFace, x, dx, 0), 0.5, 0.006);
  // A common motion changes nothing.
  for (Vec3& v : dx) v += Vec3(30, -20, 10);
  EXPECT_NEAR(safe_share(kFace, x, dx, 0.1), 0.45, 0.005);
  // Edges across each other.
  x = {{-1, 0, 1}, {1, 0, 1}, {0, -1, 0}, {0, 1, 0}};
  dx = {{0, 0, -4}, {0, 0, -4}, {0, 0, 0}, {0, 0, 0}};
  EXPECT_NEAR(safe_share(kEdges, x, dx, 0.1), 0.225, 0.003);
}

TEST(SafeShare, SlidingAndParting) {
  // Very near a plane and very fast along it.
  const Points x = {{0.2, 0.2, 1e-6}, {-9, -9, 0}, {9, 0, 0}, {0, 9, 0}};
  Points dx(4, Vec3::Zero());
  dx[0] = {1, 1, 0};
  EXPECT_EQ(safe_share(kFace, x, dx, 0.1), 1);
  dx[0] = {0, 0, 1e9};
  EXPECT_EQ(safe_share(kFace, x, dx, 0.1), 1);
  dx[0] = {0, 0, 0};
  EXPECT_EQ(safe_share(kFace, x, dx, 0.1), 1);
}

TEST(SafeShare, SpinningEdge) {
  // The ends swap places, which takes the edge through the other one at the middle of the motion; once well beside it.
  for (double beside : {0.0, 0.3}) {
    const Points x = {{-1, 0.01, 0}, {1, 0.01, 0}, {beside, 0, -1}, {beside, 0, 1}};
    const Points dx = {{2, 1e-3, 0}, {-2, -0.5, 0}, Vec3::Zero(), Vec3::Zero()};
    const double share = safe_share(kEdges, x, dx, 0.1), floor = 0.1 * distance(kEdges, x).distance;
    const double possible = first_below(kEdges, x, dx, floor, 20000);
    EXPECT_LT(possible, 1);
    EXPECT_LE(share, possible);
    EXPECT_GT(share, 0.9 * possible);
  }
}

TEST(SafeShare, OddNumbers) {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  const Points x = {{0.2, 0.2, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  for (double bad : {nan, infinity, -infinity}) {
    Points dx(4, Vec3::Zero());
    dx[2][1] = bad;
    EXPECT_EQ(safe_share(kFace, x, dx, 0.1), 0);
    EXPECT_EQ(safe_share(kEdges, x, dx, 0.1), 0);
  }
  for (double huge : {1e30, 1e150, 1e308}) {
    Points dx(4, Vec3::Zero());
    dx[0][2] = -huge;
    const double share = safe_share(kFace, x, dx, 0.1);
    EXPECT_LE(share * huge, 0.9);
    dx[0][2] = huge;
    dx[1][2] = -huge;
    const double apart = safe_share(kFace, x, dx, 0.1);
    EXPECT_TRUE(apart >= 0 && apart <= 1);
  }
  const Points touching = {{0.2, 0.2, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, still(4, Vec3::Zero());
  EXPECT_EQ(safe_share(kFace, touching, still, 0.1), 0);
  EXPECT_EQ(safe_share(kFace, x, still, 0.1, 0), 0);
  EXPECT_EQ(safe_share(kFace, x, still, 0.1, nan), 0);
}

TEST(SafeShare, OfAWholeShape) {
  // A sphere thrown right through another one that turns and shrinks.
  Soup both = make_sphere(2);
  both.add(make_sphere(2), {2.2, 0.1, 0.05});
  const ContactShape shape = make_contact_shape(both.points, both.triangles);
  BroadPhase broad(shape);
  Points dx(both.points.size());
  for (size_t i = 0; i < dx.size(); ++i) {
    const Vec3& p = both.points[i];
    dx[i] = i < dx.size() / 2 ? Vec3(5, 0.2, 0) : Vec3(-0.3 * p[1], 0.5 * p[2], -0.4 * p[1]);
  }
  EXPECT_TRUE(find_crossings(shape, both.points, broad).empty());
  const double share = largest_safe_share(broad, both.points, dx, 0.1);
  EXPECT_LT(share, 0.2);
  EXPECT_GT(share, 0.02);
  EXPECT_FALSE(find_crossings(shape, moved(both.points, dx, 0.2), broad).empty());
  // No pair at all comes nearer than it may on the way, not only those that were looked at.
  for (const ContactPair& pair : all_pairs(shape)) {
    if (pair_thickness(shape, pair, 1) == 0) continue;
    const double floor = 0.1 * distance(pair, both.points).distance * (1 - 1e-9);
    for (double s : {0.5, 0.9, 1.0}) {
      ASSERT_GE(distance(pair, moved(both.points, dx, s * share)).distance, floor);
    }
  }
  set_thread_count(1);
  const double alone = largest_safe_share(broad, both.points, dx, 0.1);
  set_thread_count(2);
  EXPECT_EQ(alone, largest_safe_share(broad, both.points, dx, 0.1));
  set_thread_count(0);
  dx[3][0] = std::nan("");
  EXPECT_EQ(largest_safe_share(broad, both.points, dx, 0.1), 0);
}

}  // namespace
}  // namespace supple
