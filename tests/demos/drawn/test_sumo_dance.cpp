// The sumo wrestler who dances: his size, what is flesh, his jumps and the feet that stand.
#include "supple/demos/drawn/sumo_dance.h"

#include <cmath>

#include "supple/base/parallel.h"
#include "supple/demos/drawn/sumo_dance_plan.h"
#include "tests/demos/drawn_checks.h"

namespace supple {

using namespace demos;
namespace {

const DrawnAnimation& dancer() {
  static const DrawnAnimation a = make_dancing_sumo({.edge = 0.065});
  return a;
}
const std::vector<std::string> kParts = {"belly", "cheeks", "derriere", "thighs"};

TEST(SlowDancingSumo, has_the_size_of_the_published_one) {
  const DrawnAnimation a = make_dancing_sumo({.frames = 1});
  EXPECT_NEAR(a.neutral.n_vertices(), 15482, 1548);
  EXPECT_NEAR(static_cast<double>(a.neutral.triangles.size()), 30642, 3064);
  EXPECT_EQ(kDanceFrames, 650);
  EXPECT_EQ(a.fps, 30);
  expect_closed(a.neutral);
  expect_painted(a, kParts);
}

TEST(DancingSumo, is_closed_painted_and_moves_without_jumps) {
  expect_closed(dancer().neutral);
  expect_painted(dancer(), kParts);
  expect_moves(dancer(), kDanceFrames, 0.2);
}

TEST(DancingSumo, flesh_and_what_follows_are_where_they_belong) {
  const DrawnAnimation& a = dancer();
  expect_soft(a, "a lower leg", 0, [](const Vec3& x) { return x.y() < 0.5; });
  expect_soft(a, "a hand", 0, [](const Vec3& x) { return std::abs(x.x()) > 0.5; });
  expect_soft(a, "the upper half of the head", 0, [](const Vec3& x) { return x.y() > 1.66; });
  expect_soft(a, "the back", 0, [](const Vec3& x) { return x.y() > 1.0 && x.z() < -0.15; });
  expect_soft(a, "the belly", 1,
              [](const Vec3& x) { return std::abs(x.x()) < 0.15 && std::abs(x.y() - 1.02) < 0.1 && x.z() > 0.3; });
}

TEST(DancingSumo, feet_on_the_ground_stay_where_they_are) {
  const Stays s = stays(dancer());
  EXPECT_LT(s.slide, 5e-4);
  EXPECT_LT(s.astray, 1e-3);
  // Each foot steps four times, steps out once and jumps four times.
  EXPECT_GE(s.n, 9 * static_cast<int>(soles(dancer()).size()));
}

TEST(DancingSumo, jumps_with_both_feet_as_high_as_gravity_lets_him) {
  const std::vector<int> under = soles(dancer());
  std::vector<int> lengths;
  for (int f = 0, since = -1; f < kDanceFrames; ++f) {
    const bool up = std::all_of(under.begin(), under.end(), [&](int v) { return dancer().frames[f][v].y() > 0.005; });
    if (up && since < 0) since = f;
    if (!up && since >= 0) lengths.push_back(f - since), since = -1;
  }
  ASSERT_EQ(lengths.size(), 4u);
  // 8 h = g t^2 of the time in the air: 0.15 m last 0.35 s.
  for (const int n : lengths) EXPECT_NEAR((n + 1) / kDanceFps, std::sqrt(8 * 0.15 / 9.81), 0.06);
}

TEST(DancingSumo, ends_where_he_began) {
  const Points &a = dancer().frames.front(), &b = dancer().frames.back();
  for (size_t i = 0; i < a.size(); ++i) EXPECT_LT((a[i] - b[i]).norm(), 1e-6);
}

TEST(DancingSumo, has_the_same_bits_for_any_number_of_threads) {
  set_thread_count(1);
  const DrawnAnimation a = make_dancing_sumo({.edge = 0.09, .frames = 20});
  set_thread_count(0);
  expect_same_bits(a, make_dancing_sumo({.edge = 0.09, .frames = 20}));
}

}  // namespace
}  // namespace supple
