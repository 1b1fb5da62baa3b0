#include "supple/contact/tangles.h"

#include <Eigen/Geometry>
#include <cmath>
#include <limits>

#include "supple/base/parallel.h"
#include "supple/contact/crossings.h"
#include "supple/contact/pair_distance.h"
#include "supple/mesh/bvh.h"
#include "supple/mesh/closest_point.h"
#include "supple/mesh/winding_number.h"

namespace supple {

namespace {
constexpr size_t kTestedPoints = 64;  // of a chunk
}

// Close together at rest: there a fold is no way in.
bool TangleFinder::neighbours(int point, const Tri& t) const {
  if (t[0] == point || t[1] == point || t[2] == point) return true;
  if (shape_.part[point] != shape_.part[t[0]]) return false;
  const Points& r = shape_.rest;
  return point_triangle_squared(r[point], r[t[0]], r[t[1]], r[t[2]]) < shape_.mean_edge * shape_.mean_edge;
}

void TangleFinder::add_ring(std::vector<char>& points) const {
  const std::vector<char> inner = points;
  for (const auto& [a, b] : shape_.edges) {
    if (inner[a]) points[b] = 1;
    if (inner[b]) points[a] = 1;
  }
}

std::vector<double> TangleFinder::winding(const Points& x, const std::vector<char>& asked) const {
  Points normal(x.size(), Vec3::Zero());
  for (const Tri& t : shape_.triangles) {
    const Vec3 n = (x[t[1]] - x[t[0]]).cross(x[t[2]] - x[t[0]]);
    for (int c : t) normal[c] += n;
  }
  const WindingNumber around(x, shape_.triangles);
  std::vector<double> w(x.size(), 0.0);
  parallel_for(x.size(), kTestedPoints, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      if (const double length = normal[i].norm(); length > 0 && asked[i])
        w[i] = around(x[i] + reach_ / length * normal[i]);
  });
  return w;
}

Tangles TangleFinder::find(BroadPhase& broad, const Points& x, const std::vector<char>& before) {
  Tangles out;
  std::vector<Crossing> crossings = find_crossings(shape_, x, broad);
  std::erase_if(crossings, [&](const Crossing& c) {
    return are_drawn_through(shape_, shape_.edges[c.edge][0], shape_.triangles[c.triangle][0]);
  });
  if (crossings.empty()) return out;
  out.released.assign(x.size(), 0);
  for (const Crossing& c : crossings) {
    for (int p : shape_.edges[c.edge]) out.released[p] = 1;
    for (int p : shape_.triangles[c.triangle]) out.released[p] = 1;
  }
  std::vector<char> asked(x.size(), 1);
  if (rest_winding_.empty()) rest_winding_ = winding(shape_.rest, asked);
  if (!before.empty()) {
    for (size_t i = 0; i < x.size(); ++i) asked[i] = before[i] || out.released[i];
    add_ring(asked);
  }
  const std::vector<double> w = winding(x, asked);
  std::vector<int> inside;
  for (size_t i = 0; i < x.size(); ++i)
    if (asked[i] && w[i] > rest_winding_[i] + 0.5) inside.push_back(static_cast<int>(i)), out.released[i] = 1;

  std::vector<Box> boxes;
  for (const Tri& t : shape_.triangles)
    boxes.push_back({x[t[0]].cwiseMin(x[t[1]]).cwiseMin(x[t[2]]), x[t[0]].cwiseMax(x[t[1]]).cwiseMax(x[t[2]])});
  const Bvh tree(std::move(boxes));
  std::vector<Push> pushes(inside.size());
  parallel_for(inside.size(), kTestedPoints, [&](size_t begin, size_t end) {
    for (size_t k = begin; k < end; ++k) {
      const int i = inside[k];
      auto closest = [&](int item) {
        const Tri& t = shape_.triangles[item];
        return closest_on_triangle(x[i], x[t[0]], x[t[1]], x[t[2]]);
      };
      auto way_out = [&](int item) {
        const Tri& t = shape_.triangles[item];
        if (neighbours(i, t) || are_drawn_through(shape_, i, t[0])) return std::numeric_limits<double>::infinity();
        const Vec3 way = closest(item) - x[i];
        if (way.dot((x[t[1]] - x[t[0]]).cross(x[t[2]] - x[t[0]])) <= 0) return std::numeric_limits<double>::infinity();
        return way.squaredNorm();
      };
      const Bvh::Closest found = tree.closest(x[i], way_out);
      if (found.item < 0) continue;
      const Tri& t = shape_.triangles[found.item];
      if (shape_.fixed[i] && shape_.fixed[t[0]] && shape_.fixed[t[1]] && shape_.fixed[t[2]]) continue;
      const PairDistance g = point_triangle_distance(x[i], x[t[0]], x[t[1]], x[t[2]]);
      pushes[k] = {.point = i, .corners = t, .weights = -g.weights.tail<3>(), .normal = -g.normal, .depth = g.distance};
    }
  });
  for (const Push& p : pushes)
    if (p.depth > 0) out.pushes.push_back(p);
  return out;
}

}  // namespace supple
