// Is this tet mesh fit to simulate? A report, the refusal that names the element, and the repair.
#pragma once
#include <string>

#include "supple/mesh/tet_mesh.h"

namespace supple {

struct QualityReport {
  int n_vertices = 0, n_tets = 0;
  double volume = 0, min_volume = 0, max_volume = 0;  // [m^3]
  double min_dihedral_deg = 0, max_dihedral_deg = 0;
  std::array<int, 18> dihedral_histogram{};  // 10-degree bins over all six angles of every tet
  double min_edge = 0, max_edge = 0, mean_edge = 0;
  int n_slivers = 0;  // smallest dihedral < 5 or largest > 175 degrees
  int n_components = 0;
  std::vector<int> inverted, degenerate;  // tets: volume < 0; |volume| <= 1e-12 x (longest edge)^3
  std::vector<int> bad_index;             // tets that name a vertex that is not there
  std::vector<int> non_finite;            // vertices with a NaN or infinite coordinate
  std::vector<int> unused_vertices;
  std::vector<int> duplicate_tets;  // same four vertices as an earlier tet
  int n_nonmanifold_faces = 0;      // faces of more than two tets
  int n_boundary_triangles = 0;
};
// Tets with a bad index or a non-finite vertex are listed and take no part in the other figures; degenerate ones take
// no part in the angles. Counts and indices are zero-based.
QualityReport measure_quality(const TetMesh& mesh);

// Throws InputError naming the first faults by element when a mesh cannot be simulated: no tets, an index out of
// range, non-finite coordinates, inverted or degenerate tets, duplicate tets, faces of more than two tets.
// Unused vertices are no fault. `file` is for the message.
void require_simulable(const TetMesh& mesh, const std::string& file);

struct RepairReport {
  int flipped = 0, removed_tets = 0, removed_vertices = 0;
  std::vector<int> vertex_source;  // old index of each kept vertex
};
// Inverted tets are re-oriented; degenerate and duplicate ones and those with a non-finite vertex or a bad index are
// removed, and vertices left unused by that too. Finite vertices that were unused before stay unless drop_unused.
// Attributes follow. Faces of more than two tets are left: which tet is wrong there is not ours to say.
RepairReport repair(TetMesh& mesh, bool drop_unused = false);

}  // namespace supple
