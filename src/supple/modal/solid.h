// The flesh of one soft part as linear elasticity sees it: tets that are held where they are fixed.
#pragma once
#include <array>
#include <utility>
#include <vector>

#include "supple/fem/quadratic_tets.h"
#include "supple/linalg/affine_map.h"

namespace supple {

struct SolidSpec {
  TetMesh mesh;
  std::vector<MaterialParameters> per_tet;
  std::vector<char> fixed;                      // per vertex: rides on the bone
  std::vector<std::pair<int, double>> springs;  // vertices that springs of this stiffness hold besides [N/m]
  bool quadratic = true;                        // ten nodes a tet, else four
};

struct Solid {
  Points nodes;        // the vertices, then those in the middle of edges [m]
  int n_vertices = 0;  // of the tets
  int n_tets = 0;
  LinearMatrices all;  // of all nodes, fixed ones too
  AffineMap map;       // the free ones
  int n_free() const { return map.n_free(); }
};

// InputError: nothing is free, or nothing holds a piece of it.
Solid make_solid(const SolidSpec& spec);

// What is free of a matrix of all nodes.
BlockMatrix free_part(const Solid& solid, const BlockMatrix& all);

}  // namespace supple
