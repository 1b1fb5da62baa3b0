#include "supple/io/large_polygon.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace supple {

namespace {

using Corner2 = Eigen::Vector2d;

constexpr size_t kStepsPerCorner = 500;  // cells and corners looked at, all in all

// Corners by where they are, for those that lie in a box.
class CornerGrid {
 public:
  CornerGrid(const std::vector<Corner2>& at, const std::vector<int>& members) {
    Corner2 high = at[0];
    low_ = at[0];
    for (const Corner2& x : at) low_ = low_.cwiseMin(x), high = high.cwiseMax(x);
    const Corner2 size = high - low_;
    const double wanted = std::max<double>(1, static_cast<double>(members.size()));
    const double edge = std::max({std::sqrt(size.x() * size.y() / wanted), size.maxCoeff() / wanted, 1e-300});
    for (int k = 0; k < 2; ++k) {
      per_unit_[k] = 1 / edge;
      n_[k] = static_cast<size_t>(std::clamp(std::ceil(size[k] / edge), 1.0, 4 * wanted));
    }
    // Sorted into cells by counting.
    begin_.assign(n_[0] * n_[1] + 1, 0);
    for (int v : members) ++begin_[cell(at[v]) + 1];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    list_.resize(members.size());
    std::vector<size_t> next(begin_.begin(), begin_.end() - 1);
    for (int v : members) list_[next[cell(at[v])]++] = v;
  }

  // Until f says true; whether it did. steps: counted on.
  template <class F>
  bool any_in(const Corner2& low, const Corner2& high, size_t& steps, F&& f) const {
    const size_t x0 = column(low, 0), x1 = column(high, 0), y0 = column(low, 1), y1 = column(high, 1);
    for (size_t y = y0; y <= y1; ++y) {
      steps += 1 + x1 - x0;
      for (size_t i = begin_[y * n_[0] + x0]; i < begin_[y * n_[0] + x1 + 1]; ++i) {
        ++steps;
        if (f(list_[i])) return true;
      }
    }
    return false;
  }

 private:
  size_t column(const Corner2& x, int k) const {
    return static_cast<size_t>(std::clamp((x[k] - low_[k]) * per_unit_[k], 0.0, static_cast<double>(n_[k] - 1)));
  }
  size_t cell(const Corner2& x) const { return column(x, 1) * n_[0] + column(x, 0); }

  Corner2 low_;
  double per_unit_[2] = {1, 1};
  size_t n_[2] = {1, 1};
  std::vector<size_t> begin_;
  std::vector<int> list_;
};

double left_turn(const Corner2& a, const Corner2& b, const Corner2& c) {
  return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]);
}

// Every corner turns left, once round in all: two corners are the lowest and the highest, and between them it rises
// and falls.
bool is_convex(const std::vector<Corner2>& x) {
  const size_t n = x.size();
  int changes = 0;
  for (size_t i = 0; i < n; ++i) {
    const Corner2 &a = x[i], &b = x[(i + 1) % n], &c = x[(i + 2) % n];
    if (!(left_turn(a, b, c) > 0)) return false;
    const auto rises = [](const Corner2& p, const Corner2& q) {
      return q.y() > p.y() || (q.y() == p.y() && q.x() > p.x());
    };
    changes += rises(a, b) != rises(b, c);
  }
  return changes == 2;
}

}  // namespace

std::vector<Tri> triangulate_large(const std::vector<Corner2>& x) {
  const int n = static_cast<int>(x.size());
  std::vector<Tri> triangles;
  if (n < 3) return triangles;
  triangles.reserve(x.size() - 2);
  std::vector<int> next(x.size()), before(x.size());
  for (int i = 0; i < n; ++i) next[i] = (i + 1) % n, before[i] = (i + n - 1) % n;
  int left = n, first = 0;
  const auto fan = [&] {
    for (int b = next[first]; next[b] != first; b = next[b]) triangles.push_back({first, b, next[b]});
    return triangles;
  };
  const bool finite = std::all_of(x.begin(), x.end(), [](const Corner2& p) { return p.allFinite(); });
  if (!finite || is_convex(x)) return fan();

  // Only a corner that does not turn left can lie in an ear alone; it may come to turn left later, and none goes back.
  std::vector<char> hollow(x.size(), 0);
  std::vector<int> members;
  for (int i = 0; i < n; ++i)
    if (!(left_turn(x[before[i]], x[i], x[next[i]]) > 0)) hollow[i] = 1, members.push_back(i);
  const CornerGrid grid(x, members);
  size_t steps = 0;
  const auto is_ear = [&](int b) {
    const int ia = before[b], ic = next[b];
    const Corner2 &pa = x[ia], &pb = x[b], &pc = x[ic];
    if (!(left_turn(pa, pb, pc) > 0)) return false;
    return !grid.any_in(pa.cwiseMin(pb).cwiseMin(pc), pa.cwiseMax(pb).cwiseMax(pc), steps, [&](int p) {
      if (!hollow[p] || p == ia || p == b || p == ic) return false;
      return left_turn(pa, pb, x[p]) >= 0 && left_turn(pb, pc, x[p]) >= 0 && left_turn(pc, pa, x[p]) >= 0;
    });
  };
  const size_t most = kStepsPerCorner * x.size();
  int tip = next[first], tried = 0;
  while (left > 3 && tried < left && steps < most) {
    ++steps;
    if (!is_ear(tip)) {
      tip = next[tip], ++tried;
      continue;
    }
    const int a = before[tip], c = next[tip];
    triangles.push_back({a, tip, c});
    next[a] = c, before[c] = a, hollow[tip] = 0;
    for (int v : {a, c})
      if (hollow[v] && left_turn(x[before[v]], x[v], x[next[v]]) > 0) hollow[v] = 0;
    first = c, --left, tried = 0;
    tip = next[c];  // not its neighbour: slivers would all meet in one corner
  }
  return fan();
}

}  // namespace supple
