// What was found out about flesh in one cage, in another around the same skin. Inside the room only.
#pragma once
#include <vector>

#include "supple/attach/flesh.h"

namespace supple {

// Per vertex of `cage`.
struct CarriedFlesh {
  std::vector<double> softness, half_thickness;
};
// As soft as the flesh at a vertex's place, or as the mean of what it stands for where that is less: a core that runs
// between the vertices of a coarse cage still holds them.
CarriedFlesh carry_to_cage(const Flesh& from, const TetMesh& from_cage, const TetMesh& cage);

// Fills region and regions of `to`, whose softness is known.
void carry_regions(const Flesh& from, const TetMesh& from_cage, const TetMesh& cage, Flesh& to);

}  // namespace supple
