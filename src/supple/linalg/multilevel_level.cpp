#include "supple/linalg/multilevel_level.h"

#include <algorithm>
#include <cmath>

#include "supple/base/index.h"
#include "supple/base/parallel.h"

namespace supple::multilevel {

namespace {

constexpr float kTrust = 0.8f;      // share of the diagonal that makes up for couplings between chunks
constexpr size_t kLoopNodes = 512;  // a chunk of loops over nodes

// The inverse of a symmetric matrix by its Cholesky factor; false when it is not positive definite.
template <int N>
bool invert_block(const double (&matrix)[N][N], float* out) {
  double factor[N][N] = {}, inverse[N][N] = {};
  for (int i = 0; i < N; ++i)
    for (int j = 0; j <= i; ++j) {
      double s = matrix[i][j];
      for (int k = 0; k < j; ++k) s -= factor[i][k] * factor[j][k];
      if (i > j) {
        factor[i][j] = s / factor[j][j];
      } else {
        if (!(s > 1e-7 * matrix[i][i])) return false;
        factor[i][i] = std::sqrt(s);
      }
    }
  for (int j = 0; j < N; ++j)
    for (int i = j; i < N; ++i) {
      double s = i == j;
      for (int k = j; k < i; ++k) s -= factor[i][k] * inverse[k][j];
      inverse[i][j] = s / factor[i][i];
    }
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) {
      double s = 0;
      for (int k = std::max(i, j); k < N; ++k) s += inverse[k][i] * inverse[k][j];
      out[N * i + j] = static_cast<float>(s);
    }
  return true;
}

// y = block x for a symmetric block. The lanes beyond are zero.
template <int N>
[[gnu::always_inline]] inline void multiply_symmetric(const float* block, const float* from, float* to) {
  Lanes<N> y;
  add_transposed<N, N>(block, from, y);
  y.store(to);
  for (int k = N; k < Lanes<N>::kStride; ++k) to[k] = 0;
}

}  // namespace

template <int N>
Level<N>::Level(Graph graph, int nodes_a_chunk) : graph_(std::move(graph)) {
  const int count = std::max(1, (n() + nodes_a_chunk / 2) / nodes_a_chunk);
  std::vector<int> chunk(at(n()));
  for (int c = 0; c <= count; ++c) chunk_start_.push_back(static_cast<int>(static_cast<int64_t>(n()) * c / count));
  for (int c = 0; c < count; ++c) std::fill(chunk.begin() + chunk_begin(c), chunk.begin() + chunk_begin(c + 1), c);

  low_start_.push_back(0);
  off_start_.push_back(0);
  std::vector<char> off(graph_.item.size());
  for (int i = 0; i < n(); ++i) {
    for (int k = graph_.begin(i); k < graph_.end(i); ++k) {
      const int j = graph_.at(k);
      off[at(k)] = chunk[at(i)] != chunk[at(j)];
      if (off[at(k)])
        off_col_.push_back(j);
      else if (j < i)
        low_col_.push_back(j);
    }
    low_start_.push_back(static_cast<int>(low_col_.size()));
    off_start_.push_back(static_cast<int>(off_col_.size()));
  }
  slot_.resize(graph_.item.size());
  std::vector<int> next_up(graph_.start.begin(), graph_.start.end() - 1);
  int next_low = 0, next_off = static_cast<int>(low_col_.size());
  for (int i = 0; i < n(); ++i)
    for (int k = graph_.begin(i); k < graph_.end(i); ++k) {
      if (off[at(k)]) {
        slot_[at(k)] = next_off++;
      } else if (graph_.at(k) < i) {
        // The edge back: rows come in ascending order, so those of a node are met in theirs.
        int& back = next_up[at(graph_.at(k))];
        while (graph_.at(back) != i) ++back;
        slot_[at(back)] = ~next_low;
        slot_[at(k)] = next_low++;
      }
    }
  blocks_.assign(kBlock * at(next_off) + kPad, 0.0f);
  diagonal_.assign(kBlock * at(n()) + kPad, 0.0f);
  inverse_ = diagonal_;
  extra_.assign(at(kStride) * at(n()), 0.0f);
  b = x = r = extra_;
}

template <int N>
template <typename Body>
void Level<N>::each_chunk(const Body& body) const {
  parallel_for(at(chunks()), 1, [&](size_t first, size_t last) {
    for (size_t c = first; c < last; ++c) body(chunk_start_[c], chunk_start_[c + 1]);
  });
}

