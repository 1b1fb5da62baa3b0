// A straight bar along x, its end at x = 0 to be held: cantilevers, pendulums and, a few cells long, a plain
// oscillator of one heavy end.
#pragma once
#include "supple/mesh/tet_mesh.h"

namespace supple::demos {

struct BarOptions {
  Vec3 size = {1, 0.1, 0.1};              // [m] x from 0, y and z around 0
  std::array<int, 3> cells = {20, 2, 2};  // six tets each
};
struct Bar {
  TetMesh tets;
  std::vector<int> root, tip;  // vertices of the faces x = 0 and x = size.x
};
// Throws InputError for sizes that are not positive or more than 10 million cells.
Bar make_bar(const BarOptions& options = {});

}  // namespace supple::demos
