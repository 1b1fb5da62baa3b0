#include "supple/rigspace/rig_system.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <utility>

#include "supple/solve/newton_rules.h"

namespace supple {

namespace {

constexpr double kLeastPivot = 1e-13;  // of S beside the largest diagonal entry of Hqq: below it, it is rounding
// Iterations of conjugate gradients in a solve before a factor is made anew: about what that costs; those of a large
// interior for a column of W, and all that levels made for this very matrix may take.
constexpr int kKeptIterations = 20;
constexpr int kColumnsPerIteration = 2;
constexpr int kLevelIterations = 10, kFreshIterations = 300;
constexpr double kColumnExactness = 1e-2;

constexpr double kSameStep = 1e-6;  // relative: times of frames are rounded, and so are steps between them

bool nearly_equal(double a, double b) { return std::abs(a - b) <= kSameStep * std::max(std::abs(a), std::abs(b)); }

std::vector<int> rows_of_vertices(const RigBody& body) {
  std::vector<int> row(static_cast<size_t>(body.n_vertices()), -1);
  for (size_t k = 0; k < body.rigged().size(); ++k) row[static_cast<size_t>(body.rigged()[k])] = static_cast<int>(k);
  return row;
}

bool some(double x) { return x != 0; }

// exact + share (projected - exact)
void blend(const BlockMatrix& exact, const BlockMatrix& projected, double share, BlockMatrix& out) {
  out = exact;
  for (size_t k = 0; k < out.values.size(); ++k) out.values[k] += share * (projected.values[k] - exact.values[k]);
}

}  // namespace

RigSystem::RigSystem(const RigBody& body, const std::string& linear_solver)
    : body_(body),
      multilevel_(wants_multilevel(linear_solver, body.interior())),
      places_(flatten(body.model().mesh().vertices)),
      row_of_vertex_(rows_of_vertices(body)) {}

RigSystem::~RigSystem() = default;

void RigSystem::couple(const std::shared_ptr<const BlockPattern>& terms) {
  reduction_ = std::make_unique<Reduction>(body_.interior(), terms);
  product_ = std::make_unique<SymmetricProduct>(*terms);
  rigged_product_ = std::make_unique<RiggedProduct>(*terms, row_of_vertex_);
}

void RigSystem::couple_roving(const std::shared_ptr<const BlockPattern>& pattern) {
  roving_reduction_ = std::make_unique<Reduction>(body_.interior(), pattern);
  union_ = std::make_unique<PatternUnion>(reduction_->pattern(), roving_reduction_->pattern());
  roving_product_ = std::make_unique<SymmetricProduct>(*pattern);
  roving_rigged_ = std::make_unique<RiggedProduct>(*pattern, row_of_vertex_);
}

void RigSystem::begin(double dv_du, double da_du) {
  if (!nearly_equal(key_v_, dv_du) || !nearly_equal(key_a_, da_du)) made_ = false;
  key_v_ = dv_du, key_a_ = da_du;
  spent_ = 0;
}

VecX RigSystem::kept() const {
  if (!made_) return {};
  std::vector<double> out = {key_v_, key_a_, static_cast<double>(doubtful_), static_cast<double>(made_with_roving_),
                             stiff_};
  const auto list = [&](const auto& numbers) {
    out.push_back(static_cast<double>(std::size(numbers)));
    out.insert(out.end(), numbers.begin(), numbers.end());
  };
  list(made_dead_);
  for (const MatX* A : {&W_, &L_, &S_}) list(A->reshaped());
  if (inside() > 0) {
    list(Hnn_.pattern->row_start), list(Hnn_.pattern->col), list(Hnn_.values);
    if (multilevel_) list(levels_->mark().places ? *levels_->mark().places : VecX());
  }
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
  doubtful_ = *at++ != 0, made_with_roving_ = *at++ != 0;
  stiff_ = *at++;
  list(made_dead_);
  const auto p = static_cast<Eigen::Index>(made_dead_.size());
  for (MatX* A : {&W_, &L_, &S_}) {
    const auto n = static_cast<Eigen::Index>(*at++);
    *A = Eigen::Map<const MatX>(at, p > 0 ? n / p : 0, p);
    at += n;
  }
  if (inside() == 0) return;
  auto pattern = std::make_shared<BlockPattern>();
  pattern->n = body_.n_interior();
  list(pattern->row_start), list(pattern->col);
  Hnn_ = BlockMatrix(pattern);
  list(Hnn_.values);
  make_interior();
  if (multilevel_) {
    std::vector<double> places;
    list(places);
    levels_->set_places(Eigen::Map<const VecX>(places.data(), static_cast<Eigen::Index>(places.size())));
  }
  made_ = multilevel_ ? levels_->make(Hnn_) : factor_->factorize(Hnn_) == FactorStatus::ok;
}

void RigSystem::take(const BlockMatrix& terms, const BlockMatrix* roving, const VecX& u, MatX J, std::vector<char> dead,
                     MatX C) {
  K_ = {&terms, roving};
  u_ = &u;
  J_ = std::move(J), C_ = std::move(C);
  dead_ = std::move(dead);
  roving_active_ = roving && std::any_of(roving->values.begin(), roving->values.end(), some);
  roving_inside_ = false;
  if (!roving_active_) return;
  const BlockPattern& pattern = *roving->pattern;
  for (int i = 0; i < pattern.n && !roving_inside_; ++i)
    for (int k = pattern.row_start[static_cast<size_t>(i)]; k < pattern.row_start[static_cast<size_t>(i) + 1]; ++k) {
      const int j = pattern.col[static_cast<size_t>(k)];
      const bool inside = row_of_vertex_[static_cast<size_t>(i)] < 0 || row_of_vertex_[static_cast<size_t>(j)] < 0;
      if (inside && std::any_of(roving->block(k), roving->block(k) + 9, some)) roving_inside_ = true;
    }
}

MatX RigSystem::on_rows(const MatX& all) const {
  const std::vector<int>& rigged = body_.rigged();
  MatX rows(3 * static_cast<Eigen::Index>(rigged.size()), all.cols());
  for (size_t k = 0; k < rigged.size(); ++k)
    rows.middleRows<3>(3 * static_cast<Eigen::Index>(k)) = all.middleRows<3>(3 * rigged[k]);
  return rows;
}

VecX RigSystem::force_of(const VecX& d) const {
  VecX moved = body_.interior().expand(d.head(inside())), y;
  if (J_.cols() > 0) {
    const VecX rows = J_ * d.tail(J_.cols());
    for (size_t k = 0; k < body_.rigged().size(); ++k)
      moved.segment<3>(3 * body_.rigged()[k]) = rows.segment<3>(3 * static_cast<Eigen::Index>(k));
  }
  (*product_)(*K_.terms, moved, y);
  if (roving_active_) {
    VecX more;
    (*roving_product_)(*K_.roving, moved, more);
    y += more;
  }
  return y;
}

VecX RigSystem::multiply(const VecX& d) const { return multiply(d, C_); }

VecX RigSystem::multiply(const VecX& d, const MatX& added) const {
  const VecX force = force_of(d);
  VecX y(d.size());
  y.head(inside()) = body_.interior().restrict_(force);
  auto yq = y.tail(J_.cols());
  yq = J_.transpose() * on_rows(force);
  if (added.size() > 0) yq += added * d.tail(J_.cols());
  for (size_t a = 0; a < dead_.size(); ++a)
    if (dead_[a]) yq[static_cast<Eigen::Index>(a)] = d[inside() + static_cast<Eigen::Index>(a)];
  return y;
}

VecX RigSystem::parameter_rows(const VecX& d) const { return J_.transpose() * on_rows(force_of(d)); }

void RigSystem::make_interior() {
  factor_pattern_ = Hnn_.pattern;
  if (multilevel_)
    levels_ = make_kept(factor_pattern_, true, body_.interior(), places_);
  else
    factor_ = std::make_unique<SupernodalFactor<double>>(SymbolicFactor::analyse(*factor_pattern_));
}

bool RigSystem::factor_interior(const VecX& u, bool last, NewtonReport& report) {
  if (factor_pattern_ != Hnn_.pattern) make_interior();
  double sum = 0;
  for (double x : Hnn_.values) sum += x;
  if (!std::isfinite(sum)) return false;
  const auto attempt = [&] {
    ++report.factorizations;
    return multilevel_ ? levels_->make(Hnn_) : factor_->factorize(Hnn_) == FactorStatus::ok;
  };
  if (multilevel_) levels_->set_places(body_.interior().gather(places_ + u));
  if (attempt()) return true;
  double lifted = 0;
  return last && with_lifted_diagonal(Hnn_.max_abs_diagonal(), [&](double lift) {
           lift_diagonal(Hnn_, lift - lifted);
           lifted = lift;
           return attempt();
         });
}

bool RigSystem::eliminate(const MatX& Hnq, MatX& S) {
  if (!multilevel_) {
    W_ = Hnq;
    factor_->solve(W_);
    S.noalias() -= Hnq.transpose() * W_;
    return true;
  }
  W_.resizeLike(Hnq);
  MatX HW(Hnq.rows(), Hnq.cols());
  for (Eigen::Index c = 0; c < Hnq.cols(); ++c) {
    VecX w, product;
    levels_->begin(0, 0);  // every column has its own budget
    if (!levels_->solve(Hnn_, Hnq.col(c), w, kColumnExactness).ok) return false;
    levels_->product()(Hnn_, w, product);
    W_.col(c) = w, HW.col(c) = product;
  }
  S.noalias() += W_.transpose() * (HW - 2 * Hnq);  // made symmetric by the caller
  return true;
}

bool RigSystem::factor_schur(const MatX& S, double stiff, bool last) {
  const Eigen::Index p = S.rows();
  added_ = C_;
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
  if (C_.size() > 0 && take(S + C_)) return true;
  added_.resize(0, 0);
  if (take(S)) return true;
  doubtful_ = last;
  return last && with_lifted_diagonal(stiff, [&](double lift) {
           added_ = lift * MatX::Identity(p, p);
           return take(S + added_);
         });
}

bool RigSystem::make(const Matrices& K, const VecX& u, bool last, NewtonReport& report) {
  made_ = doubtful_ = false;
  const Eigen::Index p = J_.cols();
  if (inside() > 0) {
    if (roving_inside_) {
      BlockMatrix base, more;
      reduction_->apply(*K.terms, base);
      roving_reduction_->apply(*K.roving, more);
      union_->add(base, more, Hnn_);
    } else {
      reduction_->apply(*K.terms, Hnn_);
    }
    if (!factor_interior(u, last, report)) return false;
  }
  MatX S(p, p);
  double stiff = 0;
  if (p > 0) {
    const RowMatX J = J_;
    RowMatX Y = RowMatX::Zero(3 * static_cast<Eigen::Index>(body_.n_vertices()), p);
    rigged_product_->add(*K.terms, J, Y);
    if (roving_inside_) roving_rigged_->add(*K.roving, J, Y);
    S.noalias() = J_.transpose() * on_rows(Y);
    stiff = S.diagonal().cwiseAbs().maxCoeff();
    if (inside() > 0) {
      MatX Hnq(inside(), p);
      for (int v = 0; v < body_.n_vertices(); ++v)
        if (const int f = body_.interior().free_index(v); f >= 0)
          Hnq.middleRows<3>(3 * static_cast<Eigen::Index>(f)) = Y.middleRows<3>(3 * static_cast<Eigen::Index>(v));
      if (!eliminate(Hnq, S)) return false;
    }
    S = 0.5 * (S + S.transpose()).eval();
  }
  S_ = S, stiff_ = stiff;
  made_with_roving_ = roving_active_ && !roving_inside_ && p > 0;
  if (made_with_roving_) {
    const MatX more = roving_schur(*K.roving);
    S += more;
    stiff += more.diagonal().cwiseAbs().maxCoeff();
  }
  made_ = factor_schur(S, stiff, last);
  made_dead_ = dead_;
  spent_ = 0;
  return made_;
}

MatX RigSystem::roving_schur(const BlockMatrix& roving) const {
  RowMatX Y = RowMatX::Zero(3 * static_cast<Eigen::Index>(body_.n_vertices()), J_.cols());
  roving_rigged_->add(roving, J_, Y);
  const MatX more = J_.transpose() * on_rows(Y);
  return 0.5 * (more + more.transpose());
}

bool RigSystem::renew_roving() {
  if (!made_ || roving_inside_ || made_dead_ != dead_) return false;
  if ((!roving_active_ && !made_with_roving_) || S_.rows() == 0) return true;
  MatX S = S_;
  double stiff = stiff_;
  if (roving_active_) {
    const MatX more = roving_schur(*K_.roving);
    S += more;
    stiff += more.diagonal().cwiseAbs().maxCoeff();
  }
  made_with_roving_ = roving_active_;
  return made_ = factor_schur(S, stiff, false);
}

void RigSystem::apply(const VecX& b, VecX& d) {
  // Block elimination: S dq = bq - Hqn Hnn^-1 bn, Hnn dn = bn - Hnq dq.
  const bool interior = inside() > 0;
  VecX dn = b.head(inside()), dq = b.tail(J_.cols());
  if (interior && multilevel_)
    levels_->precondition(b.head(inside()), dn);
  else if (interior)
    factor_->solve(dn);
  if (dq.size() > 0) {
    if (interior) dq.noalias() -= W_.transpose() * b.head(inside());
    for (size_t a = 0; a < dead_.size(); ++a)
      if (dead_[a]) dq[static_cast<Eigen::Index>(a)] = 0;
    L_.triangularView<Eigen::Lower>().solveInPlace(dq);
    L_.transpose().triangularView<Eigen::Upper>().solveInPlace(dq);
    if (interior) dn.noalias() -= W_ * dq;
  }
  d.resize(b.size());
  d << dn, dq;
}

bool RigSystem::conjugate_gradients(const VecX& b, double exactness, int most, const MatX& added, VecX& d,
                                    NewtonReport& report) {
  VecX r = b, z, p, y;
  for (size_t a = 0; a < dead_.size(); ++a)
    if (dead_[a]) r[inside() + static_cast<Eigen::Index>(a)] = 0;
  d.setZero(b.size());
  const double whole = r.norm();
  double before = 0;
  for (int k = 0;; ++k) {
    const double left = r.norm();
    if (left <= exactness * whole) return true;
    if (spent_ >= most || !std::isfinite(left)) return false;
    apply(r, z);
    const double rho = r.dot(z);
    p = k == 0 ? z : VecX(z + (rho / before) * p);
    before = rho;
    y = multiply(p, added);
    ++spent_, ++report.krylov;
    const double curvature = p.dot(y);
    if (!(curvature > 0) || !(rho > 0)) return false;
    d += (rho / curvature) * p;
    r -= (rho / curvature) * y;
  }
}

bool RigSystem::solve_made(const VecX& b, double exactness, VecX& d, NewtonReport& report) {
  if (multilevel_ && inside() > 0) return conjugate_gradients(b, exactness, kFreshIterations, added_, d, report);
  apply(b, d);
  return true;
}

bool RigSystem::direction(const VecX& b, const Wanted& wanted, double& share, VecX& d, NewtonReport& report) {
  const auto downhill = [&] { return d.allFinite() && b.dot(d) > 0; };
  if (share == 0) {
    const int columns = static_cast<int>(J_.cols());
    const int most = multilevel_ && levels_ ? static_cast<int>(levels_->make_cost()) + kLevelIterations * (columns + 1)
                                            : kKeptIterations + columns / kColumnsPerIteration;
    if (renew_roving() && conjugate_gradients(b, wanted.exactness, most, C_, d, report) && downhill()) return true;
    if (make(K_, *u_, false, report) && solve_made(b, wanted.exactness, d, report) && downhill()) return true;
    share = more(share);
  }
  exact_ = *K_.terms;
  if (K_.roving) exact_roving_ = *K_.roving;
  const Matrices given = K_;
  wanted.project();
  ++report.projected;
  const bool found = with_more_projection(share, [&](double part) {
    blend(exact_, *given.terms, part, blend_);
    if (given.roving) blend(exact_roving_, *given.roving, part, blend_roving_);
    K_ = {&blend_, given.roving ? &blend_roving_ : nullptr};
    return make(K_, *u_, part == 1, report) && solve_made(b, wanted.exactness, d, report) && downhill();
  });
  // What is asked for along the way is of the matrix itself.
  K_ = {&exact_, given.roving ? &exact_roving_ : nullptr};
  return found;
}

}  // namespace supple
