// The equations of equilibrium with the shape known and the rest shape not.
//
//   x  the given shape             X  the rest shape wanted       W(X; x)  elastic energy
//   g  gravity                     M(X)  mass                     K  d2W/dx2
//   F  dx/dX around each vertex
// r(X) = dW/dx(X; x) - M(X) g is to vanish on the free unknowns. Since x is known no equilibrium has to be searched for
// on the way. To move the material by dX at a place is to move that place by -F dX, but for the change of volume that
// goes with it: dr/dX is about -K F, exactly where X = x. Hence steps dX = F^-1 K^-1 r, with K from an X not too far
// off.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "supple/linalg/solver.h"
#include "supple/sim/model.h"

namespace supple {

class InverseEquilibrium {
 public:
  // given: the body in shape x; it must outlive this. still: per vertex, 1 where X = x whatever the load.
  InverseEquilibrium(const Model& given, std::vector<char> still, const std::string& linear_solver);
  // Whether there is a factorization, without which nothing below works.
  bool ok() const { return ok_; }
  // K from this X for the steps to come; at first it is from X = x. Where it is not positive definite the old one
  // stays.
  bool linearise(const VecX& X);
  // dX of all vertices; those driven and tied points stay. weight: per vertex, a factor of gravity.
  VecX step(const VecX& X, const VecX& weight);
  // Whether x is a stable equilibrium of the bodies made of the vertices in question: K(X; x) with springs is positive
  // definite.
  bool stable(const VecX& X, const std::vector<char>& in_question);

 private:
  VecX evaluate(const VecX& X, const VecX& weight, BlockMatrix* matrix);
  VecX pulled_back(const VecX& X, const VecX& d) const;
  void stiffen(BlockMatrix& reduced) const;

  const Model& given_;
  ModelSpec spec_;  // its mesh is moved about
  VecX x_;
  std::vector<double> density_;
  std::vector<int> vertex_of_;  // of each unknown, -1: not to be moved
  std::shared_ptr<const BlockPattern> pattern_;
  std::unique_ptr<Reduction> reduction_;
  std::unique_ptr<LinearSolver> solver_, spare_;
  double unit_ = 0;  // a stiffness of the body [N/m]
  bool ok_ = false;
};

}  // namespace supple
