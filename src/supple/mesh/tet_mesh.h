// Tetrahedral meshes: data, and questions that need no physics.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "supple/mesh/tri_mesh.h"

namespace supple {

struct TetMesh {
  Points vertices;        // rest positions [m]
  std::vector<Tet> tets;  // vertex indices; positive volume: (b-a)x(c-a).(d-a) > 0
  // Attributes. A map has one value a vertex or a tet; a region index per tet names an entry of region_names.
  std::map<std::string, std::vector<double>> vertex_maps, tet_maps;
  std::vector<int> tet_region;            // empty or one a tet
  std::vector<std::string> region_names;  // empty or one per region index

  int n_vertices() const { return static_cast<int>(vertices.size()); }
  int n_tets() const { return static_cast<int>(tets.size()); }
};

double tet_volume(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);  // signed
std::vector<double> tet_volumes(const TetMesh& mesh);
// Of groups of tets the one with most of the volume around each vertex; -1: no tet, or none has a group.
std::vector<int> groups_of_vertices(const TetMesh& mesh, const std::vector<int>& group);

// Each edge once as (smaller, larger) vertex, in lexicographic order.
std::vector<std::array<int, 2>> unique_edges(const std::vector<Tet>& tets);

// Triangles that belong to one tet only, oriented outwards, in tet-vertex indices and in the order of the tets.
std::vector<Tri> boundary_triangles(const std::vector<Tet>& tets);
// The boundary as a mesh of its own; source[i] is the tet vertex behind surface vertex i.
TriMesh boundary_surface(const TetMesh& mesh, std::vector<int>* source = nullptr);

// Component number of each vertex by shared tets; unused vertices get -1. Returns the number of components.
int connected_components(const TetMesh& mesh, std::vector<int>& component);

// Each tet cut into eight (edge midpoints; the inner octahedron along its shortest diagonal). The old vertices keep
// their indices; parents[i] gives the two ends of the edge that new vertex n_old + i halves. Attributes are inherited.
TetMesh refine(const TetMesh& mesh, std::vector<std::array<int, 2>>* parents = nullptr);

// A box of nx x ny x nz cells of six tets each around the same diagonal; vertex (i,j,k) has index
// (i (ny+1) + j)(nz+1) + k. The mesh of the closed-form tests, the bar example and the benchmarks.
TetMesh make_box(int nx, int ny, int nz, const Vec3& size, const Vec3& origin = Vec3::Zero());

}  // namespace supple
