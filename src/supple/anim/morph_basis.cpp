#include "supple/anim/morph_basis.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "supple/base/parallel.h"
#include "supple/linalg/dense.h"

namespace supple {

namespace {

using Eigen::Index;

constexpr Index kChunk = 128;         // points read at a time
constexpr Index kGroup = 8;           // chunks whose sums are held side by side before they are added in order
constexpr Index kSpare = 16;          // columns of the search beyond the targets wanted
constexpr int kRounds = 2;            // of subspace iteration
constexpr int kFew = 12;              // targets that are looked for before more...
constexpr Index kStride = 8;          // ...in every so many points
constexpr Index kFirstCounts = 8;     // of targets whose errors are looked at before more
constexpr double kNegligible = 1e-9;  // share of the largest component below which one is rounding

// body(first point, rows of the chunk) for every chunk.
void over_chunks(const MovingPoints& moving, const std::function<void(Index, const MatX&)>& body) {
  const Index n_chunks = (moving.n_points + kChunk - 1) / kChunk;
  parallel_for(static_cast<size_t>(n_chunks), 1, [&](size_t begin, size_t end) {
    MatX rows;
    for (size_t c = begin; c < end; ++c) {
      const Index first = static_cast<Index>(c) * kChunk, last = std::min(first + kChunk, moving.n_points);
      rows.resize(3 * (last - first), moving.n_frames);
      moving.read(first, last, rows);
      body(first, rows);
    }
  });
}

// D^T (D Z) with D the displacements: sums of chunks, added in their order whatever the threads.
MatX gram_times(const MovingPoints& moving, const MatX& z) {
  MatX sum = MatX::Zero(z.rows(), z.cols());
  const Index n_chunks = (moving.n_points + kChunk - 1) / kChunk;
  std::vector<MatX> partial(static_cast<size_t>(kGroup));
  for (Index base = 0; base < n_chunks; base += kGroup) {
    const Index group = std::min(kGroup, n_chunks - base);
    parallel_for(static_cast<size_t>(group), 1, [&](size_t begin, size_t end) {
      for (size_t c = begin; c < end; ++c) {
        const Index first = (base + static_cast<Index>(c)) * kChunk, last = std::min(first + kChunk, moving.n_points);
        MatX rows(3 * (last - first), moving.n_frames);
        moving.read(first, last, rows);
        partial[c].noalias() = rows.transpose() * (rows * z);
      }
    });
    for (Index c = 0; c < group; ++c) sum += partial[static_cast<size_t>(c)];
  }
  return sum;
}

MatX times(const MovingPoints& moving, const MatX& z) {
  MatX product(3 * moving.n_points, z.cols());
  over_chunks(moving,
              [&](Index first, const MatX& rows) { product.middleRows(3 * first, rows.rows()).noalias() = rows * z; });
  return product;
}

// Orthonormal columns, n_frames x width, that span what the frames have in common. Subspace iteration from a fixed
// start; all of the space when it is not larger than `width`.
MatX leading_frames(const MovingPoints& moving, Index width) {
  if (width >= moving.n_frames) return MatX::Identity(moving.n_frames, moving.n_frames);
  std::mt19937 random(20180521);
  MatX z(moving.n_frames, width);
  for (Index i = 0; i < z.size(); ++i) z.data()[i] = static_cast<double>(random()) / 4294967296.0 - 0.5;
  for (int round = 0; round < kRounds; ++round) z = orthonormal(gram_times(moving, z));
  return z;
}

// Entry k: the largest distance left after the first k + 1 targets, with the numbers as they are stored; from count
// `from` to count `to`, infinite before.
VecX errors_by_count(const MovingPoints& moving, const MorphBasis& basis, Index from, Index to) {
  const Index n_chunks = (moving.n_points + kChunk - 1) / kChunk;
  MatX worst2 = MatX::Zero(to, n_chunks);
  worst2.topRows(from - 1).setConstant(std::numeric_limits<double>::infinity());
  const MatX weights = basis.weights.leftCols(to).cast<double>();
  over_chunks(moving, [&](Index first, const MatX& rows) {
    MatX left(moving.n_frames, 3);
    for (Index p = 0; p < rows.rows() / 3; ++p) {
      left = rows.middleRows(3 * p, 3).transpose();
      for (Index k = 0; k < to; ++k) {
        for (Index axis = 0; axis < 3; ++axis) {
          left.col(axis) -= static_cast<double>(basis.targets(3 * (first + p) + axis, k)) * weights.col(k);
        }
        if (k < from - 1) continue;
        double& worst = worst2(k, first / kChunk);
        const double here = (left.col(0).cwiseAbs2() + left.col(1).cwiseAbs2() + left.col(2).cwiseAbs2()).maxCoeff();
        worst = std::max(worst, here);
      }
    }
  });
  return worst2.rowwise().maxCoeff().cwiseSqrt();
}

double error_of_all(const MovingPoints& moving, const MorphBasis& basis) {
  return errors_by_count(moving, basis, basis.targets.cols(), basis.targets.cols()).tail<1>()[0];
}

// How many targets leave no error beyond the tolerance, all if none do. squares: what each component has of the sum of
// all squared distances, so that the mean error that is left is known and counts that cannot do are passed over.
Index enough_targets(const MovingPoints& moving, const MorphBasis& basis, const VecX& squares, double tolerance,
                     double& error) {
  const Index all = basis.targets.cols();
  const double n = static_cast<double>(std::max<Index>(1, moving.n_points * moving.n_frames));
  const auto mean_left = [&](Index count) {
    return std::sqrt(std::max(0.0, squares.tail(squares.size() - count).sum()) / n);
  };
  Index from = 1;
  while (from < all && mean_left(from) > 2 * tolerance) ++from;
  Index to = from;
  while (to < all && mean_left(to) > 0.25 * tolerance) ++to;
  for (to = std::min(all, std::max(to, kFirstCounts));; to = std::min(2 * to, all)) {
    const VecX errors = errors_by_count(moving, basis, from, to);
    for (; from < to && errors[from - 1] > tolerance;) ++from;
    error = errors[from - 1];
    if (to == all || error <= tolerance) return from;
  }
}

MorphBasis one_per_frame(const MovingPoints& moving) {
  MorphBasis basis;
  basis.per_frame = true;
  basis.n_targets = static_cast<int>(moving.n_frames);
  basis.weights = Eigen::MatrixXf::Identity(moving.n_frames, moving.n_frames);
  basis.targets.resize(3 * moving.n_points, moving.n_frames);
  over_chunks(moving, [&](Index first, const MatX& rows) {
    basis.targets.middleRows(3 * first, rows.rows()) = rows.cast<float>();
  });
  basis.max_error = error_of_all(moving, basis);
  return basis;
}

// Every so many of the points.
MovingPoints thinned(const MovingPoints& moving) {
  return {(moving.n_points + kStride - 1) / kStride, moving.n_frames,
          [&moving](Index begin, Index end, Eigen::Ref<MatX> rows) {
            for (Index p = begin; p < end; ++p)
              moving.read(kStride * p, kStride * p + 1, rows.middleRows(3 * (p - begin), 3));
          }};
}

// Targets within what the columns of z span.
MorphBasis fit_within(const MovingPoints& moving, const MatX& z, Index limit, double tolerance) {
  const MatX shapes = times(moving, z);
  const SymmetricEigen eigen = symmetric_eigen(shapes.transpose() * shapes);

  // Ascending there, descending here.
  const VecX squares = eigen.values.reverse();
  const MatX turn = eigen.vectors.rowwise().reverse();
  Index n_kept = 1;
  while (n_kept < limit && squares[n_kept] > kNegligible * kNegligible * squares[0]) ++n_kept;
  const MatX v = z * turn.leftCols(n_kept);
  MatX turned = shapes * turn.leftCols(n_kept);
  MorphBasis basis;
  basis.weights.resize(moving.n_frames, n_kept);
  for (Index k = 0; k < n_kept; ++k) {
    // Sign and scale that do not depend on the solver: the largest weight is 1.
    Index largest = 0;
    v.col(k).cwiseAbs().maxCoeff(&largest);
    const double scale = v(largest, k);
    basis.weights.col(k) = (v.col(k) / scale).cast<float>();
    turned.col(k) *= scale;
  }
  basis.targets = turned.cast<float>();
  const Index n = enough_targets(moving, basis, squares, tolerance, basis.max_error);
  basis.n_targets = static_cast<int>(n);
  basis.targets.conservativeResize(Eigen::NoChange, n);
  basis.weights.conservativeResize(Eigen::NoChange, n);
  return basis;
}

}  // namespace

MorphBasis fit_morphs(const MovingPoints& moving, double tolerance, int max_targets) {
  const Index limit = std::min<Index>(moving.n_frames, max_targets);
  return fit_within(moving, leading_frames(moving, limit + kSpare), limit, tolerance);
}

MorphBasis fit_few_morphs(const MovingPoints& moving, double tolerance, int max_targets) {
  const Index few = std::min<Index>({moving.n_frames, max_targets, kFew});
  MorphBasis basis = fit_within(moving, leading_frames(thinned(moving), few + kSpare), few, tolerance);
  if (basis.max_error > tolerance) basis = fit_morphs(moving, tolerance, max_targets);
  return moving.n_frames <= basis.n_targets ? one_per_frame(moving) : basis;
}

void drop_last(MorphBasis& basis) {
  --basis.n_targets;
  basis.targets.conservativeResize(Eigen::NoChange, basis.n_targets);
  basis.weights.conservativeResize(Eigen::NoChange, basis.n_targets);
}

Eigen::MatrixXf fit_to_weights(const MovingPoints& moving, const MorphBasis& basis) {
  // The columns of weights are orthogonal up to rounding.
  MatX weights = basis.weights.cast<double>();
  for (Index k = 0; k < weights.cols(); ++k) weights.col(k) /= weights.col(k).squaredNorm();
  return times(moving, weights).cast<float>();
}

WeightLift::WeightLift(const Eigen::MatrixXf& weights) {
  const MatX w = weights.cast<double>();
  constexpr double kRounding = 1e-6;  // of the range: such weights go one way only
  low = w.colwise().minCoeff().transpose().cwiseMin(0);
  range = w.colwise().maxCoeff().transpose().cwiseMax(0) - low;
  for (Index k = 0; k < low.size(); ++k) {
    if (low[k] > -kRounding * range[k]) range[k] += low[k], low[k] = 0;
    if (range[k] <= 0) range[k] = 1;
  }
}

Eigen::MatrixXf WeightLift::weights(const Eigen::MatrixXf& before) const {
  Eigen::MatrixXf after(before.rows(), before.cols() + 1);
  after.col(0).setOnes();
  for (Index k = 0; k < before.cols(); ++k)
    after.col(k + 1) = ((before.col(k).cast<double>().array() - low[k]) / range[k]).max(0).cast<float>();
  return after;
}

Eigen::MatrixXf WeightLift::targets(const Eigen::MatrixXf& before) const {
  const Index n = before.cols();
  const MatX shapes = before.cast<double>();
  Eigen::MatrixXf after(before.rows(), n + 1);
  after.col(0) = (shapes * low.head(n)).cast<float>();
  after.rightCols(n) = (shapes * range.head(n).asDiagonal()).cast<float>();
  return after;
}

void lift(const MovingPoints& moving, MorphBasis& basis) {
  const WeightLift by(basis.weights);
  if (!by.needed()) return;
  basis.targets = by.targets(basis.targets);
  basis.weights = by.weights(basis.weights);
  ++basis.n_targets;
  basis.max_error = error_of_all(moving, basis);
}

VecX largest_displacements(const MovingPoints& moving) {
  VecX largest(moving.n_points);
  over_chunks(moving, [&](Index first, const MatX& rows) {
    for (Index p = 0; p < rows.rows() / 3; ++p) {
      largest[first + p] = std::sqrt(rows.middleRows(3 * p, 3).colwise().squaredNorm().maxCoeff());
    }
  });
  return largest;
}

}  // namespace supple
