// Simple closed shapes that are dropped and thrown.
#pragma once
#include "supple/mesh/tet_mesh.h"
#include "supple/mesh/tri_mesh.h"

namespace supple::demos {

// Around the origin, of triangles of much the same size; fineness: each side of an icosahedron is cut into so many.
TriMesh make_ball(double radius, int fineness = 10);
// Lying in the plane y = 0; tube: radius of its tube, around: cells along it.
TriMesh make_ring(double radius, double tube, int around = 48);
// Along x, its ends bent up.
TriMesh make_bean(double length, int fineness = 10);

// Tets of the ball.
TetMesh make_ball_tets(double radius, double edge);

}  // namespace supple::demos
