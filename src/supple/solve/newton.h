// Newton on residuals, for static solves and for every stage of every integrator. It knows terms, unknowns
// (unknowns.h) and nothing else.
//
// The direction comes from the exact matrix when that is positive definite and from its projection otherwise. The line
// search is on the potential when every term has one (or is gentle), else on the norm of the residual, non-monotone
// over a few steps (line_search.h).
//
// Where some steps are forbidden, by a roving term (contact),
// - it starts at a place that is allowed and never leaves what is: every step is cut to what that term says. Where
//   places are curved in the unknowns it is asked about the chord; what lies between chord and curve is not seen;
// - what is prescribed advances with the unknowns, by the same cut share of its way, until it has arrived. (Put where
//   it is to be at once, it might stand in the middle of something, and no step would be allowed any more.) While it
//   is on its way there is no potential to compare, so a share of a step is taken as it is, and where the way is
//   barred the roving term is asked to let go, if that is allowed;
// - couplings come and go, and factors with them.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "supple/energy/term.h"
#include "supple/solve/line_search.h"
#include "supple/solve/term_sum.h"
#include "supple/solve/unknowns.h"

namespace supple {

class Newton {
 public:
  // The terms must outlive this; so must roving, contact [null: none].
  Newton(std::vector<const Term*> terms, std::unique_ptr<Unknowns> unknowns, RovingTerm* roving = nullptr);
  ~Newton();

  // Finds a place with vanishing residual. It starts from `place`, which need not have what is prescribed where `goal`
  // has it; with contact that is a place that is allowed. On return the best found also when not converged; finite.
  NewtonReport solve(Place& place, const Place& goal, const StageMotion& motion, const NewtonOptions& options);

  // Whether `other` is the better starting point: by the potential or, lacking one, by the norm of the residual.
  bool better_start(const Place& other, const Place& place, const StageMotion& motion);

  SolverStats solver_stats() const { return unknowns_->stats(); }  // of all linear solves
  std::string linear_solver() const { return unknowns_->linear_solver(); }
  double assemble_seconds() const { return assemble_s_; }
  double contact_seconds() const { return contact_s_; }  // in the roving term

 protected:
  Iterate at(const Place& place, const StageMotion& motion);
  void evaluate(Iterate& z, bool residual, bool matrix, bool project);
  Unknowns& unknowns() { return *unknowns_; }
  const Unknowns& unknowns() const { return *unknowns_; }
  BlockMatrix full_, extra_;  // of the terms; of the roving term

 private:
  Kinematics kinematics(const Iterate& z) const;
  void set_rates(Iterate& z) const;
  Iterate along(const Iterate& from, const Way& way, double s) const;
  double potential(const Iterate& z);
  void couple();  // what the roving term couples, where that is new
  void take(const Iterate& z) { unknowns_->take(z, full_, roving_ ? &extra_ : nullptr); }
  bool better(Iterate& there, Iterate& here);
  bool direction(Iterate& z, const VecX& b, Wanted wanted, double& share, VecX& d, NewtonReport& report);
  // Where to start: what is prescribed imposed and the rest carried along, to first order, from where it is. To impose
  // it alone would crush the tets next to driven vertices, and Newton could spend its time undoing that.
  Iterate follow(const Place& place, const Place& imposed, const NewtonOptions& options, NewtonReport& report);

  // A solve: where it starts, then iteration after iteration until one says false. Its report then tells of what
  // trouble there is, if any.
  struct Course;
  bool start(const Place& place, Course& c);
  bool iterate(Course& c);
  void measure(Course& c);         // forces, and how they compare to what is allowed
  bool find_direction(Course& c);  // false: there is none
  VecX carried(Course& c);         // forces of what is prescribed, on its way, on the rest, to first order
  // Lets go of what has barred the way for long, as far as it may; `first` is then what is free. False: it is barred.
  bool make_way(Course& c, const Way& way, double& first);
  bool advance(Course& c, const Way& way, double first);  // what is prescribed, and the rest with it
  bool descend(Course& c, const Way& way, double first);
  void judge_matrix(Course& c, double taken, double first) const;  // by how much of the step was good
  bool project_more(Course& c, std::string otherwise) const;       // otherwise: the trouble if there is no more

  // The share of a way that contact allows; 0: none was found.
  double safe_share(const Iterate& from, const Way& way);
  double passable(const Iterate& from, const Iterate& to);
  // `now` becomes where the step leads that was found; its share of the way, 0: none was.
  struct Descent {
    double slope, residual;
    const VecX& r_free;
  };
  double search(Iterate& now, const Way& way, double first, const Descent& down);
  double wolfe(Iterate& now, const Way& way, double first, double slope, const VecX& gentle);

  TermSum terms_;
  RovingTerm* roving_;
  std::unique_ptr<Unknowns> unknowns_;
  const bool constant_;   // no matrix depends on u
  const bool by_energy_;  // there is a potential to search by
  const StageMotion* motion_ = nullptr;
  long coupled_ = -1;
  VecX scratch_;
  double potential_ = 0;  // at the iterate
  PastNorms past_;
  double assemble_s_ = 0, contact_s_ = 0;
};

}  // namespace supple
