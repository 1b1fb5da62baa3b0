// Simplicial Cholesky of Eigen: no dense kernels, so it suits small systems; there in every build.
#include <Eigen/SparseCholesky>
#include <cassert>

#include "supple/base/timer.h"
#include "supple/linalg/solver_backends.h"

namespace supple {

namespace {

class EigenSolver final : public LinearSolver {
 public:
  std::string name() const override { return "eigen"; }
  bool direct() const override { return true; }
  std::string message() const override { return message_; }

  void analyse(std::shared_ptr<const BlockPattern> pattern) override {
    const TimeInto time(stats_.analyse_s);
    ++stats_.analyses;
    upper_ = PermutedUpper(*pattern, nested_dissection(*pattern));
    n_blocks_ = pattern->size();
    cholesky_.analyzePattern(view());
  }

  FactorStatus factorize(const BlockMatrix& matrix) override {
    assert(matrix.pattern->size() == n_blocks_);
    const TimeInto time(stats_.factorize_s);
    ++stats_.factorizations;
    message_.clear();
    if (!all_finite(matrix.values)) {
      message_ = "the matrix has entries that are not finite";
      return FactorStatus::failed;
    }
    if (upper_.size() == 0) return FactorStatus::ok;
    upper_.set_values(matrix);
    cholesky_.factorize(view());
    return cholesky_.info() == Eigen::Success ? FactorStatus::ok : FactorStatus::not_positive_definite;
  }

  SolveReport solve(const MatX& b, MatX& x) override {
    const TimeInto time(stats_.solve_s);
    ++stats_.solves;
    x.resize(b.rows(), b.cols());
    if (b.size() > 0) {
      const MatX sorted = cholesky_.solve(upper_.permuted(b));
      x = upper_.restored(sorted);
    }
    return {.ok = true, .iterations = 0, .residual = 0};
  }

 private:
  using Sparse = Eigen::SparseMatrix<double>;
  Eigen::Map<const Sparse> view() const {
    return {upper_.size(),       upper_.size(),     static_cast<int>(upper_.row.size()),
            upper_.start.data(), upper_.row.data(), upper_.value.data()};
  }

  PermutedUpper upper_;
  int n_blocks_ = 0;
  Eigen::SimplicialLLT<Sparse, Eigen::Upper, Eigen::NaturalOrdering<int>> cholesky_;
  std::string message_;
};

}  // namespace

std::unique_ptr<LinearSolver> make_eigen_solver() { return std::make_unique<EigenSolver>(); }

}  // namespace supple
