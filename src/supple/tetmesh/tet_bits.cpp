#include "supple/tetmesh/tet_bits.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace supple {

namespace {

// Share of a small tet that is solid, from the shares of its edges. `in` are the corners of one bit (bits 0..3);
// reach[i][j]: how much of the edge from i to j, counted from i.
double solid_share(unsigned in, const std::array<std::array<double, 4>, 4>& reach) {
  std::array<int, 4> inner{}, outer{};
  int n = 0, m = 0;
  for (int c = 0; c < 4; ++c) (in >> c & 1 ? inner[n++] : outer[m++]) = c;
  if (n == 4) return 1;
  if (n == 1) return reach[inner[0]][outer[0]] * reach[inner[0]][outer[1]] * reach[inner[0]][outer[2]];
  if (n == 3) {
    double rest = 1;
    for (int c = 0; c < 3; ++c) rest *= 1 - reach[inner[c]][outer[0]];
    return 1 - rest;
  }
  // A wedge, cut into three tets.
  const double x = reach[inner[0]][outer[0]], y = reach[inner[0]][outer[1]];
  const double z = reach[inner[1]][outer[0]], w = reach[inner[1]][outer[1]];
  return x * y + (1 - x) * y * z + (1 - y) * z * w;
}

}  // namespace

std::array<Ticks, SampleGrid::kPoints> sample_ticks(const GradedLattice& lattice, const LeafTet& tet) {
  const SampleGrid& grid = SampleGrid::get();
  std::array<Ticks, SampleGrid::kPoints> ticks{};
  for (int p = 0; p < SampleGrid::kPoints; ++p) {
    for (int a = 0; a < 3; ++a) {
      for (int c = 0; c < 4; ++c) ticks[p][a] += grid.share[p][c] * lattice.vertices()[tet.vertex[c]][a];
      ticks[p][a] /= SampleGrid::kParts;
    }
  }
  return ticks;
}

// Triangles in the tet. Sets out.crossed.
void BitFinder::clip_triangles(const LeafTet& tet, TetContents& out) const {
  const TetPlanes planes(lattice_.corners(tet));
  for (int i = cover_.first[tet.base]; i < cover_.first[tet.base + 1]; ++i) {
    const int t = cover_.triangle[i];
    const Clipped c = clip(planes, soup_.corners(t), slack_of(lattice_.grid().edge));
    if (!c.any) continue;
    out.triangle.push_back(t);
    out.faces.push_back(static_cast<unsigned char>(c.faces));
  }
  out.crossed = !out.triangle.empty();
}

// w: winding numbers of the sample points.
void BitFinder::find(const LeafTet& tet, const std::array<double, kPoints>& w, TetContents& out) {
  load(tet, w, out);
  follow_lines();
  follow_surface();
  follow_rays();
  number_bits(out);
  measure_fill(tet, out);
}

int BitFinder::root(int node) {
  while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
  return node;
}
void BitFinder::join(int a, int b) {
  a = root(a), b = root(b);
  parent_[std::max(a, b)] = std::min(a, b);
}

void BitFinder::load(const LeafTet& tet, const std::array<double, kPoints>& w, const TetContents& out) {
  planes_ = TetPlanes(lattice_.corners(tet));
  w_ = w;
  const auto ticks = sample_ticks(lattice_, tet);
  for (int p = 0; p < kPoints; ++p) points_[p] = lattice_.grid().position(ticks[p]);
  parts_.clear();
  for (int t : out.triangle) {
    Part part;
    part.triangle = t;
    part.sheet = soup_.sheet[t];
    part.corners = soup_.corners(t);
    part.clipped = clip(planes_, part.corners, slack_of(lattice_.grid().edge));
    for (int c = 0; c < 3; ++c) part.ids[c] = soup_.place[soup_.triangles[t][c]];
    part.normal = soup_.normals[t];
    parts_.push_back(part);
  }
  parent_.resize(kPoints + parts_.size());
  std::iota(parent_.begin(), parent_.end(), 0);
}

