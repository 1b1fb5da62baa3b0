// Which lattice tets a surface and its inside need. Inside the tetmesh room only.
#pragma once
#include "supple/mesh/winding_number.h"
#include "supple/tetmesh/graded_lattice.h"
#include "supple/tetmesh/soup.h"

namespace supple {

struct Cover {
  std::vector<int64_t> keys;  // of the tets, ascending
  std::vector<int> first;     // per tet: its triangles are triangle[first .. next first), ascending; none: inside
  std::vector<int> triangle;
};

// A grid around all points with room to spare, so that tets have all their neighbours.
CubeGrid grid_around(const Points& points, double edge);
// winding: of the solid triangles of the soup.
Cover cover(const Soup& soup, const WindingNumber& winding, const CubeGrid& grid);

// Number of tets of the lattice that hold something, without asking what is inside: of the halves of crossed tets that
// no triangle touches every other one.
double expected_tets(const Soup& soup, const Cover& cover, const GradedLattice& lattice);

inline bool is_solid(double winding) { return winding > 0.5 || winding < -0.5; }
inline double slack_of(double edge) { return 1e-9 * edge; }

}  // namespace supple
