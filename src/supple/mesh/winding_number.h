// How often a triangle soup winds around a point: 1 inside a closed surface, 0 outside, in between where it is open.
#pragma once
#include <vector>

#include "supple/base/types.h"

namespace supple {

// w(q) = 1/(4 pi) sum over triangles of the signed solid angle seen from q; positive on the back of the triangles.
// Far groups of triangles are replaced by their dipole and its first two moments, so a query costs about log n; the
// error stays below 0.01 in practice. Queries are const, may run in parallel and give the same bits each time.
class WindingNumber {
 public:
  WindingNumber() = default;
  // Triangles must be finite and in range; those without area add nothing.
  WindingNumber(const Points& vertices, const std::vector<Tri>& triangles);
  bool empty() const { return corners_.empty(); }
  double operator()(const Vec3& q) const;
  double exact(const Vec3& q) const;  // the full sum

 private:
  // A leaf holds corners_[first .. first + count). An inner node (count 0) has children at its own index + 1 and
  // `first`.
  struct Node {
    Vec3 centre = Vec3::Zero();  // weighted by area
    Vec3 dipole = Vec3::Zero();  // sum of area x normal
    Mat3 moment = Mat3::Zero();  // integral of normal r^T, r from the centre
    // Integral of normal r r^T: as the cubic form it makes of d (xxx, yyy, zzz, xxy, xxz, yyx, yyz, zzx, zzy, xyz), and
    // its traces.
    std::array<double, 10> cubic{};
    Vec3 traces = Vec3::Zero();
    double reach2 = 0;  // squared distance beyond which the dipole stands for the triangles
    int first = 0, count = 0;
  };
  int build(std::vector<int>& order, const Points& centres, const Points& vertices, const std::vector<Tri>& triangles,
            int begin, int end);

  std::vector<std::array<Vec3, 3>> corners_;  // in the order of the leaves
  std::vector<Node> nodes_;
};

// Solid angle of a triangle seen from the origin, over 4 pi; positive when a, b, c run clockwise as seen.
double solid_angle_share(const Vec3& a, const Vec3& b, const Vec3& c);

}  // namespace supple
