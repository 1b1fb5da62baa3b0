#include "supple/demos/gallery/bar.h"

#include <gtest/gtest.h>

#include <cmath>

#include "supple/base/error.h"

namespace supple {

using namespace demos;
namespace {

TEST(Bar, EndsAreItsFaces) {
  const Bar bar = make_bar({{2, 0.4, 0.2}, {6, 3, 2}});
  EXPECT_EQ(bar.tets.n_tets(), 6 * 6 * 3 * 2);
  EXPECT_EQ(bar.root.size(), 12u);
  EXPECT_EQ(bar.tip.size(), 12u);
  for (int v : bar.root) EXPECT_NEAR(bar.tets.vertices[static_cast<size_t>(v)].x(), 0, 1e-15);
  for (int v : bar.tip) EXPECT_NEAR(bar.tets.vertices[static_cast<size_t>(v)].x(), 2, 1e-12);
  const Box box = bounding_box(bar.tets.vertices);
  EXPECT_NEAR((box.low - Vec3(0, -0.2, -0.1)).norm() + (box.high - Vec3(2, 0.2, 0.1)).norm(), 0, 1e-12);
  EXPECT_THROW(make_bar({{1, 0, 1}, {1, 1, 1}}), InputError);
  EXPECT_THROW(make_bar({{1, 1, NAN}, {1, 1, 1}}), InputError);
  EXPECT_THROW(make_bar({{1, 1, 1}, {0, 1, 1}}), InputError);
  EXPECT_THROW(make_bar({{1, 1, 1}, {100000, 100000, 100000}}), InputError);
}

}  // namespace
}  // namespace supple
