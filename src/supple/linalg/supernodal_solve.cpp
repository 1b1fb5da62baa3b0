#include <algorithm>
#include <cstring>

#include "supple/base/expect.h"
#include "supple/base/parallel.h"
#include "supple/linalg/supernodal_workspace.h"
#include "supple/linalg/tree_tasks.h"

namespace supple {

namespace {
// Entries of the factor that make a piece of a large front worth another thread.
constexpr int kPieceEntries = 1 << 15;
}  // namespace

// N right-hand sides at a time: 1, or W with one line a row.
// L y = b. Each front adds up what its children pass on, so that no two threads write to the same place.
template <typename T>
template <int N, typename Loop>
void SupernodalFactor<T>::forward(int s, Workspace& w, const Loop& loop) {
  const SymbolicFactor& f = *symbolic_;
  Front<T>& front = w.front;
  front.place(layout_, f.columns(s), f.rows(s), factor_.line(layout_.factor[s]), nullptr);
  const int columns = front.columns, below = front.panels() - front.panels_above;
  T* x = values_.line(0) + size_t{3} * N * static_cast<size_t>(f.first_column[s]);
  T* y = w.local.line(0);
  T* z = passed_.line(N * passed_start_[s]);
  std::copy(x, x + N * columns, y);
  std::fill(y + N * columns, y + N * W * front.panels_above, T(0));
  std::fill(z, z + N * W * below, T(0));
  for (int i = f.child_start[s]; i < f.child_start[s + 1]; ++i) {
    const int c = f.child[i];
    const T* from = passed_.line(N * passed_start_[c]);
    for (size_t k = f.row_start[c]; k < f.row_start[c + 1]; ++k, from += 3 * N) {
      const int place = 3 * f.place_in_parent[k];
      T* to = place < columns ? y + N * place : z + N * (place - columns);
      for (int j = 0; j < 3 * N; ++j) to[j] += from[j];
    }
  }
  const T* const* a = front.row.data();
  const T* const* b = a + front.panels_above;
  const int piece = std::max(1, kPieceEntries / (W * columns));
  if constexpr (N == 1) {
    kernels_.forward_triangle(a, columns, y);
    loop((below + piece - 1) / piece,
         [&](int i) { kernels_.forward_rows(b, i * piece, std::min(below, (i + 1) * piece), columns, y, z); });
  } else {
    kernels_.forward_triangle_many(a, columns, y);
    loop((below + piece - 1) / piece,
         [&](int i) { kernels_.forward_rows_many(b, i * piece, std::min(below, (i + 1) * piece), columns, y, z); });
  }
  std::copy(y, y + N * columns, x);
}

// L^T x = y. The rows below are final and only read.
template <typename T>
template <int N, typename Loop>
void SupernodalFactor<T>::backward(int s, Workspace& w, const Loop& loop) {
  const SymbolicFactor& f = *symbolic_;
  Front<T>& front = w.front;
  front.place(layout_, f.columns(s), f.rows(s), factor_.line(layout_.factor[s]), nullptr);
  const int columns = front.columns, below = front.panels() - front.panels_above;
  T* all = values_.line(0);
  T* x = all + size_t{3} * N * static_cast<size_t>(f.first_column[s]);
  T* y = w.local.line(0);
  T* z = y + N * W * front.panels_above;
  std::copy(x, x + N * columns, y);
  std::fill(y + N * columns, z, T(0));
  T* to = z;
  for (size_t k = f.row_start[s]; k < f.row_start[s + 1]; ++k, to += 3 * N) {
    const T* from = all + size_t{3} * N * static_cast<size_t>(f.row[k]);
    std::copy(from, from + 3 * N, to);
  }
  std::fill(to, z + N * W * below, T(0));
  const T* const* a = front.row.data();
  const T* const* b = a + front.panels_above;
  const int piece = std::max(32, kPieceEntries / (W * std::max(1, below)));
  const int pieces = (columns + piece - 1) / piece;
  if constexpr (N == 1) {
    T* sums = z + W * below;
    std::fill(sums, sums + W * columns, T(0));
    loop(pieces,
         [&](int i) { kernels_.backward_rows(b, 0, below, i * piece, std::min(columns, (i + 1) * piece), z, sums); });
    kernels_.backward_triangle(a, columns, y, sums);
  } else {
    loop(pieces,
         [&](int i) { kernels_.backward_rows_many(b, 0, below, i * piece, std::min(columns, (i + 1) * piece), z, y); });
    kernels_.backward_triangle_many(a, columns, y);
  }
  std::copy(y, y + N * columns, x);
}

template <typename T>
template <int N>
void SupernodalFactor<T>::solve_columns(Eigen::Ref<MatX> x, Eigen::Index first, int count) {
  const SymbolicFactor& f = *symbolic_;
  size_t local_lines = 0;
  passed_start_.resize(f.parent.size() + 1);
  for (int s = 0; s < f.n_fronts(); ++s) {
    const auto above = static_cast<size_t>(layout_.panels(f.columns(s)));
    const auto below = static_cast<size_t>(layout_.panels(f.rows(s)));
    passed_start_[s + 1] = passed_start_[s] + below;
    local_lines = std::max(local_lines, N * (above + below) + (N == 1 ? static_cast<size_t>(f.columns(s)) : 0));
  }
  passed_.reserve(N * passed_start_.back());
  values_.reserve(N * (3 * f.order.size() / W + 1));
  T* values = values_.line(0);
  constexpr size_t kGrain = 4096;
  parallel_for(f.order.size(), kGrain, [&](size_t begin, size_t end) {
    for (size_t k = begin; k < end; ++k)
      for (size_t c = 0; c < 3; ++c)
        for (int j = 0; j < N; ++j)
          values[(3 * k + c) * N + static_cast<size_t>(j)] =
              j < count ? static_cast<T>(x(3 * f.order[k] + static_cast<int>(c), first + j)) : T(0);
  });
  auto worth_sharing = [&](const TreeTask& t) {
    return t.wide && f.columns(t.first) > 8 * kPieceEntries / std::max(1, f.rows(t.first));
  };
  run_upwards(f.tasks, [&](int t) {
    const TreeTask& task = f.tasks[t];
    Lease lease(*this);
    (*lease).local.reserve(local_lines);
    if (worth_sharing(task)) return forward<N>(task.first, *lease, SharedLoop());
    for (int s = task.first; s < task.last; ++s) forward<N>(s, *lease, PlainLoop());
  });
  run_downwards(f.tasks, [&](int t) {
    const TreeTask& task = f.tasks[t];
    Lease lease(*this);
    (*lease).local.reserve(local_lines);
    if (worth_sharing(task)) return backward<N>(task.first, *lease, SharedLoop());
    for (int s = task.last - 1; s >= task.first; --s) backward<N>(s, *lease, PlainLoop());
  });
  parallel_for(f.order.size(), kGrain, [&](size_t begin, size_t end) {
    for (size_t k = begin; k < end; ++k)
      for (size_t c = 0; c < 3; ++c)
        for (int j = 0; j < count; ++j)
          x(3 * f.order[k] + static_cast<int>(c), first + j) = values[(3 * k + c) * N + static_cast<size_t>(j)];
  });
}

template <typename T>
void SupernodalFactor<T>::solve(Eigen::Ref<MatX> x) {
  expect(x.rows() == 3 * symbolic_->n(), "a right-hand side of the size of the factor");
  if (x.size() == 0) return;
  // A pass with one line a row costs as much as a few with one column.
  constexpr int kFew = 2;
  Eigen::Index first = 0;
  while (first < x.cols()) {
    const int count = static_cast<int>(std::min<Eigen::Index>(W, x.cols() - first));
    if (count <= kFew) {
      solve_columns<1>(x, first++, 1);
    } else {
      solve_columns<W>(x, first, count);
      first += count;
    }
  }
}

template void SupernodalFactor<double>::solve(Eigen::Ref<MatX>);
template void SupernodalFactor<float>::solve(Eigen::Ref<MatX>);

}  // namespace supple
