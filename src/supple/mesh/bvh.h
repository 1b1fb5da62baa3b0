// A tree of axis-aligned boxes: which of many items contain a point, overlap a box, or are closest to a point.
#pragma once
#include <limits>
#include <utility>
#include <vector>

#include "supple/base/types.h"

namespace supple {

// Built once over the boxes of items 0..n-1 (finite, low <= high); queries are const and may run in parallel. The tree
// depends on the boxes only, so every query visits items in the same order each time.
class Bvh {
 public:
  Bvh() = default;
  explicit Bvh(std::vector<Box> boxes);
  bool empty() const { return boxes_.empty(); }

  // visit(item) for each item whose box overlaps, borders included.
  template <class Visit>
  void overlapping(const Box& box, Visit&& visit) const {
    walk(
        [&](const Box& b) {
          return (b.low.array() <= box.high.array()).all() && (box.low.array() <= b.high.array()).all();
        },
        visit);
  }
  template <class Visit>
  void containing(const Vec3& p, Visit&& visit) const {
    overlapping(Box{p, p}, visit);
  }
  // visit(item) for each item whose box is no farther from p than sqrt(distance2).
  template <class Visit>
  void within(const Vec3& p, double distance2, Visit&& visit) const {
    walk([&](const Box& b) { return distance_squared(p, b) <= distance2; }, visit);
  }

  struct Closest {
    int item = -1;  // none: empty tree, or nothing nearer than the limit
    double distance2 = 0;
  };
  // The item of the smallest exact(item), a squared distance no smaller than that to the item's box; of equal ones
  // the smallest index. Only items with exact(item) < limit2 count.
  template <class Exact>
  Closest closest(const Vec3& p, Exact&& exact, double limit2 = std::numeric_limits<double>::infinity()) const {
    Closest best{-1, limit2};
    if (nodes_.empty()) return best;
    std::pair<int, double> stack[kStack];
    int top = 0;
    stack[top++] = {0, distance_squared(p, nodes_[0].box)};
    while (top > 0) {
      const auto [index, bound] = stack[--top];
      if (bound > best.distance2) continue;
      const Node& node = nodes_[index];
      for (int i = node.first; i < node.first + node.count; ++i) {
        const int item = order_[i];
        if (distance_squared(p, boxes_[item]) > best.distance2) continue;
        const double d = exact(item);
        if (d < best.distance2 || (d == best.distance2 && best.item >= 0 && item < best.item)) best = {item, d};
      }
      if (node.count > 0) continue;
      const double near = distance_squared(p, nodes_[index + 1].box), far = distance_squared(p, nodes_[node.first].box);
      // The nearer child on top, to be searched first.
      if (near <= far) {
        stack[top++] = {node.first, far};
        stack[top++] = {index + 1, near};
      } else {
        stack[top++] = {index + 1, near};
        stack[top++] = {node.first, far};
      }
    }
    return best;
  }

  static double distance_squared(const Vec3& p, const Box& b) {
    return (b.low - p).cwiseMax(p - b.high).cwiseMax(0.0).squaredNorm();
  }

 private:
  static constexpr int kStack = 128;  // the median split halves the items, so depth stays below 32
  // A leaf holds order_[first .. first + count). An inner node (count 0) has children at its own index + 1 and `first`.
  struct Node {
    Box box;
    int first = 0, count = 0;
  };
  int build(int begin, int end);

  template <class Keep, class Visit>
  void walk(Keep&& keep, Visit&& visit) const {
    if (nodes_.empty()) return;
    int stack[kStack], top = 0;
    stack[top++] = 0;
    while (top > 0) {
      const int index = stack[--top];
      const Node& node = nodes_[index];
      if (!keep(node.box)) continue;
      for (int i = node.first; i < node.first + node.count; ++i) {
        if (keep(boxes_[order_[i]])) visit(order_[i]);
      }
      if (node.count > 0) continue;
      stack[top++] = node.first;
      stack[top++] = index + 1;
    }
  }

  std::vector<Box> boxes_;
  std::vector<int> order_;
  std::vector<Node> nodes_;
};

}  // namespace supple
