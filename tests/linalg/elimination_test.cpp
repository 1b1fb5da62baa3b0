#include "supple/linalg/elimination.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/linalg/lattice.h"

namespace supple {
namespace {

using namespace test;

// Rows below the diagonal of every column of the factor, by plain symbolic elimination.
std::vector<std::set<int>> eliminated(const BlockPattern& p, const std::vector<int>& order) {
  std::vector<int> place(order.size());
  for (size_t k = 0; k < order.size(); ++k) place[order[k]] = static_cast<int>(k);
  std::vector<std::set<int>> below(order.size());
  for (int i = 0; i < p.n; ++i)
    for (int k = p.row_start[i]; k + 1 < p.row_start[i + 1]; ++k) {
      const auto [a, b] = std::minmax(place[i], place[p.col[k]]);
      below[a].insert(b);
    }
  for (auto& rows : below)
    if (!rows.empty()) below[*rows.begin()].insert(std::next(rows.begin()), rows.end());
  return below;
}

std::vector<std::shared_ptr<const BlockPattern>> patterns() {
  std::mt19937 rng(5);
  PatternBuilder loose(300);
  for (int i = 0; i < 400; ++i) {
    const int a = static_cast<int>(rng() % 300), b = static_cast<int>(rng() % 300);
    if (a != b) loose.couple(a, b);
  }
  return {PatternBuilder(0).build(), PatternBuilder(5).build(), loose.build(), pattern_of(make_lattice(7, 6, 5))};
}

TEST(Elimination, TreeAndCountsOfPlainElimination) {
  for (const auto& p : patterns()) {
    const auto order = nested_dissection(*p);
    const auto below = eliminated(*p, order);
    const BlockGraph graph = block_graph(*p);
    const auto parent = elimination_tree(graph, order);
    const auto count = column_counts(graph, order, parent);
    for (size_t k = 0; k < order.size(); ++k) {
      EXPECT_EQ(parent[k], below[k].empty() ? -1 : *below[k].begin());
      EXPECT_EQ(count[k], static_cast<int>(below[k].size()) + 1);
    }
  }
}

TEST(Elimination, PostorderKeepsSubtreesTogether) {
  const std::vector<int> parent = {4, 3, 4, 6, 6, -1, -1, 5};
  EXPECT_EQ(postorder(parent), (std::vector<int>{7, 5, 1, 3, 0, 2, 4, 6}));
  EXPECT_TRUE(postorder(std::vector<int>{}).empty());
}

TEST(Elimination, FrontsHoldTheFactor) {
  for (const auto& p : patterns()) {
    const BlockGraph graph = block_graph(*p);
    const Fronts fronts = find_fronts(graph, nested_dissection(*p));
    std::vector<int> sorted = fronts.order, natural(sorted.size());
    std::sort(sorted.begin(), sorted.end());
    std::iota(natural.begin(), natural.end(), 0);
    ASSERT_EQ(sorted, natural);
    const auto below = eliminated(*p, fronts.order);
    double stored = 0, needed = 0;
    for (int s = 0; s < fronts.size(); ++s) {
      const auto rows = fronts.rows_of(s);
      EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
      EXPECT_GT(fronts.n_columns(s), 0);
      const int begin = fronts.first_column[s], end = fronts.first_column[s + 1];
      for (int k = begin; k < end; ++k) {
        needed += static_cast<double>(below[k].size());
        stored += end - k - 1 + fronts.n_rows(s);
        for (int row : below[k]) EXPECT_TRUE(row < end || std::binary_search(rows.begin(), rows.end(), row));
      }
      // What a front hands on fits into its parent.
      const int up = fronts.parent[s];
      EXPECT_EQ(up < 0, rows.empty());
      if (up < 0) continue;
      EXPECT_GT(up, s);
      const auto above = fronts.rows_of(up);
      for (int row : rows)
        EXPECT_TRUE((row >= fronts.first_column[up] && row < fronts.first_column[up + 1]) ||
                    std::binary_search(above.begin(), above.end(), row));
    }
    if (p->n > 300) {
      EXPECT_LT(stored, 1.7 * needed);
    }
  }
}

}  // namespace
}  // namespace supple
