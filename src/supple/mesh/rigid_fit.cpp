#include "supple/mesh/rigid_fit.h"

#include <algorithm>
#include <cmath>

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
  const Vec3 a = from.normalized(), b = to.normalized();
  const double c = b.dot(a);
  if (c < Eigen::NumTraits<double>::dummy_precision() - 1) {  // half a turn, about any axis across
    const double w2 = (1 + std::max(c, -1.0)) / 2;
    const Vec3 v = std::sqrt(1 - w2) * a.unitOrthogonal();
    return {std::sqrt(w2), v.x(), v.y(), v.z()};
  }
  const double s = std::sqrt((1 + c) * 2);
  const Vec3 v = a.cross(b) * (1 / s);
  return {s * 0.5, v.x(), v.y(), v.z()};
}

}  // namespace supple
