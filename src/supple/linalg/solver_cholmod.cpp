// Supernodal Cholesky of CHOLMOD in our own elimination order. Only in builds that ask for it: CHOLMOD's supernodal
// module is under the GPL.
#include <cblas.h>
#include <cholmod.h>

#include "supple/linalg/solver_backends.h"

namespace supple {

namespace {

class CholmodSolver final : public BackEnd {
 public:
  CholmodSolver() {
    cholmod_start(&common_);
    common_.print = 0;
    common_.supernodal = CHOLMOD_SUPERNODAL;
    common_.final_ll = 1;
    // The matrix is given in the order of elimination.
    common_.nmethods = 1;
    common_.method[0].ordering = CHOLMOD_NATURAL;
    common_.postorder = 1;
  }
  ~CholmodSolver() override {
    release();
    cholmod_finish(&common_);
  }
  CholmodSolver(const CholmodSolver&) = delete;
  CholmodSolver& operator=(const CholmodSolver&) = delete;

  std::string name() const override { return "cholmod"; }
  bool direct() const override { return true; }

  void take_pattern(std::shared_ptr<const BlockPattern> pattern) override {
    release();
    upper_ = PermutedUpper(*pattern, nested_dissection(*pattern));
    cholmod_sparse a = view();
    factor_ = cholmod_analyze(&a, &common_);
  }

  FactorStatus take_values(const BlockMatrix& matrix) override {
    if (upper_.size() == 0) return FactorStatus::ok;
    // Threads inside BLAS would change the order of sums with their number.
    openblas_set_num_threads(1);
    upper_.set_values(matrix);
    cholmod_sparse a = view();
    const bool done = factor_ && cholmod_factorize(&a, factor_, &common_);
    if (done && common_.status == CHOLMOD_OK) return FactorStatus::ok;
    if (common_.status == CHOLMOD_NOT_POSDEF) return FactorStatus::not_positive_definite;
    message_ = "CHOLMOD failed with status " + std::to_string(common_.status) +
               (common_.status == CHOLMOD_OUT_OF_MEMORY ? " (out of memory)" : "");
    return FactorStatus::failed;
  }

  SolveReport answer(const MatX& b, MatX& x) override {
    x = b;
    if (b.size() == 0) return {.ok = true, .iterations = 0, .residual = 0};
    MatX sorted = upper_.permuted(b);
    cholmod_dense rhs{};
    rhs.nrow = static_cast<size_t>(sorted.rows());
    rhs.ncol = static_cast<size_t>(sorted.cols());
    rhs.nzmax = rhs.nrow * rhs.ncol;
    rhs.d = rhs.nrow;
    rhs.x = sorted.data();
    rhs.xtype = CHOLMOD_REAL;
    rhs.dtype = CHOLMOD_DOUBLE;
    cholmod_dense* solution = cholmod_solve(CHOLMOD_A, factor_, &rhs, &common_);
    if (!solution) {
      message_ = "the solution of CHOLMOD failed with status " + std::to_string(common_.status);
      return {.ok = false, .iterations = 0, .residual = 0};
    }
    x = upper_.restored(Eigen::Map<const MatX>(static_cast<double*>(solution->x), b.rows(), b.cols()));
    cholmod_free_dense(&solution, &common_);
    return {.ok = true, .iterations = 0, .residual = 0};
  }

 private:
  void release() {
    if (factor_) cholmod_free_factor(&factor_, &common_);
    factor_ = nullptr;
  }

  cholmod_sparse view() {
    cholmod_sparse a{};
    a.nrow = a.ncol = static_cast<size_t>(upper_.size());
    a.nzmax = upper_.row.size();
    a.p = upper_.start.data();
    a.i = upper_.row.data();
    a.x = upper_.value.data();
    a.stype = 1;  // the upper triangle
    a.itype = CHOLMOD_INT;
    a.xtype = CHOLMOD_REAL;
    a.dtype = CHOLMOD_DOUBLE;
    a.sorted = 1;
    a.packed = 1;
    return a;
  }

  cholmod_common common_{};
  cholmod_factor* factor_ = nullptr;
  PermutedUpper upper_;
};

}  // namespace

std::unique_ptr<LinearSolver> make_cholmod_solver() { return std::make_unique<CholmodSolver>(); }

}  // namespace supple
