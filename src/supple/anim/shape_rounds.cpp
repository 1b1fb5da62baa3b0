#include "supple/anim/shape_rounds.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "supple/base/index.h"
#include "supple/base/parallel.h"
#include "supple/linalg/dense.h"

namespace supple {

namespace {

using Eigen::Index;
using Eigen::MatrixXf;

constexpr Index kPointsAtOnce = 128;
constexpr Index kSpareDirections = 8;    // directions followed beyond those that a round takes: the next one's start
constexpr Index kLargeMotion = 1 << 21;  // numbers from which on rounds are larger, as they cost more than they save
constexpr double kFaint = 0.01;  // squares of a direction altogether: it brings no point nearer by more than 0.1
constexpr int kFirstSweeps = 3;  // of subspace iteration; later rounds start where the one before left off

// The rows of the points that have a part, adjacent, and where they stand in the whole.
class Remaining {
 public:
  explicit Remaining(MotionRows motion) : rows_(std::move(motion)), farthest_(static_cast<size_t>(rows_.rows() / 3)) {
    measure();
    for (size_t p = 0; p < farthest_.size(); ++p) points_.push_back(static_cast<int>(p));
  }

  const std::vector<int>& points() const { return points_; }
  const std::vector<float>& farthest() const { return farthest_; }
  Index n_frames() const { return rows_.cols(); }

  // Leaves out what is near enough.
  void keep_those_off() {
    size_t kept = 0;
    for (size_t p = 0; p < points_.size(); ++p) {
      if (!(farthest_[p] > 1)) continue;
      if (kept != p) {
        rows_.middleRows(3 * static_cast<Index>(kept), 3) = rows_.middleRows(3 * static_cast<Index>(p), 3);
        points_[kept] = points_[p], farthest_[kept] = farthest_[p];
      }
      ++kept;
    }
    points_.resize(kept), farthest_.resize(kept);
  }

  // M^T (M z), sums of chunks added in their order.
  MatX gram_times(const MatX& z) const {
    const MatrixXf narrow = z.cast<float>();
    return sum_over_chunks(z.rows(), z.cols(),
                           [&](const auto& rows) -> MatrixXf { return rows.transpose() * (rows * narrow); });
  }
  // (M z)^T (M z).
  MatX squares(const MatX& z) const {
    const MatrixXf narrow = z.cast<float>();
    return sum_over_chunks(z.cols(), z.cols(), [&](const auto& rows) -> MatrixXf {
      const MatrixXf shapes = rows * narrow;
      return shapes.transpose() * shapes;
    });
  }
  // Takes the shapes M v out of M and returns them; v: orthonormal.
  MatrixXf take_out(const MatX& v) {
    const MatrixXf narrow = v.cast<float>();
    MatrixXf shapes(3 * n_points(), v.cols());
    over_chunks([&](Index first, Index count, size_t) {
      auto rows = rows_.middleRows(first, count);
      auto own = shapes.middleRows(first, count);
      own.noalias() = rows * narrow;
      rows.noalias() -= own * narrow.transpose();
    });
    measure();
    return shapes;
  }

 private:
  Index n_points() const { return static_cast<Index>(farthest_.size()); }

  // body(first row, rows, chunk).
  void over_chunks(const std::function<void(Index, Index, size_t)>& body) const {
    const Index n_chunks = (n_points() + kPointsAtOnce - 1) / kPointsAtOnce;
    parallel_for(static_cast<size_t>(n_chunks), 1, [&](size_t begin, size_t end) {
      for (size_t c = begin; c < end; ++c) {
        const Index first = static_cast<Index>(c) * kPointsAtOnce;
        body(3 * first, 3 * std::min(kPointsAtOnce, n_points() - first), c);
      }
    });
  }

  template <class Part>
  MatX sum_over_chunks(Index height, Index width, const Part& part) const {
    std::vector<MatrixXf> parts(static_cast<size_t>((n_points() + kPointsAtOnce - 1) / kPointsAtOnce));
    over_chunks([&](Index first, Index count, size_t chunk) { parts[chunk] = part(rows_.middleRows(first, count)); });
    MatX sum = MatX::Zero(height, width);
    for (const MatrixXf& p : parts) sum += p.cast<double>();
    return sum;
  }

  void measure() {
    over_chunks([&](Index first, Index count, size_t) {
      for (Index r = first; r < first + count; r += 3) {
        const auto square = rows_.row(r).cwiseAbs2() + rows_.row(r + 1).cwiseAbs2() + rows_.row(r + 2).cwiseAbs2();
        farthest_[static_cast<size_t>(r / 3)] = std::sqrt(square.maxCoeff());
      }
    });
  }

  MotionRows rows_;
  std::vector<int> points_;
  std::vector<float> farthest_;
};

// Directions in the space of frames that what remains has in common, the strongest first.
class Directions {
 public:
  explicit Directions(Index n_frames) : n_frames_(n_frames), z_(n_frames, 0) {}

