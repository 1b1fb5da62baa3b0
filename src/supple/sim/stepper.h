// One body stepped through time.
#pragma once
#include <limits>
#include <memory>

#include "supple/contact/contact_term.h"
#include "supple/sim/coordinates.h"
#include "supple/sim/drive.h"
#include "supple/sim/driver.h"
#include "supple/sim/model.h"
#include "supple/sim/state.h"
#include "supple/solve/stage.h"

namespace supple {

struct StepReport {
  double t = 0, h = 0;  // end of the step, its length [s]
  int substeps = 0;     // solved steps behind it: 1, more after retries
  int newton_iterations = 0, factorizations = 0, projected = 0, krylov = 0;
  int retries = 0;                 // failed attempts
  bool untangling = false;         // springs against a tangle were on
  int cuts = 0;                    // teleports of the drive that the flesh was taken along
  double residual = 0, scale = 0;  // of the last solve [N]
  double tie_residual = 0;         // largest distance of a tied point from its target [m]
  ContactCount contact;            // at the end
};

struct StepperOptions {
  Integrator integrator = Integrator::tr_bdf2;
  double stage_fraction = kEqualMatrixFraction;
  double tolerance = 1e-6;
  int max_newton = 80;
  int max_halvings = 8;  // a step that does not converge is retried in halves, this deep
  std::string linear_solver = "auto";
};

// A body can be folded through itself, some tets inside out, in an equilibrium it never leaves. When tets have been
// inside out for kTangledFor, springs with dashpots pull the vertices around those that are not so in the equilibrium
// (the one that adjusted inertia follows, else one found from the rest shape) towards that, weakly at first and ten
// times stiffer every kStiffenEvery, until none is inside out. When more than kTangledShare of all tets are, springs
// come at all vertices, at once as stiff as the body, for kStiffenEvery. After kUntangleAtMost it is given up until the
// tangle has gone by itself (a drive may hold tets inside out).
inline constexpr double kTangledShare = 0.1, kTangledFor = 0.25, kStiffenEvery = 0.1, kUntangleAtMost = 0.5;  // [s]
inline constexpr double kWeakest = 1e-3, kHeadStart = 0.3;  // of the body's stiffness; [s] from weakest to as stiff

class Stepper {
 public:
  // driver: null, or what takes part in every stage; it must outlive this.
  Stepper(const Model& model, Drive drive, const StepperOptions& options, Driver* driver = nullptr);
  // A body in coordinates of its own; of the options those of its solver are theirs.
  Stepper(std::unique_ptr<Coordinates> coordinates, StepperOptions options, Driver* driver = nullptr);
  ~Stepper();

  // The state at time t with displacement u and velocity v: accelerations and strain history follow.
  State start(double t, const VecX& u, const VecX& v);
  // The same of a state whose t, u, v (and q) are in keeping with what is prescribed. prescribed: its accelerations.
  void begin(State& state, const VecX& prescribed);

  // Advances by h. Where the drive is cut (Coordinates::cuts) the flesh is taken along as it is. Throws
  // SimulationFailure when even the smallest retry does not converge; `state` is then unchanged.
  StepReport step(State& state, double h);

  // What pulls, holds and scales at t, as it is while stepping there.
  void set_forces(double t);

  const Model& model() const { return model_; }
  const StepperOptions& options() const { return options_; }
  double kinetic_energy(const State& s) const;
  double elastic_energy(const State& s) const { return coordinates_->elastic_energy(s); }
  int count_inverted(const State& s) const { return coordinates_->count_inverted(s.u); }
  SolverStats solver_stats() const { return coordinates_->solver_stats(); }
  std::string linear_solver() const { return coordinates_->linear_solver(); }
  double contact_seconds() const { return coordinates_->contact_seconds(); }
  double assemble_seconds() const { return coordinates_->assemble_seconds(); }
  // The factor that steps to come may use: part of a checkpoint, because their bits hang on it.
  KeptFactor::Mark factor_mark() const { return coordinates_->factor_mark(); }
  void restore_factor(const KeptFactor::Mark& mark) { coordinates_->restore_factor(mark); }

 private:
  bool attempt(State& state, double h, int depth, StepReport& report, NewtonReport& last);
  void advance(State& state, double h, int depth, StepReport& report);
  void advance_in_parts(State& state, double h, StepReport& report);
  void finish_contact(const State& n, State& next, double h, double stiffness, StepReport& report);
  void watch_tangles(State& state, double h, StepReport& report);
  void find_goal(State& state, double t);
  bool rescue(const State& state, double t, bool everywhere);
  std::vector<const Term*> terms() const;
  void follow_cut(State& state, double before, double cut) const;
  double drive_time(double t) const { return std::min(t, drive_limit_); }
  VecX reference_velocity(const State& s, double t) const;
  // Displacements that an animation has; of vertices that it does not have, `others`. Empty: there is none.
  VecX drawn(const VecX& others, double t) const;

  std::unique_ptr<Coordinates> coordinates_;
  const Model& model_;
  StepperOptions options_;
  Driver* driver_;
  std::unique_ptr<InertiaTerm> inertia_;
  std::unique_ptr<LoadTerm> hits_;                                // what contact amplitude adds; null: nothing
  std::unique_ptr<ContactTerm> contact_;                          // null: without
  std::unique_ptr<SpringTerm> rescue_;                            // against tangles, made when first needed
  std::vector<ContactPair> without_;                              // pairs that the attempt to come is to go without
  double drive_limit_ = std::numeric_limits<double>::infinity();  // while stepping up to a cut: its old side
};

}  // namespace supple
