#include "supple/attach/thickness.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "supple/attach/extend_samples.h"
#include "supple/base/parallel.h"
#include "supple/mesh/closest_point.h"

namespace supple {
namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

// Area-weighted, from the outward normals of the triangles.
Points corner_normals(const TriMesh& skin, const Points& faces) {
  Points corners(skin.vertices.size(), Vec3::Zero());
  for (size_t k = 0; k < skin.triangles.size(); ++k) {
    const Tri& t = skin.triangles[k];
    const Vec3& a = skin.vertices[t[0]];
    const double area = (skin.vertices[t[1]] - a).cross(skin.vertices[t[2]] - a).norm();
    for (const int v : t) corners[v] += area * faces[k];
  }
  for (Vec3& n : corners) n = n.norm() > 0 ? Vec3(n.normalized()) : n;
  return corners;
}

// The skin's normal at a sample, round where the skin is meant to be round: from the normals at the corners, save those
// that are across an edge.
Vec3 normal_at(const TriMesh& skin, const Points& faces, const Points& corners, const SkinSample& s) {
  static constexpr double kRound = 0.82;  // cosine of 35 degrees
  const Vec3& flat = faces[s.triangle];
  Vec3 sum = Vec3::Zero();
  for (int c = 0; c < 3; ++c) {
    const Vec3& n = corners[skin.triangles[s.triangle][c]];
    sum += s.bary[c] * (n.dot(flat) > kRound ? n : flat);
  }
  return sum.normalized();
}

}  // namespace

BodyThickness::BodyThickness(const TriMesh& skin, const TetMesh& cage, double spacing) {
  const Points normals = outward_normals(skin), corners = corner_normals(skin, normals);
  auto add = [&](const Points& vertices, const Tri& t, const Vec3& normal) {
    walls_.triangles.push_back({vertices[t[0]], vertices[t[1]], vertices[t[2]]});
    walls_.normals.push_back(normal);
  };
  for (size_t k = 0; k < skin.triangles.size(); ++k) add(skin.vertices, skin.triangles[k], normals[k]);
  for (const Tri& t : boundary_triangles(cage.tets)) {
    const Vec3& a = cage.vertices[t[0]];
    add(cage.vertices, t, (cage.vertices[t[1]] - a).cross(cage.vertices[t[2]] - a).normalized());
  }
  std::vector<Box> boxes;
  for (const auto& t : walls_.triangles) {
    boxes.push_back({t[0].cwiseMin(t[1]).cwiseMin(t[2]), t[0].cwiseMax(t[1]).cwiseMax(t[2])});
  }
  walls_.tree = Bvh(std::move(boxes));

  const std::vector<SkinSample> samples = sample_skin(skin, spacing);
  const double start = skin.vertices.empty() ? 0 : 0.5 * bounding_box(skin.vertices).size().norm();
  balls_.resize(samples.size());
  parallel_for(samples.size(), 64, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const Vec3 p = position(skin, samples[i]), normal = normal_at(skin, normals, corners, samples[i]);
      const double r = shrink(p, normal, start);
      balls_[i] = {p - r * normal, r, samples[i].triangle};
    }
  });
  std::vector<Box> around;
  for (const InscribedBall& b : balls_) {
    around.push_back({b.centre - Vec3::Constant(b.radius), b.centre + Vec3::Constant(b.radius)});
  }
  ball_tree_ = Bvh(std::move(around));
}

// The point nearest to c of those walls that p sees from their inside and within 60 degrees of straight ahead; false:
// none nearer than sqrt(limit2).
bool BodyThickness::nearest_ahead(const Vec3& c, const Vec3& p, const Vec3& normal, double limit2, Vec3& q) const {
  auto point = [&](int k) {
    const auto& [a, b, d] = walls_.triangles[k];
    return closest_on_triangle(c, a, b, d);
  };
  const Bvh::Closest hit = walls_.tree.closest(
      c,
      [&](int k) {
        const Vec3 x = point(k);
        const double away = (x - p).norm();
        const bool counts = walls_.normals[k].dot(x - p) > 1e-9 * away && -normal.dot(x - p) >= 0.5 * away;
        return counts ? (x - c).squaredNorm() : kNone;
      },
      limit2);
  if (hit.item < 0) return false;
  q = point(hit.item);
  return true;
}

