// Smoothed aggregation [Vanek, Mandel, Brezina 1996] for elasticity: a V-cycle in single precision whose coarse nodes
// move as rigid bodies. What hangs on the pattern alone is made once; each matrix gets its own prolongators.
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <deque>
#include <stdexcept>

#include "supple/base/index.h"
#include "supple/base/parallel.h"
#include "supple/linalg/multilevel_transfer.h"
#include "supple/linalg/preconditioner.h"

namespace supple {

namespace {

using namespace multilevel;

constexpr int kFewFine = 128, kFewCoarse = 80;        // nodes that a dense factor solves for
constexpr int kChunkFine = 1024, kChunkCoarse = 256;  // nodes a chunk of the smoothers
constexpr size_t kCopiedNodes = 2048;                 // nodes a chunk of copies
constexpr double kLift = 1e-6;                        // of the dense diagonal, for the errors of single precision

// Scales by a power of two lose no digits.
double power_of_two_below(double value) { return value > 0 && std::isfinite(value) ? std::exp2(std::ilogb(value)) : 1; }

class Multilevel final : public Preconditioner {
 public:
  Multilevel(std::shared_ptr<const BlockPattern> pattern, const VecX& places) : pattern_(std::move(pattern)) {
    Hierarchy h = coarsen(*pattern_, kFewFine, kFewCoarse);
    order_ = std::move(h.order);
    finest_ = std::make_unique<Level<3>>(std::move(h.graphs[0]), kChunkFine);
    find_sources();
    for (size_t l = 0; l < h.aggregates.size(); ++l) {
      coarse_.emplace_back(std::move(h.graphs[l + 1]), kChunkCoarse);
      if (l == 0)
        first_ = std::make_unique<Transfer<3>>(*finest_, coarse_[0], h.aggregates[0]);
      else
        transfers_.emplace_back(coarse_[l - 1], coarse_[l], h.aggregates[l]);
    }
    set_places(places);
    const int last = coarse_.empty() ? pattern_->n : coarse_.back().n();
    dense_ = last > 0 && last <= (coarse_.empty() ? kFewFine : kFewCoarse);
    if (dense_) right_.resize((coarse_.empty() ? 3 : 6) * last);
  }

  std::string name() const override { return "multilevel"; }

  // Takes effect with the next make.
  bool uses_places() const override { return true; }
  void set_places(const VecX& places) override {
    const bool known = places.size() != 0;
    if (known && places.size() != 3 * static_cast<Eigen::Index>(pattern_->n))
      throw std::invalid_argument("make_multilevel: places are not three numbers a block row");
    Frames frames{.place = std::vector<Vec3>(order_.size(), Vec3::Zero()), .turn = {}};
    if (known)
      for (size_t i = 0; i < order_.size(); ++i) frames.place[i] = places.segment<3>(3 * order_[i]);
    if (first_) frames = first_->set_places(frames, known);
    for (auto& transfer : transfers_) frames = transfer.set_places(frames, known);
  }

  bool make(const BlockMatrix& A) override {
    scale_ = 1 / power_of_two_below(A.max_abs_diagonal());
    take(A);
    if (!finest_->invert_diagonal()) return false;
    if (!first_) return dense_ ? factorize(*finest_) : finest_->prepare_smoother();
    first_->make();
    if (!finest_->prepare_smoother()) return false;
    for (size_t l = 0; l < coarse_.size(); ++l) {
      const bool last = l + 1 == coarse_.size();
      if (!coarse_[l].invert_diagonal()) return false;
      if (last && dense_) return factorize(coarse_[l]);
      if (!last) transfers_[l].make();
      if (!coarse_[l].prepare_smoother()) return false;
    }
    return true;
  }

