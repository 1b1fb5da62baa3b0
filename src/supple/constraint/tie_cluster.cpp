#include "supple/constraint/tie_cluster.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "supple/base/parallel.h"
#include "supple/linalg/solver.h"

namespace supple {

TieCluster::TieCluster(std::vector<Row> rows, int n_columns) : rows_(std::move(rows)) {
  const auto n = static_cast<size_t>(n_columns);
  std::vector<std::map<int, double>> products(n);
  PatternBuilder builder(n_columns);
  for (const Row& row : rows_)
    for (const auto& [i, wi] : row)
      for (const auto& [j, wj] : row) {
        products[static_cast<size_t>(i)][j] += wi * wj;
        if (j < i) builder.couple(i, j);
      }
  for (const auto& column : products) normal_.emplace_back(column.begin(), column.end());
  order_ = nested_dissection(*builder.build());
  for (double smallest = kSmallestShare; !choose(smallest); smallest *= 4) order_ = nested_dissection(*builder.build());
}

// Up-looking Cholesky of C^T C in the given order that leaves a column out when what remains of it, having taken away
// its part in the span of the columns before, is shorter than `share`.
void TieCluster::factorize(const std::vector<int>& order, double share) {
  const size_t n = order.size();
  std::vector<int> position(n);
  for (size_t k = 0; k < n; ++k) position[static_cast<size_t>(order[k])] = static_cast<int>(k);
  order_ = order;
  lower_.assign(n, {});
  diagonal_.assign(n, 0.0);
  distance_.assign(n, 0.0);
  std::vector<int> parent(n, -1), ancestor(n, -1), mark(n, -1), reach, path;
  std::vector<double> x(n, 0.0);
  for (size_t k = 0; k < n; ++k) {
    const int kk = static_cast<int>(k);
    // The elimination tree of the whole pattern; columns left out only make the true one sparser.
    mark[k] = kk;
    reach.clear();
    double d = 0;
    for (const auto& [column, value] : normal_[static_cast<size_t>(order[k])]) {
      const int i = position[static_cast<size_t>(column)];
      if (i == kk) d = value;
      if (i >= kk) continue;
      x[static_cast<size_t>(i)] = value;
      for (int a = i; a != -1 && a < kk;) {
        const int next = ancestor[static_cast<size_t>(a)];
        ancestor[static_cast<size_t>(a)] = kk;
        if (next == -1) parent[static_cast<size_t>(a)] = kk;
        a = next;
      }
      for (int a = i; mark[static_cast<size_t>(a)] != kk; a = parent[static_cast<size_t>(a)]) {
        mark[static_cast<size_t>(a)] = kk;
        reach.push_back(a);
      }
    }
    // Ascending positions are a topological order.
    std::sort(reach.begin(), reach.end());
    for (int i : reach) {
      double& xi = x[static_cast<size_t>(i)];
      if (diagonal_[static_cast<size_t>(i)] != 0) {
        xi /= diagonal_[static_cast<size_t>(i)];
        for (const auto& [row, value] : lower_[static_cast<size_t>(i)]) x[static_cast<size_t>(row)] -= value * xi;
        d -= xi * xi;
      } else {
        xi = 0;
      }
    }
    const double length = std::sqrt(std::max(0.0, d));
    const bool accepted = length >= share;
    (accepted ? diagonal_ : distance_)[k] = length;
    for (int i : reach) {
      if (accepted && x[static_cast<size_t>(i)] != 0)
        lower_[static_cast<size_t>(i)].push_back({kk, x[static_cast<size_t>(i)]});
      x[static_cast<size_t>(i)] = 0;
    }
    x[k] = 0;
  }
}

// Chooses S with the given bound; false when the weights came out too large.
bool TieCluster::choose(double smallest_share) {
  double longest = 0;
  for (size_t i = 0; i < normal_.size(); ++i)
    for (const auto& [j, value] : normal_[i])
      if (j == static_cast<int>(i)) longest = std::max(longest, std::sqrt(value));
  const std::vector<int> base = order_;
  std::vector<int> order = base;
  bool last = false;
  for (double share = 0.5 * longest; !last; share /= 2) {
    last = share <= smallest_share;
    factorize(order, std::max(share, smallest_share));
    // Accepted columns go first next time, in the order that keeps the factor sparse. (In that order one of them may
    // fail the test, if only just; it is then one of the rest.) The last time gives distances to the span of all of S.
    std::vector<char> accepted(base.size(), 0);
    for (size_t k = 0; k < order.size(); ++k) accepted[static_cast<size_t>(order[k])] = diagonal_[k] != 0;
    std::vector<int> others;
    order.clear();
    for (int column : base) (accepted[static_cast<size_t>(column)] ? order : others).push_back(column);
    if (others.empty()) break;
    order.insert(order.end(), others.begin(), others.end());
  }
  factorize(order, smallest_share);

  dependent_.clear();
  rest_.clear();
  weak_.clear();
  place_.assign(order.size(), -1);
  for (size_t k = 0; k < order.size(); ++k) {
    if (diagonal_[k] == 0) {
      rest_.push_back(order[k]);
      if (distance_[k] > 1e-7 * longest) weak_.push_back(order[k]);
    } else {
      place_[static_cast<size_t>(order[k])] = static_cast<int>(dependent_.size());
      dependent_.push_back(order[k]);
    }
  }
  std::sort(rest_.begin(), rest_.end());
  std::sort(weak_.begin(), weak_.end());
  find_weights();
  double largest = 0;
  for (const Row& row : weights_)
    for (const auto& [column, weight] : row) largest = std::max(largest, std::abs(weight));
  return largest <= kLargestWeight || smallest_share > longest;
}

void TieCluster::find_weights() {
  // Column r of C_S^+ C_R, one right-hand side a free vertex: its ties' weights.
  std::vector<std::vector<std::pair<int, double>>> columns(rest_.size());
  std::vector<std::vector<std::pair<int, double>>> touching(normal_.size());
  for (size_t t = 0; t < rows_.size(); ++t)
    for (const auto& [column, weight] : rows_[t])
      touching[static_cast<size_t>(column)].push_back({static_cast<int>(t), weight});
  parallel_for(rest_.size(), 16, [&](size_t begin, size_t end) {
    Values g = Values::Zero(static_cast<Eigen::Index>(rows_.size()), 3);
    for (size_t r = begin; r < end; r += 3) {
      // Three columns at a time fill the three components.
      g.setZero();
      const size_t count = std::min<size_t>(3, end - r);
      for (size_t c = 0; c < count; ++c)
        for (const auto& [t, weight] : touching[static_cast<size_t>(rest_[r + c])])
          g(t, static_cast<Eigen::Index>(c)) = weight;
      const Values u = least_squares(g);
      for (size_t c = 0; c < count; ++c)
        for (Eigen::Index k = 0; k < u.rows(); ++k)
          if (std::abs(u(k, static_cast<Eigen::Index>(c))) > 1e-14)
            columns[r + c].push_back({static_cast<int>(k), u(k, static_cast<Eigen::Index>(c))});
    }
  });
  weights_.assign(dependent_.size(), {});
  for (size_t r = 0; r < rest_.size(); ++r)
    for (const auto& [k, weight] : columns[r]) weights_[static_cast<size_t>(k)].push_back({rest_[r], weight});
}

TieCluster::Values TieCluster::solve(const Values& b) const {
  // Positions of the factor and indices of S differ by the columns left out only.
  Values x = Values::Zero(static_cast<Eigen::Index>(order_.size()), 3);
  Eigen::Index at = 0;
  for (size_t k = 0; k < order_.size(); ++k) {
    if (diagonal_[k] == 0) continue;
    const auto kk = static_cast<Eigen::Index>(k);
    x.row(kk) += b.row(at++);
    x.row(kk) /= diagonal_[k];
    for (const auto& [row, value] : lower_[k]) x.row(row) -= value * x.row(kk);
  }
  for (size_t k = order_.size(); k-- > 0;) {
    if (diagonal_[k] == 0) continue;
    const auto kk = static_cast<Eigen::Index>(k);
    for (const auto& [row, value] : lower_[k]) x.row(kk) -= value * x.row(row);
    x.row(kk) /= diagonal_[k];
  }
  Values out(b.rows(), 3);
  at = 0;
  for (size_t k = 0; k < order_.size(); ++k)
    if (diagonal_[k] != 0) out.row(at++) = x.row(static_cast<Eigen::Index>(k));
  return out;
}

TieCluster::Values TieCluster::residual(const Values& g, const Values& u) const {
  Values r = g;
  for (size_t t = 0; t < rows_.size(); ++t)
    for (const auto& [column, weight] : rows_[t]) {
      const int k = place_[static_cast<size_t>(column)];
      if (k >= 0) r.row(static_cast<Eigen::Index>(t)) -= weight * u.row(k);
    }
  return r;
}

TieCluster::Values TieCluster::least_squares(const Values& g) const {
  Values u = Values::Zero(rank(), 3);
  // The second round undoes the rounding that the normal equations square.
  for (int round = 0; round < 2; ++round) {
    const Values r = residual(g, u);
    Values b = Values::Zero(rank(), 3);
    for (size_t t = 0; t < rows_.size(); ++t)
      for (const auto& [column, weight] : rows_[t]) {
        const int k = place_[static_cast<size_t>(column)];
        if (k >= 0) b.row(k) += weight * r.row(static_cast<Eigen::Index>(t));
      }
    u += solve(b);
  }
  return u;
}

TieCluster::Values TieCluster::gain(const Values& g, double& worst) const {
  Values u = least_squares(g);
  worst = rows_.empty() ? 0.0 : residual(g, u).rowwise().norm().maxCoeff();
  return u;
}

}  // namespace supple
