// Newton over the free vertices of u = Z y + u_d.
#pragma once
#include <string>
#include <vector>

#include "supple/solve/affine_unknowns.h"
#include "supple/solve/newton.h"

namespace supple {

class VertexNewton : public Newton {
 public:
  // The terms must outlive this, and the map. solver_name: see make_solver, or "multilevel". places: of all vertices at
  // rest, flat; large models are solved faster with them. roving: contact, must outlive this; null: none.
  VertexNewton(std::vector<const Term*> terms, const AffineMap& map, const std::string& solver_name,
               VecX places = VecX(), RovingTerm* roving = nullptr);

  using Newton::better_start, Newton::solve;
  // u with vanishing free residual; v = dv_du u + v_offset, a = da_du u + a_offset. It starts from u, which need not
  // meet the constraints; with contact it must be allowed.
  NewtonReport solve(VecX& u, const VecX& u_d, double dv_du, const VecX& v_offset, double da_du, const VecX& a_offset,
                     const NewtonOptions& options);
  // Static: no velocity, no acceleration.
  NewtonReport solve_static(VecX& u, const VecX& u_d, const NewtonOptions& options);

  // For keep_factor: where the factor in hand was made (empty: there is none), and to make it again there. Static
  // matrices only.
  VecX factor_point() const;
  void remake_factor(const VecX& u);
  // The same for any matrix, by the matrix itself.
  KeptFactor::Mark factor_mark() const;
  void restore_factor(const KeptFactor::Mark& mark);

 private:
  VertexNewton(std::vector<const Term*> terms, std::unique_ptr<AffineUnknowns> unknowns, RovingTerm* roving);
  AffineUnknowns& vertices_;
};

}  // namespace supple
