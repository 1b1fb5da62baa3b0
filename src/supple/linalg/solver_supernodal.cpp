// Our own supernodal Cholesky as a linear solver.
#include <optional>

#include "supple/linalg/solver_backends.h"
#include "supple/linalg/supernodal.h"

namespace supple {

namespace {

class SupernodalSolver final : public BackEnd {
 public:
  std::string name() const override { return "supernodal"; }
  bool direct() const override { return true; }

  void take_pattern(std::shared_ptr<const BlockPattern> pattern) override {
    factor_.emplace(SymbolicFactor::analyse(*pattern));
  }

  FactorStatus take_values(const BlockMatrix& matrix) override {
    try {
      return factor_->factorize(matrix);
    } catch (const std::bad_alloc&) {
      message_ = "out of memory";
      return FactorStatus::failed;
    }
  }

  SolveReport answer(const MatX& b, MatX& x) override {
    x = b;
    factor_->solve(x);
    return {.ok = true, .iterations = 0, .residual = 0};
  }

 private:
  std::optional<SupernodalFactor<double>> factor_;
};

}  // namespace

std::unique_ptr<LinearSolver> make_supernodal_solver() { return std::make_unique<SupernodalSolver>(); }

}  // namespace supple
