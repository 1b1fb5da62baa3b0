#include <algorithm>

#include "supple/base/expect.h"
#include "supple/base/parallel.h"
#include "supple/linalg/affine_map.h"
#include "supple/linalg/solver_backends.h"

namespace supple {

namespace {
// Visits every contribution of the stored half of A to the stored half of Z^T A Z:
// visit(reduced row, reduced column, full block, weight, transposed). The order depends on the two patterns only.
template <class Visit>
void for_contributions(const AffineMap& map, const BlockPattern& full, Visit&& visit) {
  for (int i = 0; i < full.n; ++i)
    for (int k = full.row_start[static_cast<size_t>(i)]; k < full.row_start[static_cast<size_t>(i) + 1]; ++k) {
      const int j = full.col[static_cast<size_t>(k)];
      for (const auto& [a, wa] : map.row(i))
        for (const auto& [b, wb] : map.row(j)) {
          if (a > b) visit(a, b, k, wa * wb, false);
          if (a == b) visit(a, b, k, wa * wb, false);
          // A_ij stands for A_ji = A_ij^T too. That one lands on (b, a), stored when b > a, and doubles a diagonal.
          if (i != j && b >= a) visit(b, a, k, wa * wb, true);
        }
    }
}
}  // namespace

// T = A Z by rows. Only rows that Z^T reads are kept.
struct Reduction::TwoProducts {
  AffineMap map;
  BlockGraph graph;
  std::vector<size_t> start;  // row i of T: [start[i], start[i+1])
  std::vector<int> column;    // ascending within a row
  std::vector<size_t> begin;  // first target of row i
  std::vector<int> target;    // for each block (i, j) of the row, diagonal first, and each weight of row j of Z: the
                              // place in the row of T
};

Reduction::Reduction(const AffineMap& map, std::shared_ptr<const BlockPattern> full, Way way) : full_(std::move(full)) {
  expect(map.n() == full_->n, "a map of the unknowns of the pattern");
  size_t n_contributions = 0;
  for (int i = 0; i < full_->n; ++i)
    for (int k = full_->row_start[static_cast<size_t>(i)]; k < full_->row_start[static_cast<size_t>(i) + 1]; ++k)
      n_contributions += map.row(i).size() * map.row(full_->col[static_cast<size_t>(k)]).size();
  const bool many = n_contributions > 4 * static_cast<size_t>(full_->size()) + 10000;
  if (way == Way::two_products || (way == Way::automatic && many))
    plan_two_products(map);
  else
    plan_contributions(map);
}

void Reduction::plan_contributions(const AffineMap& map) {
  PatternBuilder builder(map.n_free());
  size_t n_terms = 0;
  for_contributions(map, *full_, [&](int a, int b, int, double, bool) {
    builder.couple(a, b);
    ++n_terms;
  });
  reduced_ = builder.build();

  // Counting sort of the contributions by reduced block; visiting order is kept within a block.
  const size_t n_blocks = static_cast<size_t>(reduced_->size());
  start_.assign(n_blocks + 1, 0);
  std::vector<int> target;
  target.reserve(n_terms);
  bool plain = map.is_selection();
  for_contributions(map, *full_, [&](int a, int b, int, double, bool transposed) {
    target.push_back(reduced_->find(a, b));
    ++start_[static_cast<size_t>(target.back()) + 1];
    plain = plain && !transposed;
  });
  for (size_t k = 0; k < n_blocks; ++k) {
    plain = plain && start_[k + 1] == 1;
    start_[k + 1] += start_[k];
  }
  terms_.resize(n_terms);
  std::vector<size_t> next(start_.begin(), start_.end() - 1);
  size_t t = 0;
  for_contributions(map, *full_, [&](int, int, int k, double weight, bool transposed) {
    terms_[next[static_cast<size_t>(target[t++])]++] = {k, weight, transposed};
  });
  if (plain) {
    for (const auto& term : terms_) source_.push_back(term.full_block);
    start_ = {};
    terms_ = {};
  }
}

void Reduction::apply(const BlockMatrix& full, BlockMatrix& reduced) const {
  expect(full.pattern == full_, "a matrix of the pattern that is reduced");
  if (reduced.pattern != reduced_) reduced = BlockMatrix(reduced_);
  if (two_) return apply_two_products(full, reduced);
  parallel_for(static_cast<size_t>(reduced_->size()), 4096, [&](size_t begin, size_t end) {
    for (size_t k = begin; k < end; ++k) {
      double* to = reduced.block(static_cast<int>(k));
      if (!source_.empty()) {
        const double* from = full.block(source_[k]);
        for (int c = 0; c < 9; ++c) to[c] = from[c];
        continue;
      }
      double sum[9] = {};
      for (size_t t = start_[k]; t < start_[k + 1]; ++t) {
        const double* from = full.block(terms_[t].full_block);
        const double w = terms_[t].weight;
        if (terms_[t].transposed)
          for (int c = 0; c < 9; ++c) sum[c] += w * from[3 * (c % 3) + c / 3];
        else
          for (int c = 0; c < 9; ++c) sum[c] += w * from[c];
      }
      for (int c = 0; c < 9; ++c) to[c] = sum[c];
    }
  });
}

void Reduction::plan_two_products(const AffineMap& map) {
  auto plan = std::make_shared<TwoProducts>();
  plan->map = map;
  plan->graph = block_graph(*full_);
  const BlockGraph& graph = plan->graph;
  plan->start.push_back(0);
  plan->begin.push_back(0);
  PatternBuilder builder(map.n_free());
  std::vector<int> place(static_cast<size_t>(map.n_free()), -1);
  for (int i = 0; i < full_->n; ++i) {
    const auto first = static_cast<std::ptrdiff_t>(plan->start.back());
    if (!map.row(i).empty()) {
      auto for_entries = [&](auto&& visit) {
        for (const auto& entry : map.row(i)) visit(entry.first);
        for (int e = graph.start[static_cast<size_t>(i)]; e < graph.start[static_cast<size_t>(i) + 1]; ++e)
          for (const auto& entry : map.row(graph.neighbour[static_cast<size_t>(e)])) visit(entry.first);
      };
      for_entries([&](int b) {
        if (place[static_cast<size_t>(b)] < 0) plan->column.push_back(b);
        place[static_cast<size_t>(b)] = 0;
      });
      std::sort(plan->column.begin() + first, plan->column.end());
      for (size_t t = static_cast<size_t>(first); t < plan->column.size(); ++t)
        place[static_cast<size_t>(plan->column[t])] = static_cast<int>(t - static_cast<size_t>(first));
      for_entries([&](int b) { plan->target.push_back(place[static_cast<size_t>(b)]); });
      for (size_t t = static_cast<size_t>(first); t < plan->column.size(); ++t) {
        place[static_cast<size_t>(plan->column[t])] = -1;
        for (const auto& entry : map.row(i)) builder.couple(entry.first, plan->column[t]);
      }
    }
    plan->start.push_back(plan->column.size());
    plan->begin.push_back(plan->target.size());
  }
  reduced_ = builder.build();
  two_ = std::move(plan);
}

void Reduction::apply_two_products(const BlockMatrix& full, BlockMatrix& reduced) const {
  const TwoProducts& plan = *two_;
  std::vector<double> t(9 * plan.column.size(), 0.0);
  parallel_for(static_cast<size_t>(full_->n), 512, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      if (plan.start[i] == plan.start[i + 1]) continue;
      const int* target = plan.target.data() + plan.begin[i];
      double* row = t.data() + 9 * plan.start[i];
      auto add = [&](int j, const double* a, bool transposed) {
        for (const auto& [b, weight] : plan.map.row(j)) {
          double* to = row + 9 * *target++;
          for (int c = 0; c < 9; ++c) to[c] += weight * (transposed ? a[3 * (c % 3) + c / 3] : a[c]);
        }
      };
      add(static_cast<int>(i), full.block(full_->row_start[i + 1] - 1), false);
      for (int e = plan.graph.start[i]; e < plan.graph.start[i + 1]; ++e) {
        const int j = plan.graph.neighbour[static_cast<size_t>(e)];
        add(j, full.block(plan.graph.block[static_cast<size_t>(e)]), j > static_cast<int>(i));
      }
    }
  });
  parallel_for(static_cast<size_t>(reduced_->n), 128, [&](size_t begin, size_t end) {
    for (size_t a = begin; a < end; ++a) {
      const int row_begin = reduced_->row_start[a], row_end = reduced_->row_start[a + 1];
      std::fill(reduced.block(row_begin), reduced.block(row_end), 0.0);
      for (const auto& [i, weight] : plan.map.column(static_cast<int>(a))) {
        // Both lists of columns ascend, and this row of T lies within the row of the result.
        int k = row_begin;
        for (size_t e = plan.start[static_cast<size_t>(i)]; e < plan.start[static_cast<size_t>(i) + 1]; ++e) {
          const int b = plan.column[e];
          if (b > static_cast<int>(a)) break;
          while (reduced_->col[static_cast<size_t>(k)] < b) ++k;
          double* to = reduced.block(k);
          const double* from = t.data() + 9 * e;
          for (int c = 0; c < 9; ++c) to[c] += weight * from[c];
        }
      }
    }
  });
}

}  // namespace supple
