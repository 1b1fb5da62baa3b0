// Newton over free rig parameters and interior vertices together: rig_unknowns.h.
#pragma once
#include <string>
#include <vector>

#include "supple/rigspace/rig_body.h"
#include "supple/solve/newton.h"

namespace supple {

// newton: with the curvature of the rig, left out where it makes the block of the parameters indefinite.
// quasi_newton: BFGS on the block of the parameters, so that no second derivative of the rig is asked for.
enum class RigSolver { newton, quasi_newton };

class RigNewton : public Newton {
 public:
  // terms: over the vertices of the body's model; all must outlive this. roving: contact; null: none. linear_solver: of
  // the interior, "supernodal", "multilevel", or "auto" for what is faster.
  // InputError: free parameters that the rig has not, or that are named twice.
  RigNewton(const RigBody& body, std::vector<const Term*> terms, std::vector<int> free, RovingTerm* roving = nullptr,
            RigSolver solver = RigSolver::newton, const std::string& linear_solver = "auto");

  using Newton::solve;
  // u: displacements; its interior is where the search starts. p: all parameters; those that are not free are given.
  // On return the best found, u in keeping with p, finite. Without contact, or where nothing is on its way.
  NewtonReport solve(VecX& u, VecX& p, double t, double dv_du, const VecX& v_offset, double da_du, const VecX& a_offset,
                     const NewtonOptions& options);
  NewtonReport solve_static(VecX& u, VecX& p, double t, const NewtonOptions& options);

  // Gradient and Hessian over (interior, free parameters) of what is minimised, dense: for small bodies.
  struct Derivatives {
    VecX gradient;
    MatX hessian;
  };
  Derivatives derivatives(const Place& place, const StageMotion& motion);

  // The factor that solves to come may use, as numbers, and back.
  VecX kept() const;
  void restore(const VecX& numbers);
};

}  // namespace supple
