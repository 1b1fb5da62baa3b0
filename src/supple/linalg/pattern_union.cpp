#include "supple/linalg/pattern_union.h"

#include "supple/base/parallel.h"

namespace supple {

PatternUnion::PatternUnion(std::shared_ptr<const BlockPattern> first, const std::shared_ptr<const BlockPattern>& second)
    : first_at_(first->col.size()), second_at_(second->col.size()) {
  auto both = std::make_shared<BlockPattern>();
  both->n = first->n;
  both->row_start.push_back(0);
  both->col.reserve(first->col.size() + second->col.size());
  for (int i = 0; i < first->n; ++i) {
    int a = first->row_start[i], b = second->row_start[i];
    const int a_end = first->row_start[i + 1], b_end = second->row_start[i + 1];
    while (a < a_end || b < b_end) {
      const int from_a = a < a_end ? first->col[a] : first->n, from_b = b < b_end ? second->col[b] : first->n;
      const int at = static_cast<int>(both->col.size());
      if (from_a <= from_b) first_at_[a++] = at;
      if (from_b <= from_a) second_at_[b++] = at;
      both->col.push_back(std::min(from_a, from_b));
    }
    both->row_start.push_back(static_cast<int>(both->col.size()));
  }
  both_ = both->col.size() == first->col.size() ? std::move(first) : std::move(both);
}

void PatternUnion::add(const BlockMatrix& a, const BlockMatrix& b, BlockMatrix& sum) const {
  if (sum.pattern != both_) sum = BlockMatrix(both_);
  sum.set_zero();
  auto put = [&](const BlockMatrix& from, const std::vector<int>& at) {
    parallel_for(at.size(), 4096, [&](size_t begin, size_t end) {
      for (size_t k = begin; k < end; ++k) {
        double* to = sum.block(at[k]);
        const double* x = from.block(static_cast<int>(k));
        for (int c = 0; c < 9; ++c) to[c] += x[c];
      }
    });
  };
  put(a, first_at_);
  put(b, second_at_);
}

}  // namespace supple
