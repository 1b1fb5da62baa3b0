// Better tets by moving vertices and halving edges. Inside the shapes room only.
#pragma once
#include <vector>

#include "supple/tetmesh/signed_distance_mesh.h"

namespace supple::demos {

// How far from regular: 1 of a regular tet, without bound towards a flat one; infinite of one that is turned over.
double tet_badness(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

class TetRelaxation {
 public:
  // f: what vertices of the boundary are to lie on; empty: they stay where they are.
  TetRelaxation(TetMesh& mesh, SignedDistance f);

  // Vertex by vertex to where its tets are best; those of the boundary along f = 0 to the middle of their triangles, as
  // long as tets stay good. No tet turns over.
  void relax(int sweeps, bool inside_only = false);
  // Boundary vertices towards f = 0, as far as tets allow. Returns the largest distance left [m].
  double draw_in();
  // Halves one of the longest edges that do not lie in the boundary, `n` times, relaxing now and then.
  void halve(int n);

 private:
  double badness_halved(const std::array<int, 2>& edge) const;  // of the worst tet then
  void halve_edge(const std::array<int, 2>& edge);
  // Over the tets of v, with v at x: the sum of squares, and the worst.
  struct Badness {
    double sum = 0, worst = 0;
  };
  Badness badness_around(int v, const Vec3& x) const;
  Vec3 slope_around(int v) const;
  // How far triangles around v are from f = 0, with v at x [m]; what it may be where it stays so.
  double departure(int v, const Vec3& x) const;
  bool keeps_shape(int v, const Vec3& to) const;
  Vec3 onto(Vec3 x) const;
  void improve(int v);  // its tets
  void spread(int v);   // of the boundary

  TetMesh& mesh_;
  SignedDistance f_;
  std::vector<char> boundary_;            // of each vertex
  std::vector<std::vector<int>> around_;  // tets of each vertex
  std::vector<Tri> skin_;
  std::vector<std::vector<int>> fan_;  // triangles of each vertex of the boundary
};

}  // namespace supple::demos
