#include "supple/rigspace/rig_unknowns.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace supple {

namespace {

constexpr double kNothing = 1e-12;       // of the body's size: what moves all vertices less than this moves nothing
constexpr double kMostlyStraight = 0.5;  // what the rig may curve a long step by, of its length
constexpr double kCurved = 0.01;  // of the mean edge: what the rig curves a step by before the interior goes along
constexpr double kPowell = 0.2;   // least curvature of a secant pair beside that of the block it updates

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

VecX joined(const VecX& a, const VecX& b) {
  VecX out(a.size() + b.size());
  out << a, b;
  return out;
}

}  // namespace

RigUnknowns::RigUnknowns(const RigBody& body, std::vector<int> free, RigSolver solver, const std::string& linear_solver)
    : body_(body), free_(std::move(free)), solver_(solver), system_(body, linear_solver) {}

VecX RigUnknowns::free_of(const VecX& q) const {
  VecX out(static_cast<Eigen::Index>(free_.size()));
  for (size_t a = 0; a < free_.size(); ++a) out[static_cast<Eigen::Index>(a)] = q[free_[a]];
  return out;
}

VecX RigUnknowns::rigged_rows(const VecX& all) const {
  VecX rows(3 * static_cast<Eigen::Index>(body_.rigged().size()));
  for (size_t k = 0; k < body_.rigged().size(); ++k)
    rows.segment<3>(3 * static_cast<Eigen::Index>(k)) = all.segment<3>(3 * body_.rigged()[k]);
  return rows;
}

VecX RigUnknowns::moved_by(const MatX& J, const VecX& dq) const {
  VecX all = VecX::Zero(3 * static_cast<Eigen::Index>(body_.n_vertices()));
  if (dq.size() == 0) return all;
  const VecX rows = J * dq;
  for (size_t k = 0; k < body_.rigged().size(); ++k)
    all.segment<3>(3 * body_.rigged()[k]) = rows.segment<3>(3 * static_cast<Eigen::Index>(k));
  return all;
}

Place RigUnknowns::impose(const Place& from, const Place& goal) const {
  Place out{.u = {}, .q = goal.q, .t = goal.t};
  for (int a : free_) out.q[a] = from.q[a];
  out.u = body_.interior().expand(body_.interior().gather(from.u), body_.rigged_displacement(out.q, out.t));
  return out;
}

void RigUnknowns::find_tangent(Iterate& z) const {
  if (z.J.rows() > 0) return;
  z.J = body_.rigged_jacobian(z.q, z.t, free_);
  z.length = z.J.colwise().norm().transpose();
  z.dead.assign(free_.size(), 0);
  for (Eigen::Index a = 0; a < z.length.size(); ++a) {
    const RigParameter& parameter = body_.rig()->parameters()[static_cast<size_t>(free_[static_cast<size_t>(a)])];
    if (z.length[a] * parameter.unit > kNothing * body_.model().size()) continue;
    z.dead[static_cast<size_t>(a)] = 1;
    z.length[a] = 1;
    z.J.col(a).setZero();
  }
}

VecX RigUnknowns::reduce(Iterate& z, const VecX& r) const {
  find_tangent(z);
  return joined(body_.interior().restrict_(r), (z.J.transpose() * rigged_rows(r)).cwiseQuotient(z.length));
}

void RigUnknowns::name_worst(Eigen::Index unknown, NewtonReport& report) const {
  const Eigen::Index a = unknown - inside();
  report.worst = a < 0 || free_.empty()
                     ? "interior"
                     : body_.rig()->parameters()[static_cast<size_t>(free_[static_cast<size_t>(a)])].name;
}

void RigUnknowns::begin(double dv_du, double da_du, bool) {
  // What is kept serves while that is the cheaper way, from solve to solve.
  system_.begin(dv_du, da_du);
  const auto n = static_cast<Eigen::Index>(free_.size());
  secant_ = MatX::Zero(n, n);
  before_ = {};
}

void RigUnknowns::update_secant(const Iterate& z) {
  if (before_.d.size() == 0) return;
  // What the gradient changed by beyond K and J alone: differences of the mean of both ends. `rows` there are for all
  // of the direction, of which a part was gone.
  const VecX dn = body_.interior().gather(z.u) - before_.n, dq = free_of(z.q) - before_.q;
  const double whole = before_.d.squaredNorm();
  const double part = whole > 0 ? joined(dn, dq.cwiseProduct(before_.length)).dot(before_.d) / whole : 0;
  const VecX scaled = dq.cwiseProduct(z.length);
  const VecX rows = system_.parameter_rows(joined(dn, scaled)).cwiseProduct(z.length);
  const VecX Gd = system_.parameter_rows(joined(VecX::Zero(dn.size()), scaled)).cwiseProduct(z.length);
  const VecX gradient = z.J.transpose() * rigged_rows(z.r);
  update_block(secant_, Gd, dq, Gd + gradient - before_.gradient - 0.5 * (rows + part * before_.rows));
}

