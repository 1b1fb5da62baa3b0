#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "tests/cast/measures.h"

namespace supple::cast {

namespace {

constexpr double kReal = 1e-3;      // of the size: shorter edges do not count
constexpr double kStretch = 1.3;    // of the drawn length
constexpr double kTorn = 1e-3;      // of the size
constexpr double kTogether = 1e-5;  // of the size: vertices of one place that the drawn clip keeps there
constexpr double kTouch = 0.01;     // of the size: pieces so near touch
constexpr size_t kMostPieces = 40, kLeastPiece = 4;
constexpr double kMirrored = 4e-3;                // of the size: so near to a vertex' mirror image
constexpr double kDeparts = 1e-3, kStays = 1e-4;  // of the size

double surface_volume(const Points& x, const std::vector<Tri>& faces, const Vec3& about) {
  double sum = 0;
  for (const Tri& f : faces) sum += (x[f[0]] - about).dot((x[f[1]] - about).cross(x[f[2]] - about)) / 6;
  return sum;
}

}  // namespace

void measure_edges(const Seen& s, Numbers& out) {
  out["edge_over"] = 0, out["edge_worst"] = 1;
  std::vector<char> moved(s.shot.bind.size(), 0);
  for (int v : s.moved) moved[v] = 1;
  std::set<std::pair<int, int>> edges;
  for (const Tri& f : s.shot.faces)
    for (int c = 0; c < 3; ++c) {
      const int a = f[c], b = f[(c + 1) % 3];
      if (s.weld[a] != s.weld[b] && (moved[a] || moved[b])) edges.insert({std::min(a, b), std::max(a, b)});
    }
  if (edges.empty()) return;
  double over = 0;
  for (const auto& [a, b] : edges) {
    const double bind = (s.shot.bind[a] - s.shot.bind[b]).norm();
    double most = 0;
    for (size_t f = 0; f < s.d.size(); ++f) {
      const double drawn = (s.shot.drawn[f][a] - s.shot.drawn[f][b]).norm();
      const double soft = (s.shot.soft[f][a] - s.shot.soft[f][b]).norm();
      if (drawn <= kReal * s.size) continue;
      most = std::max(most, soft / drawn);
      out["edge_worst"] = std::max(out["edge_worst"], soft / std::max(drawn, bind));
    }
    over += most > kStretch;
  }
  out["edge_over"] = 100 * over / static_cast<double>(edges.size());
}

void measure_turned(const Seen& s, Numbers& out) {
  std::vector<char> moved(s.shot.bind.size(), 0);
  for (int v : s.moved) moved[v] = 1;
  int turned = 0, counted = 0;
  for (const Tri& t : s.shot.faces) {
    if (!moved[t[0]] && !moved[t[1]] && !moved[t[2]]) continue;
    ++counted;
    bool ever = false;
    for (size_t f = 0; f < s.d.size() && !ever; ++f) {
      const auto normal = [&](const Points& x) -> Vec3 { return (x[t[1]] - x[t[0]]).cross(x[t[2]] - x[t[0]]); };
      const Vec3 a = normal(s.shot.drawn[f]);
      ever = a.norm() > 1e-6 * s.size * s.size && a.dot(normal(s.shot.soft[f])) < 0;
    }
    turned += ever;
  }
  out["flips"] = counted ? 100.0 * turned / counted : 0;
}

void measure_volume(const Seen& s, Numbers& out) {
  std::map<int, int> triangles;
  for (const Tri& f : s.shot.faces) ++triangles[s.piece[f[0]]];
  const int largest = std::max_element(triangles.begin(), triangles.end(), [](const auto& a, const auto& b) {
                        return a.second < b.second;
                      })->first;
  std::vector<Tri> faces;
  std::set<int> vertices;
  for (const Tri& f : s.shot.faces)
    if (s.piece[f[0]] == largest) faces.push_back(f), vertices.insert(f.begin(), f.end());
  double least = INFINITY, most = -INFINITY;
  for (size_t f = 0; f < s.d.size(); ++f) {
    Vec3 middle = Vec3::Zero();
    for (int v : vertices) middle += s.shot.drawn[f][v] / static_cast<double>(vertices.size());
    const double a = surface_volume(s.shot.drawn[f], faces, middle), b = surface_volume(s.shot.soft[f], faces, middle);
    if (std::abs(a) <= 1e-6 * std::pow(s.size, 3)) continue;
    least = std::min(least, b / a), most = std::max(most, b / a);
  }
  if (least <= most) out["volume_least"] = least, out["volume_most"] = most;
}

void measure_seams(const Seen& s, Numbers& out) {
  std::map<int, int> last;  // vertex of each place
  int torn = 0;
  for (int v = 0; v < s.shot.n_vertices(); ++v) {
    const auto [it, fresh] = last.try_emplace(s.weld[v], v);
    if (fresh) continue;
    double drawn = 0, soft = 0;
    for (size_t f = 0; f < s.d.size(); ++f) {
      drawn = std::max(drawn, (s.shot.drawn[f][v] - s.shot.drawn[f][it->second]).norm());
      soft = std::max(soft, (s.shot.soft[f][v] - s.shot.soft[f][it->second]).norm());
    }
    torn += drawn < kTogether * s.size && soft > kTorn * s.size;
    it->second = v;
  }
  out["torn"] = torn;
}

void measure_gaps(const Seen& s, Numbers& out) {
  std::map<int, std::vector<int>> members;
  for (int v = 0; v < s.shot.n_vertices(); ++v) members[s.piece[v]].push_back(v);
  std::vector<std::pair<size_t, int>> order;
  for (const auto& [piece, list] : members)
    if (list.size() >= kLeastPiece) order.emplace_back(list.size(), piece);
  std::sort(order.rbegin(), order.rend());
  if (order.size() > kMostPieces) order.resize(kMostPieces);
  if (order.size() < 2 || s.moved.empty()) return;
  const size_t n = s.d.size();
  std::set<size_t> frames = {n / 3, 2 * n / 3};
  double most = -1;
  size_t liveliest = 0;
  for (size_t f = 0; f < n; ++f) {
    const double far = *std::max_element(s.m[f].begin(), s.m[f].end());
    if (far > most) most = far, liveliest = f;
  }
  frames.insert(liveliest);
  double worst = 0;
  for (size_t f : frames)
    for (const auto& [count, piece] : order) {
      std::vector<double> slides;
      for (int v : members[piece]) {
        double nearest = kTouch * s.size;
        int other = -1;
        for (int w = 0; w < s.shot.n_vertices(); ++w) {
          const double far = (s.shot.drawn[f][v] - s.shot.drawn[f][w]).norm();
          if (far < nearest && s.piece[w] != piece) nearest = far, other = w;
        }
        if (other >= 0) slides.push_back((s.d[f][v] - s.d[f][other]).norm());
      }
      if (slides.size() >= 3) worst = std::max(worst, percentile(slides, 95));
    }
  out["gap"] = s.percent(worst);
}

void measure_sides(const Seen& s, Numbers& out) {
  std::vector<int> body;
  Vec3 low = Vec3::Constant(INFINITY), high = -low;
  for (int v = 0; v < s.shot.n_vertices(); ++v)
    if (s.shot.body[v]) {
      body.push_back(v);
      low = low.cwiseMin(s.shot.bind[v]), high = high.cwiseMax(s.shot.bind[v]);
    }
  const Points& x = s.shot.bind;
  std::vector<std::pair<int, int>> pairs;
  for (int axis : {0, 2}) {
    std::vector<std::pair<int, int>> found;
    for (int v : body) {
      Vec3 image = x[v];
      image[axis] = low[axis] + high[axis] - image[axis];
      const int w = *std::min_element(body.begin(), body.end(), [&](int a, int b) {
        return (x[a] - image).squaredNorm() < (x[b] - image).squaredNorm();
      });
      if ((x[w] - image).norm() < kMirrored * (high - low).norm()) found.emplace_back(v, w);
    }
    if (found.size() > pairs.size()) pairs = found;
  }
  if (2 * pairs.size() < body.size()) return;
  std::vector<double> most(x.size(), 0);
  for (const auto& row : s.m)
    for (size_t v = 0; v < row.size(); ++v) most[v] = std::max(most[v], row[v]);
  int odd = 0;
  for (const auto& [a, b] : pairs)
    odd += std::max(most[a], most[b]) > kDeparts * s.size && std::min(most[a], most[b]) < kStays * s.size;
  out["one_sided"] = 100.0 * odd / static_cast<double>(pairs.size());
}

}  // namespace supple::cast
