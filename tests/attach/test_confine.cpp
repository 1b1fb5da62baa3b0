#include "supple/attach/confine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "supple/attach/flesh.h"
#include "supple/base/error.h"
#include "tests/attach/flesh_body.h"

namespace supple {
namespace {

constexpr double kRadius = 0.2, kHeight = 1.6, kBorder = 0.1;

// A capsule that is let be above its middle.
std::vector<double> above(const test::Body& body, double height, double within = 1) {
  std::vector<double> allowed;
  for (const Vec3& x : body.skin.vertices) allowed.push_back(x.y() > height ? within : 0);
  return allowed;
}

TEST(Confine, NothingHeldIsTheWhole) {
  const test::Body body = test::capsule_body(kRadius, kHeight, 0.08, {0, 0.8});
  const Flesh whole = find_flesh(body.input());
  const Flesh same = confined(body.input(), whole, std::vector<double>(body.skin.vertices.size(), 1), kBorder);
  EXPECT_EQ(same.softness, whole.softness);
  EXPECT_EQ(same.skin_softness, whole.skin_softness);
  EXPECT_EQ(same.region, whole.region);
  EXPECT_EQ(same.still_skin, whole.still_skin);
  for (int i = 0; i < body.skin.n_vertices(); ++i) EXPECT_EQ(drawn_share(same, i), 1);
}

TEST(Confine, TheAreaKeepsAllOfItsSoftnessAndWhatIsHeldAllOfItsPlaceInAnyTets) {
  for (const double edge : {0.06, 0.1}) {
    const test::Body body = test::capsule_body(kRadius, kHeight, edge, {0, 0.8});
    const Flesh whole = find_flesh(body.input());
    const Flesh flesh = confined(body.input(), whole, above(body, 0.8), kBorder);
    int in_area = 0, held = 0;
    for (size_t v = 0; v < whole.softness.size(); ++v) {
      const double y = body.cage.vertices[v].y();
      if (whole.softness[v] == 0) EXPECT_EQ(flesh.softness[v], 0);
      if (y > 0.8 + edge) {
        EXPECT_EQ(flesh.softness[v], whole.softness[v]) << y;
        ++in_area;
      }
      // What hangs on the area is free as far as that feels it.
      if (y < 0.8 - kRadius - 2 * edge) {
        EXPECT_EQ(flesh.softness[v], 0) << y;
        ++held;
      }
    }
    EXPECT_GT(in_area, 0);
    EXPECT_GT(held, 0);
    for (size_t i = 0; i < body.skin.vertices.size(); ++i) {
      const double y = body.skin.vertices[i].y();
      EXPECT_EQ(flesh.still_skin[i] != 0, y <= 0.8 || whole.still_skin[i]) << y;
      if (y <= 0.8) EXPECT_EQ(flesh.skin_softness[i], 0) << y;
      if (y <= 0.8) EXPECT_EQ(drawn_share(flesh, static_cast<int>(i)), 0) << y;
      if (y > 0.8 + kBorder) EXPECT_EQ(drawn_share(flesh, static_cast<int>(i)), 1) << y;
    }
  }
}

TEST(Confine, WhatIsDrawnRisesAlongTheSkin) {
  const test::Body body = test::capsule_body(kRadius, kHeight, 0.06, {0, 0.8});
  const Flesh flesh = confined(body.input(), find_flesh(body.input()), above(body, 0.8), kBorder);
  std::vector<std::pair<double, double>> by_height;
  for (size_t i = 0; i < body.skin.vertices.size(); ++i)
    by_height.emplace_back(body.skin.vertices[i].y(), drawn_share(flesh, static_cast<int>(i)));
  std::sort(by_height.begin(), by_height.end());
  int between = 0;
  for (size_t i = 1; i < by_height.size(); ++i) {
    EXPECT_GE(by_height[i].second, by_height[i - 1].second - 1e-9);
    between += by_height[i].second > 0 && by_height[i].second < 1;
  }
  EXPECT_GT(between, 0);
}

TEST(Confine, HalfPaintedIsHalfAsSoft) {
  const test::Body body = test::capsule_body(kRadius, kHeight, 0.06, {0, 0.8});
  const Flesh whole = find_flesh(body.input());
  const Flesh flesh = confined(body.input(), whole, above(body, 0.8, 0.5), kBorder);
  for (size_t v = 0; v < whole.softness.size(); ++v)
    if (body.cage.vertices[v].y() > 0.95) EXPECT_NEAR(flesh.softness[v], 0.5 * whole.softness[v], 0.02);
}

}  // namespace
}  // namespace supple
