// One front of a multifrontal factorization: a dense symmetric matrix of which the first columns are eliminated.
// Inside the room only.
#pragma once
#include <algorithm>
#include <atomic>
#include <vector>

#include "supple/linalg/dense_kernels.h"
#include "supple/linalg/symbolic_factor.h"

namespace supple {

template <typename T>
struct Front {
  static constexpr int W = 64 / static_cast<int>(sizeof(T));

  int columns = 0, rows = 0;  // scalars to eliminate, and the rest
  int panels_above = 0;       // panels of the columns' own rows
  std::vector<T*> row;        // panels of the factor: the triangle above, the rectangle below
  std::vector<T*> update;     // panels of the triangle of the rest

  int panels() const { return static_cast<int>(row.size()); }
  // How many columns are stored of a panel of a triangle of n.
  static int stored(int panel, int n) { return std::min(W * (panel + 1), n); }

  void place(const FactorLayout& layout, int n_columns, int n_rows, T* factor, T* update_begin) {
    columns = n_columns;
    rows = n_rows;
    panels_above = layout.panels(columns);
    const int below = layout.panels(rows);
    row.resize(static_cast<size_t>(panels_above) + static_cast<size_t>(below));
    update.resize(static_cast<size_t>(below));
    for (int p = 0; p < panels_above; ++p) row[p] = factor + W * layout.panel_start(p);
    factor += W * layout.triangle_lines(columns);
    for (int p = 0; p < below; ++p) row[panels_above + p] = factor + static_cast<size_t>(W) * columns * p;
    if (!update_begin) return;
    for (int p = 0; p < below; ++p) update[p] = update_begin + W * layout.panel_start(p);
  }
};

constexpr int kUpdateDepth = 256;  // columns of a factor that stay in the cache while they update others

// body(first column, count) for the strips that a kernel takes at a time.
template <typename Body>
void for_strips(int strip, int begin, int end, const Body& body) {
  for (int c = begin; c < end; c += strip) body(c, std::min(strip, end - c));
}

// The columns of the factor, in place. Blocks are independent pieces for `loop`. False when a pivot is not positive.
template <typename T, typename Loop>
bool eliminate_columns(Front<T>& f, const DenseKernels<T>& kernels, const Loop& loop) {
  constexpr int W = Front<T>::W;
  constexpr int kColumns = 96, kPanels = 96 / W;  // columns solved at a time, panels of a piece
  T* const* row = f.row.data();
  auto strips = [&](int begin, int end, const auto& body) { for_strips(kernels.strip, begin, end, body); };
  auto blocks = [&](int first, int last, const auto& body) {
    loop((last - first + kPanels - 1) / kPanels,
         [&](int b) { body(first + b * kPanels, std::min(last, first + (b + 1) * kPanels)); });
  };

  for (int begin = 0; begin < f.columns; begin += kColumns) {
    const int end = std::min(f.columns, begin + kColumns);
    const int diagonal = begin / W, below = (end + W - 1) / W;
    if (begin > 0)
      blocks(diagonal, f.panels(), [&](int first, int last) {
        for (int k = 0; k < begin; k += kUpdateDepth)
          strips(begin, end, [&](int c, int n) {
            kernels.update(row, row, std::max(first, c / W), last, c, n, row[c / W] + c % W, k,
                           std::min(begin, k + kUpdateDepth), false);
          });
      });
    bool positive = true;
    strips(begin, end, [&](int c, int n) {
      if (!positive) return;
      positive = kernels.factorize(row[c / W], c, n, c % W, begin);
      if (positive) kernels.solve(row, c / W + 1, below, c, n, row[c / W] + c % W, begin);
    });
    if (!positive) return false;
    blocks(below, f.panels(), [&](int first, int last) {
      strips(begin, end, [&](int c, int n) { kernels.solve(row, first, last, c, n, row[c / W] + c % W, begin); });
    });
  }

  return true;
}

// What the columns take from the rest of the front: the update becomes -L21 L21^T, in square pieces.
template <typename T, typename Loop>
void update_rest(Front<T>& f, const DenseKernels<T>& kernels, const Loop& loop) {
  constexpr int W = Front<T>::W, kSide = 192, kSidePanels = kSide / W;
  T* const* below = f.row.data() + f.panels_above;
  const int n_panels = static_cast<int>(f.update.size()), sides = (n_panels + kSidePanels - 1) / kSidePanels;
  loop(sides * (sides + 1) / 2, [&](int piece) {
    int i = 0;
    while (piece > i) piece -= ++i;
    const int last = std::min(n_panels, (i + 1) * kSidePanels), end = std::min(f.rows, (piece + 1) * kSide);
    for (int k = 0; k < f.columns; k += kUpdateDepth)
      for_strips(kernels.strip, piece * kSide, end, [&](int c, int n) {
        kernels.update(f.update.data(), below, std::max(i * kSidePanels, c / W), last, c, n, below[c / W] + c % W, k,
                       std::min(f.columns, k + kUpdateDepth), k == 0);
      });
  });
}

// Where the rows of a child's update go.
template <typename T>
struct Extension {
  // Times W: column of the parent's factor for the first `eliminated` ones, then of its update.
  std::vector<int> column;
  int eliminated = 0;
  std::vector<T*> factor_row, update_row;  // of each row: its place in column 0

  void place(const Front<T>& parent, const int* place_in_parent, int n_blocks) {
    constexpr int W = Front<T>::W;
    column.resize(3 * static_cast<size_t>(n_blocks));
    factor_row.resize(column.size());
    update_row.resize(column.size());
    eliminated = 0;
    for (int b = 0; b < n_blocks; ++b)
      for (int c = 0; c < 3; ++c) {
        const int i = 3 * b + c;
        int r = 3 * place_in_parent[b] + c;
        if (r < parent.columns) {
          eliminated = i + 1;
          column[i] = W * r;
          factor_row[i] = parent.row[r / W] + r % W;
          update_row[i] = nullptr;
        } else {
          r -= parent.columns;
          column[i] = W * r;
          factor_row[i] = parent.row[parent.panels_above + r / W] + r % W;
          update_row[i] = parent.update[r / W] + r % W;
        }
      }
  }

  // Adds the columns [begin, end) of the child's update; n: its rows.
  void add(const T* child, const FactorLayout& layout, const DenseKernels<T>& kernels, int n, int begin,
           int end) const {
    constexpr int W = Front<T>::W;
    for (int p = begin / W; p < layout.panels(n); ++p) {
      const T* panel = child + W * layout.panel_start(p);
      const int lanes = std::min(W, n - W * p);
      auto add_columns = [&](int from, int to, T* const* target) {
        int j = from;
        // Whole lines left of the triangle's own block, then what is left of the diagonal.
        const int whole = std::min(to, W * p + 1);
        if (lanes == W && j < whole) {
          kernels.extend(panel, j, whole, column.data(), target);
          j = whole;
        }
        for (; j < std::min(to, W * p + lanes); ++j)
          for (int l = std::max(0, j - W * p); l < lanes; ++l) target[l][column[j]] += panel[W * j + l];
      };
      add_columns(begin, std::min(end, eliminated), factor_row.data() + W * p);
      add_columns(std::max(begin, eliminated), end, update_row.data() + W * p);
    }
  }
};

}  // namespace supple
