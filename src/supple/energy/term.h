// The one seam between physics and solvers. A term adds its share to the residual r(u), to the symmetric matrix
// dr/du it offers, and, when it has one, to a potential whose gradient is its residual. Newton sees only terms.
#pragma once
#include <string>

#include "supple/linalg/block_matrix.h"

namespace supple {

// The point of evaluation. Within one stage of an integrator velocity and acceleration are affine in u:
// v = dv_du u + const, a = da_du u + const. In a static solve both factors are zero.
struct Kinematics {
  const VecX& u;  // displacements of all vertices [m]
  const VecX& v;
  const VecX& a;
  double dv_du = 0;  // [1/s]
  double da_du = 0;  // [1/s^2]
  // How far along its way to this stage everything prescribed has come: u has it there already, terms with prescribed
  // things of their own (obstacles) follow.
  double progress = 1;
};

// What is asked for (non-null) and what comes back. Everything is added to.
struct Evaluation {
  double* energy = nullptr;       // [J]
  VecX* residual = nullptr;       // [N] = +dE/du: a force that pushes with f contributes -f
  BlockMatrix* matrix = nullptr;  // dr/du, lower triangle [N/m]
  bool project = false;           // the matrix part must be positive semidefinite
};

class Term {
 public:
  virtual ~Term() = default;
  virtual std::string name() const = 0;
  virtual void couple(PatternBuilder& pattern) const = 0;
  virtual void add(const Kinematics& x, const Evaluation& out) const = 0;
  // Whether energy() is a potential of the residual for the present stage.
  virtual bool has_energy() const = 0;
  // Without a potential, but gentle: along a search direction its residual may be taken as it was at the iterate, which
  // has one. For forces that change little with u beside inertia.
  virtual bool is_gentle() const { return false; }
  // A share of dr/du that the matrix leaves out (it need not be symmetric): product += share * d. `weight` says how
  // strongly it acts beside the matrix, as the factor by which leaving it out slows Newton; 0: there is none.
  virtual double left_out_weight(const Kinematics& /*x*/) const { return 0; }
  virtual void multiply_left_out(const Kinematics& /*x*/, const VecX& /*d*/, VecX& /*product*/) const {}
  // Whether its size belongs to the scale that the convergence tolerance multiplies (inertia, elasticity, loads).
  virtual bool in_scale() const { return true; }
  // Whether its matrix depends on dv_du and da_du only, so that a factorization can serve a whole shot.
  virtual bool matrix_is_constant() const { return false; }
};

// A term that couples now these vertices, now those, and that forbids steps: contact.
class RovingTerm : public Term {
 public:
  // Looks around at u. From now on couple() names all that is coupled there, and add() may be asked for u.
  virtual void look(const VecX& u, double progress) = 0;
  // A number that is another one whenever couple() has something else to name.
  virtual long couplings() const = 0;
  // The largest s in [0, 1] found for which u + s du, with the progress s further along towards x.progress + advance,
  // is allowed. From now on add() may be asked for any place on the way there.
  virtual double safe_step(const Kinematics& x, const VecX& du, double advance) = 0;
  // Adds to r what its residual changes by, to first order, when the progress goes on by `advance` and u stays.
  virtual void add_advance(const Kinematics& x, double advance, VecX& r) const = 0;
  // What is prescribed cannot go on along du: lets go of what is in its way. False: nothing was.
  virtual bool let_go(const Kinematics& x, const VecX& du, double advance) = 0;
};

}  // namespace supple
