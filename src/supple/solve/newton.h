// Newton on residuals, for static solves and for every stage of every integrator. It knows terms and nothing else.
//
// The direction comes from the exact matrix when that is positive definite and from its projection otherwise. What
// terms leave out of the symmetric matrix is taken in by a Krylov method preconditioned with its factor, where it is
// strong enough to matter. The line search is on the potential when every term has one (or is gentle), else on the norm
// of the residual, non-monotone over a few steps.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "supple/energy/term.h"
#include "supple/linalg/affine_map.h"
#include "supple/linalg/kept_factor.h"
#include "supple/linalg/solver.h"
#include "supple/solve/term_sum.h"

namespace supple {

struct NewtonOptions {
  double tolerance = 1e-6;  // max|r_free| <= tolerance (sum over terms in scale of max|r_term|) + floor
  double floor = 0;         // rounding floor [N]
  int max_iterations = 80;
  // Use the factor of an earlier solve as a preconditioner while it serves: for solutions that follow one another
  // closely, where factorizing is most of the work. Without, it serves the iterations of one solve only.
  bool keep_factor = false;
  // The start has the constraints imposed; where that moves a vertex by more than this [m], the rest is carried along.
  double follow_beyond = 0;
  // What bars the way of prescribed things is let go of (FilteredNewton), instead of failing.
  bool may_let_go = true;
};

struct NewtonReport {
  bool converged = false;
  int iterations = 0;
  int factorizations = 0;
  int projected = 0;      // iterations whose matrix had to be projected
  int cut_steps = 0;      // iterations whose full step was not taken
  int krylov = 0;         // iterations of linear solves
  double residual = 0;    // max|r_free| [N]
  double scale = 0;       // what the tolerance multiplies [N]
  int worst_vertex = -1;  // free vertex (an index of the map's unknowns) of the largest residual
  std::string worst;      // what it is of, where that is no vertex
  std::string trouble;    // when not converged: why
};

// One system of terms under one set of constraints. Keeps pattern, symbolic factorization and, for constant matrices,
// the factorization itself.
class Newton {
 public:
  // The terms must outlive this. solver_name: see make_solver, or "multilevel". places: of all vertices at rest, flat;
  // large models are solved faster with them.
  Newton(std::vector<const Term*> terms, const AffineMap& map, const std::string& solver_name, VecX places = VecX());

  // Finds u = Z y + u_d with vanishing free residual; v = dv_du u + v_offset, a = da_du u + a_offset. It starts from u,
  // which need not meet the constraints. On return u is the best iterate also when not converged; always finite.
  NewtonReport solve(VecX& u, const VecX& u_d, double dv_du, const VecX& v_offset, double da_du, const VecX& a_offset,
                     const NewtonOptions& options);
  // Static: no velocity, no acceleration.
  NewtonReport solve_static(VecX& u, const VecX& u_d, const NewtonOptions& options);

  // Whether `other` is the better starting point: by the potential or, lacking one, by the norm of the free residual.
  bool better_start(const VecX& other, const VecX& u, double dv_du, const VecX& v_offset, double da_du,
                    const VecX& a_offset);

  // The matrix of all terms at u, reduced to the free unknowns.
  const BlockMatrix& reduced_matrix(const VecX& u, double dv_du, const VecX& v_offset, double da_du,
                                    const VecX& a_offset, bool project);
  // u with what the constraints prescribe.
  VecX impose(const VecX& u, const VecX& u_d) const { return map_.expand(map_.gather(u), u_d); }

  // For keep_factor: where the factor in hand was made (empty: there is none), and to make it again there. Static
  // matrices only.
  const VecX& factor_point() const;
  void remake_factor(const VecX& u);
  // The same for any matrix, by the matrix itself.
  KeptFactor::Mark factor_mark() const { return kept_ ? kept_->mark() : KeptFactor::Mark{}; }
  void restore_factor(const KeptFactor::Mark& mark);

  SolverStats solver_stats() const;   // of all linear solves
  std::string linear_solver() const;  // what it came to
  const AffineMap& map() const { return map_; }
  int n_unknowns() const { return 3 * map_.n_free(); }
  double assemble_seconds() const { return assemble_s_; }
  bool has_energy() const { return terms_.has_energy(); }

 private:
  void evaluate(const Kinematics& x, VecX* residual, double* scale, BlockMatrix* matrix, bool project);
  // With the factor that is kept, or one made for this matrix. False: the matrix is not positive definite, or so it
  // seems.
  bool kept_direction(const Kinematics& x, const VecX& b, double tolerance, VecX& d, NewtonReport& report);
  VecX multiply(const Kinematics& x, const VecX& y) const;  // the whole Jacobian, reduced
  bool direction(const Kinematics& x, const VecX& r_free, double tolerance, VecX& d, NewtonReport& report);
  // Where to start: u with the constraints imposed and the rest carried along, to first order, from u as it is. To
  // impose them alone would crush the tets next to the driven vertices, and Newton could spend its time undoing that.
  VecX follow(const VecX& u, const VecX& u_d, double dv_du, const VecX& v_offset, double da_du, const VecX& a_offset,
              const NewtonOptions& options, NewtonReport& report);
  // share: of the projection in the matrix, from 0 (exact) to 1; raised as need be.
  bool factorize(const Kinematics& x, double& share, NewtonReport& report);

  TermSum terms_;
  const AffineMap& map_;
  std::unique_ptr<Reduction> reduction_;
  std::unique_ptr<LinearSolver> solver_;  // factorizes every matrix: where kept_ is null or has failed
  bool analysed_ = false;                 // by solver_
  std::unique_ptr<KeptFactor> kept_;
  BlockMatrix full_, reduced_, projected_;
  const bool constant_;  // no matrix depends on u
  VecX places_;          // at rest
  VecX factor_u_;        // where the kept factor was made
  VecX nowhere_;
  double factor_dv_ = -1, factor_da_ = -1;  // what the factor of a constant matrix was made for
  double assemble_s_ = 0;
};

}  // namespace supple