// Solid triangles that the line passes through, in order; `but` is left out.
void BitFinder::find_hits(const Vec3& p, const Vec3& q, int but) {
  hits_.clear();
  for (int i = 0; i < static_cast<int>(parts_.size()); ++i) {
    const Part& part = parts_[i];
    if (part.sheet || i == but) continue;
    double t = 0;
    if (passes_through(p, q, part.corners, part.ids, part.normal, t))
      hits_.push_back({t, i, part.normal.dot(q - p) > 0 ? -1 : 1});
  }
  std::sort(hits_.begin(), hits_.end());
}

// Along each small edge: what is in the solid without a break is one bit.
void BitFinder::follow_lines() {
  const auto& edges = SampleGrid::get().edges;
  reach_.assign(edges.size(), {0, 0});
  for (size_t e = 0; e < edges.size(); ++e) {
    const auto [p, q] = edges[e];
    find_hits(points_[p], points_[q]);
    int total = 0;
    for (const Hit& hit : hits_) total += hit.step;
    int now = is_solid(w_[p]) ? p : -1, passed = 0;
    double left = -1, entered = -1;  // where the solid from p ends, where the one up to q begins
    for (const Hit& hit : hits_) {
      passed += hit.step;
      // From both ends, as the winding number of an open surface varies along the way.
      const double after = (1 - hit.t) * (w_[p] + passed) + hit.t * (w_[q] - (total - passed));
      if (now >= 0) join(now, kPoints + hit.part);
      if (now >= 0 && !is_solid(after)) {
        if (left < 0) left = hit.t;
        now = -1;
      } else if (now < 0 && is_solid(after)) {
        now = kPoints + hit.part;
        entered = hit.t;
      }
    }
    const bool p_in = is_solid(w_[p]), q_in = is_solid(w_[q]);
    if (now >= 0 && q_in) join(now, q);
    if (p_in) reach_[e][0] = left >= 0 ? left : q_in ? 1 : 0.5;
    if (q_in) reach_[e][1] = entered >= 0 ? 1 - entered : p_in ? 1 : 0.5;
  }
}

void BitFinder::follow_surface() {
  for (size_t i = 0; i < parts_.size(); ++i) {
    for (int c = 0; c < 3; ++c) {
      const int other = soup_.next[parts_[i].triangle][c];
      if (other < 0 || !(parts_[i].clipped.edges >> c & 1)) continue;
      const auto found = std::lower_bound(parts_.begin(), parts_.end(), other,
                                          [](const Part& part, int t) { return part.triangle < t; });
      if (found == parts_.end() || found->triangle != other) continue;
      join(kPoints + static_cast<int>(i), kPoints + static_cast<int>(found - parts_.begin()));
    }
  }
}

double BitFinder::depth_of_tet(const Vec3& p, const Vec3& direction) const {
  double depth = std::numeric_limits<double>::infinity();
  for (int f = 0; f < 4; ++f) {
    const double slope = planes_.normal[f].dot(direction);
    if (slope < 0) depth = std::min(depth, std::max(0.0, planes_.height(f, p)) / -slope);
  }
  return depth;
}

// Walks from part i, just behind it, to q. True when the solid does not end before.
bool BitFinder::walk_inwards(int i, const Vec3& p, const Vec3& q, double start, double* end) {
  find_hits(p, q, i);
  double w = start;
  for (const Hit& hit : hits_) {
    join(kPoints + i, kPoints + hit.part);
    w += hit.step;
    if (is_solid(w)) continue;
    if (end) *end = hit.t;
    return false;
  }
  return true;
}

// Walls are joined through the solid between them, also where that is too thin to hold a sample point. Of a dense
// surface some triangles will do, and one at least of each bit.
void BitFinder::follow_rays() {
  constexpr int kRays = 48;
  const int n = static_cast<int>(parts_.size()), stride = n / kRays + 1;
  for (int i = 0; i < n; ++i) {
    if (i % stride == 0) cast_ray(i);
  }
  std::vector<char> reached(parent_.size(), 0);
  for (int i = 0; i < n && stride > 1; ++i) {
    if (parts_[i].chord >= 0) reached[root(kPoints + i)] = 1;
  }
  for (int i = 0; i < n && stride > 1; ++i) {
    const int own = root(kPoints + i);
    if (own < kPoints || reached[own]) continue;
    cast_ray(i);
    reached[root(kPoints + i)] = 1;
  }
}

