// Bodies as functions of space: negative inside, about the distance to the surface [m] outside and near it.
#pragma once
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "supple/base/types.h"

namespace supple::demos {

// Near the surface only: further away it is an estimate.
inline double ellipsoid(const Vec3& p, const Vec3& centre, const Vec3& radii) {
  const Vec3 q = (p - centre).cwiseQuotient(radii);
  const double k = q.norm(), slope = q.cwiseQuotient(radii).norm();
  return slope > 0 ? k * (k - 1) / slope : -radii.minCoeff();
}

inline double ball(const Vec3& p, const Vec3& centre, double radius) { return (p - centre).norm() - radius; }

// All balls between one of radius ra around a and one of radius rb around b, their radii in proportion.
inline double round_cone(const Vec3& p, const Vec3& a, const Vec3& b, double ra, double rb) {
  const Vec3 ab = b - a, ap = p - a;
  const double length2 = ab.squaredNorm();
  double t = length2 > 0 ? std::clamp(ap.dot(ab) / length2, 0.0, 1.0) : 0.0;
  // The nearest ball is not the one across from p but one further towards the thick end.
  const double across = (ap - t * ab).norm(), length = std::sqrt(length2);
  const double slope = length > 0 ? (rb - ra) / length : 0;
  if (std::abs(slope) < 1) {
    t = std::clamp((ap.dot(ab) / length + across * slope / std::sqrt(1 - slope * slope)) / length, 0.0, 1.0);
  }
  return (ap - t * ab).norm() - (ra + t * (rb - ra));
}

// Union and cut with a fillet of about the size k.
inline double join(double a, double b, double k) {
  const double h = std::max(k - std::abs(a - b), 0.0) / k;
  return std::min(a, b) - h * h * k / 4;
}
inline double cut(double a, double b, double k) { return -join(-a, -b, k); }

inline Vec3 mirrored(const Vec3& p) { return {-p[0], p[1], p[2]}; }

// 0 up to `from`, 1 beyond `to`, smooth between; from > to falls.
inline double smooth_ramp(double x, double from, double to) {
  const double s = std::clamp((x - from) / (to - from), 0.0, 1.0);
  return s * s * (3 - 2 * s);
}

}  // namespace supple::demos
