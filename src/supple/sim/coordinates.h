// What the unknowns of a body are, and how a stage is solved for in them: vertices under constraints, u = Z y + u_d
// (affine_coordinates.h), or parameters of a rig and an interior, u = Z n + U(q, t) (rigspace/rig_coordinates.h). All
// else of a step, its stages, contact, halvings, teleports and tangles, is the stepper's, and the same for both.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "supple/linalg/kept_factor.h"
#include "supple/mesh/rigid_fit.h"
#include "supple/sim/driver.h"
#include "supple/sim/model.h"
#include "supple/sim/state.h"
#include "supple/solve/newton_options.h"
#include "supple/solve/stage.h"

namespace supple {

// Velocity of a rigid motion: v = linear + angular x (x - centre).
struct RigidVelocity {
  Vec3 centre = Vec3::Zero(), linear = Vec3::Zero(), angular = Vec3::Zero();
  Vec3 at(const Vec3& x) const { return linear + angular.cross(x - centre); }
};

// A stage as what solves for it sees it.
struct StageProblem {
  const State& begin;  // of the step
  const StageRule& rule;
  const VecX &v_offset, &a_offset;  // v = now u + v_offset, a = now^2 u + a_offset
  double t, t_drive;                // its end [s], by the clock and as the drive has it
  double t_last;                    // where the search starts from
  bool may_let_go;                  // contacts, of what bars the way of prescribed things
};

class Coordinates {
 public:
  // The model must outlive this.
  explicit Coordinates(const Model& model);
  virtual ~Coordinates();

  const Model& model() const { return model_; }
  virtual const std::shared_ptr<const Mass>& mass() const { return model_.mass(); }
  virtual bool has_unknowns() const = 0;

  // Forces of the body itself beside inertia, those of its tets first.
  virtual std::vector<const Term*> forces() const = 0;
  virtual void let_scales_vary() { elastic_->let_scales_vary(); }
  // What pulls, holds and scales at time t of the drive. scales: null: they never vary.
  virtual void set_forces(double t, const Driver::Scales* scales);
  // Viscous stress is about these strains, whose rates are now E + offset; history: they have one of their own.
  bool is_viscous() const { return viscous_; }
  bool has_strain_history() const { return strain_history_; }
  VecX strains(const VecX& u) const { return elastic_->strains(u); }
  // How fast each vertex of the shape that strains count from goes along with it; empty: that is the shape of rest.
  virtual VecX shape_velocity(double) const { return {}; }
  bool follows_shape() const { return elastic_->follows_shape(); }
  void set_strain_rate(VecX offset) { elastic_->set_strain_rate_offset(std::move(offset)); }
  virtual double elastic_energy(const State& s) { return elastic_->elastic_energy(s.u); }
  int count_inverted(const VecX& u) const { return elastic_->count_inverted(u); }

  // Puts u (and q) of a state in keeping with what is prescribed at its time; accelerations of that.
  virtual void place(State& state) const = 0;
  virtual VecX prescribed_acceleration(double t) const = 0;
  // What is prescribed: how it moves as a whole, when it jumps (ascending) and how.
  virtual RigidVelocity leading_velocity(double t) const = 0;
  virtual bool has_leading() const = 0;
  virtual RigidMotion leading_motion(double from, double to) const = 0;
  virtual std::vector<double> cuts() const = 0;
  virtual RigidMotion jump(double before, double cut) const = 0;  // `before`: a moment on its old side
  // The flesh was taken along to time t: its other coordinates, and what is prescribed to the bit.
  virtual void carry(State&, double /*before*/, double /*t*/) const {}
  // In how many parts a step is to be taken for what is prescribed to be followed; t: its end as the drive has it.
  virtual int parts_of(const State&, double /*t*/) const { return 1; }

  // Surfaces in contact, null: none, and obstacles at t.
  virtual const std::shared_ptr<const ContactSurface>& contact() const = 0;
  virtual const ContactSpec& contact_spec() const = 0;
  virtual double contact_stiffness() const = 0;  // [Pa]
  virtual VecX obstacles(double t) const = 0;

  // Newton over all terms, these of a run; contact: null: without. Both must outlive this.
  virtual void make_solver(std::vector<const Term*> terms, ContactTerm* contact) = 0;
  // Solves are over these instead, of the steps to come; empty: over those of the run again.
  virtual void use_terms(std::vector<const Term*> terms) = 0;
  // u (and q) at the end of a stage. On entry where they were at t_last, with velocity v and rates of q.
  virtual NewtonReport solve(const StageProblem& stage, VecX& u, const VecX& v, VecX& q, const VecX& q_rate) = 0;
  virtual double tie_residual() const { return 0; }  // of the last solve [m]
  // Accelerations that residuals r leave, of dV^T (M a + r) = 0 over motions dV that the unknowns allow. start: at
  // the beginning of a run.
  virtual VecX acceleration(const State& at, const VecX& r, bool start) = 0;

  // Where an animation has the vertices [m], or how fast; empty: there is none.
  virtual VecX animated(double /*t*/, int /*derivative*/) const { return {}; }
  // Displacements in equilibrium at t; guess may be empty.
  virtual VecX equilibrium(double t, const VecX& guess) = 0;

  // For messages: where a solve failed, and what is to be done.
  virtual std::string place_of(const NewtonReport& report) const = 0;
  virtual std::string likely_cause() const = 0;
  virtual SolverStats solver_stats() const { return {}; }
  virtual std::string linear_solver() const = 0;
  virtual double contact_seconds() const { return 0; }
  virtual double assemble_seconds() const { return 0; }
  virtual KeptFactor::Mark factor_mark() const { return {}; }
  virtual void restore_factor(const KeptFactor::Mark&) {}

 protected:
  const Model& model_;
  std::unique_ptr<ElasticTerm> elastic_;
  std::unique_ptr<LoadTerm> gravity_;
  bool viscous_ = false, strain_history_ = false;
};

}  // namespace supple
