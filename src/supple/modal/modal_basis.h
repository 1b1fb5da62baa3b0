// The few shapes that stand for a solid: its lowest modes, and corrections that make its steady answer to rigid
// accelerations exact however few modes there are.
//
// A mode left out still gives way to a steady push. What the kept modes lack of the static answers to the six rigid
// accelerations, and to the six products of turning rates that make up the centrifugal force, spans a space of at most
// twelve shapes, orthogonal to the modes in mass and stiffness. Diagonalised in it, mass and stiffness make of it a few
// more oscillators like all others (residual vectors of component mode synthesis).
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "supple/linalg/solver.h"
#include "supple/modal/solid.h"

namespace supple {

struct ModalBasis {
  VecX squares;     // omega^2 of every shape [1/s^2]
  MatX shapes;      // 3 a node x shapes, orthonormal in mass
  int n_modes = 0;  // of the solid; those after them are corrections
};

class ModalAnalysis {
 public:
  // origin: what angular accelerations turn about.
  ModalAnalysis(const Solid& solid, const Vec3& origin, const std::string& linear_solver = "auto");
  ~ModalAnalysis();
  // The k lowest modes. Error when they cannot be found.
  ModalBasis modes(int k);
  // Those of `basis` that are named, in that order, and their corrections; what is less than `least` of the largest
  // static answer of its kind (root mean square over the mass) is left out. most_spins: of those that only spinning
  // asks for.
  ModalBasis corrected(const ModalBasis& basis, const std::vector<int>& kept, double least = 0, int most_spins = 6);
  // K^-1 M (acceleration), all nodes: about x, y, z through the origin, along x, y, z, then the centrifugal ones of
  // turning rates xx yy zz xy xz yz.
  const MatX& statics();

 private:
  LinearSolver& factor();
  const Solid& solid_;
  Vec3 origin_;
  std::string solver_name_;
  BlockMatrix stiffness_, mass_;  // of what is free
  std::unique_ptr<LinearSolver> factor_;
  MatX statics_;
};

// M x, column by column, of all nodes.
MatX multiply(const BlockMatrix& matrix, const MatX& x);

// The field of a unit acceleration on all nodes, in the order of `statics`.
VecX rigid_field(const Points& nodes, const Vec3& origin, int which);

}  // namespace supple
