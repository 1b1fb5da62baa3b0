#include "supple/tetmesh/cover.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "supple/base/parallel.h"
#include "supple/tetmesh/clip.h"

namespace supple {

namespace {

constexpr size_t kGrain = 256;
using Pair = std::pair<int64_t, int>;  // tet, triangle

std::array<Vec3, 4> corners_of(const CubeGrid& grid, const BaseTet& tet) {
  const auto t = tet.corners();
  return {grid.position(t[0]), grid.position(t[1]), grid.position(t[2]), grid.position(t[3])};
}

// The 24 tets that reach into a cube.
template <class Visit>
void for_tets_of_cube(const Ticks& cube, Visit&& visit) {
  for (int axis = 0; axis < 3; ++axis) {
    for (int below = 0; below < 2; ++below) {
      Ticks lower = cube;
      lower[axis] -= below;
      for (int side = 0; side < 4; ++side) visit(BaseTet{lower, axis, side});
    }
  }
}

// The tets of cube (0, 0, 0), without the grid's origin: all other cubes look the same.
std::vector<TetPlanes> tets_of_first_cube(double edge) {
  const CubeGrid at_zero{Vec3::Zero(), edge, {}};
  std::vector<TetPlanes> tets;
  for_tets_of_cube({0, 0, 0}, [&](const BaseTet& tet) { tets.emplace_back(corners_of(at_zero, tet)); });
  return tets;
}

class TriangleCover {
 public:
  TriangleCover(const Soup& soup, const CubeGrid& grid, const std::vector<TetPlanes>& tets, int triangle,
                std::vector<Pair>& pairs)
      : grid_(grid),
        tets_(tets),
        triangle_(triangle),
        corners_(soup.corners(triangle)),
        normal_(soup.normals[triangle]),
        pairs_(pairs) {
    Ticks low, high;
    for (int a = 0; a < 3; ++a) {
      const double least = std::min({corners_[0][a], corners_[1][a], corners_[2][a]});
      const double most = std::max({corners_[0][a], corners_[1][a], corners_[2][a]});
      low[a] = static_cast<int>(std::floor((least - grid.origin[a]) / grid.edge - 1e-6));
      high[a] = static_cast<int>(std::floor((most - grid.origin[a]) / grid.edge + 1e-6));
    }
    const size_t before = pairs.size();
    descend(low, high);
    std::sort(pairs.begin() + static_cast<std::ptrdiff_t>(before), pairs.end());
    pairs.erase(std::unique(pairs.begin() + static_cast<std::ptrdiff_t>(before), pairs.end()), pairs.end());
  }

 private:
  // Blocks of cubes, halved as long as the plane of the triangle passes through them.
  void descend(const Ticks& low, const Ticks& high) {
    Vec3 middle, half;
    int longest = 0;
    for (int a = 0; a < 3; ++a) {
      middle[a] = grid_.origin[a] + grid_.edge * 0.5 * (low[a] + high[a] + 1);
      half[a] = grid_.edge * (0.5 * (high[a] - low[a] + 1) + 1e-6);
      if (high[a] - low[a] > high[longest] - low[longest]) longest = a;
    }
    if (std::abs(normal_.dot(middle - corners_[0])) > normal_.cwiseAbs().dot(half)) return;
    if (low == high) return test(low);
    Ticks below = high, above = low;
    below[longest] = (low[longest] + high[longest]) / 2;
    above[longest] = below[longest] + 1;
    descend(low, below);
    descend(above, high);
  }

  void test(const Ticks& cube) {
    const Vec3 shift = grid_.origin + grid_.edge * Vec3(cube[0], cube[1], cube[2]);
    const std::array<Vec3, 3> local{corners_[0] - shift, corners_[1] - shift, corners_[2] - shift};
    size_t k = 0;
    for_tets_of_cube(cube, [&](const BaseTet& tet) {
      if (clip(tets_[k++], local, slack_of(grid_.edge)).any) pairs_.emplace_back(key_of(grid_, tet), triangle_);
    });
  }

