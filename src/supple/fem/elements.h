// The tets of a mesh as the assembly loops want them: gradients, volumes, material, and the order of summation.
#pragma once
#include <array>
#include <functional>
#include <vector>

#include "supple/fem/clusters.h"
#include "supple/fem/material.h"
#include "supple/fem/patches.h"
#include "supple/linalg/block_matrix.h"
#include "supple/mesh/tet_mesh.h"

namespace supple {

struct Element {
  int v[4];    // vertices in ascending order, so that local pairs a > b are lower-triangle blocks
  int tet;     // index in the mesh
  double vol;  // rest volume [m^3]
  Mat3 g;      // columns: gradients of the shape functions of v[1], v[2], v[3] [1/m]; that of v[0] is minus their sum
  ElementMaterial material;
};

class Elements {
 public:
  // anti_locking: each material is shared between the tets and patches around the vertices (patches.h).
  // left_out: tets that play no part; empty: none.
  Elements(const TetMesh& mesh, MaterialModel model, const std::vector<MaterialParameters>& per_tet,
           bool anti_locking = false, const std::vector<char>& left_out = {});

  MaterialModel model() const { return model_; }
  int n_vertices() const { return n_vertices_; }
  // In the order of summation, cluster by cluster.
  const std::vector<Element>& list() const { return list_; }
  const Clusters& clusters() const { return clusters_; }
  const Patches& patches() const { return patches_; }  // none without anti-locking
  double rest_volume() const { return volume_; }

  // Displacement gradient of an element.
  Mat3 gradient(const Element& e, const VecX& u) const {
    const Vec3 u0 = u.segment<3>(3 * e.v[0]);
    Mat3 d;
    for (int a = 0; a < 3; ++a) d.col(a) = u.segment<3>(3 * e.v[a + 1]) - u0;
    return d * e.g.transpose();
  }

 private:
  MaterialModel model_;
  int n_vertices_ = 0;
  double volume_ = 0;
  std::vector<Element> list_;
  Clusters clusters_;
  Patches patches_;
};

// Where the ten lower blocks of every element go in a matrix, in the order 00 10 11 20 21 22 30 31 32 33.
std::vector<std::array<int, 10>> block_slots(const Elements& elements, const BlockPattern& pattern);

}  // namespace supple
