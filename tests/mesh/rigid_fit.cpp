#include "supple/mesh/rigid_fit.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

namespace supple {

TEST(RigidFit, RecoversAMotionAndTheBestOneUnderNoise) {
  const Mat3 R = Eigen::AngleAxisd(2.9, Vec3(1, -2, 0.5).normalized()).toRotationMatrix();
  const Vec3 T(3, -1, 0.2);
  Points x = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.3, 0.7, -0.2}};
  Points y;
  for (const Vec3& p : x) y.push_back(R * p + T);
  const RigidMotion m = fit_rigid_motion(flatten(x), flatten(y));
  EXPECT_LT((m.R - R).norm(), 1e-12);
  for (size_t i = 0; i < x.size(); ++i) EXPECT_LT((m(x[i]) - y[i]).norm(), 1e-12);

  // A mirrored cloud still gets a rotation.
  for (Vec3& p : y) p[0] = -p[0];
  EXPECT_NEAR(fit_rigid_motion(flatten(x), flatten(y)).R.determinant(), 1, 1e-12);
}

TEST(RigidFit, AssumesNoTurnWhereNoneIsDetermined) {
  EXPECT_EQ(fit_rigid_motion(VecX(), VecX()).R, Mat3::Identity());
  const RigidMotion one = fit_rigid_motion(flatten({{1, 2, 3}}), flatten({{4, 4, 4}}));
  EXPECT_EQ(one.R, Mat3::Identity());
  EXPECT_LT((one(Vec3(1, 2, 3)) - Vec3(4, 4, 4)).norm(), 1e-15);
  // On a line the turn about it is not known.
  const RigidMotion line = fit_rigid_motion(flatten({{0, 0, 0}, {1, 0, 0}}), flatten({{0, 0, 0}, {0, 1, 0}}));
  EXPECT_EQ(line.R, Mat3::Identity());
}

}  // namespace supple
