#include "supple/linalg/block_matrix.h"

#include <algorithm>
#include <cmath>

#include "supple/base/expect.h"
#include "supple/base/parallel.h"

namespace supple {

int BlockPattern::find(int i, int j) const {
  const auto begin = col.begin() + row_start[static_cast<size_t>(i)];
  const auto end = col.begin() + row_start[static_cast<size_t>(i) + 1];
  const auto at = std::lower_bound(begin, end, j);
  return at != end && *at == j ? static_cast<int>(at - col.begin()) : -1;
}

PatternBuilder::PatternBuilder(int n) : n_(n) { expect(n >= 0, "a size that is not negative"); }

void PatternBuilder::couple(std::span<const int> vertices) {
  for (size_t a = 0; a < vertices.size(); ++a)
    for (size_t b = 0; b < a; ++b) couple(vertices[a], vertices[b]);
}

void PatternBuilder::couple(int i, int j) {
  expect(i >= 0 && j >= 0 && i < n_ && j < n_, "a row and a column of the matrix");
  if (i == j) return;
  if (i < j) std::swap(i, j);
  pairs_.push_back(static_cast<uint64_t>(i) << 32 | static_cast<uint64_t>(j));
  // Most pairs repeat (an edge lies in about five tets): squeeze them out each time the list has grown well beyond
  // what was left of it the last time.
  constexpr size_t kSmallest = size_t{1} << 22;
  if (pairs_.size() > std::max(kSmallest, 3 * compacted_)) compact();
}

void PatternBuilder::compact() {
  // A counting sort by row; what repeats in a row is left out, and what is left is sorted.
  std::vector<size_t> start(static_cast<size_t>(n_) + 1, 0);
  for (uint64_t p : pairs_) ++start[(p >> 32) + 1];
  for (size_t i = 1; i < start.size(); ++i) start[i] += start[i - 1];
  std::vector<int> col(pairs_.size());
  std::vector<size_t> next(start.begin(), start.end() - 1);
  for (uint64_t p : pairs_) col[next[p >> 32]++] = static_cast<int>(p & 0xffffffffu);
  pairs_.clear();
  std::vector<int> seen_in(static_cast<size_t>(n_), -1);  // the last row that has this column
  for (size_t i = 0; i + 1 < start.size(); ++i) {
    const auto begin = col.begin() + static_cast<std::ptrdiff_t>(start[i]);
    const auto end = col.begin() + static_cast<std::ptrdiff_t>(start[i + 1]);
    auto last = begin;
    for (auto c = begin; c != end; ++c) {
      int& row = seen_in[static_cast<size_t>(*c)];
      if (row == static_cast<int>(i)) continue;
      row = static_cast<int>(i);
      *last++ = *c;
    }
    std::sort(begin, last);
    for (auto c = begin; c != last; ++c) pairs_.push_back(static_cast<uint64_t>(i) << 32 | static_cast<uint64_t>(*c));
  }
  compacted_ = pairs_.size();
}

std::shared_ptr<const BlockPattern> PatternBuilder::build() {
  compact();
  auto pattern = std::make_shared<BlockPattern>();
  pattern->n = n_;
  pattern->row_start.reserve(static_cast<size_t>(n_) + 1);
  pattern->col.reserve(pairs_.size() + static_cast<size_t>(n_));
  pattern->row_start.push_back(0);
  size_t p = 0;
  for (int i = 0; i < n_; ++i) {
    for (; p < pairs_.size() && static_cast<int>(pairs_[p] >> 32) == i; ++p)
      pattern->col.push_back(static_cast<int>(pairs_[p] & 0xffffffffu));
    pattern->col.push_back(i);
    pattern->row_start.push_back(pattern->size());
  }
  return pattern;
}

BlockMatrix::BlockMatrix(std::shared_ptr<const BlockPattern> p)
    : pattern(std::move(p)), values(9 * pattern->col.size(), 0.0) {}

void BlockMatrix::set_zero() { std::fill(values.begin(), values.end(), 0.0); }

void BlockMatrix::add(double s, const BlockMatrix& other) {
  expect(pattern == other.pattern, "matrices of one pattern");
  parallel_for(values.size(), 1 << 15, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) values[i] += s * other.values[i];
  });
}

VecX BlockMatrix::multiply(const VecX& x) const {
  expect(x.size() == 3 * pattern->n, "a vector of the size of the matrix");
  VecX y = VecX::Zero(x.size());
  for (int i = 0; i < pattern->n; ++i) {
    const double* xi = x.data() + 3 * static_cast<size_t>(i);
    double* yi = y.data() + 3 * static_cast<size_t>(i);
    double s0 = 0, s1 = 0, s2 = 0;
    for (int k = pattern->row_start[static_cast<size_t>(i)]; k < pattern->row_start[static_cast<size_t>(i) + 1]; ++k) {
      const int j = pattern->col[static_cast<size_t>(k)];
      const double* a = block(k);
      const double* xj = x.data() + 3 * static_cast<size_t>(j);
      s0 += a[0] * xj[0] + a[1] * xj[1] + a[2] * xj[2];
      s1 += a[3] * xj[0] + a[4] * xj[1] + a[5] * xj[2];
      s2 += a[6] * xj[0] + a[7] * xj[1] + a[8] * xj[2];
      if (j == i) continue;
      double* yj = y.data() + 3 * static_cast<size_t>(j);
      yj[0] += a[0] * xi[0] + a[3] * xi[1] + a[6] * xi[2];
      yj[1] += a[1] * xi[0] + a[4] * xi[1] + a[7] * xi[2];
      yj[2] += a[2] * xi[0] + a[5] * xi[1] + a[8] * xi[2];
    }
    yi[0] += s0;
    yi[1] += s1;
    yi[2] += s2;
  }
  return y;
}

double BlockMatrix::max_abs_diagonal() const {
  double largest = 0;
  for (int i = 0; i < pattern->n; ++i) {
    // The diagonal block is the last of its row.
    const double* a = block(pattern->row_start[static_cast<size_t>(i) + 1] - 1);
    for (int c = 0; c < 3; ++c) {
      const double d = std::abs(a[4 * c]);
      if (!(d <= largest)) largest = d;
    }
  }
  return largest;
}

MatX BlockMatrix::dense() const {
  MatX full = MatX::Zero(3 * pattern->n, 3 * pattern->n);
  for (int i = 0; i < pattern->n; ++i)
    for (int k = pattern->row_start[static_cast<size_t>(i)]; k < pattern->row_start[static_cast<size_t>(i) + 1]; ++k) {
      const int j = pattern->col[static_cast<size_t>(k)];
      const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> a(block(k));
      full.block<3, 3>(3 * i, 3 * j) = a;
      if (i != j) full.block<3, 3>(3 * j, 3 * i) = a.transpose();
    }
  return full;
}

}  // namespace supple
