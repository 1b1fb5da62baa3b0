// Free vertices as unknowns, u = Z y + u_d. What terms leave out of the symmetric matrix is taken in by a Krylov method
// preconditioned with its factor, where it is strong enough to matter.
#pragma once
#include <memory>
#include <string>

#include "supple/linalg/affine_map.h"
#include "supple/linalg/kept_factor.h"
#include "supple/linalg/pattern_union.h"
#include "supple/solve/unknowns.h"

namespace supple {

// Keeps pattern, symbolic factorization and, for constant matrices, the factorization itself. With couplings that come
// and go factors are kept for the iterations of one solve.
class AffineUnknowns final : public Unknowns {
 public:
  // As VertexNewton.
  AffineUnknowns(const AffineMap& map, const std::string& solver_name, VecX places);

  bool straight() const override { return true; }
  int n_vertices() const override { return map_.n(); }
  void couple(const std::shared_ptr<const BlockPattern>& terms, bool constant, bool roving) override;
  void couple_roving(const std::shared_ptr<const BlockPattern>& pattern) override;
  Place impose(const Place& from, const Place& goal) const override;
  VecX reduce(Iterate&, const VecX& r) const override { return map_.restrict_(r); }
  void name_worst(Eigen::Index unknown, NewtonReport& report) const override;
  void begin(double dv_du, double da_du, bool keep) override;
  bool has_factor() const override { return constant_ && factor_dv_ == dv_du_ && factor_da_ == da_du_; }
  void take(const Iterate& z, const BlockMatrix& terms, const BlockMatrix* roving) override;
  bool direction(const Iterate& z, const VecX& b, const Wanted& wanted, double& share, VecX& d,
                 NewtonReport& report) override;
  VecX multiply(const VecX& d) const override { return A_.multiply(d); }
  Way way(const Iterate& z, const VecX& d, const VecX* jump, const Place* goal) const override;
  Iterate along(const Iterate& from, const Way& way, double s) const override;
  VecX velocity(const Iterate&, const Way& way) const override { return way.step; }
  SolverStats stats() const override;
  std::string linear_solver() const override { return kept_ ? kept_->name() + ", kept" : solver_->name(); }

  KeptFactor* kept() { return roving_ ? nullptr : kept_.get(); }  // beyond a solve
  const VecX& factor_point() const { return factor_u_; }          // where the kept factor was made
  void make_factor(const VecX& u);                                // of what was taken last, at u

 private:
  // With the factor that is kept, or one made for this matrix. False: the matrix is not positive definite, or so it
  // seems.
  bool by_kept(const Iterate& z, const VecX& b, const Wanted& wanted, VecX& d, NewtonReport& report);
  // With a factor of this very matrix.
  bool by_factor(const VecX& b, const Wanted& wanted, bool last, VecX& d, NewtonReport& report);
  // 0 where that solves nothing, unless it is the last attempt.
  void by_made_factor(const VecX& b, const Wanted& wanted, bool last, VecX& d, NewtonReport& report);
  void add_left_out(const Wanted& wanted, const VecX& y, VecX& product) const;
  void set_places(KeptFactor& factor, const VecX& u) const;

  const AffineMap& map_;
  std::string solver_name_;
  VecX places_;  // at rest
  bool constant_ = false, roving_ = false;
  std::unique_ptr<Reduction> base_, extra_;
  std::unique_ptr<PatternUnion> union_;
  std::unique_ptr<LinearSolver> solver_;      // factorizes every matrix: where kept_ is null or has failed
  bool analysed_ = false;                     // by solver_
  std::unique_ptr<KeptFactor> kept_, wider_;  // wider_: while couplings go beyond those of the terms
  bool kept_fails_ = false;                   // the matrices around here have to be projected
  BlockMatrix A_, projected_, base_part_, extra_part_;
  VecX factor_u_;
  double dv_du_ = 0, da_du_ = 0;
  double factor_dv_ = -1, factor_da_ = -1;  // what the factor of a constant matrix was made for
  SolverStats spent_;                       // of factors that are no more
};

}  // namespace supple
