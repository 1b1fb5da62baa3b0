#include "supple/rigspace/rig_newton_work.h"

#include <algorithm>
#include <cmath>

#include "supple/rigspace/rig_newton_search.h"

namespace supple {

namespace {

constexpr double kNothing = 1e-12;  // of the body's size: what moves all vertices less than this moves nothing
constexpr double kFlat = 2e-10;     // of the potential: changes below it are rounding
constexpr double kLongestStep = 4;
constexpr double kMostlyStraight = 0.5;  // what the rig may curve a long step by, of its length
constexpr double kCurved = 0.01;  // of the mean edge: what the rig curves a step by before the interior goes along
constexpr int kResidualTries = 30;
constexpr double kResidualFall = 1e-4;
constexpr size_t kPastNorms = 5;
constexpr int kChordTries = 12;
constexpr double kChordMargin = 0.9;

std::shared_ptr<const BlockPattern> pattern_of(const RigBody& body, const std::vector<const Term*>& terms) {
  PatternBuilder builder(body.n_vertices());
  for (const Term* t : terms) t->couple(builder);
  return builder.build();
}

}  // namespace

RigNewton::Work::Work(const RigBody& b, std::vector<const Term*> list, const std::vector<int>& f, RovingTerm* r)
    : body(b), terms(std::move(list)), free(f), roving(r), system(b, pattern_of(b, terms)) {
  for (const Term* t : terms) {
    has_energy = has_energy && (t->has_energy() || t->is_gentle());
    has_gentle = has_gentle || t->is_gentle();
  }
  if (roving) has_energy = has_energy && roving->has_energy();
}

VecX RigNewton::Work::free_of(const VecX& p) const {
  VecX out(static_cast<Eigen::Index>(free.size()));
  for (size_t a = 0; a < free.size(); ++a) out[static_cast<Eigen::Index>(a)] = p[free[a]];
  return out;
}

void RigNewton::Work::place(Iterate& z) const {
  z.u = body.interior().expand(z.n, body.rigged_displacement(z.p, z.t));
  z.v = dv_du * z.u + v_offset;
  z.a = da_du * z.u + a_offset;
}

double RigNewton::Work::potential(const Iterate& z, const Iterate* before) {
  if (!z.u.allFinite()) return INFINITY;
  const Kinematics x{z.u, z.v, z.a, dv_du, da_du, z.progress};
  double energy = 0;
  for (const Term* t : terms)
    if (!t->is_gentle()) t->add(x, {.energy = &energy});
  if (roving) roving->add(x, {.energy = &energy});
  if (before && before->gentle.size() > 0) energy += before->gentle.dot(z.u - before->u);
  return energy;
}

void RigNewton::Work::forces(Iterate& z) {
  ++evaluations;
  const Kinematics x{z.u, z.v, z.a, dv_du, da_du, z.progress};
  z.r.setZero(z.u.size());
  if (has_gentle) z.gentle.setZero(z.u.size());
  z.scale = 0;
  const auto add = [&](const Term& t) {
    scratch.setZero(z.u.size());
    t.add(x, {.residual = &scratch});
    (t.is_gentle() ? z.gentle : z.r) += scratch;
    if (t.in_scale() && scratch.size() > 0) z.scale += scratch.cwiseAbs().maxCoeff();
  };
  for (const Term* t : terms) add(*t);
  if (roving) add(*roving);

  const VecX whole = has_gentle ? VecX(z.r + z.gentle) : z.r;
  z.rn = body.interior().restrict_(whole);
  z.J = body.rigged_jacobian(z.p, z.t, free);
  VecX rows(z.J.rows());
  for (size_t k = 0; k < body.rigged().size(); ++k)
    rows.segment<3>(3 * static_cast<Eigen::Index>(k)) = whole.segment<3>(3 * body.rigged()[k]);
  z.rq = z.J.transpose() * rows;
  z.length = z.J.colwise().norm().transpose();
  z.dead.assign(free.size(), 0);
  Eigen::Index worst = 0;
  z.worst = z.rn.size() > 0 ? z.rn.cwiseAbs().maxCoeff() : 0;
  z.worst_parameter = -1;
  for (Eigen::Index a = 0; a < z.rq.size(); ++a) {
    const RigParameter& parameter = body.rig()->parameters()[static_cast<size_t>(free[static_cast<size_t>(a)])];
    if (z.length[a] * parameter.unit <= kNothing * body.model().size()) {
      z.dead[static_cast<size_t>(a)] = 1;
      z.length[a] = 1;
      z.rq[a] = 0;
      z.J.col(a).setZero();
    }
    z.rq[a] /= z.length[a];
  }
  const double of_parameters = z.rq.size() > 0 ? z.rq.cwiseAbs().maxCoeff(&worst) : 0;
  if (of_parameters > z.worst || !std::isfinite(of_parameters)) {
    z.worst = of_parameters;
    z.worst_parameter = static_cast<int>(worst);
  }
  if (!std::isfinite(whole.sum()) || !z.J.allFinite()) z.worst = INFINITY;
}

void RigNewton::Work::matrix(const Iterate& z, bool project) {
  const Kinematics x{z.u, z.v, z.a, dv_du, da_du, z.progress};
  BlockMatrix& full = system.full();
  full.set_zero();
  for (const Term* t : terms) t->add(x, {.matrix = &full, .project = project});
  if (!roving) return;
  BlockMatrix& extra = system.extra(*roving);
  roving->add(x, {.matrix = &extra, .project = project});
}

MatX RigNewton::Work::curvature(const Iterate& z, RigSolver solver) {
  if (free.empty()) return MatX();
  if (solver == RigSolver::quasi_newton) return bfgs;
  return body.rigged_curvature(z.p, z.t, free, has_gentle ? VecX(z.r + z.gentle) : z.r);
}

VecX RigNewton::Work::moved_by(const MatX& J, const VecX& dp) const {
  VecX all = VecX::Zero(3 * static_cast<Eigen::Index>(body.n_vertices()));
  if (dp.size() == 0) return all;
  const VecX rows = J * dp;
  for (size_t k = 0; k < body.rigged().size(); ++k)
    all.segment<3>(3 * body.rigged()[k]) = rows.segment<3>(3 * static_cast<Eigen::Index>(k));
  return all;
}

RigNewton::Work::Way RigNewton::Work::way(const Iterate& from, const VecX& dn, const VecX& dp) const {
  Way out{.dn = dn, .dp = dp, .straight = VecX(), .first = 1};
  if (free.empty()) return out;
  const VecX straight = moved_by(from.J, dp);
  const Iterate there = along(from, out, 1);
  double off = 0;
  for (int v : body.rigged())
    off = std::max(off, (there.u - from.u - straight).segment<3>(3 * v).cwiseAbs().maxCoeff());
  if (off > kCurved * body.model().mean_edge() && body.n_interior() > 0) out.straight = straight;
  // Far along a curve, or with nothing known of what resists, the straight step says little: no turns on the spot.
  const double reach = straight.cwiseAbs().maxCoeff();
  if (system.doubtful() || !(off <= kMostlyStraight * reach)) out.first = std::min(1.0, body.model().size() / reach);
  return out;
}

RigNewton::Work::Iterate RigNewton::Work::along(const Iterate& from, const Way& way, double s) const {
  Iterate z;
  z.p = from.p, z.t = from.t, z.progress = from.progress;
  for (size_t a = 0; a < free.size(); ++a) z.p[free[a]] += s * way.dp[static_cast<Eigen::Index>(a)];
  z.n = from.n + s * way.dn;
  place(z);
  if (way.straight.size() == 0 || !z.u.allFinite()) return z;
  VecX off = VecX::Zero(z.u.size());
  for (int v : body.rigged()) off.segment<3>(3 * v) = (z.u - from.u - s * way.straight).segment<3>(3 * v);
  z.n += body.interior().gather(body.extend(off));
  for (int i = 0; i < body.n_vertices(); ++i)
    if (const int f = body.interior().free_index(i); f >= 0) z.u.segment<3>(3 * i) = z.n.segment<3>(3 * f);
  z.v = dv_du * z.u + v_offset;
  z.a = da_du * z.u + a_offset;
  return z;
}

double RigNewton::Work::slope(const Iterate& z, const Iterate& from, const Way& way) const {
  VecX r = z.r;
  if (has_gentle) r += from.gentle;
  const VecX moving = moved_by(z.J, way.dp);
  double out = r.dot(moving) + body.interior().restrict_(r).dot(way.dn);
  if (way.straight.size() > 0)
    out += body.interior().restrict_(r).dot(body.interior().gather(body.extend(moving - way.straight)));
  return out;
}

double RigNewton::Work::passable(const Iterate& from, const Iterate& to) {
  if (!roving) return 1;
  if (!to.u.allFinite()) return 0.5;
  const Kinematics x{from.u, from.v, from.a, dv_du, da_du, from.progress};
  return roving->safe_step(x, to.u - from.u, to.progress - from.progress);
}

bool RigNewton::Work::step(Iterate& now, const VecX& dn, const VecX& dq, double first_slope) {
  const VecX dp = dq.cwiseQuotient(now.length);
  const Way to = way(now, dn, dp);
  if (!has_energy) return step_by_residual(now, to, false);
  now.energy = potential(now, nullptr);
  const bool flat = std::abs(first_slope) <= kFlat * std::abs(now.energy);
  if (!flat && step_by_energy(now, to, first_slope)) return true;
  return std::abs(first_slope) <= 100 * kFlat * std::abs(now.energy) && step_by_residual(now, to, true);
}

bool RigNewton::Work::step_by_energy(Iterate& now, const Way& to, double first_slope) {
  if (!std::isfinite(now.energy)) return false;
  double first = to.first, most = kLongestStep * first;
  for (int tries = 0; roving && tries < kChordTries; ++tries) {
    const double share = passable(now, along(now, to, first));
    if (share >= 1) break;
    first *= kChordMargin * share;
    most = first;
  }
  if (!(first > 0)) return false;
  if (roving) most = first;
  Iterate trial;
  double at = -1;
  bool known = false;
  const auto function = [&](double s, bool with_slope) -> SearchPoint {
    SearchPoint point;
    if (at != s) {
      trial = along(now, to, s);
      at = s, known = false;
      // A step is a curve where the rig is: other lengths of it have chords of their own.
      trial.energy = passable(now, trial) < 1 ? INFINITY : potential(trial, &now);
    }
    point.value = trial.energy;
    if (!with_slope) return point;
    if (!known) forces(trial);
    known = true;
    point.slope = slope(trial, now, to);
    return point;
  };
  const SearchResult found = wolfe_search({now.energy, first_slope}, first, most, function);
  if (!found.ok) return false;
  function(found.step, true);
  if (!std::isfinite(trial.worst)) return false;
  now = std::move(trial);
  return true;
}

bool RigNewton::Work::step_by_residual(Iterate& now, const Way& to, bool flat) {
  const double norm = std::sqrt(now.rn.squaredNorm() + now.rq.squaredNorm());
  if (!flat) past.push_back(norm);
  if (past.size() > kPastNorms) past.erase(past.begin());
  const double reference = flat ? norm : *std::max_element(past.begin(), past.end());
  double s = to.first;
  for (int tries = 0; tries < (flat ? 3 : kResidualTries); ++tries) {
    Iterate trial = along(now, to, s);
    const double share = passable(now, trial);
    if (share < 1 || !trial.u.allFinite()) {
      s *= std::min(0.5, kChordMargin * share);
      if (!(s > 0)) return false;
      continue;
    }
    forces(trial);
    const double left = std::sqrt(trial.rn.squaredNorm() + trial.rq.squaredNorm());
    const bool better = flat ? trial.worst < now.worst || left < norm : left <= (1 - kResidualFall * s) * reference;
    if (std::isfinite(trial.worst) && better) {
      now = std::move(trial);
      return true;
    }
    s *= 0.5;
  }
  return false;
}

double RigNewton::Work::advance(Iterate& now, const RigApproach& from, const RigApproach& to) {
  const VecX moving = free_of(now.p);
  const VecX before = body.rigged_displacement(now.p, now.t);
  double share = 1;
  for (int tries = 0; tries < kChordTries && share > 0; ++tries) {
    Iterate next;
    next.progress = share == 1 ? 1 : now.progress + share * (1 - now.progress);
    next.p = next.progress == 1 ? to.p : VecX(from.p + next.progress * (to.p - from.p));
    for (size_t a = 0; a < free.size(); ++a) next.p[free[a]] = moving[static_cast<Eigen::Index>(a)];
    next.t = next.progress == 1 ? to.t : from.t + next.progress * (to.t - from.t);
    const VecX change = body.rigged_displacement(next.p, next.t) - before;
    next.n = now.n + body.interior().gather(body.extend(change));
    place(next);
    const double passes = passable(now, next);
    if (passes >= 1) {
      now = std::move(next);
      return share;
    }
    share *= kChordMargin * passes;
  }
  return 0;
}

bool RigNewton::Work::let_go(const Iterate& now, const RigApproach& to) {
  Iterate next;
  next.p = to.p, next.t = to.t;
  for (int a : free) next.p[a] = now.p[a];
  next.n = now.n;
  place(next);
  if (!next.u.allFinite()) return false;
  const Kinematics x{now.u, now.v, now.a, dv_du, da_du, now.progress};
  return roving->let_go(x, next.u - now.u, 1 - now.progress);
}

}  // namespace supple
