#include "supple/attach/thickness.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "supple/attach/extend_samples.h"
#include "supple/base/parallel.h"
#include "supple/mesh/bvh.h"
#include "supple/mesh/closest_point.h"

namespace supple {
namespace {

struct Walls {
  std::vector<std::array<Vec3, 3>> triangles;
  Points normals;  // outwards
  Bvh tree;

  // The point nearest to c of those walls that p sees from their inside and within 60 degrees of straight ahead; false:
  // none nearer than sqrt(limit2).
  bool nearest(const Vec3& c, const Vec3& p, const Vec3& normal, double limit2, Vec3& q) const {
    const Bvh::Closest hit = tree.closest(
        c,
        [&](int k) {
          const Vec3 x = closest_on_triangle(c, triangles[k][0], triangles[k][1], triangles[k][2]);
          const double away = (x - p).norm();
          const bool counts = normals[k].dot(x - p) > 1e-9 * away && -normal.dot(x - p) >= 0.5 * away;
          return counts ? (x - c).squaredNorm() : std::numeric_limits<double>::infinity();
        },
        limit2);
    if (hit.item < 0) return false;
    q = closest_on_triangle(c, triangles[hit.item][0], triangles[hit.item][1], triangles[hit.item][2]);
    return true;
  }
};

Walls make_walls(const TriMesh& skin, const Points& skin_normals, const TetMesh& cage) {
  Walls walls;
  auto add = [&](const Points& vertices, const Tri& t, const Vec3& normal) {
    walls.triangles.push_back({vertices[t[0]], vertices[t[1]], vertices[t[2]]});
    walls.normals.push_back(normal);
  };
  for (size_t k = 0; k < skin.triangles.size(); ++k) add(skin.vertices, skin.triangles[k], skin_normals[k]);
  for (const Tri& t : boundary_triangles(cage.tets)) {
    const Vec3& a = cage.vertices[t[0]];
    add(cage.vertices, t, (cage.vertices[t[1]] - a).cross(cage.vertices[t[2]] - a).normalized());
  }
  std::vector<Box> boxes;
  for (const auto& t : walls.triangles) {
    boxes.push_back({t[0].cwiseMin(t[1]).cwiseMin(t[2]), t[0].cwiseMax(t[1]).cwiseMax(t[2])});
  }
  walls.tree = Bvh(std::move(boxes));
  return walls;
}

// Shrinks a ball that touches p until no wall is inside it: each wall point met gives the ball through it and p. Points
// far to the side are not asked: a ball through one of them would touch the skin at two places close together, which
// only tells of the edges between the flat triangles of a round surface.
double shrink(const Walls& walls, const Vec3& p, const Vec3& normal, double radius) {
  static constexpr int kMost = 40;
  static constexpr double kClose = 1e-3;
  for (int i = 0; i < kMost; ++i) {
    Vec3 q;
    const double inner = radius * (1 - kClose);
    if (!walls.nearest(p - radius * normal, p, normal, inner * inner, q)) break;
    const Vec3 d = p - q;
    const double along = 2 * normal.dot(d);
    if (!(along > 0)) break;
    const double next = d.squaredNorm() / along;
    if (!(next < radius)) break;
    radius = next;
  }
  return radius;
}

}  // namespace

std::vector<InscribedBall> inscribed_balls(const TriMesh& skin, const TetMesh& cage, double spacing) {
  const std::vector<SkinSample> samples = sample_skin(skin, spacing);
  const Points normals = outward_normals(skin);
  const Walls walls = make_walls(skin, normals, cage);
  const double start = skin.vertices.empty() ? 0 : 0.5 * bounding_box(skin.vertices).size().norm();
  std::vector<InscribedBall> balls(samples.size());
  parallel_for(samples.size(), 64, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const Vec3 p = position(skin, samples[i]);
      const Vec3& normal = normals[samples[i].triangle];
      const double r = shrink(walls, p, normal, start);
      balls[i] = {p - r * normal, r, samples[i].triangle};
    }
  });
  return balls;
}

Thickness measure_thickness(const std::vector<InscribedBall>& balls, const Points& points, double slack,
                            const std::function<bool(int, int)>& belongs) {
  Thickness result;
  result.depth.assign(points.size(), 0);
  result.half.assign(points.size(), 0);
  if (balls.empty()) return result;
  std::vector<Box> boxes;
  for (const InscribedBall& b : balls) {
    boxes.push_back({b.centre - Vec3::Constant(b.radius), b.centre + Vec3::Constant(b.radius)});
  }
  const Bvh tree(std::move(boxes));
  auto gap = [&](const Vec3& x, int k) { return (x - balls[k].centre).norm() - balls[k].radius; };

  parallel_for(points.size(), 32, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const Vec3& x = points[i];
      for (const bool strict : {true, false}) {
        if (strict && !belongs) continue;
        auto counts = [&](int k) { return !strict || belongs(static_cast<int>(i), k); };
        // The nearest ball; negative inside. A ball that holds x is at distance 0 for the tree.
        double least = std::numeric_limits<double>::infinity();
        const Bvh::Closest outside = tree.closest(x, [&](int k) {
          if (!counts(k)) return std::numeric_limits<double>::infinity();
          const double g = std::max(0.0, gap(x, k));
          return g * g;
        });
        if (outside.item < 0) continue;
        least = std::sqrt(outside.distance2);
        double largest = 0, deepest = 0;
        const double reach = least + slack;
        tree.within(x, reach * reach, [&](int k) {
          if (!counts(k)) return;
          const double g = gap(x, k);
          if (g <= reach) largest = std::max(largest, balls[k].radius);
          deepest = std::max(deepest, -g);
        });
        result.half[i] = largest;
        result.depth[i] = deepest;
        break;
      }
    }
  });
  return result;
}

}  // namespace supple
