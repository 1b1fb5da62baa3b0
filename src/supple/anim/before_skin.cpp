#include "supple/anim/before_skin.h"

#include <algorithm>
#include <cmath>

#include "supple/linalg/svd3.h"

namespace supple {

namespace {

constexpr double kFlat = 0.25;  // of the usual stretch

// The median of what the maps of moving vertices do to lengths.
double usual_stretch(const std::vector<Mat3>& skin, const Points& delivered) {
  std::vector<double> all;
  for (size_t v = 0; v < skin.size(); ++v)
    if (delivered[v] != Vec3::Zero()) all.push_back(skin[v].norm() / std::sqrt(3.0));
  if (all.empty()) return 1;
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end());
  return *middle;
}

// The largest singular value, from the roots of the characteristic polynomial of L^T L.
double largest_singular(const Mat3& L) {
  const Mat3 square = L.transpose() * L;
  const double mean = square.trace() / 3;
  const Mat3 rest = square - mean * Mat3::Identity();
  const double spread = std::sqrt(rest.squaredNorm() / 6);
  if (!(spread > 1e-12 * mean)) return std::sqrt(mean);
  const double r = std::clamp((rest / spread).determinant() / 2, -1.0, 1.0);
  return std::sqrt(mean + 2 * spread * std::cos(std::acos(r) / 3));
}

}  // namespace

BeforeSkin before_skin(const std::vector<Mat3>& skin, const Points& delivered) {
  BeforeSkin out;
  out.displacements.assign(delivered.size(), Vec3::Zero());
  out.stretch = Eigen::VectorXf::Zero(static_cast<Eigen::Index>(delivered.size()));
  const double flat = kFlat * usual_stretch(skin, delivered);
  if (!(flat > 0)) {
    for (const Vec3& d : delivered) out.faded = std::max(out.faded, d.norm());
    return out;  // the pose is a point
  }
  for (size_t v = 0; v < delivered.size(); ++v) {
    const Vec3& d = delivered[v];
    out.stretch[static_cast<Eigen::Index>(v)] = static_cast<float>(largest_singular(skin[v]));
    if (d == Vec3::Zero()) continue;
    // The norm of the inverse is at least that of its largest singular value.
    const double volume = skin[v].determinant();
    if (std::abs(volume) > 1e-6 * flat * flat * flat) {
      const Mat3 inverse = skin[v].inverse();
      if (inverse.norm() * flat <= 1) {
        out.displacements[v] = inverse * d;
        continue;
      }
    }
    const Svd3 svd = svd3(skin[v]);
    Vec3 undone = svd.U.transpose() * d;
    for (int a = 0; a < 3; ++a) {
      const double x = svd.sigma[a] / flat;
      undone[a] *= std::abs(x) < 1 ? (2 * x - x * x * x) / flat : 1 / svd.sigma[a];
    }
    out.displacements[v] = svd.V * undone;
    out.faded = std::max(out.faded, (skin[v] * out.displacements[v] - d).norm());
  }
  return out;
}

}  // namespace supple
