// One lattice of one edge length, from classification to tets. Inside the tetmesh room only.
#pragma once
#include <string>

#include "supple/tetmesh/signed_distance_mesh.h"

namespace supple {

// May come back empty. Fills what the report says of the lattice, not volume and angles.
TetMesh stuff(const SignedDistance& f, const Box& bounds, double edge, LatticeReport& report);

[[noreturn]] void refuse_lattice(const std::string& what, const std::string& advice);
std::string point_text(const Vec3& p);

}  // namespace supple
