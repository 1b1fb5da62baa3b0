#include <gtest/gtest.h>

#include <cmath>

#include "supple/base/parallel.h"
#include "supple/contact/broad_phase.h"
#include "supple/contact/pair_distance.h"
#include "tests/contact/shapes.h"

namespace supple {
namespace {

using Pairs = std::vector<ContactPair>;

template <class Keep>
Pairs brute(const ContactShape& shape, Keep&& keep) {
  Pairs pairs;
  for (const ContactPair& pair : all_pairs(shape)) {
    if (pair_thickness(shape, pair, 1) > 0 && keep(pair)) pairs.push_back(pair);
  }
  return pairs;
}

Pairs brute_near(const ContactShape& shape, const Points& x, double reach) {
  return brute(shape, [&](const ContactPair& pair) { return distance(pair, x).distance <= reach; });
}

// All that the swept queries promise to find is found, and nothing that the motion rules out.
void expect_swept(const ContactShape& shape, const Points& x, const Points& dx, double reach, double keep,
                  bool own_thickness, const Pairs& found) {
  EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
  EXPECT_EQ(std::adjacent_find(found.begin(), found.end()), found.end());
  std::vector<Points> on_the_way;
  for (int i = 0; i <= 16; ++i) on_the_way.push_back(moved(x, dx, i / 16.0));
  size_t n_due = 0;
  for (const ContactPair& pair : all_pairs(shape)) {
    const double thickness = pair_thickness(shape, pair, reach > 0 ? reach : 1);
    if (thickness == 0) {
      EXPECT_FALSE(std::binary_search(found.begin(), found.end(), pair));
      continue;
    }
    const double near = std::max(own_thickness ? thickness : reach, keep * distance(pair, x).distance);
    bool due = false;
    for (const Points& q : on_the_way) due = due || distance(pair, q).distance <= near;
    n_due += due;
    if (due) {
      EXPECT_TRUE(std::binary_search(found.begin(), found.end(), pair));
    }
  }
  EXPECT_GT(n_due, 0u);
  EXPECT_LT(found.size(), all_pairs(shape).size() / 3);
  EXPECT_LT(static_cast<double>(found.size()), 16.0 * static_cast<double>(n_due) + 50);
}

Points bent(const Points& points) {
  Points x = points;
  for (Vec3& p : x) p = {1.2 * p[0] + 0.3 * std::sin(4 * p[1]), 0.1 * p[1], p[2] + 0.2 * std::sin(5 * p[0])};
  return x;
}

TEST(BroadPhases, SoupAgainstAllPairs) {
  Random random(11);
  for (double size : {0.02, 0.3}) {
    const Soup soup = random_soup(90, size, random);
    ContactShape shape = make_contact_shape(soup.points, soup.triangles);
    for (int i = 0; i < shape.n_points; ++i) shape.fixed[i] = random.in(0, 1) < 0.4;
    for (bool within : {true, false}) {
      shape.within_parts = within;
      BroadPhase broad(shape);
      Points x = soup.points, dx;
      for (size_t i = 0; i < x.size(); ++i) dx.push_back(random.vector(0.15));
      for (double reach : {0.0, 0.02, 0.2}) {
        EXPECT_EQ(broad.near(x, reach), brute_near(shape, x, reach));
        // Everything elsewhere: the tree of old does not fit.
        Points elsewhere = x;
        for (Vec3& p : elsewhere) p += random.vector(0.5);
        const Pairs near = broad.near(elsewhere, reach);
        EXPECT_EQ(near, brute_near(shape, elsewhere, reach));
        EXPECT_TRUE(reach == 0 || !near.empty());
      }
      Points slow = dx;
      for (Vec3& v : slow) v *= 0.1;
      expect_swept(shape, x, slow, 0.05, 0, false, broad.near_swept(x, slow, 0.05));
      expect_swept(shape, x, dx, 0.02, 0, false, broad.near_swept(x, dx, 0.02));
      expect_swept(shape, x, dx, 0.01, 0.3, false, broad.near_swept(x, dx, 0.01, 0.3));
      expect_swept(shape, x, dx, 0.02, 0.1, true, broad.near_thickness_swept(x, dx, 0.02, 0.1));
    }
  }
}

TEST(BroadPhases, BentSphereAgainstAllPairs) {
  const Soup sphere = make_sphere(3);
  const ContactShape shape = make_contact_shape(sphere.points, sphere.triangles);
  BroadPhase broad(shape);
  const Points x = bent(sphere.points);
  const double thickness = 0.25;
  EXPECT_EQ(broad.near(x, 0.1), brute_near(shape, x, 0.1));
  EXPECT_FALSE(broad.near(x, 0.1).empty());
  EXPECT_TRUE(broad.near_thickness(sphere.points, 10).empty());  // nothing pushes at rest
  EXPECT_FALSE(broad.near(sphere.points, thickness).empty());
  for (double slack : {0.0, 0.02}) {
    const Pairs pressed = broad.near_thickness(x, thickness, slack);
    EXPECT_EQ(pressed, brute(shape, [&](const ContactPair& pair) {
                return distance(pair, x).distance <= pair_thickness(shape, pair, thickness) + slack;
              }));
    EXPECT_GT(pressed.size(), 100u);
  }
  // A motion in common, far beyond the size, makes nothing come nearer.
  const Points dx(x.size(), Vec3(40, 10, -30));
  EXPECT_EQ(broad.near_swept(x, dx, 0.02), broad.near(x, 0.02));
}

TEST(BroadPhases, SameListsForAnyThreads) {
  const Soup sphere = make_sphere(5);
  const ContactShape shape = make_contact_shape(sphere.points, sphere.triangles);
  const Points x = bent(sphere.points);
  Points dx = x;
  for (Vec3& p : dx) p *= -0.1;
  set_thread_count(1);
  BroadPhase alone(shape);
  const Pairs near = alone.near(x, 0.02), swept = alone.near_swept(x, dx, 0.001);
  EXPECT_FALSE(near.empty());
  EXPECT_GT(swept.size(), 1000u);
  set_thread_count(2);
  BroadPhase two(shape);
  EXPECT_EQ(two.near_swept(x, dx, 0.001), swept);  // the other way round: what came before does not matter
  EXPECT_EQ(two.near(x, 0.02), near);
  set_thread_count(0);
}

TEST(BroadPhases, OddInput) {
  for (const Points& points : {Points{}, Points{{1, 2, 3}}}) {
    BroadPhase broad(make_contact_shape(points, {}));
    EXPECT_TRUE(broad.near(points, 1).empty());
    EXPECT_TRUE(broad.near_swept(points, points, 1).empty());
  }
  // All points in one place, triangles without area, a triangle twice, a lone point that never collides.
  Soup s;
  s.points.assign(9, Vec3(0.5, 0.5, 0.5));
  s.triangles = {{0, 1, 2}, {3, 4, 5}, {2, 0, 1}};
  const ContactShape shape = make_contact_shape(s.points, s.triangles);
  BroadPhase broad(shape);
  const Pairs near = broad.near(s.points, 0.1);
  EXPECT_EQ(near, brute_near(shape, s.points, 0.1));
  EXPECT_EQ(near.size(), 6u + 9u);
  EXPECT_TRUE(broad.near(s.points, -1).empty());
  EXPECT_TRUE(broad.near(s.points, std::nan("")).empty());
  // A part that meets itself at rest: nothing of that collides.
  const Points folded = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}, {1, 0, 1}};
  const ContactShape meets = make_contact_shape(folded, {{0, 1, 2}, {1, 2, 3}, {2, 3, 4}});
  EXPECT_EQ(BroadPhase(meets).near(folded, 2), brute_near(meets, folded, 2));

