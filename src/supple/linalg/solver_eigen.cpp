// Simplicial Cholesky of Eigen: no dense kernels, so it suits small systems; there in every build.
#include <Eigen/SparseCholesky>

#include "supple/linalg/solver_backends.h"

namespace supple {

namespace {

class EigenSolver final : public BackEnd {
 public:
  std::string name() const override { return "eigen"; }
  bool direct() const override { return true; }

  void take_pattern(std::shared_ptr<const BlockPattern> pattern) override {
    upper_ = PermutedUpper(*pattern, nested_dissection(*pattern));
    cholesky_.analyzePattern(view());
  }

  FactorStatus take_values(const BlockMatrix& matrix) override {
    if (upper_.size() == 0) return FactorStatus::ok;
    upper_.set_values(matrix);
    cholesky_.factorize(view());
    return cholesky_.info() == Eigen::Success ? FactorStatus::ok : FactorStatus::not_positive_definite;
  }

  SolveReport answer(const MatX& b, MatX& x) override {
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
  Eigen::SimplicialLLT<Sparse, Eigen::Upper, Eigen::NaturalOrdering<int>> cholesky_;
};

}  // namespace

std::unique_ptr<LinearSolver> make_eigen_solver() { return std::make_unique<EigenSolver>(); }

}  // namespace supple
