// Our own supernodal Cholesky as a linear solver.
#include <cassert>
#include <optional>

#include "supple/base/timer.h"
#include "supple/linalg/solver_backends.h"
#include "supple/linalg/supernodal.h"

namespace supple {

namespace {

class SupernodalSolver final : public LinearSolver {
 public:
  std::string name() const override { return "supernodal"; }
  bool direct() const override { return true; }
  std::string message() const override { return message_; }

  void analyse(std::shared_ptr<const BlockPattern> pattern) override {
    const TimeInto time(stats_.analyse_s);
    ++stats_.analyses;
    factor_.emplace(SymbolicFactor::analyse(*pattern));
  }

  FactorStatus factorize(const BlockMatrix& matrix) override {
    assert(factor_);
    const TimeInto time(stats_.factorize_s);
    ++stats_.factorizations;
    message_.clear();
    if (!all_finite(matrix.values)) {
      message_ = "the matrix has entries that are not finite";
      return FactorStatus::failed;
    }
    try {
      return factor_->factorize(matrix);
    } catch (const std::bad_alloc&) {
      message_ = "out of memory";
      return FactorStatus::failed;
    }
  }

  SolveReport solve(const MatX& b, MatX& x) override {
    const TimeInto time(stats_.solve_s);
    ++stats_.solves;
    x = b;
    factor_->solve(x);
    return {.ok = true, .iterations = 0, .residual = 0};
  }

 private:
  std::optional<SupernodalFactor<double>> factor_;
  std::string message_;
};

}  // namespace

std::unique_ptr<LinearSolver> make_supernodal_solver() { return std::make_unique<SupernodalSolver>(); }

}  // namespace supple
