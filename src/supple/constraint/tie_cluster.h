// Ties that share free vertices, solved together. Inside the room only.
#pragma once
#include <Eigen/Core>
#include <utility>
#include <vector>

#include "supple/base/types.h"

namespace supple {

// The rows C u = g of one connected cluster, columns numbered 0 .. n-1, in the sense of least squares:
//   C^T C u = C^T g.
// The columns are split into S, whose u follows, and the rest R, which stays free:
//   u_S = gain(g) - weights u_R.
// S is built from columns far from the span of those before them (at first half the longest column, then ever less,
// down to kSmallestShare), so that no vertex hangs on a tiny weight and the weights stay moderate. Sparse throughout.
class TieCluster {
 public:
  using Row = std::vector<std::pair<int, double>>;  // (column, weight), columns ascending
  TieCluster(std::vector<Row> rows, int n_columns);

  // A column whose part outside the span of S is below this is not moved by the ties (weights of a tie sum to 1).
  static constexpr double kSmallestShare = 1e-3;
  // Larger weights than this are met by asking more of S.
  static constexpr double kLargestWeight = 1e3;

  int rank() const { return static_cast<int>(dependent_.size()); }
  const std::vector<int>& dependent() const { return dependent_; }  // S, in order of elimination
  const std::vector<int>& rest() const { return rest_; }            // R, ascending
  // Columns of R that the rows do act on, with a share that was too small to pivot on.
  const std::vector<int>& weak() const { return weak_; }
  // weights[k]: of dependent()[k], (column of R, weight).
  const std::vector<Row>& weights() const { return weights_; }

  using Values = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;
  // u_S for u_R = 0, rows in the order of dependent(). worst: the largest |row| of g - C u.
  Values gain(const Values& g, double& worst) const;

 private:
  void factorize(const std::vector<int>& order, double share);
  bool choose(double smallest_share);
  void find_weights();
  Values solve(const Values& b) const;          // (C_S^T C_S)^-1 b
  Values least_squares(const Values& g) const;  // argmin |g - C_S u|, refined once
  Values residual(const Values& g, const Values& u) const;

  std::vector<Row> rows_;
  std::vector<Row> normal_;  // C^T C by column, both triangles
  std::vector<int> dependent_, rest_, weak_;
  std::vector<Row> weights_;
  // Cholesky factor of the accepted part, in the positions of `order_`.
  std::vector<int> order_;
  std::vector<Row> lower_;        // column k: (later position, value)
  std::vector<double> diagonal_;  // 0 where the column was left out
  std::vector<double> distance_;  // of the columns left out, to the span of those accepted before
  std::vector<int> place_;        // column -> index in dependent_, or -1
};

}  // namespace supple
