// Tets whose boundary is what is drawn: every vertex of the surface is a vertex of the tets, at the same place even in
// single precision. Coarse bodies for rigs that move the boundary of the tets themselves.
#pragma once
#include "supple/tetmesh/signed_distance_mesh.h"

namespace supple::demos {

struct ConformingBody {
  TriMesh surface;  // closed, facing outwards, with normals; vertex i is vertex i of the tets
  TetMesh tets;     // vertices of the surface first, then those inside; all in single precision
  int n_surface() const { return surface.n_vertices(); }
  int n_interior() const { return tets.n_vertices() - surface.n_vertices(); }
};

struct ConformingOptions {
  double edge = 0.1;          // [m] of the lattice that it is cut from
  Vec3 shift = Vec3::Zero();  // [m] of that lattice: where it lies decides how many vertices there are
  // Vertices inside that are wanted: edges are halved until there are so many. What the lattice has beyond stays.
  int interior = 0;
};

// The inside of f. fat: a body around it, thick enough for the lattice in parts that are too thin for it in f; tets are
// made of that and then drawn in onto f. Empty: f. InputError as of mesh_signed_distance.
ConformingBody conforming_tets(const SignedDistance& f, const SignedDistance& fat, const Box& bounds,
                               const ConformingOptions& options);

// The same of a mesh whose boundary stays as it is.
ConformingBody conforming_tets(TetMesh mesh, int interior);

}  // namespace supple::demos
