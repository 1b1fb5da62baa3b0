// Conjugate gradients with a block incomplete Cholesky preconditioner. Uses little memory; for very large meshes.
#include <algorithm>
#include <cmath>

#include "supple/base/parallel.h"
#include "supple/linalg/incomplete_cholesky.h"
#include "supple/linalg/solver_backends.h"

namespace supple {

namespace {

constexpr size_t kRows = 1024;     // block rows a chunk of a product
constexpr size_t kScalars = 8192;  // entries a chunk of a sum

double dot(const VecX& a, const VecX& b) {
  return parallel_sum(static_cast<size_t>(a.size()), kScalars, [&](size_t begin, size_t end) {
    const auto n = static_cast<Eigen::Index>(end - begin), at = static_cast<Eigen::Index>(begin);
    return a.segment(at, n).dot(b.segment(at, n));
  });
}

class CgSolver final : public BackEnd {
 public:
  std::string name() const override { return "cg"; }
  bool direct() const override { return false; }
  void set_tolerance(double tolerance) override { tolerance_ = tolerance; }

  void take_pattern(std::shared_ptr<const BlockPattern> pattern) override {
    pattern_ = std::move(pattern);
    graph_ = block_graph(*pattern_);
    preconditioner_.analyse(*pattern_);
  }

  FactorStatus take_values(const BlockMatrix& matrix) override {
    expand(matrix);
    return preconditioner_.factorize(matrix) ? FactorStatus::ok : FactorStatus::not_positive_definite;
  }

  SolveReport answer(const MatX& b, MatX& x) override {
    x.resize(b.rows(), b.cols());
    SolveReport report{.ok = true, .iterations = 0, .residual = 0};
    for (Eigen::Index c = 0; c < b.cols(); ++c) {
      VecX xc;
      const SolveReport one = solve_column(b.col(c), xc);
      x.col(c) = xc;
      report.ok = report.ok && one.ok;
      report.iterations += one.iterations;
      report.residual = std::max(report.residual, one.residual);
    }
    stats_.iterations += report.iterations;
    return report;
  }

 private:
  // Both triangles, row by row: the diagonal block first, then the neighbours, 9 numbers each.
  void expand(const BlockMatrix& matrix) {
    const auto n = static_cast<size_t>(pattern_->n);
    values_.resize(9 * (n + graph_.neighbour.size()));
    parallel_for(n, kRows, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        double* to = values_.data() + 9 * (i + static_cast<size_t>(graph_.start[i]));
        std::copy_n(matrix.block(pattern_->row_start[i + 1] - 1), 9, to);
        for (int e = graph_.start[i]; e < graph_.start[i + 1]; ++e) {
          to += 9;
          const double* from = matrix.block(graph_.block[static_cast<size_t>(e)]);
          const bool transposed = graph_.neighbour[static_cast<size_t>(e)] > static_cast<int>(i);
          for (int c = 0; c < 9; ++c) to[c] = transposed ? from[3 * (c % 3) + c / 3] : from[c];
        }
      }
    });
  }

  void multiply(const VecX& x, VecX& y) const {
    parallel_for(static_cast<size_t>(pattern_->n), kRows, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        const double* a = values_.data() + 9 * (i + static_cast<size_t>(graph_.start[i]));
        double s0 = 0, s1 = 0, s2 = 0;
        auto add = [&](size_t j) {
          const double* v = x.data() + 3 * j;
          s0 += a[0] * v[0] + a[1] * v[1] + a[2] * v[2];
          s1 += a[3] * v[0] + a[4] * v[1] + a[5] * v[2];
          s2 += a[6] * v[0] + a[7] * v[1] + a[8] * v[2];
          a += 9;
        };
        add(i);
        for (int e = graph_.start[i]; e < graph_.start[i + 1]; ++e)
          add(static_cast<size_t>(graph_.neighbour[static_cast<size_t>(e)]));
        double* out = y.data() + 3 * i;
        out[0] = s0;
        out[1] = s1;
        out[2] = s2;
      }
    });
  }

  SolveReport solve_column(const VecX& b, VecX& x) {
    x = VecX::Zero(b.size());
    const double b_norm = std::sqrt(dot(b, b));
    if (b_norm == 0) return {.ok = true, .iterations = 0, .residual = 0};
    if (!std::isfinite(b_norm)) return {.ok = false, .iterations = 0, .residual = b_norm};
    VecX r = b, z(b.size()), p = VecX::Zero(b.size()), q(b.size());
    double rho_prev = 1, r_norm = b_norm;
    const int limit = 200 + static_cast<int>(std::min<Eigen::Index>(10 * b.size(), 20000));
    for (int iteration = 0; iteration < limit; ++iteration) {
      if (r_norm <= tolerance_ * b_norm) return {.ok = true, .iterations = iteration, .residual = r_norm / b_norm};
      preconditioner_.apply(r, z);
      const double rho = dot(r, z);
      p = z + (iteration == 0 ? 0.0 : rho / rho_prev) * p;
      rho_prev = rho;
      multiply(p, q);
      const double curvature = dot(p, q);
      if (!(curvature > 0)) {
        message_ = "a direction of zero or negative curvature";
        return {.ok = false, .iterations = iteration, .residual = r_norm / b_norm};
      }
      const double alpha = rho / curvature;
      x += alpha * p;
      r -= alpha * q;
      r_norm = std::sqrt(dot(r, r));
    }
    message_ = "no convergence in " + std::to_string(limit) + " iterations";
    return {.ok = false, .iterations = limit, .residual = r_norm / b_norm};
  }

  std::shared_ptr<const BlockPattern> pattern_;
  BlockGraph graph_;
  std::vector<double> values_;
  IncompleteCholesky preconditioner_;
  double tolerance_ = 1e-10;
};

}  // namespace

std::unique_ptr<LinearSolver> make_cg_solver() { return std::make_unique<CgSolver>(); }

}  // namespace supple
