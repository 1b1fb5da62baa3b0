#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>

#include <fmt/format.h>

#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "supple/linalg/dense.h"
#include "supple/mesh/bvh.h"
#include "supple/mesh/tri_mesh.h"
#include "supple/rigspace/surface_map.h"

namespace supple {

namespace {

constexpr double kCoincident = 1e-9;  // of the size of everything
constexpr double kSpacing = 1.0 / 3;  // of the radius that a level is for: about sixty points in it at most
constexpr double kGrowth = 1.25;      // of the radius, from one attempt to the next
// What a row may have, of absolute values.
constexpr double kLargestWeight = 1.5, kLargestSum = 4;
constexpr size_t kFewestPoints = 8;

// Points of the surface at least `spacing` apart from others of their part, so that rows have few entries and do not
// lean towards where a drawn surface happens to be dense.
struct Level {
  double spacing = 0;
  std::vector<int> points;
  Bvh tree;  // items: places in `points`
};

Bvh tree_of(const Points& surface, const std::vector<int>& points) {
  std::vector<Box> boxes;
  boxes.reserve(points.size());
  for (int i : points) boxes.push_back({surface[static_cast<size_t>(i)], surface[static_cast<size_t>(i)]});
  return Bvh(std::move(boxes));
}

// In their order: a point is kept when none of its part kept before is nearer.
std::vector<int> thinned(const Points& surface, const std::vector<int>& parts, const std::vector<int>& points,
                         double spacing) {
  using Cell = std::array<int64_t, 3>;
  const auto cell_of = [&](const Vec3& x) -> Cell {
    return {static_cast<int64_t>(std::floor(x.x() / spacing)), static_cast<int64_t>(std::floor(x.y() / spacing)),
            static_cast<int64_t>(std::floor(x.z() / spacing))};
  };
  struct HashCell {
    size_t operator()(const Cell& c) const {
      return static_cast<size_t>(c[0] * 73856093) ^ static_cast<size_t>(c[1] * 19349663) ^
             static_cast<size_t>(c[2] * 83492791);
    }
  };
  std::unordered_map<Cell, std::vector<int>, HashCell> grid;
  std::vector<int> kept;
  for (int i : points) {
    const Vec3& x = surface[static_cast<size_t>(i)];
    const Cell at = cell_of(x);
    bool near = false;
    for (int64_t n = 0; n < 27 && !near; ++n) {
      const auto found = grid.find({at[0] + n % 3 - 1, at[1] + n / 3 % 3 - 1, at[2] + n / 9 - 1});
      if (found == grid.end()) continue;
      for (int j : found->second) {
        if (!parts.empty() && parts[static_cast<size_t>(i)] != parts[static_cast<size_t>(j)]) continue;
        near = near || (surface[static_cast<size_t>(j)] - x).squaredNorm() < spacing * spacing;
      }
    }
    if (near) continue;
    kept.push_back(i);
    grid[at].push_back(i);
  }
  return kept;
}

struct Row {
  std::vector<int> points;
  std::vector<double> weights;
  double largest = 0, sum = 0;  // of absolute values
  bool full = false;            // reproduces affine maps
};

// Of all w with sum w = 1 and sum w (x - X) = 0 the one of least sum w^2 / phi: w_i = phi_i q_i . m,
// q = (1, (x - X) / r), M m = (1, 0, 0, 0), M = sum phi q q^T. phi = (1 - (d / r)^2)^2 of the distance d. Where the
// points lie in a plane M has no inverse: its directions that nothing tells of are left out, and the row is not `full`.
Row row_of(const Points& surface, const std::vector<int>& points, const Vec3& X, double radius) {
  const auto n = static_cast<Eigen::Index>(points.size());
  Eigen::Matrix<double, 4, Eigen::Dynamic> q(4, n);
  VecX phi(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Vec3 d = (surface[static_cast<size_t>(points[static_cast<size_t>(i)])] - X) / radius;
    q.col(i) << 1, d;
    const double fall = 1 - std::min(1.0, d.squaredNorm());
    phi[i] = fall * fall + 1e-12;
  }
  phi /= phi.sum();
  const Eigen::Matrix4d M = q * phi.asDiagonal() * q.transpose();
  const SymmetricEigen4 eigen = symmetric_eigen4(M);
  const double least = 1e-8 * eigen.values[3];
  Row row;
  row.points = points;
  row.full = eigen.values[0] > least;
  Eigen::Vector4d inverse;
  for (int k = 0; k < 4; ++k) inverse[k] = eigen.values[k] > least ? 1 / eigen.values[k] : 0;
  const auto solve = [&](const Eigen::Vector4d& b) -> Eigen::Vector4d {
    return eigen.vectors * inverse.asDiagonal() * (eigen.vectors.transpose() * b);
  };
  const Eigen::Vector4d wanted = Eigen::Vector4d::UnitX();
  VecX w = phi.asDiagonal() * (q.transpose() * solve(wanted));
  for (int again = 0; again < 2; ++again) w += phi.asDiagonal() * (q.transpose() * solve(wanted - q * w));
  if (!row.full) w /= w.sum();
  row.weights.assign(w.data(), w.data() + n);
  row.largest = w.cwiseAbs().maxCoeff();
  row.sum = w.cwiseAbs().sum();
  return row;
}

class SurfaceMapFitter {
 public:
  SurfaceMapFitter(const Points& surface, const std::vector<int>& parts, double edge)
      : surface_(surface), parts_(parts), edge_(edge), size_(bounding_box(surface).size().norm()) {
    std::vector<int> all(surface.size());
    for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
    all_ = {0, all, tree_of(surface, all)};
    for (double radius = edge;; radius *= 2) {
      const double spacing = kSpacing * radius;
      std::vector<int> kept = thinned(surface, parts, levels_.empty() ? all : levels_.back().points, spacing);
      levels_.push_back({spacing, kept, tree_of(surface, kept)});
      if (radius > size_) break;
    }
  }

