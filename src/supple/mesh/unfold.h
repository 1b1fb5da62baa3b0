// Tets that a deformation has turned inside out, put right again.
#pragma once
#include <vector>

#include "supple/mesh/tet_mesh.h"

namespace supple {

struct Unfolding {
  std::vector<int> folded;  // tets that were, of those that count
  std::vector<int> left;    // tets that still are
  double farthest = 0;      // that a vertex was moved [m]
};

// Folded: the volume is below `least` times what the deformation mostly makes of volumes. Around such tets each tet
// tells its vertices where they would be if it were stretched no less than kLeastStretch along any axis, and they go to
// the mean of that, until none is folded; further around where that does not do. Vertices elsewhere stay.
// mesh: before the deformation; counts: per tet; x: its vertices deformed.
inline constexpr double kLeastStretch = 0.3;
Unfolding unfold(const TetMesh& mesh, const std::vector<char>& counts, double least, Points& x);

}  // namespace supple
