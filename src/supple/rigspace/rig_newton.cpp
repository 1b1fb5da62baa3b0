#include "supple/rigspace/rig_newton.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "supple/base/error.h"
#include "supple/rigspace/rig_newton_work.h"
#include "supple/solve/newton_rules.h"

namespace supple {

namespace {

constexpr double kPowell = 0.2;  // least curvature of a secant pair beside that of the block it updates

// A = A + y y^T / y.d - (G + A) d d^T (G + A) / d.(G + A) d: BFGS on the block G + A of which G is known, so that A is
// what changes. Gd: G d. y damped [Powell 1978] where the pair has too little curvature.
void update_block(MatX& A, const VecX& Gd, const VecX& d, VecX y) {
  const VecX Bd = Gd + A * d;
  const double dBd = d.dot(Bd), dy = d.dot(y);
  if (!(dBd > 0) || !std::isfinite(dy)) return;
  if (dy < kPowell * dBd) {
    const double theta = (1 - kPowell) * dBd / (dBd - dy);
    y = theta * y + (1 - theta) * Bd;
  }
  const double curvature = d.dot(y);
  if (!(curvature > 0)) return;
  A += y * y.transpose() / curvature - Bd * Bd.transpose() / dBd;
}

}  // namespace

RigNewton::RigNewton(const RigBody& body, std::vector<const Term*> terms, std::vector<int> free, RovingTerm* roving)
    : free_(std::move(free)) {
  std::vector<char> seen(static_cast<size_t>(body.rig()->n_parameters()), 0);
  for (int a : free_) {
    if (a < 0 || a >= body.rig()->n_parameters())
      throw InputError({.place = "rig"},
                       fmt::format("parameter {} is free, but the rig has {}", a, body.rig()->n_parameters()), "");
    if (seen[static_cast<size_t>(a)])
      throw InputError(
          {.place = "rig"},
          fmt::format("parameter '{}' is free twice", body.rig()->parameters()[static_cast<size_t>(a)].name),
          "name it once");
    seen[static_cast<size_t>(a)] = 1;
  }
  work_ = std::make_unique<Work>(body, std::move(terms), free_, roving);
}

RigNewton::~RigNewton() = default;

VecX RigNewton::kept() const { return work_->system.kept(); }
void RigNewton::restore(const VecX& numbers) { work_->system.restore(numbers); }

RigNewtonReport RigNewton::solve(VecX& u, VecX& p, double t, double dv_du, const VecX& v_offset, double da_du,
                                 const VecX& a_offset, const RigNewtonOptions& options, const RigApproach* from) {
  work_->dv_du = dv_du, work_->da_du = da_du;
  work_->v_offset = v_offset, work_->a_offset = a_offset;
  return work_->solve(u, p, t, options, from);
}

RigNewtonReport RigNewton::solve_static(VecX& u, VecX& p, double t, const RigNewtonOptions& options) {
  const VecX zero = VecX::Zero(u.size());
  return solve(u, p, t, 0, zero, 0, zero, options);
}

bool RigNewton::better_start(const VecX& other, const VecX& other_p, const VecX& u, const VecX& p, double t,
                             double dv_du, const VecX& v_offset, double da_du, const VecX& a_offset) {
  Work& w = *work_;
  w.dv_du = dv_du, w.da_du = da_du;
  w.v_offset = v_offset, w.a_offset = a_offset;
  Work::Iterate here, there;
  here.p = p, here.n = w.body.interior().gather(u), here.t = t;
  there.p = other_p, there.n = w.body.interior().gather(other), there.t = t;
  w.place(here);
  w.place(there);
  if (!there.u.allFinite()) return false;
  if (w.has_energy) {
    if (w.has_gentle) {
      here.gentle.setZero(here.u.size());
      for (const Term* term : w.terms)
        if (term->is_gentle()) term->add({here.u, here.v, here.a, dv_du, da_du}, {.residual = &here.gentle});
    }
    return w.potential(there, w.has_gentle ? &here : nullptr) < w.potential(here, nullptr);
  }
  w.forces(here);
  w.forces(there);
  return there.rn.squaredNorm() + there.rq.squaredNorm() < here.rn.squaredNorm() + here.rq.squaredNorm();
}

RigNewton::Derivatives RigNewton::derivatives(const VecX& u, const VecX& p, double t, double dv_du,
                                              const VecX& v_offset, double da_du, const VecX& a_offset) {
  Work& w = *work_;
  w.dv_du = dv_du, w.da_du = da_du;
  w.v_offset = v_offset, w.a_offset = a_offset;
  Work::Iterate z;
  z.p = p, z.t = t, z.n = w.body.interior().gather(u);
  w.place(z);
  w.forces(z);
  w.matrix(z, false);
  w.system.set(z.J, z.dead, w.curvature(z, RigSolver::newton));
  const Eigen::Index n = z.rn.size(), k = z.rq.size();
  Derivatives out{VecX(n + k), MatX(n + k, n + k)};
  out.gradient << z.rn, z.rq.cwiseProduct(z.length);
  for (Eigen::Index i = 0; i < n + k; ++i) {
    const VecX unit = VecX::Unit(n + k, i);
    VecX yn, yq;
    w.system.multiply(unit.head(n), unit.tail(k), yn, yq);
    out.hessian.col(i) << yn, yq;
  }
  return out;
}

RigNewtonReport RigNewton::Work::solve(VecX& u, VecX& p, double t, const RigNewtonOptions& options,
                                       const RigApproach* from) {
  RigNewtonReport report;
  RigSystemCount count;
  evaluations = 0;
  past.clear();
  bfgs = MatX::Zero(static_cast<Eigen::Index>(free.size()), static_cast<Eigen::Index>(free.size()));
  system.begin(dv_du, da_du);

  Iterate now;
  now.p = p, now.t = t, now.n = body.interior().gather(u);
  RigApproach start{p, t}, goal{p, t};
  if (roving && from) {
    start = *from;
    for (int a : free) start.p[a] = goal.p[a] = from->p[a];
    now.p = start.p, now.t = start.t, now.progress = 0;
  }
  place(now);
  if (roving) roving->look(now.u, now.progress);
  const auto done = [&](const char* trouble) {
    u = now.u, p = now.p;
    report.evaluations = evaluations;
    report.factorizations = count.factorizations, report.krylov = count.krylov;
    report.projected = count.projected, report.gauss_newton = count.gauss_newton;
    report.residual = now.worst, report.scale = now.scale;
    report.worst =
        now.worst_parameter < 0
            ? "interior"
            : body.rig()->parameters()[static_cast<size_t>(free[static_cast<size_t>(now.worst_parameter)])].name;
    if (!trouble) return report;
    report.trouble = fmt::format("{} ({}: residual {:.3g} N, allowed {:.3g} N)", trouble, report.worst, report.residual,
                                 options.tolerance * report.scale + options.floor);
    return report;
  };
  if (!now.u.allFinite()) {
    u.setZero();
    report.trouble = "the rig gives places that are not finite";
    return report;
  }
  forces(now);

  double fell = 1, share = 0;
  bool may_keep = true, stuck = false;
  int barred = 0;
  VecX last_n, last_p, last_rows, last_gradient;  // of the iterate before, for quasi-Newton
  for (;; ++report.iterations) {
    if (now.progress < 1) {
      const double gone = advance(now, start, goal);
      barred = gone < kBarredShare ? barred + 1 : 0;
      if (barred >= kBarredSteps) {
        if (!options.may_let_go || !let_go(now, goal)) return done("contact bars the way of what is keyed");
        barred = 0;
      }
      if (!now.u.allFinite()) return done("the rig gives places that are not finite");
      last_n.resize(0);
    }
    if (roving) {
      roving->look(now.u, now.progress);
      forces(now);  // with what is near now
    }
    if (!std::isfinite(now.worst)) return done("the forces are not finite");
    const double allowed = options.tolerance * now.scale + options.floor;
    if (now.progress == 1 && now.worst <= allowed) {
      report.converged = true;
      return done(nullptr);
    }
    if (report.iterations == options.max_iterations) return done("no convergence");

    matrix(now, false);
    const VecX lengths = now.length;
    MatX J = now.J;
    for (Eigen::Index a = 0; a < J.cols(); ++a) J.col(a) /= lengths[a];
    if (options.solver == RigSolver::quasi_newton && last_n.size() > 0 && !stuck) {
      // What the gradient changed by beyond K and J alone: differences of the mean of both ends.
      const VecX dn = now.n - last_n, dp = free_of(now.p) - last_p;
      system.set(J, now.dead, MatX());
      const VecX rows = system.parameter_rows(dn, dp.cwiseProduct(lengths)).cwiseProduct(lengths);
      const VecX Gd = system.parameter_rows(VecX::Zero(dn.size()), dp.cwiseProduct(lengths)).cwiseProduct(lengths);
      const VecX gradient = now.rq.cwiseProduct(lengths);
      // last_rows: the product at the last iterate with the last direction scaled to the step that was taken.
      update_block(bfgs, Gd, dp, Gd + gradient - last_gradient - 0.5 * (rows + last_rows));
    }
    MatX C = curvature(now, options.solver);
    for (Eigen::Index a = 0; a < C.rows(); ++a)
      for (Eigen::Index b = 0; b < C.cols(); ++b) C(a, b) /= lengths[a] * lengths[b];
    system.set(J, now.dead, C);

    VecX dn, dq;
    const double to_do = std::min(1.0, allowed / std::max(now.worst, allowed));
    const double exact = exactness(report.iterations == 0 || now.progress < 1, fell, to_do);
    if (!system.direction(
            -now.rn, -now.rq, exact, may_keep && !stuck, [&] { matrix(now, true); }, share, dn, dq, count))
      return done("no downhill direction");
    const double first_slope = now.rn.dot(dn) + now.rq.dot(dq);

    const double before = now.worst;
    last_n = now.n, last_p = free_of(now.p), last_gradient = now.rq.cwiseProduct(lengths);
    const VecX p_before = last_p;
    if (options.solver == RigSolver::quasi_newton) last_rows = system.parameter_rows(dn, dq).cwiseProduct(lengths);
    if (!step(now, dn, dq, first_slope)) {
      // The matrix does not see what lies ahead: with more of its projection the way is shorter.
      if (share == 1) return done("the line search found no decrease");
      share = more(share);
      stuck = true;
      continue;
    }
    if (options.solver == RigSolver::quasi_newton) {
      // As far as the step went of what it was to be.
      const double whole = dn.squaredNorm() + dq.squaredNorm();
      const double went = (now.n - last_n).dot(dn) + (free_of(now.p) - p_before).cwiseProduct(lengths).dot(dq);
      last_rows *= whole > 0 ? went / whole : 0;
    }
    stuck = false;
    share = less(share);
    fell = before > 0 ? std::min(1.0, now.worst / before) : 1;
  }
}

}  // namespace supple
