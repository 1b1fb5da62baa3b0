#include "supple/linalg/supernodal.h"

#include <algorithm>
#include <cstring>

#include "supple/base/expect.h"
#include "supple/linalg/supernodal_workspace.h"
#include "supple/linalg/tree_tasks.h"

namespace supple {

template <typename T>
SupernodalFactor<T>::SupernodalFactor(std::shared_ptr<const SymbolicFactor> symbolic, const DenseKernels<T>& kernels)
    : symbolic_(std::move(symbolic)), layout_(symbolic_->layout(W)), kernels_(kernels) {}

template <typename T>
SupernodalFactor<T>::~SupernodalFactor() = default;

template <typename T>
size_t SupernodalFactor<T>::memory_bytes() const {
  size_t bytes = factor_.bytes() + store_.bytes() + values_.bytes() + passed_.bytes();
  for (const auto& w : spare_) bytes += w->arena.bytes() + w->local.bytes();
  return bytes;
}

template <typename T>
T* SupernodalFactor<T>::update_of(int s, Workspace& w) {
  return (symbolic_->in_arena[s] ? w.arena : store_).line(layout_.update[s]);
}

template <typename T>
FactorStatus SupernodalFactor<T>::factorize(const BlockMatrix& matrix) {
  expect(matrix.pattern->size() == symbolic_->n_blocks, "a matrix of the pattern that was analysed");
  factor_.reserve(layout_.factor_lines);
  store_.reserve(layout_.store_lines);
  std::atomic<bool> positive = true;
  run_upwards(symbolic_->tasks, [&](int t) {
    if (!positive) return;
    const TreeTask& task = symbolic_->tasks[t];
    Lease lease(*this);
    Workspace& w = *lease;
    if (task.wide) {
      if (!eliminate_front(matrix, task.first, w, SharedLoop())) positive = false;
      return;
    }
    w.arena.reserve(layout_.arena_lines);
    for (int s = task.first; s < task.last && positive; ++s)
      if (!eliminate_front(matrix, s, w, PlainLoop())) positive = false;
  });
  return positive ? FactorStatus::ok : FactorStatus::not_positive_definite;
}

template <typename T>
template <typename Loop>
bool SupernodalFactor<T>::eliminate_front(const BlockMatrix& matrix, int s, Workspace& w, const Loop& loop) {
  const SymbolicFactor& f = *symbolic_;
  w.front.place(layout_, f.columns(s), f.rows(s), factor_.line(layout_.factor[s]), update_of(s, w));
  const int n_children = f.child_start[s + 1] - f.child_start[s];
  if (static_cast<int>(w.extensions.size()) < n_children) w.extensions.resize(n_children);
  for (int i = 0; i < n_children; ++i) {
    const int c = f.child[f.child_start[s] + i];
    w.extensions[i].place(w.front, f.place_in_parent.data() + f.row_start[c], f.rows(c) / 3);
  }
  // Columns are independent of each other.
  const int columns = w.front.columns / 3, all = columns + w.front.rows / 3;
  auto pieces = [&](int begin, int end, const auto& body) {
    constexpr int kPiece = 32;
    if constexpr (std::is_same_v<Loop, PlainLoop>)
      body(begin, end);
    else
      loop((end - begin + kPiece - 1) / kPiece,
           [&](int i) { body(begin + i * kPiece, std::min(end, begin + (i + 1) * kPiece)); });
  };
  pieces(0, columns, [&](int begin, int end) {
    assemble(matrix, s, w, begin, end);
    extend(s, w, begin, end);
  });
  if (!eliminate_columns(w.front, kernels_, loop)) return false;
  update_rest(w.front, kernels_, loop);
  pieces(columns, all, [&](int begin, int end) { extend(s, w, begin, end); });
  return true;
}

// The matrix in the block columns [begin, end) of the front's factor.
template <typename T>
void SupernodalFactor<T>::assemble(const BlockMatrix& matrix, int s, Workspace& w, int begin, int end) {
  const SymbolicFactor& f = *symbolic_;
  Front<T>& front = w.front;
  for (int p = 3 * begin / W; p < front.panels(); ++p) {
    const int to = std::min(3 * end, p < front.panels_above ? W * (p + 1) : front.columns);
    std::memset(front.row[p] + W * 3 * begin, 0, sizeof(T) * static_cast<size_t>(W * (to - 3 * begin)));
  }

  auto by_column = [](const SymbolicFactor::Entry& e, int column) { return e.column < column; };
  const auto entries = f.entry.begin();
  const auto last = entries + static_cast<std::ptrdiff_t>(f.entry_start[s + 1]);
  auto e = entries + static_cast<std::ptrdiff_t>(f.entry_start[s]);
  if (begin > 0) e = std::lower_bound(e, last, begin, by_column);
  for (; e != last && e->column < end; ++e) {
    const bool transposed = e->block < 0;
    const double* block = matrix.block(transposed ? ~e->block : e->block);
    for (int r = 0; r < 3; ++r) {
      int i = 3 * e->row + r;
      T* target;
      if (i < front.columns) {
        target = front.row[i / W] + i % W;
      } else {
        i -= front.columns;
        target = front.row[front.panels_above + i / W] + i % W;
      }
      // Of the diagonal block only the lower half has a place.
      for (int c = 0; c < (e->row == e->column ? r + 1 : 3); ++c)
        target[W * (3 * e->column + c)] = static_cast<T>(transposed ? block[3 * c + r] : block[3 * r + c]);
    }
  }
}

// Adds what the children pass on to the block columns [begin, end), child by child.
template <typename T>
void SupernodalFactor<T>::extend(int s, Workspace& w, int begin, int end) {
  const SymbolicFactor& f = *symbolic_;
  for (int i = f.child_start[s]; i < f.child_start[s + 1]; ++i) {
    const int c = f.child[i];
    const int* place = f.place_in_parent.data() + f.row_start[c];
    const int n = f.rows(c) / 3;
    const int from_row = static_cast<int>(std::lower_bound(place, place + n, begin) - place);
    const int to_row = static_cast<int>(std::lower_bound(place, place + n, end) - place);
    if (from_row < to_row)
      w.extensions[i - f.child_start[s]].add(update_of(c, w), layout_, kernels_, 3 * n, 3 * from_row, 3 * to_row);
  }
}

template class SupernodalFactor<double>;
template class SupernodalFactor<float>;

}  // namespace supple