  void apply(const VecX& r, VecX& z) override {
    z.resize(r.size());
    const auto n = at(pattern_->n);
    const double unit = power_of_two_below(parallel_max(n, kCopiedNodes, [&](size_t begin, size_t end) {
      return r.segment(static_cast<Eigen::Index>(3 * begin), static_cast<Eigen::Index>(3 * (end - begin)))
          .cwiseAbs()
          .maxCoeff();
    }));
    parallel_for(n, kCopiedNodes, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i)
        for (size_t c = 0; c < 3; ++c)
          finest_->b[4 * i + c] = static_cast<float>(r[3 * order_[i] + static_cast<int>(c)] / unit);
    });
    if (first_) {
      finest_->smooth_forward();
      first_->restrict_residual();
      coarse_cycle(0);
      first_->add_correction();
      finest_->smooth_backward();
    } else {
      solve_last(*finest_);
    }
    parallel_for(n, kCopiedNodes, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i)
        for (size_t c = 0; c < 3; ++c)
          z[3 * order_[i] + static_cast<int>(c)] = unit * scale_ * static_cast<double>(finest_->r[4 * i + c]);
    });
  }

  double make_cost() const override { return flops_of_make() / flops_of_iteration(); }

  size_t memory_bytes() const override {
    size_t bytes = finest_->memory_bytes() + sizeof(int) * (order_.capacity() + source_.capacity());
    if (first_) bytes += first_->memory_bytes();
    for (const auto& level : coarse_) bytes += level.memory_bytes();
    for (const auto& transfer : transfers_) bytes += transfer.memory_bytes();
    return bytes + sizeof(double) * static_cast<size_t>(factor_.rows() * factor_.cols() + right_.size());
  }

 private:
  // Where the blocks of the finest level come from: ~block where it is transposed.
  void find_sources() {
    const Graph& graph = finest_->graph();
    source_.assign(graph.item.size(), 0);
    for (int i = 0; i < graph.rows(); ++i)
      for (int k = graph.begin(i); k < graph.end(i); ++k) {
        if (finest_->own(k) < 0) continue;
        const int row = order_[at(i)], column = order_[at(graph.at(k))];
        source_[at(k)] = row > column ? pattern_->find(row, column) : ~pattern_->find(column, row);
      }
  }

  void take(const BlockMatrix& A) {
    const Graph& graph = finest_->graph();
    parallel_for(at(pattern_->n), kCopiedNodes / 4, [&](size_t begin, size_t end) {
      for (int i = static_cast<int>(begin); i < static_cast<int>(end); ++i) {
        const double* from = A.block(pattern_->row_start[at(order_[at(i)]) + 1] - 1);
        for (int c = 0; c < 9; ++c) finest_->diagonal(i)[c] = static_cast<float>(from[c] * scale_);
        for (int k = graph.begin(i); k < graph.end(i); ++k) {
          if (finest_->own(k) < 0) continue;
          float* to = finest_->block(finest_->own(k));
          const int source = source_[at(k)];
          from = A.block(source >= 0 ? source : ~source);
          for (int c = 0; c < 9; ++c)
            to[c] = static_cast<float>(scale_ * (source >= 0 ? from[c] : from[3 * (c % 3) + c / 3]));
        }
      }
    });
  }

  template <int N>
  bool factorize(const Level<N>& level) {
    MatX matrix = MatX::Zero(N * level.n(), N * level.n());
    float buffer[N * N];
    auto put = [&](int i, int j, const float* block) {
      for (int c = 0; c < N * N; ++c) matrix(N * i + c / N, N * j + c % N) = double{block[c]};
    };
    for (int i = 0; i < level.n(); ++i) {
      put(i, i, level.diagonal(i));
      for (int k = level.graph().begin(i); k < level.graph().end(i); ++k)
        put(i, level.graph().at(k), level.edge_block(k, buffer));
    }
    matrix.diagonal() *= 1 + kLift;
    factor_.compute(matrix);
    return factor_.info() == Eigen::Success;
  }

  // From b to r, on the coarsest level.
  template <int N>
  void solve_last(Level<N>& level) {
    if (!dense_) {
      level.smooth_forward();
      level.smooth_backward();
      return;
    }
    constexpr int stride = Level<N>::kStride;
    for (int i = 0; i < level.n(); ++i)
      for (int c = 0; c < N; ++c) right_[N * i + c] = double{level.b[at(stride * i + c)]};
    factor_.solveInPlace(right_);
    for (int i = 0; i < level.n(); ++i)
      for (int c = 0; c < N; ++c) level.r[at(stride * i + c)] = static_cast<float>(right_[N * i + c]);
  }

  void coarse_cycle(size_t l) {
    if (l + 1 == coarse_.size()) return solve_last(coarse_[l]);
    coarse_[l].smooth_forward();
    transfers_[l].restrict_residual();
    coarse_cycle(l + 1);
    transfers_[l].add_correction();
    coarse_[l].smooth_backward();
  }

  double flops_of_make() const {
    const auto rows = static_cast<double>(right_.size());
    double flops = rows * rows * rows / 6 + (first_ ? first_->flops_of_make() : 0.0);
    for (const auto& transfer : transfers_) flops += transfer.flops_of_make();
    return flops;
  }

  double flops_of_iteration() const {
    const auto rows = static_cast<double>(right_.size());
    double flops = rows * rows + 2 * 9.0 * static_cast<double>(2 * pattern_->col.size());
    flops += finest_->flops_of_cycle() + (first_ ? first_->flops_of_cycle() : 0.0);
    for (const auto& level : coarse_) flops += level.flops_of_cycle();
    for (const auto& transfer : transfers_) flops += transfer.flops_of_cycle();
    return flops;
  }

  std::shared_ptr<const BlockPattern> pattern_;
  std::vector<int> order_, source_;
  std::unique_ptr<Level<3>> finest_;
  std::deque<Level<6>> coarse_;
  std::unique_ptr<Transfer<3>> first_;  // from the finest level
  std::deque<Transfer<6>> transfers_;
  bool dense_ = false;  // the coarsest level is solved by a dense factor, not smoothed
  double scale_ = 1;    // of the matrix in single precision
  Eigen::LLT<MatX> factor_;
  VecX right_;
};

}  // namespace

std::unique_ptr<Preconditioner> make_multilevel(std::shared_ptr<const BlockPattern> pattern, const VecX& places) {
  return std::make_unique<Multilevel>(std::move(pattern), places);
}

}  // namespace supple
