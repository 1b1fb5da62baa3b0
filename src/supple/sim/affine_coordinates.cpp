#include "supple/sim/affine_coordinates.h"

#include <utility>

#include "supple/linalg/dense.h"
#include "supple/sim/static_solver.h"
#include "supple/solve/vertex_newton.h"

namespace supple {

namespace {

constexpr int kMassIterations = 100;

// Of the rigid motion that fits given points best.
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

AffineCoordinates::AffineCoordinates(const Model& model, Drive drive, AffineSolverOptions options)
    : Coordinates(model), drive_(std::move(drive)), options_(std::move(options)) {
  springs_ = model.make_springs();
  if (springs_ && drive_.spring_factors) springs_->let_strengths_vary();
  if (!drive_.shape) return;
  elastic_->follow_shape();
  strain_history_ = viscous_;  // the shape turns, and so do the axes that strains are seen in
  VecX carried = model.gravity_force();
  carried.tail(3 * model.spec().n_bystanders).setZero();
  carried.head(drive_.carried.size()) = drive_.carried;
  carried_ = std::make_unique<LoadTerm>(std::move(carried));
  carried_->set_scale(-1);
}

AffineCoordinates::~AffineCoordinates() = default;

std::vector<const Term*> AffineCoordinates::forces() const {
  std::vector<const Term*> list = {elastic_.get(), gravity_.get()};
  if (springs_) list.push_back(springs_.get());
  if (carried_) list.push_back(carried_.get());
  return list;
}

void AffineCoordinates::set_forces(double t, const Driver::Scales* scales) {
  Coordinates::set_forces(t, scales);
  if (springs_) put_springs(drive_, t, *springs_);
  if (!drive_.shape) return;
  elastic_->set_shape(of_shape(t, 0));
  if (scales) carried_->set_scale(-scales->stiffness);
}

// Displacement of the body's own vertices, or how it changes.
VecX AffineCoordinates::of_shape(double t, int derivative) const {
  VecX x = drive_.shape->at(t, derivative);
  if (derivative == 0) x -= flatten(model_.mesh().vertices).head(x.size());
  return x;
}

VecX AffineCoordinates::shape_velocity(double t) const {
  if (!drive_.shape) return {};
  VecX all = VecX::Zero(3 * model_.n_vertices());
  const VecX own = of_shape(t, 1);
  all.head(own.size()) = own;
  return all;
}

void AffineCoordinates::place(State& s) const {
  s.u = map().expand(map().gather(s.u), prescribed(model_, drive_, s.t));
}

const std::shared_ptr<const Track>& AffineCoordinates::leading_track() const {
  return drive_.vertices ? drive_.vertices : drive_.ties ? drive_.ties : drive_.springs;
}

RigidVelocity AffineCoordinates::leading_velocity(double t) const {
  const auto& track = leading_track();
  return track ? fit_rigid_velocity(track->at(t), track->at(t, 1)) : RigidVelocity();
}

RigidMotion AffineCoordinates::leading_motion(double from, double to) const {
  return fit_rigid_motion(leading_track()->at(from), leading_track()->at(to));
}

std::vector<double> AffineCoordinates::cuts() const {
  std::vector<double> times;
  for (const auto* track : {&drive_.vertices, &drive_.ties, &drive_.springs, &drive_.shape}) {
    if (!*track) continue;
    const std::vector<double> more = (*track)->cuts();
    times.insert(times.end(), more.begin(), more.end());
  }
  return times;
}

RigidMotion AffineCoordinates::jump(double before, double cut) const {
  // The flesh is where the old side has it at the cut itself.
  const VecX there = driven_points(drive_, before) + (cut - before) * driven_points(drive_, before, 1);
  return fit_rigid_motion(there, driven_points(drive_, cut));
}

VecX AffineCoordinates::obstacles(double t) const {
  return drive_.obstacles ? drive_.obstacles->at(t) : model_.contact()->obstacle_rest();
}

std::unique_ptr<VertexNewton> AffineCoordinates::make_newton(std::vector<const Term*> terms) const {
  return std::make_unique<VertexNewton>(std::move(terms), map(), options_.linear_solver,
                                        flatten(model_.mesh().vertices), contact_term_);
}

void AffineCoordinates::make_solver(std::vector<const Term*> terms, ContactTerm* contact) {
  contact_term_ = contact;
  newton_ = make_newton(std::move(terms));
}

void AffineCoordinates::use_terms(std::vector<const Term*> terms) {
  other_newton_.reset();
  if (!terms.empty()) other_newton_ = make_newton(std::move(terms));
}

NewtonReport AffineCoordinates::solve(const StageProblem& s, VecX& u, const VecX& v, VecX&, const VecX&) {
  const VecX u_d = prescribed(model_, drive_, s.t_drive, &tie_residual_);
  const StageMotion motion{s.rule.now, s.v_offset, s.rule.now * s.rule.now, s.a_offset};
  VertexNewton& newton = other_newton_ ? *other_newton_ : *newton_;
  // Start from where the flesh is or from where it would coast to, whichever has the lower potential. With contact
  // only the former is known to be allowed.
  Place place{u}, coast{u + (s.t - s.t_last) * v};
  if (!contact_term_ && newton.better_start(coast, place, motion)) place.u.swap(coast.u);
  const NewtonOptions options{.tolerance = options_.tolerance,
                              .floor = model_.rounding_floor(motion.da_du, place.u.cwiseAbs().maxCoeff()),
                              .max_iterations = options_.max_newton,
                              .keep_factor = true,
                              .follow_beyond = kFollowBeyond * model_.mean_edge(),
                              .may_let_go = s.may_let_go,
                              .others_move = contact_term_ && contact_term_->obstacles_move()};
  NewtonReport report = newton.solve(place, {u_d}, motion, options);
  u = std::move(place.u);
  return report;
}

VecX AffineCoordinates::acceleration(const State&, const VecX& r, bool start) {
  return start ? acceleration_by_factor(r) : acceleration_by_iteration(r);
}

VecX AffineCoordinates::acceleration_by_factor(const VecX& r) const {
  PatternBuilder builder(model_.n_vertices());
  model_.mass()->couple(builder);
  const auto pattern = builder.build();
  BlockMatrix M(pattern);
  model_.mass()->add_to(M, 1);
  const Reduction reduction(map(), pattern);
  BlockMatrix M_free(reduction.pattern());
  reduction.apply(M, M_free);
  auto solver = supple::make_solver(options_.linear_solver, map().n_free());
  solver->set_tolerance(1e-12);
  solver->analyse(reduction.pattern());
  if (solver->factorize(M_free) != FactorStatus::ok) return VecX::Zero(r.size());
  return map().expand(solver->solve(VecX(-map().restrict_(r))));
}

VecX AffineCoordinates::acceleration_by_iteration(const VecX& r) const {
  // Z^T M Z y = Z^T f by conjugate gradients, f = -r: masses differ, but are nearly a diagonal.
  const AffineMap& map = this->map();
  const VecX b = map.restrict_(VecX(-r));
  VecX weight(b.size());
  for (int i = 0; i < map.n_free(); ++i) {
    double m = 0;
    for (const auto& [vertex, w] : map.column(i)) m += w * w * model_.mass()->per_vertex()[vertex];
    weight.segment<3>(3 * i).setConstant(m > 0 ? 1 / m : 0);
  }
  VecX y = VecX::Zero(b.size()), left = b, z = weight.cwiseProduct(left), p = z;
  double rz = left.dot(z);
  const double enough = 1e-24 * rz;
  for (int k = 0; k < kMassIterations && rz > enough; ++k) {
    const VecX q = map.restrict_(model_.mass()->multiply(map.expand(p)));
    const double alpha = rz / p.dot(q);
    y += alpha * p;
    left -= alpha * q;
    z = weight.cwiseProduct(left);
    const double before = std::exchange(rz, left.dot(z));
    p = z + (rz / before) * p;
  }
  return map.expand(y);
}

VecX AffineCoordinates::animated(double t, int derivative) const {
  return drive_.animation ? drive_.animation->at(t, derivative) : VecX();
}

VecX AffineCoordinates::equilibrium(double t, const VecX& guess) {
  if (!equilibrium_) equilibrium_ = std::make_unique<StaticSolver>(model_, drive_, options_.linear_solver, 1e-3);
  return equilibrium_->solve(t, guess).u;
}

std::string AffineCoordinates::place_of(const NewtonReport& report) const {
  int vertex = -1;
  for (int i = 0; i < model_.n_vertices() && vertex < 0; ++i)
    if (map().free_index(i) == report.worst_vertex) vertex = i;
  return model_.part_of(vertex);
}

std::string AffineCoordinates::likely_cause() const {
  return "a driven motion too violent for the step, or a material too soft for its load; try more substeps, a stiffer "
         "material or stable-neo-hookean";
}

SolverStats AffineCoordinates::solver_stats() const { return newton_->solver_stats(); }
std::string AffineCoordinates::linear_solver() const { return newton_->linear_solver(); }
double AffineCoordinates::contact_seconds() const { return newton_->contact_seconds(); }
double AffineCoordinates::assemble_seconds() const { return newton_->assemble_seconds(); }
KeptFactor::Mark AffineCoordinates::factor_mark() const { return newton_->factor_mark(); }
void AffineCoordinates::restore_factor(const KeptFactor::Mark& mark) { newton_->restore_factor(mark); }

}  // namespace supple
