// Prescribed vertices and tied points: which unknowns remain, and what is prescribed at an instant.
#pragma once
#include <memory>
#include <vector>

#include "supple/base/types.h"
#include "supple/linalg/affine_map.h"

namespace supple {

// A point carried by four vertices: sum over c of weights[c] * vertex vertices[c]. Weights sum to 1. A vertex may be
// named twice; one of weight 0 plays no part.
struct PointTie {
  Tet vertices;
  Eigen::Vector4d weights;
};

class TieCluster;

// u = Z y + u_d such that driven vertices are where they are told and tied points meet their targets, exactly where
// they can and by least squares where there are more ties than the vertices can follow. Driven vertices inside a tie
// count as given. A free vertex whose share in the ties is too small to be moved by them (under a thousandth, after
// taking away what others already do) stays free, and ties miss by that share of its motion: see weak_vertices().
class Constraints {
 public:
  // Throws InputError for indices out of range, vertices driven twice and weights that are not finite.
  Constraints(int n_vertices, Points rest, std::vector<int> driven, std::vector<PointTie> ties);
  ~Constraints();
  Constraints(Constraints&&) noexcept;
  Constraints& operator=(Constraints&&) noexcept;

  const AffineMap& map() const { return map_; }
  const std::vector<int>& driven() const { return driven_; }
  const std::vector<PointTie>& ties() const { return ties_; }

  // u_d [m], flat 3n. driven_positions and tie_targets [m] are flat, in the order given; either is empty when there
  // are none. worst_residual, where asked for: the largest distance [m] of a tied point from its target that no motion
  // of the free vertices can close.
  VecX prescribe(const VecX& driven_positions, const VecX& tie_targets, double* worst_residual = nullptr) const;
  // Largest distance [m] of a tied point from its target at displacements u.
  double tie_residual(const VecX& u, const VecX& tie_targets) const;

  int rank() const { return rank_; }                                          // ties that remove an unknown vertex
  int n_redundant() const { return static_cast<int>(ties_.size()) - rank_; }  // ties that follow from the others
  int n_clusters() const;                                                     // groups that share free vertices
  const std::vector<int>& weak_vertices() const { return weak_; }

 private:
  struct Group;
  VecX tie_offsets(const VecX& tie_targets, const VecX& u) const;

  Points rest_;
  std::vector<int> driven_;
  std::vector<PointTie> ties_;
  std::vector<Group> clusters_;
  std::vector<int> lone_;  // ties on driven vertices only
  std::vector<int> weak_;
  AffineMap map_;
  int rank_ = 0;
};

}  // namespace supple
