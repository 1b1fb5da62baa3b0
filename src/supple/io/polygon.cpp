#include "supple/io/polygon.h"

#include <Eigen/Geometry>
#include <numeric>

#include "supple/io/large_polygon.h"

namespace supple {

namespace {

constexpr size_t kManyCorners = 64;  // beyond, the cube of their number is too many steps

// In the plane of the normal, where the polygon turns to the left; in units of its size.
std::vector<Eigen::Vector2d> flattened(const Points& corners, const Vec3& normal) {
  Vec3 low = corners[0], high = corners[0];
  for (const Vec3& x : corners) low = low.cwiseMin(x), high = high.cwiseMax(x);
  const double size = (high - low).maxCoeff();
  const Vec3 across = normal.unitOrthogonal(), up = normal.cross(across).normalized();
  std::vector<Eigen::Vector2d> out;
  out.reserve(corners.size());
  for (const Vec3& x : corners) out.emplace_back(across.dot(x - low) / size, up.dot(x - low) / size);
  return out;
}

}  // namespace

std::vector<Tri> triangulate(const Points& corners) {
  std::vector<int> left(corners.size());
  std::iota(left.begin(), left.end(), 0);
  Vec3 normal = Vec3::Zero();
  for (size_t i = 0; i < corners.size(); ++i) normal += corners[i].cross(corners[(i + 1) % corners.size()]);
  if (corners.size() > kManyCorners) return triangulate_large(flattened(corners, normal));

  auto turn = [&](int a, int b, int c) { return (corners[b] - corners[a]).cross(corners[c] - corners[b]).dot(normal); };
  auto is_ear = [&](size_t i) {
    const size_t n = left.size();
    const int a = left[(i + n - 1) % n], b = left[i], c = left[(i + 1) % n];
    if (!(turn(a, b, c) > 0)) return false;
    for (int p : left) {
      if (p == a || p == b || p == c) continue;
      if (turn(a, b, p) >= 0 && turn(b, c, p) >= 0 && turn(c, a, p) >= 0) return false;
    }
    return true;
  };

  std::vector<Tri> triangles;
  while (left.size() > 3) {
    size_t ear = 1;  // without an ear, the next of the fan around corner 0
    for (size_t i = 0; i < left.size(); ++i) {
      const size_t candidate = (i + 1) % left.size();
      if (is_ear(candidate)) {
        ear = candidate;
        break;
      }
    }
    const size_t n = left.size();
    triangles.push_back({left[(ear + n - 1) % n], left[ear], left[(ear + 1) % n]});
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(ear));
  }
  if (left.size() == 3) triangles.push_back({left[0], left[1], left[2]});
  return triangles;
}

}  // namespace supple
