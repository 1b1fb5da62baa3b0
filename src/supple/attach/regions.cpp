#include "supple/attach/regions.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "supple/attach/flesh_core.h"
#include "supple/base/most.h"

namespace supple {
namespace {

constexpr double kOwnPiece = 0.05;  // of a region: a piece as large is no crumb of it

struct Groups {
  std::vector<int> of_tet;                   // -1: driven
  std::vector<double> mass;                  // free volume of each
  std::vector<std::map<int, double>> touch;  // area shared with each neighbour
  Points middle;                             // mass-weighted sum of places
  std::vector<char> trails;
};

std::vector<double> free_volumes(const TetMesh& cage, const std::vector<double>& softness) {
  std::vector<double> volumes = tet_volumes(cage);
  const auto fill = cage.tet_maps.find("fill");
  for (size_t t = 0; t < volumes.size(); ++t) {
    double soft = 0;
    for (const int v : cage.tets[t]) soft += 0.25 * softness[v];
    volumes[t] = std::abs(volumes[t]) * soft;
    if (fill != cage.tet_maps.end()) volumes[t] *= fill->second[t];
  }
  return volumes;
}

// The leading bone of a tet is that of the weights of its corners together.
int tet_leader(const Tet& tet, const SkinWeights& w, const Skeleton& s, std::vector<double>& sums) {
  std::fill(sums.begin(), sums.end(), 0);
  for (const int v : tet) {
    for (int k = w.first[v]; k < w.first[v + 1]; ++k) {
      if (s.index[w.bone[k]] >= 0) sums[s.index[w.bone[k]]] += w.weight[k];
    }
  }
  return static_cast<int>(first_of_most(sums));
}

void add_contacts(const TetMesh& cage, Groups& g) {
  std::map<std::array<int, 3>, int> open;  // face -> the tet that has shown it
  for (int t = 0; t < cage.n_tets(); ++t) {
    if (g.of_tet[t] < 0) continue;
    for (int skip = 0; skip < 4; ++skip) {
      std::array<int, 3> face{};
      for (int c = 0, k = 0; c < 4; ++c) {
        if (c != skip) face[k++] = cage.tets[t][c];
      }
      std::sort(face.begin(), face.end());
      const auto [it, fresh] = open.try_emplace(face, t);
      if (fresh) continue;
      const int a = g.of_tet[it->second], b = g.of_tet[t];
      if (a == b) continue;
      const Vec3 p = cage.vertices[face[0]];
      const double area = 0.5 * (cage.vertices[face[1]] - p).cross(cage.vertices[face[2]] - p).norm();
      g.touch[a][b] += area;
      g.touch[b][a] += area;
    }
  }
}

// The first bone of the part that trails for each bone of one, the bone itself for others.
std::vector<int> group_of_bones(const Skeleton& s, const std::vector<int>& part_of) {
  std::vector<int> group(s.bones.size());
  for (int b = 0; b < static_cast<int>(group.size()); ++b) {
    int first = b;
    while (part_of[b] >= 0 && s.bones[first].parent >= 0 && part_of[s.bones[first].parent] == part_of[b]) {
      first = s.bones[first].parent;
    }
    group[b] = first;
  }
  return group;
}

// The group on the other side; a itself: none.
int other_side_of(const Groups& g, const Skeleton& s, int a) {
  const int twin = s.bones.empty() ? -1 : s.bones[a].twin;
  return twin >= 0 && g.mass[twin] > 0 && g.trails[twin] == g.trails[a] ? twin : a;
}

// Whom group a joins, of those that trail as it does: -1 when there is no other.
int best_neighbour(const Groups& g, const Skeleton& s, int a) {
  int best = -1;
  double most = -1;
  bool best_kin = false;
  for (const auto& [b, area] : g.touch[a]) {
    if (g.trails[b] != g.trails[a]) continue;
    const bool kin = s.above(a, b) || s.above(b, a);
    if (best >= 0 && (kin < best_kin || (kin == best_kin && area <= most))) continue;
    best = b;
    most = area;
    best_kin = kin;
  }
  if (best >= 0) return best;
  // An island: it touches no other flesh and joins the nearest.
  double nearest = 0;
  for (int b = 0; b < static_cast<int>(g.mass.size()); ++b) {
    if (b == a || !(g.mass[b] > 0) || g.trails[b] != g.trails[a]) continue;
    const double d = (g.middle[a] / g.mass[a] - g.middle[b] / g.mass[b]).squaredNorm();
    if (best >= 0 && d >= nearest) continue;
    best = b;
    nearest = d;
  }
  return best;
}

void merge(Groups& g, int from, int into) {
  for (int& t : g.of_tet) {
    if (t == from) t = into;
  }
  g.mass[into] += g.mass[from];
  g.middle[into] += g.middle[from];
  g.mass[from] = 0;
  g.middle[from].setZero();
  for (const auto& [b, area] : g.touch[from]) {
    g.touch[b].erase(from);
    if (b == into) continue;
    g.touch[b][into] += area;
    g.touch[into][b] += area;
  }
  g.touch[from].clear();
}

// Free flesh that hangs together, over all regions: per vertex the lowest of its piece, or itself.
std::vector<int> free_pieces(const TetMesh& cage, const std::vector<double>& softness) {
  std::vector<int> of(cage.vertices.size());
  std::iota(of.begin(), of.end(), 0);
  const auto first_of = [&](int v) {
    while (of[v] != v) v = of[v] = of[of[v]];
    return v;
  };
  for (const Tet& tet : cage.tets) {
    int last = -1;
    for (const int v : tet) {
      if (softness[v] <= 0) continue;
      if (last >= 0) {
        const int a = first_of(last), b = first_of(v);
        of[std::max(a, b)] = std::min(a, b);
      }
      last = v;
    }
  }
  for (int v = 0; v < cage.n_vertices(); ++v) of[v] = first_of(v);
  return of;
}

// A region that something hard cuts in two (a tail that lies on the floor half way) is two: each has its own
// frequency, and other tets are to know which is which by their place.
void separate_pieces(const TetMesh& cage, const std::vector<double>& volumes, Flesh& flesh) {
  const std::vector<int> piece_of = free_pieces(cage, flesh.softness);
  std::vector<std::map<int, double>> pieces(flesh.regions.size());
  std::vector<double> whole(flesh.regions.size(), 0);
  std::vector<int> piece(cage.n_tets(), -1);
  for (int t = 0; t < cage.n_tets(); ++t) {
    const int r = flesh.region[t];
    if (r < 0) continue;
    for (const int v : cage.tets[t]) {
      if (flesh.softness[v] > 0) piece[t] = piece_of[v];
    }
    pieces[r][piece[t]] += volumes[t];
    whole[r] += volumes[t];
  }
  for (size_t r = 0; r < pieces.size(); ++r) {
    std::vector<std::pair<double, int>> heaviest;
    for (const auto& [first, volume] : pieces[r]) heaviest.emplace_back(-volume, first);
    std::sort(heaviest.begin(), heaviest.end());
    for (size_t k = 1; k < heaviest.size() && -heaviest[k].first >= kOwnPiece * whole[r]; ++k) {
      FleshRegion other = flesh.regions[r];
      other.name += " (" + std::to_string(k + 1) + ")";
      for (int t = 0; t < cage.n_tets(); ++t) {
        if (flesh.region[t] == static_cast<int>(r) && piece[t] == heaviest[k].second)
          flesh.region[t] = static_cast<int>(flesh.regions.size());
      }
      flesh.regions.push_back(std::move(other));
    }
  }
}

}  // namespace

void find_regions(const Drawn& drawn, const TetMesh& cage, const Skeleton& skeleton, const std::vector<int>& part_of,
                  Flesh& flesh) {
  const std::vector<double> volumes = free_volumes(cage, flesh.softness);
  const size_t n_groups = std::max<size_t>(1, skeleton.bones.size());
  Groups g;
  g.of_tet.assign(cage.n_tets(), -1);
  g.mass.assign(n_groups, 0);
  g.touch.resize(n_groups);
  g.middle.assign(n_groups, Vec3::Zero());
  g.trails.assign(n_groups, 0);
  std::vector<int> group(n_groups, 0);
  if (!part_of.empty()) group = group_of_bones(skeleton, part_of);
  for (size_t b = 0; b < n_groups && part_of.empty(); ++b) group[b] = static_cast<int>(b);
  for (size_t b = 0; b < part_of.size(); ++b) g.trails[b] = part_of[b] >= 0;
  std::vector<double> sums(n_groups, 0);
  double all = 0;  // of what does not trail
  for (int t = 0; t < cage.n_tets(); ++t) {
    const Tet& tet = cage.tets[t];
    if (std::none_of(tet.begin(), tet.end(), [&](int v) { return flesh.softness[v] > 0; })) continue;
    const int a = g.of_tet[t] = group[tet_leader(tet, flesh.points.skin, skeleton, sums)];
    g.mass[a] += volumes[t];
    for (const int v : tet) g.middle[a] += 0.25 * volumes[t] * cage.vertices[v];
    if (!g.trails[a]) all += volumes[t];
  }
  add_contacts(cage, g);

  for (const bool trails : {false, true}) {
    for (;;) {
      int smallest = -1, count = 0;
      for (int a = 0; a < static_cast<int>(n_groups); ++a) {
        if (!(g.mass[a] > 0) || (g.trails[a] != 0) != trails) continue;
        ++count;
        if (smallest < 0 || g.mass[a] < g.mass[smallest]) smallest = a;
      }
      const bool large = trails || (smallest >= 0 && g.mass[smallest] >= kSmallRegion * all);
      if (count < 2 || (count <= (trails ? kMostTrailing : kMostRegions) && large)) break;
      // Both sides alike, unless one joins the other.
      const int other = other_side_of(g, skeleton, smallest), into = best_neighbour(g, skeleton, smallest);
      const int other_into = other_side_of(g, skeleton, into);
      merge(g, smallest, into);
      if (other != smallest && other != into) merge(g, other, other_into == smallest ? into : other_into);
    }
  }

  // Numbers in the order of the bones.
  std::vector<int> number(n_groups, -1);
  flesh.regions.clear();
  for (size_t a = 0; a < n_groups; ++a) {
    if (!(g.mass[a] > 0)) continue;
    number[a] = static_cast<int>(flesh.regions.size());
    const std::string name = skeleton.bones.empty() ? "body" : skeleton.name(drawn, static_cast<int>(a));
    flesh.regions.push_back({name, 0, 0, g.trails[a] != 0});
  }
  flesh.region.assign(cage.n_tets(), -1);
  for (int t = 0; t < cage.n_tets(); ++t) {
    if (g.of_tet[t] >= 0) flesh.region[t] = number[g.of_tet[t]];
  }
  separate_pieces(cage, volumes, flesh);
  std::vector<double> mass(flesh.regions.size(), 0);
  std::vector<char> counted(cage.n_vertices(), 0);
  for (int t = 0; t < cage.n_tets(); ++t) {
    const int r = flesh.region[t];
    if (r < 0) continue;
    mass[r] += volumes[t];
    for (const int v : cage.tets[t]) {
      flesh.regions[r].half_thickness += 0.25 * volumes[t] * flesh.half_thickness[v];
      if (flesh.softness[v] > 0 && !counted[v]) ++flesh.regions[r].n_free;
      if (flesh.softness[v] > 0) counted[v] = 1;
    }
  }
  for (size_t r = 0; r < mass.size(); ++r) flesh.regions[r].half_thickness /= mass[r];
}

}  // namespace supple
