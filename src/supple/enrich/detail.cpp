#include "supple/enrich/detail.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "supple/base/expect.h"
#include "supple/base/parallel.h"
#include "supple/linalg/svd3.h"

namespace supple {

namespace {

Mat3 rotation(const Svd3& svd) { return svd.U * svd.V.transpose(); }

Mat3 with_bounded_stretch(const Mat3& F) {
  const Svd3 svd = svd3(F);
  return svd.U * svd.sigma.cwiseMax(0.5).cwiseMin(2.0).asDiagonal() * svd.V.transpose();
}

// Points outside have weights below 0; there the nearest of the tet counts.
Eigen::Vector4d inner_weights(const Eigen::Vector4d& weights) {
  const Eigen::Vector4d inner = weights.cwiseMax(0.0);
  return inner / inner.sum();
}

}  // namespace

Mat3 detail_map(const Mat3& simulated, const Mat3& fitted) {
  constexpr double kFlat = 0.1, kSound = 0.2;
  const Svd3 fit = svd3(fitted);
  // The smallest singular value carries the sign of the determinant.
  const double trust = std::clamp((fit.sigma[2] / fit.sigma[0] - kFlat) / (kSound - kFlat), 0.0, 1.0);
  const auto turn = [&]() -> Mat3 { return rotation(svd3(simulated)) * rotation(fit).transpose(); };
  if (!(trust > 0)) return turn();
  const Mat3 inverse = fit.V * fit.sigma.cwiseInverse().asDiagonal() * fit.U.transpose();
  Mat3 relative = with_bounded_stretch(simulated * inverse);
  if (trust == 1) return relative;
  return (1 - trust) * turn() + trust * relative;
}

DetailTransfer::DetailTransfer(const TetMesh& mesh, const std::vector<int>& tet, const Points& points, Carriage how,
                               const std::vector<int>& still)
    : how_(how), tet_(tet) {
  expect(tet.size() == points.size(), "one tet for each point");
  const std::vector<double> volumes = tet_volumes(mesh);
  const auto fill = mesh.tet_maps.find("fill");
  tets_.reserve(mesh.tets.size());
  for (int ti = 0; ti < mesh.n_tets(); ++ti) {
    const Tet& t = mesh.tets[ti];
    Mat3 edges;
    for (int c = 0; c < 3; ++c) edges.col(c) = mesh.vertices[t[c + 1]] - mesh.vertices[t[0]];
    tets_.push_back({t, edges.inverse(), volumes[ti] * (fill == mesh.tet_maps.end() ? 1 : fill->second[ti])});
  }
  Embedding e;
  e.tet = tet;
  for (size_t i = 0; i < points.size(); ++i) {
    const Tet& t = mesh.tets[tet[i]];
    e.weights.push_back(
        barycentric(points[i], mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]], mesh.vertices[t[3]]));
    weights_.push_back(inner_weights(e.weights.back()));
  }
  if (how == Carriage::barycentric) {
    blend_ = motion_ = blend_of(e, mesh.tets);
    return;
  }
  blend_ = motion_ = smooth_blend(mesh, tet, points);
  if (!still.empty()) {
    still_.assign(mesh.vertices.size(), 0);
    for (int v : still) still_[v] = 1;
    motion_ = smooth_blend(mesh, tet, points, still_);
  }
  std::vector<char> wanted(mesh.vertices.size(), 0);
  for (int ti : tet) {
    for (int v : mesh.tets[ti]) wanted[v] = 1;
  }
  around_.resize(mesh.vertices.size());
  for (int ti = 0; ti < mesh.n_tets(); ++ti) {
    for (int v : mesh.tets[ti]) {
      if (wanted[v]) around_[v].push_back(ti);
    }
  }
}

Mat3 DetailTransfer::gradient(int ti, const VecX& x) const {
  const RestTet& t = tets_[ti];
  Mat3 edges;
  for (int c = 0; c < 3; ++c) edges.col(c) = x.segment<3>(3 * t.vertices[c + 1]) - x.segment<3>(3 * t.vertices[0]);
  return edges * t.inverse;
}

std::vector<Mat3> DetailTransfer::vertex_gradients(const VecX& x) const {
  std::vector<Mat3> means(around_.size());
  parallel_for(means.size(), 256, [&](size_t begin, size_t end) {
    for (size_t v = begin; v < end; ++v) {
      if (around_[v].empty()) continue;
      Mat3 sum = Mat3::Zero();
      double mass = 0;
      for (int ti : around_[v]) {
        sum += tets_[ti].mass * gradient(ti, x);
        mass += tets_[ti].mass;
      }
      means[v] = sum / mass;
    }
  });
  return means;
}

Mat3 DetailTransfer::point_gradient(size_t i, const VecX& x, const std::vector<Mat3>& at_vertices) const {
  if (how_ == Carriage::barycentric) return gradient(tet_[i], x);
  Mat3 F = Mat3::Zero();
  for (int c = 0; c < 4; ++c) {
    if (weights_[i][c] > 0) F += weights_[i][c] * at_vertices[tets_[tet_[i]].vertices[c]];
  }
  return F;
}

std::vector<Mat3> DetailTransfer::simulated_gradients(const VecX& x, const std::vector<Mat3>& fitted) const {
  std::vector<Mat3> means = vertex_gradients(x);
  // What stays does not turn either.
  for (size_t v = 0; v < means.size() && !still_.empty(); ++v)
    if (still_[v]) means[v] = fitted[v];
  return means;
}

// The vertices that carry a point on are also those of the tets that turn its detail.
bool DetailTransfer::supported_alike(size_t i, const VecX& x, const VecX& y) const {
  for (int k = motion_.first[i]; k < motion_.first[i + 1]; ++k) {
    const int v = motion_.vertex[k];
    if (x.segment<3>(3 * v) != y.segment<3>(3 * v)) return false;
  }
  return true;
}

Points DetailTransfer::carried(const VecX& x) const { return unflatten(blended(blend_, x)); }

Points DetailTransfer::moved(const VecX& x, const VecX& fitted) const {
  return unflatten(blended(blend_, fitted) + blended(motion_, x - fitted));
}

Points DetailTransfer::at(const VecX& x, const VecX& fitted, const VecX& input) const {
  expect(x.size() == fitted.size() && input.size() == 3 * static_cast<Eigen::Index>(tet_.size()),
         "states of the same tets and the points of the input");
  Points points = moved(x, fitted);
  const Points before = carried(fitted);
  const std::vector<Mat3> fitted_gradients = vertex_gradients(fitted);
  const std::vector<Mat3> gradients = simulated_gradients(x, fitted_gradients);
  parallel_for(points.size(), 256, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const Vec3 there = input.segment<3>(3 * static_cast<Eigen::Index>(i));
      if (there.hasNaN()) continue;
      if (supported_alike(i, x, fitted)) {
        points[i] = there;
        continue;
      }
      const Mat3 F = detail_map(point_gradient(i, x, gradients), point_gradient(i, fitted, fitted_gradients));
      points[i] += F * (there - before[i]);
    }
  });
  return points;
}

}  // namespace supple
