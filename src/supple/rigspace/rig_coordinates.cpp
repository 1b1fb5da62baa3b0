#include "supple/rigspace/rig_coordinates.h"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <utility>

#include "supple/base/error.h"
#include "supple/rigspace/rig_system.h"

namespace supple {

namespace {

constexpr double kInstant = 1e-4;  // [s] over which what is keyed is differenced
constexpr double kMassExactness = 1e-12;
constexpr double kNudge = 0.1;         // of a parameter's unit
constexpr int kFitSteps = 12;          // of Gauss and Newton
constexpr double kFitted = 1e-12;      // of the body's size: nearer need nothing be
constexpr double kKeyRounding = 1e-9;  // of a parameter's unit
constexpr double kFitRidge = 1e-12;

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

// u with its rigged vertices where `given` has them, the interior carried along with that change.
VecX brought(const RigBody& body, const VecX& u, const VecX& given) {
  VecX change = given - u;
  for (int i = 0; i < body.n_vertices(); ++i)
    if (body.interior().free_index(i) >= 0) change.segment<3>(3 * i).setZero();
  return body.interior().expand(body.interior().gather(u + body.extend(change)), given);
}

}  // namespace

RigCoordinates::RigCoordinates(const RigBody& body, std::vector<int> free, KeyedParameters keyed,
                               RigStepOptions options, std::function<VecX(double)> targets,
                               std::shared_ptr<const Track> obstacles)
    : Coordinates(body.model()),
      body_(body),
      free_(std::move(free)),
      keyed_(std::move(keyed)),
      options_(std::move(options)),
      targets_(std::move(targets)),
      obstacles_(std::move(obstacles)) {
  if (!keyed_) keyed_ = [rig = body.rig()](double t) { return rig->keyed(t); };
  still_ = model_.make_elastic();
  if (options_.hold_keyed) {
    if (model_.spec().damping != ElementDamping::viscous)
      throw InputError({.place = "rig"}, "damping of another kind than viscous drags at what is keyed",
                       "leave material.damping_tangent out, or hold the rest pose: curves.pose = \"rest\"");
    for (ElasticTerm* term : {elastic_.get(), still_.get()}) term->follow_shape();
    strain_history_ = viscous_;
    held_ = std::make_unique<LoadTerm>(VecX::Zero(3 * static_cast<Eigen::Index>(body.n_vertices())));
  }
  handles_ = body.make_handles();
  if (handles_ && !targets_)
    throw InputError({.place = "handles"}, "handles have no targets", "say where they are to be");
  if (body.contact().on()) make_surface();
  std::vector<const Term*> standing = {still_.get(), gravity_.get()};
  if (held_) standing.push_back(held_.get());
  interior_ = make_newton(standing, {}, nullptr);
  if (handles_) standing.push_back(handles_.get());
  equilibria_ = make_newton(standing, free_, nullptr);
  unloaded_ = make_newton({still_.get()}, {}, nullptr);
}

RigCoordinates::~RigCoordinates() = default;

void RigCoordinates::make_surface() {
  // Vertices that no free parameter moves are where they are keyed to be, and nothing can push them.
  VecX p = body_.rig()->rest();
  MatX J = body_.rigged_jacobian(p, 0, free_).cwiseAbs();
  for (int a = 0; a < body_.rig()->n_parameters(); ++a)
    p[a] += kNudge * body_.rig()->parameters()[static_cast<size_t>(a)].unit;
  J += body_.rigged_jacobian(p, 0, free_).cwiseAbs();
  std::vector<char> fixed(static_cast<size_t>(body_.n_vertices()), 0);
  for (size_t k = 0; k < body_.rigged().size(); ++k)
    fixed[static_cast<size_t>(body_.rigged()[k])] =
        J.cols() == 0 || J.middleRows<3>(3 * static_cast<Eigen::Index>(k)).isZero(0);
  surface_ = std::make_shared<const ContactSurface>(body_.contact(), model_.mesh().vertices, fixed);
}

std::vector<const Term*> RigCoordinates::forces() const {
  std::vector<const Term*> list = {elastic_.get(), gravity_.get()};
  if (handles_) list.push_back(handles_.get());
  if (held_) list.push_back(held_.get());
  return list;
}

void RigCoordinates::set_forces(double t, const Driver::Scales* scales) {
  Coordinates::set_forces(t, scales);
  if (scales) {
    scales_ = *scales;
    still_->set_scales(scales->stiffness, scales->damping);
  }
  if (handles_) {
    const VecX places = targets_(t);
    handles_->set_targets(places, VecX::Zero(places.size()));
  }
  if (options_.hold_keyed) hold(t);
}

void RigCoordinates::hold(double t) {
  const VecX as_keyed = keyed_shape(t);
  for (ElasticTerm* term : {elastic_.get(), still_.get()}) term->set_shape(as_keyed);
  const VecX zero = VecX::Zero(3 * static_cast<Eigen::Index>(body_.n_vertices()));
  VecX r = zero;
  gravity_->add({zero, zero, zero, 0, 0}, {.residual = &r});
  if (options_.held_gravity) {
    const Vec3 more = *options_.held_gravity - model_.spec().gravity;
    r -= model_.mass()->multiply(more.replicate(body_.n_vertices(), 1));
  }
  held_->set_force(r);
}

VecX RigCoordinates::shape_velocity(double t) const {
  if (!options_.hold_keyed) return {};
  const Around s = around(t);
  return (keyed_shape(s.after) - keyed_shape(s.before)) / (s.after - s.before);
}

double RigCoordinates::elastic_energy(const State& s) {
  if (options_.hold_keyed) hold(s.t);
  return elastic_->elastic_energy(s.u);
}

// What is keyed.

VecX RigCoordinates::keyed_with(const VecX& q, double t) const {
  VecX out = keyed_(t);
  for (int a : free_) out[a] = q[a];
  return out;
}

VecX RigCoordinates::keyed_shape(double t) const { return body_.extend(body_.rigged_displacement(keyed_(t), t)); }

VecX RigCoordinates::keyed_places(double t) const {
  return rigged_places(body_, body_.rigged_displacement(keyed_(t), t));
}

RigCoordinates::Around RigCoordinates::around(double t) const {
  for (double cut : options_.cuts) {
    if (t < cut && t + 2 * kInstant > cut) t = cut - 2 * kInstant;
    if (t >= cut && t - 2 * kInstant < cut) t = cut + 2 * kInstant;
  }
  return {t - kInstant, t, t + kInstant};
}

void RigCoordinates::place(State& s) const {
  s.q = keyed_(s.t);
  s.u = brought(body_, s.u, body_.rigged_displacement(s.q, s.t));
}

VecX RigCoordinates::prescribed_acceleration(double t) const {
  const Around s = around(t);
  const auto given = [&](double when) { return body_.rigged_displacement(keyed_(when), when); };
  return body_.extend((given(s.after) - 2 * given(s.at) + given(s.before)) / (kInstant * kInstant));
}

RigidVelocity RigCoordinates::leading_velocity(double t) const {
  const Around s = around(t);
  const double over = s.after - s.before;
  const RigidMotion motion = fit_rigid_motion(keyed_places(s.before), keyed_places(s.after));
  const Eigen::AngleAxisd turn(motion.R);
  return {.centre = 0.5 * (motion.from + motion.to),
          .linear = (motion.to - motion.from) / over,
          .angular = turn.angle() / over * turn.axis()};
}

RigidMotion RigCoordinates::leading_motion(double from, double to) const {
  return fit_rigid_motion(keyed_places(from), keyed_places(to));
}

RigidMotion RigCoordinates::jump(double before, double cut) const {
  // The flesh is where the old side has it at the cut itself.
  const VecX there = keyed_places(before);
  const VecX rate = (there - keyed_places(before - kInstant)) / kInstant;
  return fit_rigid_motion(there + (cut - before) * rate, keyed_places(cut));
}

void RigCoordinates::carry(State& state, double before, double cut) const {
  // Free parameters whose own keys jump go along with them; what is left of the way is found.
  const VecX was = keyed_(before), rate = (was - keyed_(before - kInstant)) / kInstant, is = keyed_(cut);
  VecX q = is;
  for (int a : free_) {
    const double by = is[a] - (was[a] + (cut - before) * rate[a]);
    const bool jumps = std::abs(by) > kKeyRounding * body_.rig()->parameters()[static_cast<size_t>(a)].unit;
    q[a] = state.q[a] + (jumps ? by : 0);
  }
  fit(state.u, cut, q);
  state.q = q;
  state.u = brought(body_, state.u, body_.rigged_displacement(q, cut));
}

void RigCoordinates::fit(const VecX& u, double t, VecX& q) const {
  if (free_.empty()) return;
  const VecX goal = rigged_places(body_, u);
  const auto miss = [&](const VecX& at) -> VecX {
    return goal - rigged_places(body_, body_.rigged_displacement(at, t));
  };
  VecX left = miss(q);
  for (int k = 0; k < kFitSteps && left.cwiseAbs().maxCoeff() > kFitted * model_.size(); ++k) {
    const MatX J = body_.rigged_jacobian(q, t, free_);
    MatX A = J.transpose() * J;
    A.diagonal().array() += kFitRidge * A.diagonal().maxCoeff();
    const VecX d = A.ldlt().solve(J.transpose() * left);
    VecX next = q;
    for (size_t a = 0; a < free_.size(); ++a) next[free_[a]] += d[static_cast<Eigen::Index>(a)];
    const VecX then = miss(next);
    if (!(then.squaredNorm() < left.squaredNorm())) return;
    q = next, left = then;
  }
}

int RigCoordinates::parts_of(const State& state, double t) const {
  if (!(options_.bend_limit > 0) || !std::isfinite(options_.bend_limit)) return 1;
  // Where the surface would be if free parameters stayed: what of its motion is not rigid bends the body.
  const VecX from = rigged_places(body_, state.u);
  const VecX to = rigged_places(body_, body_.rigged_displacement(keyed_with(state.q, t), t));
  const RigidMotion motion = fit_rigid_motion(from, to);
  double most = 0;
  for (Eigen::Index k = 0; k < from.size(); k += 3)
    most = std::max(most, (to.segment<3>(k) - motion(from.segment<3>(k))).norm());
  const double parts = std::ceil(most / (options_.bend_limit * model_.mean_edge()) - 1e-9);
  if (!std::isfinite(parts)) return 1;
  return static_cast<int>(std::clamp(parts, 1.0, std::ldexp(1.0, options_.max_halvings)));
}

VecX RigCoordinates::obstacles(double t) const { return obstacles_ ? obstacles_->at(t) : surface_->obstacle_rest(); }

// Solving.

std::unique_ptr<RigNewton> RigCoordinates::make_newton(std::vector<const Term*> terms, std::vector<int> free,
                                                       ContactTerm* contact) {
  return std::make_unique<RigNewton>(body_, std::move(terms), std::move(free), contact, options_.solver,
                                     options_.linear_solver);
}

void RigCoordinates::make_solver(std::vector<const Term*> terms, ContactTerm* contact) {
  contact_ = contact;
  newton_ = make_newton(std::move(terms), free_, contact);
}

void RigCoordinates::use_terms(std::vector<const Term*> terms) {
  other_newton_.reset();
  if (!terms.empty()) other_newton_ = make_newton(std::move(terms), free_, contact_);
}

NewtonOptions RigCoordinates::solver_options(double da_du, const VecX& u) const {
  NewtonOptions out = options_.newton;
  out.floor = std::max(out.floor, model_.rounding_floor(da_du, u.size() ? u.cwiseAbs().maxCoeff() : 0));
  return out;
}

void RigCoordinates::guess(const StageProblem& s, VecX& u, VecX& q, const VecX& v, const VecX& rate) {
  const double ahead = s.t - s.t_last;
  const StageMotion motion{s.rule.now, s.v_offset, s.rule.now * s.rule.now, s.a_offset};
  // Free parameters as they are, the interior carried along with what is keyed, so that fast motion crushes no tets.
  const VecX start_u = u, start_q = q;
  q = keyed_with(start_q, s.t_drive);
  u = brought(body_, start_u, body_.rigged_displacement(q, s.t_drive));
  if (rate.size() == 0) return;
  // Or all as it would coast.
  RigNewton& newton = other_newton_ ? *other_newton_ : *newton_;
  VecX coast_q = q;
  for (int a : free_) coast_q[a] = start_q[a] + ahead * rate[a];
  const VecX surface = body_.rigged_displacement(coast_q, s.t_drive);
  if (!surface.allFinite()) return;
  for (double share : {0.0, 0.5}) {
    if (share > 0 && s.begin.a.size() != u.size()) break;
    const VecX coast = body_.interior().expand(
        body_.interior().gather(start_u + ahead * v + share * ahead * ahead * s.begin.a), surface);
    if (newton.better_start({coast, coast_q, s.t_drive}, {u, q, s.t_drive}, motion)) q = coast_q, u = coast;
  }
}

NewtonReport RigCoordinates::solve(const StageProblem& s, VecX& u, const VecX& v, VecX& q, const VecX& q_rate) {
  const StageMotion motion{s.rule.now, s.v_offset, s.rule.now * s.rule.now, s.a_offset};
  NewtonOptions options = solver_options(motion.da_du, u);
  options.may_let_go = s.may_let_go;
  options.others_move = contact_ && contact_->obstacles_move();
  solved_t_ = s.t_drive;
  // With contact only where it is now it is known to be allowed: keyed things go their way from there as they can.
  if (!contact_) guess(s, u, q, v, q_rate);
  const Place goal{{}, keyed_with(q, s.t_drive), s.t_drive};
  Place place{u, q, contact_ ? std::min(s.t_last, s.t_drive) : s.t_drive};
  NewtonReport report = (other_newton_ ? *other_newton_ : *newton_).solve(place, goal, motion, options);
  u = std::move(place.u), q = std::move(place.q);
  return report;
}

VecX RigCoordinates::acceleration(const State& at, const VecX& r, bool start) {
  const double t = start ? at.t : solved_t_;
  const bool massless = body_.spec().interior == Interior::fixed;
  if (!masses_) {
    PatternBuilder builder(body_.n_vertices());
    body_.mass()->couple(builder);
    masses_ = std::make_unique<RigSystem>(body_, options_.linear_solver);
    M_ = BlockMatrix(builder.build());
    masses_->couple(M_.pattern);
  }
  BlockMatrix& M = M_;
  M.set_zero();
  body_.mass()->add_to(M, 1);
  VecX bn = -body_.interior().restrict_(r);
  if (massless) {
    // The interior follows: any mass will do to leave it out.
    bn.setZero();
    for (int v = 0; v < body_.n_vertices(); ++v)
      if (body_.interior().free_index(v) >= 0) {
        double* block = M.block(M.pattern->row_start[static_cast<size_t>(v) + 1] - 1);
        block[0] = block[4] = block[8] = 1;
      }
  }
  MatX J = body_.rigged_jacobian(at.q, t, free_);
  std::vector<char> dead(free_.size(), 0);
  VecX rows(J.rows());
  for (size_t k = 0; k < body_.rigged().size(); ++k)
    rows.segment<3>(3 * static_cast<Eigen::Index>(k)) = r.segment<3>(3 * body_.rigged()[k]);
  for (Eigen::Index a = 0; a < J.cols(); ++a) {
    const double length = J.col(a).norm();
    dead[static_cast<size_t>(a)] = length == 0;
    if (length > 0) J.col(a) /= length;
  }
  VecX b(bn.size() + J.cols()), d, a = VecX::Zero(r.size());
  b << bn, -J.transpose() * rows;
  if (b.isZero(0)) return a;
  double share = 0;
  NewtonReport report;
  masses_->forget();
  masses_->take(M, nullptr, at.u, J, dead, MatX());
  if (!masses_->direction(b, {.exactness = kMassExactness}, share, d, report)) return a;
  a = body_.interior().expand(d.head(bn.size()));
  const VecX moved = J * d.tail(J.cols());
  for (size_t k = 0; k < body_.rigged().size(); ++k)
    a.segment<3>(3 * body_.rigged()[k]) = moved.segment<3>(3 * static_cast<Eigen::Index>(k));
  return massless ? body_.extend(a) : a;
}

NewtonReport RigCoordinates::settle(double t, VecX& u, VecX& q) {
  u = body_.extend(body_.rigged_displacement(q, t));
  return equilibria_->solve_static(u, q, t, solver_options(0, u));
}

void RigCoordinates::settle_interior(double t, VecX& u, VecX& q) {
  u = body_.extend(body_.rigged_displacement(q, t));
  // A shape that is held has its interior. Else an interior without inertia is in equilibrium at all times, with its
  // weight.
  RigNewton& inside = body_.spec().interior == Interior::fixed ? *interior_ : *unloaded_;
  if (!options_.hold_keyed) inside.solve_static(u, q, t, solver_options(0, u));
}

VecX RigCoordinates::animated(double t, int derivative) const {
  if (!options_.hold_keyed) return {};
  if (derivative == 0) return flatten(model_.mesh().vertices) + keyed_shape(t);
  const Around s = around(t);
  return (keyed_shape(s.after) - keyed_shape(s.before)) / (s.after - s.before);
}

VecX RigCoordinates::equilibrium(double t, const VecX&) {
  VecX u, q = keyed_(t);
  settle(t, u, q);
  return u;
}

// Of steps and of equilibria, one after the other.
KeptFactor::Mark RigCoordinates::factor_mark() const {
  const VecX steps = newton_->kept(), standing = equilibria_->kept();
  VecX all(1 + steps.size() + standing.size());
  all[0] = static_cast<double>(steps.size());
  all.segment(1, steps.size()) = steps;
  all.tail(standing.size()) = standing;
  return {.values = std::make_shared<const VecX>(std::move(all))};
}

void RigCoordinates::restore_factor(const KeptFactor::Mark& mark) {
  if (!mark.values || mark.values->size() == 0) return;
  const VecX& all = *mark.values;
  const auto n = static_cast<Eigen::Index>(all[0]);
  newton_->restore(all.segment(1, n));
  equilibria_->restore(all.tail(all.size() - 1 - n));
}

std::string RigCoordinates::likely_cause() const {
  return "a keyed motion that turns the body inside out, or a material too soft for its load; try more substeps, a "
         "stiffer material or stable-neo-hookean";
}

}  // namespace supple
