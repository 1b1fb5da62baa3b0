// Which block columns a Cholesky factor eliminates together, and with which rows. Inside the room only.
#pragma once
#include <span>
#include <vector>

#include "supple/linalg/solver_backends.h"

namespace supple {

// The parent of each column: the first row below the diagonal of its column of the factor; -1 for a root.
// graph and order as in block_graph() and nested_dissection(); columns are numbered by their place in the order.
std::vector<int> elimination_tree(const BlockGraph& graph, std::span<const int> order);

// Children before parents, each subtree consecutive: result[k] is the node that comes k-th.
std::vector<int> postorder(std::span<const int> parent);

// Blocks in each column of the factor, the diagonal included.
std::vector<int> column_counts(const BlockGraph& graph, std::span<const int> order, std::span<const int> parent);

// Estimated nanoseconds to assemble and eliminate a front of n_columns + n_rows block rows.
double front_cost(double n_columns, double n_rows);

// Fronts: groups of consecutive columns with (nearly) the same rows, in postorder. Front s eliminates the columns
// [first_column[s], first_column[s + 1]) and updates the later columns rows[row_start[s] .. row_start[s + 1]),
// ascending.
struct Fronts {
  std::vector<int> order;  // block row eliminated k-th; refines the given order
  std::vector<int> first_column, parent;
  std::vector<size_t> row_start;
  std::vector<int> rows;

  int size() const { return static_cast<int>(parent.size()); }
  int n_columns(int s) const { return first_column[static_cast<size_t>(s) + 1] - first_column[static_cast<size_t>(s)]; }
  int n_rows(int s) const {
    return static_cast<int>(row_start[static_cast<size_t>(s) + 1] - row_start[static_cast<size_t>(s)]);
  }
  std::span<const int> rows_of(int s) const {
    return {rows.data() + row_start[static_cast<size_t>(s)], static_cast<size_t>(n_rows(s))};
  }
  // Work of the front and of all below it.
  std::vector<double> subtree_costs() const;
};

// Columns of equal structure are joined, then children with their parents wherever front_cost() says it pays to store
// the zeros that this brings in.
Fronts find_fronts(const BlockGraph& graph, std::vector<int> order);

}  // namespace supple
