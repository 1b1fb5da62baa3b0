#include "supple/mesh/rigid_fit.h"

#include "supple/linalg/svd3.h"

namespace supple {

RigidMotion fit_rigid_motion(const VecX& before, const VecX& after) {
  RigidMotion motion;
  const Eigen::Index n = before.size() / 3;
  if (n == 0) return motion;
  for (Eigen::Index i = 0; i < n; ++i) {
    motion.from += before.segment<3>(3 * i) / static_cast<double>(n);
    motion.to += after.segment<3>(3 * i) / static_cast<double>(n);
  }
  Mat3 A = Mat3::Zero();
  for (Eigen::Index i = 0; i < n; ++i)
    A += (after.segment<3>(3 * i) - motion.to) * (before.segment<3>(3 * i) - motion.from).transpose();
  const Svd3 svd = svd3(A);
  if (svd.sigma[1] > 1e-9 * svd.sigma[0]) motion.R = svd.U * svd.V.transpose();
  return motion;
}

Eigen::Quaterniond turn_between(const Vec3& from, const Vec3& to) {
  return Eigen::Quaterniond::FromTwoVectors(from, to);
}

}  // namespace supple
