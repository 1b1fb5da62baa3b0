#include "supple/rigspace/surface_map.h"

#include <algorithm>
#include <numeric>

#include "supple/base/expect.h"
#include "supple/base/parallel.h"

namespace supple {

VecX SurfaceMap::apply(const VecX& s) const {
  expect(s.size() == 3 * n_points, "the coordinates of every point");
  VecX x(3 * n_rows());
  for (int k = 0; k < n_rows(); ++k) {
    Vec3 sum = Vec3::Zero();
    for (auto i = static_cast<size_t>(first[static_cast<size_t>(k)]);
         i < static_cast<size_t>(first[static_cast<size_t>(k) + 1]); ++i) {
      sum += weight[i] * s.segment<3>(3 * point[i]);
    }
    x.segment<3>(3 * k) = sum;
  }
  return x;
}

MatX SurfaceMap::apply(const MatX& s) const {
  MatX x(3 * n_rows(), s.cols());
  parallel_for(static_cast<size_t>(s.cols()), 1, [&](size_t begin, size_t end) {
    for (size_t c = begin; c < end; ++c) {
      const auto column = static_cast<Eigen::Index>(c);
      x.col(column) = apply(VecX(s.col(column)));
    }
  });
  return x;
}

VecX SurfaceMap::transpose(const VecX& f) const {
  expect(f.size() == 3 * n_rows(), "a force on every row");
  VecX s = VecX::Zero(3 * n_points);
  for (int k = 0; k < n_rows(); ++k) {
    for (auto i = static_cast<size_t>(first[static_cast<size_t>(k)]);
         i < static_cast<size_t>(first[static_cast<size_t>(k) + 1]); ++i) {
      s.segment<3>(3 * point[i]) += weight[i] * f.segment<3>(3 * k);
    }
  }
  return s;
}

std::vector<int> SurfaceMap::used() const {
  std::vector<int> points = point;
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

SurfaceMap SurfaceMap::over_used() const {
  const std::vector<int> points = used();
  SurfaceMap fewer = *this;
  fewer.n_points = static_cast<int>(points.size());
  for (int& i : fewer.point) i = static_cast<int>(std::lower_bound(points.begin(), points.end(), i) - points.begin());
  return fewer;
}

SurfaceMap identity_map(int n_points) {
  SurfaceMap map;
  map.n_points = n_points;
  map.first.resize(static_cast<size_t>(n_points) + 1);
  std::iota(map.first.begin(), map.first.end(), 0);
  map.point.assign(map.first.begin(), map.first.end() - 1);
  map.weight.assign(map.point.size(), 1.0);
  return map;
}

}  // namespace supple
