#include "supple/sim/stepper.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "supple/base/error.h"
#include "supple/linalg/dense.h"
#include "supple/mesh/rigid_fit.h"
#include "supple/sim/static_solver.h"

namespace supple {

namespace {

constexpr double kSlipSpeed = 1e-3;  // sizes a second
// Surfaces at rest on each other are to keep this share of their thickness. Where they do not, contact is stiffer from
// the next step on, up to so many times.
constexpr double kLeastGap = 0.1, kStiffest = 1e4;
constexpr int kMassIterations = 100;
constexpr double kLasting = 0.5;   // [s] over which a push is averaged
constexpr int kHalvingsFirst = 1;  // before contacts are let go of
// The old side of a cut is so much of a step before it, and at least what clocks of tracks may differ by [s].
constexpr double kBesideCut = 1e-6, kSameInstant = 4e-9;

VecX at(const std::shared_ptr<const Track>& track, double t, int derivative = 0) {
  return track ? track->at(t, derivative) : VecX();
}

// A cut as its tracks name it: their clocks may differ by rounding.
struct CutTime {
  double first, last;
};
// Cuts after t0 and up to t1, in order. What several tracks name is one cut; so are times less than `close` apart.
std::vector<CutTime> cuts_between(const Drive& drive, double t0, double t1, double close) {
  std::vector<double> times;
  for (const auto* track : {&drive.vertices, &drive.ties, &drive.springs})
    if (*track)
      for (double t : (*track)->cuts())
        if (t > t0 + close && t <= t1 + close) times.push_back(t);
  std::sort(times.begin(), times.end());
  std::vector<CutTime> cuts;
  for (double t : times)
    if (!cuts.empty() && t <= cuts.back().last + close)
      cuts.back().last = t;
    else
      cuts.push_back({t, t});
  return cuts;
}

// Velocity of the rigid motion that fits given points best: v = c + w x (x - centre).
struct RigidVelocity {
  Vec3 centre = Vec3::Zero(), linear = Vec3::Zero(), angular = Vec3::Zero();
};
RigidVelocity fit_rigid_velocity(const VecX& x, const VecX& v) {
  RigidVelocity fit;
  const Eigen::Index n = x.size() / 3;
  if (n == 0) return fit;
  for (Eigen::Index i = 0; i < n; ++i) {
    fit.centre += x.segment<3>(3 * i) / static_cast<double>(n);
    fit.linear += v.segment<3>(3 * i) / static_cast<double>(n);
  }
  Mat3 inertia = Mat3::Zero();
  Vec3 momentum = Vec3::Zero();
  for (Eigen::Index i = 0; i < n; ++i) {
    const Vec3 r = x.segment<3>(3 * i) - fit.centre;
    inertia += r.squaredNorm() * Mat3::Identity() - r * r.transpose();
    momentum += r.cross(Vec3(v.segment<3>(3 * i) - fit.linear));
  }
  // A pseudo-inverse: about an axis on which all points lie nothing is known, and no turning is assumed.
  fit.angular = shortest_least_squares(inertia, momentum);
  return fit;
}

}  // namespace

VecX driven_points(const Drive& drive, double t, int derivative) {
  VecX points(0);
  for (const auto* track : {&drive.vertices, &drive.ties, &drive.springs}) {
    if (!*track) continue;
    const VecX x = (*track)->at(t, derivative);
    VecX both(points.size() + x.size());
    both << points, x;
    points = both;
  }
  return points;
}

VecX prescribed(const Model& model, const Drive& drive, double t, double* tie_residual) {
  return model.constraints().prescribe(at(drive.vertices, t), at(drive.ties, t), tie_residual);
}

void put_springs(const Drive& drive, double t, SpringTerm& springs, bool still) {
  const VecX places = drive.springs->at(t);
  springs.set_targets(places, still ? VecX(VecX::Zero(places.size())) : drive.springs->at(t, 1));
  if (drive.spring_factors) springs.set_factors(drive.spring_factors(t));
}

VecX prescribed_rate(const Model& model, const Drive& drive, double t, int derivative) {
  // prescribe() is affine in the positions: its linear part is a difference.
  const VecX x = at(drive.vertices, t), y = at(drive.ties, t);
  const VecX base = model.constraints().prescribe(x, y, nullptr);
  const VecX dx = at(drive.vertices, t, derivative), dy = at(drive.ties, t, derivative);
  return model.constraints().prescribe(x + dx, y + dy, nullptr) - base;
}

Stepper::Stepper(const Model& model, Drive drive, StepperOptions options, Driver* driver)
    : model_(model), drive_(std::move(drive)), options_(std::move(options)), driver_(driver) {
  elastic_ = model.make_elastic();
  if (driver_ && driver_->scales_vary()) elastic_->let_scales_vary();
  inertia_ = std::make_unique<InertiaTerm>(model.mass(), model.spec().mass_damping);
  gravity_ = std::make_unique<LoadTerm>(model.gravity_force());
  springs_ = model.make_springs();
  if (springs_ && drive_.spring_factors) springs_->let_strengths_vary();
  if (model.contact() && model.spec().contact.amplitude != 1 && model.spec().n_bystanders > 0) {
    hits_ = std::make_unique<LoadTerm>(VecX::Zero(3 * model.n_vertices()));
    hits_->set_scale(model.spec().contact.amplitude - 1);
  }
  newton_ = std::make_unique<Newton>(terms(), model.constraints().map(), options_.linear_solver,
                                     flatten(model.mesh().vertices));
  active_newton_ = newton_.get();
  if (model.contact()) {
    const ContactSpec& c = model.spec().contact;
    contact_ = std::make_unique<ContactTerm>(
        model.contact(), ContactOptions{.thickness = c.thickness,
                                        .friction = c.friction,
                                        .slip_speed = c.slip_speed > 0 ? c.slip_speed : kSlipSpeed * model.size()});
    filtered_ = std::make_unique<FilteredNewton>(terms(), *contact_, model.constraints().map(), options_.linear_solver,
                                                 flatten(model.mesh().vertices));
  }
  viscous_ = model.damped() && model.spec().damping == ElementDamping::viscous;
  // A strain that is linear in u has the rate that u has, and needs no history.
  strain_history_ = viscous_ && model.spec().material != MaterialModel::linear;
}

Stepper::~Stepper() = default;

std::vector<const Term*> Stepper::terms() const {
  std::vector<const Term*> list = {inertia_.get(), elastic_.get(), gravity_.get()};
  if (springs_) list.push_back(springs_.get());
  if (hits_) list.push_back(hits_.get());
  if (driver_ && driver_->term()) list.push_back(driver_->term());
  return list;
}

void Stepper::apply_scales(double t) {
  if (!driver_ || !driver_->scales_vary()) return;
  const Driver::Scales s = driver_->scales(t);
  elastic_->set_scales(s.stiffness, s.damping);
  gravity_->set_scale(s.gravity);
}

State Stepper::start(double t, const VecX& u, const VecX& v) {
  State s;
  s.t = t;
  const AffineMap& map = model_.constraints().map();
  s.u = map.expand(map.gather(u), prescribed(model_, drive_, t));
  s.v = v;
  s.a = VecX::Zero(u.size());
  if (strain_history_) {
    s.strain = elastic_->strains(s.u);
    // E' = sym(F^T F'), by a central difference of the strain along v.
    const double reach = std::max(v.cwiseAbs().maxCoeff(), 1e-30), d = 1e-6 * model_.size() / reach;
    s.strain_rate = (elastic_->strains(s.u + d * v) - elastic_->strains(s.u - d * v)) / (2 * d);
  }
  apply_scales(t);
  if (driver_) {
    s.a = prescribed_rate(model_, drive_, t, 2);
    driver_->start(s);
  }
  if (options_.integrator != Integrator::tr_bdf2 || map.n_free() == 0) return s;

  // The trapezoid needs a(0): Z^T M (Z y + a_d) = -Z^T (forces without inertia).
  s.a = prescribed_rate(model_, drive_, t, 2);
  VecX r = model_.mass()->multiply(s.a);
  if (viscous_)  // dv_du = 1: E' as it is
    elastic_->set_strain_rate_offset(strain_history_ ? VecX(s.strain_rate - s.strain) : elastic_->strains(s.v - s.u));
  if (springs_) put_springs(drive_, t, *springs_);
  const VecX slip = s.v - reference_velocity(s, t);
  const Kinematics now{s.u, s.v, s.a, 1, 0};
  const Evaluation forces{.residual = &r};
  elastic_->add(now, forces);
  gravity_->add(now, forces);
  if (springs_) springs_->add(now, forces);
  if (driver_ && driver_->term()) driver_->term()->add(now, forces);
  if (inertia_->mass_damping() > 0) r += inertia_->mass_damping() * model_.mass()->multiply(slip);
  PatternBuilder builder(model_.n_vertices());
  model_.mass()->couple(builder);
  const auto pattern = builder.build();
  BlockMatrix M(pattern);
  model_.mass()->add_to(M, 1);
  const Reduction reduction(map, pattern);
  BlockMatrix M_free(reduction.pattern());
  reduction.apply(M, M_free);
  auto solver = make_solver(options_.linear_solver, map.n_free());
  solver->set_tolerance(1e-12);
  solver->analyse(reduction.pattern());
  if (solver->factorize(M_free) == FactorStatus::ok) s.a += map.expand(solver->solve(VecX(-map.restrict_(r))));
  return s;
}

const std::shared_ptr<const Track>& Stepper::leading_track() const {
  return drive_.vertices ? drive_.vertices : drive_.ties ? drive_.ties : drive_.springs;
}

VecX Stepper::reference_velocity(const State& s, double t) const {
  const auto& track = leading_track();
  const RigidVelocity fit = fit_rigid_velocity(at(track, t), at(track, t, 1));
  // Where the flesh will be by then, near enough.
  const double ahead = t - s.t;
  VecX out(s.u.size());
  for (int i = 0; i < model_.n_vertices(); ++i)
    out.segment<3>(3 * i) = fit.linear + fit.angular.cross(Vec3(model_.mesh().vertices[i] + s.u.segment<3>(3 * i) +
                                                                ahead * s.v.segment<3>(3 * i) - fit.centre));
  // Nothing leads other bodies, and nothing drags at them.
  out.tail(3 * model_.spec().n_bystanders) = s.v.tail(3 * model_.spec().n_bystanders);
  return out;
}

bool Stepper::attempt(State& state, double h, int depth, StepReport& report, NewtonReport& last) {
  const State& n = state;  // changed at the end of the last stage only
  VecX u_m = VecX::Zero(n.u.size()), v_m = u_m, strain_m;
  if (strain_history_) strain_m = VecX::Zero(n.strain.size());
  VecX u = n.u, v = n.v;
  double t_last = n.t;
  const double stiffness = n.contact_stiffness > 0 ? n.contact_stiffness : model_.contact_stiffness();
  if (contact_) {
    ContactHistory history{.let_go = {}, .tangled_for = n.contact.tangled_for};
    const std::vector<ContactPair>& before = n.contact.let_go;
    std::set_union(before.begin(), before.end(), without_.begin(), without_.end(), std::back_inserter(history.let_go));
    contact_->begin_step(n.u, obstacles_at(drive_time(n.t)), stiffness, history);
    if (hits_ && n.contact.hit.size() > 0) hits_->set_force(n.contact.hit - n.contact.lasting);
  }
  for (const StageRule& s : stages(options_.integrator, h, options_.stage_fraction)) {
    const double t = s.end == 1 ? n.t + h : n.t + s.end * h, t_drive = drive_time(t);
    const VecX rv = s.start * n.u + s.start_rate * n.v + s.middle * u_m;
    const VecX ra = s.now * rv + s.start * n.v + s.start_rate * n.a + s.middle * v_m;
    VecX re;
    if (strain_history_) {
      re = s.start * n.strain + s.start_rate * n.strain_rate + s.middle * strain_m;
      elastic_->set_strain_rate_offset(re);
    } else if (viscous_) {
      elastic_->set_strain_rate_offset(elastic_->strains(rv));
    }
    if (springs_) put_springs(drive_, t_drive, *springs_);
    if (inertia_->mass_damping() > 0) inertia_->set_reference_velocity(reference_velocity(n, t_drive));
    apply_scales(t_drive);
    if (driver_) driver_->stage(n, s, t_drive);
    const VecX u_d = prescribed(model_, drive_, t_drive, &report.tie_residual);
    const double dv_du = s.now, da_du = s.now * s.now;

    // Start from where the flesh is or from where it would coast to, whichever has the lower potential. With contact
    // only the former is known to be allowed.
    VecX guess = u, coast = u + (t - t_last) * v;
    if (!contact_ && active_newton_->better_start(coast, guess, dv_du, rv, da_du, ra)) guess.swap(coast);

    const NewtonOptions options{.tolerance = options_.tolerance,
                                .floor = model_.rounding_floor(da_du, guess.cwiseAbs().maxCoeff()),
                                .max_iterations = options_.max_newton,
                                .keep_factor = true,
                                .follow_beyond = kFollowBeyond * model_.mean_edge(),
                                .may_let_go = depth <= options_.max_halvings - kHalvingsFirst};
    if (contact_) {
      // The trapezoid averages forces of the start and of the end of its stage. Those of contact come and go at once:
      // the ones of the end count for all of it, and `a` is without them (see docs/theory/contact.md).
      contact_->begin_stage(guess, obstacles_at(t_drive), t - n.t, 1 - s.start_rate);
      FilteredNewton& newton = rescue_filtered_ ? *rescue_filtered_ : *filtered_;
      last = newton.solve(guess, u_d, dv_du, rv, da_du, ra, options, contact_->obstacles_move());
    } else {
      last = active_newton_->solve(guess, u_d, dv_du, rv, da_du, ra, options);
    }
    report.newton_iterations += last.iterations;
    report.factorizations += last.factorizations;
    report.projected += last.projected;
    report.krylov += last.krylov;
    report.residual = last.residual, report.scale = last.scale;
    if (!last.converged) return false;
    u = guess;
    v = s.now * u + rv;
    t_last = t;
    if (s.end < 1) {
      u_m = u, v_m = v;
      if (strain_history_) strain_m = elastic_->strains(u);
    } else {
      state.t = n.t + h;
      state.u = u;
      state.v = v;
      state.a = da_du * u + ra;
      if (strain_history_) {
        state.strain = elastic_->strains(u);
        state.strain_rate = s.now * state.strain + re;
      }
      if (contact_) {
        if (options_.integrator == Integrator::tr_bdf2) state.a -= acceleration_of(contact_->force(u));
        report.contact = contact_->count(u);
        ContactHistory history = contact_->history(u, h);
        if (hits_) {
          history.hit = contact_->force_of_others(u, model_.n_own());
          const VecX before = n.contact.lasting.size() > 0 ? n.contact.lasting : VecX::Zero(u.size());
          history.lasting = before + std::min(1.0, h / kLasting) * (history.hit - before);
        }
        state.contact = std::move(history);
        if (report.contact.least_gap < kLeastGap && stiffness < kStiffest * model_.contact_stiffness())
          state.contact_stiffness = 2 * stiffness;
      }
      if (driver_) driver_->finish(state);
    }
  }
  ++report.substeps;
  return true;
}

VecX Stepper::obstacles_at(double t) const {
  return drive_.obstacles ? drive_.obstacles->at(t) : model_.contact()->obstacle_rest();
}

VecX Stepper::acceleration_of(const VecX& f) const {
  // Z^T M Z y = Z^T f by conjugate gradients: masses differ, but are nearly a diagonal.
  const AffineMap& map = model_.constraints().map();
  const VecX b = map.restrict_(f);
  VecX weight(b.size());
  for (int i = 0; i < map.n_free(); ++i) {
    double m = 0;
    for (const auto& [vertex, w] : map.column(i)) m += w * w * model_.mass()->per_vertex()[vertex];
    weight.segment<3>(3 * i).setConstant(m > 0 ? 1 / m : 0);
  }
  VecX y = VecX::Zero(b.size()), r = b, z = weight.cwiseProduct(r), p = z;
  double rz = r.dot(z);
  const double enough = 1e-24 * rz;
  for (int k = 0; k < kMassIterations && rz > enough; ++k) {
    const VecX q = map.restrict_(model_.mass()->multiply(map.expand(p)));
    const double alpha = rz / p.dot(q);
    y += alpha * p;
    r -= alpha * q;
    z = weight.cwiseProduct(r);
    const double before = std::exchange(rz, r.dot(z));
    p = z + (rz / before) * p;
  }
  return map.expand(y);
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
    int vertex = -1;
    for (int i = 0; i < model_.n_vertices() && vertex < 0; ++i)
      if (model_.constraints().map().free_index(i) == last.worst_vertex) vertex = i;
    throw SimulationFailure(state.t, model_.part_of(vertex),
                            cause +
                                ". Likely: a driven motion too violent for the step, or a material too soft for its "
                                "load; try more substeps, a stiffer material or stable-neo-hookean");
  }
  advance(state, h / 2, depth - 1, report);
  advance(state, h / 2, depth - 1, report);
}

