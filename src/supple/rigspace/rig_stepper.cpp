#include "supple/rigspace/rig_stepper.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "supple/base/error.h"
#include "supple/mesh/rigid_fit.h"
#include "supple/rigspace/rig_stepper_work.h"

namespace supple {

namespace {

constexpr double kLeastContactGap = 0.1, kStiffestContact = 1e4;  // as in sim/stepper.cpp
constexpr int kHalvingsBeforeLetGo = 1;

// Places of the rigged vertices, flat.
VecX rigged_places(const RigBody& body, const VecX& u) {
  VecX x(3 * static_cast<Eigen::Index>(body.rigged().size()));
  for (size_t k = 0; k < body.rigged().size(); ++k) {
    const int v = body.rigged()[k];
    x.segment<3>(3 * static_cast<Eigen::Index>(k)) =
        body.model().mesh().vertices[static_cast<size_t>(v)] + u.segment<3>(3 * v);
  }
  return x;
}

}  // namespace

RigStepper::RigStepper(const RigBody& body, std::vector<int> free, KeyedParameters keyed, RigStepOptions options,
                       Driver* driver, std::function<VecX(double t)> targets, std::shared_ptr<const Track> obstacles)
    : work_(std::make_unique<Work>(body, std::move(free), std::move(keyed), std::move(options), driver,
                                   std::move(targets), std::move(obstacles))) {}

RigStepper::~RigStepper() = default;

const RigBody& RigStepper::body() const { return work_->body; }

void RigStepper::Work::guess(const RigState& n, VecX& u, VecX& p, const VecX& v, const VecX& rate, double t_last,
                             double t, const StageRule& s, const VecX& rv, const VecX& ra) {
  const double dv_du = s.now, da_du = s.now * s.now, ahead = t - t_last;
  // Free parameters as they are, the interior carried along with what is keyed, so that fast motion crushes no tets.
  const VecX start_u = u, start_p = p;
  p = keyed_with(start_p, t);
  const VecX given = body.rigged_displacement(p, t);
  VecX change = given - start_u;
  for (int i = 0; i < body.n_vertices(); ++i)
    if (body.interior().free_index(i) >= 0) change.segment<3>(3 * i).setZero();
  u = body.interior().expand(body.interior().gather(start_u + body.extend(change)), given);
  if (rate.size() == 0) return;
  // Or all as it would coast.
  VecX coast_p = p;
  for (int a : free) coast_p[a] = start_p[a] + ahead * rate[a];
  for (double share : {0.0, 0.5}) {
    if (share > 0 && n.body.a.size() != u.size()) break;
    const VecX coast = start_u + ahead * v + share * ahead * ahead * n.body.a;
    if (!newton->better_start(coast, coast_p, u, p, t, dv_du, rv, da_du, ra)) continue;
    p = coast_p;
    u = body.interior().expand(body.interior().gather(coast), body.rigged_displacement(p, t));
  }
}

bool RigStepper::Work::attempt(RigState& state, double h, int depth, RigStepReport& report, RigNewtonReport& last) {
  const RigState& n = state;  // changed at the end of the last stage only
  const State& b = n.body;
  VecX u_m = VecX::Zero(b.u.size()), v_m = u_m, strain_m;
  if (strain_history) strain_m = VecX::Zero(b.strain.size());
  VecX u = b.u, v = b.v, p = n.p, rate = n.p_rate;
  double t_last = b.t;
  const double stiffness = b.contact_stiffness > 0 ? b.contact_stiffness : body.contact_stiffness();
  if (contact)
    contact->begin_step(b.u, obstacles_at(b.t), stiffness,
                        {.let_go = b.contact.let_go, .tangled_for = b.contact.tangled_for, .hit = {}, .lasting = {}});
  for (const StageRule& s : stages(options.integrator, h, options.stage_fraction)) {
    const double t = s.end == 1 ? b.t + h : b.t + s.end * h;
    const VecX rv = s.start * b.u + s.start_rate * b.v + s.middle * u_m;
    const VecX ra = s.now * rv + s.start * b.v + s.start_rate * b.a + s.middle * v_m;
    VecX re;
    if (strain_history) {
      re = s.start * b.strain + s.start_rate * b.strain_rate + s.middle * strain_m;
      if (!shape) elastic->set_strain_rate_offset(re);
    } else if (viscous) {
      elastic->set_strain_rate_offset(elastic->strains(rv));
    }
    if (inertia->mass_damping() > 0) inertia->set_reference_velocity(reference_velocity(b, t));
    set_forces(t);
    if (shape && strain_history) shape->set_damping(s.now, re);
    if (driver) driver->stage(b, s, t);
    const double dv_du = s.now, da_du = s.now * s.now;
    RigNewtonOptions solver = solver_options(da_du, u);
    const VecX p_before = p;
    if (contact) {
      // Only where it is now it is known to be allowed: keyed things go their way from there as they can.
      solver.may_let_go = depth <= options.max_halvings - kHalvingsBeforeLetGo;
      contact->begin_stage(u, obstacles_at(t), t - b.t, 1 - s.start_rate);
      const RigApproach from{p, t_last};
      p = keyed_with(p, t);
      last = newton->solve(u, p, t, dv_du, rv, da_du, ra, solver, &from);
    } else {
      guess(n, u, p, v, rate, t_last, t, s, rv, ra);
      last = newton->solve(u, p, t, dv_du, rv, da_du, ra, solver);
    }
    report.iterations += last.iterations;
    report.factorizations += last.factorizations;
    report.residual = last.residual, report.scale = last.scale;
    if (!last.converged) return false;
    v = s.now * u + rv;
    rate = (p - p_before) / (t - t_last);
    t_last = t;
    if (s.end < 1) {
      u_m = u, v_m = v;
      if (strain_history) strain_m = strains(u);
      continue;
    }
    RigState next = state;
    next.body.t = b.t + h;
    next.body.u = u, next.body.v = v, next.body.a = da_du * u + ra;
    next.p_rate = (p - n.p) / h;
    next.p = p;
    if (strain_history) {
      next.body.strain = strains(u);
      next.body.strain_rate = s.now * next.body.strain + re;
    }
    if (contact) {
      if (options.integrator == Integrator::tr_bdf2) next.body.a -= acceleration(p, t, -contact->force(u));
      report.contact = contact->count(u);
      next.body.contact = contact->history(u, h);
      if (report.contact.least_gap < kLeastContactGap && stiffness < kStiffestContact * body.contact_stiffness())
        next.body.contact_stiffness = 2 * stiffness;
    }
    if (driver) driver->finish(next.body);
    state = std::move(next);
  }
  ++report.substeps;
  return true;
}

void RigStepper::Work::advance(RigState& state, double h, int depth, RigStepReport& report) {
  RigNewtonReport last;
  if (attempt(state, h, depth, report, last)) return;
  ++report.retries;
  if (depth == 0) {
    std::string cause = last.trouble;
    if (const int inverted = elastic->count_inverted(state.body.u); inverted > 0)
      cause += fmt::format("; {} tets are inside out", inverted);
    throw SimulationFailure(state.body.t, last.worst,
                            cause +
                                ". Likely: a keyed motion that turns the body inside out, or a material too soft for "
                                "its load; try more substeps, a stiffer material or stable-neo-hookean");
  }
  advance(state, h / 2, depth - 1, report);
  advance(state, h / 2, depth - 1, report);
}

int RigStepper::Work::parts_of(const RigState& state, double h) const {
  if (!(options.bend_limit > 0) || !std::isfinite(options.bend_limit)) return 1;
  // Where the surface would be if free parameters stayed: what of its motion is not rigid bends the body.
  const VecX from = rigged_places(body, state.body.u);
  const double t = state.body.t + h;
  const VecX to = rigged_places(body, body.rigged_displacement(keyed_with(state.p, t), t));
  const RigidMotion motion = fit_rigid_motion(from, to);
  double most = 0;
  for (Eigen::Index k = 0; k < from.size(); k += 3)
    most = std::max(most, (to.segment<3>(k) - motion(from.segment<3>(k))).norm());
  const double parts = std::ceil(most / (options.bend_limit * body.model().mean_edge()) - 1e-9);
  if (!std::isfinite(parts)) return 1;
  return static_cast<int>(std::clamp(parts, 1.0, std::ldexp(1.0, options.max_halvings)));
}

RigStepReport RigStepper::step(RigState& state, double h) {
  Work& w = *work_;
  RigStepReport report;
  RigState next = state;
  const double t_end = state.body.t + h;
  const int parts = w.parts_of(state, h);
  for (int k = 0; k < parts; ++k) w.advance(next, parts == 1 ? h : h / parts, w.options.max_halvings, report);
  next.body.t = t_end;
  report.inverted = w.elastic->count_inverted(next.body.u);
  report.t = t_end;
  state = std::move(next);
  return report;
}

double RigStepper::kinetic_energy(const RigState& s) const {
  return 0.5 * s.body.v.dot(work_->body.mass()->multiply(s.body.v));
}
double RigStepper::elastic_energy(const RigState& s) const {
  if (!work_->shape) return work_->elastic->elastic_energy(s.body.u);
  work_->set_forces(s.body.t);
  return work_->shape->energy(s.body.u);
}

}  // namespace supple
