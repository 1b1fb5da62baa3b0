#include "supple/demos/shapes/tet_relaxation.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "supple/demos/shapes/skin_surface.h"

namespace supple::demos {

namespace {

using Pair = std::array<int, 2>;
Pair pair_of(int a, int b) { return {std::min(a, b), std::max(a, b)}; }

constexpr double kWorstDrawn = 12;   // badness up to which a vertex is drawn onto the surface
constexpr double kGood = 3;          // and up to which one is moved along it for the sake of its triangles
constexpr double kDeparture = 0.06;  // of an edge: how far triangles may be from the surface that they stand for
constexpr size_t kTried = 60;        // edges that one to be halved is chosen from
constexpr int kHalvingsPerRelaxation = 20;

double squared_edges(const Vec3 (&x)[4]) {
  double sum = 0;
  for (int a = 0; a < 4; ++a)
    for (int b = a + 1; b < 4; ++b) sum += (x[a] - x[b]).squaredNorm();
  return sum;
}

}  // namespace

// (mean squared edge)^(3/2) over the volume, against that of a regular tet [the mean ratio of Liu and Joe 1994, to the
// power -3/2].
double tet_badness(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const double volume = tet_volume(a, b, c, d);
  if (!(volume > 0)) return std::numeric_limits<double>::infinity();
  return std::pow(squared_edges({a, b, c, d}) / 6, 1.5) / (6 * std::sqrt(2.0) * volume);
}

TetRelaxation::TetRelaxation(TetMesh& mesh, SignedDistance f) : mesh_(mesh), f_(std::move(f)) {
  boundary_.assign(mesh_.vertices.size(), 0);
  fan_.resize(mesh_.vertices.size());
  skin_ = boundary_triangles(mesh_.tets);
  for (size_t i = 0; i < skin_.size(); ++i)
    for (int v : skin_[i]) {
      boundary_[v] = 1;
      fan_[v].push_back(static_cast<int>(i));
    }
  around_.assign(mesh_.vertices.size(), {});
  for (size_t i = 0; i < mesh_.tets.size(); ++i)
    for (int v : mesh_.tets[i]) around_[v].push_back(static_cast<int>(i));
}

// Squares, so that the worst count most.
TetRelaxation::Badness TetRelaxation::badness_around(int v, const Vec3& x) const {
  Badness all;
  for (int i : around_[v]) {
    const Tet& t = mesh_.tets[i];
    Vec3 p[4];
    for (int c = 0; c < 4; ++c) p[c] = t[c] == v ? x : mesh_.vertices[t[c]];
    const double bad = tet_badness(p[0], p[1], p[2], p[3]);
    all.sum += bad * bad;
    all.worst = std::max(all.worst, bad);
  }
  return all;
}

Vec3 TetRelaxation::slope_around(int v) const {
  Vec3 slope = Vec3::Zero();
  for (int i : around_[v]) {
    // With v first; the order of the other three only decides the sign of the volume, which is known.
    const Tet& t = mesh_.tets[i];
    Vec3 p[4] = {mesh_.vertices[v], {}, {}, {}};
    for (int c = 0, k = 1; c < 4; ++c)
      if (t[c] != v) p[k++] = mesh_.vertices[t[c]];
    const double six_volumes = (p[1] - p[0]).cross(p[2] - p[0]).dot(p[3] - p[0]);
    const Vec3 d_volume = -(p[2] - p[1]).cross(p[3] - p[1]);  // of six volumes
    const Vec3 d_edges = 2 * (3 * p[0] - p[1] - p[2] - p[3]);
    const double bad =
        tet_badness(mesh_.vertices[t[0]], mesh_.vertices[t[1]], mesh_.vertices[t[2]], mesh_.vertices[t[3]]);
    slope += 2 * bad * bad * (1.5 * d_edges / squared_edges(p) - d_volume / six_volumes);
  }
  return slope;
}

Vec3 TetRelaxation::onto(Vec3 x) const {
  for (int k = 0; k < 6; ++k) {
    const Vec3 g = gradient(f_, x);
    const double g2 = g.squaredNorm();
    if (g2 < 0.04) break;
    x -= f_(x) / g2 * g;
  }
  return x;
}

double TetRelaxation::departure(int v, const Vec3& x) const {
  double most = 0;
  for (int i : fan_[v]) {
    Vec3 p[3];
    for (int c = 0; c < 3; ++c) p[c] = skin_[i][c] == v ? x : mesh_.vertices[skin_[i][c]];
    most = std::max(most, std::abs(f_((p[0] + p[1] + p[2]) / 3)));
    for (int c = 0; c < 3; ++c) most = std::max(most, std::abs(f_((p[c] + p[(c + 1) % 3]) / 2)));
  }
  return most;
}

// Without this, vertices would slide off ends and rims, which shrink.
bool TetRelaxation::keeps_shape(int v, const Vec3& to) const {
  const Vec3& x = mesh_.vertices[v];
  double reach = 0;
  for (int i : fan_[v])
    for (int w : skin_[i]) reach = std::max(reach, (mesh_.vertices[w] - x).norm());
  return departure(v, to) <= std::max(departure(v, x), kDeparture * reach);
}

void TetRelaxation::improve(int v) {
  const Vec3 x = mesh_.vertices[v];
  Vec3 down = -slope_around(v);
  if (boundary_[v]) {
    const Vec3 n = gradient(f_, x).normalized();
    down -= down.dot(n) * n;
  }
  const double length = down.norm();
  if (!(length > 0) || !std::isfinite(length)) return;
  double reach = 0;
  for (int i : around_[v])
    for (int w : mesh_.tets[i]) reach = std::max(reach, (mesh_.vertices[w] - x).norm());
  const double now = badness_around(v, x).sum;
  for (double step = 0.25 * reach; step > 1e-3 * reach; step /= 2) {
    Vec3 to = x + step / length * down;
    if (boundary_[v]) to = onto(to);
    if (badness_around(v, to).sum < now && (!boundary_[v] || keeps_shape(v, to))) {
      mesh_.vertices[v] = to;
      return;
    }
  }
}

void TetRelaxation::spread(int v) {
  const Vec3 x = mesh_.vertices[v];
  const double worst = badness_around(v, x).worst;
  if (worst > kGood) return improve(v);
  Vec3 sum = Vec3::Zero();
  double area = 0;
  for (int i : fan_[v]) {
    const Vec3 &a = mesh_.vertices[skin_[i][0]], &b = mesh_.vertices[skin_[i][1]], &c = mesh_.vertices[skin_[i][2]];
    const double part = (b - a).cross(c - a).norm();
    sum += part * (a + b + c) / 3;
    area += part;
  }
  const Vec3 n = gradient(f_, x).normalized();
  Vec3 move = sum / area - x;
  move -= move.dot(n) * n;
  for (double share = 1; share > 0.1; share /= 2) {
    const Vec3 to = onto(x + share * move);
    if (badness_around(v, to).worst > kGood || !keeps_shape(v, to)) continue;
    mesh_.vertices[v] = to;
    return;
  }
}

void TetRelaxation::relax(int sweeps, bool inside_only) {
  for (int s = 0; s < sweeps; ++s)
    for (int v = 0; v < mesh_.n_vertices(); ++v) {
      if (!boundary_[v])
        improve(v);
      else if (f_ && !inside_only)
        spread(v);
    }
}

double TetRelaxation::draw_in() {
  double left = 0;
  for (int v = 0; v < mesh_.n_vertices(); ++v) {
    if (!boundary_[v]) continue;
    const Vec3 x = mesh_.vertices[v], all = onto(x) - x;
    const double allowed = std::max(badness_around(v, x).worst, kWorstDrawn);
    double share = 1;
    while (share > 0.01 && badness_around(v, x + share * all).worst > allowed) share /= 2;
    if (share > 0.01) mesh_.vertices[v] = x + share * all;
    left = std::max(left, std::abs(f_(mesh_.vertices[v])));
  }
  return left;
}

void TetRelaxation::halve(int n) {
  std::set<Pair> outer;
  for (const Tri& t : skin_)
    for (int c = 0; c < 3; ++c) outer.insert(pair_of(t[c], t[(c + 1) % 3]));
  while (n > 0) {
    std::vector<std::pair<double, Pair>> inner;  // the longest first
    for (const Pair& e : unique_edges(mesh_.tets))
      if (!outer.count(e)) inner.emplace_back(-(mesh_.vertices[e[0]] - mesh_.vertices[e[1]]).squaredNorm(), e);
    if (inner.empty()) return;
    std::sort(inner.begin(), inner.end());
    for (int k = 0; k < kHalvingsPerRelaxation && n > 0 && !inner.empty(); ++k, --n) {
      // Of the longest, the one whose halves are best.
      size_t best = 0;
      double least = std::numeric_limits<double>::infinity();
      for (size_t i = 0; i < std::min(inner.size(), kTried); ++i)
        if (const double bad = badness_halved(inner[i].second); bad < least) least = bad, best = i;
      halve_edge(inner[best].second);
      inner.erase(inner.begin() + static_cast<std::ptrdiff_t>(best));
    }
    relax(1, true);
  }
}

double TetRelaxation::badness_halved(const std::array<int, 2>& edge) const {
  const Vec3 middle = (mesh_.vertices[edge[0]] + mesh_.vertices[edge[1]]) / 2;
  double worst = 0;
  for (int i : around_[edge[0]]) {
    const Tet& t = mesh_.tets[i];
    if (std::find(t.begin(), t.end(), edge[1]) == t.end()) continue;
    for (int end : edge) {
      Vec3 p[4];
      for (int c = 0; c < 4; ++c) p[c] = t[c] == end ? middle : mesh_.vertices[t[c]];
      worst = std::max(worst, tet_badness(p[0], p[1], p[2], p[3]));
    }
  }
  return worst;
}

void TetRelaxation::halve_edge(const std::array<int, 2>& edge) {
  const int middle = mesh_.n_vertices();
  mesh_.vertices.push_back((mesh_.vertices[edge[0]] + mesh_.vertices[edge[1]]) / 2);
  boundary_.push_back(0);
  fan_.emplace_back();
  around_.emplace_back();
  std::vector<int>& old = around_[edge[1]];
  const std::vector<int> before = old;
  old.clear();
  for (int i : before) {
    Tet& t = mesh_.tets[i];
    const auto a = std::find(t.begin(), t.end(), edge[0]);
    if (a == t.end()) {
      old.push_back(i);
      continue;
    }
    // This one keeps the first end, the new one the second.
    const int added = mesh_.n_tets();
    Tet other = t;
    other[static_cast<size_t>(a - t.begin())] = middle;
    *std::find(t.begin(), t.end(), edge[1]) = middle;
    mesh_.tets.push_back(other);
    around_[middle].insert(around_[middle].end(), {i, added});
    for (int v : other)
      if (v != middle) around_[v].push_back(added);
  }
  for (int s = 0; s < 3; ++s) improve(middle);
}

}  // namespace supple::demos
