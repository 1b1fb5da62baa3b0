// The tets of a mesh as the assembly loops want them: gradients, volumes, material, and the order of summation.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "supple/fem/material.h"
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

// Elements grouped in clusters of neighbours; clusters of one colour share no vertex. Colours are worked through one
// after the other and the clusters of a colour in parallel, so every sum has one order whatever the thread count.
class Elements {
 public:
  Elements(const TetMesh& mesh, MaterialModel model, const std::vector<MaterialParameters>& per_tet);

  MaterialModel model() const { return model_; }
  int n_vertices() const { return n_vertices_; }
  const std::vector<Element>& list() const { return list_; }
  double rest_volume() const { return volume_; }

  // Cluster c is [cluster_start()[c], cluster_start()[c + 1]) of list(), colour k the clusters [colour_start()[k], ...).
  const std::vector<int>& cluster_start() const { return cluster_start_; }
  const std::vector<int>& colour_start() const { return colour_start_; }
  // Clusters of this colour are worked through one after the other: the overflow of a mesh that needs more colours.
  static constexpr int kSerialColour = 63;

  // body(begin, end): indices into list() of one cluster. Clusters run so that scattered sums are safe and ordered.
  void for_each_cluster(const std::function<void(int begin, int end)>& body) const;
  // As above, adding up what the bodies return, in a fixed order.
  double sum_over_clusters(const std::function<double(int begin, int end)>& body) const;

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
  std::vector<Element> list_;       // cluster by cluster, colour by colour
  std::vector<int> cluster_start_;  // into list_
  std::vector<int> colour_start_;   // into cluster_start_
};

// Where the ten lower blocks of every element go in a matrix, in the order 00 10 11 20 21 22 30 31 32 33.
std::vector<std::array<int, 10>> block_slots(const Elements& elements, const BlockPattern& pattern);

}  // namespace supple
