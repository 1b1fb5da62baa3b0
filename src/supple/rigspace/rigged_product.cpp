#include "supple/rigspace/rigged_product.h"

#include <utility>

#include "supple/base/parallel.h"

namespace supple {

namespace {
constexpr size_t kVerticesAtOnce = 64;
}

RiggedProduct::RiggedProduct(const BlockPattern& pattern, const std::vector<int>& row_of_vertex) {
  std::vector<std::vector<Entry>> by_vertex(static_cast<size_t>(pattern.n));
  for (int i = 0; i < pattern.n; ++i)
    for (int k = pattern.row_start[static_cast<size_t>(i)]; k < pattern.row_start[static_cast<size_t>(i) + 1]; ++k) {
      const int j = pattern.col[static_cast<size_t>(k)];
      const int row_i = row_of_vertex[static_cast<size_t>(i)], row_j = row_of_vertex[static_cast<size_t>(j)];
      if (row_j >= 0) by_vertex[static_cast<size_t>(i)].push_back({k, row_j, false});
      if (row_i >= 0 && i != j) by_vertex[static_cast<size_t>(j)].push_back({k, row_i, true});
    }
  start_ = {0};
  for (const auto& list : by_vertex) {
    entries_.insert(entries_.end(), list.begin(), list.end());
    start_.push_back(static_cast<int>(entries_.size()));
  }
}

void RiggedProduct::add(const BlockMatrix& K, const RowMatX& J, RowMatX& Y) const {
  // Most parameters move a few vertices: columns from the first to the last that a vertex has.
  const Eigen::Index rows = J.rows() / 3;
  std::vector<std::pair<Eigen::Index, Eigen::Index>> range(static_cast<size_t>(rows));
  for (Eigen::Index r = 0; r < rows; ++r) {
    Eigen::Index first = 0, last = J.cols();
    const auto is_zero = [&](Eigen::Index c) {
      return J(3 * r, c) == 0 && J(3 * r + 1, c) == 0 && J(3 * r + 2, c) == 0;
    };
    while (first < last && is_zero(first)) ++first;
    while (last > first && is_zero(last - 1)) --last;
    range[static_cast<size_t>(r)] = {first, last - first};
  }
  parallel_for(start_.size() - 1, kVerticesAtOnce, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      for (int e = start_[i]; e < start_[i + 1]; ++e) {
        const Entry& entry = entries_[static_cast<size_t>(e)];
        const auto [first, count] = range[static_cast<size_t>(entry.row)];
        if (count == 0) continue;
        const double* b = K.block(entry.block);
        const auto from = J.block(3 * entry.row, first, 3, count);
        for (int a = 0; a < 3; ++a) {
          const double b0 = entry.transposed ? b[a] : b[3 * a], b1 = entry.transposed ? b[3 + a] : b[3 * a + 1],
                       b2 = entry.transposed ? b[6 + a] : b[3 * a + 2];
          Y.row(3 * static_cast<Eigen::Index>(i) + a).segment(first, count) +=
              b0 * from.row(0) + b1 * from.row(1) + b2 * from.row(2);
        }
      }
  });
}

}  // namespace supple
