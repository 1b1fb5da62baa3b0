// Coordinates of a rigged body: u = Z n + U(q, t), n its interior and q the parameters of its rig. Free ones move by
// physics, the others as keyed.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "supple/anim/track.h"
#include "supple/constraint/springs.h"
#include "supple/rigspace/rig_newton.h"
#include "supple/sim/coordinates.h"

namespace supple {

class RigSystem;

// Values of all parameters at t: what is keyed, and where free ones are pulled to where that is asked for.
using KeyedParameters = std::function<VecX(double t)>;

struct RigStepOptions {
  Integrator integrator = Integrator::backward_euler;  // as published; tr_bdf2 damps less
  RigSolver solver = RigSolver::newton;
  NewtonOptions newton = {.max_iterations = 100};
  std::string linear_solver = "auto";  // of the interior: see RigNewton
  double stage_fraction = kEqualMatrixFraction;
  int max_halvings = 8;
  // A step in which what is keyed would bend the body's surface by more than this share of the mean edge (beyond a
  // rigid motion) is taken in parts.
  double bend_limit = 0.5;
  // What the flesh takes as its shape: rest, as published; keyed: what is keyed for free parameters is held as it is
  // drawn, as the shape that strains count from (fem/drawn_shape.h), and a load balances its weight. What departs from
  // it is damped. Needs `keyed` to say something about them.
  bool hold_keyed = false;
  // Of that, the gravity that the shape stands under as it is drawn [m/s^2]; unset: that of the body. Where they differ
  // it hangs by the difference.
  std::optional<Vec3> held_gravity;
  // Times at which what is keyed, the rig's own animation included, jumps [s], ascending: the flesh is taken along.
  std::vector<double> cuts;
};

class RigCoordinates final : public Coordinates {
 public:
  // As RigStepper.
  RigCoordinates(const RigBody& body, std::vector<int> free, KeyedParameters keyed, RigStepOptions options,
                 std::function<VecX(double t)> targets, std::shared_ptr<const Track> obstacles);
  ~RigCoordinates() override;

  const RigBody& body() const { return body_; }
  VecX keyed(double t) const { return keyed_(t); }
  const std::vector<double>& all_cuts() const { return options_.cuts; }
  // In equilibrium under what is keyed at t, without contact; u is filled in. The search starts from q.
  NewtonReport settle(double t, VecX& u, VecX& q);
  // The interior as it is without weight (one without inertia: with it), the surface as keyed.
  void settle_interior(double t, VecX& u, VecX& q);
  // All parameters as keyed, but free ones as q has them.
  VecX keyed_with(const VecX& q, double t) const;
  // What is keyed at t, a moment before and after it on the same side of every cut.
  struct Around {
    double before, at, after;
  };
  Around around(double t) const;

  const std::shared_ptr<const Mass>& mass() const override { return body_.mass(); }
  bool has_unknowns() const override { return true; }
  std::vector<const Term*> forces() const override;
  void set_forces(double t, const Driver::Scales* scales) override;
  VecX shape_velocity(double t) const override;
  double elastic_energy(const State& s) override;
  void place(State& state) const override;
  VecX prescribed_acceleration(double t) const override;
  RigidVelocity leading_velocity(double t) const override;
  bool has_leading() const override { return true; }
  RigidMotion leading_motion(double from, double to) const override;
  std::vector<double> cuts() const override { return options_.cuts; }
  RigidMotion jump(double before, double cut) const override;
  void carry(State& state, double before, double cut) const override;
  int parts_of(const State& state, double t) const override;
  const std::shared_ptr<const ContactSurface>& contact() const override { return surface_; }
  const ContactSpec& contact_spec() const override { return body_.contact(); }
  double contact_stiffness() const override { return body_.contact_stiffness(); }
  VecX obstacles(double t) const override;
  void make_solver(std::vector<const Term*> terms, ContactTerm* contact) override;
  void use_terms(std::vector<const Term*> terms) override;
  NewtonReport solve(const StageProblem& stage, VecX& u, const VecX& v, VecX& q, const VecX& q_rate) override;
  VecX acceleration(const State& at, const VecX& r, bool start) override;
  VecX animated(double t, int derivative) const override;
  VecX equilibrium(double t, const VecX& guess) override;
  std::string place_of(const NewtonReport& report) const override { return report.worst; }
  std::string likely_cause() const override;
  std::string linear_solver() const override { return newton_->linear_solver(); }
  double contact_seconds() const override { return newton_->contact_seconds(); }
  double assemble_seconds() const override { return newton_->assemble_seconds(); }
  KeptFactor::Mark factor_mark() const override;
  void restore_factor(const KeptFactor::Mark& mark) override;

 private:
  void make_surface();
  void hold(double t);
  // The body as keyed at t: its surface, and the interior continued from it.
  VecX keyed_shape(double t) const;
  VecX keyed_places(double t) const;  // of the rigged vertices, flat [m]
  NewtonOptions solver_options(double da_du, const VecX& u) const;
  std::unique_ptr<RigNewton> make_newton(std::vector<const Term*> terms, std::vector<int> free, ContactTerm* contact);
  // Where the search of a stage starts: from u and q at its t_last.
  void guess(const StageProblem& s, VecX& u, VecX& q, const VecX& v, const VecX& rate);
  // Free parameters that take the surface to where u has it, from q on.
  void fit(const VecX& u, double t, VecX& q) const;

  const RigBody& body_;
  std::vector<int> free_;
  KeyedParameters keyed_;
  RigStepOptions options_;
  std::function<VecX(double t)> targets_;
  std::shared_ptr<const Track> obstacles_;
  std::unique_ptr<ElasticTerm> still_;  // without damping, for equilibria
  std::unique_ptr<LoadTerm> held_;      // balances gravity where what is keyed is held; else null
  std::unique_ptr<SpringTerm> handles_;
  std::shared_ptr<const ContactSurface> surface_;
  ContactTerm* contact_ = nullptr;
  std::unique_ptr<RigNewton> newton_, other_newton_, equilibria_, unloaded_, interior_;  // the last two: without `free`
  std::unique_ptr<RigSystem> masses_;
  BlockMatrix M_;
  Driver::Scales scales_;  // of the moment
  double solved_t_ = 0;    // of the drive
};

}  // namespace supple
