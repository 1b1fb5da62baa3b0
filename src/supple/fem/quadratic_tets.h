// Ten-node tets of linear elasticity, for modal work: a tet with a node on every edge bends where a four-node one is
// far too stiff. Edges stay straight at rest, so that all integrals are exact.
#pragma once
#include <array>
#include <vector>

#include "supple/fem/material.h"
#include "supple/linalg/block_matrix.h"
#include "supple/mesh/tet_mesh.h"

namespace supple {

// Nodes: first the vertices of the mesh, then one in the middle of every edge.
struct QuadraticTets {
  Points nodes;
  int n_vertices = 0;
  std::vector<std::array<int, 2>> edges;      // the ends of node n_vertices + i
  std::vector<std::array<int, 10>> elements;  // four vertices, then edges 01 02 03 12 13 23
};
QuadraticTets with_middle_nodes(const TetMesh& mesh);

// The stiffness and the consistent mass of all nodes, on one pattern.
struct LinearMatrices {
  BlockMatrix stiffness, mass;
};
// per_tet: one a tet; the materials' common linearisation, whatever the model.
LinearMatrices linear_matrices(const QuadraticTets& mesh, const std::vector<MaterialParameters>& per_tet);
// The same of four-node tets.
LinearMatrices linear_matrices(const TetMesh& mesh, const std::vector<MaterialParameters>& per_tet);

// Values of the ten shape functions at barycentric coordinates.
std::array<double, 10> quadratic_shapes(const Eigen::Vector4d& at);

}  // namespace supple
