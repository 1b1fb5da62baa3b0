// One body stepped through time.
#pragma once
#include <functional>
#include <limits>
#include <memory>

#include "supple/anim/track.h"
#include "supple/constraint/springs.h"
#include "supple/contact/contact_term.h"
#include "supple/sim/driver.h"
#include "supple/sim/model.h"
#include "supple/solve/filtered_newton.h"
#include "supple/solve/stage.h"

namespace supple {

// Where the driven things of a model go. Null where the model has none.
struct Drive {
  std::shared_ptr<const Track> vertices;   // spec().driven
  std::shared_ptr<const Track> ties;       // spec().ties
  std::shared_ptr<const Track> springs;    // spec().springs
  std::shared_ptr<const Track> obstacles;  // spec().contact.obstacle_rest; null: they stay
  // Where an animation has all vertices of the body; null: there is none. Physics does not hear of it, but flesh that
  // is folded through itself is pulled back to it.
  std::shared_ptr<const Track> animation;
  // Factors of the moment on the strengths of the springs, one each; null: 1.
  std::function<std::vector<double>(double t)> spring_factors;
  // Factors always as another drive has them at time t.
  void hold_factors(const Drive& other, double t) {
    if (other.spring_factors) spring_factors = [now = other.spring_factors(t)](double) { return now; };
  }
};

// Everything that changes but for the factor that is kept.
struct State {
  double t = 0;              // [s]
  VecX u, v, a;              // displacement from rest, velocity, acceleration; flat 3n
  VecX strain, strain_rate;  // history of the viscous stress, empty without it
  VecX p, p_rate, p_accel;   // the equilibrium that adjusted inertia follows, with its differences; empty without it
  double tangled_s = 0;      // for how long some tets have been inside out [s]
  double untangling_s = 0;   // for how long they have been helped [s]
  VecX goal;                 // while they are: the equilibrium they are pulled to, and its time [s]
  double goal_t = 0;
  double contact_stiffness = 0;  // [Pa] as it has been raised; 0: as at first. `a` is without contact forces
  ContactHistory contact;
};

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

// Where all points of a drive are at time t, or their rates: vertices, ties and springs, one after the other, flat.
VecX driven_points(const Drive& drive, double t, int derivative = 0);
// Positions prescribed at time t as displacements u_d; tie_residual may be null.
VecX prescribed(const Model& model, const Drive& drive, double t, double* tie_residual = nullptr);
// The rate (derivative 1) or acceleration (2) of the above.
VecX prescribed_rate(const Model& model, const Drive& drive, double t, int derivative);

// Where the springs pull at time t, and how strongly. still: the targets stand there (statics).
void put_springs(const Drive& drive, double t, SpringTerm& springs, bool still = false);

class Stepper {
 public:
  // driver: null, or what takes part in every stage; it must outlive this.
  Stepper(const Model& model, Drive drive, StepperOptions options, Driver* driver = nullptr);
  ~Stepper();

  // The state at time t with displacement u and velocity v: accelerations and strain history follow.
  State start(double t, const VecX& u, const VecX& v);

  // Advances by h. Where the drive is cut (Track::cuts) the flesh is taken along as it is. Throws
  // SimulationFailure when even the smallest retry does not converge; `state` is then unchanged.
  StepReport step(State& state, double h);

  const Model& model() const { return model_; }
  const Drive& drive() const { return drive_; }
  const StepperOptions& options() const { return options_; }
  double kinetic_energy(const State& s) const;
  double elastic_energy(const State& s) const;
  int count_inverted(const State& s) const { return elastic_->count_inverted(s.u); }
  SolverStats solver_stats() const { return filtered_ ? filtered_->solver_stats() : newton_->solver_stats(); }
  std::string linear_solver() const { return newton_->linear_solver(); }
  double contact_seconds() const { return filtered_ ? filtered_->contact_seconds() : 0; }
  // The factor that steps to come may use: part of a checkpoint, because their bits hang on it.
  KeptFactor::Mark factor_mark() const { return newton_->factor_mark(); }
  void restore_factor(const KeptFactor::Mark& mark) { newton_->restore_factor(mark); }
  double assemble_seconds() const { return filtered_ ? filtered_->assemble_seconds() : newton_->assemble_seconds(); }

 private:
  bool attempt(State& state, double h, int depth, StepReport& report, NewtonReport& last);
  void advance(State& state, double h, int depth, StepReport& report);
  void watch_tangles(State& state, double h, StepReport& report);
  void find_goal(State& state, double t);
  bool rescue(const State& state, double t, bool everywhere);
  std::vector<const Term*> terms() const;
  void follow_cut(State& state, double before, double cut) const;
  void apply_scales(double t);
  double drive_time(double t) const { return std::min(t, drive_limit_); }
  VecX reference_velocity(const State& s, double t) const;
  VecX obstacles_at(double t) const;
  // Acceleration of the free vertices under forces f alone.
  VecX acceleration_of(const VecX& f) const;
  const std::shared_ptr<const Track>& leading_track() const;

  const Model& model_;
  Drive drive_;
  StepperOptions options_;
  Driver* driver_;
  std::unique_ptr<ElasticTerm> elastic_;
  std::unique_ptr<InertiaTerm> inertia_;
  std::unique_ptr<LoadTerm> gravity_;
  std::unique_ptr<SpringTerm> springs_;
  std::unique_ptr<LoadTerm> hits_;  // what contact amplitude adds; null: nothing
  std::unique_ptr<Newton> newton_;
  std::unique_ptr<ContactTerm> contact_;  // null: without
  std::unique_ptr<FilteredNewton> filtered_, rescue_filtered_;
  // Against tangles, made when first needed.
  std::unique_ptr<class StaticSolver> equilibrium_;
  std::unique_ptr<SpringTerm> rescue_;
  std::unique_ptr<Newton> rescue_newton_;
  Newton* active_newton_ = nullptr;
  bool viscous_ = false, strain_history_ = false;
  std::vector<ContactPair> without_;                              // pairs that the attempt to come is to go without
  double drive_limit_ = std::numeric_limits<double>::infinity();  // while stepping up to a cut: its old side
};

}  // namespace supple
