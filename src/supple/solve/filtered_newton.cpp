#include "supple/solve/filtered_newton.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "supple/base/timer.h"
#include "supple/solve/newton_rules.h"

namespace supple {

namespace {
constexpr int kLifts = 8;
void add_up(SolverStats& sum, const SolverStats& s) {
  sum.factorizations += s.factorizations, sum.solves += s.solves, sum.iterations += s.iterations;
  sum.factorize_s += s.factorize_s, sum.solve_s += s.solve_s;
}
}  // namespace

FilteredNewton::FilteredNewton(std::vector<const Term*> terms, RovingTerm& roving, const AffineMap& map,
                               const std::string& solver_name, VecX places)
    : terms_(std::move(terms)), roving_(roving), map_(map), places_(std::move(places)) {
  PatternBuilder builder(map.n());
  terms_.couple(builder);
  const auto pattern = builder.build();
  base_ = std::make_unique<Reduction>(map, pattern);
  full_ = BlockMatrix(pattern);
  multilevel_ = wants_multilevel(solver_name, map);
  if (map.n_free() > 0) base_factor_ = make_kept(base_->pattern(), multilevel_, map_, places_);
}

SolverStats FilteredNewton::solver_stats() const {
  SolverStats sum = spent_;
  if (base_factor_) add_up(sum, base_factor_->stats());
  if (factor_) add_up(sum, factor_->stats());
  return sum;
}

void FilteredNewton::couple() {
  if (extra_ && coupled_ == roving_.couplings()) return;
  coupled_ = roving_.couplings();
  PatternBuilder builder(map_.n());
  roving_.couple(builder);
  const auto pattern = builder.build();
  if (extra_full_.pattern && *extra_full_.pattern == *pattern) return;
  extra_full_ = BlockMatrix(pattern);
  extra_ = std::make_unique<Reduction>(map_, pattern);
  union_ = std::make_unique<PatternUnion>(base_->pattern(), extra_->pattern());
  if (factor_) add_up(spent_, factor_->stats());
  factor_.reset();
  if (union_->pattern() != base_->pattern()) factor_ = make_kept(union_->pattern(), multilevel_, map_, places_);
}

void FilteredNewton::evaluate(const Kinematics& x, VecX& r, double& scale, bool with_matrix, bool project) {
  {
    const TimeInto timer(assemble_s_);
    terms_.evaluate(x, &r, &scale, with_matrix ? &full_ : nullptr, project);
  }
  const TimeInto timer(contact_s_);
  scratch_.setZero(x.u.size());
  if (with_matrix) {
    couple();
    extra_full_.set_zero();
  }
  roving_.add(x, {.residual = &scratch_, .matrix = with_matrix ? &extra_full_ : nullptr, .project = project});
  if (roving_.in_scale()) scale += max_abs(scratch_);
  r += scratch_;
  if (!with_matrix) return;
  base_->apply(full_, reduced_);
  extra_->apply(extra_full_, extra_reduced_);
  union_->add(reduced_, extra_reduced_, both_);
}

double FilteredNewton::potential(const Kinematics& x) const {
  double energy = terms_.potential(x);
  const TimeInto timer(contact_s_);
  roving_.add(x, {.energy = &energy});
  return energy;
}

bool FilteredNewton::direction(const Kinematics& x, const VecX& b, double tolerance, VecX& d, NewtonReport& report) {
  if (b.isZero(0)) {  // at rest while prescribed things are still on their way
    d = b;
    return true;
  }
  KeptFactor& factor = factor_ ? *factor_ : *base_factor_;
  if (factor.uses_places()) factor.set_places(map_.gather(places_ + x.u));
  auto whole = [&](const VecX& y) {
    VecX product, left_out = VecX::Zero(x.u.size());
    factor.product()(both_, y, product);
    terms_.multiply_left_out(x, map_.expand(y), left_out);
    return VecX(product + map_.restrict_(left_out));
  };
  const int before = factor.stats().factorizations;
  const KrylovReport solved = terms_.left_out_weight(x) <= kIgnoredWeight ? factor.solve(both_, b, d, tolerance)
                                                                          : factor.solve(both_, whole, b, d, tolerance);
  report.factorizations += factor.stats().factorizations - before;
  report.krylov += solved.iterations;
  return solved.ok && b.dot(d) > 0 && d.allFinite();
}

// With the exact matrix or, where that is not positive definite, with as much of its projection in it as need be.
bool FilteredNewton::any_direction(const Kinematics& x, const VecX& b, double tolerance, double& share, VecX& d,
                                   NewtonReport& report) {
  if (share == 0 && direction(x, b, tolerance, d, report)) return true;
  VecX r;
  double scale = 0;
  const BlockMatrix exact = both_;
  evaluate(x, r, scale, true, true);
  ++report.projected;
  const BlockMatrix projected = both_;
  for (share = std::max(share, kLeastShare);; share = more(share)) {
    for (size_t k = 0; k < both_.values.size(); ++k)
      both_.values[k] = exact.values[k] + share * (projected.values[k] - exact.values[k]);
    if (direction(x, b, tolerance, d, report)) return true;
    if (share == 1) break;
  }
  // A projected matrix can still be singular: lift its diagonal.
  double lift = 1e-10 * both_.max_abs_diagonal(), lifted = 0;
  for (int tries = 0; tries < kLifts; ++tries, lift *= 100) {
    for (int i = 0; i < both_.n(); ++i) {
      double* block = both_.block(both_.pattern->row_start[i + 1] - 1);
      for (int c = 0; c < 9; c += 4) block[c] += lift - lifted;
    }
    lifted = lift;
    if (direction(x, b, tolerance, d, report)) return true;
  }
  return false;
}

struct FilteredNewton::Iterate {
  VecX u, v, a;
  double progress = 1;
  Kinematics at(double dv_du, double da_du) const { return {u, v, a, dv_du, da_du, progress}; }
};

NewtonReport FilteredNewton::solve(VecX& u, const VecX& u_d, double dv_du, const VecX& v_offset, double da_du,
                                   const VecX& a_offset, const NewtonOptions& options, bool prescribed_moves) {
  NewtonReport report;
  if (base_factor_) base_factor_->begin(dv_du, da_du), base_factor_->forget();
  if (factor_) factor_->begin(dv_du, da_du), factor_->forget();
  VecX jump = map_.expand(map_.gather(u), u_d) - u;
  auto iterate_at = [&](VecX place, double progress) {
    Iterate z{.u = std::move(place), .v = {}, .a = {}, .progress = progress};
    z.v = dv_du * z.u + v_offset, z.a = da_du * z.u + a_offset;
    return z;
  };
  Iterate now = iterate_at(u, prescribed_moves || max_abs(jump) > 0 ? 0 : 1);
  VecX r, b, d;
  double fell = 1, potential_now = 0, share = 0;
  bool have_potential = false;
  int barred = 0;
  const bool by_energy = terms_.has_energy() && roving_.has_energy();

  for (;; ++report.iterations) {
    const Kinematics x = now.at(dv_du, da_du);
    const bool arrived = now.progress == 1;
    {
      const TimeInto timer(contact_s_);
      roving_.look(now.u, now.progress);
    }
    evaluate(x, r, report.scale, true, false);
    const VecX r_free = map_.restrict_(r);
    Eigen::Index worst = 0;
    const double last = report.residual;
    report.residual = r_free.size() ? r_free.cwiseAbs().maxCoeff(&worst) : 0;
    report.worst_vertex = static_cast<int>(worst / 3);
    fell = last > 0 ? std::min(1.0, report.residual / last) : 1;
    u = now.u;
    if (!std::isfinite(report.residual)) {
      report.trouble = "the forces are not finite";
      return report;
    }
    const double allowed = options.tolerance * report.scale + options.floor;
    if (arrived && report.residual <= allowed) {
      report.converged = true;
      return report;
    }
    if (report.iterations == options.max_iterations) {
      report.trouble = fmt::format("no convergence in {} iterations (residual {:.3g} N, allowed {:.3g} N)",
                                   report.iterations, report.residual, allowed);
      return report;
    }

    // Direction: on its way, what is prescribed carries the rest along to first order.
    VecX step = VecX::Zero(now.u.size());
    if (map_.n_free() > 0) {
      b = -r_free;
      if (!arrived) {
        VecX carried = VecX::Zero(now.u.size());
        if (max_abs(jump) > 0) carried = full_.multiply(jump) + extra_full_.multiply(jump);
        roving_.add_advance(x, 1 - now.progress, carried);
        b -= map_.restrict_(carried);
      }
      const double to_do = std::min(1.0, allowed / std::max(report.residual, allowed));
      const double enough = exactness(report.iterations == 0 || !arrived, fell, to_do);
      if (!any_direction(x, b, enough, share, d, report)) {
        report.trouble = "the stiffness matrix cannot be factorized";
        return report;
      }
      step = map_.expand(d);
    }
    const double slope = map_.n_free() > 0 ? r_free.dot(d) : 0;
    const double advance = 1 - now.progress;
    if (!arrived) step += jump;
    double s = 0;
    {
      const TimeInto timer(contact_s_);
      s = roving_.safe_step(x, step, advance);
    }

    barred = s < kBarredShare ? barred + 1 : 0;
    if (barred >= kBarredSteps) {
      const TimeInto timer(contact_s_);
      if (arrived || !options.may_let_go || !roving_.let_go(x, step, advance)) {
        report.trouble = "contact bars the way";
        return report;
      }
      s = roving_.safe_step(x, step, advance);
      ++releases_;
      barred = 0;
    }
    if (!arrived) {
      if (s <= 0) s = kSmallestStep;
      now = iterate_at(now.u + s * step, s == 1 ? 1 : now.progress + s * advance);
      jump *= 1 - s;
      have_potential = false;
      continue;
    }

    if (by_energy && !have_potential) potential_now = potential(x), have_potential = true;
    if (slope >= 0 || !std::isfinite(slope)) {
      report.trouble = "no downhill direction";
      return report;
    }
    const double first = s, norm = r_free.norm();
    const VecX gentle = by_energy && terms_.has_gentle() ? terms_.gentle_residual(x) : VecX();
    bool accepted = false;
    Iterate trial;
    for (; s >= kSmallestStep && !accepted; s *= 0.5) {
      trial = iterate_at(now.u + s * step, 1);
      const Kinematics y = trial.at(dv_du, da_du);
      if (by_energy) {
        const double e = potential(y);
        const double with_gentle = gentle.size() > 0 ? e + s * gentle.dot(step) : e;
        accepted = std::isfinite(e) && with_gentle <= potential_now + kArmijo * s * slope;
        const double rounding = 1e-13 * (std::abs(potential_now) + std::abs(e));
        if (accepted || (std::isfinite(e) && std::abs(s * slope) <= 1e3 * rounding)) {
          VecX rt;
          double scale = 0;
          if (!accepted) evaluate(y, rt, scale, false, false);
          accepted = accepted || max_abs(map_.restrict_(rt)) < report.residual;
          if (accepted) potential_now = e;
        }
      } else {
        VecX rt;
        double scale = 0;
        evaluate(y, rt, scale, false, false);
        const double n = map_.restrict_(rt).norm();
        accepted = std::isfinite(n) && n <= (1 - kArmijo * s) * norm;
      }
    }
    if (!accepted) {
      report.trouble = fmt::format("the line search found no decrease (residual {:.3g} N, allowed {:.3g} N)",
                                   report.residual, allowed);
      return report;
    }
    if (s < 0.5 * first) ++report.cut_steps;
    share = less(share);
    now = std::move(trial);
  }
}

}  // namespace supple