  // The nearest drawn point of the part; -1: it has none. part < 0: any.
  int nearest(const Vec3& X, int part, double& distance) const {
    const auto exact = [&](int i) {
      return part >= 0 && parts_[static_cast<size_t>(i)] != part ? INFINITY
                                                                 : (surface_[static_cast<size_t>(i)] - X).squaredNorm();
    };
    const Bvh::Closest closest = all_.tree.closest(X, exact);
    distance = std::sqrt(closest.distance2);
    return closest.item;
  }
  double coincident() const { return kCoincident * size_; }

  // The row over the smallest neighbourhood that will do, or of all the one with the least weights.
  Row fit(const Vec3& X, int part, double distance) const {
    Row best;
    std::vector<int> points;
    const auto better = [](const Row& a, const Row& b) { return a.full != b.full ? a.full : a.sum < b.sum; };
    for (double radius = std::max(edge_, 1.25 * distance);; radius *= kGrowth) {
      const auto level = static_cast<size_t>(std::max(0.0, std::floor(std::log2(radius / edge_))));
      const Level& among = levels_[std::min(level, levels_.size() - 1)];
      points.clear();
      among.tree.within(X, radius * radius, [&](int item) {
        const int i = among.points[static_cast<size_t>(item)];
        if (part < 0 || parts_[static_cast<size_t>(i)] == part) points.push_back(i);
      });
      const bool everything = radius > 2 * (size_ + distance);
      if (points.size() >= kFewestPoints || (everything && !points.empty())) {
        std::sort(points.begin(), points.end());
        Row row = row_of(surface_, points, X, radius);
        if (row.full && row.largest <= kLargestWeight && row.sum <= kLargestSum) return row;
        if (best.points.empty() || better(row, best)) best = std::move(row);
      }
      if (everything) return best;
    }
  }

 private:
  const Points& surface_;
  const std::vector<int>& parts_;
  double edge_, size_;
  Level all_;
  std::vector<Level> levels_;
};

}  // namespace

SurfaceMapFit fit_surface_map(const Points& surface, const Points& targets, double edge,
                              const std::vector<int>& surface_parts, const std::vector<int>& target_parts) {
  if (surface.empty()) throw InputError({}, "there is no drawn surface to go with", "give the rig points");
  if (!(edge > 0)) throw InputError({}, fmt::format("edges of {} m are no edges", edge), "give a length above 0");
  const bool by_part = !surface_parts.empty();
  if (by_part && (surface_parts.size() != surface.size() || target_parts.size() != targets.size())) {
    throw InputError({}, "parts are told of some points only", "tell the part of every drawn point and every target");
  }
  const SurfaceMapFitter fitter(surface, surface_parts, edge);
  std::vector<Row> rows(targets.size());
  parallel_for(targets.size(), 16, [&](size_t begin, size_t end) {
    for (size_t k = begin; k < end; ++k) {
      const int part = by_part ? target_parts[k] : -1;
      double distance = 0;
      const int nearest = fitter.nearest(targets[k], part, distance);
      if (nearest < 0) {
        throw InputError({.place = fmt::format("vertex {}", k)},
                         fmt::format("no drawn point of part {} is near ({:.3g}, {:.3g}, {:.3g})", part, targets[k].x(),
                                     targets[k].y(), targets[k].z()),
                         "make tets only where something is drawn");
      }
      if (distance <= fitter.coincident()) {
        rows[k] = {{nearest}, {1.0}, 0, 0, true};
        continue;
      }
      rows[k] = fitter.fit(targets[k], part, distance);
      // A part that is flat, or nearly so, says nothing of what is beside it: then what is around helps.
      if (by_part && (!rows[k].full || rows[k].sum > 4 * kLargestSum)) {
        Row any = fitter.fit(targets[k], -1, distance);
        if (any.full) rows[k] = std::move(any);
      }
    }
  });

  SurfaceMapFit fit;
  fit.map.n_points = static_cast<int>(surface.size());
  for (size_t k = 0; k < rows.size(); ++k) {
    const Row& row = rows[k];
    Vec3 place = Vec3::Zero();
    for (size_t i = 0; i < row.points.size(); ++i) {
      fit.map.point.push_back(row.points[i]);
      fit.map.weight.push_back(row.weights[i]);
      place += row.weights[i] * surface[static_cast<size_t>(row.points[i])];
    }
    fit.map.first.push_back(static_cast<int>(fit.map.point.size()));
    fit.coincident += row.points.size() == 1 ? 1 : 0;
    fit.flat += row.full ? 0 : 1;
    fit.largest_weight = std::max(fit.largest_weight, row.largest);
    fit.reproduction_m = std::max(fit.reproduction_m, (place - targets[k]).norm());
  }
  return fit;
}

}  // namespace supple
