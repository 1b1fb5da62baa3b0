// Points by place: which ones are near another.
#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "supple/base/hash.h"
#include "supple/base/types.h"

namespace supple::pipeline {

class PlaceGrid {
 public:
  // reach: how far `near` looks, above 0.
  PlaceGrid(const Points& points, double reach) : points_(points), reach_(reach) {
    for (size_t i = 0; i < points.size(); ++i) cells_[cell_of(points[i])].push_back(static_cast<int>(i));
  }

  // found(i, distance) for every point within reach of x, in no particular order.
  template <class Found>
  void near(const Vec3& x, Found&& found) const {
    const Cell middle = cell_of(x);
    for (int k = 0; k < 27; ++k) {
      const auto bucket = cells_.find({middle[0] + k % 3 - 1, middle[1] + k / 3 % 3 - 1, middle[2] + k / 9 - 1});
      if (bucket == cells_.end()) continue;
      for (int i : bucket->second) {
        const double distance = (points_[static_cast<size_t>(i)] - x).norm();
        if (distance <= reach_) found(i, distance);
      }
    }
  }

 private:
  using Cell = std::array<int64_t, 3>;
  struct CellHash {
    size_t operator()(const Cell& c) const { return static_cast<size_t>(hash_bytes(c.data(), sizeof(c))); }
  };
  Cell cell_of(const Vec3& x) const {
    const auto along = [&](int axis) -> int64_t { return static_cast<int64_t>(std::floor(x[axis] / reach_)); };
    return {along(0), along(1), along(2)};
  }

  const Points& points_;
  double reach_;
  std::unordered_map<Cell, std::vector<int>, CellHash> cells_;
};

}  // namespace supple::pipeline
