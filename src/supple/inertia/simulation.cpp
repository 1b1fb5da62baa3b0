#include "supple/inertia/simulation.h"

#include <Eigen/Geometry>
#include <cmath>

#include "supple/base/digest.h"
#include "supple/base/expect.h"
#include "supple/base/timer.h"
#include "supple/inertia/settle.h"

namespace supple {

Simulation::Simulation(const Model& model, SimulationSpec spec)
    : model_(model),
      spec_(std::move(spec)),
      h_(spec_.frame / spec_.substeps),
      statics_(static_spec(model.spec())),
      frames_(*statics_.elements()),
      amplitude_(*statics_.mass()) {
  TimeInto timer(static_s_);
  const bool stencils = spec_.adjustment.differences == StaticDifferences::five_point;
  StaticTrackOptions options{.knot_spacing = h_,
                             .tolerance = spec_.stepper.tolerance,
                             .linear_solver = spec_.stepper.linear_solver,
                             .first_guess = spec_.first_guess,
                             .kept_knots = 12 + 2 * spec_.substeps,
                             .in_world = stencils,
                             .n_bystanders = model.spec().n_bystanders,
                             .stiffness = spec_.adjustment.stiffness,
                             .gravity = spec_.adjustment.gravity,
                             .given = spec_.drive.shape ? spec_.drive.shape : spec_.followed,
                             .given_is_shape = spec_.drive.shape != nullptr};
  expect(!spec_.followed || spec_.drive.shape || spec_.adjustment.plain_inertia(),
         "inertia is adjusted about a shape that is computed or given");
  if (spec_.knots && !options.given) {
    knots_key_ = static_key(options);
    knots_ = spec_.knots->of(knots_key_, statics_.n_vertices());
  }
  if (!stencils && !spec_.solve_every_step && !options.given)
    options.knot_spacing = choose_knot_spacing(statics_, spec_.drive, options, spec_.frame, h_, spec_.t_start,
                                               spec_.t_end, knots_ ? &knots_->enough : nullptr);
  track_ = std::make_unique<StaticTrack>(statics_, spec_.drive, options);
  track_->set_store(knots_);
  blank_ = track_->memory();
  if (!spec_.adjustment.plain_inertia() || spec_.adjustment.keyed() || spec_.drive.shape)
    driver_ = std::make_unique<AdjustedInertia>(model_, frames_, *track_, spec_.adjustment);
  Drive drive = spec_.drive;
  if (model_.contact() && spec_.drawn_contact)
    drive.obstacles = make_function_track(model_.contact()->n_obstacle_points() + model_.contact()->n_points(),
                                          [this, obstacles = spec_.drive.obstacles](double t, int derivative) {
                                            return derivative > 0 ? VecX() : prescribed_contact(obstacles, t);
                                          });
  stepper_ = std::make_unique<Stepper>(model_, drive, spec_.stepper, driver_.get());
}

// Obstacles, and for every point what is to be added to where its vertices carry it.
VecX Simulation::prescribed_contact(const std::shared_ptr<const Track>& obstacles, double t) {
  const ContactSurface& surface = *model_.contact();
  const VecX at = obstacles ? obstacles->at(t) : surface.obstacle_rest();
  VecX all = VecX::Zero(at.size() + 3 * surface.n_points());
  all.head(at.size()) = at;
  const VecX drawn = spec_.drawn_contact->at(t);
  const Points carried = surface.places(track_->at(t), at);
  for (Eigen::Index i = 0; 3 * i < drawn.size(); ++i)
    all.segment<3>(at.size() + 3 * i) = drawn.segment<3>(3 * i) - carried[static_cast<size_t>(i)];
  return all;
}

Simulation::~Simulation() = default;

// All that p depends on but for the spacing of the knots. The drive is asked at the frames and once between them:
// enough to tell motions apart, and knots are compared one by one.
std::string Simulation::static_key(const StaticTrackOptions& o) const {
  Digest d;
  d.add(static_digest(statics_.spec())).add(o.tolerance).add(o.linear_solver).add(o.first_guess);
  for (const FactorKeys* keys : {&o.stiffness, &o.gravity}) d.add(keys->keys);
  d.add(spec_.frame).add(spec_.t_start).add(spec_.t_end);
  constexpr double kBetween = 0.381966;
  for (double t = spec_.t_start; t <= spec_.t_end + spec_.frame / 2; t += spec_.frame)
    for (double s : {t, t + kBetween * spec_.frame}) {
      d.add(driven_points(spec_.drive, s));
      if (spec_.drive.spring_factors) d.add(spec_.drive.spring_factors(s));
    }
  for (const auto* track : {&spec_.drive.vertices, &spec_.drive.ties, &spec_.drive.springs})
    if (*track) d.add((*track)->cuts());
  return d.text();
}

void Simulation::keep_knots() {
  if (knots_) return;
  knots_ = std::make_shared<KnotStore>();
  track_->set_store(knots_);
}

void Simulation::p_motion(double t, VecX& p, VecX& rate) {
  const double dt = track_->knot_spacing() / 16;
  p = track_->at(t);
  if (track_->is_shape()) {
    rate = track_->derivative_at(t, 1);
    return;
  }
  const VecX after = track_->at(t + dt);
  // Not from beyond a cut.
  rate = track_->is_cut(t - dt, t) ? VecX((4 * after - 3 * p - track_->at(t + 2 * dt)) / (2 * dt))
                                   : VecX((after - track_->at(t - dt)) / (2 * dt));
  // What is prescribed moves as prescribed.
  const AffineMap& map = model_.constraints().map();
  rate = map.expand(map.gather(rate), prescribed_rate(model_, spec_.drive, t, 1));
}

void Simulation::start(bool moving, double earlier_s) {
  const long lead = std::lround(earlier_s / h_);
  const double t = spec_.t_start - static_cast<double>(lead) * h_;
  VecX p, rate;
  {
    TimeInto timer(static_s_);
    p = track_->at(t);
    rate = VecX::Zero(p.size());
    if (moving) p_motion(t, p, rate);
  }
  start_at(t, settled_at(t, std::move(p)), rate);
}

// Where flesh that follows p hangs still.
VecX Simulation::settled_at(double t, VecX p) {
  if (spec_.followed && !spec_.drive.shape) {
    const TimeInto timer(static_s_);
    StaticSolver solver(statics_, spec_.drive, spec_.stepper.linear_solver, spec_.stepper.tolerance);
    const auto n = 3 * statics_.n_vertices();
    const StaticSolver::Result rest = solver.solve(t, p.head(n));
    if (rest.converged) p.head(n) = rest.u;
  }
  // A shape that is drawn bears the weight that it was drawn under; under another the flesh begins where that lets it.
  return spec_.drive.shape && !bears_its_weight(t) ? settle(*this, t).u : p;
}

// What is not its own goes on.
void Simulation::begin_anew(State& state) {
  VecX p, rate;
  {
    TimeInto timer(static_s_);
    p_motion(state.t, p, rate);
  }
  const Eigen::Index own = 3 * static_cast<Eigen::Index>(model_.n_own());
  VecX u = state.u, v = state.v;
  u.head(own) = settled_at(state.t, std::move(p)).head(own), v.head(own) = rate.head(own);
  const double contact_stiffness = state.contact_stiffness;
  state = stepper_->start(state.t, u, v);
  state.contact_stiffness = contact_stiffness;
}

bool Simulation::bears_its_weight(double t) const {
  constexpr double kSame = 1e-9;
  const Eigen::Index own = 3 * static_cast<Eigen::Index>(model_.n_own());
  VecX drawn = model_.gravity_force();
  drawn.head(spec_.drive.carried.size()) = spec_.drive.carried;
  const Adjustment& a = spec_.adjustment;
  const VecX left = a.gravity.at(t) * model_.gravity_force() - a.stiffness.at(t) * drawn;
  return left.head(own).norm() <= kSame * drawn.head(own).norm();
}

void Simulation::start_at(double t, const VecX& u, const VecX& v) {
  TimeInto timer(step_s_);
  ahead_.clear();
  steps_ = std::lround((t - spec_.t_start) / h_);
  VecX moving = v;
  if (spec_.bystander_velocity.size() > 0) moving.tail(spec_.bystander_velocity.size()) = spec_.bystander_velocity;
  state_ = stepper_->start(t, u, moving);
  q_.resize(0);
}

void Simulation::start_with(State state) {
  ahead_.clear();
  steps_ = std::lround((state.t - spec_.t_start) / h_);
  state_ = std::move(state);
  q_.resize(0);
  amplitude_.integral = amplitude_.time = amplitude_.largest_peak = 0;
  TimeInto timer(static_s_);
  track_->set_memory(blank_);
  p();
}

StepReport Simulation::step() {
  StepReport report;
  if (steps_ >= 0 && steps_ < static_cast<long>(ahead_.size())) {
    const Taken& again = ahead_[static_cast<size_t>(steps_++)];
    report = again.report;
    state_ = again.state;
    q_.resize(0);
  } else {
    TimeInto timer(step_s_);
    State next = state_;
    report = stepper_->step(next, h_);
    taken_ += report.substeps + report.retries;
    // The clock comes from the step's number, so that rounding does not pile up over a long shot.
    next.t = spec_.t_start + static_cast<double>(steps_ + 1) * h_;
    if (report.cuts > 0 && spec_.settles_at_cuts) begin_anew(next);
    ++steps_;
    state_ = std::move(next);
    q_.resize(0);
  }
  TimeInto timer(static_s_);
  p();
  if (steps_ > 0 && report.cuts == 0) amplitude_.add(q(), h_);
  if (steps_ > 0 && report.cuts > 0) amplitude_.look(q());
  return report;
}

Simulation::Mark Simulation::mark() const {
  return {state_, steps_, amplitude_.integral, amplitude_.time, amplitude_.largest_peak, factor_mark()};
}

void Simulation::rewind(const Mark& m) {
  state_ = m.state;
  q_.resize(0);
  steps_ = m.steps;
  if (!handed_out()) stepper_->restore_factor(m.factor);
  amplitude_.integral = m.integral, amplitude_.time = m.time, amplitude_.largest_peak = m.largest_peak;
}

const VecX& Simulation::q() {
  if (q_.size() == 0) q_ = local_displacement(frames_, state_.u, p());
  return q_;
}

void Simulation::save(Checkpoint& c) const {
  put(c, state_);
  const StaticTrack::Memory m = track_->memory();
  c.vectors["track"] = Eigen::Map<const VecX>(m.numbers.data(), static_cast<Eigen::Index>(m.numbers.size()));
  for (size_t i = 0; i < m.vectors.size(); ++i) c.vectors["track" + std::to_string(i)] = m.vectors[i];
  c.numbers["track_vectors"] = static_cast<double>(m.vectors.size());
  c.numbers["steps"] = static_cast<double>(steps_);
  const KeptFactor::Mark factor = factor_mark();
  c.vectors["factor"] = factor.values ? *factor.values : VecX();
  c.vectors["factor_places"] = factor.places ? *factor.places : VecX();
  c.numbers["factor_v"] = factor.key_v, c.numbers["factor_a"] = factor.key_a;
  c.numbers["amplitude_integral"] = amplitude_.integral;
  c.numbers["amplitude_time"] = amplitude_.time;
  c.numbers["largest_peak"] = amplitude_.largest_peak;
}

void Simulation::load(const Checkpoint& c) {
  ahead_.clear();
  state_ = get_state(c);
  q_.resize(0);
  StaticTrack::Memory m;
  const VecX& numbers = c.vectors.at("track");
  m.numbers.assign(numbers.begin(), numbers.end());
  for (int i = 0; i < static_cast<int>(c.numbers.at("track_vectors")); ++i)
    m.vectors.push_back(c.vectors.at("track" + std::to_string(i)));
  track_->set_memory(m);
  stepper_->restore_factor({.values = std::make_shared<const VecX>(c.vectors.at("factor")),
                            .places = std::make_shared<const VecX>(c.vectors.at("factor_places")),
                            .key_v = c.numbers.at("factor_v"),
                            .key_a = c.numbers.at("factor_a")});
  steps_ = std::lround(c.numbers.at("steps"));
  amplitude_.integral = c.numbers.at("amplitude_integral");
  amplitude_.time = c.numbers.at("amplitude_time");
  amplitude_.largest_peak = c.numbers.at("largest_peak");
}

double Simulation::static_seconds() const { return static_s_ + (driver_ ? driver_->static_seconds() : 0); }
double Simulation::dynamic_seconds() const {
  return step_s_ - (driver_ ? driver_->static_seconds() + driver_->force_seconds() : 0);
}

}  // namespace supple
