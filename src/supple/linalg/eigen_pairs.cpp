// Block Lanczos with full orthogonalisation and thick restarts on the operator (K - shift M)^-1 M, which is
// self-adjoint in the inner product of M. A block sees repeated eigenvalues that a single vector would find by
// rounding only; a last pass from fresh vectors looks for copies that even the block has missed.
#include "supple/linalg/eigen_pairs.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "supple/base/parallel.h"
#include "supple/linalg/dense.h"

namespace supple {

namespace {

using Eigen::Index;

constexpr Index kBlockRows = 1024;  // of a chunk

MatX multiply(const BlockMatrix& a, const MatX& x) {
  MatX y(x.rows(), x.cols());
  parallel_for(static_cast<size_t>(x.cols()), 1, [&](size_t begin, size_t end) {
    for (auto c = static_cast<Index>(begin); c < static_cast<Index>(end); ++c) y.col(c) = a.multiply(x.col(c));
  });
  return y;
}

using Columns = Eigen::Ref<const MatX, 0, Eigen::OuterStride<>>;

// a^T b of tall matrices.
MatX inner(const Columns& a, const Columns& b) {
  const auto rows = static_cast<size_t>(a.rows());
  std::vector<MatX> part((rows + kBlockRows - 1) / kBlockRows);
  parallel_for(rows, kBlockRows, [&](size_t begin, size_t end) {
    const auto at = static_cast<Index>(begin), n = static_cast<Index>(end - begin);
    part[begin / kBlockRows] = a.middleRows(at, n).transpose() * b.middleRows(at, n);
  });
  MatX sum = MatX::Zero(a.cols(), b.cols());
  for (const MatX& p : part) sum += p;
  return sum;
}

// w -= a c
void subtract(const Columns& a, const MatX& c, MatX& w) {
  parallel_for(static_cast<size_t>(a.rows()), kBlockRows, [&](size_t begin, size_t end) {
    const auto at = static_cast<Index>(begin), n = static_cast<Index>(end - begin);
    w.middleRows(at, n).noalias() -= a.middleRows(at, n) * c;
  });
}

// The same matrix without blocks of zeros: a lumped mass is given on the pattern of the stiffness.
BlockMatrix without_zeros(const BlockMatrix& a) {
  auto pattern = std::make_shared<BlockPattern>();
  pattern->n = a.n();
  pattern->row_start.push_back(0);
  std::vector<double> values;
  for (int i = 0; i < a.n(); ++i) {
    for (int k = a.pattern->row_start[i]; k < a.pattern->row_start[i + 1]; ++k) {
      const double* b = a.block(k);
      if (a.pattern->col[k] != i && std::all_of(b, b + 9, [](double v) { return v == 0; })) continue;
      pattern->col.push_back(a.pattern->col[k]);
      values.insert(values.end(), b, b + 9);
    }
    pattern->row_start.push_back(static_cast<int>(pattern->col.size()));
  }
  BlockMatrix small(pattern);
  small.values = std::move(values);
  return small;
}

// A fixed sequence in [-1, 1] (xorshift): the same start on every machine.
class Sequence {
 public:
  double next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<double>(state_ >> 11) * 0x1p-52 - 1.0;
  }
  MatX block(Index rows, Index cols) {
    MatX m(rows, cols);
    for (Index i = 0; i < m.size(); ++i) m.data()[i] = next();
    return m;
  }

 private:
  uint64_t state_ = 0x9e3779b97f4a7c15ull;
};

// Largest component positive, so that a mode has one sign everywhere.
void settle_signs(MatX& vectors) {
  for (Index c = 0; c < vectors.cols(); ++c) {
    Index at = 0;
    vectors.col(c).cwiseAbs().maxCoeff(&at);
    if (vectors(at, c) < 0) vectors.col(c) *= -1;
  }
}

EigenPairs dense_eigenpairs(const BlockMatrix& stiffness, const BlockMatrix& mass, int k) {
  EigenPairs pairs;
  const SymmetricEigen dense = symmetric_eigen(stiffness.dense(), mass.dense());
  if (dense.values.size() == 0) {
    pairs.message = "the dense eigen-solve failed: the mass matrix must be positive definite";
    return pairs;
  }
  const Index found = std::min<Index>(k, dense.values.size());
  pairs.values = dense.values.head(found);
  pairs.vectors = dense.vectors.leftCols(found);
  settle_signs(pairs.vectors);
  pairs.ok = pairs.values.allFinite() && pairs.vectors.allFinite();
  return pairs;
}

class Lanczos {
 public:
  Lanczos(const BlockMatrix& mass, LinearSolver& solver, Index k, Index block, Index capacity)
      : mass_(mass), solver_(solver), k_(k), block_(block), capacity_(capacity) {
    const Index rows = 3 * mass.n();
    basis_.resize(rows, capacity_);
    mass_basis_.resize(rows, capacity_);
    projected_ = MatX::Zero(capacity_, capacity_);
  }