void RigUnknowns::take(const Iterate& z, const BlockMatrix& terms, const BlockMatrix* roving) {
  if (projecting_) return;
  MatX J = z.J;
  for (Eigen::Index a = 0; a < J.cols(); ++a) J.col(a) /= z.length[a];
  const bool secant = solver_ == RigSolver::quasi_newton;
  MatX C;
  if (!free_.empty() && !secant) C = body_.rigged_curvature(z.q, z.t, free_, z.r);
  if (secant) {
    system_.take(terms, roving, z.u, J, z.dead, MatX());
    update_secant(z);
    C = secant_;
  }
  for (Eigen::Index a = 0; a < C.rows(); ++a)
    for (Eigen::Index b = 0; b < C.cols(); ++b) C(a, b) /= z.length[a] * z.length[b];
  system_.take(terms, roving, z.u, std::move(J), z.dead, std::move(C));
}

bool RigUnknowns::direction(const Iterate& z, const VecX& b, const Wanted& wanted, double& share, VecX& d,
                            NewtonReport& report) {
  projecting_ = true;  // matrices change where they are
  const bool found = system_.direction(b, wanted, share, d, report);
  projecting_ = false;
  before_ = {};
  if (!found || solver_ != RigSolver::quasi_newton || z.progress < 1) return found;
  before_ = {.n = body_.interior().gather(z.u),
             .q = free_of(z.q),
             .length = z.length,
             .gradient = z.J.transpose() * rigged_rows(z.r),
             .d = d,
             .rows = system_.parameter_rows(d).cwiseProduct(z.length)};
  return found;
}

Way RigUnknowns::way(const Iterate& z, const VecX& d, const VecX* jump, const Place* goal) const {
  const VecX dn = d.head(inside()), dq = d.tail(z.length.size()).cwiseQuotient(z.length);
  Way out{.d = joined(dn, dq), .step = moved_by(z.J, dq) + body_.interior().expand(dn)};
  if (jump) out.step += *jump, out.advance = 1 - z.progress, out.goal = goal;
  if (free_.empty() && !goal) return out;
  const Iterate there = along(z, out, 1);
  double off = 0, reach = 0;
  for (int v : body_.rigged()) {
    off = std::max(off, (there.u - z.u - out.step).segment<3>(3 * v).cwiseAbs().maxCoeff());
    reach = std::max(reach, out.step.segment<3>(3 * v).cwiseAbs().maxCoeff());
  }
  out.carries = (goal || off > kCurved * body_.model().mean_edge()) && body_.n_interior() > 0;
  // Far along a curve, or with nothing known of what resists, the straight step says little: no turns on the spot.
  if (system_.doubtful() || !(off <= kMostlyStraight * reach)) out.first = std::min(1.0, body_.model().size() / reach);
  return out;
}

Iterate RigUnknowns::along(const Iterate& from, const Way& way, double s) const {
  Iterate z;
  z.q = from.q, z.t = from.t, z.progress = from.progress;
  if (way.goal) {
    z.q = s == 1 ? way.goal->q : VecX(from.q + s * (way.goal->q - from.q));
    z.t = s == 1 ? way.goal->t : from.t + s * (way.goal->t - from.t);
    z.progress = s == 1 ? 1 : from.progress + s * way.advance;
  }
  for (size_t a = 0; a < free_.size(); ++a)
    z.q[free_[a]] = from.q[free_[a]] + s * way.d[inside() + static_cast<Eigen::Index>(a)];
  const VecX given = body_.rigged_displacement(z.q, z.t);
  VecX n = body_.interior().gather(from.u) + s * way.d.head(inside());
  if (way.carries && given.allFinite()) {
    VecX off = VecX::Zero(from.u.size());
    for (int v : body_.rigged()) off.segment<3>(3 * v) = (given - from.u - s * way.step).segment<3>(3 * v);
    n += body_.interior().gather(body_.extend(off));
  }
  z.u = body_.interior().expand(n, given);
  return z;
}

VecX RigUnknowns::velocity(const Iterate& z, const Way& way) const {
  const VecX moving = moved_by(z.J, way.d.tail(z.length.size()));
  VecX n = way.d.head(inside());
  if (way.carries) {
    VecX off = moving;
    for (int v : body_.rigged()) off.segment<3>(3 * v) -= way.step.segment<3>(3 * v);
    n += body_.interior().gather(body_.extend(off));
  }
  return moving + body_.interior().expand(n);
}

}  // namespace supple
