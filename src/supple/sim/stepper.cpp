#include "supple/sim/stepper.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "supple/base/error.h"
#include "supple/sim/affine_coordinates.h"

namespace supple {

namespace {

constexpr double kSlipSpeed = 1e-3;  // sizes a second
// Surfaces at rest on each other are to keep this share of their thickness. Where they do not, contact is stiffer from
// the next step on, up to so many times.
constexpr double kLeastGap = 0.1, kStiffest = 1e4;
constexpr double kLasting = 0.5;   // [s] over which a push is averaged
constexpr int kHalvingsFirst = 1;  // before contacts are let go of
// The old side of a cut is so much of a step before it, and at least what clocks of tracks may differ by [s].
constexpr double kBesideCut = 1e-6, kSameInstant = 4e-9;

// A cut as it is named: clocks of tracks may differ by rounding.
struct CutTime {
  double first, last;
};
// Of times, those after t0 and up to t1, in order. What several tracks name is one cut; so are times less than `close`
// apart.
std::vector<CutTime> cuts_between(std::vector<double> times, double t0, double t1, double close) {
  std::sort(times.begin(), times.end());
  std::vector<CutTime> cuts;
  for (double t : times) {
    if (t <= t0 + close || t > t1 + close) continue;
    if (!cuts.empty() && t <= cuts.back().last + close)
      cuts.back().last = t;
    else
      cuts.push_back({t, t});
  }
  return cuts;
}

}  // namespace

Stepper::Stepper(const Model& model, Drive drive, const StepperOptions& options, Driver* driver)
    : Stepper(std::make_unique<AffineCoordinates>(
                  model, std::move(drive),
                  AffineSolverOptions{options.tolerance, options.max_newton, options.linear_solver}),
              options, driver) {}

Stepper::Stepper(std::unique_ptr<Coordinates> coordinates, StepperOptions options, Driver* driver)
    : coordinates_(std::move(coordinates)),
      model_(coordinates_->model()),
      options_(std::move(options)),
      driver_(driver) {
  if (driver_ && driver_->scales_vary()) coordinates_->let_scales_vary();
  inertia_ = std::make_unique<InertiaTerm>(coordinates_->mass(), model_.spec().mass_damping);
  if (model_.contact() && model_.spec().contact.amplitude != 1 && model_.spec().n_bystanders > 0) {
    hits_ = std::make_unique<LoadTerm>(VecX::Zero(3 * model_.n_vertices()));
    hits_->set_scale(model_.spec().contact.amplitude - 1);
  }
  if (coordinates_->contact()) {
    const ContactSpec& c = coordinates_->contact_spec();
    contact_ = std::make_unique<ContactTerm>(
        coordinates_->contact(),
        ContactOptions{.thickness = c.thickness,
                       .friction = c.friction,
                       .slip_speed = c.slip_speed > 0 ? c.slip_speed : kSlipSpeed * model_.size()});
  }
  coordinates_->make_solver(terms(), contact_.get());
}

Stepper::~Stepper() = default;

std::vector<const Term*> Stepper::terms() const {
  std::vector<const Term*> list = {inertia_.get()};
  for (const Term* force : coordinates_->forces()) list.push_back(force);
  if (hits_) list.push_back(hits_.get());
  if (driver_ && driver_->term()) list.push_back(driver_->term());
  return list;
}

void Stepper::set_forces(double t) {
  if (!driver_ || !driver_->scales_vary()) {
    coordinates_->set_forces(t, nullptr);
    return;
  }
  const Driver::Scales s = driver_->scales(t);
  coordinates_->set_forces(t, &s);
}

State Stepper::start(double t, const VecX& u, const VecX& v) {
  State s;
  s.t = t;
  s.u = u;
  s.v = v;
  coordinates_->place(s);
  begin(s, coordinates_->prescribed_acceleration(t));
  return s;
}

void Stepper::begin(State& s, const VecX& prescribed) {
  s.a = VecX::Zero(s.u.size());
  set_forces(s.t);
  if (coordinates_->has_strain_history()) {
    s.strain = coordinates_->strains(s.u);
    // E' = sym(F^T F'), by a central difference of the strain along v.
    VecX along = s.v;
    if (const VecX shape = coordinates_->shape_velocity(s.t); shape.size() > 0) along -= shape;
    const double reach = std::max(along.cwiseAbs().maxCoeff(), 1e-30), d = 1e-6 * model_.size() / reach;
    s.strain_rate = (coordinates_->strains(s.u + d * along) - coordinates_->strains(s.u - d * along)) / (2 * d);
  }
  if (driver_) {
    s.a = prescribed;
    driver_->start(s);
  }
  if (options_.integrator != Integrator::tr_bdf2 || !coordinates_->has_unknowns()) return;

  // The trapezoid needs a(0): that which is prescribed, and what forces without inertia leave of the rest.
  s.a = prescribed;
  VecX r = coordinates_->mass()->multiply(s.a);
  if (coordinates_->is_viscous())  // dv_du = 1: E' as it is
    coordinates_->set_strain_rate(coordinates_->has_strain_history() ? VecX(s.strain_rate - s.strain)
                                                                     : coordinates_->strains(s.v - s.u));
  const Kinematics now{s.u, s.v, s.a, 1, 0};
  for (const Term* term : coordinates_->forces()) term->add(now, {.residual = &r});
  if (driver_ && driver_->term()) driver_->term()->add(now, {.residual = &r});
  if (inertia_->mass_damping() > 0)
    r += inertia_->mass_damping() * coordinates_->mass()->multiply(s.v - reference_velocity(s, s.t));
  s.a += coordinates_->acceleration(s, r, true);
}

VecX Stepper::reference_velocity(const State& s, double t) const {
  const RigidVelocity fit = coordinates_->leading_velocity(t);
  // Where the flesh will be by then, near enough.
  const double ahead = t - s.t;
  VecX out(s.u.size());
  for (int i = 0; i < model_.n_vertices(); ++i)
    out.segment<3>(3 * i) = fit.linear + fit.angular.cross(Vec3(model_.mesh().vertices[i] + s.u.segment<3>(3 * i) +
                                                                ahead * s.v.segment<3>(3 * i) - fit.centre));
  // Flesh that departs from a drawn shape is dragged along with that.
  if (const VecX shape = coordinates_->shape_velocity(t); shape.size() > 0)
    for (int i = 0; i < model_.n_own(); ++i)
      out.segment<3>(3 * i) =
          shape.segment<3>(3 * i) + (s.p.size() > 0
                                         ? Vec3(fit.angular.cross(Vec3(s.u.segment<3>(3 * i) - s.p.segment<3>(3 * i))))
                                         : Vec3::Zero());
  // Nothing leads other bodies, and nothing drags at them.
  out.tail(3 * model_.spec().n_bystanders) = s.v.tail(3 * model_.spec().n_bystanders);
  return out;
}

bool Stepper::attempt(State& state, double h, int depth, StepReport& report, NewtonReport& last) {
  const State& n = state;  // changed at the end of the last stage only
  const bool history = coordinates_->has_strain_history();
  VecX u_m = VecX::Zero(n.u.size()), v_m = u_m, strain_m;
  if (history) strain_m = VecX::Zero(n.strain.size());
  VecX u = n.u, v = n.v, q = n.q, q_rate = n.q_rate;
  double t_last = n.t;
  const double stiffness = n.contact_stiffness > 0 ? n.contact_stiffness
                           : contact_              ? coordinates_->contact_stiffness()
                                                   : 0;
  if (contact_) {
    ContactHistory before{.let_go = {}, .tangled_for = n.contact.tangled_for};
    const std::vector<ContactPair>& gone = n.contact.let_go;
    std::set_union(gone.begin(), gone.end(), without_.begin(), without_.end(), std::back_inserter(before.let_go));
    contact_->begin_step(n.u, coordinates_->obstacles(drive_time(n.t)), stiffness, before);
    if (hits_ && n.contact.hit.size() > 0) hits_->set_force(n.contact.hit - n.contact.lasting);
  }
  for (const StageRule& s : stages(options_.integrator, h, options_.stage_fraction)) {
    const double t = s.end == 1 ? n.t + h : n.t + s.end * h, t_drive = drive_time(t);
    const VecX rv = s.start * n.u + s.start_rate * n.v + s.middle * u_m;
    const VecX ra = s.now * rv + s.start * n.v + s.start_rate * n.a + s.middle * v_m;
    set_forces(t_drive);
    VecX re;
    if (history) {
      re = s.start * n.strain + s.start_rate * n.strain_rate + s.middle * strain_m;
      coordinates_->set_strain_rate(re);
    } else if (coordinates_->is_viscous()) {
      coordinates_->set_strain_rate(coordinates_->strains(rv));
    }
    if (inertia_->mass_damping() > 0) inertia_->set_reference_velocity(reference_velocity(n, t_drive));
    if (driver_) driver_->stage(n, s, t_drive);
    // The trapezoid averages forces of the start and of the end of its stage. Those of contact come and go at once:
    // the ones of the end count for all of it, and `a` is without them (see docs/theory/contact.md).
    if (contact_) contact_->begin_stage(u, coordinates_->obstacles(t_drive), t - n.t, 1 - s.start_rate);
    const VecX q_before = q;
    last = coordinates_->solve({.begin = n,
                                .rule = s,
                                .v_offset = rv,
                                .a_offset = ra,
                                .t = t,
                                .t_drive = t_drive,
                                .t_last = t_last,
                                .may_let_go = depth <= options_.max_halvings - kHalvingsFirst},
                               u, v, q, q_rate);
    report.tie_residual = coordinates_->tie_residual();
    report.newton_iterations += last.iterations;
    report.factorizations += last.factorizations;
    report.projected += last.projected;
    report.krylov += last.krylov;
    report.residual = last.residual, report.scale = last.scale;
    if (!last.converged) return false;
    v = s.now * u + rv;
    if (q.size() > 0) q_rate = (q - q_before) / (t - t_last);
    t_last = t;
    if (s.end < 1) {
      u_m = u, v_m = v;
      if (history) strain_m = coordinates_->strains(u);
      continue;
    }
    State next = n;
    next.t = n.t + h;
    next.u = u;
    next.v = v;
    next.a = s.now * s.now * u + ra;
    if (q.size() > 0) next.q_rate = (q - n.q) / h;
    next.q = q;
    if (history) {
      next.strain = coordinates_->strains(u);
      next.strain_rate = s.now * next.strain + re;
    }
    if (contact_) finish_contact(n, next, h, stiffness, report);
    if (driver_) driver_->finish(next);
    state = std::move(next);
  }
  ++report.substeps;
  return true;
}

void Stepper::finish_contact(const State& n, State& next, double h, double stiffness, StepReport& report) {
  const VecX& u = next.u;
  if (options_.integrator == Integrator::tr_bdf2)
    next.a -= coordinates_->acceleration(next, -contact_->force(u), false);
  report.contact = contact_->count(u);
  ContactHistory history = contact_->history(u, h);
  if (hits_) {
    history.hit = contact_->force_of_others(u, model_.n_own());
    const VecX before = n.contact.lasting.size() > 0 ? n.contact.lasting : VecX::Zero(u.size());
    history.lasting = before + std::min(1.0, h / kLasting) * (history.hit - before);
  }
  next.contact = std::move(history);
  if (report.contact.least_gap < kLeastGap && stiffness < kStiffest * coordinates_->contact_stiffness())
    next.contact_stiffness = 2 * stiffness;
}

void Stepper::advance(State& state, double h, int depth, StepReport& report) {
  NewtonReport last;
  if (attempt(state, h, depth, report, last)) return;
  ++report.retries;
  // What flesh is squeezed between beyond all measure it has to pass through, rather than end the run.
  if (contact_ && depth <= options_.max_halvings - kHalvingsFirst) {
    for (int effort = 0; effort < 3; ++effort) {
      std::vector<ContactPair> more = contact_->nearest_pairs(effort), all;
      if (more.empty()) continue;
      std::set_union(without_.begin(), without_.end(), more.begin(), more.end(), std::back_inserter(all));
      without_ = std::move(all);
      const bool done = attempt(state, h, depth, report, last);
      if (done) without_.clear();
      if (done) return;
      ++report.retries;
    }
    without_.clear();
  }
  if (depth == 0) {
    std::string cause = last.trouble;
    if (const int inverted = count_inverted(state); inverted > 0)
      cause += fmt::format("; {} tets are inside out", inverted);
    throw SimulationFailure(state.t, coordinates_->place_of(last), cause + ". Likely: " + coordinates_->likely_cause());
  }
  advance(state, h / 2, depth - 1, report);
  advance(state, h / 2, depth - 1, report);
}

void Stepper::advance_in_parts(State& state, double h, StepReport& report) {
  const int parts = coordinates_->parts_of(state, drive_time(state.t + h));
  for (int k = 0; k < parts; ++k) advance(state, parts == 1 ? h : h / parts, options_.max_halvings, report);
}

void Stepper::follow_cut(State& state, double before, double cut) const {
  // Shape, velocity and strain as seen from what is prescribed stay what they were. That may move otherwise on the new
  // side: its own velocity is taken off and the new one put on.
  const RigidMotion jump = coordinates_->jump(before, cut);
  RigidVelocity was, earlier, is;
  if (coordinates_->has_leading()) {
    was = coordinates_->leading_velocity(before), earlier = coordinates_->leading_velocity(2 * before - cut);
    is = coordinates_->leading_velocity(cut);
  }
  for (int i = 0; i < model_.n_own(); ++i) {
    const Vec3& rest = model_.mesh().vertices[i];
    const Vec3 from = rest + state.u.segment<3>(3 * i), to = jump(from);
    // The old side's velocity at the cut itself.
    const Vec3 change = is.at(to) - jump.R * (2 * was.at(from) - earlier.at(from));
    state.u.segment<3>(3 * i) = to - rest;
    state.v.segment<3>(3 * i) = jump.R * state.v.segment<3>(3 * i).eval() + change;
    state.a.segment<3>(3 * i) = jump.R * state.a.segment<3>(3 * i).eval();
    if (state.p.size() == 0) continue;
    state.p.segment<3>(3 * i) = jump(rest + state.p.segment<3>(3 * i)) - rest;
    state.p_rate.segment<3>(3 * i) = jump.R * state.p_rate.segment<3>(3 * i).eval() + change;
    state.p_accel.segment<3>(3 * i) = jump.R * state.p_accel.segment<3>(3 * i).eval();
  }
  if (driver_) driver_->cut(state, cut);
  coordinates_->carry(state, before, cut);
}

StepReport Stepper::step(State& state, double h) {
  StepReport report;
  report.h = h;
  const double t_end = state.t + h, close = std::max(kBesideCut * h, kSameInstant);
  State next = state;
  watch_tangles(next, h, report);
  // Up to each cut on its old side, over it, and on.
  for (const CutTime& cut : cuts_between(coordinates_->cuts(), state.t, t_end, close)) {
    drive_limit_ = cut.first - close;
    try {
      advance_in_parts(next, cut.first - next.t, report);
    } catch (...) {
      drive_limit_ = std::numeric_limits<double>::infinity();
      throw;
    }
    drive_limit_ = std::numeric_limits<double>::infinity();
    follow_cut(next, cut.first - close, cut.last);
    next.t = cut.last;
    ++report.cuts;
  }
  // Without a cut the length is h to the bit, so that a constant matrix keeps its factorization.
  if (t_end - next.t > close) advance_in_parts(next, report.cuts > 0 ? t_end - next.t : h, report);
  // A step that ends at a cut ends on its new side, whatever the last bit of the clock says.
  next.t = report.cuts > 0 ? std::max(t_end, next.t) : t_end;
  state = std::move(next);
  report.t = state.t;
  return report;
}

double Stepper::kinetic_energy(const State& s) const { return 0.5 * s.v.dot(coordinates_->mass()->multiply(s.v)); }

}  // namespace supple
