#include "supple/linalg/kept_factor.h"

#include <algorithm>
#include <cmath>

#include "supple/base/timer.h"
#include "supple/linalg/solver_backends.h"

namespace supple {

namespace {
// Iterations with a preconditioner made for this very matrix; with an older one at least, and beside what making one
// costs.
constexpr int kFreshLimit = 200, kLeastOld = 16;
constexpr double kOldLimit = 1;
constexpr int kLongestBasis = 60;  // of GMRES
}  // namespace

KeptFactor::KeptFactor(std::shared_ptr<const BlockPattern> pattern, std::unique_ptr<Preconditioner> preconditioner)
    : pattern_(std::move(pattern)), preconditioner_(std::move(preconditioner)), product_(*pattern_) {}

void KeptFactor::begin(double key_v, double key_a) {
  if (key_v != key_v_ || key_a != key_a_) made_ = false;
  key_v_ = key_v, key_a_ = key_a;
  spent_ = 0;
}

bool KeptFactor::make(const BlockMatrix& A) {
  const TimeInto time(stats_.factorize_s);
  ++stats_.factorizations;
  values_ =
      std::make_shared<const VecX>(Eigen::Map<const VecX>(A.values.data(), static_cast<Eigen::Index>(A.values.size())));
  if (uses_places() && places_.size() == 3 * A.n()) {
    made_at_ = std::make_shared<const VecX>(places_);
    preconditioner_->set_places(places_);
  }
  made_ = all_finite(A.values) && preconditioner_->make(A);
  spent_ = 0;
  return made_;
}

template <typename Attempt>
KrylovReport KeptFactor::attempts(const BlockMatrix& A, const Attempt& attempt) {
  KrylovReport report;
  const auto counted = [&](int limit) {
    const TimeInto time(stats_.solve_s);
    ++stats_.solves;
    KrylovReport one = attempt(limit);
    spent_ += one.iterations, stats_.iterations += one.iterations;
    one.iterations += report.iterations;
    report = one;
  };
  if (made_) {
    counted(std::max(kLeastOld, static_cast<int>(kOldLimit * preconditioner_->make_cost())) - spent_);
    if (report.ok) return report;
  }
  if (!make(A)) return report;
  counted(kFreshLimit);
  if (!report.ok) made_ = false;
  return report;
}

KrylovReport KeptFactor::solve(const BlockMatrix& A, const VecX& b, VecX& x, double tolerance) {
  x.setZero(b.size());
  r_ = b;
  const double whole = std::sqrt(SymmetricProduct::dot(b, b));
  if (!(whole > 0)) return {.ok = whole == 0, .iterations = 0, .residual = whole};
  return attempts(A, [&](int limit) { return conjugate_gradients(A, whole, x, tolerance, limit); });
}

KrylovReport KeptFactor::solve(const BlockMatrix& A, const LinearMap& whole, const VecX& b, VecX& x, double tolerance) {
  const auto precondition = [&](const VecX& y) {
    preconditioner_->apply(y, z_);
    return z_;
  };
  return attempts(A, [&](int limit) {
    return flexible_gmres(whole, precondition, b, x, tolerance, std::clamp(limit, 1, kLongestBasis));
  });
}

KrylovReport KeptFactor::conjugate_gradients(const BlockMatrix& A, double whole, VecX& x, double tolerance, int limit) {
  KrylovReport report;
  double before = 0;
  for (;; ++report.iterations) {
    report.residual = std::sqrt(SymmetricProduct::dot(r_, r_)) / whole;
    report.ok = report.residual <= tolerance;
    if (report.ok || report.iterations >= limit || !std::isfinite(report.residual)) return report;
    preconditioner_->apply(r_, z_);
    const double rho = SymmetricProduct::dot(r_, z_);
    if (report.iterations == 0)
      p_ = z_;
    else
      p_ = z_ + (rho / before) * p_;
    before = rho;
    product_(A, p_, q_);
    const double curvature = SymmetricProduct::dot(p_, q_);
    if (!(curvature > 0) || !(rho > 0)) return report;
    x += (rho / curvature) * p_;
    r_ -= (rho / curvature) * q_;
  }
}

size_t KeptFactor::memory_bytes() const {
  return preconditioner_->memory_bytes() + (values_ ? static_cast<size_t>(values_->size()) : 0) * sizeof(double) +
         static_cast<size_t>(4 * r_.size()) * sizeof(double);
}

KeptFactor::Mark KeptFactor::mark() const {
  return {made_ ? values_ : nullptr, made_ ? made_at_ : nullptr, key_v_, key_a_};
}

void KeptFactor::restore(const Mark& m) {
  key_v_ = m.key_v, key_a_ = m.key_a;
  if (made_ && m.values == values_) return;
  made_ = false;
  if (!m.values || m.values->size() != 9 * static_cast<Eigen::Index>(pattern_->size())) return;
  if (m.places) places_ = *m.places;
  BlockMatrix A(pattern_);
  std::copy(m.values->begin(), m.values->end(), A.values.begin());
  make(A);
}

}  // namespace supple
