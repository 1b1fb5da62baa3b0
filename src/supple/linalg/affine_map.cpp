#include "supple/linalg/affine_map.h"

#include "supple/base/expect.h"
#include "supple/base/parallel.h"

namespace supple {

namespace {
constexpr size_t kGrain = 4096;
}

AffineMap::AffineMap(const std::vector<std::vector<std::pair<int, double>>>& rows, int n_free)
    : column_start_(static_cast<size_t>(n_free) + 1, 0),
      representative_(static_cast<size_t>(n_free), -1),
      n_free_(n_free) {
  start_.reserve(rows.size() + 1);
  for (const auto& row : rows) {
    for (const auto& entry : row) {
      expect(entry.first >= 0 && entry.first < n_free, "a free unknown that exists");
      if (entry.second == 0) continue;
      entries_.push_back(entry);
      ++column_start_[static_cast<size_t>(entry.first) + 1];
    }
    start_.push_back(entries_.size());
  }
  for (size_t f = 1; f < column_start_.size(); ++f) column_start_[f] += column_start_[f - 1];
  column_entries_.resize(entries_.size());
  std::vector<size_t> next(column_start_.begin(), column_start_.end() - 1);
  for (int i = 0; i < n(); ++i) {
    for (const auto& [f, weight] : row(i)) column_entries_[next[static_cast<size_t>(f)]++] = {i, weight};
    const int f = free_index(i);
    if (f >= 0 && representative_[static_cast<size_t>(f)] < 0) representative_[static_cast<size_t>(f)] = i;
    if (f < 0 && !row(i).empty()) selection_ = false;
  }
}

AffineMap AffineMap::without(int n, const std::vector<int>& driven) {
  std::vector<char> is_driven(static_cast<size_t>(n), 0);
  for (int i : driven) is_driven[static_cast<size_t>(i)] = 1;
  std::vector<std::vector<std::pair<int, double>>> rows(static_cast<size_t>(n));
  int n_free = 0;
  for (size_t i = 0; i < rows.size(); ++i)
    if (!is_driven[i]) rows[i].push_back({n_free++, 1.0});
  return {rows, n_free};
}

int AffineMap::free_index(int i) const {
  const auto r = row(i);
  return r.size() == 1 && r[0].second == 1 ? r[0].first : -1;
}

std::span<const std::pair<int, double>> AffineMap::row(int i) const {
  const size_t begin = start_[static_cast<size_t>(i)], end = start_[static_cast<size_t>(i) + 1];
  return {entries_.data() + begin, end - begin};
}

std::span<const std::pair<int, double>> AffineMap::column(int f) const {
  const size_t begin = column_start_[static_cast<size_t>(f)], end = column_start_[static_cast<size_t>(f) + 1];
  return {column_entries_.data() + begin, end - begin};
}

VecX AffineMap::expand(const VecX& y) const { return expand(y, VecX::Zero(3 * n())); }

VecX AffineMap::expand(const VecX& y, const VecX& u_d) const {
  expect(y.size() == 3 * n_free_ && u_d.size() == 3 * n(), "as many numbers as there are unknowns");
  VecX u(u_d.size());
  parallel_for(static_cast<size_t>(n()), kGrain, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      Vec3 sum = Vec3::Zero();
      for (size_t e = start_[i]; e < start_[i + 1]; ++e)
        sum += entries_[e].second * y.segment<3>(3 * entries_[e].first);
      u.segment<3>(3 * static_cast<Eigen::Index>(i)) = sum + u_d.segment<3>(3 * static_cast<Eigen::Index>(i));
    }
  });
  return u;
}

VecX AffineMap::restrict_(const VecX& r) const {
  expect(r.size() == 3 * n(), "as many numbers as there are unknowns");
  VecX y(3 * n_free_);
  parallel_for(static_cast<size_t>(n_free_), kGrain, [&](size_t begin, size_t end) {
    for (size_t f = begin; f < end; ++f) {
      Vec3 sum = Vec3::Zero();
      for (size_t e = column_start_[f]; e < column_start_[f + 1]; ++e)
        sum += column_entries_[e].second * r.segment<3>(3 * column_entries_[e].first);
      y.segment<3>(3 * static_cast<Eigen::Index>(f)) = sum;
    }
  });
  return y;
}

VecX AffineMap::gather(const VecX& u) const {
  expect(u.size() == 3 * n(), "as many numbers as there are unknowns");
  VecX y = VecX::Zero(3 * n_free_);
  for (int f = 0; f < n_free_; ++f) {
    const int i = representative_[static_cast<size_t>(f)];
    if (i >= 0) y.segment<3>(3 * f) = u.segment<3>(3 * i);
  }
  return y;
}

}  // namespace supple
