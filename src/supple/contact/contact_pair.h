// Two features of surfaces that may touch: a point and a triangle, or two edges.
#pragma once
#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>

#include "supple/base/types.h"

namespace supple {

// Written in one way only (the corners of a triangle ascend, and so do the ends of an edge; the smaller edge is first),
// so that lists of pairs can be sorted and compared.
struct ContactPair {
  enum class Kind : uint8_t { point_triangle, edge_edge };
  Kind kind = Kind::point_triangle;
  std::array<int, 4> points{};  // point_triangle: point, then the corners; edge_edge: both ends of a, both ends of b

  static ContactPair point_triangle(int point, Tri corners) {
    std::sort(corners.begin(), corners.end());
    return {Kind::point_triangle, {point, corners[0], corners[1], corners[2]}};
  }
  static ContactPair edge_edge(std::array<int, 2> a, std::array<int, 2> b) {
    if (a[1] < a[0]) std::swap(a[0], a[1]);
    if (b[1] < b[0]) std::swap(b[0], b[1]);
    if (b < a) std::swap(a, b);
    return {Kind::edge_edge, {a[0], a[1], b[0], b[1]}};
  }
  // How many of `points` are the first feature.
  int n_first() const { return kind == Kind::point_triangle ? 1 : 2; }

  auto operator<=>(const ContactPair&) const = default;
};

}  // namespace supple
