// A surface completed as rigidly as possible from some of its vertices: no flesh inside, only the surface (Sorkine and
// Alexa, As-rigid-as-possible surface modeling, 2007). The yardstick for what the fitted volume does better.
#pragma once
#include <memory>
#include <vector>

#include "supple/mesh/tri_mesh.h"

namespace supple {

struct CompletedSurface {
  Points positions;
  std::vector<double> energy;  // before the first iteration and after each; never grows
};

// Least sum over vertices i and their neighbours j of w_ij |(x_i - x_j) - R_i (X_i - X_j)|^2, X at rest, R_i the
// rotation that fits best, w cotangent weights kept above 0. Rotations and positions in turn; the matrix is factored
// once.
class SurfaceArap {
 public:
  // constrained: vertices with places given (named twice: InputError). The surface may have several components.
  SurfaceArap(const TriMesh& rest, const std::vector<int>& constrained);
  ~SurfaceArap();
  SurfaceArap(SurfaceArap&&) noexcept;

  // places: of the constrained vertices, in their order. guess: of all vertices; those of components without a
  // constrained vertex, or without triangles, stay there.
  CompletedSurface complete(const Points& places, const Points& guess, int iterations) const;
  double energy(const Points& x) const;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace supple
