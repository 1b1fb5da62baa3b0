#include "supple/demos/gallery/rigged_solids.h"

#include <algorithm>
#include <cmath>

namespace supple::demos {

namespace {

const Vec3 kBarSize(1.5, 0.3, 0.3);
constexpr double kBend = 1;                               // [rad/m] of the axis of a shape at weight 1
constexpr double kInner = 0, kOuter = 0.25, kEnd = 0.75;  // [m] from the middle: where joints of a side begin and end

// The right half bent down about z, to first order: curved from x = from to to, straight beyond. Arcs would be longer
// at weight 1 and shorter between, which resists a small weight more than a large one.
Vec3 bent(const Vec3& p, double from, double to) {
  const double s = p[0] - from;
  if (s <= 0) return p;
  const double along = std::min(s, to - from), angle = kBend * along;
  return p + Vec3(angle * p[1], -(along / 2 + s - along) * angle, 0);
}

Vec3 turned_about(const Vec3& p) { return {-p[0], p[1], p[2]}; }

}  // namespace

ConformingBody make_rigged_sphere() {
  constexpr double edge = 0.0853, radius = 0.5;
  const Vec3 centre(0, radius, 0), around = Vec3::Constant(0.6);
  return conforming_tets([centre](const Vec3& p) { return (p - centre).norm() - radius; }, {},
                         {centre - around, centre + around},
                         {.edge = edge, .shift = edge * Vec3(0.1, 0.3, 0.2), .interior = 1810});
}

ConformingBody make_rigged_bar() { return conforming_tets(make_box(6, 2, 2, kBarSize, -kBarSize / 2), 163); }

std::vector<Points> rigged_bar_shapes(const Points& rest) {
  std::vector<Points> shapes(4);
  for (const Vec3& p : rest) {
    shapes[0].push_back(turned_about(bent(turned_about(p), kOuter, kEnd)));
    shapes[1].push_back(turned_about(bent(turned_about(p), kInner, kEnd)));
    shapes[2].push_back(bent(p, kInner, kEnd));
    shapes[3].push_back(bent(p, kOuter, kEnd));
  }
  return shapes;
}

TriMesh rigged_bar_cage() {
  TriMesh m;
  const Vec3 half = 0.55 * kBarSize;
  for (const double x : {-1.0, 1.0})
    for (const double y : {-1.0, 1.0})
      for (const double z : {-1.0, 1.0}) m.vertices.push_back(half.cwiseProduct(Vec3(x, y, z)));
  // Vertex 4 i + 2 j + k is on side i of x, j of y, k of z.
  const auto side = [&](int a, int b, int c, int d) {
    m.triangles.push_back({a, b, c});
    m.triangles.push_back({a, c, d});
  };
  side(0, 1, 3, 2);
  side(4, 6, 7, 5);
  side(0, 4, 5, 1);
  side(2, 3, 7, 6);
  side(0, 2, 6, 4);
  side(1, 5, 7, 3);
  return m;
}

}  // namespace supple::demos
