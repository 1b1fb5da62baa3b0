// How much every tet resists each pair of rig parameters: H_e = Jq^T K_e Jq, with Jq the motion of all vertices when a
// parameter changes and the interior is in equilibrium.
#pragma once
#include <vector>

#include "supple/rigspace/rig_body.h"

namespace supple {

// Of the material that the body was described with, whatever factors the motion is with.
struct RigStiffness {
  std::vector<int> felt;  // of the free parameters, by their number among them: those that meet resistance
  VecX diagonal;          // of those: H_aa [J over the square of what they are in]
  // One column a tet of the mesh. Rows: H_e,ab / sqrt(H_aa H_bb) of pairs a >= b of felt parameters, times sqrt(2)
  // where they differ, so that the squares of a column sum to those of the whole matrix.
  MatX shares;
  std::vector<std::pair<int, int>> pairs;  // of the rows, as numbers of `felt`; pairs that no tet feels are left out
  bool balanced = true;                    // the interior found its equilibrium
};

// factors: on the stiffness of each tet, for the equilibrium of the interior; empty: 1. At parameters p
// (empty: rest) at t. Tangents are made positive semidefinite tet by tet, which changes nothing at rest.
// like: another to be compared with: the same rows over the same diagonal.
RigStiffness rig_stiffness(const RigBody& body, const std::vector<int>& free, const std::vector<double>& factors,
                           const VecX& p, double t, const RigStiffness* like = nullptr);

}  // namespace supple