  // False when the solver failed.
  bool run(double tolerance, int max_steps, int& iterations);
  // The k largest Ritz values of the operator, descending, and their vectors.
  const VecX& ritz_values() const { return theta_; }
  MatX ritz_vectors() const { return basis_.leftCols(used_) * ritz_.leftCols(k_); }

 private:
  void fresh_block();
  void orthonormalise(MatX& w, MatX& coefficients);
  void orthonormalise_among(MatX& w, MatX& coefficients);
  void restart();

  const BlockMatrix& mass_;
  LinearSolver& solver_;
  const Index k_, block_, capacity_;
  Index used_ = 0;
  MatX basis_, mass_basis_;  // Q with Q^T M Q = I, and M Q
  MatX projected_;           // Q^T M (operator Q)
  MatX next_;                // the block to be added
  MatX coupling_;            // operator (last block) = ... + next_ coupling_
  VecX theta_, residual_;
  MatX ritz_;
  Sequence sequence_;
};

// M-orthonormal columns of w, which is orthogonal to the basis but for rounding, against the basis and each other;
// w = basis (...) + (new w) coefficients. Columns that vanish are replaced by fresh ones, which coefficients leave out.
// What is left of the basis is taken out after the columns have been told apart, because that enlarges it; of all
// columns at once, because it is most of the work.
void Lanczos::orthonormalise(MatX& w, MatX& coefficients) {
  MatX second;
  orthonormalise_among(w, coefficients);
  if (used_ > 0) subtract(basis_.leftCols(used_), inner(mass_basis_.leftCols(used_), w), w);
  orthonormalise_among(w, second);
  coefficients = (second * coefficients).eval();
}

void Lanczos::orthonormalise_among(MatX& w, MatX& coefficients) {
  coefficients = MatX::Zero(w.cols(), w.cols());
  MatX mass_w(w.rows(), w.cols());
  for (Index c = 0; c < w.cols(); ++c) {
    double given = std::sqrt(std::max(0.0, w.col(c).dot(mass_.multiply(w.col(c)))));
    bool replaced = false;
    for (int attempt = 0; attempt < 5; ++attempt) {
      // Twice is enough for orthogonality to rounding.
      for (int pass = 0; pass < 2; ++pass) {
        if (used_ > 0 && replaced)
          w.col(c) -= basis_.leftCols(used_) * (mass_basis_.leftCols(used_).transpose() * w.col(c)).eval();
        if (c > 0) {
          const VecX overlap = mass_w.leftCols(c).transpose() * w.col(c);
          w.col(c) -= w.leftCols(c) * overlap;
          if (!replaced) coefficients.col(c).head(c) += overlap;
        }
      }
      const VecX mass_column = mass_.multiply(w.col(c));
      const double norm = std::sqrt(std::max(0.0, w.col(c).dot(mass_column)));
      if (norm > 1e-13 * given && norm > 0) {
        if (!replaced) coefficients(c, c) = norm;
        w.col(c) /= norm;
        mass_w.col(c) = mass_column / norm;
        break;
      }
      replaced = true;
      w.col(c) = sequence_.block(w.rows(), 1);
      given = std::sqrt(w.col(c).dot(mass_.multiply(w.col(c))));
    }
  }
}

void Lanczos::fresh_block() {
  next_ = sequence_.block(basis_.rows(), block_);
  MatX unused;
  if (used_ > 0) subtract(basis_.leftCols(used_), inner(mass_basis_.leftCols(used_), next_), next_);
  orthonormalise(next_, unused);
  coupling_ = MatX::Zero(block_, block_);
}

// Keeps the best Ritz vectors and goes on with the residual block, which couples to all of them.
void Lanczos::restart() {
  const Index kept = std::min(used_, k_ + block_);
  basis_.leftCols(kept) = (basis_.leftCols(used_) * ritz_.leftCols(kept)).eval();
  mass_basis_.leftCols(kept) = (mass_basis_.leftCols(used_) * ritz_.leftCols(kept)).eval();
  projected_.topLeftCorner(kept, kept) = theta_.head(kept).asDiagonal();
  used_ = kept;
}

bool Lanczos::run(double tolerance, int max_steps, int& iterations) {
  fresh_block();
  bool second_look = false;
  VecX first_values;
  int steps_since_fresh = 0;
  for (int step = 0; step < max_steps; ++step) {
    if (used_ + block_ > capacity_) restart();
    basis_.middleCols(used_, block_) = next_;
    mass_basis_.middleCols(used_, block_) = multiply(mass_, next_);
    used_ += block_;
    MatX w;
    if (!solver_.solve(mass_basis_.middleCols(used_ - block_, block_), w).ok || !w.allFinite()) return false;
    ++iterations;
    ++steps_since_fresh;
    const MatX h = inner(mass_basis_.leftCols(used_), w);
    subtract(basis_.leftCols(used_), h, w);
    projected_.block(0, used_ - block_, used_, block_) = h;
    projected_.block(used_ - block_, 0, block_, used_) = h.transpose();
    orthonormalise(w, coupling_);
    next_ = std::move(w);

    const SymmetricEigen small = symmetric_eigen(projected_.topLeftCorner(used_, used_));
    theta_ = small.values.reverse();
    ritz_ = small.vectors.rowwise().reverse();
    if (used_ <= k_) continue;
    residual_ = (coupling_ * ritz_.bottomRows(block_)).colwise().norm().transpose();
    bool converged = true;
    for (Index i = 0; i < k_; ++i) converged = converged && residual_[i] <= tolerance * std::abs(theta_[i]);
    if (!converged) continue;
    if (second_look) {
      // The best vector outside the first k must be known well enough to say that it does not belong inside.
      const bool settled = steps_since_fresh > 2 && residual_[k_] <= 1e-2 * std::abs(theta_[k_]);
      if (!settled) continue;
      if ((theta_.head(k_) - first_values).cwiseAbs().maxCoeff() <= 1e-9 * std::abs(theta_[0])) return true;
    }
    // Start again from vectors orthogonal to what was found.
    first_values = theta_.head(k_);
    second_look = true;
    restart();
    used_ = k_;
    theta_.conservativeResize(k_);
    steps_since_fresh = 0;
    fresh_block();
  }
  return true;
}

}  // namespace

