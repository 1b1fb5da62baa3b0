#include "supple/attach/confine.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>

#include "supple/attach/extend.h"
#include "supple/attach/flesh_graph.h"
#include "supple/attach/flesh_layers.h"

namespace supple {
namespace {

constexpr double kOwnSide = 0.5;     // of a place's share in the area, where its border runs
constexpr double kOfTheArea = 0.5;   // of the way to the middle of an area, that its border takes at most
constexpr double kFelt = 1;          // half-thicknesses beyond the border, that flesh in the area feels
constexpr double kMovedElse = 1e-6;  // softness of skin that something else than bones moves

// What each tet vertex keeps of its softness. Inside the body an area and what is said within it are two fields, or the
// border of an area would move with what is said there.
std::vector<double> kept_inside(const FleshInput& in, const std::vector<double>& allowed) {
  MatX known(static_cast<Eigen::Index>(allowed.size()), 2);
  for (Eigen::Index i = 0; i < known.rows(); ++i)
    known.row(i) << allowed[static_cast<size_t>(i)], allowed[static_cast<size_t>(i)] > 0 ? 1 : 0;
  const MatX inside = Extension(*in.cage, in.skin, *in.blend)(known);
  std::vector<double> kept;
  for (Eigen::Index v = 0; v < inside.rows(); ++v) {
    const double area = inside(v, 1);
    kept.push_back(area < kOwnSide ? 0 : std::clamp(inside(v, 0) / area, 0.0, 1.0));
  }
  return kept;
}

// What is held beside an area would hold the area. It stays as it is as far as that is felt.
void keep_beside(const CageGraph& graph, const Flesh& whole, std::vector<double>& kept) {
  std::vector<double> way(kept.size(), std::numeric_limits<double>::infinity());
  using Reached = std::pair<double, int>;
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> front;
  for (size_t v = 0; v < kept.size(); ++v)
    if (kept[v] > 0 && whole.softness[v] > 0) way[v] = 0, front.emplace(0, static_cast<int>(v));
  while (!front.empty()) {
    const auto [far, v] = front.top();
    front.pop();
    if (far > way[v]) continue;
    for (int k = graph.first[v]; k < graph.first[v + 1]; ++k) {
      const int w = graph.neighbour[k];
      const double next = far + graph.length[k];
      if (whole.softness[w] <= 0 || next >= way[w] || next > kFelt * whole.half_thickness[w]) continue;
      way[w] = next, front.emplace(next, w);
    }
  }
  for (size_t v = 0; v < kept.size(); ++v)
    if (kept[v] <= 0 && std::isfinite(way[v])) kept[v] = 1;
}

// Along the edges of the skin, from skin that is held though it is flesh [m].
std::vector<double> way_from_held(const TriMesh& skin, const Flesh& whole, const std::vector<double>& allowed) {
  std::vector<std::vector<int>> beside(skin.vertices.size());
  for (const Tri& t : skin.triangles)
    for (int k = 0; k < 3; ++k) {
      beside[t[k]].push_back(t[(k + 1) % 3]);
      beside[t[(k + 1) % 3]].push_back(t[k]);
    }
  std::vector<double> way(skin.vertices.size(), std::numeric_limits<double>::infinity());
  using Reached = std::pair<double, int>;
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> front;
  for (size_t i = 0; i < way.size(); ++i)
    if (allowed[i] <= 0 && whole.skin_softness[i] > 0) way[i] = 0, front.emplace(0, static_cast<int>(i));
  while (!front.empty()) {
    const auto [far, i] = front.top();
    front.pop();
    if (far > way[i]) continue;
    for (const int j : beside[i]) {
      const double next = far + (skin.vertices[i] - skin.vertices[j]).norm();
      if (allowed[j] > 0 && next < way[j]) way[j] = next, front.emplace(next, j);
    }
  }
  return way;
}

}  // namespace

double drawn_share(const Flesh& flesh, int skin) {
  if (flesh.skin_way.empty() || !(flesh.border > 0)) return 1;
  return smooth_step(flesh.skin_way[static_cast<size_t>(skin)] / flesh.border);
}

Flesh confined(const FleshInput& in, const Flesh& whole, const std::vector<double>& allowed, double border) {
  Flesh flesh = whole;
  const CageGraph graph = make_graph(*in.cage);
  std::vector<double> kept = kept_inside(in, allowed);
  keep_beside(graph, whole, kept);
  for (size_t v = 0; v < kept.size(); ++v) flesh.softness[v] *= kept[v];
  drop_hidden(graph, *in.blend, flesh.softness);
  drop_crumbs(graph, flesh.softness);
  flesh.skin_way = way_from_held(in.skin, whole, allowed);
  double middle = 0;
  for (const double way : flesh.skin_way)
    if (std::isfinite(way)) middle = std::max(middle, way);
  flesh.border = std::min(border, kOfTheArea * middle);
  for (size_t i = 0; i < allowed.size(); ++i) {
    if (allowed[i] <= 0) flesh.skin_way[i] = 0;
    const bool elsewhere = whole.skin_softness[i] > 0 && whole.skin_softness[i] <= kMovedElse;
    if (!elsewhere) flesh.skin_softness[i] = allowed[i] > 0 ? on_skin(*in.blend, flesh.softness, i) : 0;
    flesh.still_skin[i] = flesh.still_skin[i] || flesh.skin_softness[i] == 0;
    flesh.hard_skin[i] = flesh.hard_skin[i] || allowed[i] <= 0;
  }
  std::vector<char> counted(flesh.softness.size(), 0);
  for (FleshRegion& r : flesh.regions) r.n_free = 0;
  for (size_t t = 0; t < in.cage->tets.size(); ++t) {
    const Tet& tet = in.cage->tets[t];
    if (std::none_of(tet.begin(), tet.end(), [&](int v) { return flesh.softness[v] > 0; })) {
      flesh.region[t] = -1;
      if (!flesh.found_region.empty()) flesh.found_region[t] = -1;
    }
    if (flesh.region[t] < 0) continue;
    for (const int v : tet)
      if (flesh.softness[v] > 0 && !counted[v]) counted[v] = 1, ++flesh.regions[flesh.region[t]].n_free;
  }
  return flesh;
}

double usual_edge(const TetMesh& cage) { return make_graph(cage).mean_edge; }

}  // namespace supple
