#include "supple/contact/box_tree.h"

#include <cmath>
#include <numeric>

#include "supple/base/parallel.h"

namespace supple {

SmallBox small_box(const Vec3& low, const Vec3& high) {
  // More than the largest error of rounding to single precision.
  constexpr double kShare = 1.2e-7, kLeast = std::numeric_limits<float>::min(), kFar = SmallBox::kFar;
  SmallBox box;
  if (low.hasNaN() || high.hasNaN()) return box;
  for (int k = 0; k < 3; ++k) {
    box.low[k] = static_cast<float>(std::clamp(low[k] - std::abs(low[k]) * kShare - kLeast, -kFar, kFar));
    box.high[k] = static_cast<float>(std::clamp(high[k] + std::abs(high[k]) * kShare + kLeast, -kFar, kFar));
  }
  return box;
}

void BoxTree::build(const std::vector<SmallBox>& boxes, std::vector<Tag> tags) {
  order_.resize(boxes.size());
  boxes_.resize(boxes.size());
  tags_.resize(boxes.size());
  item_tags_ = std::move(tags);
  n_leaves_ = boxes.empty() ? 0 : 1;
  while (static_cast<size_t>(kLeaf) * n_leaves_ < boxes.size()) n_leaves_ *= 2;
  first_item_.assign(1, 0);
  for (size_t leaf = 1; leaf <= static_cast<size_t>(n_leaves_); ++leaf) {
    first_item_.push_back(static_cast<int>(boxes.size() * leaf / n_leaves_));
  }
  nodes_.resize(2 * static_cast<size_t>(n_leaves_));
  node_tags_.resize(nodes_.size());
  n_builds_ = 0;
  if (n_leaves_ == 0) return;
  std::iota(order_.begin(), order_.end(), 0);
  arrange(boxes, 0, n_leaves_);
  fit(boxes);
  built_cost_ = cost();
  n_builds_ = 1;
}

void BoxTree::refit(const std::vector<SmallBox>& boxes) {
  if (n_leaves_ == 0) return;
  fit(boxes);
  if (!(cost() > 2 * built_cost_)) return;
  arrange(boxes, 0, n_leaves_);
  fit(boxes);
  built_cost_ = cost();
  ++n_builds_;
}

void BoxTree::arrange(const std::vector<SmallBox>& boxes, int first_leaf, int n_leaves) {
  if (n_leaves == 1) return;
  const int half = n_leaves / 2;
  const int begin = first_item(first_leaf), middle = first_item(first_leaf + half);
  const int end = first_item(first_leaf + n_leaves);
  // Halves along the longest extent of the centres; the index breaks ties, so the order is unique.
  SmallBox centres;
  for (int i = begin; i < end; ++i) {
    const Eigen::Array4f centre = 0.5f * boxes[order_[i]].low + 0.5f * boxes[order_[i]].high;
    centres.add({centre, centre});
  }
  int axis = 0;
  (centres.high - centres.low).head<3>().maxCoeff(&axis);
  const auto before = [&](int a, int b) {
    const float ca = 0.5f * boxes[a].low[axis] + 0.5f * boxes[a].high[axis];
    const float cb = 0.5f * boxes[b].low[axis] + 0.5f * boxes[b].high[axis];
    return ca != cb ? ca < cb : a < b;
  };
  std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end, before);
  arrange(boxes, first_leaf, half);
  arrange(boxes, first_leaf + half, half);
}

void BoxTree::fit(const std::vector<SmallBox>& boxes) {
  constexpr size_t kGrain = 256;
  parallel_for(n_leaves_, kGrain, [&](size_t first, size_t last) {
    for (int leaf = static_cast<int>(first); leaf < static_cast<int>(last); ++leaf) {
      SmallBox all;
      Tag common = item_tags_[order_[first_item(leaf)]];
      for (int i = first_item(leaf); i < first_item(leaf + 1); ++i) {
        boxes_[i] = boxes[order_[i]];
        tags_[i] = item_tags_[order_[i]];
        all.add(boxes_[i]);
        common = common.with(tags_[i]);
      }
      nodes_[n_leaves_ + leaf] = all;
      node_tags_[n_leaves_ + leaf] = common;
    }
  });
  for (int node = n_leaves_ - 1; node > 0; --node) {
    nodes_[node] = nodes_[2 * node];
    nodes_[node].add(nodes_[2 * node + 1]);
    node_tags_[node] = node_tags_[2 * node].with(node_tags_[2 * node + 1]);
  }
}

double BoxTree::cost() const {
  double sum = 0;
  for (size_t i = 1; i < nodes_.size(); ++i) sum += nodes_[i].low[0] <= nodes_[i].high[0] ? nodes_[i].half_area() : 0;
  const double all = nodes_[1].half_area();
  return all > 0 ? sum / all : 0;
}

}  // namespace supple
