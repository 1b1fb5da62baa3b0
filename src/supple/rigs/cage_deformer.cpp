#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <map>

#include "supple/base/error.h"
#include "supple/base/index.h"
#include "supple/base/parallel.h"
#include "supple/mesh/closest_point.h"
#include "supple/mesh/tri_mesh.h"
#include "supple/mesh/winding_number.h"
#include "supple/rigs/linear_deformer.h"

namespace supple {

namespace {

constexpr double kOnCage = 1e-7;  // of its size: nearer points are on it

void check_cage(const CageSpec& spec) {
  const std::string place = "cage " + spec.name;
  std::map<std::pair<int, int>, int> edges;  // how often each is run through, by direction
  for (const Tri& t : spec.triangles) {
    for (size_t c = 0; c < 3; ++c) {
      if (t[c] < 0 || at(t[c]) >= spec.vertices.size()) {
        throw InputError({.place = place}, fmt::format("a triangle has vertex {} of {}", t[c], spec.vertices.size()));
      }
      ++edges[{t[c], t[(c + 1) % 3]}];
    }
  }
  int open = spec.triangles.empty() ? 1 : 0;
  for (const auto& [edge, count] : edges) {
    const auto back = edges.find({edge.second, edge.first});
    open += count == 1 && back != edges.end() && back->second == 1 ? 0 : 1;
  }
  if (open > 0) {
    throw InputError({.place = place}, fmt::format("it is not closed: {} of its edges have no partner", open),
                     "use a watertight mesh with triangles that all face outwards");
  }
}

// Weights of the unit vectors to the corners of a triangle such that their sum is the integral of unit vectors over the
// spherical triangle they span [Ju, Schaefer and Warren 2005]: that integral is m = sum over edges of angle / 2 times
// the unit normal of the edge's plane through x, and the weight of corner i is N_i . m / N_i . u_i with N_i the normal
// of the plane through the other two. Returns false where x lies on the triangle; then the weights are barycentric.
bool triangle_weights(const std::array<Vec3, 3>& u, const std::array<double, 3>& distance, Vec3& weights) {
  std::array<Vec3, 3> normal;
  Vec3 angle, m = Vec3::Zero();
  for (size_t i = 0; i < 3; ++i) {
    const Vec3 &a = u[(i + 1) % 3], &b = u[(i + 2) % 3];
    normal[i] = a.cross(b);
    angle[static_cast<Eigen::Index>(i)] = 2 * std::asin(std::min(1.0, (a - b).norm() / 2));
  }
  const double volume = u[0].dot(normal[0]);
  weights.setZero();
  if (std::abs(volume) < 1e-11) {                    // in the plane of the triangle
    if (angle.sum() / 2 < M_PI - 1e-9) return true;  // beside it: seen edge on it has no share
    for (size_t i = 0; i < 3; ++i) {
      weights[static_cast<Eigen::Index>(i)] =
          std::sin(angle[static_cast<Eigen::Index>(i)]) * distance[(i + 1) % 3] * distance[(i + 2) % 3];
    }
    return false;
  }
  for (size_t i = 0; i < 3; ++i) {
    const double length = normal[i].norm();
    if (length > 0) m += angle[static_cast<Eigen::Index>(i)] / 2 / length * normal[i];
  }
  for (size_t i = 0; i < 3; ++i) weights[static_cast<Eigen::Index>(i)] = normal[i].dot(m) / (volume * distance[i]);
  return true;
}

// The smallest change after which weights sum to 1 and give the point back: what rounding left near the planes of
// triangles.
void polish(const Points& vertices, const Vec3& x, double size, VecX& weights) {
  const auto n = weights.size();
  Eigen::Matrix<double, 4, Eigen::Dynamic> q(4, n);
  for (Eigen::Index i = 0; i < n; ++i) q.col(i) << 1, (vertices[static_cast<size_t>(i)] - x) / size;
  const VecX share = weights.cwiseAbs();
  const Eigen::Matrix4d M = q * share.asDiagonal() * q.transpose();
  const Eigen::FullPivLU<Eigen::Matrix4d> solver(M);
  if (!solver.isInvertible()) return;  // on the cage: exact as it is
  for (int again = 0; again < 2; ++again) {
    const Eigen::Vector4d miss = Eigen::Vector4d::UnitX() - q * weights;
    weights += share.asDiagonal() * (q.transpose() * solver.solve(miss));
  }
}

VecX mean_value_coordinates(const Points& vertices, const std::vector<Tri>& triangles, const Vec3& x, double size) {
  VecX weights = VecX::Zero(static_cast<Eigen::Index>(vertices.size()));
  std::vector<double> distance(vertices.size());
  Points u(vertices.size());
  for (size_t i = 0; i < vertices.size(); ++i) {
    distance[i] = (vertices[i] - x).norm();
    if (distance[i] < 1e-10 * size) {
      weights[static_cast<Eigen::Index>(i)] = 1;
      return weights;
    }
    u[i] = (vertices[i] - x) / distance[i];
  }
  for (const Tri& t : triangles) {
    Vec3 share;
    const bool beside = triangle_weights({u[at(t[0])], u[at(t[1])], u[at(t[2])]},
                                         {distance[at(t[0])], distance[at(t[1])], distance[at(t[2])]}, share);
    if (!beside) weights.setZero();
    for (size_t c = 0; c < 3; ++c) weights[t[c]] += share[static_cast<Eigen::Index>(c)];
    if (!beside) break;
  }
  weights /= weights.sum();
  polish(vertices, x, size, weights);
  return weights;
}

// Whether a cage holds a point; what lies on it counts.
bool holds(const CageSpec& spec, const WindingNumber& winding, const Vec3& x, double size) {
  if (std::abs(winding.exact(x)) > 0.5) return true;
  return std::any_of(spec.triangles.begin(), spec.triangles.end(), [&](const Tri& t) {
    const Vec3 nearest =
        closest_on_triangle(x, spec.vertices[at(t[0])], spec.vertices[at(t[1])], spec.vertices[at(t[2])]);
    return (nearest - x).norm() <= kOnCage * size;
  });
}

}  // namespace

std::shared_ptr<const Deformer> make_cage(const CageSpec& spec, const Points& rest) {
  check_cage(spec);
  const double size = longest_side(spec.vertices);
  const WindingNumber winding(spec.vertices, spec.triangles);
  std::vector<char> outside(rest.size(), 0);
  std::vector<VecX> coordinates(rest.size());
  parallel_for(rest.size(), 16, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      outside[i] = holds(spec, winding, rest[i], size) ? 0 : 1;
      if (!outside[i]) coordinates[i] = mean_value_coordinates(spec.vertices, spec.triangles, rest[i], size);
    }
  });
  if (const auto n = std::count(outside.begin(), outside.end(), 1); n > 0) {
    throw InputError({.place = "cage " + spec.name}, fmt::format("it does not hold {} of {} points", n, rest.size()),
                     "make it larger, so that all of the surface is inside");
  }

  double edges = 0;
  for (const Tri& t : spec.triangles) edges += (spec.vertices[at(t[0])] - spec.vertices[at(t[1])]).norm();
  const double unit = edges / static_cast<double>(spec.triangles.size());
  const std::vector<int> moved =
      chosen_controls("cage " + spec.name, spec.moved, static_cast<int>(spec.vertices.size()));
  std::vector<Following> followings;
  std::vector<std::string> names;
  for (int vertex : moved) {
    Following following;
    for (size_t i = 0; i < rest.size(); ++i) {
      if (coordinates[i][vertex] == 0) continue;
      following.point.push_back(static_cast<int>(i));
      following.weight.push_back(coordinates[i][vertex]);
    }
    followings.push_back(std::move(following));
    names.push_back(fmt::format("{}.{}", spec.name, vertex));
  }
  return make_controls(static_cast<int>(rest.size()), std::move(followings), names, spec.axes, unit);
}

}  // namespace supple
