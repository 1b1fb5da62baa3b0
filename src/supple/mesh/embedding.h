// A drawn surface carried by a tet mesh through barycentric weights.
#pragma once
#include <vector>

#include "supple/mesh/tet_mesh.h"

namespace supple {

// Point i = sum over c of weights[i][c] * vertex tets[tet[i]][c]. Weights sum to 1; outside the mesh some are negative.
struct Embedding {
  std::vector<int> tet;
  std::vector<Eigen::Vector4d> weights;
  int n_outside = 0;        // points beyond the mesh, carried by the nearest tet
  double max_distance = 0;  // of those, to the mesh [m]
};

Embedding embed(const TetMesh& mesh, const Points& points);
Points embedded_points(const Embedding& e, const std::vector<Tet>& tets, const VecX& vertex_positions);
Eigen::Vector4d barycentric(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

}  // namespace supple
