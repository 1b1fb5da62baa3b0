// Names for the small vectors and matrices used everywhere.
#pragma once
#include <Eigen/Core>
#include <array>
#include <vector>

namespace supple {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;
// Flat state vectors: 3 doubles a vertex, index 3 * vertex + axis. [m], [m/s], [N] as the name says.
using VecX = Eigen::VectorXd;
using MatX = Eigen::MatrixXd;

using Tri = std::array<int, 3>;
using Tet = std::array<int, 4>;
using Points = std::vector<Vec3>;

struct Box {
  Vec3 low = Vec3::Constant(0);
  Vec3 high = Vec3::Constant(0);
  Vec3 size() const { return high - low; }
};

// The flat vector of a list of points, and back.
inline VecX flatten(const Points& points) {
  VecX flat(3 * static_cast<Eigen::Index>(points.size()));
  for (size_t i = 0; i < points.size(); ++i) flat.segment<3>(3 * static_cast<Eigen::Index>(i)) = points[i];
  return flat;
}
inline Points unflatten(const VecX& flat) {
  Points points(static_cast<size_t>(flat.size() / 3));
  for (size_t i = 0; i < points.size(); ++i) points[i] = flat.segment<3>(3 * static_cast<Eigen::Index>(i));
  return points;
}

}  // namespace supple
