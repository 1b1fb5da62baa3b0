// Linear solvers for symmetric positive definite block matrices: analyse (pattern, once) / factorize (values) / solve.
// A back end is chosen at run time by name. A factorized solver is a value that static solves, dynamic steps and
// eigen-solves can share. All give the same bits for any number of threads.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "supple/linalg/block_matrix.h"

namespace supple {

enum class FactorStatus {
  ok,
  not_positive_definite,  // a pivot was zero or negative: project the matrix or add a diagonal
  failed                  // out of memory or an internal fault of the back end; message() says which
};

struct SolveReport {
  bool ok = false;      // false only for iterative solvers that ran out of iterations or met a negative direction
  int iterations = 0;   // 0 for direct solvers
  double residual = 0;  // ||b - A x|| / ||b||, iterative solvers only
};

struct SolverStats {
  int analyses = 0, factorizations = 0, solves = 0;
  long iterations = 0;
  double analyse_s = 0, factorize_s = 0, solve_s = 0;
};

class LinearSolver {
 public:
  virtual ~LinearSolver() = default;
  virtual std::string name() const = 0;
  // Fill-reducing order and symbolic phase. Keeps what it needs of the pattern.
  virtual void analyse(std::shared_ptr<const BlockPattern> pattern) = 0;
  // The matrix must have the analysed pattern. Iterative solvers keep a copy and build their preconditioner.
  virtual FactorStatus factorize(const BlockMatrix& matrix) = 0;
  // Columns of b (3n rows) are independent right-hand sides. x is resized. Needs a successful factorize.
  virtual SolveReport solve(const MatX& b, MatX& x) = 0;
  VecX solve(const VecX& b);  // one right-hand side
  // Relative residual for iterative solvers; direct ones ignore it.
  virtual void set_tolerance(double) {}
  virtual bool direct() const = 0;
  virtual std::string message() const { return ""; }
  const SolverStats& stats() const { return stats_; }

 protected:
  SolverStats stats_;
};

// Names of the back ends in this build: "supernodal" (ours), "mumps", "eigen", "cg" (and "cholmod" when built in).
const std::vector<std::string>& solver_names();
// "auto": the direct solver that is best for n_blocks unknown vertices. Throws InputError for an unknown name.
std::unique_ptr<LinearSolver> make_solver(const std::string& name, int n_blocks = 0);

// A fill-reducing order of the block graph (METIS nested dissection): order[k] = the block row eliminated k-th.
std::vector<int> nested_dissection(const BlockPattern& pattern);

}  // namespace supple