EigenPairs lowest_eigenpairs(const BlockMatrix& stiffness, const BlockMatrix& given_mass, int k, LinearSolver& solver,
                             double shift, double tolerance) {
  EigenPairs pairs;
  const Index rows = 3 * given_mass.n();
  if (k <= 0 || rows == 0) {
    pairs.ok = true;
    pairs.vectors.resize(rows, 0);
    return pairs;
  }
  const Index block = std::clamp<Index>(k, 3, 6);
  const Index capacity = 2 * k + 6 * block;
  if (rows <= std::max<Index>(60, 2 * capacity)) return dense_eigenpairs(stiffness, given_mass, k);

  BlockMatrix shifted = stiffness;
  if (shift != 0) shifted.add(-shift, given_mass);
  const BlockMatrix mass = without_zeros(given_mass);
  solver.analyse(shifted.pattern);
  solver.set_tolerance(1e-2 * tolerance);
  const FactorStatus status = solver.factorize(shifted);
  if (status != FactorStatus::ok) {
    pairs.message = status == FactorStatus::not_positive_definite
                        ? "stiffness - shift * mass is not positive definite; a free body needs a negative shift"
                        : solver.message();
    return pairs;
  }
  Lanczos lanczos(mass, solver, k, block, capacity);
  if (!lanczos.run(tolerance, 1000, pairs.iterations)) {
    pairs.message = "the linear solver failed: " + solver.message();
    return pairs;
  }
  const VecX theta = lanczos.ritz_values().head(k);
  pairs.vectors = lanczos.ritz_vectors();
  // The residual of the operator, computed afresh.
  MatX image;
  const MatX mass_vectors = multiply(mass, pairs.vectors);
  solver.solve(mass_vectors, image);
  image -= pairs.vectors * theta.asDiagonal();
  for (Index i = 0; i < k; ++i) {
    const double error = std::sqrt(std::max(0.0, image.col(i).dot(mass.multiply(image.col(i)))));
    if (!(theta[i] > 0) || !(error <= 100 * tolerance * theta[i])) {
      pairs.message = "eigenpair " + std::to_string(i + 1) + " did not converge";
      return pairs;
    }
  }
  pairs.values = (shift + theta.array().inverse()).matrix();
  settle_signs(pairs.vectors);
  pairs.ok = true;
  return pairs;
}

}  // namespace supple
