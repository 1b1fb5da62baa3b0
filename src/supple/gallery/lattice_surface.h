// The first guess of a surface: the boundary of lattice tets. Inside the gallery only.
#pragma once
#include "supple/mesh/tri_mesh.h"
#include "supple/tetmesh/signed_distance_mesh.h"

namespace supple {

// Closed; every edge has two triangles, and those around a vertex are one fan.
TriMesh lattice_surface(const SignedDistance& f, const Box& bounds, double edge);

}  // namespace supple
