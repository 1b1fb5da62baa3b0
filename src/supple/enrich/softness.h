// Softness: how far flesh goes its own way. One polarity everywhere: 1 is flesh that physics alone moves, 0 follows the
// input exactly. The weight that the paper on enriching mesh animations paints is 1 - softness.
#pragma once
#include <vector>

#include "supple/mesh/tet_mesh.h"

namespace supple {

// The pull toward the input, as a multiple of the user's drive stiffness: tan(pi/2 (1 - softness)) (the paper's Eq. 10;
// its text prints the argument upside down). Exactly 0 at softness 1, infinite at 0: there the vertex is a constraint.
// Softness beyond 0 and 1 counts as 0 and 1.
double drive_factor(double softness);

// Values known at some vertices, spread smoothly over the tets to all of them: the field of least gradient through what
// is known. values: one for each of `known`; a vertex known twice has the mean. No value lies outside those known in
// its connected component; a component in which nothing is known, and vertices without tets, get `elsewhere`.
std::vector<double> spread_values(const TetMesh& mesh, const std::vector<int>& known, const std::vector<double>& values,
                                  double elsewhere);

}  // namespace supple