template <int N>
const float* Level<N>::edge_block(int edge, float* buffer) const {
  const int slot = own(edge);
  if (slot >= 0) return blocks_.data() + kBlock * at(slot);
  const float* from = blocks_.data() + kBlock * at(~slot);
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) buffer[N * i + j] = from[N * j + i];
  return buffer;
}

template <int N>
bool Level<N>::invert(int node) {
  double matrix[N][N];
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) matrix[i][j] = diagonal(node)[N * i + j];
  for (int i = 0; i < N; ++i) matrix[i][i] += extra_[at(kStride * node + i)];
  return invert_block<N>(matrix, inverse_.data() + kBlock * at(node));
}

template <int N>
bool Level<N>::invert_diagonal() {
  std::fill(extra_.begin(), extra_.end(), 0.0f);
  return parallel_max(at(n()), kLoopNodes, [&](size_t begin, size_t end) {
           for (size_t i = begin; i < end; ++i)
             if (!invert(static_cast<int>(i))) return 1.0;
           return 0.0;
         }) == 0;
}

template <int N>
bool Level<N>::prepare_smoother() {
  // M + M^T - A is the diagonal D, plus twice the addition, less the couplings between chunks, which their row sums
  // bound. D is at least 1 / norm(D^-1), so that much of the sums needs no addition.
  return parallel_max(at(n()), kLoopNodes, [&](size_t begin, size_t end) {
           for (size_t i = begin; i < end; ++i) {
             if (off_start_[i] == off_start_[i + 1]) continue;
             const size_t first = low_col_.size() + at(off_start_[i]), last = low_col_.size() + at(off_start_[i + 1]);
             float* extra = extra_.data() + at(kStride) * i;
             for (size_t k = first; k < last; ++k)
               for (size_t c = 0; c < kBlock; ++c) extra[c / N] += std::abs(blocks_[kBlock * k + c]);
             float norm = 0;  // of the inverse
             for (int c = 0; c < N; ++c) {
               float sum = 0;
               for (int d = 0; d < N; ++d) sum += std::abs(inverse(static_cast<int>(i))[N * c + d]);
               norm = std::max(norm, sum);
             }
             for (int c = 0; c < N; ++c) extra[c] = 0.5f * std::max(0.0f, extra[c] - kTrust / norm);
             if (!invert(static_cast<int>(i))) return 1.0;
           }
           return 0.0;
         }) == 0;
}

template <int N>
void Level<N>::add_off_chunk(int node, const Floats& from, RowSums<N, N>& sums) const {
  const float* block = blocks_.data() + kBlock * (low_col_.size() + at(off_start_[at(node)]));
  for (int k = off_start_[at(node)]; k < off_start_[at(node) + 1]; ++k, block += kBlock)
    sums.add(block, from.data() + kStride * off_col_[at(k)]);
}

template <int N>
void Level<N>::smooth_forward() {
  each_chunk([&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      const int first = low_start_[at(i)], last = low_start_[at(i) + 1];
      const float* low = blocks_.data() + kBlock * at(first);
      RowSums<N, N> sums;
      for (int k = first; k < last; ++k) sums.add(low + kBlock * at(k - first), x.data() + kStride * low_col_[at(k)]);
      float rest[N];
      unrolled<N>([&](auto c) { rest[c] = b[at(kStride * i + c)] - sums.row[c].sum(); });
      float* xi = x.data() + kStride * i;
      multiply_symmetric<N>(inverse(i), rest, xi);
      for (int c = 0; c < kStride; ++c) r[at(kStride * i + c)] = extra_[at(kStride * i + c)] * xi[c];
      for (int k = first; k < last; ++k) {
        float* rj = r.data() + kStride * low_col_[at(k)];
        Lanes<N> lanes = Lanes<N>::load(rj);
        subtract_transposed<N, N>(low + kBlock * at(k - first), xi, lanes);
        lanes.store(rj);
      }
    }
  });
  if (chunks() == 1) return;
  each_chunk([&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      if (off_start_[at(i)] == off_start_[at(i) + 1]) continue;
      RowSums<N, N> sums;
      add_off_chunk(i, x, sums);
      unrolled<N>([&](auto c) { r[at(kStride * i + c)] -= sums.row[c].sum(); });
    }
  });
}

