#include "supple/io/morph_basis.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "supple/base/parallel.h"

namespace supple {

namespace {

double largest_point(const MatX& residual, size_t begin, size_t end) {
  double largest2 = 0;
  for (size_t f = begin; f < end; ++f) {
    for (Eigen::Index p = 0; p + 2 < residual.rows(); p += 3) {
      largest2 = std::max(largest2, residual.col(static_cast<Eigen::Index>(f)).segment<3>(p).squaredNorm());
    }
  }
  return std::sqrt(largest2);
}

MorphBasis one_per_frame(const MatX& displacement) {
  MorphBasis basis;
  basis.per_frame = true;
  basis.n_targets = static_cast<int>(displacement.cols());
  basis.targets = displacement.cast<float>();
  basis.weights = Eigen::MatrixXf::Identity(displacement.cols(), displacement.cols());
  const MatX residual = displacement - basis.targets.cast<double>();
  basis.max_error = largest_point(residual, 0, static_cast<size_t>(residual.cols()));
  return basis;
}

}  // namespace

MorphBasis fit_morphs(const MatX& displacement, double tolerance, int max_targets) {
  const Eigen::Index n_frames = displacement.cols();
  const int limit = static_cast<int>(std::min<Eigen::Index>(n_frames, max_targets));
  MatX gram = MatX::Zero(n_frames, n_frames);
  gram.selfadjointView<Eigen::Lower>().rankUpdate(displacement.transpose());
  const Eigen::SelfAdjointEigenSolver<MatX> eigen(gram);

  MorphBasis basis;
  basis.targets.resize(displacement.rows(), limit);
  basis.weights.resize(n_frames, limit);
  MatX residual = displacement;
  for (int k = 0; k < limit; ++k) {
    VecX v = eigen.eigenvectors().col(n_frames - 1 - k);
    // Sign and scale that do not depend on the solver: the largest weight is 1.
    Eigen::Index largest = 0;
    v.cwiseAbs().maxCoeff(&largest);
    const double scale = v[largest];
    basis.targets.col(k) = (displacement * (v * scale)).cast<float>();
    basis.weights.col(k) = (v / scale).cast<float>();
    // What is left after the numbers as they are stored, so that the error includes their rounding.
    const VecX target = basis.targets.col(k).cast<double>();
    basis.n_targets = k + 1;
    basis.max_error = parallel_max(static_cast<size_t>(n_frames), 8, [&](size_t begin, size_t end) {
      for (size_t f = begin; f < end; ++f) {
        const auto column = static_cast<Eigen::Index>(f);
        residual.col(column) -= static_cast<double>(basis.weights(column, k)) * target;
      }
      return largest_point(residual, begin, end);
    });
    if (basis.max_error <= tolerance) break;
  }
  if (n_frames <= basis.n_targets) return one_per_frame(displacement);
  basis.targets.conservativeResize(Eigen::NoChange, basis.n_targets);
  basis.weights.conservativeResize(Eigen::NoChange, basis.n_targets);
  return basis;
}

}  // namespace supple
