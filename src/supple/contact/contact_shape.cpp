#include "supple/contact/contact_shape.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "supple/base/error.h"
#include "supple/contact/pair_distance.h"

namespace supple {

namespace {

// Number of each point's component, in the order of their first points.
std::vector<int> label_parts(int n_points, const std::vector<Tri>& triangles) {
  std::vector<int> root(n_points);
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  for (const Tri& t : triangles) {
    for (int k = 1; k < 3; ++k) {
      const int a = find(t[0]), b = find(t[k]);
      root[std::max(a, b)] = std::min(a, b);
    }
  }
  std::vector<int> part(n_points);
  int n_parts = 0;
  for (int i = 0; i < n_points; ++i) part[i] = find(i) == i ? n_parts++ : part[find(i)];
  return part;
}

std::vector<std::array<int, 2>> edges_of(const std::vector<Tri>& triangles) {
  std::vector<std::array<int, 2>> edges;
  edges.reserve(3 * triangles.size());
  for (const Tri& t : triangles) {
    for (int k = 0; k < 3; ++k) {
      const int a = t[k], b = t[(k + 1) % 3];
      edges.push_back({std::min(a, b), std::max(a, b)});
    }
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

}  // namespace

ContactShape make_contact_shape(Points rest, std::vector<Tri> triangles) {
  ContactShape shape;
  shape.n_points = static_cast<int>(rest.size());
  for (size_t i = 0; i < rest.size(); ++i) {
    if (!rest[i].allFinite()) {
      throw InputError({.place = "contact surface, point " + std::to_string(i)}, "the position is not finite",
                       "repair the mesh");
    }
  }
  for (size_t i = 0; i < triangles.size(); ++i) {
    for (int corner : triangles[i]) {
      if (corner >= 0 && corner < shape.n_points) continue;
      throw InputError(
          {.place = "contact surface, triangle " + std::to_string(i)},
          "corner " + std::to_string(corner) + " is not one of the " + std::to_string(rest.size()) + " points",
          "repair the mesh");
    }
  }
  std::erase_if(triangles, [](const Tri& t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; });

  shape.edges = edges_of(triangles);
  shape.part = shape.shell = label_parts(shape.n_points, triangles);
  shape.fixed.assign(rest.size(), 0);
  shape.area.assign(rest.size(), 0.0);
  for (const Tri& t : triangles) {
    const double area = 0.5 * (rest[t[1]] - rest[t[0]]).cross(rest[t[2]] - rest[t[0]]).norm();
    for (int corner : t) shape.area[corner] += area / 3;
  }
  for (const auto& [a, b] : shape.edges) shape.mean_edge += (rest[b] - rest[a]).norm();
  if (!shape.edges.empty()) shape.mean_edge /= static_cast<double>(shape.edges.size());
  shape.rest = std::move(rest);
  shape.triangles = std::move(triangles);
  return shape;
}

bool same_part(const ContactShape& shape, const ContactPair& pair) {
  return shape.part[pair.points[0]] == shape.part[pair.points[pair.n_first()]];
}

bool are_drawn_through(const ContactShape& shape, int point, int other) {
  if (shape.drawn_through.empty()) return false;
  const auto [a, b] = std::minmax(shape.shell[point], shape.shell[other]);
  return std::binary_search(shape.drawn_through.begin(), shape.drawn_through.end(), std::array<int, 2>{a, b});
}

bool may_collide(const ContactShape& shape, const ContactPair& pair) {
  const auto& p = pair.points;
  if (are_drawn_through(shape, p[0], p[pair.n_first()])) return false;
  if (!shape.within_parts && same_part(shape, pair)) return false;
  bool all_fixed = true;
  for (int i = 0; i < 4; ++i) {
    all_fixed = all_fixed && shape.fixed[p[i]];
    for (int j = pair.n_first(); i < pair.n_first() && j < 4; ++j) {
      if (p[i] == p[j]) return false;
    }
  }
  return !all_fixed;
}

double pair_thickness(const ContactShape& shape, const ContactPair& pair, double thickness) {
  if (!may_collide(shape, pair)) return 0;
  if (!same_part(shape, pair)) return thickness;
  const double at_rest = std::sqrt(squared_distance_only(pair, shape.rest));
  return at_rest < kMeetsAtRest * shape.mean_edge ? 0 : std::min(thickness, 0.5 * at_rest);
}

}  // namespace supple
