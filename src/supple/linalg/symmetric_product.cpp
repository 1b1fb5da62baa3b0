#include "supple/linalg/symmetric_product.h"

#include "supple/base/parallel.h"

namespace supple {

namespace {
constexpr size_t kProductRows = 512, kEntries = 8192;  // of a chunk
}

SymmetricProduct::SymmetricProduct(const BlockPattern& pattern) : start_(static_cast<size_t>(pattern.n) + 1, 0) {
  const auto each = [&](auto&& f) {
    for (int i = 0; i < pattern.n; ++i)
      for (int k = pattern.row_start[i]; k + 1 < pattern.row_start[i + 1]; ++k) f(i, pattern.col[k], k);
  };
  each([&](int, int j, int) { ++start_[static_cast<size_t>(j) + 1]; });
  for (size_t i = 1; i < start_.size(); ++i) start_[i] += start_[i - 1];
  row_.resize(static_cast<size_t>(start_.back()));
  block_.resize(row_.size());
  std::vector<int> next(start_.begin(), start_.end() - 1);
  each([&](int i, int j, int k) {
    const int at = next[j]++;
    row_[at] = i, block_[at] = k;
  });
}

void SymmetricProduct::operator()(const BlockMatrix& A, const VecX& x, VecX& y) const {
  const BlockPattern& p = *A.pattern;
  y.resize(x.size());
  parallel_for(static_cast<size_t>(p.n), kProductRows, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      double s0 = 0, s1 = 0, s2 = 0;
      const double* a = A.block(p.row_start[i]);
      for (int k = p.row_start[i]; k < p.row_start[i + 1]; ++k, a += 9) {
        const double* v = x.data() + 3 * static_cast<size_t>(p.col[k]);
        s0 += a[0] * v[0] + a[1] * v[1] + a[2] * v[2];
        s1 += a[3] * v[0] + a[4] * v[1] + a[5] * v[2];
        s2 += a[6] * v[0] + a[7] * v[1] + a[8] * v[2];
      }
      for (int e = start_[i]; e < start_[i + 1]; ++e) {
        const double* t = A.block(block_[e]);
        const double* v = x.data() + 3 * static_cast<size_t>(row_[e]);
        s0 += t[0] * v[0] + t[3] * v[1] + t[6] * v[2];
        s1 += t[1] * v[0] + t[4] * v[1] + t[7] * v[2];
        s2 += t[2] * v[0] + t[5] * v[1] + t[8] * v[2];
      }
      double* out = y.data() + 3 * i;
      out[0] = s0, out[1] = s1, out[2] = s2;
    }
  });
}

double SymmetricProduct::dot(const VecX& a, const VecX& b) {
  return parallel_sum(static_cast<size_t>(a.size()), kEntries, [&](size_t begin, size_t end) {
    const auto n = static_cast<Eigen::Index>(end - begin), at = static_cast<Eigen::Index>(begin);
    return a.segment(at, n).dot(b.segment(at, n));
  });
}

}  // namespace supple
