#include "supple/solve/newton.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "supple/base/timer.h"
#include "supple/solve/newton_rules.h"

namespace supple {

namespace {
constexpr double kPoorStep = 0.25;         // a step cut to this or less is no good sign for its matrix
constexpr double kFollowExactness = 1e-3;  // of the guess to start from
// Of curved ways: the longest step; how often a chord is shortened, and by how much more than is asked for.
constexpr double kLongestStep = 4;
constexpr int kChordTries = 12;
constexpr double kChordMargin = 0.9;
constexpr double kNearlyFlat = 2e-8;  // of the potential: what a search along it may fail at
constexpr double kFewSteps = 0.2;     // the shortest tried then
}  // namespace

// A solve under way.
struct Newton::Course {
  const Place& goal;
  const NewtonOptions& options;
  NewtonReport report = {};
  Iterate now = {};
  VecX jump = {};    // what is prescribed has yet to go
  double share = 0;  // of the projection in the matrix
  int barred = 0;    // steps in a row that contact cut to next to nothing
  bool have_potential = false;

  // Of the iteration.
  bool arrived = true;       // what is prescribed is where it is to be
  bool have_factor = false;  // the matrix need not be made
  VecX r_free = {}, d = {};  // forces on the unknowns, and the direction
  double fell = 1;           // the residual, beside that of the iteration before
  double allowed = 0;        // residual [N]
  double slope = 0;

