#include "supple/tetmesh/clip.h"

#include <Eigen/Geometry>

namespace supple {

TetPlanes::TetPlanes(const std::array<Vec3, 4>& corners) : corner(corners) {
  for (int f = 0; f < 4; ++f) {
    const Vec3 &a = corner[(f + 1) % 4], &b = corner[(f + 2) % 4], &c = corner[(f + 3) % 4];
    normal[f] = (b - a).cross(c - a).normalized();
    if (normal[f].dot(corner[f] - a) < 0) normal[f] = -normal[f];
    offset[f] = normal[f].dot(a);
  }
}

Clipped clip(const TetPlanes& tet, const std::array<Vec3, 3>& triangle, double slack) {
  Clipped out;
  std::array<std::array<double, 3>, 4> height;
  bool whole = true;
  for (int f = 0; f < 4; ++f) {
    int beyond = 0;
    for (int c = 0; c < 3; ++c) {
      height[f][c] = tet.height(f, triangle[c]) + slack;
      beyond += height[f][c] < 0;
    }
    if (beyond == 3) return out;
    whole &= beyond == 0;
  }
  // Corners, and of the edge that starts at each what it lies on: 0..2 an edge of the triangle, 3..6 a face.
  struct Polygon {
    std::array<Vec3, 8> point;
    std::array<int, 8> on;
    int n = 0;
    void push(const Vec3& p, int o) { point[n] = p, on[n] = o, ++n; }
  } now, then;
  for (int c = 0; c < 3; ++c) now.push(triangle[c], c);
  for (int f = 0; f < 4 && !whole; ++f) {
    then.n = 0;
    for (int i = 0; i < now.n; ++i) {
      const int j = (i + 1) % now.n;
      const double hi = tet.height(f, now.point[i]) + slack, hj = tet.height(f, now.point[j]) + slack;
      const auto cut = [&] { return Vec3(now.point[i] + hi / (hi - hj) * (now.point[j] - now.point[i])); };
      if (hi >= 0) then.push(now.point[i], now.on[i]);
      if (hi >= 0 && hj < 0) then.push(cut(), 3 + f);
      if (hi < 0 && hj >= 0) then.push(cut(), now.on[i]);
    }
    std::swap(now, then);
    if (now.n < 3) return out;
  }
  out.any = true;
  Vec3 twice = Vec3::Zero();
  for (int i = 0; i < now.n; ++i) {
    out.middle += now.point[i] / now.n;
    if (i > 0) twice += (now.point[i] - now.point[0]).cross(now.point[(i + 1) % now.n] - now.point[0]);
    if (now.on[i] < 3) {
      out.edges |= 1u << now.on[i];
    } else {
      out.faces |= 1u << (now.on[i] - 3);
    }
  }
  out.area = 0.5 * twice.norm();
  return out;
}

bool passes_through(const Vec3& p, const Vec3& q, const std::array<Vec3, 3>& triangle, const Tri& ids,
                    const Vec3& normal, double& t) {
  const double hp = normal.dot(p - triangle[0]), hq = normal.dot(q - triangle[0]);
  if ((hp < 0) == (hq < 0)) return false;
  // On which side of the line each edge passes; both triangles at an edge compute it from the same ends.
  const Vec3 d = q - p;
  const auto left = [&](int i, int j) {
    const bool swap = ids[i] > ids[j];
    const Vec3 &a = triangle[swap ? j : i], &b = triangle[swap ? i : j];
    return (d.dot((a - p).cross(b - p)) >= 0) != swap;
  };
  const bool first = left(0, 1);
  if (left(1, 2) != first || left(2, 0) != first) return false;
  t = hp / (hp - hq);
  return true;
}

}  // namespace supple
