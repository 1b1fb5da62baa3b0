// All of a sparse Cholesky factorization that depends on the pattern only. Shared by factors of the same pattern.
#pragma once
#include <memory>
#include <vector>

#include "supple/linalg/block_matrix.h"

namespace supple {

// Where the numbers of a factor lie, for a scalar type of which `width` fill a line of 64 bytes. Matrices are stored
// in panels of `width` rows; a panel holds its columns one after the other, each a line. Of a lower triangle, panel p
// holds the columns up to its last row only. Offsets and sizes are in lines.
struct FactorLayout {
  int width = 8;
  std::vector<size_t> factor;  // of a front: the triangle of its columns, then the rectangle below
  std::vector<size_t> update;  // of a front: the triangle it hands to its parent, in the store or in a task's arena
  size_t factor_lines = 0, store_lines = 0, arena_lines = 0;

  int panels(int n) const { return (n + width - 1) / width; }
  // Where panel p of a triangle starts.
  size_t panel_start(int p) const {
    return static_cast<size_t>(width) * static_cast<size_t>(p) * static_cast<size_t>(p + 1) / 2;
  }
  size_t triangle_lines(int n) const { return n == 0 ? 0 : panel_start(panels(n) - 1) + static_cast<size_t>(n); }
};

// A run of consecutive fronts that one thread works through, or a single large front.
struct TreeTask {
  int first = 0, last = 0;  // fronts [first, last)
  int parent = -1;          // task of the parent of its topmost fronts
  int n_children = 0;
  bool wide = false;  // a single front worth splitting among threads
};

class SymbolicFactor {
 public:
  static std::shared_ptr<const SymbolicFactor> analyse(const BlockPattern& pattern);

  int n() const { return static_cast<int>(order.size()); }  // block rows
  int n_fronts() const { return static_cast<int>(parent.size()); }
  const FactorLayout& layout(int width) const { return width == 8 ? by_8 : by_16; }
  // Scalar columns and rows of a front.
  int columns(int s) const {
    return 3 * (first_column[static_cast<size_t>(s) + 1] - first_column[static_cast<size_t>(s)]);
  }
  int rows(int s) const {
    return 3 * static_cast<int>(row_start[static_cast<size_t>(s) + 1] - row_start[static_cast<size_t>(s)]);
  }

  // A block of the matrix, placed in a front by block row and block column; negative: ~block, transposed.
  struct Entry {
    int block, row, column;
  };

  int n_blocks = 0;        // of the pattern
  std::vector<int> order;  // block row eliminated k-th
  std::vector<int> first_column, parent;
  std::vector<int> child_start, child;  // children of a front, ascending
  std::vector<size_t> row_start;
  std::vector<int> row;              // block rows of the fronts, as columns of the factor
  std::vector<int> place_in_parent;  // the same rows, counted within the parent's columns and rows
  std::vector<size_t> entry_start;
  std::vector<Entry> entry;     // of each front, by columns
  std::vector<TreeTask> tasks;  // children before parents
  std::vector<char> in_arena;   // whether the update of a front lies in the arena of its task
  FactorLayout by_8, by_16;
  double flops = 0;

 private:
  void place_rows();
  void place_entries(const BlockPattern& pattern);
  void cut_into_tasks(const std::vector<double>& subtree_cost);
  void lay_out(FactorLayout& layout) const;
};

}  // namespace supple