// Shrinks a ball that touches p until no wall is inside it: each wall point met gives the ball through it and p. Points
// far to the side are not asked: a ball through one of them would touch the skin at two places close together, which
// only tells of the edges between the flat triangles of a round surface.
double BodyThickness::shrink(const Vec3& p, const Vec3& normal, double radius) const {
  static constexpr int kMost = 40;
  static constexpr double kClose = 1e-3;
  for (int i = 0; i < kMost; ++i) {
    Vec3 q;
    const double inner = radius * (1 - kClose);
    if (!nearest_ahead(p - radius * normal, p, normal, inner * inner, q)) break;
    const Vec3 d = p - q;
    const double along = 2 * normal.dot(d);
    if (!(along > 0)) break;
    const double next = d.squaredNorm() / along;
    if (!(next < radius)) break;
    radius = next;
  }
  return radius;
}

// Distance to the nearest wall that x sees from its inside. Outside, where the nearest wall of all is seen from its
// outside, it is 0; that wall says nothing where parts overlap and x is known to be inside.
double BodyThickness::depth_at(const Vec3& x, bool surely_inside) const {
  auto seen = [&](int k, double& out) {
    const auto& [a, b, c] = walls_.triangles[k];
    const Vec3 d = closest_on_triangle(x, a, b, c) - x;
    out = d.norm() > 0 ? walls_.normals[k].dot(d) / d.norm() : 0;
    return d.squaredNorm();
  };
  double out = 0;
  if (!surely_inside) {
    const Bvh::Closest any = walls_.tree.closest(x, [&](int k) { return seen(k, out); });
    if (any.item < 0) return 0;
    // Several triangles meet in the nearest point when it is on an edge: the one that is faced most squarely decides.
    double clearest = 0;
    walls_.tree.within(x, any.distance2 * (1 + 1e-9), [&](int k) {
      if (seen(k, out) <= any.distance2 * (1 + 1e-9) && std::abs(out) > std::abs(clearest)) clearest = out;
    });
    if (clearest <= 0) return 0;
  }
  const Bvh::Closest wall = walls_.tree.closest(x, [&](int k) {
    const double d2 = seen(k, out);
    return out > 0 ? d2 : kNone;
  });
  return wall.item >= 0 ? std::sqrt(wall.distance2) : 0;
}

Thickness BodyThickness::measure(const Points& points, double slack,
                                 const std::function<bool(int, int)>& belongs) const {
  Thickness result;
  result.depth.assign(points.size(), 0);
  result.half.assign(points.size(), 0);
  if (balls_.empty()) return result;
  auto gap = [&](const Vec3& x, int k) { return (x - balls_[k].centre).norm() - balls_[k].radius; };

  parallel_for(points.size(), 32, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const Vec3& x = points[i];
      for (const bool strict : {true, false}) {
        if (strict && !belongs) continue;
        auto counts = [&](int k) { return !strict || belongs(static_cast<int>(i), k); };
        const Bvh::Closest nearest = ball_tree_.closest(x, [&](int k) {
          if (!counts(k)) return kNone;
          const double g = std::max(0.0, gap(x, k));
          return g * g;
        });
        if (nearest.item < 0) continue;
        const double reach = std::sqrt(nearest.distance2) + slack;
        double largest = 0, deepest = 0;
        ball_tree_.within(x, reach * reach, [&](int k) {
          if (!counts(k)) return;
          const double g = gap(x, k);
          if (g <= reach) largest = std::max(largest, balls_[k].radius);
          deepest = std::max(deepest, -g);
        });
        result.half[i] = largest;
        // Balls are few, and walls within overlapping parts are none: neither says too much.
        result.depth[i] = std::min(largest, std::max(deepest, depth_at(x, deepest > 0)));
        break;
      }
    }
  });
  return result;
}

}  // namespace supple
