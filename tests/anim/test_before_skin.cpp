// What a morph target has to hold for a departure of the posed skin.
#include "supple/anim/before_skin.h"

#include <gtest/gtest.h>

#include <cmath>

namespace supple {
namespace {

Mat3 turned_by(double degrees, const Vec3& axis) {
  return Eigen::AngleAxisd(degrees * M_PI / 180, axis.normalized()).toRotationMatrix();
}
// Two bones, half each: an elbow bent by so much, or a forearm twisted.
Mat3 folded(double degrees) { return 0.5 * (Mat3::Identity() + turned_by(degrees, Vec3(1, 2, 3))); }

TEST(BeforeSkin, what_can_be_undone_is) {
  const std::vector<Mat3> skin = {Mat3::Identity(), turned_by(70, Vec3(1, 0, 2)), folded(100),
                                  turned_by(20, Vec3(0, 1, 0)) * Vec3(1.5, 0.7, 1).asDiagonal(), Mat3::Identity()};
  const Points d = {Vec3(1, 2, 3), Vec3(-1, 0.5, 0), Vec3(0.1, 0.2, -4), Vec3(1, 1, 1), Vec3::Zero()};
  const BeforeSkin before = before_skin(skin, d);
  for (size_t v = 0; v < d.size(); ++v) EXPECT_LT((skin[v] * before.displacements[v] - d[v]).norm(), 1e-12) << v;
  EXPECT_EQ(before.displacements[4], Vec3::Zero());
  EXPECT_EQ(before.faded, 0);
  EXPECT_NEAR(before.stretch[0], 1, 1e-6);
  EXPECT_NEAR(before.stretch[1], 1, 1e-6);
  EXPECT_NEAR(before.stretch[3], 1.5, 1e-6);
  EXPECT_NEAR(before.stretch[4], 1, 1e-6);
}

// Through a fold of 180 degrees and on: bounded, even in time, and what is missing is told.
TEST(BeforeSkin, a_fold_fades_and_never_explodes) {
  std::vector<Mat3> skin(20, Mat3::Identity());
  Points d(20, Vec3(0, 0, 1));
  d.back() = Vec3(2, -1, 0);  // across the axis: the directions that go flat
  Vec3 last = Vec3::Zero();
  double most_step = 0;
  for (int step = 0; step <= 400; ++step) {
    const double degrees = 130 + 0.25 * step;
    skin.back() = folded(degrees);
    const BeforeSkin before = before_skin(skin, d);
    const Vec3& delta = before.displacements.back();
    EXPECT_LE(delta.norm(), 1.1 / 0.25 * d.back().norm());
    const double missing = (skin.back() * delta - d.back()).norm();
    EXPECT_LE(missing, d.back().norm() * (1 + 1e-12));
    if (before.faded > 0) EXPECT_NEAR(before.faded, missing, 1e-12);
    if (step > 0) most_step = std::max(most_step, (delta - last).norm());
    last = delta;
    // The half of two turns: cos(half the angle) across the axis.
    const double sigma = std::abs(std::cos(degrees * M_PI / 360));
    EXPECT_EQ(sigma<0.25 - 1e-9, before.faded> 1e-9) << degrees;
  }
  // No leap where it starts to fade, nor through the fold itself.
  EXPECT_LT(most_step, 0.2 * d.back().norm());
  // At the fold only what is along the axis is left.
  skin.back() = folded(180);
  const Vec3 axis = Vec3(1, 2, 3).normalized();
  const Vec3 kept = skin.back() * before_skin(skin, d).displacements.back();
  EXPECT_LT((kept - axis.dot(d.back()) * axis).norm(), 1e-9);
}

// Flat is meant beside the rest of the body: a root that is scaled says nothing, a bone that is scaled to nothing does.
TEST(BeforeSkin, a_scaled_root_is_not_flat_and_a_hidden_bone_is) {
  std::vector<Mat3> skin(9, 0.01 * turned_by(40, Vec3(1, 1, 0)));
  const Points d(9, Vec3(0.001, 0, 0.002));
  const BeforeSkin small = before_skin(skin, d);
  EXPECT_EQ(small.faded, 0);
  EXPECT_NEAR(small.displacements[0].norm(), 100 * d[0].norm(), 1e-12);
  skin[3] *= 1e-5;
  const BeforeSkin hidden = before_skin(skin, d);
  EXPECT_LT(hidden.displacements[3].norm(), small.displacements[0].norm());
  EXPECT_NEAR(hidden.faded, d[3].norm(), 1e-3 * d[3].norm());
  // All of the body in one point: nothing can be shown, and nothing is.
  const BeforeSkin nothing = before_skin(std::vector<Mat3>(9, Mat3::Zero()), d);
  EXPECT_EQ(nothing.displacements[0], Vec3::Zero());
  EXPECT_NEAR(nothing.faded, d[0].norm(), 1e-12);
}

}  // namespace
}  // namespace supple
