// A tree of boxes over moving items: built once, then refitted as they move.
#pragma once
#include <Eigen/Core>
#include <algorithm>
#include <limits>
#include <vector>

#include "supple/base/types.h"

namespace supple {

// In single precision, rounded outwards: half the memory, and four lanes at once (the last is 0).
struct SmallBox {
  Eigen::Array4f low = {kFar, kFar, kFar, 0}, high = {-kFar, -kFar, -kFar, 0};  // empty: overlaps nothing

  static constexpr float kFar = std::numeric_limits<float>::max();
  void add(const SmallBox& other) {
    low = low.min(other.low);
    high = high.max(other.high);
  }
  bool overlaps(const SmallBox& other) const {  // borders included
    // Vectors of the compiler (GCC, Clang): all lanes are compared at once and no branch is guessed.
    typedef float Lanes __attribute__((vector_size(16)));
    typedef long long Halves __attribute__((vector_size(16)));
    const auto lanes = [](const Eigen::Array4f& a) { return *reinterpret_cast<const Lanes*>(a.data()); };
    const auto m = (lanes(low) <= lanes(other.high)) & (lanes(other.low) <= lanes(high));
    const Halves h = reinterpret_cast<Halves>(m);
    return (h[0] & h[1]) == -1;
  }
  double half_area() const {
    const Eigen::Array3d s = (high - low).head<3>().cast<double>();
    return s[0] * s[1] + s[1] * s[2] + s[2] * s[0];
  }
};
// low <= high; empty when a number is NaN.
SmallBox small_box(const Vec3& low, const Vec3& high);

class BoxTree {
 public:
  // Of an item: `still`: it does not move by itself; `group`: what it belongs to, -1: nothing. Pairs of two still items
  // and pairs of one group are left out unless all are asked for.
  struct Tag {
    char still = 0;
    int group = -1;
    bool ignores(const Tag& other) const { return (still & other.still) | ((group == other.group) & (group >= 0)); }
    Tag with(const Tag& other) const {
      return {static_cast<char>(still & other.still), group == other.group ? group : -1};
    }
  };
  void build(const std::vector<SmallBox>& boxes, std::vector<Tag> tags);  // of items 0..n-1
  // The same items elsewhere. Builds anew when the boxes of the old tree have come to overlap a lot.
  void refit(const std::vector<SmallBox>& boxes);
  int n_leaves() const { return n_leaves_; }
  int n_builds() const { return n_builds_; }

  // visit(i, j) for items of overlapping boxes, i of this leaf and j of it or a later one: over all leaves each pair
  // comes once.
  template <class Visit>
  void overlaps_within(int leaf, Visit&& visit) const {
    const int begin = first_item(leaf), end = first_item(leaf + 1);
    for (int i = begin; i < end; ++i) {
      for (int j = i + 1; j < end; ++j) {
        if (!tags_[i].ignores(tags_[j]) && boxes_[i].overlaps(boxes_[j])) visit(order_[i], order_[j]);
      }
    }
    // Later leaves are the right siblings of the nodes on the way up.
    for (int node = n_leaves_ + leaf; node > 1; node /= 2) {
      if (node % 2 == 0) overlaps_below(node + 1, *this, leaf, false, visit);
    }
  }
  // visit(i, j) for items of overlapping boxes, i of a leaf of `other`, j of this tree.
  template <class Visit>
  void overlaps_with(const BoxTree& other, int leaf, bool all, Visit&& visit) const {
    if (n_leaves_ > 0) overlaps_below(1, other, leaf, all, visit);
  }

 private:
  static constexpr int kLeaf = 12;  // items of a leaf at most
  // Leaves are equal shares of the items in their order; n_leaves_ is a power of 2. Node 1 is the root, 2 i and 2 i + 1
  // are below node i, and leaf l is node n_leaves_ + l.
  int first_item(int leaf) const { return first_item_[leaf]; }
  void arrange(const std::vector<SmallBox>& boxes, int first_leaf, int n_leaves);
  void fit(const std::vector<SmallBox>& boxes);
  double cost() const;  // sum of the areas of all nodes over that of the root

  template <class Visit>
  void overlaps_below(int root, const BoxTree& other, int leaf, bool all, Visit&& visit) const {
    const int query = other.n_leaves_ + leaf;
    const SmallBox& box = other.nodes_[query];
    const Tag& tag = other.node_tags_[query];
    const int begin = other.first_item(leaf), end = other.first_item(leaf + 1);
    int stack[64], top = 0;
    stack[top++] = root;
    while (top > 0) {
      const int node = stack[--top];
      if (!nodes_[node].overlaps(box) || (!all && tag.ignores(node_tags_[node]))) continue;
      if (node < n_leaves_) {
        stack[top++] = 2 * node + 1;
        stack[top++] = 2 * node;
        continue;
      }
      // Without branches, which would be guessed wrong half of the time.
      const int from = first_item(node - n_leaves_), to = first_item(node - n_leaves_ + 1);
      int near[kLeaf] = {}, n_near = 0;
      for (int j = from; j < to; ++j) {
        near[n_near] = j;
        n_near += boxes_[j].overlaps(box);
      }
      for (int i = begin; i < end; ++i) {
        const SmallBox& item = other.boxes_[i];
        const Tag& item_tag = other.tags_[i];
        int hits[kLeaf] = {}, n_hits = 0;
        for (int k = 0; k < n_near; ++k) {
          hits[n_hits] = near[k];
          const int counts = static_cast<int>(all) | static_cast<int>(!item_tag.ignores(tags_[near[k]]));
          n_hits += counts & static_cast<int>(item.overlaps(boxes_[near[k]]));
        }
        for (int k = 0; k < n_hits; ++k) visit(other.order_[i], order_[hits[k]]);
      }
    }
  }

  int n_leaves_ = 0, n_builds_ = 0;
  double built_cost_ = 0;
  std::vector<int> order_, first_item_;  // items leaf by leaf; where each leaf begins in that, and the end
  std::vector<SmallBox> boxes_, nodes_;  // of the items in that order; of the nodes
  std::vector<Tag> tags_, node_tags_;    // likewise; a node ignores what all its items do
  std::vector<Tag> item_tags_;           // of item i
};

}  // namespace supple
