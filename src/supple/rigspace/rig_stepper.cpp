#include "supple/rigspace/rig_stepper.h"

#include "supple/base/error.h"

namespace supple {

RigStepper::RigStepper(const RigBody& body, std::vector<int> free, KeyedParameters keyed, RigStepOptions options,
                       Driver* driver, std::function<VecX(double t)> targets, std::shared_ptr<const Track> obstacles)
    : trapezoid_(options.integrator == Integrator::tr_bdf2) {
  const StepperOptions steps{.integrator = options.integrator,
                             .stage_fraction = options.stage_fraction,
                             .tolerance = options.newton.tolerance,
                             .max_newton = options.newton.max_iterations,
                             .max_halvings = options.max_halvings};
  auto coordinates = std::make_unique<RigCoordinates>(body, std::move(free), std::move(keyed), std::move(options),
                                                      std::move(targets), std::move(obstacles));
  coordinates_ = coordinates.get();
  stepper_ = std::make_unique<Stepper>(std::move(coordinates), steps, driver);
}

void RigStepper::begin(State& s, const VecX& prescribed) {
  stepper_->begin(s, prescribed);
  if (!trapezoid_) s.a = prescribed;
}

State RigStepper::equilibrium(double t, const VecX& guess) {
  State s;
  s.t = t;
  s.q = guess.size() > 0 ? coordinates_->keyed_with(guess, t) : coordinates_->keyed(t);
  stepper_->set_forces(t);
  const NewtonReport found = coordinates_->settle(t, s.u, s.q);
  if (!found.converged)
    throw SimulationFailure(t, found.worst,
                            "no equilibrium was found: " + found.trouble +
                                ". Likely: nothing holds the body, or its material is too soft for its weight");
  s.v = VecX::Zero(s.u.size());
  begin(s, s.v);
  return s;
}

State RigStepper::start(double t, bool moving) {
  State s;
  s.t = t;
  s.q = coordinates_->keyed(t);
  coordinates_->settle_interior(t, s.u, s.q);
  s.v = VecX::Zero(s.u.size());
  VecX a = s.v;
  if (moving) {
    const auto [before, at, after] = coordinates_->around(t);
    const RigBody& body = coordinates_->body();
    const auto given = [&](double when) { return body.rigged_displacement(coordinates_->keyed(when), when); };
    s.v = body.extend((given(after) - given(before)) / (after - before));
    a = coordinates_->prescribed_acceleration(t);
    s.q_rate = (coordinates_->keyed(after) - coordinates_->keyed(before)) / (after - before);
  }
  begin(s, a);
  return s;
}

}  // namespace supple
