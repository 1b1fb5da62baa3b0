// A balance of two deformed shapes after the simulation: as-rigid-as-possible interpolation, a share of the one and the
// rest of the other for each tet (the second method of section 6 of the paper on enriching mesh animations).
#pragma once
#include <memory>
#include <vector>

#include "supple/mesh/tet_mesh.h"

namespace supple {

// Each tet's two deformation gradients R0 S0 and R1 S1 give the one in between,
//   R0 exp(s log(R0^T R1)) ((1 - s) S0 + s S1),   s the share of the second,
// and the shape is the one the gradients of which are nearest to these, by rest volume. Turns take the shorter way, so
// the two shapes should not be apart by half a turn or more. Factored once; each frame is one solve.
class RotationStrainBlend {
 public:
  // mesh: at rest, every tet with volume (else InputError). held: vertices that are where the first shape has them. A
  // connected component with none of these has its centre of volume between those of the two shapes, by its mean share.
  RotationStrainBlend(const TetMesh& mesh, const std::vector<int>& held);
  ~RotationStrainBlend();
  RotationStrainBlend(RotationStrainBlend&&) noexcept;

  // from, to: positions of all vertices, flat. share: of `to`, one a tet in 0..1. All 0 gives `from`, all 1 `to`, bit
  // for bit (1: where the two agree at the held vertices). Vertices without tets stay as in `from`. May be called from
  // several threads at once.
  VecX at(const VecX& from, const VecX& to, const std::vector<double>& share) const;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

// Shares given at the vertices, for the tets: the mean of the four corners.
std::vector<double> tet_shares(const TetMesh& mesh, const std::vector<double>& vertex_shares);

}  // namespace supple
