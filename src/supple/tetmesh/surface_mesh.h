// A cage of tets around any triangle soup: open, self-intersecting, of many parts, inside out.
#pragma once
#include <string>
#include <vector>

#include "supple/mesh/tri_mesh.h"
#include "supple/mesh/vertex_blend.h"

namespace supple {

struct CageOptions {
  double edge = 0;             // [m] of the largest tets, or:
  int count = 0;               // target number of tets, met within 15 %; neither given: the preset "final"
  std::string preset;          // "preview" (about 3000 tets), "final" (about 10000), "fine" (about 30000)
  bool graded = true;          // smaller tets in thin parts: at most two halvings, to reach
  double edges_across = 1;     // about so many of them across a part. More layers in thin parts cost the thick ones
                               // theirs when the count is given.
  bool keep_apart = true;      // parts that are close but not joined (fingers, lips) get tets of their own
  double sheet_thickness = 0;  // [m] of open sheets without an inside; 0: half an edge
  Points finer_at;             // places where tets are to be smaller still...
  double finer_edge = 0;       // ...about so large [m]
  std::vector<int> part;       // per triangle: triangles of different parts are never joined; empty: all one part
};

// Dihedral angles of every tet lie within these [deg]: 60 to 90 for whole lattice tets, 45 to 120 for their halves, and
// the limits for tets that had to be cut to keep out of each other's way.
constexpr double kCageMinDihedral = 14.3, kCageMaxDihedral = 158.3;

struct CageReport {
  double edge = 0;  // [m] in force, the largest
  int n_vertices = 0, n_tets = 0;
  int n_components = 0;    // connected pieces of the cage
  int n_duplicated = 0;    // tets that share their place with another one
  int n_thin = 0;          // tets that are less than half filled
  int n_outside = 0;       // surface vertices outside every tet
  double max_outside = 0;  // [m]
  double min_dihedral_deg = 0, max_dihedral_deg = 0;
  double volume = 0, solid_volume = 0;  // of the tets; of what they hold [m^3]
  int n_open_edges = 0, n_nonmanifold_edges = 0, n_degenerate = 0, n_flipped = 0;  // of the surface
  bool sheet = false;  // some of it has no inside and was given a thickness
  std::vector<std::string> warnings;
};

struct Cage {
  TetMesh mesh;          // tet_maps["fill"]: share of the tet that is solid, above 0
  VertexBlend surface;   // of every vertex of the surface
  std::vector<int> tet;  // the tet each vertex of the surface is in, or the nearest
};

// Every tet that holds some of the solid or touches the surface is there. The same bits for any number of threads.
// InputError: no triangles with area, values that are not finite, too many tets asked for.
Cage make_cage(const TriMesh& surface, const CageOptions& options = {}, CageReport* report = nullptr);

}  // namespace supple
