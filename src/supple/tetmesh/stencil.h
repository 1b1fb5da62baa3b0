// How a lattice tet is cut where the surface passes through it. Inside the tetmesh room only.
#pragma once
#include <compare>

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

// Appends the inside part of a positively oriented lattice tet, itself in positive tets. A tet without an inside vertex
// gives nothing.
void cut_tet(const BccLattice& lattice, const std::array<int64_t, 4>& tet, const std::array<Side, 4>& side,
             std::vector<StencilTet>& result);

// A vertex closer to a cut than this fraction of the edge must be moved there, and cuts that near an end be gone,
// before tets are cut. This pair gives about the largest smallest angle that any pair does.
constexpr double kAlphaLong = 0.285, kAlphaShort = 0.397;

}  // namespace supple
