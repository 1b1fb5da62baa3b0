// A sunflower about 1.1 m tall on the origin, y up, its face towards +z: tets for the motion and a finer surface to
// draw, to be carried by them (mesh/embedding.h). The example of the report and the tests.
#pragma once
#include "supple/tetmesh/signed_distance_mesh.h"

namespace supple::demos {

// Give one of the two; 0 and 0: about 5500 tets.
struct SunflowerOptions {
  double edge = 0;  // [m] of the tet lattice, at most kSunflowerMaxEdge
  int count = 0;    // target number of tets, met within 10 %
};
// About 1500 tets; beyond, nothing of the petals' shape is left.
constexpr double kSunflowerMaxEdge = 0.085;

struct Sunflower {
  TetMesh tets;           // with the regions stem, head, petals and leaves
  TriMesh surface;        // closed pieces, oriented outwards, with normals and colours
  std::vector<int> root;  // tet vertices of the flat bottom of the stem (y = 0), to be held
  LatticeReport report;
};

// Throws InputError: edge and count both given or out of range.
Sunflower make_sunflower(const SunflowerOptions& options = {});

// The body behind the tets (negative inside) and the box around it. Thin parts are as thick as a lattice of this edge
// needs, so that the body holds all that is drawn.
SignedDistance sunflower_distance(double edge);
Box sunflower_bounds(double edge);
// The drawn surface alone.
TriMesh make_sunflower_surface();

}  // namespace supple::demos
