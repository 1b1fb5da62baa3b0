#include "supple/tetmesh/graded_lattice.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "supple/mesh/tet_mesh.h"

namespace supple {

namespace {
constexpr std::array<std::array<int, 2>, 4> kRing{{{0, 0}, {1, 0}, {1, 1}, {0, 1}}};

// The two corners of a tet that are neither i nor j, i < j.
std::array<int, 2> others(int i, int j) {
  std::array<int, 2> rest{};
  for (int c = 0, n = 0; c < 4; ++c) {
    if (c != i && c != j) rest[n++] = c;
  }
  return rest;
}
}  // namespace

std::array<Ticks, 4> BaseTet::corners() const {
  const int v = (axis + 1) % 3, w = (axis + 2) % 3;
  std::array<Ticks, 4> c;
  for (int a = 0; a < 3; ++a) c[0][a] = cube[a] * kTicks + kTicks / 2;
  c[1] = c[0];
  c[1][axis] += kTicks;
  for (int k = 0; k < 2; ++k) {
    const auto& ring = kRing[(side + k) % 4];
    Ticks& corner = c[2 + k];
    corner[axis] = (cube[axis] + 1) * kTicks;
    corner[v] = (cube[v] + ring[0]) * kTicks;
    corner[w] = (cube[w] + ring[1]) * kTicks;
  }
  return c;
}

BaseTet BaseTet::across(int face) const {
  BaseTet other = *this;
  if (face >= 2) {  // around the line between the centres
    other.side = (side + (face == 2 ? 1 : 3)) % 4;
    return other;
  }
  // Around the edge of the square: from the centre that stays on to the cube beyond the edge.
  const bool keeps_upper = face == 0;
  Ticks kept = cube;
  kept[axis] += keeps_upper;
  const int beyond = side % 2 ? (axis + 1) % 3 : (axis + 2) % 3;
  const bool up = side == 1 || side == 2;
  other.cube = kept;
  if (!up) --other.cube[beyond];
  other.axis = beyond;
  const bool high = !keeps_upper;  // of the kept cube, along the old axis
  if (axis == (beyond + 2) % 3) {
    other.side = high ? 2 : 0;
  } else {
    other.side = high ? 1 : 3;
  }
  return other;
}

int64_t key_of(const CubeGrid& grid, const BaseTet& t) {
  return ((t.cube[0] * grid.n[1] + t.cube[1]) * grid.n[2] + t.cube[2]) * 12 + t.axis * 4 + t.side;
}

BaseTet tet_of(const CubeGrid& grid, int64_t key) {
  BaseTet t;
  t.side = static_cast<int>(key % 4);
  t.axis = static_cast<int>(key / 4 % 3);
  key /= 12;
  t.cube = {static_cast<int>(key / (grid.n[1] * grid.n[2])), static_cast<int>(key / grid.n[2] % grid.n[1]),
            static_cast<int>(key % grid.n[2])};
  return t;
}

BaseTet locate(const CubeGrid& grid, const Vec3& p) {
  BaseTet t;
  Vec3 d;  // from the centre of its cube
  for (int a = 0; a < 3; ++a) {
    const double x = (p[a] - grid.origin[a]) / grid.edge;
    t.cube[a] = static_cast<int>(std::floor(x));
    d[a] = x - t.cube[a] - 0.5;
  }
  d.cwiseAbs().maxCoeff(&t.axis);
  if (d[t.axis] < 0) --t.cube[t.axis];
  const double dv = d[(t.axis + 1) % 3], dw = d[(t.axis + 2) % 3];
  if (std::abs(dv) > std::abs(dw)) {
    t.side = dv > 0 ? 1 : 3;
  } else {
    t.side = dw > 0 ? 2 : 0;
  }
  return t;
}

uint64_t pack(const Ticks& t) {
  return static_cast<uint64_t>(t[0]) << 42 | static_cast<uint64_t>(t[1]) << 21 | static_cast<uint64_t>(t[2]);
}

GradedLattice::GradedLattice(const CubeGrid& grid, const std::vector<int64_t>& base_keys)
    : grid_(grid), base_keys_(base_keys) {
  tets_.reserve(base_keys.size());
  for (size_t i = 0; i < base_keys.size(); ++i) {
    LeafTet leaf;
    leaf.base = static_cast<int>(i);
    const auto corners = tet_of(grid, base_keys[i]).corners();
    for (int c = 0; c < 4; ++c) leaf.vertex[c] = vertex_at(corners[c]);
    tets_.push_back(leaf);
  }
}

int GradedLattice::vertex_at(const Ticks& t) {
  const auto [found, is_new] = at_.try_emplace(pack(t), static_cast<int>(vertices_.size()));
  if (is_new) vertices_.push_back(t);
  return found->second;
}

double GradedLattice::volume(const LeafTet& t) const {
  return grid_.edge * grid_.edge * grid_.edge / 12 / (1 << t.halvings);
}

std::array<int, 2> GradedLattice::edge_to_halve(const LeafTet& t) const {
  if (t.halvings == 0) return {0, 1};
  std::array<int, 2> longest{};
  int best = -1;
  for (int i = 0; i < 4; ++i) {
    for (int j = i + 1; j < 4; ++j) {
      int length2 = 0;
      for (int a = 0; a < 3; ++a) {
        const int d = vertices_[t.vertex[i]][a] - vertices_[t.vertex[j]][a];
        length2 += d * d;
      }
      if (length2 > best) best = length2, longest = {i, j};
    }
  }
  return longest;
}

void GradedLattice::refine(const Points& points, const std::vector<double>& wishes) {
  struct Pending {
    LeafTet tet;
    int first, last;  // of `held`
    bool asked;
  };
  // Points by the tet that holds them.
  std::unordered_map<int64_t, int> number;
  for (size_t i = 0; i < base_keys_.size(); ++i) number.emplace(base_keys_[i], static_cast<int>(i));
  std::vector<std::pair<int, int>> homes;
  for (size_t i = 0; i < points.size(); ++i) {
    const auto found = number.find(key_of(grid_, locate(grid_, points[i])));
    if (found != number.end()) homes.emplace_back(found->second, static_cast<int>(i));
  }
  std::sort(homes.begin(), homes.end());
  std::vector<int> held;
  held.reserve(homes.size());
  for (const auto& home : homes) held.push_back(home.second);
  std::vector<Pending> now, then;
  size_t at = 0;
  for (const LeafTet& t : tets_) {
    const size_t first = at;
    while (at < homes.size() && homes[at].first == t.base) ++at;
    now.push_back({t, static_cast<int>(first), static_cast<int>(at), false});
  }

  const auto edge_key = [](int a, int b) {
    const auto [low, high] = std::minmax(a, b);
    return static_cast<uint64_t>(low) << 32 | static_cast<uint64_t>(high);
  };
  std::vector<double> sorted;
  const auto wants = [&](const Pending& p) {
    if (p.first == p.last || p.tet.halvings >= kMaxHalvings) return false;
    sorted.clear();
    for (int i = p.first; i < p.last; ++i) sorted.push_back(wishes[held[i]]);
    std::nth_element(sorted.begin(), sorted.begin() + sorted.size() / 2, sorted.end());
    // Of the edge lengths that halving gives, the nearest to the wish.
    const double now_edge = grid_.edge * std::exp2(-p.tet.halvings / 3.0);
    return now_edge > sorted[sorted.size() / 2] * std::exp2(1.0 / 6);
  };
  std::unordered_set<uint64_t> halved;
  const auto hangs = [&](const LeafTet& t) {
    for (int i = 0; i < 4; ++i) {
      for (int j = i + 1; j < 4; ++j) {
        if (halved.contains(edge_key(t.vertex[i], t.vertex[j]))) return true;
      }
    }
    return false;
  };

  for (bool changed = true; changed;) {
    changed = false;
    then.clear();
    for (Pending& p : now) {
      const bool wanted = !p.asked && wants(p);
      p.asked = true;
      if (!wanted && (halved.empty() || !hangs(p.tet))) {
        then.push_back(p);
        continue;
      }
      changed = true;
      const auto [i, j] = edge_to_halve(p.tet);
      const int a = p.tet.vertex[i], b = p.tet.vertex[j];
      halved.insert(edge_key(a, b));
      Ticks middle;
      for (int axis = 0; axis < 3; ++axis) middle[axis] = (vertices_[a][axis] + vertices_[b][axis]) / 2;
      const int m = vertex_at(middle);
      Pending one = p, two = p;
      one.tet.vertex[j] = m;
      two.tet.vertex[i] = m;
      ++one.tet.halvings, ++two.tet.halvings;
      one.asked = two.asked = false;
      // Its points go with the half that they are in.
      const Vec3 centre = position(m), k = position(p.tet.vertex[others(i, j)[0]]),
                 l = position(p.tet.vertex[others(i, j)[1]]);
      const double side = tet_volume(centre, k, l, position(a));
      const auto split = std::stable_partition(held.begin() + p.first, held.begin() + p.last, [&](int point) {
        return tet_volume(centre, k, l, points[point]) * side >= 0;
      });
      one.last = two.first = static_cast<int>(split - held.begin());
      then.push_back(one);
      then.push_back(two);
    }
    std::swap(now, then);
  }
  tets_.clear();
  for (const Pending& p : now) tets_.push_back(p.tet);
}

}  // namespace supple
