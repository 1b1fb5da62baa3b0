#include "supple/tetmesh/contents.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "supple/base/parallel.h"
#include "supple/tetmesh/clip.h"

namespace supple {

namespace {

constexpr int kPoints = SampleGrid::kPoints;

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

// The work on one tet; kept for the next so that its lists need no new memory.
class Sorting {
 public:
  Sorting(const Soup& soup, const WindingNumber& winding, const GradedLattice& lattice, const Cover& cover,
          const ContentsOptions& options)
      : soup_(soup), winding_(winding), lattice_(lattice), cover_(cover), options_(options) {}

  // Triangles in the tet. Sets out.crossed.
  void clip_triangles(const LeafTet& tet, TetContents& out) {
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
  void sort(const LeafTet& tet, const std::array<double, kPoints>& w, TetContents& out) {
    load(tet, w, out);
    follow_lines();
    follow_surface();
    follow_rays();
    number_bits(out);
    measure_fill(tet, out);
  }

 private:
  struct Part {  // of a triangle
    int triangle = 0;
    bool sheet = false;
    Clipped clipped;
    std::array<Vec3, 3> corners;
    Tri ids;
    Vec3 normal;
    double chord = 0;  // depth of the solid behind it, within the tet [m]
  };
  struct Hit {
    double t;
    int part, step;  // of the winding number
    bool operator<(const Hit& o) const { return t != o.t ? t < o.t : part < o.part; }
  };

  int root(int node) const {
    while (parent_[node] != node) node = parent_[node];
    return node;
  }
  void join(int a, int b) {
    a = root(a), b = root(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

  void load(const LeafTet& tet, const std::array<double, kPoints>& w, const TetContents& out) {
    const SampleGrid& grid = SampleGrid::get();
    planes_ = TetPlanes(lattice_.corners(tet));
    w_ = w;
    std::array<Ticks, 4> ticks;
    for (int c = 0; c < 4; ++c) ticks[c] = lattice_.vertices()[tet.vertex[c]];
    for (int p = 0; p < kPoints; ++p) {
      Ticks at{};
      for (int c = 0; c < 4; ++c) {
        for (int a = 0; a < 3; ++a) at[a] += grid.share[p][c] * ticks[c][a];
      }
      for (int a = 0; a < 3; ++a) at[a] /= SampleGrid::kParts;
      points_[p] = lattice_.grid().position(at);
    }
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
  void find_hits(const Vec3& p, const Vec3& q, int but = -1) {
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
  void follow_lines() {
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

  void follow_surface() {
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

  double depth_of_tet(const Vec3& p, const Vec3& direction) const {
    double depth = std::numeric_limits<double>::infinity();
    for (int f = 0; f < 4; ++f) {
      const double slope = planes_.normal[f].dot(direction);
      if (slope < 0) depth = std::min(depth, std::max(0.0, planes_.height(f, p)) / -slope);
    }
    return depth;
  }

  // Walks from part i, just behind it, to q. True when the solid does not end before.
  bool walk_inwards(int i, const Vec3& p, const Vec3& q, double start, double* end) {
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

  // Walls are joined through the solid between them, also where that is too thin to hold a sample point.
  void follow_rays() {
    for (int i = 0; i < static_cast<int>(parts_.size()); ++i) {
      Part& part = parts_[i];
      const Vec3& p = part.clipped.middle;
      double start = 1;
      if (part.sheet) {
        if (winding_.empty()) continue;
        start = winding_(p);
        if (!is_solid(start)) continue;
      } else {
        const double depth = depth_of_tet(p, -part.normal);
        double share = 1;
        walk_inwards(i, p, p - depth * part.normal, start, &share);
        part.chord = share * depth;
      }
      reach_a_point(i, p, start);
    }
  }

  // A part that no line has met: to the nearest solid points in sight.
  void reach_a_point(int i, const Vec3& p, double start) {
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

  void number_bits(TetContents& out) {
    std::vector<int> bit_of_root(parent_.size(), -1);
    const auto bit = [&](int node) {
      int& b = bit_of_root[options_.keep_apart ? root(node) : 0];
      if (b < 0) b = out.n_bits++;
      return b;
    };
    for (int p = 0; p < kPoints; ++p) out.point_bit[p] = is_solid(w_[p]) ? bit(p) : -1;
    for (int i = 0; i < static_cast<int>(parts_.size()); ++i) out.bit.push_back(bit(kPoints + i));
  }

  void measure_fill(const LeafTet& tet, TetContents& out) {
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
    std::vector<double> sampled = out.fill;
    const double volume = lattice_.volume(tet);
    for (size_t i = 0; i < parts_.size(); ++i) {
      const Part& part = parts_[i];
      const int bit = out.bit[i];
      if (part.sheet) out.fill[bit] += part.clipped.area * options_.sheet_thickness / volume;
      if (!part.sheet && sampled[bit] <= 0) out.fill[bit] += 0.5 * part.clipped.area * part.chord / volume;
    }
    constexpr double kFloor = 0.02;
    for (double& f : out.fill) f = std::clamp(f, kFloor, 1.0);
  }

  const Soup& soup_;
  const WindingNumber& winding_;
  const GradedLattice& lattice_;
  const Cover& cover_;
  const ContentsOptions& options_;
  TetPlanes planes_{{Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()}};
  std::array<double, kPoints> w_{};
  std::array<Vec3, kPoints> points_;
  std::vector<Part> parts_;
  std::vector<int> parent_;                   // nodes: sample points, then parts
  std::vector<std::array<double, 2>> reach_;  // of each small edge: solid share from its first end, from its second
  std::vector<Hit> hits_;
};

std::array<uint64_t, kPoints> keys_of(const GradedLattice& lattice, const LeafTet& tet) {
  const SampleGrid& grid = SampleGrid::get();
  std::array<uint64_t, kPoints> keys;
  for (int p = 0; p < kPoints; ++p) {
    Ticks at{};
    for (int c = 0; c < 4; ++c) {
      for (int a = 0; a < 3; ++a) at[a] += grid.share[p][c] * lattice.vertices()[tet.vertex[c]][a];
    }
    for (int a = 0; a < 3; ++a) at[a] /= SampleGrid::kParts;
    keys[p] = pack(at);
  }
  return keys;
}

Ticks unpack(uint64_t key) {
  constexpr uint64_t mask = (1u << 21) - 1;
  return {static_cast<int>(key >> 42), static_cast<int>(key >> 21 & mask), static_cast<int>(key & mask)};
}

}  // namespace

std::vector<TetContents> find_contents(const Soup& soup, const WindingNumber& winding, const GradedLattice& lattice,
                                       const Cover& cover, const ContentsOptions& options) {
  const auto& tets = lattice.tets();
  constexpr size_t kGrain = 64;
  std::vector<TetContents> contents(tets.size());
  parallel_for(tets.size(), kGrain, [&](size_t begin, size_t end) {
    Sorting sorting(soup, winding, lattice, cover, options);
    for (size_t i = begin; i < end; ++i) {
      sorting.clip_triangles(tets[i], contents[i]);
      if (contents[i].crossed) continue;
      const auto c = lattice.corners(tets[i]);
      if (winding.empty() || !is_solid(winding(0.25 * (c[0] + c[1] + c[2] + c[3])))) continue;
      contents[i].n_bits = 1;
      contents[i].fill = {1.0};
    }
  });

  // The winding number once at each sample point.
  std::vector<uint64_t> keys;
  for (size_t i = 0; i < tets.size(); ++i) {
    if (!contents[i].crossed) continue;
    const auto own = keys_of(lattice, tets[i]);
    keys.insert(keys.end(), own.begin(), own.end());
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  std::vector<double> w(keys.size(), 0);
  parallel_for(keys.size(), 256, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) w[i] = winding(lattice.grid().position(unpack(keys[i])));
  });

  parallel_for(tets.size(), kGrain, [&](size_t begin, size_t end) {
    Sorting sorting(soup, winding, lattice, cover, options);
    for (size_t i = begin; i < end; ++i) {
      if (!contents[i].crossed) continue;
      const auto own = keys_of(lattice, tets[i]);
      std::array<double, kPoints> own_w;
      for (int p = 0; p < kPoints; ++p)
        own_w[p] = w[static_cast<size_t>(std::lower_bound(keys.begin(), keys.end(), own[p]) - keys.begin())];
      sorting.sort(tets[i], own_w, contents[i]);
    }
  });
  return contents;
}

}  // namespace supple
