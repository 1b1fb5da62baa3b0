#include "supple/rigspace/rig_stepper_work.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "supple/base/error.h"
#include "supple/mesh/rigid_fit.h"

namespace supple {

namespace {

constexpr double kInstant = 1e-4;    // [s] over which what is keyed is differenced
constexpr double kSlipShare = 1e-3;  // sizes a second, as in sim/stepper.cpp
constexpr double kMassExactness = 1e-12;
constexpr double kNudge = 0.1;  // of a parameter's unit

}  // namespace

RigStepper::Work::Work(const RigBody& b, std::vector<int> f, KeyedParameters k, RigStepOptions o, Driver* d,
                       std::function<VecX(double)> places, std::shared_ptr<const Track> others)
    : body(b),
      free(std::move(f)),
      keyed(std::move(k)),
      options(std::move(o)),
      driver(d),
      targets(std::move(places)),
      obstacles(std::move(others)) {
  if (!keyed) keyed = [rig = body.rig()](double t) { return rig->keyed(t); };
  const Model& model = body.model();
  elastic = model.make_elastic();
  still = model.make_elastic();
  if (driver && driver->scales_vary()) elastic->let_scales_vary();
  inertia = std::make_unique<InertiaTerm>(body.mass(), model.spec().mass_damping);
  gravity = std::make_unique<LoadTerm>(model.gravity_force());
  if (options.hold_keyed) {
    shape = std::make_unique<HeldShape>(model);
    held = std::make_unique<LoadTerm>(VecX::Zero(3 * static_cast<Eigen::Index>(body.n_vertices())));
  }
  handles = body.make_handles();
  if (handles && !targets)
    throw InputError({.place = "handles"}, "handles have no targets", "say where they are to be");
  if (body.contact().on()) make_contact();
  newton = std::make_unique<RigNewton>(body, terms(), free, contact.get());
  const Term* resisting = shape ? static_cast<const Term*>(shape.get()) : still.get();
  std::vector<const Term*> standing = {resisting, gravity.get()};
  if (held) standing.push_back(held.get());
  interior = std::make_unique<RigNewton>(body, standing, std::vector<int>());
  if (handles) standing.push_back(handles.get());
  equilibria = std::make_unique<RigNewton>(body, standing, free);
  unloaded = std::make_unique<RigNewton>(body, std::vector<const Term*>{resisting}, std::vector<int>());
  viscous = model.damped() && (shape || model.spec().damping == ElementDamping::viscous);
  strain_history = viscous && (shape || model.spec().material != MaterialModel::linear);
}

std::vector<const Term*> RigStepper::Work::terms() const {
  const Term* resisting = shape ? static_cast<const Term*>(shape.get()) : elastic.get();
  std::vector<const Term*> list = {inertia.get(), resisting, gravity.get()};
  if (handles) list.push_back(handles.get());
  if (held) list.push_back(held.get());
  if (driver && driver->term()) list.push_back(driver->term());
  return list;
}

void RigStepper::Work::make_contact() {
  // Vertices that no free parameter moves are where they are keyed to be, and nothing can push them.
  VecX p = body.rig()->rest();
  MatX J = body.rigged_jacobian(p, 0, free).cwiseAbs();
  for (int a = 0; a < body.rig()->n_parameters(); ++a)
    p[a] += kNudge * body.rig()->parameters()[static_cast<size_t>(a)].unit;
  J += body.rigged_jacobian(p, 0, free).cwiseAbs();
  std::vector<char> fixed(static_cast<size_t>(body.n_vertices()), 0);
  for (size_t k = 0; k < body.rigged().size(); ++k)
    fixed[static_cast<size_t>(body.rigged()[k])] =
        J.cols() == 0 || J.middleRows<3>(3 * static_cast<Eigen::Index>(k)).isZero(0);
  const ContactSpec& c = body.contact();
  surface = std::make_shared<const ContactSurface>(c, body.model().mesh().vertices, fixed);
  contact = std::make_unique<ContactTerm>(
      surface, ContactOptions{.thickness = c.thickness,
                              .friction = c.friction,
                              .slip_speed = c.slip_speed > 0 ? c.slip_speed : kSlipShare * body.model().size()});
}

VecX RigStepper::Work::keyed_with(const VecX& p, double t) const {
  VecX out = keyed(t);
  for (int a : free) out[a] = p[a];
  return out;
}

VecX RigStepper::Work::obstacles_at(double t) const { return obstacles ? obstacles->at(t) : surface->obstacle_rest(); }

RigNewtonOptions RigStepper::Work::solver_options(double da_du, const VecX& u) const {
  RigNewtonOptions out = options.newton;
  out.floor = std::max(out.floor, body.model().rounding_floor(da_du, u.size() ? u.cwiseAbs().maxCoeff() : 0));
  return out;
}

void RigStepper::Work::set_forces(double t) {
  Driver::Scales s;
  if (driver && driver->scales_vary()) {
    s = driver->scales(t);
    elastic->set_scales(s.stiffness, s.damping);
    still->set_scales(s.stiffness, s.damping);
    gravity->set_scale(s.gravity);
  }
  if (handles) {
    const VecX places = targets(t);
    handles->set_targets(places, VecX::Zero(places.size()));
  }
  if (shape) hold(t, s.stiffness, s.damping);
}

VecX RigStepper::Work::keyed_shape(double t) const { return body.extend(body.rigged_displacement(keyed(t), t)); }

VecX RigStepper::Work::strains(const VecX& u) const {
  return shape ? VecX(shape->strains(u) - shape->shape()) : elastic->strains(u);
}

void RigStepper::Work::hold(double t, double stiffness, double damping) {
  const VecX as_keyed = keyed_shape(t);
  shape->set_shape(shape->strains(as_keyed), stiffness, damping);
  shape->keep_volumes_of(as_keyed);
  const VecX zero = VecX::Zero(3 * static_cast<Eigen::Index>(body.n_vertices()));
  VecX r = zero;
  gravity->add({zero, zero, zero, 0, 0}, {.residual = &r});
  if (options.held_gravity) {
    const Vec3 more = *options.held_gravity - body.model().spec().gravity;
    r -= body.model().mass()->multiply(more.replicate(body.n_vertices(), 1));
  }
  held->set_force(r);
}

VecX RigStepper::Work::reference_velocity(const State& s, double t) const {
  // The rigid velocity of what is keyed, where the flesh will be by then, near enough.
  const auto places = [&](double when) -> VecX {
    const VecX u = body.rigged_displacement(keyed(when), when);
    VecX x(3 * static_cast<Eigen::Index>(body.rigged().size()));
    for (size_t k = 0; k < body.rigged().size(); ++k) {
      const int v = body.rigged()[k];
      x.segment<3>(3 * static_cast<Eigen::Index>(k)) =
          body.model().mesh().vertices[static_cast<size_t>(v)] + u.segment<3>(3 * v);
    }
    return x;
  };
  const RigidMotion motion = fit_rigid_motion(places(t - kInstant), places(t + kInstant));
  const Eigen::AngleAxisd turn(motion.R);
  const Vec3 angular = turn.angle() / (2 * kInstant) * turn.axis();
  const Vec3 linear = (motion.to - motion.from) / (2 * kInstant), centre = 0.5 * (motion.from + motion.to);
  VecX out(s.u.size());
  for (int i = 0; i < body.n_vertices(); ++i) {
    const Vec3 x = body.model().mesh().vertices[static_cast<size_t>(i)] + s.u.segment<3>(3 * i) +
                   (t - s.t) * s.v.segment<3>(3 * i);
    out.segment<3>(3 * i) = linear + angular.cross(Vec3(x - centre));
  }
  return out;
}

VecX RigStepper::Work::acceleration(const VecX& p, double t, const VecX& r) {
  const bool massless = body.spec().interior == Interior::fixed;
  if (!masses) {
    PatternBuilder builder(body.n_vertices());
    body.mass()->couple(builder);
    masses = std::make_unique<RigSystem>(body, builder.build());
  }
  BlockMatrix& M = masses->full();
  M.set_zero();
  body.mass()->add_to(M, 1);
  VecX bn = -body.interior().restrict_(r);
  if (massless) {
    // The interior follows: any mass will do to leave it out.
    bn.setZero();
    for (int v = 0; v < body.n_vertices(); ++v)
      if (body.interior().free_index(v) >= 0) {
        double* block = M.block(M.pattern->row_start[static_cast<size_t>(v) + 1] - 1);
        block[0] = block[4] = block[8] = 1;
      }
  }
  MatX J = body.rigged_jacobian(p, t, free);
  std::vector<char> dead(free.size(), 0);
  VecX rows(J.rows());
  for (size_t k = 0; k < body.rigged().size(); ++k)
    rows.segment<3>(3 * static_cast<Eigen::Index>(k)) = r.segment<3>(3 * body.rigged()[k]);
  for (Eigen::Index a = 0; a < J.cols(); ++a) {
    const double length = J.col(a).norm();
    dead[static_cast<size_t>(a)] = length == 0;
    if (length > 0) J.col(a) /= length;
  }
  const VecX bq = -J.transpose() * rows;
  VecX a = VecX::Zero(r.size());
  if (bn.squaredNorm() + bq.squaredNorm() == 0) return a;
  masses->set(J, dead, MatX());
  VecX dn, dq;
  double share = 0;
  RigSystemCount count;
  masses->forget();
  if (!masses->direction(
          bn, bq, kMassExactness, false, [] {}, share, dn, dq, count))
    return a;
  a = body.interior().expand(dn);
  const VecX moved = J * dq;
  for (size_t k = 0; k < body.rigged().size(); ++k)
    a.segment<3>(3 * body.rigged()[k]) = moved.segment<3>(3 * static_cast<Eigen::Index>(k));
  return massless ? body.extend(a) : a;
}

void RigStepper::Work::begin(RigState& s, const VecX& prescribed) {
  State& b = s.body;
  b.a = VecX::Zero(b.u.size());
  set_forces(b.t);
  if (strain_history) {
    b.strain = strains(b.u);
    // E' = sym(F^T F'), by a central difference of the strain along v.
    const double reach = std::max(b.v.cwiseAbs().maxCoeff(), 1e-30), d = 1e-6 * body.model().size() / reach;
    const auto along = [&](double by) -> VecX {
      const VecX u = b.u + by * b.v;
      return shape ? shape->strains(u) : elastic->strains(u);
    };
    b.strain_rate = (along(d) - along(-d)) / (2 * d);
    if (shape)
      b.strain_rate -=
          (shape->strains(keyed_shape(b.t + kInstant)) - shape->strains(keyed_shape(b.t - kInstant))) / (2 * kInstant);
  }
  b.a = prescribed;
  if (driver) driver->start(b);
  if (options.integrator != Integrator::tr_bdf2) return;
  // The trapezoid needs a(0).
  VecX r = body.mass()->multiply(b.a);
  // dv_du = 1: E' as it is
  if (viscous && shape)
    shape->set_damping(1, b.strain_rate - b.strain);
  else if (viscous)
    elastic->set_strain_rate_offset(strain_history ? VecX(b.strain_rate - b.strain) : elastic->strains(b.v - b.u));
  const Kinematics now{b.u, b.v, b.a, 1, 0};
  for (const Term* term : terms())
    if (term != inertia.get()) term->add(now, {.residual = &r});
  if (inertia->mass_damping() > 0)
    r += inertia->mass_damping() * body.mass()->multiply(b.v - reference_velocity(b, b.t));
  b.a += acceleration(s.p, b.t, r);
}

RigState RigStepper::equilibrium(double t, const VecX& guess) {
  Work& w = *work_;
  RigState s;
  s.body.t = t;
  s.p = guess.size() > 0 ? w.keyed_with(guess, t) : w.keyed(t);
  w.set_forces(t);
  s.body.u = w.body.extend(w.body.rigged_displacement(s.p, t));
  const RigNewtonReport found = w.equilibria->solve_static(s.body.u, s.p, t, w.solver_options(0, s.body.u));
  if (!found.converged)
    throw SimulationFailure(t, found.worst,
                            "no equilibrium was found: " + found.trouble +
                                ". Likely: nothing holds the body, or its material is too soft for its weight");
  s.body.v = VecX::Zero(s.body.u.size());
  w.begin(s, s.body.v);
  return s;
}

RigState RigStepper::start(double t, bool moving) {
  Work& w = *work_;
  RigState s;
  s.body.t = t;
  s.p = w.keyed(t);
  s.body.u = w.body.extend(w.body.rigged_displacement(s.p, t));
  // A shape that is held has its interior. Else an interior without inertia is in equilibrium at all times, with its
  // weight.
  RigNewton& inside = w.body.spec().interior == Interior::fixed ? *w.interior : *w.unloaded;
  if (!w.shape) inside.solve_static(s.body.u, s.p, t, w.solver_options(0, s.body.u));
  s.body.v = VecX::Zero(s.body.u.size());
  VecX a = s.body.v;
  if (moving) {
    const VecX before = w.body.rigged_displacement(w.keyed(t - kInstant), t - kInstant);
    const VecX here = w.body.rigged_displacement(s.p, t);
    const VecX after = w.body.rigged_displacement(w.keyed(t + kInstant), t + kInstant);
    s.body.v = w.body.extend((after - before) / (2 * kInstant));
    a = w.body.extend((after - 2 * here + before) / (kInstant * kInstant));
    s.p_rate = (w.keyed(t + kInstant) - w.keyed(t - kInstant)) / (2 * kInstant);
  }
  w.begin(s, a);
  return s;
}

}  // namespace supple