void Stepper::follow_cut(State& state, double before, double cut) const {
  // Shape, velocity and strain as seen from the driven points stay what they were. The flesh is where the old side has
  // it at the cut itself.
  const VecX there = driven_points(drive_, before) + (cut - before) * driven_points(drive_, before, 1);
  const RigidMotion jump = fit_rigid_motion(there, driven_points(drive_, cut));
  for (int i = 0; i < model_.n_own(); ++i) {
    const Vec3& rest = model_.mesh().vertices[i];
    state.u.segment<3>(3 * i) = jump(rest + state.u.segment<3>(3 * i)) - rest;
    state.v.segment<3>(3 * i) = jump.R * state.v.segment<3>(3 * i).eval();
    state.a.segment<3>(3 * i) = jump.R * state.a.segment<3>(3 * i).eval();
    if (state.p.size() == 0) continue;
    state.p.segment<3>(3 * i) = jump(rest + state.p.segment<3>(3 * i)) - rest;
    state.p_rate.segment<3>(3 * i) = jump.R * state.p_rate.segment<3>(3 * i).eval();
    state.p_accel.segment<3>(3 * i) = jump.R * state.p_accel.segment<3>(3 * i).eval();
  }
  if (driver_) driver_->cut(state, cut);
}

StepReport Stepper::step(State& state, double h) {
  StepReport report;
  report.h = h;
  const double t_end = state.t + h, close = std::max(kBesideCut * h, kSameInstant);
  State next = state;
  watch_tangles(next, h, report);
  // Up to each cut on its old side, over it, and on.
  for (const CutTime& cut : cuts_between(drive_, state.t, t_end, close)) {
    drive_limit_ = cut.first - close;
    try {
      advance(next, cut.first - next.t, options_.max_halvings, report);
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
  if (t_end - next.t > close) advance(next, report.cuts > 0 ? t_end - next.t : h, options_.max_halvings, report);
  // A step that ends at a cut ends on its new side, whatever the last bit of the clock says.
  next.t = report.cuts > 0 ? std::max(t_end, next.t) : t_end;
  state = std::move(next);
  report.t = state.t;
  return report;
}

double Stepper::kinetic_energy(const State& s) const { return 0.5 * s.v.dot(model_.mass()->multiply(s.v)); }
double Stepper::elastic_energy(const State& s) const { return elastic_->elastic_energy(s.u); }

}  // namespace supple
