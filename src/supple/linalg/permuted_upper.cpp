#include <algorithm>

#include "supple/base/expect.h"
#include "supple/base/parallel.h"
#include "supple/linalg/solver_backends.h"

namespace supple {

PermutedUpper::PermutedUpper(const BlockPattern& pattern, std::vector<int> order) : order_(std::move(order)) {
  const auto n = static_cast<size_t>(pattern.n);
  std::vector<int> position(n);
  for (size_t k = 0; k < n; ++k) position[static_cast<size_t>(order_[k])] = static_cast<int>(k);
  const BlockGraph graph = block_graph(pattern);
  std::vector<std::pair<int, int>> above;  // (position, index into graph) of the earlier neighbours
  for (size_t k = 0; k < n; ++k) {
    const auto i = static_cast<size_t>(order_[k]);
    above.clear();
    for (int e = graph.start[i]; e < graph.start[i + 1]; ++e) {
      const int p = position[static_cast<size_t>(graph.neighbour[static_cast<size_t>(e)])];
      if (p < static_cast<int>(k)) above.push_back({p, e});
    }
    std::sort(above.begin(), above.end());
    const int diagonal = pattern.row_start[i + 1] - 1;
    for (int c = 0; c < 3; ++c) {
      for (const auto& [p, e] : above) {
        const int j = graph.neighbour[static_cast<size_t>(e)];
        const int b = graph.block[static_cast<size_t>(e)];
        // Entry (row r of vertex j, column c of vertex i). The stored block has its larger vertex as rows.
        for (int r = 0; r < 3; ++r) {
          row.push_back(3 * p + r);
          source_.push_back(9 * b + (j > static_cast<int>(i) ? 3 * r + c : 3 * c + r));
        }
      }
      for (int r = 0; r <= c; ++r) {
        row.push_back(3 * static_cast<int>(k) + r);
        source_.push_back(9 * diagonal + 3 * c + r);
      }
      start.push_back(static_cast<int>(row.size()));
    }
  }
  value.resize(row.size());
}

void PermutedUpper::set_values(const BlockMatrix& matrix) {
  parallel_for(value.size(), 1 << 15, [&](size_t begin, size_t end) {
    for (size_t k = begin; k < end; ++k) value[k] = matrix.values[static_cast<size_t>(source_[k])];
  });
}

MatX PermutedUpper::permuted(const MatX& b) const {
  expect(b.rows() == size(), "a right-hand side of the size of the matrix");
  MatX out(b.rows(), b.cols());
  for (Eigen::Index c = 0; c < b.cols(); ++c)
    for (size_t k = 0; k < order_.size(); ++k)
      out.col(c).segment<3>(3 * static_cast<Eigen::Index>(k)) = b.col(c).segment<3>(3 * order_[k]);
  return out;
}

MatX PermutedUpper::restored(const MatX& x) const {
  MatX out(x.rows(), x.cols());
  for (Eigen::Index c = 0; c < x.cols(); ++c)
    for (size_t k = 0; k < order_.size(); ++k)
      out.col(c).segment<3>(3 * order_[k]) = x.col(c).segment<3>(3 * static_cast<Eigen::Index>(k));
  return out;
}

}  // namespace supple
