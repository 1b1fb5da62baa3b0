#include "supple/rigspace/rig_newton_system.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "supple/solve/newton_rules.h"

namespace supple {

namespace {

constexpr double kLeastPivot = 1e-13;  // of S beside the largest diagonal entry of Hqq: below it, it is rounding
constexpr double kFirstLift = 1e-10, kMoreLift = 100;
constexpr int kMostLifts = 8;
// Iterations of conjugate gradients in a solve before a factor is made anew: about what that costs.
constexpr int kKeptIterations = 20;
constexpr int kColumnsPerIteration = 2;

constexpr double kSameStep = 1e-6;  // relative: times of frames are rounded, and so are steps between them

bool nearly_equal(double a, double b) { return std::abs(a - b) <= kSameStep * std::max(std::abs(a), std::abs(b)); }

std::vector<int> rows_of_vertices(const RigBody& body) {
  std::vector<int> row(static_cast<size_t>(body.n_vertices()), -1);
  for (size_t k = 0; k < body.rigged().size(); ++k) row[static_cast<size_t>(body.rigged()[k])] = static_cast<int>(k);
  return row;
}

}  // namespace

RigSystem::RigSystem(const RigBody& body, const std::shared_ptr<const BlockPattern>& pattern)
    : body_(body),
      row_of_vertex_(rows_of_vertices(body)),
      full_(pattern),
      base_reduction_(body.interior(), pattern),
      product_(*pattern),
      rigged_product_(*pattern, row_of_vertex_) {}

RigSystem::~RigSystem() = default;

BlockMatrix& RigSystem::extra(const RovingTerm& roving) {
  if (!extra_.pattern || coupled_ != roving.couplings()) {
    coupled_ = roving.couplings();
    PatternBuilder builder(body_.n_vertices());
    roving.couple(builder);
    const auto pattern = builder.build();
    if (!extra_.pattern || !(*extra_.pattern == *pattern)) {
      extra_ = BlockMatrix(pattern);
      extra_reduction_ = std::make_unique<Reduction>(body_.interior(), pattern);
      union_ = std::make_unique<PatternUnion>(base_reduction_.pattern(), extra_reduction_->pattern());
      extra_product_ = std::make_unique<SymmetricProduct>(*pattern);
      extra_rigged_ = std::make_unique<RiggedProduct>(*pattern, row_of_vertex_);
    }
  }
  extra_.set_zero();
  return extra_;
}

void RigSystem::begin(double dv_du, double da_du) {
  if (!nearly_equal(key_v_, dv_du) || !nearly_equal(key_a_, da_du)) made_ = false;
  key_v_ = dv_du, key_a_ = da_du;
  spent_ = 0;
}

VecX RigSystem::kept() const {
  std::vector<double> out;
  const auto list = [&](const auto& numbers) {
    out.push_back(static_cast<double>(std::size(numbers)));
    out.insert(out.end(), numbers.begin(), numbers.end());
  };
  if (!made_) return {};
  out = {key_v_, key_a_, static_cast<double>(doubtful_), static_cast<double>(made_with_extra_), stiff_};
  list(made_dead_);
  for (const MatX* A : {&W_, &L_, &S_}) list(A->reshaped());
  if (body_.n_interior() > 0) list(Hnn_.pattern->row_start), list(Hnn_.pattern->col), list(Hnn_.values);
  return Eigen::Map<const VecX>(out.data(), static_cast<Eigen::Index>(out.size()));
}

void RigSystem::restore(const VecX& numbers) {
  made_ = numbers.size() > 0;
  if (!made_) return;
  const double* at = numbers.data();
  const auto list = [&](auto& out) {
    const auto n = static_cast<size_t>(*at++);
    out.assign(at, at + n);
    at += n;
  };
  key_v_ = *at++, key_a_ = *at++;
  doubtful_ = *at++ != 0, made_with_extra_ = *at++ != 0;
  stiff_ = *at++;
  list(made_dead_);
  const auto p = static_cast<Eigen::Index>(made_dead_.size());
  for (MatX* A : {&W_, &L_, &S_}) {
    const auto n = static_cast<Eigen::Index>(*at++);
    *A = Eigen::Map<const MatX>(at, p > 0 ? n / p : 0, p);
    at += n;
  }
  if (body_.n_interior() == 0) return;
  auto pattern = std::make_shared<BlockPattern>();
  pattern->n = body_.n_interior();
  list(pattern->row_start), list(pattern->col);
  Hnn_ = BlockMatrix(pattern);
  list(Hnn_.values);
  factor_ = std::make_unique<SupernodalFactor<double>>(SymbolicFactor::analyse(*pattern));
  factor_pattern_ = pattern;
  made_ = factor_->factorize(Hnn_) == FactorStatus::ok;
}

void RigSystem::set(const MatX& J, std::vector<char> dead, const MatX& C) {
  J_ = J, C_ = C;
  dead_ = std::move(dead);
  const auto some = [](double x) { return x != 0; };
  extra_active_ = extra_.pattern && std::any_of(extra_.values.begin(), extra_.values.end(), some);
  extra_inside_ = false;
  if (!extra_active_) return;
  const BlockPattern& pattern = *extra_.pattern;
  for (int i = 0; i < pattern.n && !extra_inside_; ++i)
    for (int k = pattern.row_start[static_cast<size_t>(i)]; k < pattern.row_start[static_cast<size_t>(i) + 1]; ++k) {
      const int j = pattern.col[static_cast<size_t>(k)];
      const bool inside = row_of_vertex_[static_cast<size_t>(i)] < 0 || row_of_vertex_[static_cast<size_t>(j)] < 0;
      if (inside && std::any_of(extra_.block(k), extra_.block(k) + 9, some)) extra_inside_ = true;
    }
}

VecX RigSystem::on_rows(const VecX& all) const {
  const std::vector<int>& rigged = body_.rigged();
  VecX rows(3 * static_cast<Eigen::Index>(rigged.size()));
  for (size_t k = 0; k < rigged.size(); ++k)
    rows.segment<3>(3 * static_cast<Eigen::Index>(k)) = all.segment<3>(3 * rigged[k]);
  return rows;
}

VecX RigSystem::force_of(const VecX& dn, const VecX& dq) const {
  VecX d = body_.interior().expand(dn), y;
  if (J_.cols() > 0) {
    const VecX moved = J_ * dq;
    for (size_t k = 0; k < body_.rigged().size(); ++k)
      d.segment<3>(3 * body_.rigged()[k]) = moved.segment<3>(3 * static_cast<Eigen::Index>(k));
  }
  product_(full_, d, y);
  if (extra_active_) {
    VecX more;
    (*extra_product_)(extra_, d, more);
    y += more;
  }
  return y;
}

void RigSystem::multiply(const VecX& dn, const VecX& dq, VecX& yn, VecX& yq) const {
  const VecX y = force_of(dn, dq);
  yn = body_.interior().restrict_(y);
  yq = J_.transpose() * on_rows(y);
  if (C_.size() > 0) yq += C_ * dq;
  for (size_t a = 0; a < dead_.size(); ++a)
    if (dead_[a]) yq[static_cast<Eigen::Index>(a)] = dq[static_cast<Eigen::Index>(a)];
}

VecX RigSystem::parameter_rows(const VecX& dn, const VecX& dq) const {
  return J_.transpose() * on_rows(force_of(dn, dq));
}

bool RigSystem::factor_interior(BlockMatrix& Hnn, bool last, RigSystemCount& count) {
  if (factor_pattern_ != Hnn.pattern) {
    factor_ = std::make_unique<SupernodalFactor<double>>(SymbolicFactor::analyse(*Hnn.pattern));
    factor_pattern_ = Hnn.pattern;
  }
  double sum = 0;
  for (double x : Hnn.values) sum += x;
  if (!std::isfinite(sum)) return false;
  ++count.factorizations;
  if (factor_->factorize(Hnn) == FactorStatus::ok) return true;
  if (!last) return false;
  // A projected matrix can still be singular: lift its diagonal.
  double lift = kFirstLift * Hnn.max_abs_diagonal(), lifted = 0;
  for (int tries = 0; tries < kMostLifts; ++tries, lift *= kMoreLift) {
    for (int i = 0; i < Hnn.n(); ++i) {
      double* b = Hnn.block(Hnn.pattern->row_start[static_cast<size_t>(i) + 1] - 1);
      for (int c = 0; c < 9; c += 4) b[c] += lift - lifted;
    }
    lifted = lift;
    ++count.factorizations;
    if (factor_->factorize(Hnn) == FactorStatus::ok) return true;
  }
  return false;
}

bool RigSystem::factor_schur(const MatX& S, double stiff, bool last) {
  const Eigen::Index p = S.rows();
  if (p == 0) {
    L_.resize(0, 0);
    return true;
  }
  const auto take = [&](MatX A) {
    for (Eigen::Index a = 0; a < p; ++a)
      if (dead_[static_cast<size_t>(a)]) {
        A.row(a).setZero();
        A.col(a).setZero();
        A(a, a) = 1;
      }
    if (!A.allFinite()) return false;
    const double least = kLeastPivot * stiff;
    const Eigen::LLT<MatX> llt(A);
    if (llt.info() != Eigen::Success) return false;
    L_ = llt.matrixL();
    return (L_.diagonal().array().square() > least).all();
  };
  if (C_.size() > 0) {
    if (take(S + C_)) return true;
    without_curvature_ = true;
  }
  if (take(S)) return true;
  if (!last) return false;
  doubtful_ = true;
  double lift = kFirstLift * stiff;
  for (int tries = 0; tries < kMostLifts; ++tries, lift *= kMoreLift)
    if (take(S + lift * MatX::Identity(p, p))) return true;
  return false;
}

bool RigSystem::make(const BlockMatrix& full, const BlockMatrix& extra, bool last, RigSystemCount& count) {
  made_ = doubtful_ = without_curvature_ = false;
  const Eigen::Index p = J_.cols();
  const int m = body_.n_interior();
  if (m > 0) {
    BlockMatrix base, more;
    if (extra_inside_) {
      base_reduction_.apply(full, base);
      extra_reduction_->apply(extra, more);
      union_->add(base, more, Hnn_);
    } else {
      base_reduction_.apply(full, Hnn_);
    }
    if (!factor_interior(Hnn_, last, count)) return false;
  }
  MatX S(p, p);
  double stiff = 0;
  if (p > 0) {
    const RowMatX J = J_;
    RowMatX Y = RowMatX::Zero(3 * static_cast<Eigen::Index>(body_.n_vertices()), p);
    rigged_product_.add(full, J, Y);
    if (extra_inside_) extra_rigged_->add(extra, J, Y);
    MatX Ys(J.rows(), p);
    for (size_t k = 0; k < body_.rigged().size(); ++k)
      Ys.middleRows<3>(3 * static_cast<Eigen::Index>(k)) = Y.middleRows<3>(3 * body_.rigged()[k]);
    S.noalias() = J_.transpose() * Ys;
    stiff = S.diagonal().cwiseAbs().maxCoeff();
    if (m > 0) {
      MatX Hnq(3 * static_cast<Eigen::Index>(m), p);
      for (int v = 0; v < body_.n_vertices(); ++v)
        if (const int f = body_.interior().free_index(v); f >= 0)
          Hnq.middleRows<3>(3 * static_cast<Eigen::Index>(f)) = Y.middleRows<3>(3 * static_cast<Eigen::Index>(v));
      W_ = Hnq;
      factor_->solve(W_);
      S.noalias() -= Hnq.transpose() * W_;
    }
    S = 0.5 * (S + S.transpose()).eval();
  }
  S_ = S, stiff_ = stiff;
  made_with_extra_ = extra_active_ && !extra_inside_ && p > 0;
  if (made_with_extra_) {
    const MatX more = extra_schur(extra);
    S += more;
    stiff += more.diagonal().cwiseAbs().maxCoeff();
  }
  made_ = factor_schur(S, stiff, last);
  made_dead_ = dead_;
  spent_ = 0;
  return made_;
}

MatX RigSystem::extra_schur(const BlockMatrix& extra) const {
  const RowMatX J = J_;
  RowMatX Y = RowMatX::Zero(3 * static_cast<Eigen::Index>(body_.n_vertices()), J.cols());
  extra_rigged_->add(extra, J, Y);
  MatX rows(J.rows(), J.cols());
  for (size_t k = 0; k < body_.rigged().size(); ++k)
    rows.middleRows<3>(3 * static_cast<Eigen::Index>(k)) = Y.middleRows<3>(3 * body_.rigged()[k]);
  const MatX more = J_.transpose() * rows;
  return 0.5 * (more + more.transpose());
}

bool RigSystem::renew_extra() {
  if (!made_ || extra_inside_ || made_dead_ != dead_) return false;
  if (!extra_active_ && !made_with_extra_) return true;
  if (S_.rows() == 0) return true;
  MatX S = S_;
  double stiff = stiff_;
  if (extra_active_) {
    const MatX more = extra_schur(extra_);
    S += more;
    stiff += more.diagonal().cwiseAbs().maxCoeff();
  }
  made_with_extra_ = extra_active_;
  return made_ = factor_schur(S, stiff, false);
}

void RigSystem::apply(const VecX& bn, const VecX& bq, VecX& dn, VecX& dq) {
  // Block elimination: S dq = bq - Hqn Hnn^-1 bn, Hnn dn = bn - Hnq dq.
  const bool interior = bn.size() > 0, parameters = bq.size() > 0;
  dn = bn;
  if (interior) factor_->solve(dn);
  dq = bq;
  if (!parameters) return;
  if (interior) dq.noalias() -= W_.transpose() * bn;
  for (size_t a = 0; a < dead_.size(); ++a)
    if (dead_[a]) dq[static_cast<Eigen::Index>(a)] = 0;
  L_.triangularView<Eigen::Lower>().solveInPlace(dq);
  L_.transpose().triangularView<Eigen::Upper>().solveInPlace(dq);
  if (interior) dn.noalias() -= W_ * dq;
}

bool RigSystem::conjugate_gradients(const VecX& bn, const VecX& bq, double exactness, VecX& dn, VecX& dq,
                                    RigSystemCount& count) {
  VecX rn = bn, rq = bq, zn, zq, pn, pq, yn, yq;
  for (size_t a = 0; a < dead_.size(); ++a)
    if (dead_[a]) rq[static_cast<Eigen::Index>(a)] = 0;
  dn.setZero(bn.size());
  dq.setZero(bq.size());
  const double whole = std::sqrt(rn.squaredNorm() + rq.squaredNorm());
  const int most = kKeptIterations + static_cast<int>(bq.size()) / kColumnsPerIteration;
  double before = 0;
  for (int k = 0;; ++k) {
    const double left = std::sqrt(rn.squaredNorm() + rq.squaredNorm());
    if (left <= exactness * whole) return true;
    if (spent_ >= most || !std::isfinite(left)) return false;
    apply(rn, rq, zn, zq);
    const double rho = rn.dot(zn) + rq.dot(zq);
    if (k == 0) {
      pn = zn, pq = zq;
    } else {
      pn = zn + (rho / before) * pn, pq = zq + (rho / before) * pq;
    }
    before = rho;
    multiply(pn, pq, yn, yq);
    ++spent_, ++count.krylov;
    const double curvature = pn.dot(yn) + pq.dot(yq);
    if (!(curvature > 0) || !(rho > 0)) return false;
    dn += (rho / curvature) * pn, dq += (rho / curvature) * pq;
    rn -= (rho / curvature) * yn, rq -= (rho / curvature) * yq;
  }
}

bool RigSystem::direction(const VecX& bn, const VecX& bq, double exactness, bool may_keep,
                          const std::function<void()>& project, double& share, VecX& dn, VecX& dq,
                          RigSystemCount& count) {
  const auto downhill = [&] {
    const double slope = bn.dot(dn) + bq.dot(dq);
    return std::isfinite(slope) && slope > 0 && dn.allFinite() && dq.allFinite();
  };
  if (may_keep && share == 0 && renew_extra() && conjugate_gradients(bn, bq, exactness, dn, dq, count) && downhill())
    return true;
  if (share == 0) {
    if (make(full_, extra_, false, count)) {
      apply(bn, bq, dn, dq);
      if (downhill()) {
        count.gauss_newton += without_curvature_;
        return true;
      }
    }
    share = more(share);
  }
  const BlockMatrix exact = full_, exact_extra = extra_;
  project();
  ++count.projected;
  const BlockMatrix projected = full_, projected_extra = extra_;
  bool found = false;
  for (;; share = more(share)) {
    for (size_t k = 0; k < full_.values.size(); ++k)
      full_.values[k] = exact.values[k] + share * (projected.values[k] - exact.values[k]);
    for (size_t k = 0; k < extra_.values.size(); ++k)
      extra_.values[k] = exact_extra.values[k] + share * (projected_extra.values[k] - exact_extra.values[k]);
    if (make(full_, extra_, share == 1, count)) {
      apply(bn, bq, dn, dq);
      found = downhill();
    }
    if (found || share == 1) break;
  }
  full_ = exact, extra_ = exact_extra;
  count.gauss_newton += found && without_curvature_;
  return found;
}

}  // namespace supple
