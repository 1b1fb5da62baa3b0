#include "supple/contact/pair_distance.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

namespace supple {

namespace {

// Triangles of less height and edges of less angle than about this (squared) are also searched along their borders:
// what the cross product says of their inside is rounding.
constexpr double kFlat2 = 1e-12;
// A squared length below this may have lost digits to underflow; it counts as 0.
constexpr double kNothing = 1e-290;

double share_along(const Vec3& from, const Vec3& along) {
  const double length2 = along.squaredNorm();
  return length2 > 0 ? std::clamp(from.dot(along) / length2, 0.0, 1.0) : 0.0;
}

// The nearest points so far: p - (a + v ab + w ac), or a0 + s ea - (b0 + t eb).
struct Nearest {
  double u = 0, v = 0;
  Vec3 gap = Vec3::Zero();
  double squared = std::numeric_limits<double>::infinity();
  void offer(double new_u, double new_v, const Vec3& new_gap) {
    const double s = new_gap.squaredNorm();
    if (!(s < squared)) return;
    u = new_u, v = new_v, gap = new_gap, squared = s;
  }
};

// u, v: the shares of corners b and c.
inline Nearest nearest_on_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c, Vec3& n) {
  const Vec3 ab = b - a, ac = c - a, ap = p - a;
  n = ab.cross(ac);
  const double n2 = n.squaredNorm();
  const double wb = ap.cross(ac).dot(n), wc = ab.cross(ap).dot(n), wa = n2 - wb - wc;
  const double long2 = std::max(ab.squaredNorm(), ac.squaredNorm());
  const bool flat = !(n2 > kFlat2 * long2 * long2);
  Nearest best;
  if (n2 > 0 && wa >= 0 && wb >= 0 && wc >= 0) {
    const double v = wb / n2, w = wc / n2;
    best.offer(v, w, ap - v * ab - w * ac);
    if (!flat) return best;
  }
  // A point outside is nearest to a side that it lies beyond.
  if (flat || wc < 0) {
    const double v = share_along(ap, ab);
    best.offer(v, 0, ap - v * ab);
  }
  if (flat || wb < 0) {
    const double w = share_along(ap, ac);
    best.offer(0, w, ap - w * ac);
  }
  if (flat || wa < 0) {
    const Vec3 bc = c - b, bp = p - b;
    const double w = share_along(bp, bc);
    best.offer(1 - w, w, bp - w * bc);
  }
  return best;
}

// u, v: the shares of the second ends of a and b.
inline Nearest nearest_of_edges(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1, Vec3& n) {
  const Vec3 ea = a1 - a0, eb = b1 - b0, r = b0 - a0;
  n = ea.cross(eb);
  const double n2 = n.squaredNorm();
  const bool flat = !(n2 > kFlat2 * ea.squaredNorm() * eb.squaredNorm());
  // Of the two lines.
  const double s = n2 > 0 ? r.cross(eb).dot(n) / n2 : 0, t = n2 > 0 ? r.cross(ea).dot(n) / n2 : 0;
  Nearest best;
  if (n2 > 0 && s >= 0 && s <= 1 && t >= 0 && t <= 1) {
    best.offer(s, t, s * ea - r - t * eb);
    if (!flat) return best;
  }
  // The nearest points of the edges include an end that the nearest points of the lines lie beyond.
  if (flat || s < 0) {
    const double v = share_along(-r, eb);
    best.offer(0, v, -r - v * eb);
  }
  if (flat || s > 1) {
    const Vec3 from = a1 - b0;
    const double v = share_along(from, eb);
    best.offer(1, v, from - v * eb);
  }
  if (flat || t < 0) {
    const double u = share_along(r, ea);
    best.offer(u, 0, u * ea - r);
  }
  if (flat || t > 1) {
    const Vec3 from = b1 - a0;
    const double u = share_along(from, ea);
    best.offer(u, 1, u * ea - from);
  }
  return best;
}

PairDistance finish(const Nearest& nearest, const Vec3& n, const Eigen::Vector4d& weights) {
  PairDistance result{.weights = weights};
  if (nearest.squared > kNothing) {
    result.distance = std::sqrt(nearest.squared);
    result.normal = nearest.gap / result.distance;
  } else if (n.squaredNorm() > kNothing) {
    result.normal = n.normalized();
  }
  return result;
}

}  // namespace

PairDistance point_triangle_distance(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  Vec3 n;
  const Nearest near = nearest_on_triangle(p, a, b, c, n);
  return finish(near, n, {1, -(1 - near.u - near.v), -near.u, -near.v});
}

PairDistance edge_edge_distance(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1) {
  Vec3 n;
  const Nearest near = nearest_of_edges(a0, a1, b0, b1, n);
  return finish(near, n, {1 - near.u, near.u, -(1 - near.v), -near.v});
}

PairDistance distance(const ContactPair& pair, const Points& x) {
  const auto& [i, j, k, l] = pair.points;
  return pair.kind == ContactPair::Kind::point_triangle ? point_triangle_distance(x[i], x[j], x[k], x[l])
                                                        : edge_edge_distance(x[i], x[j], x[k], x[l]);
}

double point_triangle_squared(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  Vec3 n;
  return nearest_on_triangle(p, a, b, c, n).squared;
}

double edge_edge_squared(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1) {
  Vec3 n;
  return nearest_of_edges(a0, a1, b0, b1, n).squared;
}

double squared_distance_only(const ContactPair& pair, const Points& x) {
  const auto& [i, j, k, l] = pair.points;
  return pair.kind == ContactPair::Kind::point_triangle ? point_triangle_squared(x[i], x[j], x[k], x[l])
                                                        : edge_edge_squared(x[i], x[j], x[k], x[l]);
}

Mollifier parallel_mollifier(const ContactPair& pair, const Points& x, const Points& rest) {
  Mollifier m;
  if (pair.kind != ContactPair::Kind::edge_edge) return m;
  const auto& [i, j, k, l] = pair.points;
  const Vec3 ea = x[j] - x[i], eb = x[l] - x[k], n = ea.cross(eb);
  const double c = n.squaredNorm();
  const double eps = 1e-3 * (rest[j] - rest[i]).squaredNorm() * (rest[l] - rest[k]).squaredNorm();
  if (!(c < eps)) return m;
  const double ratio = c / eps, dm_dc = (2 - 2 * ratio) / eps;
  const Vec3 by_ea = 2 * dm_dc * eb.cross(n), by_eb = 2 * dm_dc * n.cross(ea);
  m.value = (2 - ratio) * ratio;
  m.gradient = {-by_ea, by_ea, -by_eb, by_eb};
  m.active = true;
  return m;
}

}  // namespace supple
