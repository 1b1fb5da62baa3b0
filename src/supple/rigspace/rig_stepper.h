// A rigged body stepped through time: free parameters and interior by physics, the other parameters as keyed. The
// stepper is that of all bodies (sim/stepper.h), in coordinates of a rig.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "supple/rigspace/rig_coordinates.h"
#include "supple/sim/stepper.h"

namespace supple {

class RigStepper {
 public:
  // body and driver must outlive this. targets: of the body's handles at t, flat [m]; null without handles.
  // obstacles: null: still.
  RigStepper(const RigBody& body, std::vector<int> free, KeyedParameters keyed, RigStepOptions options,
             Driver* driver = nullptr, std::function<VecX(double t)> targets = {},
             std::shared_ptr<const Track> obstacles = nullptr);

  // At rest in equilibrium under what is keyed at t, without contact; the search starts from the parameters `guess`
  // (empty: as keyed). SimulationFailure: none was found, as where nothing holds a body that has weight.
  State equilibrium(double t, const VecX& guess = VecX());
  // All parameters as keyed at t, the interior as it is without weight (one without inertia: with it). moving: with the
  // velocities that what is keyed has there.
  State start(double t, bool moving = false);
  // As Stepper::step.
  StepReport step(State& state, double h) { return stepper_->step(state, h); }

  // As of Stepper.
  KeptFactor::Mark factor_mark() const { return stepper_->factor_mark(); }
  void restore_factor(const KeptFactor::Mark& mark) { stepper_->restore_factor(mark); }

  const RigBody& body() const { return coordinates_->body(); }
  const std::vector<double>& cuts() const { return coordinates_->all_cuts(); }
  double kinetic_energy(const State& s) const { return stepper_->kinetic_energy(s); }
  double elastic_energy(const State& s) const { return stepper_->elastic_energy(s); }
  int count_inverted(const State& s) const { return stepper_->count_inverted(s); }

 private:
  void begin(State& s, const VecX& prescribed);

  RigCoordinates* coordinates_;  // of the stepper
  std::unique_ptr<Stepper> stepper_;
  bool trapezoid_;
};

// Drawn points of the whole rig for the parameters of a state are rig.evaluate(q, t): the body need not be asked.

}  // namespace supple
