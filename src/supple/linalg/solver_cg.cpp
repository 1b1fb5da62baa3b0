// Conjugate gradients with a block incomplete Cholesky preconditioner. Uses little memory; for very large meshes.
#include <algorithm>
#include <cmath>
#include <optional>

#include "supple/linalg/incomplete_cholesky.h"
#include "supple/linalg/solver_backends.h"
#include "supple/linalg/symmetric_product.h"

namespace supple {

namespace {

class CgSolver final : public BackEnd {
 public:
  std::string name() const override { return "cg"; }
  bool direct() const override { return false; }
  void set_tolerance(double tolerance) override { tolerance_ = tolerance; }

  void take_pattern(std::shared_ptr<const BlockPattern> pattern) override {
    product_.emplace(*pattern);
    preconditioner_.analyse(*pattern);
  }

  FactorStatus take_values(const BlockMatrix& matrix) override {
    matrix_ = matrix;
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
  SolveReport solve_column(const VecX& b, VecX& x) {
    x = VecX::Zero(b.size());
    const double b_norm = std::sqrt(SymmetricProduct::dot(b, b));
    if (b_norm == 0) return {.ok = true, .iterations = 0, .residual = 0};
    if (!std::isfinite(b_norm)) return {.ok = false, .iterations = 0, .residual = b_norm};
    VecX r = b, z(b.size()), p = VecX::Zero(b.size()), q(b.size());
    double rho_prev = 1, r_norm = b_norm;
    const int limit = 200 + static_cast<int>(std::min<Eigen::Index>(10 * b.size(), 20000));
    for (int iteration = 0; iteration < limit; ++iteration) {
      if (r_norm <= tolerance_ * b_norm) return {.ok = true, .iterations = iteration, .residual = r_norm / b_norm};
      preconditioner_.apply(r, z);
      const double rho = SymmetricProduct::dot(r, z);
      p = z + (iteration == 0 ? 0.0 : rho / rho_prev) * p;
      rho_prev = rho;
      (*product_)(matrix_, p, q);
      const double curvature = SymmetricProduct::dot(p, q);
      if (!(curvature > 0)) {
        message_ = "a direction of zero or negative curvature";
        return {.ok = false, .iterations = iteration, .residual = r_norm / b_norm};
      }
      const double alpha = rho / curvature;
      x += alpha * p;
      r -= alpha * q;
      r_norm = std::sqrt(SymmetricProduct::dot(r, r));
    }
    message_ = "no convergence in " + std::to_string(limit) + " iterations";
    return {.ok = false, .iterations = limit, .residual = r_norm / b_norm};
  }

  std::optional<SymmetricProduct> product_;
  BlockMatrix matrix_;
  IncompleteCholesky preconditioner_;
  double tolerance_ = 1e-10;
};

}  // namespace

std::unique_ptr<LinearSolver> make_cg_solver() { return std::make_unique<CgSolver>(); }

}  // namespace supple
