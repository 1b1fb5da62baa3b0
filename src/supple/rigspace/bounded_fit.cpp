#include "supple/rigspace/bounded_fit.h"

#include <Eigen/Cholesky>
#include <cassert>
#include <vector>

#include "supple/base/parallel.h"

// With y = b - A x the optimum is x_e = max(low, prior_e + A_e . y / ridge), so that y alone is unknown, as many
// numbers as there are rows:
//   y - b + A x(y) = 0,
// the gradient of the convex function phi(y) = |y|^2 / 2 - b . y + ridge sum_e Phi(prior_e + A_e . y / ridge) with
// Phi(z) = z^2 / 2 above the bound and low z - low^2 / 2 below. It is piecewise quadratic: Newton with the matrix
// 1 + A_F A_F^T / ridge, F the columns above their bound, and a line search ends at the optimum after finitely many
// steps (a semismooth Newton method, in the dual).

namespace supple {
namespace {

// M += sign C C^T, its lower triangle.
void add_products(MatX& M, const MatX& C, double sign) {
  constexpr Eigen::Index kRows = 64;
  const Eigen::Index m = M.rows();
  parallel_for(static_cast<size_t>((m + kRows - 1) / kRows), 1, [&](size_t begin, size_t end) {
    for (size_t k = begin; k < end; ++k) {
      const Eigen::Index first = static_cast<Eigen::Index>(k) * kRows, rows = std::min(kRows, m - first);
      M.block(first, 0, rows, first + rows).noalias() +=
          sign * C.middleRows(first, rows) * C.topRows(first + rows).transpose();
    }
  });
}

MatX columns_of(const MatX& A, const std::vector<Eigen::Index>& which) {
  MatX C(A.rows(), static_cast<Eigen::Index>(which.size()));
  for (size_t i = 0; i < which.size(); ++i) C.col(static_cast<Eigen::Index>(i)) = A.col(which[i]);
  return C;
}

// A_F A_F^T, kept up with the set F.
class FreeProducts {
 public:
  explicit FreeProducts(const MatX& A)
      : A_(A), M_(MatX::Zero(A.rows(), A.rows())), free_(static_cast<size_t>(A.cols()), 0) {}

  const MatX& at(const VecX& z, double low) {
    std::vector<Eigen::Index> all, come, gone;
    for (Eigen::Index e = 0; e < z.size(); ++e) {
      const bool now = z[e] > low;
      if (now) all.push_back(e);
      if (now && !free_[static_cast<size_t>(e)]) come.push_back(e);
      if (!now && free_[static_cast<size_t>(e)]) gone.push_back(e);
      free_[static_cast<size_t>(e)] = now;
    }
    if (come.size() + gone.size() < all.size()) {
      if (!come.empty()) add_products(M_, columns_of(A_, come), 1);
      if (!gone.empty()) add_products(M_, columns_of(A_, gone), -1);
    } else {
      M_.setZero();
      add_products(M_, columns_of(A_, all), 1);
    }
    return M_;
  }

 private:
  const MatX& A_;
  MatX M_;
  std::vector<char> free_;
};

}  // namespace

BoundedFit bounded_least_squares(const MatX& A, const VecX& b, double ridge, const VecX& prior, double low,
                                 int max_iterations) {
  assert(ridge > 0 && prior.size() == A.cols() && b.size() == A.rows());
  constexpr double kTolerance = 1e-12, kArmijo = 1e-4;
  const auto place = [&](const VecX& y) -> VecX { return prior + A.transpose() * y / ridge; };
  const auto phi = [&](const VecX& y, const VecX& z) {
    double sum = 0;
    for (double v : z) sum += v > low ? v * v / 2 : low * v - low * low / 2;
    return y.squaredNorm() / 2 - b.dot(y) + ridge * sum;
  };

  BoundedFit fit;
  VecX y = b - A * prior.cwiseMax(low), z = place(y);
  FreeProducts products(A);
  const double scale = b.norm() + A.norm() * prior.norm();
  double value = phi(y, z);
  for (;;) {
    fit.x = z.cwiseMax(low);
    const VecX gradient = y - b + A * fit.x;
    fit.converged = gradient.norm() <= kTolerance * scale;
    if (fit.converged || fit.iterations == max_iterations) return fit;
    ++fit.iterations;
    MatX N = products.at(z, low) / ridge;
    N.diagonal().array() += 1;
    const VecX d = -N.selfadjointView<Eigen::Lower>().llt().solve(gradient);
    const double slope = gradient.dot(d);
    if (!(slope < 0)) return fit;
    // phi itself rounds: close to the optimum what counts is that it does not rise by more than that.
    const double rounding = 1e-14 * (std::abs(value) + scale * scale);
    for (double step = 1; step > 1e-10; step /= 2) {
      const VecX there = y + step * d, z_there = place(there);
      const double value_there = phi(there, z_there);
      if (value_there > value + kArmijo * step * slope + rounding) continue;
      y = there, z = z_there, value = value_there;
      break;
    }
  }
}

}  // namespace supple
