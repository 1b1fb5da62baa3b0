// The first guess of a surface: the boundary of lattice tets. Inside the shapes room only.
#pragma once
#include "supple/mesh/tri_mesh.h"
#include "supple/tetmesh/signed_distance_mesh.h"

namespace supple::demos {

// Closed; every edge has two triangles, and those around a vertex are one fan.
TriMesh lattice_surface(const SignedDistance& f, const Box& bounds, double edge);

// Where tets meet in an edge or a vertex alone, or leave a gap that does, their boundary is no surface: the fewer of
// them go. They are as thin as the lattice there, and the vertices left are moved onto the surface afterwards.
void open_pinches(TetMesh& mesh);

}  // namespace supple::demos
