// A triangle surface made fit for asking what is inside: who touches whom, which way round, solid or sheet. Inside the
// tetmesh room only.
#pragma once
#include "supple/mesh/tri_mesh.h"

namespace supple {

struct Soup {
  Points vertices;                       // as given
  std::vector<int> place;                // per vertex: the first vertex at the same place
  std::vector<Tri> triangles;            // those with area, turned to face outwards where they bound something
  std::vector<std::array<int, 3>> next;  // per edge (corner c to c + 1): another triangle there, -1: none. Of more than
                                         // two they form a ring.
  Points normals;                        // unit
  std::vector<double> areas;
  std::vector<char> sheet;  // per triangle: belongs to a piece without an inside
  double area = 0;          // of all
  double volume = 0;        // inside the pieces that are no sheets, each for itself; open ones as if closed
  int n_open_edges = 0, n_nonmanifold_edges = 0, n_degenerate = 0, n_flipped = 0;
  bool has_solid = false, has_sheet = false;

  const Vec3& corner(int triangle, int c) const { return vertices[triangles[triangle][c]]; }
  std::array<Vec3, 3> corners(int t) const { return {corner(t, 0), corner(t, 1), corner(t, 2)}; }
  Vec3 middle(int t) const { return (corner(t, 0) + corner(t, 1) + corner(t, 2)) / 3; }
};

// `chosen` are indices into surface.triangles, which must be in range and finite. Closed pieces that are inside out are
// turned, so that cavities count as solid too.
Soup make_soup(const TriMesh& surface, const std::vector<int>& chosen);

}  // namespace supple
