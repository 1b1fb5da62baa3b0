#include "supple/fem/clusters.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "supple/base/parallel.h"

namespace supple {

namespace {

// Points in the order of a space-filling (Morton) curve: neighbours in space become neighbours in memory whatever the
// order of the file.
std::vector<int> spatial_order(const Points& points) {
  Vec3 low = Vec3::Zero(), high = Vec3::Zero();
  if (!points.empty()) low = high = points[0];
  for (const Vec3& p : points) low = low.cwiseMin(p), high = high.cwiseMax(p);
  const double size = std::max((high - low).maxCoeff(), 1e-300);
  constexpr double kCells = 1048575.0;
  std::vector<std::pair<uint64_t, int>> keys(points.size());
  for (size_t i = 0; i < points.size(); ++i) {
    const Vec3 x = (points[i] - low) / size * kCells;
    uint64_t key = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const auto bits = static_cast<uint64_t>(std::clamp(x[axis], 0.0, kCells));
      for (int b = 0; b < 20; ++b) key |= ((bits >> b) & 1u) << (3 * b + axis);
    }
    keys[i] = {key, static_cast<int>(i)};
  }
  std::sort(keys.begin(), keys.end());
  std::vector<int> order(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) order[i] = keys[i].second;
  return order;
}

}  // namespace

Clusters::Clusters(int n_vertices, const Points& centres, int cluster_size,
                   const std::function<std::span<const int>(int)>& vertices_of) {
  const std::vector<int> near = spatial_order(centres);
  const int n = static_cast<int>(near.size()), n_clusters = (n + cluster_size - 1) / cluster_size;
  auto range = [&](int c) { return std::pair(c * cluster_size, std::min(n, (c + 1) * cluster_size)); };

  // Greedy colouring: the first colour no cluster of which has touched any of my vertices.
  std::vector<uint64_t> used(static_cast<size_t>(n_vertices), 0);
  std::vector<int> colour(static_cast<size_t>(n_clusters), 0);
  int n_colours = 0;
  for (int c = 0; c < n_clusters; ++c) {
    const auto [begin, end] = range(c);
    uint64_t taken = 0;
    for (int i = begin; i < end; ++i)
      for (int v : vertices_of(near[i])) taken |= used[v];
    colour[c] = std::min(kSerialColour, static_cast<int>(std::countr_one(taken)));
    n_colours = std::max(n_colours, colour[c] + 1);
    for (int i = begin; i < end; ++i)
      for (int v : vertices_of(near[i])) used[v] |= uint64_t{1} << colour[c];
  }

  order_.reserve(near.size());
  for (int k = 0; k < n_colours; ++k) {
    for (int c = 0; c < n_clusters; ++c) {
      if (colour[c] != k) continue;
      const auto [begin, end] = range(c);
      order_.insert(order_.end(), near.begin() + begin, near.begin() + end);
      cluster_start_.push_back(static_cast<int>(order_.size()));
    }
    colour_start_.push_back(static_cast<int>(cluster_start_.size()) - 1);
  }
}

void Clusters::for_each(const std::function<void(int, int)>& body) const {
  for (size_t k = 0; k + 1 < colour_start_.size(); ++k) {
    const int* start = cluster_start_.data() + colour_start_[k];
    const size_t count = static_cast<size_t>(colour_start_[k + 1] - colour_start_[k]);
    const size_t grain = static_cast<int>(k) == kSerialColour ? count : 1;
    parallel_for(count, grain, [&](size_t begin, size_t end) {
      for (size_t c = begin; c < end; ++c) body(start[c], start[c + 1]);
    });
  }
}

double Clusters::sum(const std::function<double(int, int)>& body) const {
  return parallel_sum(cluster_start_.size() - 1, 1, [&](size_t begin, size_t end) {
    double total = 0;
    for (size_t c = begin; c < end; ++c) total += body(cluster_start_[c], cluster_start_[c + 1]);
    return total;
  });
}

}  // namespace supple
