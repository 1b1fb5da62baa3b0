// How a lattice tet is cut where the surface passes through it. Inside the tetmesh room only.
#pragma once
#include <functional>

#include "supple/tetmesh/bcc_lattice.h"

namespace supple {

enum class Side : int8_t { outside = -1, surface = 0, inside = 1 };

// A vertex of the result: the lattice vertex a, or where b >= 0 the cut of the lattice edge a-b, a < b.
struct StencilVertex {
  int64_t a = -1, b = -1;
  auto operator<=>(const StencilVertex&) const = default;
};
using StencilTet = std::array<StencilVertex, 4>;

// Of the two diagonals of the quad that is left of a lattice triangle with corners a and b inside and c outside: true
// for the one from a to the cut of b-c. Depends on the triangle only, so that its two tets agree.
bool diagonal_from_first(const BccLattice& lattice, int64_t a, int64_t b, int64_t c);

// Appends the inside part of a positively oriented lattice tet, itself in positive tets. Every edge from inside to
// outside must have a cut. A tet without an inside vertex gives nothing. `position` gives the place of a vertex.
void cut_tet(const BccLattice& lattice, const std::array<int64_t, 4>& tet, const std::array<Side, 4>& side,
             const std::function<Vec3(const StencilVertex&)>& position, std::vector<StencilTet>& result);

}  // namespace supple