template <int N>
void Level<N>::smooth_backward() {
  each_chunk([&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      RowSums<N, N> sums;
      for (int k = low_start_[at(i)]; k < low_start_[at(i) + 1]; ++k)
        sums.add(blocks_.data() + kBlock * at(k), x.data() + kStride * low_col_[at(k)]);
      add_off_chunk(i, x, sums);
      unrolled<N>([&](auto c) {
        const size_t k = at(kStride * i + c);
        r[k] = b[k] + extra_[k] * x[k] - sums.row[c].sum();
      });
    }
    for (int i = end - 1; i >= begin; --i) {
      float* ri = r.data() + kStride * i;
      multiply_symmetric<N>(inverse(i), ri, ri);
      for (int k = low_start_[at(i)]; k < low_start_[at(i) + 1]; ++k) {
        float* rj = r.data() + kStride * low_col_[at(k)];
        Lanes<N> lanes = Lanes<N>::load(rj);
        subtract_transposed<N, N>(blocks_.data() + kBlock * at(k), ri, lanes);
        lanes.store(rj);
      }
    }
  });
}

template <int N>
void Level<N>::multiply(const Floats& from, Floats& to) const {
  each_chunk([&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      const float* xi = from.data() + kStride * i;
      float* yi = to.data() + kStride * i;
      RowSums<N, N> sums;
      sums.add(diagonal(i), xi);
      for (int k = low_start_[at(i)]; k < low_start_[at(i) + 1]; ++k) {
        const float* block = blocks_.data() + kBlock * at(k);
        sums.add(block, from.data() + kStride * low_col_[at(k)]);
        float* yj = to.data() + kStride * low_col_[at(k)];
        Lanes<N> lanes = Lanes<N>::load(yj);
        add_transposed<N, N>(block, xi, lanes);
        lanes.store(yj);
      }
      add_off_chunk(i, from, sums);
      unrolled<N>([&](auto c) { yi[c] = sums.row[c].sum(); });
      for (int c = N; c < kStride; ++c) yi[c] = 0;
    }
  });
}

template <int N>
double Level<N>::largest_eigenvalue() {
  // Power iteration from a start that has a share of everything; the quotient is that of the inner product of A.
  constexpr int kIterations = 6;
  uint32_t state = 1;
  for (size_t i = 0; i < at(n()); ++i)
    for (size_t c = 0; c < at(N); ++c) {
      state = 1664525u * state + 1013904223u;
      x[at(kStride) * i + c] = static_cast<float>(state >> 8) * 0x1p-23f - 1.0f;
    }
  double largest = 0;
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    multiply(x, r);
    auto dot = [&](const Floats& u, const Floats& v) {
      return parallel_sum(at(n()), kLoopNodes, [&](size_t begin, size_t end) {
        double s = 0;
        for (size_t i = begin; i < end; ++i)
          for (size_t k = at(kStride) * i; k < at(kStride) * i + N; ++k) s += double{u[k]} * double{v[k]};
        return s;
      });
    };
    const double energy = dot(x, r);
    if (!(energy > 0)) break;
    const auto scale = static_cast<float>(1 / std::sqrt(energy));
    parallel_for(at(n()), kLoopNodes, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        for (size_t k = at(kStride) * i; k < at(kStride) * (i + 1); ++k) r[k] *= scale;
        multiply_symmetric<N>(inverse(static_cast<int>(i)), r.data() + at(kStride) * i, x.data() + at(kStride) * i);
      }
    });
    largest = std::max(largest, dot(x, r));
  }
  return largest;
}

template <int N>
size_t Level<N>::memory_bytes() const {
  size_t ints = chunk_start_.capacity() + slot_.capacity() + low_start_.capacity() + low_col_.capacity() +
                off_start_.capacity() + off_col_.capacity();
  size_t floats = blocks_.capacity() + diagonal_.capacity() + inverse_.capacity() + extra_.capacity() + b.capacity() +
                  x.capacity() + r.capacity();
  return graph_.bytes() + sizeof(int) * ints + sizeof(float) * floats;
}

template <int N>
double Level<N>::flops_of_cycle() const {
  return 2.0 * kBlock * static_cast<double>(graph_.item.size() + graph_.start.size());
}

template class Level<3>;
template class Level<6>;

}  // namespace supple::multilevel
