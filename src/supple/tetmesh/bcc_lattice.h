// The body-centred cubic lattice: corners and centres of a grid of cubes. Inside the tetmesh room only.
#pragma once
#include <cstdint>

#include "supple/base/types.h"

namespace supple {

// Vertices are numbered corners first, then centres. Coordinates are in half edges: corners even, centres odd.
struct BccLattice {
  using Index = std::array<int, 3>;

  Vec3 origin = Vec3::Zero();  // of corner 0 [m]
  double edge = 0;             // side of a cube [m]
  std::array<int64_t, 3> n{};  // cubes along each axis

  int64_t n_cells() const { return n[0] * n[1] * n[2]; }
  int64_t n_corners() const { return (n[0] + 1) * (n[1] + 1) * (n[2] + 1); }
  int64_t n_vertices() const { return n_corners() + n_cells(); }

  int64_t corner(int64_t i, int64_t j, int64_t k) const { return (i * (n[1] + 1) + j) * (n[2] + 1) + k; }
  int64_t centre(int64_t i, int64_t j, int64_t k) const { return n_corners() + (i * n[1] + j) * n[2] + k; }
  bool is_centre(int64_t v) const { return v >= n_corners(); }

  Index half_edges(int64_t v) const {
    const int odd = is_centre(v) ? 1 : 0;
    const int64_t m1 = n[1] + 1 - odd, m2 = n[2] + 1 - odd;
    if (odd) v -= n_corners();
    return {static_cast<int>(2 * (v / (m1 * m2)) + odd), static_cast<int>(2 * (v / m2 % m1) + odd),
            static_cast<int>(2 * (v % m2) + odd)};
  }
  int64_t vertex(const Index& c) const {  // c must be all even or all odd, and within the lattice
    return c[0] % 2 == 0 ? corner(c[0] / 2, c[1] / 2, c[2] / 2) : centre(c[0] / 2, c[1] / 2, c[2] / 2);
  }
  bool contains(const Index& c) const {
    const int odd = c[0] & 1;
    for (int a = 0; a < 3; ++a) {
      if (c[static_cast<size_t>(a)] < odd || c[static_cast<size_t>(a)] > 2 * n[static_cast<size_t>(a)] - odd)
        return false;
    }
    return true;
  }
  Vec3 position(int64_t v) const {
    const Index c = half_edges(v);
    return origin + 0.5 * edge * Vec3(c[0], c[1], c[2]);
  }

  // Edges leave a vertex in 14 directions: 0..5 long ones along the axes, 6..13 short ones to the other grid.
  // Direction d and its opposite are d and d ^ 1.
  static constexpr int kDirections = 14;
  static Index direction(int d) {
    if (d < 6) {
      Index step{0, 0, 0};
      step[static_cast<size_t>(d / 2)] = d % 2 ? -2 : 2;
      return step;
    }
    const int m = (d - 6) / 2, s = (d - 6) % 2 ? -1 : 1;
    return {s, m & 1 ? -s : s, m & 2 ? -s : s};
  }
  static bool is_long(int d) { return d < 6; }
  static constexpr double kShortOverLong = 0.86602540378443864676;
};

}  // namespace supple
