// The fold: a torso whose rolls are apart as drawn, and how it falls and lands.
#include "supple/demos/drawn/fold.h"

#include <Eigen/Geometry>
#include <cmath>

#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "supple/mesh/closest_point.h"
#include "tests/demos/drawn_checks.h"

namespace supple {

using namespace demos;
namespace {

const DrawnAnimation& whole_fold() {
  static const DrawnAnimation a = make_fold();
  return a;
}

TEST(Fold, is_closed_and_painted) {
  expect_closed(whole_fold().neutral);
  expect_painted(whole_fold(), {"upper", "lower", "upper face", "lower face"});
  expect_soft(whole_fold(), "the back", 0, [](const Vec3& x) { return x.z() < -0.02; });
  expect_soft(whole_fold(), "the chest", 0, [](const Vec3& x) { return x.y() > 0.37; });
  expect_soft(whole_fold(), "the front of the rolls", 1,
              [](const Vec3& x) { return x.z() > 0.05 && x.y() > 0.06 && x.y() < 0.32; });
}

// From every point of one side straight to the other it is as far as the slit is wide.
TEST(Fold, sides_of_the_slit_are_parallel_and_apart) {
  const TriMesh& m = whole_fold().neutral;
  const std::vector<int>& upper = whole_fold().parts.at("upper face");
  std::vector<char> lower(m.vertices.size(), 0);
  for (int v : whole_fold().parts.at("lower face")) lower[static_cast<size_t>(v)] = 1;
  double least = 1, most = 0;
  int over = 0;
  for (int v : upper) {
    double d = 1;
    Vec3 near = Vec3::Zero();
    for (const Tri& t : m.triangles) {
      if (!lower[static_cast<size_t>(t[0])] || !lower[static_cast<size_t>(t[1])] || !lower[static_cast<size_t>(t[2])])
        continue;
      const Vec3 at = closest_on_triangle(m.vertices[v], m.vertices[t[0]], m.vertices[t[1]], m.vertices[t[2]]);
      if ((at - m.vertices[v]).norm() < d) d = (at - m.vertices[v]).norm(), near = at;
    }
    least = std::min(least, d);
    // Not where it reaches beyond the border of the other side.
    const Vec3 way = (m.vertices[v] - near) / d;
    if (std::abs(way.x()) < 0.01 && way.z() > 0) most = std::max(most, d), ++over;
  }
  EXPECT_NEAR(least, kFoldGap, 2e-4);
  EXPECT_NEAR(most, kFoldGap, 3e-3);
  EXPECT_GT(over, static_cast<int>(upper.size() / 2));
}

TEST(Fold, falls_freely_and_brakes_evenly_to_a_stand) {
  const FoldLanding landing = fold_landing();
  EXPECT_LT(landing.touches, landing.stands);
  EXPECT_EQ(fold_height(0), 0);
  EXPECT_EQ(fold_height(landing.stands + 0.1), 0);
  EXPECT_EQ(fold_height(landing.stands + 0.1, 1), 0);
  // No jumps, and the speed is the rate of the height.
  constexpr double h = 1e-6;
  double highest = 0;
  for (double t = 0.01; t < landing.stands + 0.1; t += 0.0137) {
    EXPECT_NEAR((fold_height(t + h) - fold_height(t - h)) / (2 * h), fold_height(t, 1), 1e-4) << t;
    EXPECT_LT(std::abs(fold_height(t + h, 1) - fold_height(t - h, 1)), 1e-3) << t;
    highest = std::max(highest, fold_height(t));
  }
  EXPECT_NEAR(highest, 0.5, 1e-3);
  for (const double t : {landing.touches, landing.stands}) {
    EXPECT_NEAR(fold_height(t - h), fold_height(t + h), 1e-5);
    EXPECT_NEAR(fold_height(t - h, 1), fold_height(t + h, 1), 1e-4);
  }
  // Weightless on its way down.
  const double middle = landing.touches - 0.1;
  EXPECT_NEAR((fold_height(middle + 0.01, 1) - fold_height(middle - 0.01, 1)) / 0.02, -9.81, 1e-6);
  EXPECT_THROW(fold_height(0, 2), InputError);
}

TEST(Fold, moves_as_a_whole) {
  const DrawnAnimation& a = whole_fold();
  ASSERT_EQ(a.frames.size(), 60u);
  EXPECT_EQ(a.fps, kFoldFps);
  for (size_t f = 0; f < a.frames.size(); ++f)
    for (size_t v = 0; v < a.frames[f].size(); ++v)
      ASSERT_LT((a.frames[f][v] - a.neutral.vertices[v] - Vec3(0, fold_height(f / kFoldFps), 0)).norm(), 1e-12);
  EXPECT_TRUE(a.frames[0] == a.neutral.vertices);
  EXPECT_LT(fold_landing().stands * kFoldFps, 40);
}

TEST(SlowFold, is_the_same_for_any_number_of_threads) {
  const FoldOptions coarse{.edge = 0.02, .frames = 3};
  const DrawnAnimation many = make_fold(coarse);
  set_thread_count(1);
  const DrawnAnimation one = make_fold(coarse);
  set_thread_count(0);
  expect_same_bits(one, many);
}

TEST(Fold, refuses_what_cannot_be) {
  EXPECT_THROW(make_fold({.edge = 0.1}), InputError);
  EXPECT_THROW(make_fold({.frames = 0}), InputError);
}

}  // namespace
}  // namespace supple
