// From tets with separate bits of solid to a tet mesh: each bit gets a tet of its own, and tets hang together where
// their bits do. Inside the tetmesh room only.
#pragma once
#include "supple/mesh/tet_mesh.h"
#include "supple/tetmesh/contents.h"

namespace supple {

struct Glued {
  TetMesh mesh;                           // with tet_maps["fill"]
  std::vector<std::vector<int>> tets_of;  // per tet of the lattice and bit, entry first_bit[tet] + bit: its tets
  std::vector<int> first_bit;
  std::vector<int> lattice_tet;  // of each tet of the mesh
};

// Bits whose tets would have the same four vertices share one tet. Where two bits on the same side of a face both hang
// on the tet beyond it, a face of three tets would result; all but one of these tets are then cut into three around
// a vertex of their own in the middle of that face.
Glued glue(const GradedLattice& lattice, const std::vector<TetContents>& contents, bool keep_apart);

}  // namespace supple
