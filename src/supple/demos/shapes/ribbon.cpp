#include "supple/demos/shapes/ribbon.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace supple::demos {

namespace {
// The place on the centre line nearest to p: segment and share of it.
struct Foot {
  size_t segment = 0;
  double t = 0, squared = std::numeric_limits<double>::infinity();
};

Foot nearest(const Points& line, const Vec3& p) {
  Foot best;
  for (size_t i = 0; i + 1 < line.size(); ++i) {
    const Vec3 d = line[i + 1] - line[i];
    const double t = std::clamp((p - line[i]).dot(d) / d.squaredNorm(), 0.0, 1.0);
    const double squared = (p - line[i] - t * d).squaredNorm();
    if (squared < best.squared) best = {i, t, squared};
  }
  return best;
}

template <class T>
T between(const std::vector<T>& values, const Foot& foot) {
  return (1 - foot.t) * values[foot.segment] + foot.t * values[foot.segment + 1];
}
}  // namespace

void Ribbon::add(const Vec3& c, const Vec3& s, const Vec3& n, double width, double depth) {
  centre.push_back(c);
  side.push_back(s);
  normal.push_back(n);
  half_width.push_back(width);
  half_depth.push_back(depth);
}

Ribbon make_ribbon(const Points& centre, const Vec3& hint, const std::function<double(double)>& half_width,
                   const std::function<double(double)>& half_depth) {
  Ribbon ribbon;
  for (size_t i = 0; i < centre.size(); ++i) {
    const Vec3 along = (centre[std::min(i + 1, centre.size() - 1)] - centre[i > 0 ? i - 1 : 0]).normalized();
    const Vec3 side = hint.cross(along).normalized();
    const double s = static_cast<double>(i) / static_cast<double>(centre.size() - 1);
    ribbon.add(centre[i], side, along.cross(side), half_width(s), half_depth(s));
  }
  return ribbon;
}

double plate_distance(const Ribbon& ribbon, double reach, double round, const Vec3& p) {
  const Foot foot = nearest(ribbon.centre, p);
  const Vec3 away = p - between(ribbon.centre, foot);
  const double across = away.dot(between(ribbon.side, foot).normalized());
  const double above = away.dot(between(ribbon.normal, foot).normalized());
  // Beyond an end of the line, else zero but for rounding and bends.
  const double along = std::sqrt(std::max(0.0, foot.squared - across * across - above * above));
  const double aside = std::max(0.0, std::abs(across) - between(ribbon.half_width, foot));
  const double beyond = std::max(0.0, std::hypot(along, aside) - reach);
  return std::hypot(above, beyond) - round;
}

double tube_distance(const Ribbon& ribbon, double grow, const Vec3& p) {
  const Foot foot = nearest(ribbon.centre, p);
  return std::sqrt(foot.squared) - between(ribbon.half_width, foot) - grow;
}

void append_rings(TriMesh& mesh, const std::vector<Points>& rings, const std::vector<Points>& colors,
                  const Vec3& first_pole, const Vec3& first_color, const Vec3& last_pole, const Vec3& last_color) {
  const int base = mesh.n_vertices(), n = static_cast<int>(rings.front().size()), m = static_cast<int>(rings.size());
  for (size_t r = 0; r < rings.size(); ++r) {
    mesh.vertices.insert(mesh.vertices.end(), rings[r].begin(), rings[r].end());
    mesh.colors.insert(mesh.colors.end(), colors[r].begin(), colors[r].end());
  }
  const int first = mesh.n_vertices(), last = first + 1;
  mesh.vertices.push_back(first_pole);
  mesh.colors.push_back(first_color);
  mesh.vertices.push_back(last_pole);
  mesh.colors.push_back(last_color);
  const auto at = [&](int r, int k) { return base + r * n + k % n; };
  for (int k = 0; k < n; ++k) {
    mesh.triangles.push_back({first, at(0, k + 1), at(0, k)});
    mesh.triangles.push_back({last, at(m - 1, k), at(m - 1, k + 1)});
    for (int r = 0; r + 1 < m; ++r) {
      mesh.triangles.push_back({at(r, k), at(r, k + 1), at(r + 1, k + 1)});
      mesh.triangles.push_back({at(r, k), at(r + 1, k + 1), at(r + 1, k)});
    }
  }
}

void append_ribbon(TriMesh& mesh, const Ribbon& ribbon, int around, const RibbonLook& look) {
  std::vector<Points> rings, colors;
  const size_t n = ribbon.centre.size();
  const auto share = [&](size_t i) { return static_cast<double>(i) / static_cast<double>(n - 1); };
  for (size_t i = 0; i < n; ++i) {
    Points ring, color;
    for (int k = 0; k < around; ++k) {
      const double angle = 2 * std::numbers::pi * k / around;
      const double u = std::cos(angle);
      const double lift = ribbon.half_depth[i] * std::sin(angle) + (look.lift ? look.lift(share(i), u) : 0);
      ring.push_back(ribbon.centre[i] + u * ribbon.half_width[i] * ribbon.side[i] + lift * ribbon.normal[i]);
      color.push_back(look.color(share(i), u));
    }
    rings.push_back(ring);
    colors.push_back(color);
  }
  append_rings(mesh, rings, colors, ribbon.centre.front(), look.color(0, 0), ribbon.centre.back(), look.color(1, 0));
}

}  // namespace supple::demos
