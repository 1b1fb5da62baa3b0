#include "supple/enrich/surface_match.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "supple/base/error.h"
#include "supple/base/expect.h"

namespace supple {

SurfaceMatch::SurfaceMatch(const Points& rest, std::vector<PointTie> points, std::vector<double> area)
    : rest_(flatten(rest)), points_(std::move(points)), area_(std::move(area)), has_target_(points_.size(), 0) {
  expect(area_.size() == points_.size(), "one area for each point");
  const int n = static_cast<int>(rest.size());
  for (size_t i = 0; i < points_.size(); ++i) {
    const Location where{.place = fmt::format("animated point {}", i)};
    if (!(area_[i] >= 0) || !std::isfinite(area_[i])) throw InputError(where, "its area is no positive number");
    if (!points_[i].weights.allFinite()) throw InputError(where, "a weight is not a finite number");
    for (int v : points_[i].vertices)
      if (v < 0 || v >= n) throw InputError(where, fmt::format("tet vertex {} does not exist", v));
  }
  targets_ = VecX::Zero(3 * static_cast<Eigen::Index>(points_.size()));
}

void SurfaceMatch::set_targets(const VecX& positions) {
  expect(positions.size() == targets_.size(), "one target for each point");
  std::vector<char> has(points_.size());
  for (size_t i = 0; i < points_.size(); ++i)
    has[i] = positions.segment<3>(3 * static_cast<Eigen::Index>(i)).allFinite();
  if (has != has_target_) pattern_.reset();
  has_target_ = std::move(has);
  targets_ = positions;
}

Vec3 SurfaceMatch::place(size_t i, const VecX& u) const {
  Vec3 x = Vec3::Zero();
  for (int c = 0; c < 4; ++c) {
    const Eigen::Index v = 3 * points_[i].vertices[static_cast<size_t>(c)];
    x += points_[i].weights[c] * (rest_.segment<3>(v) + u.segment<3>(v));
  }
  return x;
}

VecX SurfaceMatch::places(const VecX& u) const {
  VecX x(targets_.size());
  for (size_t i = 0; i < points_.size(); ++i) x.segment<3>(3 * static_cast<Eigen::Index>(i)) = place(i, u);
  return x;
}

SurfaceMatch::Distance SurfaceMatch::distance(const VecX& u) const {
  Distance d;
  double sum = 0, total = 0;
  for (size_t i = 0; i < points_.size(); ++i) {
    if (!has_target_[i]) {
      d.missing += 1;
      continue;
    }
    const double squared = (place(i, u) - targets_.segment<3>(3 * static_cast<Eigen::Index>(i))).squaredNorm();
    sum += area_[i] * squared;
    total += area_[i];
    d.largest = std::max(d.largest, std::sqrt(squared));
  }
  d.rms = total > 0 ? std::sqrt(sum / total) : 0;
  return d;
}

void SurfaceMatch::couple(PatternBuilder& pattern) const {
  for (const PointTie& p : points_) pattern.couple(p.vertices);
}

void SurfaceMatch::gather_matrix(const BlockPattern& pattern) const {
  std::vector<double> sum(static_cast<size_t>(pattern.size()), 0.0);
  for (size_t i = 0; i < points_.size(); ++i) {
    if (!has_target_[i]) continue;
    const PointTie& p = points_[i];
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < 4; ++b) {
        const int row = p.vertices[static_cast<size_t>(a)], column = p.vertices[static_cast<size_t>(b)];
        // The lower triangle; a vertex named twice counts in all its pairs.
        if (row < column) continue;
        sum[static_cast<size_t>(pattern.find(row, column))] += area_[i] * p.weights[a] * p.weights[b];
      }
  }
  matrix_.clear();
  for (size_t k = 0; k < sum.size(); ++k)
    if (sum[k] != 0) matrix_.emplace_back(static_cast<int>(k), sum[k]);
}

void SurfaceMatch::add(const Kinematics& x, const Evaluation& out) const {
  if (out.energy || out.residual) {
    for (size_t i = 0; i < points_.size(); ++i) {
      if (!has_target_[i]) continue;
      const Vec3 d = place(i, x.u) - targets_.segment<3>(3 * static_cast<Eigen::Index>(i));
      if (out.energy) *out.energy += 0.5 * area_[i] * d.squaredNorm();
      if (!out.residual) continue;
      for (int c = 0; c < 4; ++c)
        out.residual->segment<3>(3 * points_[i].vertices[static_cast<size_t>(c)]) +=
            area_[i] * points_[i].weights[c] * d;
    }
  }
  if (!out.matrix) return;
  if (pattern_ != out.matrix->pattern) {
    gather_matrix(*out.matrix->pattern);
    pattern_ = out.matrix->pattern;
  }
  for (const auto& [block, value] : matrix_)
    for (int k = 0; k < 3; ++k) out.matrix->block(block)[4 * k] += value;
}

std::vector<double> areas_of(const TriMesh& surface, const std::vector<int>& vertices) {
  std::vector<char> is_there(surface.vertices.size(), 0);
  for (int v : vertices) is_there[static_cast<size_t>(v)] = 1;
  std::vector<double> around(surface.vertices.size(), 0.0);
  for (const Tri& t : surface.triangles) {
    if (!is_there[t[0]] || !is_there[t[1]] || !is_there[t[2]]) continue;
    const Vec3 &a = surface.vertices[t[0]], &b = surface.vertices[t[1]], &c = surface.vertices[t[2]];
    const double area = 0.5 * (b - a).cross(c - a).norm();
    for (int v : t) around[v] += area / 3;
  }
  std::vector<double> out(vertices.size());
  double sum = 0;
  int n = 0;
  for (size_t i = 0; i < vertices.size(); ++i) {
    out[i] = around[vertices[i]];
    if (out[i] > 0) sum += out[i], n += 1;
  }
  double whole = 0;
  for (const Tri& t : surface.triangles) {
    const Vec3 &a = surface.vertices[t[0]], &b = surface.vertices[t[1]], &c = surface.vertices[t[2]];
    whole += 0.5 * (b - a).cross(c - a).norm();
  }
  const double mean = n > 0 ? sum / n : whole / std::max<double>(1.0, static_cast<double>(vertices.size()));
  for (double& area : out)
    if (!(area > 0)) area = mean;
  return out;
}

}  // namespace supple
