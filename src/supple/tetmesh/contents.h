// What is in each tet of a lattice: the separate bits of solid, which triangles and points belong to which. Inside the
// tetmesh room only.
#pragma once
#include "supple/mesh/winding_number.h"
#include "supple/tetmesh/cover.h"
#include "supple/tetmesh/sample_grid.h"

namespace supple {

struct TetContents {
  bool crossed = false;                              // by the surface; else all of it is solid, or nothing
  int n_bits = 0;                                    // separate bits of solid; a sheet is one too
  std::vector<double> fill;                          // per bit: share of the tet's volume
  std::vector<int> triangle;                         // ascending
  std::vector<int> bit;                              // of each triangle
  std::vector<unsigned char> faces;                  // of each triangle: bits of the faces it passes through
  std::array<int, SampleGrid::kPoints> point_bit{};  // of the points of the sample grid, -1: not solid; where crossed
};

struct ContentsOptions {
  bool keep_apart = true;
  double sheet_thickness = 0;  // [m]
};
// One for each tet of the lattice; tets that hold nothing have no bits.
//
// Two places in a tet are in the same bit when a path within the tet and the solid joins them. Paths that are looked
// at: the lines between sample points, the surface itself, lines straight inwards from the surface. Where a line
// leaves the solid and enters it again there is a gap, however narrow.
std::vector<TetContents> find_contents(const Soup& soup, const WindingNumber& winding, const GradedLattice& lattice,
                                       const Cover& cover, const ContentsOptions& options);

}  // namespace supple
