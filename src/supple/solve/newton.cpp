#include "supple/solve/newton.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "supple/base/timer.h"
#include "supple/linalg/krylov.h"
#include "supple/solve/newton_rules.h"

namespace supple {

namespace {
constexpr int kMemory = 5;          // residual norms a non-monotone search looks back on
constexpr double kPoorStep = 0.25;  // a step cut to this or less is no good sign for its matrix
constexpr int kKrylovLimit = 60;
constexpr double kFollowExactness = 1e-3;  // of the guess to start from
}  // namespace

Newton::Newton(std::vector<const Term*> terms, const AffineMap& map, const std::string& solver_name, VecX places)
    : terms_(std::move(terms)), map_(map), constant_(terms_.is_constant()), places_(std::move(places)) {
  PatternBuilder builder(map.n());
  terms_.couple(builder);
  const auto pattern = builder.build();
  reduction_ = std::make_unique<Reduction>(map, pattern);
  full_ = BlockMatrix(pattern);
  reduced_ = BlockMatrix(reduction_->pattern());
  const bool multilevel = wants_multilevel(solver_name, map);
  solver_ = make_solver(solver_name, map.n_free());
  if (map.n_free() == 0 || constant_) return;
  if (multilevel || solver_name == "auto" || solver_name == "supernodal")
    kept_ = make_kept(reduction_->pattern(), multilevel, map_, places_);
}

void Newton::evaluate(const Kinematics& x, VecX* residual, double* scale, BlockMatrix* matrix, bool project) {
  TimeInto timer(assemble_s_);
  terms_.evaluate(x, residual, scale, matrix, project);
}

bool Newton::better_start(const VecX& other, const VecX& u, double dv_du, const VecX& v_offset, double da_du,
                          const VecX& a_offset) {
  if (constant_) return false;  // any start will do
  const VecX v = dv_du * u + v_offset, a = da_du * u + a_offset;
  const VecX other_v = dv_du * other + v_offset, other_a = da_du * other + a_offset;
  const Kinematics x{u, v, a, dv_du, da_du}, y{other, other_v, other_a, dv_du, da_du};
  if (terms_.has_energy()) {
    const double gentle = terms_.has_gentle() ? terms_.gentle_residual(x).dot(other - u) : 0;
    return terms_.potential(y) + gentle < terms_.potential(x);
  }
  VecX r, other_r;
  evaluate(x, &r, nullptr, nullptr, false);
  evaluate(y, &other_r, nullptr, nullptr, false);
  return map_.restrict_(other_r).norm() < map_.restrict_(r).norm();
}

const BlockMatrix& Newton::reduced_matrix(const VecX& u, double dv_du, const VecX& v_offset, double da_du,
                                          const VecX& a_offset, bool project) {
  const VecX v = dv_du * u + v_offset, a = da_du * u + a_offset;
  evaluate({u, v, a, dv_du, da_du}, nullptr, nullptr, &full_, project);
  reduction_->apply(full_, reduced_);
  return reduced_;
}

bool Newton::factorize(const Kinematics& x, double& share, NewtonReport& report) {
  if (!analysed_) solver_->analyse(reduction_->pattern());
  analysed_ = true;
  reduction_->apply(full_, reduced_);
  auto attempt = [&](const BlockMatrix& matrix) {
    ++report.factorizations;
    return solver_->factorize(matrix) == FactorStatus::ok;
  };
  if (share == 0) {
    if (attempt(reduced_)) return true;
    share = more(share);
  }
  evaluate(x, nullptr, nullptr, &full_, true);
  if (!projected_.pattern) projected_ = BlockMatrix(reduction_->pattern());
  reduction_->apply(full_, projected_);
  ++report.projected;
  for (double before = 0;; share = more(share)) {
    // reduced_ goes from one blend of both to the next.
    const double part = (share - before) / (1 - before);
    for (size_t k = 0; k < reduced_.values.size(); ++k)
      reduced_.values[k] += part * (projected_.values[k] - reduced_.values[k]);
    if (attempt(reduced_)) return true;
    if (share == 1) break;
    before = share;
  }
  // A projected matrix can still be singular (a part with nothing to hold it, or rounding): lift its diagonal.
  double lift = 1e-10 * reduced_.max_abs_diagonal();
  for (int tries = 0; tries < 8 && lift > 0; ++tries, lift *= 100) {
    BlockMatrix lifted = reduced_;
    for (int i = 0; i < lifted.n(); ++i) {
      double* b = lifted.block(lifted.pattern->row_start[i + 1] - 1);
      b[0] += lift, b[4] += lift, b[8] += lift;
    }
    if (attempt(lifted)) return true;
  }
  return false;
}

VecX Newton::follow(const VecX& u, const VecX& u_d, double dv_du, const VecX& v_offset, double da_du,
                    const VecX& a_offset, const NewtonOptions& options, NewtonReport& report) {
  const VecX imposed = impose(u, u_d), jump = imposed - u;
  if (constant_ || map_.n_free() == 0 || !(max_abs(jump) > options.follow_beyond)) return imposed;
  const VecX v = dv_du * u + v_offset, a = da_du * u + a_offset;
  const Kinematics x{u, v, a, dv_du, da_du};
  VecX r;
  evaluate(x, &r, nullptr, &full_, false);
  r += full_.multiply(jump);
  if (!r.allFinite()) return imposed;
  VecX d;
  const VecX b = -map_.restrict_(r);
  if (double share = 0; !kept_direction(x, b, kFollowExactness, d, report)) {
    if (!factorize(x, share, report)) return imposed;
    solver_->set_tolerance(kFollowExactness);
    d = solver_->solve(b);
  }
  const VecX led = imposed + map_.expand(d);
  return led.allFinite() && better_start(led, imposed, dv_du, v_offset, da_du, a_offset) ? led : imposed;
}

const VecX& Newton::factor_point() const { return kept_ && kept_->made() ? factor_u_ : nowhere_; }

void Newton::remake_factor(const VecX& u) {
  if (!kept_) return;
  kept_->begin(0, 0);
  kept_->forget();
  if (u.size() == 0) return;
  const VecX zero = VecX::Zero(u.size());
  if (kept_->uses_places() && places_.size() > 0) kept_->set_places(map_.gather(places_ + u));
  kept_->make(reduced_matrix(u, 0, zero, 0, zero, false));
  factor_u_ = u;
}

void Newton::restore_factor(const KeptFactor::Mark& mark) {
  if (kept_) kept_->restore(mark);
}

SolverStats Newton::solver_stats() const {
  SolverStats sum = solver_->stats();
  if (!kept_) return sum;
  const SolverStats& s = kept_->stats();
  sum.factorizations += s.factorizations, sum.solves += s.solves, sum.iterations += s.iterations;
  sum.factorize_s += s.factorize_s, sum.solve_s += s.solve_s;
  return sum;
}

std::string Newton::linear_solver() const { return kept_ ? kept_->name() + ", kept" : solver_->name(); }

VecX Newton::multiply(const Kinematics& x, const VecX& y) const {
  VecX product, left_out = VecX::Zero(x.u.size());
  if (kept_)
    kept_->product()(reduced_, y, product);
  else
    product = reduced_.multiply(y);
  const VecX full = map_.expand(y);
  terms_.multiply_left_out(x, full, left_out);
  return product + map_.restrict_(left_out);
}

bool Newton::kept_direction(const Kinematics& x, const VecX& b, double tolerance, VecX& d, NewtonReport& report) {
  if (!kept_) return false;
  reduction_->apply(full_, reduced_);
  if (kept_->uses_places() && places_.size() > 0) kept_->set_places(map_.gather(places_ + x.u));
  const int before = kept_->stats().factorizations;
  const KrylovReport solved = terms_.left_out_weight(x) <= kIgnoredWeight
                                  ? kept_->solve(reduced_, b, d, tolerance)
                                  : kept_->solve(
                                        reduced_, [&](const VecX& y) { return multiply(x, y); }, b, d, tolerance);
  if (kept_->stats().factorizations > before) factor_u_ = x.u;
  report.factorizations += kept_->stats().factorizations - before;
  report.krylov += solved.iterations;
  return solved.ok && b.dot(d) > 0;
}

bool Newton::direction(const Kinematics& x, const VecX& r_free, double tolerance, VecX& d, NewtonReport& report) {
  solver_->set_tolerance(tolerance);
  auto symmetric = [&](const VecX& b, bool& ok) {
    MatX y;
    ok = solver_->solve(b, y).ok;
    return VecX(y.col(0));
  };
  bool ok = true;
  if (terms_.left_out_weight(x) <= kIgnoredWeight) {
    d = symmetric(-r_free, ok);
    return ok;
  }
  auto whole = [&](const VecX& y) { return multiply(x, y); };
  bool all_ok = true;
  auto precondition = [&](const VecX& b) {
    VecX y = symmetric(b, ok);
    all_ok = all_ok && ok;
    return y;
  };
  const KrylovReport solved = flexible_gmres(whole, precondition, -r_free, d, tolerance, kKrylovLimit);
  report.krylov += solved.iterations;
  return all_ok && d.allFinite();
}

NewtonReport Newton::solve_static(VecX& u, const VecX& u_d, const NewtonOptions& options) {
  const VecX zero = VecX::Zero(u.size());
  return solve(u, u_d, 0, zero, 0, zero, options);
}

NewtonReport Newton::solve(VecX& u, const VecX& u_d, double dv_du, const VecX& v_offset, double da_du,
                           const VecX& a_offset, const NewtonOptions& options) {
  NewtonReport report;
  if (kept_) {
    kept_->begin(dv_du, da_du);
    if (!options.keep_factor) kept_->forget();
  }
  u = follow(u, u_d, dv_du, v_offset, da_du, a_offset, options, report);
  VecX v = dv_du * u + v_offset, a = da_du * u + a_offset;
  VecX r, r_free, trial, trial_v, trial_a;
  std::deque<double> past;
  double share = 0;         // of the projection in the matrix
  bool kept_fails = false;  // the matrices around here have to be projected
  double fell = 1;          // the last residual beside the one before
  const bool reuse = constant_ && factor_dv_ == dv_du && factor_da_ == da_du;
  bool have_factor = reuse;
  const bool by_energy = terms_.has_energy() && !constant_;
  double potential_now = by_energy ? terms_.potential({u, v, a, dv_du, da_du}) : 0;
  if (by_energy && !std::isfinite(potential_now)) {
    report.trouble = "the starting point has no finite energy";
    return report;
  }

  for (;; ++report.iterations) {
    const Kinematics x{u, v, a, dv_du, da_du};
    evaluate(x, &r, &report.scale, have_factor ? nullptr : &full_, false);
    r_free = map_.restrict_(r);
    Eigen::Index worst = 0;
    const double last = report.residual;
    report.residual = r_free.size() ? r_free.cwiseAbs().maxCoeff(&worst) : 0;
    report.worst_vertex = static_cast<int>(worst / 3);
    fell = last > 0 ? std::min(1.0, report.residual / last) : 1;
    if (!std::isfinite(report.residual)) {
      report.trouble = "the forces are not finite";
      return report;
    }
    if (report.residual <= options.tolerance * report.scale + options.floor) {
      report.converged = true;
      return report;
    }
    if (report.iterations == options.max_iterations) {
      report.trouble =
          fmt::format("no convergence in {} iterations (residual {:.3g} N, allowed {:.3g} N)", report.iterations,
                      report.residual, options.tolerance * report.scale + options.floor);
      return report;
    }

    // Direction.
    VecX d;
    const double to_do = std::min(1.0, (options.tolerance * report.scale + options.floor) / report.residual);
    // An iterative solve need only be as exact as the Newton step deserves.
    const bool kept = !have_factor && share == 0 && !kept_fails &&
                      kept_direction(x, -r_free, exactness(report.iterations == 0, fell, to_do), d, report);
    kept_fails = kept_fails || (kept_ && !have_factor && !kept);
    if (!have_factor && !kept) {
      if (!factorize(x, share, report)) {
        report.trouble = "the stiffness matrix cannot be factorized: " + solver_->message();
        return report;
      }
      if (constant_) factor_dv_ = dv_du, factor_da_ = da_du, have_factor = true;
    }
    const double full_exactness = std::clamp(1e-2 * to_do, 1e-10, 1e-4);
    const bool solved = kept || direction(x, r_free, full_exactness, d, report);
    const VecX step = map_.expand(d);
    const double slope = r_free.dot(d);
    if (!solved || !std::isfinite(slope) || slope >= 0) {
      // Not downhill (or an iterative solver met negative curvature): the projected matrix cannot fail this way.
      if (share < 1 && !constant_) {
        share = more(share);
        continue;
      }
      if (!std::isfinite(slope) || slope >= 0) {
        report.trouble = "no downhill direction";
        return report;
      }
    }

    // Line search.
    double s = 1;
    const double first = s, norm = r_free.norm();
    const VecX gentle = by_energy && terms_.has_gentle() ? terms_.gentle_residual(x) : VecX();
    past.push_back(norm);
    if (past.size() > kMemory) past.pop_front();
    bool accepted = false;
    for (; s >= kSmallestStep; s *= 0.5) {
      trial = u + s * step;
      trial_v = dv_du * trial + v_offset, trial_a = da_du * trial + a_offset;
      const Kinematics y{trial, trial_v, trial_a, dv_du, da_du};
      if (constant_) {
        // The step leads to the answer but for rounding and for what the matrix leaves out.
        accepted = report.iterations == 0 || fell < 1;
      } else if (by_energy) {
        const double e = terms_.potential(y);
        // Close to the solution the potential is flat to rounding; there the residual decides, once.
        const double rounding = 1e-13 * (std::abs(potential_now) + std::abs(e));
        const double with_gentle = gentle.size() > 0 ? e + s * gentle.dot(step) : e;
        accepted = std::isfinite(e) && with_gentle <= potential_now + kArmijo * s * slope;
        if (!accepted && std::isfinite(e) && std::abs(s * slope) <= 1e3 * rounding) {
          VecX rt;
          evaluate(y, &rt, nullptr, nullptr, false);
          accepted = max_abs(map_.restrict_(rt)) < report.residual;
        }
        if (accepted) potential_now = e;
      } else {
        VecX rt;
        evaluate(y, &rt, nullptr, nullptr, false);
        const double reference = *std::max_element(past.begin(), past.end());
        const double n = map_.restrict_(rt).norm();
        accepted = std::isfinite(n) && n <= (1 - kArmijo * s) * reference;
      }
      if (accepted) break;
    }
    if (!accepted) {
      if (share < 1 && !constant_) {
        share = more(share);
        continue;
      }
      report.trouble = fmt::format("the line search found no decrease (residual {:.3g} N, allowed {:.3g} N)",
                                   report.residual, options.tolerance * report.scale + options.floor);
      return report;
    }
    if (s < first) ++report.cut_steps;
    if (s == 1)
      share = less(share);
    else if (s <= kPoorStep && share > 0)
      share = more(share);
    const bool known = constant_ && s == 1 && terms_.left_out_weight(x) == 0;
    std::swap(u, trial);
    std::swap(v, trial_v);
    std::swap(a, trial_a);
    if (!known) continue;
    // All is linear: the residual there follows from the matrix.
    const double left = max_abs(r_free + reduced_.multiply(d));
    if (!(left <= options.tolerance * report.scale + options.floor)) continue;
    ++report.iterations;
    report.residual = left;
    report.converged = true;
    return report;
  }
}

}  // namespace supple
