// Minimisation over free rig parameters and interior vertices together [rig-space physics, Eqs. 3-5]: terms (energy/
// term.h) at u = Z n + u_d(p), their matrix carried to (n, p), the sparse interior eliminated by a Schur complement,
// and a line search that meets the Wolfe conditions.
//
// With contact every iterate is a place that is allowed, reached from the one before by a chord that passes through
// nothing. The rig may bend the way between them otherwise: what a chord misses for that is not seen.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "supple/energy/term.h"
#include "supple/rigspace/rig_body.h"
#include "supple/solve/newton.h"

namespace supple {

// newton: with the curvature of the rig, left out where it makes the block of the parameters indefinite.
// quasi_newton: BFGS on the block of the parameters, so that no second derivative of the rig is asked for.
enum class RigSolver { newton, quasi_newton };

struct RigNewtonOptions {
  RigSolver solver = RigSolver::newton;
  // max|r| <= tolerance x (sum over terms in scale of max|r_term|) + floor, r the residual of the interior and, of each
  // parameter, its generalised force over the length of its column of the Jacobian: what Newton asks for (newton.h)
  // when every coordinate is a parameter.
  double tolerance = 1e-6;
  double floor = 0;  // [N]
  int max_iterations = 100;
  bool may_let_go = false;  // contact may let go of what is in the way of what is keyed
};

// Where what is keyed comes from, for contact: it goes the way from there to where it is to be together with the free
// parameters, as far as it can at a time.
struct RigApproach {
  VecX p;        // all parameters
  double t = 0;  // [s]
};

// worst: a parameter, or "interior".
struct RigNewtonReport : NewtonReport {
  int evaluations = 0;   // of the terms
  int gauss_newton = 0;  // iterations without the rig's curvature
};

class RigNewton {
 public:
  // terms: over the vertices of the body's model; all must outlive this. roving: contact; null: none.
  // InputError: free parameters that the rig has not, or that are named twice.
  RigNewton(const RigBody& body, std::vector<const Term*> terms, std::vector<int> free, RovingTerm* roving = nullptr);
  ~RigNewton();

  // u: displacements; its interior is where the search starts. p: all parameters; those that are not free are given.
  // On return the best found, u in keeping with p, finite. With contact u is a place that is allowed, for the
  // parameters `from` [p at t itself when null].
  RigNewtonReport solve(VecX& u, VecX& p, double t, double dv_du, const VecX& v_offset, double da_du,
                        const VecX& a_offset, const RigNewtonOptions& options, const RigApproach* from = nullptr);
  RigNewtonReport solve_static(VecX& u, VecX& p, double t, const RigNewtonOptions& options);

  // Whether the search had better start from (other, other_p) than from (u, p): by the potential, or the residual where
  // there is none.
  bool better_start(const VecX& other, const VecX& other_p, const VecX& u, const VecX& p, double t, double dv_du,
                    const VecX& v_offset, double da_du, const VecX& a_offset);

  // Gradient and Hessian over (interior, free parameters) of what is minimised, dense: for small bodies.
  struct Derivatives {
    VecX gradient;
    MatX hessian;
  };
  Derivatives derivatives(const VecX& u, const VecX& p, double t, double dv_du, const VecX& v_offset, double da_du,
                          const VecX& a_offset);

  const std::vector<int>& free() const { return free_; }

  // The factor that solves to come may use, as numbers, and back.
  VecX kept() const;
  void restore(const VecX& numbers);

 private:
  struct Work;
  std::vector<int> free_;
  std::unique_ptr<Work> work_;
};

}  // namespace supple
