// What steps in rig space work with. Inside the room only.
#pragma once
#include <memory>
#include <vector>

#include "supple/rigspace/rig_held_shape.h"
#include "supple/rigspace/rig_newton_system.h"
#include "supple/rigspace/rig_stepper.h"

namespace supple {

struct RigStepper::Work {
  Work(const RigBody& body, std::vector<int> free, KeyedParameters keyed, RigStepOptions options, Driver* driver,
       std::function<VecX(double)> targets, std::shared_ptr<const Track> obstacles);

  std::vector<const Term*> terms() const;
  void make_contact();
  // All parameters as keyed, but free ones as p has them.
  VecX keyed_with(const VecX& p, double t) const;
  // Sets what pulls, holds and scales at t.
  void set_forces(double t);
  void hold(double t, double stiffness, double damping);
  // The body as keyed at t: its surface, and the interior continued from it.
  VecX keyed_shape(double t) const;
  // What viscous stress is about: strains at u, less those of the shape that is held.
  VecX strains(const VecX& u) const;
  VecX reference_velocity(const State& s, double t) const;
  VecX obstacles_at(double t) const;
  RigNewtonOptions solver_options(double da_du, const VecX& u) const;

  // Strain history, the driver's share, and accelerations where the integrator needs them. prescribed: accelerations of
  // what is keyed.
  void begin(RigState& s, const VecX& prescribed);
  // Acceleration that residuals r leave, in rig space: of [Z J]^T (M a + r) = 0.
  VecX acceleration(const VecX& p, double t, const VecX& r);

  // Where the search of a stage starts, and its parameters: from (u, p) at t_last.
  void guess(const RigState& n, VecX& u, VecX& p, const VecX& v, const VecX& rate, double t_last, double t,
             const StageRule& s, const VecX& rv, const VecX& ra);
  bool attempt(RigState& state, double h, int depth, RigStepReport& report, RigNewtonReport& last);
  void advance(RigState& state, double h, int depth, RigStepReport& report);
  int parts_of(const RigState& state, double h) const;

  const RigBody& body;
  std::vector<int> free;
  KeyedParameters keyed;
  RigStepOptions options;
  Driver* driver;
  std::function<VecX(double t)> targets;
  std::shared_ptr<const Track> obstacles;
  std::unique_ptr<ElasticTerm> elastic, still;  // still: without damping, for equilibria
  std::unique_ptr<InertiaTerm> inertia;
  std::unique_ptr<LoadTerm> gravity;
  // Null unless what is keyed is held: in place of elastic and still, and what balances gravity.
  std::unique_ptr<HeldShape> shape;
  std::unique_ptr<LoadTerm> held;
  std::unique_ptr<SpringTerm> handles;
  std::shared_ptr<const ContactSurface> surface;
  std::unique_ptr<ContactTerm> contact;
  std::unique_ptr<RigNewton> newton, equilibria, unloaded, interior;  // the last two: of the interior alone
  std::unique_ptr<RigSystem> masses;
  bool viscous = false, strain_history = false;
};

}  // namespace supple