  // A point that is not finite does not hide the others.
  Points x = s.points;
  x[3][1] = std::nan("");
  Pairs others = broad.near(x, 0.1);
  std::erase_if(others, [](const ContactPair& pair) { return std::count(pair.points.begin(), pair.points.end(), 3); });
  EXPECT_EQ(others.size(), 2u + 3u);
  x[3][1] = 1e300;
  EXPECT_EQ(broad.near(x, 0.1).size(), brute_near(shape, x, 0.1).size());
}

TEST(BoxTrees, FollowAndAreRebuilt) {
  Random random(13);
  const auto boxes_at = [](const Points& points) {
    std::vector<SmallBox> boxes;
    for (const Vec3& p : points) boxes.push_back(small_box(p.array() - 0.02, p.array() + 0.02));
    return boxes;
  };
  const auto count = [](const BoxTree& tree) {
    int n = 0;
    for (int leaf = 0; leaf < tree.n_leaves(); ++leaf) tree.overlaps_within(leaf, [&](int, int) { ++n; });
    return n;
  };
  Points points;
  for (int i = 0; i < 1000; ++i) points.push_back(random.vector(0.5));
  BoxTree tree;
  tree.build(boxes_at(points), std::vector<BoxTree::Tag>(points.size()));
  for (int round = 0; round < 3; ++round) {
    // A turn and a shift: the tree stays. Then all places dealt out anew.
    for (Vec3& p : points) p = Vec3(p[1], -p[0], p[2]) + Vec3(3, 0, 0);
    tree.refit(boxes_at(points));
    EXPECT_EQ(tree.n_builds(), 1 + round);
    for (size_t i = points.size() - 1; i > 0; --i) std::swap(points[i], points[random.below(static_cast<int>(i))]);
    const std::vector<SmallBox> boxes = boxes_at(points);
    tree.refit(boxes);
    EXPECT_EQ(tree.n_builds(), 2 + round);
    int expected = 0;
    for (size_t i = 0; i < boxes.size(); ++i) {
      for (size_t j = 0; j < i; ++j) expected += boxes[i].overlaps(boxes[j]);
    }
    EXPECT_GT(expected, 10);
    EXPECT_EQ(count(tree), expected);
  }
}

TEST(BoxTrees, SmallBoxesHoldTheLargeOnes) {
  Random random(17);
  for (int i = 0; i < 2000; ++i) {
    const Vec3 p = random.vector(1) * std::pow(10.0, random.in(-42, 45));
    const SmallBox box = small_box(p, p);
    for (int k = 0; k < 3; ++k) {
      if (std::abs(p[k]) < 3e38) {
        EXPECT_LE(static_cast<double>(box.low[k]), p[k]);
        EXPECT_GE(static_cast<double>(box.high[k]), p[k]);
      }
    }
    EXPECT_TRUE(box.overlaps(box));
  }
  EXPECT_FALSE(SmallBox().overlaps(small_box(Vec3::Constant(-1e30), Vec3::Constant(1e30))));
}

}  // namespace
}  // namespace supple
