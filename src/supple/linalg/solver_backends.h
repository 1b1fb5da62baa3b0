// What the back ends share. Inside the room only.
#pragma once
#include "supple/linalg/solver.h"

namespace supple {

std::unique_ptr<LinearSolver> make_supernodal_solver();
std::unique_ptr<LinearSolver> make_mumps_solver();
std::unique_ptr<LinearSolver> make_eigen_solver();
std::unique_ptr<LinearSolver> make_cg_solver();
#ifdef SUPPLE_HAVE_CHOLMOD
std::unique_ptr<LinearSolver> make_cholmod_solver();
#endif

// What every back end does alike: it counts and times its calls, and refuses matrices that are not finite.
class BackEnd : public LinearSolver {
 public:
  void analyse(std::shared_ptr<const BlockPattern> pattern) final;
  FactorStatus factorize(const BlockMatrix& matrix) final;
  SolveReport solve(const MatX& b, MatX& x) final;
  std::string message() const final { return message_; }

 protected:
  virtual void take_pattern(std::shared_ptr<const BlockPattern> pattern) = 0;
  virtual FactorStatus take_values(const BlockMatrix& matrix) = 0;  // finite, of that pattern
  virtual SolveReport answer(const MatX& b, MatX& x) = 0;
  std::string message_;

 private:
  int n_blocks_ = 0;
};

// The off-diagonal blocks seen from both ends. Neighbours of i: [start[i], start[i+1]), ascending; block: the stored
// block behind each, to be transposed where the neighbour is the larger index.
struct BlockGraph {
  std::vector<int> start, neighbour, block;
};
BlockGraph block_graph(const BlockPattern& pattern);

bool all_finite(const std::vector<double>& values);

// The matrix as compressed scalar columns of its upper triangle, rows and columns in a given order of the blocks.
// (Equally: compressed rows of the lower triangle.)
class PermutedUpper {
 public:
  PermutedUpper() = default;
  PermutedUpper(const BlockPattern& pattern, std::vector<int> order);
  void set_values(const BlockMatrix& matrix);

  int size() const { return static_cast<int>(start.size()) - 1; }  // scalar rows
  // Rows of b into the order of the factor, and back.
  MatX permuted(const MatX& b) const;
  MatX restored(const MatX& x) const;

  std::vector<int> start{0}, row;
  std::vector<double> value;

 private:
  std::vector<int> order_;
  std::vector<int> source_;  // value[k] = matrix.values[source_[k]]
};

}  // namespace supple