  // found: orthonormal; the result is orthonormal to it. At least one, and no faint ones beside it.
  MatX next(const Remaining& from, const MatX& found, Index wanted) {
    const Index width = std::min(wanted + kSpareDirections, n_frames_ - found.cols());
    const Index known = std::min(z_.cols(), width);
    MatX z(n_frames_, width);
    z.leftCols(known) = z_.leftCols(known);
    for (Index c = known; c < width; ++c)
      for (Index f = 0; f < n_frames_; ++f) z(f, c) = static_cast<double>(random_()) / 4294967296.0 - 0.5;
    for (int sweep = z_.cols() == 0 ? kFirstSweeps : 1; sweep > 0; --sweep) z = apart(from.gram_times(z), found);
    const SymmetricEigen eigen = symmetric_eigen(from.squares(z));
    // Ascending there, descending here.
    z = (z * eigen.vectors.rowwise().reverse()).eval();
    Index taken = std::min(wanted, width);
    while (taken > 1 && eigen.values[width - taken] < kFaint) --taken;
    z_ = z.rightCols(width - taken);
    return apart(z.leftCols(taken), found);
  }

 private:
  // What of z is not in `found`, orthonormal. Again and again: columns that depend on others come out as rounding has
  // it, which knows nothing of `found`.
  static MatX apart(const MatX& z, const MatX& found) {
    MatX out = z;
    for (int pass = 0; pass < 3; ++pass) {
      out -= found * (found.transpose() * out);
      out = orthonormal(out);
    }
    return out;
  }

  Index n_frames_;
  MatX z_;
  std::mt19937 random_{20180521};
};

}  // namespace

ShapeRounds fit_in_rounds(MotionRows motion, int max_shapes) {
  const Index n_points = motion.rows() / 3, n_frames = motion.cols(), most = std::min<Index>(n_frames, max_shapes);
  const Index wanted = motion.size() < kLargeMotion ? 2 : 4;
  ShapeRounds out;
  Remaining remaining(std::move(motion));
  RoundedShapes& all = out.points;
  all.left = Eigen::Map<const Eigen::VectorXf>(remaining.farthest().data(), n_points);
  all.shapes.resize(3 * n_points, 0);
  out.weights.resize(n_frames, 0);
  Directions directions(n_frames);
  for (remaining.keep_those_off(); !remaining.points().empty() && out.weights.cols() < most;) {
    const Index k = out.weights.cols(), r = all.left.cols();
    MatX v = directions.next(remaining, out.weights, std::min(wanted, most - k));
    // The way that it mostly goes is up.
    for (Index c = 0; c < v.cols(); ++c)
      if (v.col(c).sum() < 0) v.col(c) *= -1;
    const Index taken = v.cols();
    const MatrixXf shapes = remaining.take_out(v);
    out.weights.conservativeResize(Eigen::NoChange, k + taken);
    out.weights.rightCols(taken) = v;
    all.shapes.conservativeResize(Eigen::NoChange, k + taken);
    all.shapes.rightCols(taken).setZero();
    all.left.conservativeResize(Eigen::NoChange, r + 1);
    all.left.col(r) = all.left.col(r - 1).eval();
    for (size_t p = 0; p < remaining.points().size(); ++p) {
      const Index to = remaining.points()[p];
      all.shapes.block(3 * to, k, 3, taken) = shapes.middleRows(3 * static_cast<Index>(p), 3);
      all.left(to, r) = remaining.farthest()[p];
    }
    out.first.push_back(static_cast<int>(k + taken));
    remaining.keep_those_off();
  }
  return out;
}

RoundedShapes follow_rounds(const MotionRows& motion, const ShapeRounds& rounds, const VecX& unit) {
  const Index n_points = motion.rows() / 3;
  RoundedShapes out;
  out.shapes.resize(motion.rows(), rounds.weights.cols());
  out.left.resize(n_points, rounds.n_rounds() + 1);
  const MatrixXf weights = rounds.weights.cast<float>();
  const Eigen::RowVectorXf measured = unit.cast<float>().transpose();
  parallel_for(static_cast<size_t>(n_points), 64, [&](size_t begin, size_t end) {
    MotionRows rest;
    for (Index p = static_cast<Index>(begin); p < static_cast<Index>(end); ++p) {
      rest = motion.middleRows(3 * p, 3);
      const auto farthest = [&] {
        return std::sqrt((rest.colwise().squaredNorm().array() * measured.array().square()).maxCoeff());
      };
      out.left(p, 0) = farthest();
      for (int r = 0; r < rounds.n_rounds(); ++r) {
        const Index first = rounds.first[at(r)], n = rounds.first[at(r + 1)] - first;
        const auto directions = weights.middleCols(first, n);
        const MatrixXf own = rest * directions;
        out.shapes.block(3 * p, first, 3, n) = own;
        rest.noalias() -= own * directions.transpose();
        out.left(p, r + 1) = farthest();
      }
    }
  });
  return out;
}

}  // namespace supple
