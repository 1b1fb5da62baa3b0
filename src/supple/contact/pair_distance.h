// The distance of two features and how it changes with their points.
#pragma once
#include <Eigen/Core>

#include "supple/contact/contact_pair.h"

namespace supple {

// distance = |g|, g = sum_i weights_i x_i, which leads from the nearest point of the second feature to that of the
// first: the weights are the barycentric coordinates of both, those of the second negative. normal = g / distance.
// Where the nearest points lie is a minimum, so their own shift does not change the distance to first order: its
// gradient with respect to x_i is weights_i * normal whether a corner, an edge or the inside is nearest.
struct PairDistance {
  double distance = 0;
  Eigen::Vector4d weights = Eigen::Vector4d::Zero();
  Vec3 normal = Vec3::UnitX();  // a unit vector also when the distance is 0
};

// Finite points give finite results: triangles without area, edges without length and parallel edges are fine (of
// several nearest points one is taken).
PairDistance distance(const ContactPair& pair, const Points& x);
PairDistance point_triangle_distance(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c);
PairDistance edge_edge_distance(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1);

// Only the square of the distance, for filters.
double squared_distance_only(const ContactPair& pair, const Points& x);
double point_triangle_squared(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c);
double edge_edge_squared(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1);

// The distance of two edges has a kink where they are parallel. Their energy is therefore multiplied by m, which is 0
// there and rises to 1 (Li et al. 2020, "Incremental potential contact", section 5.2): with c = |ea x eb|^2 and
// eps = 1e-3 |ea|^2 |eb|^2 at rest, m = (2 - c/eps) c/eps while c < eps, else 1. Point and triangle: always 1.
struct Mollifier {
  double value = 1;
  std::array<Vec3, 4> gradient = {Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};  // [1/m], of m by points
  bool active = false;                                                                      // c < eps
};
Mollifier parallel_mollifier(const ContactPair& pair, const Points& x, const Points& rest);

}  // namespace supple
