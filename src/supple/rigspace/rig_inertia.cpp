#include "supple/rigspace/rig_inertia.h"

#include <fmt/format.h>

#include <algorithm>

#include "supple/base/error.h"
#include "supple/sim/stepper.h"

namespace supple {

RigBodySpec scaled(RigBodySpec spec, const RigScales& scales) {
  for (MaterialParameters& m : spec.model.per_tet) {
    m.youngs_modulus *= scales.stiffness;
    m.stiffness_damping *= scales.damping;
  }
  spec.model.gravity *= scales.gravity;
  for (double& strength : spec.strengths) strength *= scales.stiffness;
  return spec;
}

RigInertia::RigInertia(const RigBody& body, std::shared_ptr<const Track> equilibria, Adjustment adjustment)
    : body_(body),
      equilibria_(std::move(equilibria)),
      adjustment_(std::move(adjustment)),
      plain_(adjustment_.plain_inertia()),
      frames_(*body.model().elements()),
      force_(body.mass()),
      rest_(flatten(body.model().mesh().vertices)) {
  if (plain_) return;
  if (!equilibria_)
    throw InputError({}, "inertia is to be scaled about an equilibrium that is not given",
                     "find it with rig_equilibria");
  const int n = body.n_vertices();
  if (equilibria_->n_points() != n || (adjustment_.epsilon.size() > 0 && adjustment_.epsilon.size() != n))
    throw InputError({}, fmt::format("the body has {} vertices, its equilibria {} and its inertia scale {}", n,
                                     equilibria_->n_points(), adjustment_.epsilon.size()));
}

Driver::Scales RigInertia::scales(double t) const {
  return {adjustment_.stiffness.at(t), adjustment_.damping.at(t), adjustment_.gravity.at(t)};
}

VecX RigInertia::equilibrium(double t) const { return equilibria_->at(t) - rest_; }

void RigInertia::set_moment(VecX p, VecX p_rate, VecX p_accel, double t, double h) {
  AdjustedForce::Moment m{.p = std::move(p), .p_rate = std::move(p_rate), .p_accel = std::move(p_accel)};
  const double factor = adjustment_.inertia.at(t);
  m.cancelled = VecX::Constant(body_.n_vertices(), 1 - factor);
  if (adjustment_.epsilon.size() > 0) m.cancelled = 1 - factor * adjustment_.epsilon.array();
  m.frames = frames_.motion(m.p, m.p_rate, m.p_accel, h);
  irregular_ = std::max(irregular_, m.frames.irregular);
  force_.set(std::move(m));
}

void RigInertia::start(State& state) {
  if (plain_) return;
  state.p = equilibrium(state.t);
  state.p_rate = state.v;  // what begins at rest begins with p at rest
  state.p_accel = equilibria_->at(state.t, 2);
  set_moment(state.p, state.p_rate, state.p_accel, state.t, 0);
}

void RigInertia::stage(const State& n, const StageRule& rule, double t) {
  if (plain_) return;
  VecX p = equilibrium(t);
  VecX p_rate = rule.now * p + rule.start * n.p + rule.start_rate * n.p_rate;
  if (rule.middle != 0) p_rate += rule.middle * middle_;
  VecX p_accel = rule.now * p_rate + rule.start * n.p_rate + rule.start_rate * n.p_accel;
  if (rule.middle != 0) p_accel += rule.middle * middle_rate_;
  if (rule.end < 1) middle_ = p, middle_rate_ = p_rate;
  set_moment(std::move(p), std::move(p_rate), std::move(p_accel), t, 1 / rule.now);
}

void RigInertia::finish(State& next) const {
  if (plain_) return;
  const AdjustedForce::Moment& m = force_.moment();
  next.p = m.p, next.p_rate = m.p_rate, next.p_accel = m.p_accel;
}

void RigInertia::cut(State& state, double t) {
  if (plain_) return;
  const VecX p = equilibrium(t);
  state.u += p - state.p;
  state.p = p;
}

}  // namespace supple
