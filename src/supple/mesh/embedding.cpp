#include "supple/mesh/embedding.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>

#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "supple/mesh/bvh.h"
#include "supple/mesh/closest_point.h"

namespace supple {

namespace {

// A point this little outside (in barycentric units) counts as inside: rounding of points on faces.
constexpr double kInside = -1e-10;

class Embedder {
 public:
  explicit Embedder(const TetMesh& mesh) : mesh_(mesh) {
    std::vector<Box> boxes;
    const std::vector<double> volumes = tet_volumes(mesh);
    for (int ti = 0; ti < mesh.n_tets(); ++ti) {
      const Tet& t = mesh.tets[ti];
      Box box = bounding_box({vertex(t[0]), vertex(t[1]), vertex(t[2]), vertex(t[3])});
      // A flat tet carries nothing: its weights would be huge or infinite.
      const double volume = std::abs(volumes[ti]);
      if (!(volume > 1e-12 * std::pow(box.size().maxCoeff(), 3)) || !std::isnormal(volume)) continue;
      const Vec3 margin = Vec3::Constant(1e-9 * box.size().maxCoeff());
      boxes.push_back({box.low - margin, box.high + margin});
      items_.push_back(ti);
    }
    tree_ = Bvh(std::move(boxes));
  }

  bool empty() const { return tree_.empty(); }

  // Distance to the mesh; 0 inside.
  double place(const Vec3& p, int& tet, Eigen::Vector4d& weights) const {
    tet = -1;
    double best = kInside;
    auto prefer = [&](int item) {
      const Eigen::Vector4d w = weights_in(items_[item], p);
      const double smallest = w.minCoeff();
      if (!(smallest > best) && !(smallest == best && items_[item] < tet)) return;
      best = smallest;
      tet = items_[item];
      weights = w;
    };
    tree_.containing(p, prefer);
    if (tet >= 0) return 0;

    // Beyond the mesh: the nearest tet. Several share the nearest vertex or edge; of these the one that has to
    // extrapolate least.
    const auto distance2 = [&](int item) {
      const Tet& t = mesh_.tets[items_[item]];
      return (closest_on_tet(p, vertex(t[0]), vertex(t[1]), vertex(t[2]), vertex(t[3])) - p).squaredNorm();
    };
    const Bvh::Closest nearest = tree_.closest(p, distance2);
    const double reach2 = nearest.distance2 * (1 + 1e-9);
    best = -std::numeric_limits<double>::infinity();
    tree_.within(p, reach2, [&](int item) {
      if (distance2(item) <= reach2) prefer(item);
    });
    if (tet < 0) {
      // So far away that the weights overflow.
      tet = items_[std::max(nearest.item, 0)];
      weights = Eigen::Vector4d::Unit(0);
    }
    return std::sqrt(nearest.distance2);
  }

 private:
  const Vec3& vertex(int v) const { return mesh_.vertices[v]; }
  Eigen::Vector4d weights_in(int ti, const Vec3& p) const {
    const Tet& t = mesh_.tets[ti];
    return barycentric(p, vertex(t[0]), vertex(t[1]), vertex(t[2]), vertex(t[3]));
  }

  const TetMesh& mesh_;
  std::vector<int> items_;  // tet behind each box
  Bvh tree_;
};

}  // namespace

Eigen::Vector4d barycentric(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const Vec3 ab = b - a, ac = c - a, ad = d - a, ap = p - a;
  const double volume = ab.dot(ac.cross(ad));
  const double wb = ap.dot(ac.cross(ad)) / volume, wc = ab.dot(ap.cross(ad)) / volume;
  const double wd = ab.dot(ac.cross(ap)) / volume;
  return {1 - wb - wc - wd, wb, wc, wd};
}

Embedding embed(const TetMesh& mesh, const Points& points) {
  Embedding e;
  if (points.empty()) return e;
  const Embedder embedder(mesh);
  if (embedder.empty()) throw InputError({}, "no tet with volume to carry the points");
  for (size_t i = 0; i < points.size(); ++i) {
    if (!points[i].allFinite()) throw InputError({"", 0, 0, fmt::format("point {}", i)}, "the position is not finite");
  }
  e.tet.resize(points.size());
  e.weights.resize(points.size());
  std::vector<double> distance(points.size());
  parallel_for(points.size(), 256, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) distance[i] = embedder.place(points[i], e.tet[i], e.weights[i]);
  });
  for (double d : distance) {
    e.n_outside += d > 0;
    e.max_distance = std::max(e.max_distance, d);
  }
  return e;
}

Points embedded_points(const Embedding& e, const std::vector<Tet>& tets, const VecX& vertex_positions) {
  Points points(e.tet.size());
  parallel_for(points.size(), 4096, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const Tet& t = tets[e.tet[i]];
      points[i].setZero();
      for (int c = 0; c < 4; ++c) points[i] += e.weights[i][c] * vertex_positions.segment<3>(3 * t[c]);
    }
  });
  return points;
}

}  // namespace supple
