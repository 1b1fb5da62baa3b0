// The order in which scattered sums are made. Items (tets, patches) that touch vertices are grouped in clusters of
// neighbours, and clusters are coloured so that those of one colour share no vertex. Colours are worked through one
// after the other and the clusters of a colour in parallel, so every sum has one order whatever the thread count.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "supple/base/types.h"

namespace supple {

class Clusters {
 public:
  Clusters() = default;
  // centres: one an item, for grouping by nearness. vertices_of(item): what it touches.
  Clusters(int n_vertices, const Points& centres, int cluster_size,
           const std::function<std::span<const int>(int item)>& vertices_of);

  // The item at each place. Bodies below see places.
  const std::vector<int>& order() const { return order_; }
  // Cluster c is the places [cluster_start()[c], cluster_start()[c + 1]), colour k the clusters [colour_start()[k],
  // ...).
  const std::vector<int>& cluster_start() const { return cluster_start_; }
  const std::vector<int>& colour_start() const { return colour_start_; }
  // Clusters of this colour may share vertices and run one after the other: the overflow of a mesh that needs more.
  static constexpr int kSerialColour = 63;

  // body(begin, end): the places of one cluster. Clusters run so that scattered sums are safe and ordered.
  void for_each(const std::function<void(int begin, int end)>& body) const;
  // As above, adding up what the bodies return, in a fixed order.
  double sum(const std::function<double(int begin, int end)>& body) const;

 private:
  std::vector<int> order_;
  std::vector<int> cluster_start_{0};  // into order_
  std::vector<int> colour_start_{0};   // into cluster_start_
};

}  // namespace supple
