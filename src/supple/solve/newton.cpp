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
  NewtonReport report;
  motion_ = &motion;
  past_.clear();
  unknowns_->begin(motion.dv_du, motion.da_du, options.keep_factor && !roving_);
  const Place imposed = unknowns_->impose(place, goal);
  VecX jump;  // what is prescribed has yet to go
  Iterate now;
  if (roving_) {
    jump = imposed.u - place.u;
    const bool moves = options.others_move || max_abs(jump) > 0;
    now = at(moves ? place : imposed, motion);
    now.progress = moves ? 0 : 1;
  } else {
    now = follow(place, imposed, options, report);
  }
  double fell = 1, share = 0;
  bool have_potential = false;
  int barred = 0;
  const auto done = [&](std::string trouble) {
    place = {now.u, now.q, now.t};
    report.trouble = std::move(trouble);
    report.converged = report.trouble.empty();
    return report;
  };
  if (!now.u.allFinite()) {
    now.u.setZero();
    return done("the place to start from is not finite");
  }

  for (;; ++report.iterations) {
    const bool arrived = now.progress == 1;
    if (roving_) {
      const TimeInto timer(contact_s_);
      roving_->look(now.u, now.progress);
    }
    const bool have_factor = constant_ && unknowns_->has_factor();
    evaluate(now, now.r.size() == 0 || roving_ || unknowns_->straight(), !have_factor, false);
    const VecX r_free = unknowns_->reduce(now, now.r);
    Eigen::Index worst = 0;
    const double last = report.residual;
    report.residual = r_free.size() ? r_free.cwiseAbs().maxCoeff(&worst) : 0;
    report.scale = now.scale;
    unknowns_->name_worst(worst, report);
    fell = last > 0 ? std::min(1.0, report.residual / last) : 1;
    if (!r_free.allFinite()) return done("the forces are not finite");
    const double allowed = options.tolerance * report.scale + options.floor;
    const auto so_far = [&] { return fmt::format("(residual {:.3g} N, allowed {:.3g} N)", report.residual, allowed); };
    if (arrived && report.residual <= allowed) return done("");
    if (report.iterations == options.max_iterations)
      return done(fmt::format("no convergence in {} iterations {}", report.iterations, so_far()));

    // Direction: on its way, what is prescribed carries the rest along to first order.
    if (!have_factor) take(now);
    VecX b = -r_free, d = VecX::Zero(b.size());
    if (!arrived) {
      VecX carried = VecX::Zero(now.u.size());
      if (max_abs(jump) > 0) carried = full_.multiply(jump) + extra_.multiply(jump);
      roving_->add_advance(kinematics(now), 1 - now.progress, carried);
      b -= unknowns_->reduce(now, carried);
    }
    const double to_do = std::min(1.0, allowed / std::max(report.residual, allowed));
    const double exact = exactness(report.iterations == 0 || !arrived, fell, to_do);
    if (!b.isZero(0) && !direction(now, b, {.exactness = exact, .to_do = to_do}, share, d, report))
      return done("the stiffness matrix cannot be factorized");
    const double slope = r_free.dot(d);
    if (arrived && !(slope < 0)) {
      // An iterative solver met negative curvature, or what the matrix leaves out is too strong for it.
      if (share == 1 || constant_ || roving_) return done("no downhill direction");
      share = more(share);
      continue;
    }
    const Way way = unknowns_->way(now, d, arrived ? nullptr : &jump, arrived ? nullptr : &goal);

    // As far as contact allows.
    double first = roving_ ? safe_share(now, way) : way.first;
    barred = roving_ && first < kBarredShare ? barred + 1 : 0;
    if (barred >= kBarredSteps) {
      {
        const TimeInto timer(contact_s_);
        if (arrived || !options.may_let_go || !roving_->let_go(kinematics(now), way.step, way.advance))
          return done("contact bars the way");
      }
      first = safe_share(now, way);
      barred = 0;
    }
    if (!arrived) {
      if (first <= 0) first = kSmallestStep;
      Iterate next = along(now, way, first);
      if (!next.u.allFinite()) return done("what is prescribed leads to places that are not finite");
      now = std::move(next);
      if (unknowns_->straight())
        jump *= 1 - first;
      else
        jump = unknowns_->impose({now.u, now.q, now.t}, goal).u - now.u;
      have_potential = false;
      continue;
    }

    // Line search.
    if (by_energy_ && !have_potential) potential_ = potential(now), have_potential = true;
    if (report.iterations == 0 && by_energy_ && !std::isfinite(potential_))
      return done("the starting point has no finite energy");
    const bool known = constant_ && terms_.left_out_weight(kinematics(now)) == 0;
    double taken = 0;
    if (!constant_) {
      taken = search(now, way, first, {slope, report.residual, r_free});
    } else if (report.iterations == 0 || fell < 1) {
      // The step leads to the answer but for rounding and for what the matrix leaves out.
      now = along(now, way, 1);
      taken = 1;
    }
    if (taken == 0) {
      // The matrix does not see what lies ahead: with more of its projection the way is shorter.
      if (share == 1 || constant_ || roving_) return done("the line search found no decrease " + so_far());
      share = more(share);
      continue;
    }
    if (taken < first) ++report.cut_steps;
    if (taken >= first || roving_)
      share = less(share);
    else if (taken <= kPoorStep * first && share > 0)
      share = more(share);
    if (!known) continue;
    // All is linear: the residual there follows from the matrix.
    const double left = max_abs(r_free + unknowns_->multiply(d));
    if (!(left <= allowed)) continue;
    ++report.iterations;
    report.residual = left;
    return done("");
  }
}

}  // namespace supple
