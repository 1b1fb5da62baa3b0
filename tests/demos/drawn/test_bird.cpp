// The bird: its size, its wings, how it flaps, and the feet that stand.
#include "supple/demos/drawn/bird.h"

#include <cmath>

#include "supple/base/parallel.h"
#include "supple/demos/drawn/bird_plan.h"
#include "tests/demos/drawn_checks.h"

namespace supple {

using namespace demos;
namespace {

const DrawnAnimation& whole() {
  static const DrawnAnimation a = make_bird();
  return a;
}

int nearest(const TriMesh& m, const Vec3& x) {
  int best = 0;
  for (int i = 0; i < m.n_vertices(); ++i)
    if ((m.vertices[i] - x).norm() < (m.vertices[best] - x).norm()) best = i;
  return best;
}

TEST(Bird, has_the_size_of_the_published_one) {
  EXPECT_NEAR(static_cast<double>(whole().neutral.triangles.size()), 7878, 788);
  EXPECT_EQ(kBirdFrames, 299);
  EXPECT_EQ(whole().fps, 30);
  expect_closed(whole().neutral);
  expect_painted(whole(), {"wings", "head", "belly"});
  expect_moves(whole(), kBirdFrames, 0.2);
  const Vec3 size = bounding_box(whole().neutral.vertices).size();
  EXPECT_NEAR(size.x(), 1.2, 0.05);
  EXPECT_NEAR(bounding_box(whole().neutral.vertices).low.y(), 0, 1e-3);
}

TEST(Bird, wings_are_thick_enough_to_be_filled_with_tets) {
  int n = 0;
  for (double x = 0.16; x < 0.6; x += 0.01) {
    for (double z = -0.2; z < 0.1; z += 0.01) {
      // Well inside the outline: as deep as half of the sheet is thick.
      double deepest = 0, thick = 0;
      for (double y = 0.35; y < 0.47; y += 0.0005) {
        const double d = bird::body({x, y, z});
        deepest = std::min(deepest, d);
        if (d < 0) thick += 0.0005;
      }
      if (deepest > -0.013) continue;
      EXPECT_GE(thick, 0.025) << x << " " << z;
      ++n;
    }
  }
  EXPECT_GT(n, 300);
}

TEST(Bird, flesh_and_what_follows_are_where_they_belong) {
  expect_soft(whole(), "a leg", 0, [](const Vec3& x) { return x.y() < 0.2; });
  expect_soft(whole(), "the end of a wing", 0, [](const Vec3& x) { return std::abs(x.x()) > 0.43; });
  expect_soft(whole(), "the tail", 0, [](const Vec3& x) { return x.z() < -0.25; });
  expect_soft(whole(), "the head", 1, [](const Vec3& x) { return x.y() > 0.52; });
  expect_soft(whole(), "a wing", 1, [](const Vec3& x) { return std::abs(x.x()) > 0.17 && std::abs(x.x()) < 0.38; });
}

TEST(Bird, beats_its_wings_five_times_and_is_lifted_by_going_down) {
  const int tip = nearest(whole().neutral, bird::kWing[3]), back = nearest(whole().neutral, {0, 0.48, -0.05});
  const auto raised = [&](int f) { return whole().frames[f][tip].y() - whole().frames[f][back].y(); };
  // Both wings alike.
  const int other = nearest(whole().neutral, {-bird::kWing[3].x(), bird::kWing[3].y(), bird::kWing[3].z()});
  int tops = 0;
  double with = 0, against = 0;
  for (int f = 82; f < 172; ++f) {
    if (raised(f) > 0.2 && raised(f) >= raised(f - 1) && raised(f) > raised(f + 1)) ++tops;
    EXPECT_NEAR(whole().frames[f][tip].y(), whole().frames[f][other].y(), 0.03);
    if (f < 104 || f > 152) continue;
    // While wings go down the body is pushed up.
    const double pushed =
        whole().frames[f + 1][back].y() - 2 * whole().frames[f][back].y() + whole().frames[f - 1][back].y();
    (raised(f + 1) < raised(f - 1) ? with : against) += pushed;
  }
  EXPECT_EQ(tops, 5);
  EXPECT_GT(with, 0.02);
  EXPECT_LT(against, -0.02);
}

TEST(Bird, feet_on_the_ground_stay_where_they_are_and_it_lands_a_metre_ahead) {
  const Stays s = stays(whole());
  EXPECT_LT(s.slide, 5e-4);
  EXPECT_LT(s.astray, 1e-3);
  const std::vector<int> under = soles(whole());
  EXPECT_GT(under.size(), 20u);
  EXPECT_EQ(s.n, 2 * static_cast<int>(under.size()));  // before the flight and after it
  for (const int v : under) {
    EXPECT_LT((whole().frames.back()[v] - whole().frames.front()[v] - Vec3::UnitZ()).norm(), 1e-3);
    EXPECT_GT(whole().frames[150][v].y(), 0.2);
  }
}

TEST(Bird, has_the_same_bits_for_any_number_of_threads) {
  set_thread_count(1);
  const DrawnAnimation a = make_bird({.edge = 0.03, .frames = 20});
  set_thread_count(0);
  expect_same_bits(a, make_bird({.edge = 0.03, .frames = 20}));
  expect_closed(a.neutral);
}

}  // namespace
}  // namespace supple
