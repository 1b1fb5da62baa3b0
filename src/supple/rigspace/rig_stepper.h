// A rigged body stepped through time: free parameters and interior by physics, the other parameters as keyed.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "supple/contact/contact_term.h"
#include "supple/rigspace/rig_newton.h"
#include "supple/sim/driver.h"
#include "supple/sim/stepper.h"

namespace supple {

// Values of all parameters at t: what is keyed, and where free ones are pulled to where that is asked for.
using KeyedParameters = std::function<VecX(double t)>;

struct RigState {
  State body;   // u, v, a, ... of all vertices
  VecX p;       // all parameters
  VecX p_rate;  // as they last changed [1/s]: where the next search starts; may be empty
};

struct RigStepOptions {
  Integrator integrator = Integrator::backward_euler;  // as published; tr_bdf2 damps less
  RigNewtonOptions newton;
  double stage_fraction = kEqualMatrixFraction;
  int max_halvings = 8;
  // A step in which what is keyed would bend the body's surface by more than this share of the mean edge (beyond a
  // rigid motion) is taken in parts.
  double bend_limit = 0.5;
  // What the flesh takes as its shape: rest, as published; keyed: what is keyed for free parameters is held as it is
  // drawn, by elasticity about that shape (rig_held_shape.h) in place of the material's, and a load that balances its
  // weight. What departs from it is damped. Needs `keyed` to say something about them.
  bool hold_keyed = false;
  // Of that, the gravity that the shape stands under as it is drawn [m/s^2]; unset: that of the body. Where they differ
  // it hangs by the difference.
  std::optional<Vec3> held_gravity;
};

struct RigStepReport {
  double t = 0;
  int substeps = 0, iterations = 0, factorizations = 0, retries = 0, inverted = 0;
  double residual = 0, scale = 0;
  ContactCount contact;
};

class RigStepper {
 public:
  // body and driver must outlive this. targets: of the body's handles at t, flat [m]; null without handles.
  // obstacles: null: still.
  RigStepper(const RigBody& body, std::vector<int> free, KeyedParameters keyed, RigStepOptions options,
             Driver* driver = nullptr, std::function<VecX(double t)> targets = {},
             std::shared_ptr<const Track> obstacles = nullptr);
  ~RigStepper();

  // At rest in equilibrium under what is keyed at t, without contact; the search starts from `guess` (empty: as keyed).
  // SimulationFailure: none was found, as where nothing holds a body that has weight.
  RigState equilibrium(double t, const VecX& guess = VecX());
  // All parameters as keyed at t, the interior as it is without weight (one without inertia: with it). moving: with the
  // velocities that what is keyed has there.
  RigState start(double t, bool moving = false);
  // Advances by h. SimulationFailure when even the smallest part of a step does not converge; the state is as it was.
  RigStepReport step(RigState& state, double h);

  const RigBody& body() const;
  double kinetic_energy(const RigState& s) const;
  double elastic_energy(const RigState& s) const;

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

// Drawn points of the whole rig for the parameters of a state are rig.evaluate(p, t): the body need not be asked.

}  // namespace supple