  const CubeGrid& grid_;
  const std::vector<TetPlanes>& tets_;
  int triangle_;
  std::array<Vec3, 3> corners_;
  Vec3 normal_;
  std::vector<Pair>& pairs_;
};

// Tets behind the surface: outwards from those at it, as long as the winding number says inside.
std::vector<int64_t> find_inside(const WindingNumber& winding, const CubeGrid& grid,
                                 const std::vector<int64_t>& crossed) {
  std::unordered_set<int64_t> seen(crossed.begin(), crossed.end());
  std::vector<int64_t> inside, frontier, from = crossed;
  while (!from.empty()) {
    frontier.clear();
    for (int64_t key : from) {
      const BaseTet tet = tet_of(grid, key);
      for (int f = 0; f < 4; ++f) {
        const BaseTet other = tet.across(f);
        // One cube of margin: an open surface may have its inside anywhere.
        bool within = true;
        for (int a = 0; a < 3; ++a) within &= other.cube[a] >= 1 && other.cube[a] + 2 < grid.n[a];
        if (!within) continue;
        if (const int64_t k = key_of(grid, other); seen.insert(k).second) frontier.push_back(k);
      }
    }
    std::vector<char> solid(frontier.size(), 0);
    parallel_for(frontier.size(), kGrain, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        const auto c = corners_of(grid, tet_of(grid, frontier[i]));
        solid[i] = is_solid(winding(0.25 * (c[0] + c[1] + c[2] + c[3])));
      }
    });
    from.clear();
    for (size_t i = 0; i < frontier.size(); ++i) {
      if (solid[i]) from.push_back(frontier[i]);
    }
    inside.insert(inside.end(), from.begin(), from.end());
  }
  return inside;
}

}  // namespace

CubeGrid grid_around(const Points& points, double edge) {
  const Box box = bounding_box(points);
  CubeGrid grid;
  grid.edge = edge;
  // Shares of an edge that no drawn surface is aligned with: a surface within a lattice plane would be neither side.
  const Vec3 shift(0.41421356, 0.23606798, 0.64575131);
  grid.origin = box.low - edge * (Vec3::Constant(2) + shift);
  for (int a = 0; a < 3; ++a) grid.n[a] = static_cast<int64_t>(std::ceil(box.size()[a] / edge + shift[a])) + 4;
  return grid;
}

Cover cover(const Soup& soup, const WindingNumber& winding, const CubeGrid& grid) {
  const size_t n = soup.triangles.size();
  const auto tets = tets_of_first_cube(grid.edge);
  std::vector<std::vector<Pair>> parts((n + kGrain - 1) / kGrain);
  parallel_for(n, kGrain, [&](size_t begin, size_t end) {
    for (size_t t = begin; t < end; ++t) TriangleCover(soup, grid, tets, static_cast<int>(t), parts[begin / kGrain]);
  });
  std::vector<Pair> pairs;
  for (const auto& part : parts) pairs.insert(pairs.end(), part.begin(), part.end());
  std::sort(pairs.begin(), pairs.end());

  std::vector<int64_t> crossed;
  for (const Pair& p : pairs) {
    if (crossed.empty() || crossed.back() != p.first) crossed.push_back(p.first);
  }
  Cover out;
  out.keys = crossed;
  if (!winding.empty()) {
    const auto inside = find_inside(winding, grid, crossed);
    out.keys.insert(out.keys.end(), inside.begin(), inside.end());
    std::sort(out.keys.begin(), out.keys.end());
  }
  out.first.push_back(0);
  for (int64_t key : out.keys) {
    size_t at = out.triangle.size();
    while (at < pairs.size() && pairs[at].first == key) out.triangle.push_back(pairs[at++].second);
    out.first.push_back(static_cast<int>(at));
  }
  return out;
}

double expected_tets(const Soup& soup, const Cover& cover, const GradedLattice& lattice) {
  const auto& tets = lattice.tets();
  return parallel_sum(tets.size(), kGrain, [&](size_t begin, size_t end) {
    double n = 0;
    for (size_t i = begin; i < end; ++i) {
      const LeafTet& tet = tets[i];
      const int first = cover.first[tet.base], last = cover.first[tet.base + 1];
      if (tet.halvings == 0 || first == last) {
        ++n;
        continue;
      }
      const TetPlanes planes(lattice.corners(tet));
      const bool touched = std::any_of(cover.triangle.begin() + first, cover.triangle.begin() + last, [&](int t) {
        return clip(planes, soup.corners(t), slack_of(lattice.grid().edge)).any;
      });
      n += touched ? 1 : 0.5;
    }
    return n;
  });
}

}  // namespace supple
