#include "supple/mesh/closest_point.h"

#include <Eigen/Geometry>
#include <algorithm>

namespace supple {

namespace {
const Vec3& nearer(const Vec3& p, const Vec3& x, const Vec3& y) {
  return (y - p).squaredNorm() < (x - p).squaredNorm() ? y : x;
}
}  // namespace

Vec3 closest_on_segment(const Vec3& p, const Vec3& a, const Vec3& b) {
  const Vec3 ab = b - a;
  const double length2 = ab.squaredNorm();
  if (!(length2 > 0)) return a;
  return a + std::clamp((p - a).dot(ab) / length2, 0.0, 1.0) * ab;
}

Vec3 closest_on_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  // Over the face when p is on the inner side of all three edges, else on one of the edges.
  const Vec3 n = (b - a).cross(c - a);
  const double n2 = n.squaredNorm();
  if (n2 > 0) {
    auto inner = [&](const Vec3& x, const Vec3& y) { return (y - x).cross(p - x).dot(n) >= 0; };
    if (inner(a, b) && inner(b, c) && inner(c, a)) return p - n * ((p - a).dot(n) / n2);
  }
  return nearer(p, nearer(p, closest_on_segment(p, a, b), closest_on_segment(p, b, c)), closest_on_segment(p, c, a));
}

Vec3 closest_on_tet(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  auto side = [](const Vec3& q, const Vec3& x, const Vec3& y, const Vec3& z) {
    return (y - x).cross(z - x).dot(q - x);
  };
  // Inside: on the same side of each face as the opposite vertex.
  const double sign = side(d, a, b, c) < 0 ? -1 : 1;
  const double sa = sign * side(p, b, d, c), sb = sign * side(p, a, c, d), sc = sign * side(p, a, d, b);
  const double sd = sign * side(p, a, b, c);
  if (sa >= 0 && sb >= 0 && sc >= 0 && sd >= 0 && side(d, a, b, c) != 0) return p;
  const Vec3 ab = nearer(p, closest_on_triangle(p, b, d, c), closest_on_triangle(p, a, c, d));
  const Vec3 cd = nearer(p, closest_on_triangle(p, a, d, b), closest_on_triangle(p, a, b, c));
  return nearer(p, ab, cd);
}

}  // namespace supple
