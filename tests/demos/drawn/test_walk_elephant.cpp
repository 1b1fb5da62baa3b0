// The elephant that walks: its size, its gait and the feet that stand.
#include "supple/demos/drawn/walk_elephant.h"

#include <cmath>

#include "supple/base/parallel.h"
#include "supple/demos/gallery/jellyphant_gait.h"
#include "supple/demos/gallery/jellyphant_plan.h"
#include "tests/demos/drawn_checks.h"

namespace supple {

using namespace demos;
namespace {

const DrawnAnimation& elephant() {
  static const DrawnAnimation a = make_walking_elephant({.edge = 0.07});
  return a;
}

TEST(SlowWalkingElephant, has_the_size_of_the_published_one) {
  const DrawnAnimation a = make_walking_elephant({.frames = 1});
  EXPECT_NEAR(a.neutral.n_vertices(), 8400, 840);
  EXPECT_NEAR(static_cast<double>(a.neutral.triangles.size()), 16636, 1664);
  EXPECT_EQ(kWalkFrames, 178);
  EXPECT_EQ(a.fps, 30);
  expect_closed(a.neutral);
  expect_painted(a, {"ears", "trunk", "tail", "belly"});
}

TEST(WalkingElephant, is_closed_painted_and_moves_without_jumps) {
  expect_closed(elephant().neutral);
  expect_painted(elephant(), {"ears", "trunk", "tail", "belly"});
  expect_moves(elephant(), kWalkFrames, 0.13);
}

TEST(WalkingElephant, flesh_and_what_follows_are_where_they_belong) {
  const DrawnAnimation& a = elephant();
  expect_soft(a, "the end of the trunk", 1, [](const Vec3& x) { return (x - jellyphant::kTrunk[5]).norm() < 0.08; });
  expect_soft(a, "an ear", 1, [](const Vec3& x) { return std::abs(x.x()) > 0.45; });
  expect_soft(a, "a leg", 0, [](const Vec3& x) { return x.y() < 0.4 && x.z() < 0.5 && x.z() > -0.65; });
  expect_soft(a, "the head", 0, [](const Vec3& x) { return x.y() > 1.25 && std::abs(x.x()) < 0.15; });
  expect_soft(a, "a tusk", 0, [](const Vec3& x) { return x.z() > 1.03 && std::abs(x.x()) > 0.13; });
}

TEST(WalkingElephant, feet_on_the_ground_stay_where_they_are) {
  const Stays s = stays(elephant());
  EXPECT_LT(s.slide, 5e-4);
  EXPECT_LT(s.astray, 1e-3);
  // Each sole stands once more than it steps, and steps four or five times.
  EXPECT_GE(s.n, 5 * static_cast<int>(soles(elephant()).size()));
}

TEST(WalkingElephant, every_foot_is_where_its_step_says) {
  // Legs do not have to reach further than they are long.
  for (const int v : soles(elephant())) {
    const Vec3& x = elephant().neutral.vertices[v];
    const bool left = x.x() > 0, fore = x.z() > -0.1;
    const walk::Leg leg = left ? (fore ? walk::Leg::left_fore : walk::Leg::left_hind)
                               : (fore ? walk::Leg::right_fore : walk::Leg::right_hind);
    for (int f = 0; f < kWalkFrames; ++f) {
      const walk::Step s = walk::step(leg, walk::cycles(f));
      if (s.raised > 0) continue;
      EXPECT_LT((elephant().frames[f][v] - x - s.shift).norm(), 5e-4) << "frame " << f;
    }
  }
}

TEST(WalkingElephant, begins_as_it_is_and_ends_as_far_ahead_as_it_has_gone) {
  const Vec3 way(0, 0, walk::kStride * (walk::kCycles - 1));
  for (int i = 0; i < elephant().neutral.n_vertices(); ++i) {
    const Vec3& x = elephant().neutral.vertices[i];
    EXPECT_LT((elephant().frames.front()[i] - x).norm(), 1e-9);
    EXPECT_LT((elephant().frames.back()[i] - x - way).norm(), 1e-9);
  }
}

TEST(Gait, steps_follow_each_other_as_elephants_do) {
  using walk::Leg;
  // Left hind, left fore, right hind, right fore, and never more than two feet in the air.
  std::vector<int> order;
  std::vector<char> up(4, 0);
  int most = 0;
  for (double c = -0.2; c < walk::kCycles + 0.5; c += 0.001) {
    int in_air = 0;
    for (const Leg leg : walk::kLegs) {
      const bool now = walk::step(leg, c).raised > 1e-6;
      if (now && !up[static_cast<size_t>(leg)]) order.push_back(static_cast<int>(leg));
      up[static_cast<size_t>(leg)] = now;
      in_air += now;
    }
    most = std::max(most, in_air);
  }
  EXPECT_EQ(most, 2);
  ASSERT_GE(order.size(), 16u);
  for (size_t k = 0; k < order.size(); ++k) EXPECT_EQ(order[k], static_cast<int>(k % 4));
}

TEST(Gait, the_body_goes_smoothly_and_over_its_feet) {
  EXPECT_EQ(walk::travel(0), 0);
  EXPECT_EQ(walk::travel(-1), 0);
  const double all = walk::kStride * (walk::kCycles - 1), h = 1e-4;
  EXPECT_NEAR(walk::travel(walk::kCycles), all, 1e-12);
  EXPECT_NEAR(walk::travel(walk::kCycles + 3), all, 1e-12);
  double before = 0;
  for (double c = -0.5; c < walk::kCycles + 0.5; c += h) {
    const double speed = (walk::travel(c + h) - walk::travel(c - h)) / (2 * h);
    EXPECT_GE(speed, -1e-9);
    EXPECT_LT(speed, walk::kStride + 1e-6);
    EXPECT_LT(std::abs(speed - before), 1.6 * walk::kStride * h) << "a jump in speed";
    before = speed;
    for (const walk::Leg leg : walk::kLegs) {
      const walk::Step s = walk::step(leg, c);
      EXPECT_GE(s.shift.y(), 0);
      // A leg reaches so far, on the ground and in the air.
      EXPECT_LT(std::abs(s.shift.z() - walk::travel(c)), s.raised > 0 ? 0.28 : 0.215);
    }
  }
  EXPECT_NEAR((walk::travel(2.5) - walk::travel(1.5)), walk::kStride, 1e-12);
}

TEST(WalkingElephant, has_the_same_bits_for_any_number_of_threads) {
  set_thread_count(1);
  const DrawnAnimation a = make_walking_elephant({.edge = 0.09, .frames = 20});
  set_thread_count(0);
  const DrawnAnimation b = make_walking_elephant({.edge = 0.09, .frames = 20});
  expect_same_bits(a, b);
  // A shorter one is the beginning of the long one.
  EXPECT_TRUE(make_walking_elephant({.edge = 0.07, .frames = 12}).frames.back() == elephant().frames[11]);
}

}  // namespace
}  // namespace supple
