#include "supple/mesh/normal_rates.h"

#include <Eigen/Geometry>

namespace supple {

Points normal_turns(const Points& vertices, const std::vector<Tri>& triangles, const Points& rates) {
  Points sum(vertices.size(), Vec3::Zero()), change = sum, turns = sum;
  for (const Tri& t : triangles) {
    const Vec3 u = vertices[t[1]] - vertices[t[0]], v = vertices[t[2]] - vertices[t[0]];
    const Vec3 du = rates[t[1]] - rates[t[0]], dv = rates[t[2]] - rates[t[0]];
    const Vec3 area = u.cross(v), growth = du.cross(v) + u.cross(dv);
    for (int i : t) sum[i] += area, change[i] += growth;
  }
  // d(s/|s|) = (I - n n^T) ds / |s| = (n x ds / |s|) x n
  for (size_t i = 0; i < turns.size(); ++i)
    if (const double size2 = sum[i].squaredNorm(); size2 > 0) turns[i] = sum[i].cross(change[i]) / size2;
  return turns;
}

}  // namespace supple
