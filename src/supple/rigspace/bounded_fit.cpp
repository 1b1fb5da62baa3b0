#include "supple/rigspace/bounded_fit.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <vector>

#include "supple/base/expect.h"
#include "supple/base/parallel.h"
#include "supple/linalg/dense_kernels.h"
#include "supple/linalg/line_buffer.h"

// With y = b - A x the optimum is x_e = max(low_e, prior_e + A_e . y / ridge), so that y alone is unknown, as many
// numbers as there are rows:
//   y - b + A x(y) = 0,
// the gradient of the convex function phi(y) = |y|^2 / 2 - b . y + ridge sum_e Phi(prior_e + A_e . y / ridge) with
// Phi(z) = z^2 / 2 above the bound and low_e z - low_e^2 / 2 below. It is piecewise quadratic: Newton with the matrix
// 1 + A_F A_F^T / ridge, F the columns above their bound, and a line search ends at the optimum after finitely many
// steps (a semismooth Newton method, in the dual).

namespace supple {
namespace {

// Some columns of a matrix in panels of kLane rows, for the kernels of the Cholesky: in each panel column after column,
// the last panel filled up with zeros.
constexpr Eigen::Index kLane = 8;
struct Panels {
  LineBuffer<double> lines;
  Eigen::Index count, columns;
  Panels(Eigen::Index rows, Eigen::Index n) : count((rows + kLane - 1) / kLane), columns(n) {
    lines.reserve(static_cast<size_t>(count * n));
  }
  double* at(Eigen::Index panel) { return lines.line(static_cast<size_t>(panel * columns)); }
};

Panels panels_of(const MatX& A, const std::vector<Eigen::Index>& which) {
  Panels out(A.rows(), static_cast<Eigen::Index>(which.size()));
  parallel_for(static_cast<size_t>(out.count), 1, [&](size_t begin, size_t end) {
    for (auto p = static_cast<Eigen::Index>(begin); p < static_cast<Eigen::Index>(end); ++p) {
      const Eigen::Index rows = std::min(kLane, A.rows() - p * kLane);
      double* to = out.at(p);
      for (Eigen::Index column : which) {
        std::copy_n(A.col(column).data() + p * kLane, rows, to);
        std::fill(to + rows, to + kLane, 0.0);
        to += kLane;
      }
    }
  });
  return out;
}

// M += sign C C^T with C the columns `which` of A, the lower triangle.
void add_products(MatX& M, const MatX& A, const std::vector<Eigen::Index>& which, double sign) {
  constexpr int kChunk = 256;  // columns of C at a time: a chunk of all panels is to stay in the cache
  static_assert(64 / sizeof(double) == kLane);
  const DenseKernels<double>& kernels = dense_kernels<double>();
  Panels C = panels_of(A, which);
  const auto n = static_cast<int>(which.size()), count = static_cast<int>(C.count);
  parallel_for(static_cast<size_t>(count), 1, [&](size_t begin, size_t end) {
    LineBuffer<double> sums;
    sums.reserve(static_cast<size_t>(count * kLane));
    std::vector<double*> c(static_cast<size_t>(count));
    std::vector<const double*> a(static_cast<size_t>(count));
    for (int i = 0; i < count; ++i) {
      c[static_cast<size_t>(i)] = sums.line(static_cast<size_t>(i * kLane));
      a[static_cast<size_t>(i)] = C.at(i);
    }
    for (auto q = static_cast<int>(begin); q < static_cast<int>(end); ++q) {
      std::fill_n(sums.line(0), count * kLane * kLane, 0.0);
      for (int k = 0; k < n; k += kChunk)
        for (int j = 0; j < kLane; j += kernels.strip)
          kernels.update(c.data(), a.data(), q, count, j, kernels.strip, C.at(q) + j, k, std::min(n, k + kChunk),
                         false);
      for (Eigen::Index column = q * kLane; column < std::min(M.cols(), (q + 1) * kLane); ++column)
        for (Eigen::Index row = column; row < M.rows(); ++row)
          M(row, column) -= sign * c[static_cast<size_t>(row / kLane)][column % kLane * kLane + row % kLane];
    }
  });
}

// A_F A_F^T, kept up with the set F.
class FreeProducts {
 public:
  explicit FreeProducts(const MatX& A)
      : A_(A), M_(MatX::Zero(A.rows(), A.rows())), free_(static_cast<size_t>(A.cols()), 0) {}

  const MatX& at(const VecX& z, const VecX& low) {
    std::vector<Eigen::Index> all, come, gone;
    for (Eigen::Index e = 0; e < z.size(); ++e) {
      const bool now = z[e] > low[e];
      if (now) all.push_back(e);
      if (now && !free_[static_cast<size_t>(e)]) come.push_back(e);
      if (!now && free_[static_cast<size_t>(e)]) gone.push_back(e);
      free_[static_cast<size_t>(e)] = now;
    }
    if (come.size() + gone.size() < all.size()) {
      if (!come.empty()) add_products(M_, A_, come, 1);
      if (!gone.empty()) add_products(M_, A_, gone, -1);
    } else {
      M_.setZero();
      add_products(M_, A_, all, 1);
    }
    return M_;
  }

 private:
  const MatX& A_;
  MatX M_;
  std::vector<char> free_;
};

}  // namespace

BoundedFit bounded_least_squares(const MatX& A, const VecX& b, double ridge, const VecX& prior, const VecX& low,
                                 int max_iterations, double tolerance) {
  expect(ridge > 0 && prior.size() == A.cols() && low.size() == A.cols() && b.size() == A.rows(),
         "a least-squares problem of matching sizes with a positive ridge");
  constexpr double kArmijo = 1e-4;
  const auto place = [&](const VecX& y) -> VecX { return prior + A.transpose() * y / ridge; };
  const auto phi = [&](const VecX& y, const VecX& z) {
    double sum = 0;
    for (Eigen::Index e = 0; e < z.size(); ++e)
      sum += z[e] > low[e] ? z[e] * z[e] / 2 : low[e] * z[e] - low[e] * low[e] / 2;
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
    fit.converged = gradient.norm() <= tolerance * scale;
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
