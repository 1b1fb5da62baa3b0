#include "supple/inertia/adjusted_inertia.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "supple/base/timer.h"

namespace supple {

VecX SolvedPath::first_acceleration(double t, const VecX& p, const VecX& prescribed) {
  if (track_.is_shape()) return track_.derivative_at(t, 2);
  // What is prescribed accelerates as prescribed, the rest of p as a difference says.
  const double dt = instant();
  const VecX after = track_.at(t + dt);
  // Not from beyond a cut.
  const VecX bend =
      track_.is_cut(t - dt, t) ? VecX(p - 2 * after + track_.at(t + 2 * dt)) : VecX(track_.at(t - dt) - 2 * p + after);
  const AffineMap& map = model_.constraints().map();
  return map.expand(map.gather(bend / (dt * dt)), prescribed);
}

AdjustedInertia::AdjustedInertia(const Model& model, const VertexFrames& frames, StaticTrack& track,
                                 const Adjustment& adjustment)
    : AdjustedInertia(model, model.mass(), frames, std::make_unique<SolvedPath>(model, track), adjustment) {
  // Of driven vertices nothing is asked but, of a consistent mass, what they weigh on those around.
  if (model.spec().mass == MassKind::lumped)
    for (int v : model.spec().driven) needed_[static_cast<size_t>(v)] = 0;
}

AdjustedInertia::AdjustedInertia(const Model& model, std::shared_ptr<const Mass> mass, const VertexFrames& frames,
                                 std::unique_ptr<EquilibriumPath> path, const Adjustment& adjustment)
    : model_(model),
      mass_(std::move(mass)),
      frames_(frames),
      path_(std::move(path)),
      adjustment_(adjustment),
      plain_(adjustment.plain_inertia() && !(path_ && path_->is_shape())),
      force_(mass_),
      needed_(static_cast<size_t>(model.n_own()), 1) {}

Driver::Scales AdjustedInertia::scales(double t) const {
  return {adjustment_.stiffness.at(t), adjustment_.damping.at(t), adjustment_.gravity.at(t)};
}

void AdjustedInertia::set_moment(VecX p, VecX p_rate, VecX p_accel, double t, double h) {
  TimeInto timer(force_s_);
  AdjustedForce::Moment m{.p = std::move(p), .p_rate = std::move(p_rate), .p_accel = std::move(p_accel)};
  const double factor = adjustment_.inertia.at(t);
  const Eigen::Index own = model_.n_own(), others = model_.spec().n_bystanders;
  m.cancelled = VecX::Constant(model_.n_vertices(), 1 - factor);
  if (adjustment_.epsilon.size() > 0) m.cancelled.head(own) = 1 - factor * adjustment_.epsilon.array();
  m.cancelled.tail(others).setZero();
  const bool about_shape = adjustment_.swing_rate.size() > 0;
  if (!path_->only_translated(t)) {
    // A mirrored body has no rotation near to it, and turns as its image does, whose vertices are on the other side.
    if (!mirrored_) mirrored_ = path_->is_shape() && is_mirrored(*model_.elements(), m.p, model_.n_own());
    if (*mirrored_)
      m.frames = frames_.motion(-2 * flatten(model_.mesh().vertices) - m.p, -m.p_rate, -m.p_accel, h, needed_);
    else
      m.frames = frames_.motion(m.p, m.p_rate, m.p_accel, h, needed_);
    irregular_ = std::max(irregular_, m.frames.irregular);
    double turning = 0;
    for (int i = 0; i < model_.n_own(); ++i)
      turning +=
          mass_->per_vertex()[i] * std::max(0.0, 1 - m.cancelled[i]) * m.frames.spin.segment<3>(3 * i).squaredNorm();
    spin_ = std::max(spin_, std::sqrt(turning / mass_->total()));
    if (others > 0)
      for (VecX* x : {&m.frames.spin, &m.frames.turn}) {
        x->conservativeResize(3 * (own + others));
        x->tail(3 * others).setZero();
      }
    if (about_shape)
      m.cancelled_turning =
          cancelled_turning_about_shape(m.frames.spin, adjustment_.own_epsilon, adjustment_.swing_rate);
  }
  force_.set(std::move(m));
}

void AdjustedInertia::start(State& state) {
  if (plain_) return;
  const double t = state.t;
  {
    TimeInto timer(static_s_);
    state.p = path_->at(t);
    mirrored_.reset();
    if (adjustment_.differences == StaticDifferences::five_point) {
      state.p_rate = path_->derivative_at(t, 1), state.p_accel = path_->derivative_at(t, 2);
    } else {
      state.p_rate = state.v;
      state.p_accel = path_->first_acceleration(t, state.p, state.a);
    }
  }
  set_moment(state.p, state.p_rate, state.p_accel, t, path_->instant());
}

void AdjustedInertia::stage(const State& n, const StageRule& rule, double t) {
  if (plain_) return;
  VecX p, p_rate, p_accel;
  {
    TimeInto timer(static_s_);
    p = path_->at(t);
    if (adjustment_.differences == StaticDifferences::five_point) {
      p_rate = path_->derivative_at(t, 1), p_accel = path_->derivative_at(t, 2);
    } else {
      p_rate = rule.now * p + rule.start * n.p + rule.start_rate * n.p_rate;
      if (rule.middle != 0) p_rate += rule.middle * middle_;
      p_accel = rule.now * p_rate + rule.start * n.p_rate + rule.start_rate * n.p_accel;
      if (rule.middle != 0) p_accel += rule.middle * middle_rate_;
    }
  }
  if (rule.end < 1) middle_ = p, middle_rate_ = p_rate;
  // A difference formula reaches over one over its weight of the present.
  set_moment(std::move(p), std::move(p_rate), std::move(p_accel), t, 1 / rule.now);
}

void AdjustedInertia::finish(State& next) const {
  if (plain_) return;
  const AdjustedForce::Moment& m = force_.moment();
  next.p = m.p, next.p_rate = m.p_rate, next.p_accel = m.p_accel;
}

void AdjustedInertia::cut(State& state, double t) {
  if (plain_) return;
  // Where the new pose has another equilibrium the flesh comes along with what it had beyond the old one.
  const VecX p = path_->at(t);
  state.u += p - state.p;
  state.p = p;
  if (!path_->is_shape()) return;
  // A drawn shape has its own way on the new side; the flesh goes along with that too.
  const VecX rate = path_->derivative_at(t, 1), accel = path_->derivative_at(t, 2);
  mirrored_.reset();
  state.v += rate - state.p_rate, state.a += accel - state.p_accel;
  state.p_rate = rate, state.p_accel = accel;
}

}  // namespace supple
