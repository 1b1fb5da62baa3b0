// Solves with matrices that change little from one to the next: conjugate gradients with the preconditioner made for an
// earlier one, made anew when that has become the cheaper way. When is decided by counts, never by the clock.
#pragma once
#include <memory>

#include "supple/linalg/krylov.h"
#include "supple/linalg/preconditioner.h"
#include "supple/linalg/solver.h"
#include "supple/linalg/symmetric_product.h"

namespace supple {

class KeptFactor {
 public:
  KeptFactor(std::shared_ptr<const BlockPattern> pattern, std::unique_ptr<Preconditioner> preconditioner);

  // The work between two calls has a budget of iterations, which grows with what a new preconditioner costs: beyond it
  // one is made. key: what the matrices have in common; one made under another key is not used.
  void begin(double key_v, double key_a);
  void forget() { made_ = false; }
  bool made() const { return made_; }
  bool make(const BlockMatrix& A);
  // z = P r, the preconditioner alone.
  void precondition(const VecX& r, VecX& z) { preconditioner_->apply(r, z); }
  double make_cost() const { return preconditioner_->make_cost(); }  // in iterations

  // A x = b to a relative residual. Not ok: a direction without positive curvature, or no convergence even with a
  // preconditioner made for A.
  KrylovReport solve(const BlockMatrix& A, const VecX& b, VecX& x, double tolerance);
  // The same where the operator is A and a little more, which need not be symmetric.
  KrylovReport solve(const BlockMatrix& A, const LinearMap& whole, const VecX& b, VecX& x, double tolerance);

  // Where the block rows are at the matrices to come.
  bool uses_places() const { return preconditioner_->uses_places(); }
  void set_places(VecX places) { places_ = std::move(places); }

  const SymmetricProduct& product() const { return product_; }
  std::string name() const { return preconditioner_->name(); }
  const SolverStats& stats() const { return stats_; }
  size_t memory_bytes() const;

  // What it was made for (9 numbers a block; null: nothing), to be made again: results hang on it.
  struct Mark {
    std::shared_ptr<const VecX> values, places;
    double key_v = 0, key_a = 0;
  };
  Mark mark() const;
  void restore(const Mark& mark);

 private:
  template <typename Attempt>
  KrylovReport attempts(const BlockMatrix& A, const Attempt& attempt);
  // On from x, the residual r_ of which belongs to it.
  KrylovReport conjugate_gradients(const BlockMatrix& A, double whole, VecX& x, double tolerance, int limit);

  std::shared_ptr<const BlockPattern> pattern_;
  std::unique_ptr<Preconditioner> preconditioner_;
  SymmetricProduct product_;
  bool made_ = false;
  VecX places_;
  std::shared_ptr<const VecX> values_, made_at_;  // what it was made for, and where
  double key_v_ = 0, key_a_ = 0;
  int spent_ = 0;  // iterations since begin
  VecX r_, z_, p_, q_;
  SolverStats stats_;
};

}  // namespace supple
