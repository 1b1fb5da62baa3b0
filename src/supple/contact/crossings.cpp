#include "supple/contact/crossings.h"

#include <algorithm>
#include <cmath>

#include "supple/base/parallel.h"

namespace supple {

namespace {

// Sign of the volume of a, b, c, d; 0 when rounding could have made it, here or in the coordinates.
int side(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const Vec3 u = a - d, v = b - d, w = c - d;
  const double xy = v[0] * w[1], yx = v[1] * w[0], yz = v[1] * w[2], zy = v[2] * w[1], zx = v[2] * w[0],
               xz = v[0] * w[2];
  const double volume = u[0] * (yz - zy) + u[1] * (zx - xz) + u[2] * (xy - yx);
  const double terms = std::abs(u[0]) * (std::abs(yz) + std::abs(zy)) + std::abs(u[1]) * (std::abs(zx) + std::abs(xz)) +
                       std::abs(u[2]) * (std::abs(xy) + std::abs(yx));
  const double lu = u.lpNorm<1>(), lv = v.lpNorm<1>(), lw = w.lpNorm<1>();
  const double rounding = 1e-15 * terms + 1e-15 * d.lpNorm<Eigen::Infinity>() * (lu * lv + lv * lw + lw * lu);
  return volume > rounding ? 1 : volume < -rounding ? -1 : 0;
}

// Whether an edge and a triangle, seen from straight above the triangle, lie beside each other. Of a flat surface that
// a solver moved, the signs above are noise; this is not.
bool beside(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 normal = (b - a).cross(c - a);
  const double size = std::max({a.lpNorm<1>(), b.lpNorm<1>(), c.lpNorm<1>(), p.lpNorm<1>(), q.lpNorm<1>()});
  for (const Vec3& along : {Vec3(b - a), Vec3(c - b), Vec3(a - c), Vec3(q - p)}) {
    const Vec3 across = normal.cross(along);
    const auto [low, high] = std::minmax({0.0, across.dot(b - a), across.dot(c - a)});
    const auto [from, to] = std::minmax({across.dot(p - a), across.dot(q - a)});
    const double rounding = 1e-14 * across.lpNorm<1>() * size;
    if (from > high + rounding || to < low - rounding) return true;
  }
  return false;
}

bool crosses(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b, const Vec3& c) {
  if (side(a, b, c, p) * side(a, b, c, q) >= 0) return false;
  // Around the line of the edge the three borders turn the same way, or pass through it.
  const int ab = side(p, q, a, b), bc = side(p, q, b, c), ca = side(p, q, c, a);
  return (std::min({ab, bc, ca}) >= 0 || std::max({ab, bc, ca}) <= 0) && !beside(p, q, a, b, c);
}

bool crosses(const ContactShape& shape, const Points& x, int edge, int triangle) {
  const auto& [p, q] = shape.edges[edge];
  const auto& [a, b, c] = shape.triangles[triangle];
  return crosses(x[p], x[q], x[a], x[b], x[c]);
}

}  // namespace

std::vector<Crossing> find_crossings(const ContactShape& shape, const Points& x, BroadPhase& broad, bool with_fixed) {
  std::vector<Crossing> found;
  for (const auto& [edge, triangle] : broad.edges_at_triangles(x, with_fixed)) {
    if (crosses(shape, x, edge, triangle)) found.push_back({edge, triangle});
  }
  return found;
}

std::vector<Crossing> find_crossings_brute(const ContactShape& shape, const Points& x, bool with_fixed) {
  std::vector<SmallBox> boxes;
  for (const auto& [a, b, c] : shape.triangles) {
    boxes.push_back(small_box(x[a].cwiseMin(x[b]).cwiseMin(x[c]), x[a].cwiseMax(x[b]).cwiseMax(x[c])));
  }
  constexpr size_t kGrain = 64;
  std::vector<std::vector<Crossing>> parts((shape.edges.size() + kGrain - 1) / kGrain);
  parallel_for(shape.edges.size(), kGrain, [&](size_t begin, size_t end) {
    for (size_t edge = begin; edge < end; ++edge) {
      const auto& [p, q] = shape.edges[edge];
      const SmallBox box = small_box(x[p].cwiseMin(x[q]), x[p].cwiseMax(x[q]));
      for (size_t i = 0; i < boxes.size(); ++i) {
        if (!box.overlaps(boxes[i])) continue;
        const auto& [a, b, c] = shape.triangles[i];
        if (p == a || p == b || p == c || q == a || q == b || q == c) continue;
        const auto& fixed = shape.fixed;
        const bool never = (fixed[p] && fixed[q] && fixed[a] && fixed[b] && fixed[c]) ||
                           (!shape.within_parts && shape.part[p] == shape.part[a]);
        if (never && !with_fixed) continue;
        const Crossing crossing{static_cast<int>(edge), static_cast<int>(i)};
        if (crosses(shape, x, crossing.edge, crossing.triangle)) parts[begin / kGrain].push_back(crossing);
      }
    }
  });
  std::vector<Crossing> found;
  for (const auto& part : parts) found.insert(found.end(), part.begin(), part.end());
  return found;
}

}  // namespace supple
