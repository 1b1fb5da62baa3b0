#include "supple/anim/limb.h"

#include <algorithm>
#include <cmath>

namespace supple {

namespace {

// Axes of a bone: along it, and across in the plane of the limb.
Mat3 axes(const Vec3& along, const Vec3& hinge) {
  Mat3 m;
  m.col(0) = along.normalized();
  m.col(2) = (hinge - hinge.dot(m.col(0)) * m.col(0)).normalized();
  m.col(1) = m.col(2).cross(m.col(0));
  return m;
}

}  // namespace

LimbPose reach(const Limb& limb, const Vec3& root, const Vec3& target, const Vec3& pole) {
  constexpr double kNearlyStraight = 0.9999, kNearlyFolded = 1.0001;
  const double a = (limb.middle - limb.root).norm(), b = (limb.end - limb.middle).norm();
  Vec3 u = target - root;
  const double wanted = u.norm();
  u = wanted > 0 ? Vec3(u / wanted) : (limb.end - limb.root).normalized();
  const double length = std::clamp(wanted, kNearlyFolded * std::abs(a - b), kNearlyStraight * (a + b));
  Vec3 v = pole - pole.dot(u) * u;
  if (v.norm() < 1e-9) v = u.unitOrthogonal();
  v.normalize();
  const double along = (a * a - b * b + length * length) / (2 * length);
  const Vec3 middle = root + along * u + std::sqrt(std::max(0.0, a * a - along * along)) * v;
  LimbPose pose;
  pose.end = root + length * u;
  const Vec3 hinge = u.cross(v), rest_hinge = (limb.end - limb.root).cross(limb.pole);
  pose.upper = Quat(Mat3(axes(middle - root, hinge) * axes(limb.middle - limb.root, rest_hinge).transpose()));
  pose.lower = Quat(Mat3(axes(pose.end - middle, hinge) * axes(limb.end - limb.middle, rest_hinge).transpose()));
  return pose;
}

}  // namespace supple
