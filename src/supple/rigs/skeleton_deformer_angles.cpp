#include "supple/rigs/skeleton_deformer_angles.h"

#include <cmath>

namespace supple {

namespace {

constexpr double kNoAxis = 1e-13;  // sines below this are rounding: they tell no axis

double angle_near(double angle, double near) { return angle + 2 * M_PI * std::round((near - angle) / (2 * M_PI)); }

}  // namespace

Vec3 rotation_vector_near(const Eigen::Quaterniond& q, const Vec3& near) {
  const double sine = q.vec().norm();
  if (sine < kNoAxis) {
    // A whole number of turns about any axis: the one that it went about.
    const double turned = near.norm(), whole = angle_near(0, turned);
    const Vec3 small = (q.w() < 0 ? -2.0 : 2.0) * q.vec();
    return whole > 0 ? Vec3(near * (whole / turned)) : small;
  }
  const Vec3 axis = q.vec() / sine;
  return axis * angle_near(2 * std::atan2(sine, q.w()), near.dot(axis));
}

Vec3 euler_xyz_near(const Mat3& R, const Vec3& near) {
  // Given x, the others follow from Rx^T R = Ry Rz, whose third column is (sin y, 0, cos y) and whose second row is
  // (sin z, cos z, 0).
  const auto with_x = [&](double x) {
    const Mat3 rest = Eigen::AngleAxisd(-x, Vec3::UnitX()).toRotationMatrix() * R;
    return Vec3(angle_near(x, near.x()), angle_near(std::atan2(rest(0, 2), rest(2, 2)), near.y()),
                angle_near(std::atan2(rest(1, 0), rest(1, 1)), near.z()));
  };
  if (std::hypot(R(1, 2), R(2, 2)) < kNoAxis) return with_x(near.x());
  const double x = std::atan2(-R(1, 2), R(2, 2));
  const Vec3 one = with_x(x), other = with_x(x + M_PI);
  return (one - near).squaredNorm() <= (other - near).squaredNorm() ? one : other;
}

Eigen::Quaterniond turn_of_vector(const Vec3& w) {
  const double half = w.norm() / 2;
  // sin(half) / (2 half), by its series where that is exact to rounding.
  const double factor = half > 1e-4 ? std::sin(half) / (2 * half) : 0.5 - half * half / 12;
  return {std::cos(half), factor * w.x(), factor * w.y(), factor * w.z()};
}

Eigen::Quaterniond turn_of_euler_xyz(const Vec3& angles) {
  const auto about = [&](int axis) { return turn_of_vector(angles[axis] * Vec3::Unit(axis)); };
  return about(0) * about(1) * about(2);
}

}  // namespace supple