  bool over(std::string trouble) {
    report.trouble = std::move(trouble);
    return false;
  }
  std::string so_far() const { return fmt::format("(residual {:.3g} N, allowed {:.3g} N)", report.residual, allowed); }
};

Newton::Newton(std::vector<const Term*> terms, std::unique_ptr<Unknowns> unknowns, RovingTerm* roving)
    : terms_(std::move(terms)),
      roving_(roving),
      unknowns_(std::move(unknowns)),
      constant_(terms_.is_constant() && unknowns_->straight() && !roving),
      by_energy_(terms_.has_energy() && !constant_ && (!roving || roving->has_energy())) {
  PatternBuilder builder(unknowns_->n_vertices());
  terms_.couple(builder);
  full_ = BlockMatrix(builder.build());
  unknowns_->couple(full_.pattern, constant_, roving != nullptr);
}

Newton::~Newton() = default;

Kinematics Newton::kinematics(const Iterate& z) const {
  return {z.u, z.v, z.a, motion_->dv_du, motion_->da_du, z.progress};
}

void Newton::set_rates(Iterate& z) const {
  z.v = motion_->dv_du * z.u + motion_->v_offset;
  z.a = motion_->da_du * z.u + motion_->a_offset;
}

Iterate Newton::at(const Place& place, const StageMotion& motion) {
  motion_ = &motion;
  Iterate z;
  z.u = place.u, z.q = place.q, z.t = place.t;
  set_rates(z);
  return z;
}

Iterate Newton::along(const Iterate& from, const Way& way, double s) const {
  Iterate z = unknowns_->along(from, way, s);
  set_rates(z);
  return z;
}

void Newton::couple() {
  if (extra_.pattern && coupled_ == roving_->couplings()) return;
  coupled_ = roving_->couplings();
  PatternBuilder builder(full_.n());
  roving_->couple(builder);
  const auto pattern = builder.build();
  if (extra_.pattern && *extra_.pattern == *pattern) return;
  extra_ = BlockMatrix(pattern);
  unknowns_->couple_roving(pattern);
}

void Newton::evaluate(Iterate& z, bool residual, bool matrix, bool project) {
  const Kinematics x = kinematics(z);
  {
    const TimeInto timer(assemble_s_);
    terms_.evaluate(x, residual ? &z.r : nullptr, residual ? &z.scale : nullptr, matrix ? &full_ : nullptr, project);
  }
  if (!roving_) return;
  const TimeInto timer(contact_s_);
  if (matrix) {
    couple();
    extra_.set_zero();
  }
  scratch_.setZero(z.u.size());
  roving_->add(x,
               {.residual = residual ? &scratch_ : nullptr, .matrix = matrix ? &extra_ : nullptr, .project = project});
  if (!residual) return;
  if (roving_->in_scale()) z.scale += max_abs(scratch_);
  z.r += scratch_;
}

double Newton::potential(const Iterate& z) {
  const Kinematics x = kinematics(z);
  double energy = terms_.potential(x);
  if (!roving_) return energy;
  const TimeInto timer(contact_s_);
  roving_->add(x, {.energy = &energy});
  return energy;
}

bool Newton::better_start(const Place& other, const Place& place, const StageMotion& motion) {
  if (constant_) return false;  // any start will do
  Iterate here = at(place, motion), there = at(other, motion);
  return better(there, here);
}

bool Newton::better(Iterate& there, Iterate& here) {
  if (terms_.has_energy()) {
    const double gentle = terms_.has_gentle() ? terms_.gentle_residual(kinematics(here)).dot(there.u - here.u) : 0;
    return potential(there) + gentle < potential(here);
  }
  evaluate(here, true, false, false);
  evaluate(there, true, false, false);
  return unknowns_->reduce(there, there.r).norm() < unknowns_->reduce(here, here.r).norm();
}

bool Newton::direction(Iterate& z, const VecX& b, Wanted wanted, double& share, VecX& d, NewtonReport& report) {
  wanted.left_out = terms_.left_out_weight(kinematics(z));
  wanted.left_out_product = [&](const VecX& step, VecX& product) {
    terms_.multiply_left_out(kinematics(z), step, product);
  };
  wanted.project = [&] {
    evaluate(z, false, true, true);
    take(z);
  };
  return unknowns_->direction(z, b, wanted, share, d, report);
}

Iterate Newton::follow(const Place& place, const Place& imposed, const NewtonOptions& options, NewtonReport& report) {
  const VecX jump = imposed.u - place.u;
  Iterate there = at(imposed, *motion_);
  if (constant_ || !unknowns_->straight() || !(max_abs(jump) > options.follow_beyond)) return there;
  if (unknowns_->reduce(there, jump).size() == 0) return there;
  Iterate here = at(place, *motion_);
  evaluate(here, true, true, false);
  take(here);
  const VecX r = here.r + full_.multiply(jump);
  const VecX b = -unknowns_->reduce(here, r);
  if (!r.allFinite()) return there;
  VecX d;
  double share = 0;
  if (!direction(here, b, {.exactness = kFollowExactness, .rough = true}, share, d, report)) return there;
  Iterate led = at({.u = there.u + unknowns_->way(there, d, nullptr, nullptr).step, .q = {}, .t = 0}, *motion_);
  return led.u.allFinite() && better(led, there) ? led : there;
}

double Newton::passable(const Iterate& from, const Iterate& to) {
  if (!roving_) return 1;
  if (!to.u.allFinite()) return 0.5;
  const TimeInto timer(contact_s_);
  return roving_->safe_step(kinematics(from), to.u - from.u, to.progress - from.progress);
}

double Newton::safe_share(const Iterate& from, const Way& way) {
  if (unknowns_->straight()) {
    const TimeInto timer(contact_s_);
    return roving_->safe_step(kinematics(from), way.step, way.advance);
  }
  double s = way.first;
  for (int tries = 0; tries < kChordTries && s > 0; ++tries) {
    const double share = passable(from, along(from, way, s));
    if (share >= 1) return s;
    s *= kChordMargin * share;
  }
  return 0;
}

double Newton::wolfe(Iterate& now, const Way& way, double first, double slope, const VecX& gentle) {
  Iterate trial;
  double at = -1, energy = 0;
  const auto function = [&](double s, bool with_slope) -> SearchPoint {
    if (at != s) {
      trial = along(now, way, s);
      at = s;
      // A step is a curve where the rig is: other lengths of it have chords of their own.
      energy = passable(now, trial) < 1 || !trial.u.allFinite() ? INFINITY : potential(trial);
    }
    SearchPoint point{.value = gentle.size() > 0 ? energy + gentle.dot(trial.u - now.u) : energy};
    if (!with_slope) return point;
    if (trial.r.size() == 0) evaluate(trial, true, false, false);
    // Made here: where the rig has no derivative there is no slope.
    const bool finite = unknowns_->reduce(trial, trial.r).allFinite();
    VecX r = trial.r;
    if (gentle.size() > 0) r += gentle - terms_.gentle_residual(kinematics(trial));
    point.slope = finite ? r.dot(unknowns_->velocity(trial, way)) : NAN;
    return point;
  };
  const double most = roving_ ? first : kLongestStep * first;
  const SearchResult found = wolfe_search({potential_, slope}, first, most, function);
  if (!found.ok || !std::isfinite(function(found.step, true).slope)) return 0;
  potential_ = energy;
  now = std::move(trial);
  return found.step;
}

double Newton::search(Iterate& now, const Way& way, double first, const Descent& down) {
  const VecX gentle = by_energy_ && terms_.has_gentle() ? terms_.gentle_residual(kinematics(now)) : VecX();
  const bool curved = !unknowns_->straight();
  double least = kSmallestStep;
  if (by_energy_ && curved) {
    if (!is_flat(down.slope, potential_, potential_))
      if (const double s = wolfe(now, way, first, down.slope, gentle); s > 0) return s;
    if (std::abs(down.slope) > kNearlyFlat * std::abs(potential_)) return 0;
    least = kFewSteps * first;
  }
  if (roving_) past_.clear();  // what is near is another set at every iterate
  past_.add(down.r_free.norm());
  Iterate trial;
  const auto accepted = [&](double s) {
    trial = along(now, way, s);
    if (curved && (passable(now, trial) < 1 || !trial.u.allFinite())) return false;
    if (!by_energy_) {
      evaluate(trial, true, false, false);
      return past_.falls(unknowns_->reduce(trial, trial.r).norm(), s);
    }
    const double e = potential(trial);
    if (!std::isfinite(e)) return false;
    const double with_gentle = gentle.size() > 0 ? e + s * gentle.dot(way.step) : e;
    if (!falls_enough(with_gentle, potential_, s, down.slope)) {
      if (!is_flat(s * down.slope, potential_, e)) return false;
      evaluate(trial, true, false, false);
      if (!(max_abs(unknowns_->reduce(trial, trial.r)) < down.residual)) return false;
    }
    potential_ = e;
    return true;
  };
  const double s = halved_until(first, least, accepted);
  if (s > 0) now = std::move(trial);
  return s;
}

NewtonReport Newton::solve(Place& place, const Place& goal, const StageMotion& motion, const NewtonOptions& options) {
  motion_ = &motion;
  past_.clear();
  unknowns_->begin(motion.dv_du, motion.da_du, options.keep_factor && !roving_);
  Course c{.goal = goal, .options = options};
  if (start(place, c))
    while (iterate(c)) ++c.report.iterations;
  place = {c.now.u, c.now.q, c.now.t};
  c.report.converged = c.report.trouble.empty();
  return c.report;
}

bool Newton::start(const Place& place, Course& c) {
  const Place imposed = unknowns_->impose(place, c.goal);
  if (roving_) {
    c.jump = imposed.u - place.u;
    const bool moves = c.options.others_move || max_abs(c.jump) > 0;
    c.now = at(moves ? place : imposed, *motion_);
    c.now.progress = moves ? 0 : 1;
  } else {
    c.now = follow(place, imposed, c.options, c.report);
  }
  if (c.now.u.allFinite()) return true;
  c.now.u.setZero();
  return c.over("the place to start from is not finite");
}

bool Newton::iterate(Course& c) {
  measure(c);
  if (!c.r_free.allFinite()) return c.over("the forces are not finite");
  if (c.arrived && c.report.residual <= c.allowed) return c.over("");
  if (c.report.iterations == c.options.max_iterations)
    return c.over(fmt::format("no convergence in {} iterations {}", c.report.iterations, c.so_far()));

  if (!find_direction(c)) return c.over("the stiffness matrix cannot be factorized");
  // An iterative solver met negative curvature, or what the matrix leaves out is too strong for it.
  if (c.arrived && !(c.slope < 0)) return project_more(c, "no downhill direction");

  const Way way = unknowns_->way(c.now, c.d, c.arrived ? nullptr : &c.jump, c.arrived ? nullptr : &c.goal);
  double first = roving_ ? safe_share(c.now, way) : way.first;
  if (!make_way(c, way, first)) return c.over("contact bars the way");
  return c.arrived ? descend(c, way, first) : advance(c, way, first);
}

void Newton::measure(Course& c) {
  NewtonReport& report = c.report;
  c.arrived = c.now.progress == 1;
  if (roving_) {
    const TimeInto timer(contact_s_);
    roving_->look(c.now.u, c.now.progress);
  }
  c.have_factor = constant_ && unknowns_->has_factor();
  evaluate(c.now, c.now.r.size() == 0 || roving_ || unknowns_->straight(), !c.have_factor, false);
  c.r_free = unknowns_->reduce(c.now, c.now.r);
  Eigen::Index worst = 0;
  const double last = report.residual;
  report.residual = c.r_free.size() ? c.r_free.cwiseAbs().maxCoeff(&worst) : 0;
  report.scale = c.now.scale;
  unknowns_->name_worst(worst, report);
  c.fell = last > 0 ? std::min(1.0, report.residual / last) : 1;
  c.allowed = c.options.tolerance * report.scale + c.options.floor;
}

bool Newton::find_direction(Course& c) {
  if (!c.have_factor) take(c.now);
  VecX b = -c.r_free;
  c.d = VecX::Zero(b.size());
  if (!c.arrived) b -= carried(c);
  const double to_do = std::min(1.0, c.allowed / std::max(c.report.residual, c.allowed));
  const double exact = exactness(c.report.iterations == 0 || !c.arrived, c.fell, to_do);
  if (!b.isZero(0) && !direction(c.now, b, {.exactness = exact, .to_do = to_do}, c.share, c.d, c.report)) return false;
  c.slope = c.r_free.dot(c.d);
  return true;
}

VecX Newton::carried(Course& c) {
  VecX force = VecX::Zero(c.now.u.size());
  if (max_abs(c.jump) > 0) force = full_.multiply(c.jump) + extra_.multiply(c.jump);
  roving_->add_advance(kinematics(c.now), 1 - c.now.progress, force);
  return unknowns_->reduce(c.now, force);
}

bool Newton::make_way(Course& c, const Way& way, double& first) {
  c.barred = roving_ && first < kBarredShare ? c.barred + 1 : 0;
  if (c.barred < kBarredSteps) return true;
  {
    const TimeInto timer(contact_s_);
    if (c.arrived || !c.options.may_let_go || !roving_->let_go(kinematics(c.now), way.step, way.advance)) return false;
  }
  first = safe_share(c.now, way);
  c.barred = 0;
  return true;
}

bool Newton::advance(Course& c, const Way& way, double first) {
  if (first <= 0) first = kSmallestStep;
  Iterate next = along(c.now, way, first);
  if (!next.u.allFinite()) return c.over("what is prescribed leads to places that are not finite");
  c.now = std::move(next);
  if (unknowns_->straight())
    c.jump *= 1 - first;
  else
    c.jump = unknowns_->impose({c.now.u, c.now.q, c.now.t}, c.goal).u - c.now.u;
  c.have_potential = false;
  return true;
}

bool Newton::descend(Course& c, const Way& way, double first) {
  if (by_energy_ && !c.have_potential) potential_ = potential(c.now), c.have_potential = true;
  if (c.report.iterations == 0 && by_energy_ && !std::isfinite(potential_))
    return c.over("the starting point has no finite energy");
  const bool known = constant_ && terms_.left_out_weight(kinematics(c.now)) == 0;
  double taken = 0;
  if (!constant_) {
    taken = search(c.now, way, first, {c.slope, c.report.residual, c.r_free});
  } else if (c.report.iterations == 0 || c.fell < 1) {
    // The step leads to the answer but for rounding and for what the matrix leaves out.
    c.now = along(c.now, way, 1);
    taken = 1;
  }
  // The matrix does not see what lies ahead: with more of its projection the way is shorter.
  if (taken == 0) return project_more(c, "the line search found no decrease " + c.so_far());
  judge_matrix(c, taken, first);
  if (!known) return true;
  // All is linear: the residual there follows from the matrix.
  const double left = max_abs(c.r_free + unknowns_->multiply(c.d));
  if (!(left <= c.allowed)) return true;
  ++c.report.iterations;
  c.report.residual = left;
  return c.over("");
}

void Newton::judge_matrix(Course& c, double taken, double first) const {
  if (taken < first) ++c.report.cut_steps;
  if (taken >= first || roving_)
    c.share = less(c.share);
  else if (taken <= kPoorStep * first && c.share > 0)
    c.share = more(c.share);
}

bool Newton::project_more(Course& c, std::string otherwise) const {
  if (c.share == 1 || constant_ || roving_) return c.over(std::move(otherwise));
  c.share = more(c.share);
  return true;
}

}  // namespace supple
