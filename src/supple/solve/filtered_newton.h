// Newton where some steps are forbidden: contact. As Newton (newton.h) is, but that
// - it starts at a place that is allowed and never leaves what is: every step is cut to what the roving term says;
// - what is prescribed advances with the unknowns, by the same cut share of its way, until it has arrived. (Put where
// it
//   is to be at once, it might stand in the middle of something, and no step would be allowed any more.) While it is on
//   its way there is no potential to compare, so a share of a step is taken as it is, and where the way is barred the
//   roving term is asked to let go, if that is allowed;
// - couplings come and go, and factors with them: none is kept beyond a solve.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "supple/linalg/pattern_union.h"
#include "supple/solve/newton.h"

namespace supple {

class FilteredNewton {
 public:
  // The terms must outlive this. places: of all vertices at rest, flat.
  FilteredNewton(std::vector<const Term*> terms, RovingTerm& roving, const AffineMap& map,
                 const std::string& solver_name, VecX places);

  // As Newton::solve, from an allowed u. prescribed_moves: something is prescribed beyond u_d, and has its way to go.
  NewtonReport solve(VecX& u, const VecX& u_d, double dv_du, const VecX& v_offset, double da_du, const VecX& a_offset,
                     const NewtonOptions& options, bool prescribed_moves);

  SolverStats solver_stats() const;
  double assemble_seconds() const { return assemble_s_; }
  double contact_seconds() const { return contact_s_; }  // in the roving term
  int releases() const { return releases_; }             // times that something had to be let go

 private:
  struct Iterate;
  void evaluate(const Kinematics& x, VecX& r, double& scale, bool with_matrix, bool project);
  double potential(const Kinematics& x) const;
  void couple();  // what the roving term couples, where that is new
  bool direction(const Kinematics& x, const VecX& b, double tolerance, VecX& d, NewtonReport& report);
  bool any_direction(const Kinematics& x, const VecX& b, double tolerance, double& share, VecX& d,
                     NewtonReport& report);

  TermSum terms_;
  RovingTerm& roving_;
  const AffineMap& map_;
  VecX places_;
  bool multilevel_;
  std::unique_ptr<Reduction> base_, extra_;
  std::unique_ptr<PatternUnion> union_;
  std::unique_ptr<KeptFactor> base_factor_, factor_;  // factor_: while couplings go beyond those of the terms
  BlockMatrix full_, extra_full_, reduced_, extra_reduced_, both_;
  VecX scratch_;
  SolverStats spent_;  // of factors that are no more
  long coupled_ = -1;  // which couplings extra_ is for
  double assemble_s_ = 0;
  mutable double contact_s_ = 0;
  int releases_ = 0;
};

}  // namespace supple
