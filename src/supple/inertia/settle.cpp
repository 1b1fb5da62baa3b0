#include "supple/inertia/settle.h"

#include <algorithm>

#include "supple/base/error.h"

namespace supple {

namespace {

// The factors of one moment, for as long as it is held.
class HeldScales : public Driver {
 public:
  HeldScales(const Adjustment& a, double t) : vary_(a.keyed()), scales_{a.stiffness.at(t), 1, a.gravity.at(t)} {}
  const Term* term() const override { return nullptr; }
  bool scales_vary() const override { return vary_; }
  Scales scales(double) const override { return scales_; }
  void start(State&) override {}
  void stage(const State&, const StageRule&, double) override {}
  void finish(State&) const override {}
  void cut(State&, double) override {}

 private:
  bool vary_;
  Scales scales_;
};

std::shared_ptr<const Track> held(const std::shared_ptr<const Track>& track, double t) {
  if (!track) return nullptr;
  const VecX x = track->at(t);
  return make_function_track(
      track->n_points(), [x](double, int derivative) -> VecX { return derivative == 0 ? x : VecX::Zero(x.size()); });
}

}  // namespace

Settled settle(const Simulation& simulation, double t, const Watch& watch) {
  constexpr int kMostSteps = 200;
  constexpr double kLongestStep = 4, kStill = 1e-7;  // [s]; of the size
  const Model& model = simulation.model();
  const SimulationSpec& spec = simulation.spec();
  Drive drive{held(spec.drive.vertices, t), held(spec.drive.ties, t), held(spec.drive.springs, t)};
  drive.hold_factors(spec.drive, t);
  drive.shape = held(spec.drive.shape, t), drive.carried = spec.drive.carried;
  StepperOptions options = spec.stepper;
  options.integrator = Integrator::backward_euler;
  HeldScales scales(spec.adjustment, t);
  Stepper stepper(model, drive, options, &scales);

  const Drive rest = rest_drive(model);
  VecX u = VecX::Zero(3 * model.n_vertices());
  for (auto [from, to] : {std::pair(&rest.vertices, &drive.vertices), std::pair(&rest.ties, &drive.ties),
                          std::pair(&rest.springs, &drive.springs)})
    if (*to) u = rigid_displacement(model.mesh().vertices, (*from)->at(0), (*to)->at(t));
  if (drive.shape) {
    const VecX drawn = drive.shape->at(t);
    u.head(drawn.size()) = drawn - flatten(model.mesh().vertices).head(drawn.size());
  }
  State state = stepper.start(t, u, VecX::Zero(u.size()));
  Settled out;
  double h = spec.frame;
  for (; out.steps < kMostSteps && !out.still; ++out.steps) {
    if (watch.cancelled()) throw Cancelled();
    const VecX before = state.u;
    stepper.step(state, h);
    out.moving_m = (state.u - before).cwiseAbs().maxCoeff();
    h = std::min(2 * h, kLongestStep);
    out.still = h == kLongestStep && out.moving_m <= kStill * model.size();
  }
  out.u = state.u;
  return out;
}

}  // namespace supple