void BitFinder::cast_ray(int i) {
  Part& part = parts_[i];
  const Vec3& p = part.clipped.middle;
  double start = 1;
  part.chord = 0;
  if (part.sheet) {
    if (winding_.empty()) return;
    start = winding_(p);
    if (!is_solid(start)) return;
  } else {
    const double depth = depth_of_tet(p, -part.normal);
    double share = 1;
    walk_inwards(i, p, p - depth * part.normal, start, &share);
    part.chord = share * depth;
  }
  reach_a_point(i, p, start);
}

// A part that no line has met: to the nearest solid points in sight.
void BitFinder::reach_a_point(int i, const Vec3& p, double start) {
  constexpr int kTries = 6;
  std::array<std::pair<double, int>, kPoints> near;
  int n = 0;
  const int own = root(kPoints + i);
  if (own < kPoints) return;
  for (int s = 0; s < kPoints; ++s) {
    if (is_solid(w_[s])) near[n++] = {(points_[s] - p).squaredNorm(), s};
  }
  std::sort(near.begin(), near.begin() + n);
  for (int k = 0; k < std::min(n, kTries); ++k) {
    const Vec3& q = points_[near[k].second];
    if (!parts_[i].sheet && parts_[i].normal.dot(q - p) >= 0) continue;
    if (!walk_inwards(i, p, q, start, nullptr)) continue;
    join(kPoints + i, near[k].second);
    return;
  }
}

void BitFinder::number_bits(TetContents& out) {
  std::vector<int> bit_of_root(parent_.size(), -1);
  const auto bit = [&](int node) {
    int& b = bit_of_root[options_.keep_apart ? root(node) : 0];
    if (b < 0) b = out.n_bits++;
    return b;
  };
  for (int p = 0; p < kPoints; ++p) out.point_bit[p] = is_solid(w_[p]) ? bit(p) : -1;
  for (int i = 0; i < static_cast<int>(parts_.size()); ++i) out.bit.push_back(bit(kPoints + i));
}

void BitFinder::measure_fill(const LeafTet& tet, TetContents& out) const {
  const SampleGrid& grid = SampleGrid::get();
  out.fill.assign(out.n_bits, 0);
  for (int s = 0; s < SampleGrid::kTets; ++s) {
    std::array<std::array<double, 4>, 4> reach{};
    int k = 0;
    for (int i = 0; i < 4; ++i) {
      for (int j = i + 1; j < 4; ++j) {
        const auto& r = reach_[grid.edge_of[s][k++]];
        const bool forward = grid.tets[s][i] < grid.tets[s][j];
        reach[i][j] = r[forward ? 0 : 1];
        reach[j][i] = r[forward ? 1 : 0];
      }
    }
    unsigned left = 0;
    for (int c = 0; c < 4; ++c) left |= unsigned{out.point_bit[grid.tets[s][c]] >= 0} << c;
    while (left) {
      int lead = 0;
      while (!(left >> lead & 1)) ++lead;
      const int bit = out.point_bit[grid.tets[s][lead]];
      unsigned group = 0;
      for (int c = lead; c < 4; ++c) {
        if ((left >> c & 1) && out.point_bit[grid.tets[s][c]] == bit) group |= 1u << c;
      }
      out.fill[bit] += solid_share(group, reach) / SampleGrid::kTets;
      left &= ~group;
    }
  }
  // Bits between the sample points: from both walls half of what is behind them. Sheets: by their thickness.
  const double volume = lattice_.volume(tet);
  std::vector<double> area(out.n_bits, 0), measured(out.n_bits, 0), behind(out.n_bits, 0), sheet(out.n_bits, 0);
  for (size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    const int bit = out.bit[i];
    (part.sheet ? sheet : area)[bit] += part.clipped.area;
    if (part.sheet || part.chord < 0) continue;
    measured[bit] += part.clipped.area;
    behind[bit] += part.clipped.area * part.chord;
  }
  for (int b = 0; b < out.n_bits; ++b) {
    if (out.fill[b] <= 0 && measured[b] > 0) out.fill[b] = 0.5 * area[b] * behind[b] / measured[b] / volume;
    out.fill[b] += sheet[b] * options_.sheet_thickness / volume;
  }
  constexpr double kFloor = 0.02;
  for (double& f : out.fill) f = std::clamp(f, kFloor, 1.0);
}

}  // namespace supple
