// Closed surfaces: what they hold, and which way they face.
#pragma once
#include "supple/mesh/embedding.h"
#include "supple/mesh/tri_mesh.h"

namespace supple {

// Vertices at one place count as one: seams of a drawing are no holes.
bool is_closed(const TriMesh& mesh);
// A closed surface that faces inwards is turned around.
void turn_outwards(TriMesh& mesh);
// Triangles without area are left out; returns how many.
size_t drop_flat_triangles(TriMesh& mesh);

// Mass, centre and second moment (integral of density x x^T about the centre) of what a closed surface holds.
struct SolidMoments {
  double mass = 0;
  Vec3 centre = Vec3::Zero();
  Mat3 second = Mat3::Zero();
};
SolidMoments solid_moments(const TriMesh& closed, double density);
// Four points of a quarter of the mass each, with the same moments: corners of a tet.
Points equal_points(const SolidMoments& moments);

// The boundary of tets, each of its vertices a corner of one.
TriMesh boundary_surface(const TetMesh& mesh, Embedding& embedding);

}  // namespace supple
