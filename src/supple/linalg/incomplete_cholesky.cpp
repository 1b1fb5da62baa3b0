#include "supple/linalg/incomplete_cholesky.h"

#include <algorithm>
#include <cmath>

namespace supple {

namespace {

using Block = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
using BlockRef = Eigen::Map<Block>;
using ConstBlock = Eigen::Map<const Block>;

// The inverse of the Cholesky factor of S (its lower triangle is read); false when S is not positive definite.
bool inverse_factor(const Block& S, BlockRef inverse) {
  const double a = S(0, 0);
  if (!(a > 0)) return false;
  const double l00 = std::sqrt(a), l10 = S(1, 0) / l00, l20 = S(2, 0) / l00;
  const double b = S(1, 1) - l10 * l10;
  if (!(b > 0)) return false;
  const double l11 = std::sqrt(b), l21 = (S(2, 1) - l20 * l10) / l11;
  const double c = S(2, 2) - l20 * l20 - l21 * l21;
  if (!(c > 0)) return false;
  const double l22 = std::sqrt(c);
  inverse.setZero();
  inverse(0, 0) = 1 / l00;
  inverse(1, 1) = 1 / l11;
  inverse(2, 2) = 1 / l22;
  inverse(1, 0) = -l10 * inverse(0, 0) / l11;
  inverse(2, 1) = -l21 * inverse(1, 1) / l22;
  inverse(2, 0) = -(l20 * inverse(0, 0) + l21 * inverse(1, 0)) / l22;
  return true;
}

}  // namespace

void IncompleteCholesky::analyse(const BlockPattern& pattern) {
  pattern_ = pattern;
  lower_.assign(9 * pattern.col.size(), 0.0);
  inverse_.assign(9 * static_cast<size_t>(pattern.n), 0.0);
}

bool IncompleteCholesky::factorize(const BlockMatrix& matrix) {
  for (int i = 0; i < pattern_.n; ++i) {
    const Block d = ConstBlock(matrix.block(pattern_.row_start[static_cast<size_t>(i) + 1] - 1));
    if (!inverse_factor(d, BlockRef(inverse_.data() + 9 * static_cast<size_t>(i)))) return false;
  }
  for (double shift : {0.0, 1e-3, 1e-2, 1e-1, 1.0})
    if (attempt(matrix, shift)) return true;
  std::fill(lower_.begin(), lower_.end(), 0.0);
  for (int i = 0; i < pattern_.n; ++i) {
    const Block d = ConstBlock(matrix.block(pattern_.row_start[static_cast<size_t>(i) + 1] - 1));
    inverse_factor(d, BlockRef(inverse_.data() + 9 * static_cast<size_t>(i)));
  }
  shift_ = -1;
  return true;
}

bool IncompleteCholesky::attempt(const BlockMatrix& matrix, double shift) {
  shift_ = shift;
  const auto& start = pattern_.row_start;
  const auto& col = pattern_.col;
  for (int i = 0; i < pattern_.n; ++i) {
    const int begin = start[static_cast<size_t>(i)], diagonal = start[static_cast<size_t>(i) + 1] - 1;
    Block d = (1 + shift) * ConstBlock(matrix.block(diagonal));
    for (int k = begin; k < diagonal; ++k) {
      const int j = col[static_cast<size_t>(k)];
      Block l = ConstBlock(matrix.block(k));
      // Columns left of j that rows i and j share.
      int p = begin, q = start[static_cast<size_t>(j)];
      const int q_end = start[static_cast<size_t>(j) + 1] - 1;
      while (p < k && q < q_end) {
        const int cp = col[static_cast<size_t>(p)], cq = col[static_cast<size_t>(q)];
        if (cp == cq)
          l.noalias() -= BlockRef(lower_.data() + 9 * static_cast<size_t>(p)) *
                         BlockRef(lower_.data() + 9 * static_cast<size_t>(q)).transpose();
        p += cp <= cq;
        q += cq <= cp;
      }
      BlockRef out(lower_.data() + 9 * static_cast<size_t>(k));
      out.noalias() = l * BlockRef(inverse_.data() + 9 * static_cast<size_t>(j)).transpose();
      d.noalias() -= out * out.transpose();
    }
    if (!inverse_factor(d, BlockRef(inverse_.data() + 9 * static_cast<size_t>(i)))) return false;
  }
  return true;
}

void IncompleteCholesky::apply(const VecX& r, VecX& z) const {
  z = r;
  for (int i = 0; i < pattern_.n; ++i) {
    const auto row = static_cast<size_t>(i);
    double* zi = z.data() + 3 * row;
    double s0 = zi[0], s1 = zi[1], s2 = zi[2];
    for (int k = pattern_.row_start[row]; k + 1 < pattern_.row_start[row + 1]; ++k) {
      const double* a = lower_.data() + 9 * static_cast<size_t>(k);
      const double* x = z.data() + 3 * static_cast<size_t>(pattern_.col[static_cast<size_t>(k)]);
      s0 -= a[0] * x[0] + a[1] * x[1] + a[2] * x[2];
      s1 -= a[3] * x[0] + a[4] * x[1] + a[5] * x[2];
      s2 -= a[6] * x[0] + a[7] * x[1] + a[8] * x[2];
    }
    const double* d = inverse_.data() + 9 * row;
    zi[0] = d[0] * s0;
    zi[1] = d[3] * s0 + d[4] * s1;
    zi[2] = d[6] * s0 + d[7] * s1 + d[8] * s2;
  }
  for (int i = pattern_.n - 1; i >= 0; --i) {
    const auto row = static_cast<size_t>(i);
    double* zi = z.data() + 3 * row;
    const double* d = inverse_.data() + 9 * row;
    zi[0] = d[0] * zi[0] + d[3] * zi[1] + d[6] * zi[2];
    zi[1] = d[4] * zi[1] + d[7] * zi[2];
    zi[2] = d[8] * zi[2];
    for (int k = pattern_.row_start[row]; k + 1 < pattern_.row_start[row + 1]; ++k) {
      const double* a = lower_.data() + 9 * static_cast<size_t>(k);
      double* x = z.data() + 3 * static_cast<size_t>(pattern_.col[static_cast<size_t>(k)]);
      x[0] -= a[0] * zi[0] + a[3] * zi[1] + a[6] * zi[2];
      x[1] -= a[1] * zi[0] + a[4] * zi[1] + a[7] * zi[2];
      x[2] -= a[2] * zi[0] + a[5] * zi[1] + a[8] * zi[2];
    }
  }
}

}  // namespace supple
