// The rigid motion that carries one set of points onto another best.
#pragma once
#include <Eigen/Geometry>

#include "supple/base/types.h"

namespace supple {

struct RigidMotion {
  Mat3 R = Mat3::Identity();
  Vec3 from = Vec3::Zero(), to = Vec3::Zero();  // centres before and after
  Vec3 operator()(const Vec3& x) const { return R * (x - from) + to; }
};
// Least squares over points `before` and `after` (flat, same size). With fewer than three points in general position
// the rotation is not determined and none is assumed; without points the motion is none.
RigidMotion fit_rigid_motion(const VecX& before, const VecX& after);

// The least turn that carries one direction onto another.
Eigen::Quaterniond turn_between(const Vec3& from, const Vec3& to);

}  // namespace supple
