#include "supple/io/large_polygon.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

namespace supple {

namespace {

using Corner2 = Eigen::Vector2d;

constexpr size_t kStepsPerCorner = 1000;  // nodes of the tree and corners looked at, all in all

double left_turn(const Corner2& a, const Corner2& b, const Corner2& c) {
  return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]);
}

// Corners by where they are: which of them lies in a triangle. A tree of boxes, halved until few are in each.
class CornerTree {
 public:
  CornerTree(const std::vector<Corner2>& at, std::vector<int> members)
      : at_(at), list_(std::move(members)), leaf_of_(at.size(), -1) {
    if (!list_.empty()) build(0, list_.size(), -1);
  }

  void remove(int corner) {
    for (int n = leaf_of_[static_cast<size_t>(corner)]; n >= 0; n = nodes_[static_cast<size_t>(n)].parent)
      --nodes_[static_cast<size_t>(n)].left;
  }

  // One that `there` says yes to, in the triangle or on its border; -1: none. steps: counted on.
  template <class F>
  int find_in(const Corner2& a, const Corner2& b, const Corner2& c, size_t& steps, F&& there) const {
    if (nodes_.empty()) return -1;
    std::vector<int>& stack = stack_;
    stack.assign(1, 0);
    while (!stack.empty()) {
      const TreeNode& node = nodes_[static_cast<size_t>(stack.back())];
      stack.pop_back();
      ++steps;
      if (node.left == 0 || outside(a, b, node) || outside(b, c, node) || outside(c, a, node)) continue;
      if (node.second >= 0) {
        stack.push_back(node.second), stack.push_back(node.first);
        continue;
      }
      for (size_t i = node.begin; i < node.end; ++i) {
        ++steps;
        if (there(list_[i])) return list_[i];
      }
    }
    return -1;
  }

 private:
  struct TreeNode {
    double low[2], high[2];
    size_t begin = 0, end = 0, left = 0;  // of list_; how many are not removed
    int parent = -1, first = -1, second = -1;
  };

  int build(size_t begin, size_t end, int parent) {
    constexpr size_t kFew = 4;
    const int index = static_cast<int>(nodes_.size());
    nodes_.emplace_back();
    TreeNode node{.low = {HUGE_VAL, HUGE_VAL}, .high = {-HUGE_VAL, -HUGE_VAL}, .begin = begin, .end = end};
    node.left = end - begin, node.parent = parent;
    for (size_t i = begin; i < end; ++i)
      for (int k = 0; k < 2; ++k) {
        const double x = at_[static_cast<size_t>(list_[i])][k];
        node.low[k] = std::min(node.low[k], x), node.high[k] = std::max(node.high[k], x);
      }
    if (end - begin > kFew) {
      const int k = node.high[1] - node.low[1] > node.high[0] - node.low[0] ? 1 : 0;
      const size_t middle = (begin + end) / 2;
      const auto from = [&](size_t i) { return list_.begin() + static_cast<std::ptrdiff_t>(i); };
      std::nth_element(from(begin), from(middle), from(end),
                       [&](int p, int q) { return at_[static_cast<size_t>(p)][k] < at_[static_cast<size_t>(q)][k]; });
      node.first = build(begin, middle, index);
      node.second = build(middle, end, index);
    } else {
      for (size_t i = begin; i < end; ++i) leaf_of_[static_cast<size_t>(list_[i])] = index;
    }
    nodes_[static_cast<size_t>(index)] = node;
    return index;
  }

  // The whole box lies right of the edge.
  static bool outside(const Corner2& a, const Corner2& b, const TreeNode& n) {
    const double x = b[0] - a[0], y = b[1] - a[1];
    // The corner of the box that is farthest to the left.
    const double px = y > 0 ? n.low[0] : n.high[0], py = x > 0 ? n.high[1] : n.low[1];
    return x * (py - a[1]) - y * (px - a[0]) < 0;
  }

  const std::vector<Corner2>& at_;
  std::vector<int> list_, leaf_of_;
  std::vector<TreeNode> nodes_;
  mutable std::vector<int> stack_;
};

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
  std::vector<char> hollow(x.size(), 0), gone(x.size(), 0);
  std::vector<int> members;
  std::deque<std::pair<int, int>> tips;  // that turn left, and as which of their states
  std::vector<int> state(x.size(), 0), in_the_way(x.size(), -1);
  const auto turns_left = [&](int i) { return left_turn(x[before[i]], x[i], x[next[i]]) > 0; };
  for (int i = 0; i < n; ++i) {
    if (turns_left(i))
      tips.emplace_back(i, 0);
    else
      hollow[i] = 1, members.push_back(i);
  }
  CornerTree tree(x, members);
  size_t steps = 0;
  // The corner that lies in the ear; -1: none.
  const auto corner_in = [&](int b) {
    const int ia = before[b], ic = next[b];
    const Corner2 &pa = x[ia], &pb = x[b], &pc = x[ic];
    const auto there = [&](int p) {
      if (!hollow[p] || gone[p] || p == ia || p == b || p == ic) return false;
      return left_turn(pa, pb, x[p]) >= 0 && left_turn(pb, pc, x[p]) >= 0 && left_turn(pc, pa, x[p]) >= 0;
    };
    // Mostly it is the one that was there the last time.
    if (in_the_way[b] >= 0 && there(in_the_way[b])) return in_the_way[b];
    return tree.find_in(pa, pb, pc, steps, there);
  };
  const size_t most = kStepsPerCorner * x.size();
  for (size_t tried = 0; left > 3 && tried < tips.size() && steps < most; ++steps) {
    const auto [tip, as] = tips.front();
    tips.pop_front();
    if (gone[tip] || state[tip] != as || !turns_left(tip)) continue;
    in_the_way[tip] = corner_in(tip);
    if (in_the_way[tip] >= 0) {
      tips.emplace_back(tip, as), ++tried;
      continue;
    }
    const int a = before[tip], c = next[tip];
    triangles.push_back({a, tip, c});
    next[a] = c, before[c] = a, gone[tip] = 1;
    first = c, --left, tried = 0;
    // Its neighbours come last, or slivers would all meet in one corner.
    for (int v : {a, c}) {
      if (!turns_left(v)) continue;
      if (hollow[v]) hollow[v] = 0, tree.remove(v);
      tips.emplace_back(v, ++state[v]);
    }
  }
  return fan();
}

}  // namespace supple
