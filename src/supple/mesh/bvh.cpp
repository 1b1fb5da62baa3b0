#include "supple/mesh/bvh.h"

#include <algorithm>
#include <numeric>

namespace supple {

Bvh::Bvh(std::vector<Box> boxes) : boxes_(std::move(boxes)), order_(boxes_.size()) {
  std::iota(order_.begin(), order_.end(), 0);
  if (!boxes_.empty()) build(0, static_cast<int>(boxes_.size()));
}

int Bvh::build(int begin, int end) {
  static constexpr int kLeaf = 4;
  const int index = static_cast<int>(nodes_.size());
  nodes_.emplace_back();
  auto twice_centre = [&](int item) -> Vec3 { return boxes_[item].low + boxes_[item].high; };
  Box all = boxes_[order_[begin]];
  Box centres{twice_centre(order_[begin]), twice_centre(order_[begin])};
  for (int i = begin; i < end; ++i) {
    const int item = order_[i];
    all.low = all.low.cwiseMin(boxes_[item].low);
    all.high = all.high.cwiseMax(boxes_[item].high);
    centres.low = centres.low.cwiseMin(twice_centre(item));
    centres.high = centres.high.cwiseMax(twice_centre(item));
  }
  nodes_[index].box = all;
  if (end - begin <= kLeaf) {
    nodes_[index].first = begin;
    nodes_[index].count = end - begin;
    return index;
  }
  // Halves along the longest extent of the centres; the index breaks ties, so the order is unique.
  int axis = 0;
  centres.size().maxCoeff(&axis);
  const int middle = begin + (end - begin) / 2;
  std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end, [&](int a, int b) {
    const double ca = boxes_[a].low[axis] + boxes_[a].high[axis], cb = boxes_[b].low[axis] + boxes_[b].high[axis];
    return ca != cb ? ca < cb : a < b;
  });
  build(begin, middle);
  const int second = build(middle, end);
  nodes_[index].first = second;
  return index;
}

}  // namespace supple
