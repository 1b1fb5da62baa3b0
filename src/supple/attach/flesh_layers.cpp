#include "supple/attach/flesh_layers.h"

#include <algorithm>

namespace supple {
namespace {

// Edges between core and skin that flesh needs to move: two layers of free vertices, the outer of them about as far
// beyond the skin as the inner is below it.
constexpr double kFreeLayers = 1.1;
constexpr double kDeepEnough = 0.25;   // of a bone's soft skin that must have that many below it
constexpr double kSeen = 0.05;         // softness of skin below which nothing is seen to move
constexpr double kWorthTelling = 0.2;  // of a bone's skin that was to be soft
constexpr size_t kCrumb = 12;          // vertices that a piece of flesh must have

// Soft vertices that can be reached from `from` through soft ones.
std::vector<int> reached(const CageGraph& graph, const std::vector<double>& softness, int from,
                         std::vector<char>& seen) {
  std::vector<int> front;
  const auto visit = [&](int v) {
    if (seen[v] || softness[v] <= 0) return;
    seen[v] = 1;
    front.push_back(v);
  };
  visit(from);
  for (size_t at = 0; at < front.size(); ++at) {
    for (int k = graph.first[front[at]]; k < graph.first[front[at] + 1]; ++k) visit(graph.neighbour[k]);
  }
  return front;
}

}  // namespace

double on_skin(const VertexBlend& blend, const std::vector<double>& softness, size_t i) {
  double sum = 0;
  for (int k = blend.first[i]; k < blend.first[i + 1]; ++k) sum += blend.weight[k] * softness[blend.vertex[k]];
  return std::clamp(sum, 0.0, 1.0);
}

ThinLayers thin_layers(const CageGraph& graph, const VertexBlend& blend, const Skeleton& skeleton,
                       const CoreField& core) {
  const std::vector<double> softness = softness_of(graph, core);
  std::vector<char> driven(softness.size());
  for (size_t v = 0; v < softness.size(); ++v) driven[v] = softness[v] <= 0;
  const std::vector<int> hops = hops_from(graph, driven);
  const size_t n = skeleton.bones.size();
  std::vector<int> soft(n, 0), deep(n, 0);
  for (int i = 0; i < blend.size(); ++i) {
    const int b = skeleton.leader[i];
    double value = 0, layers = 0;
    bool swings = false, held = true;
    for (int k = blend.first[i]; k < blend.first[i + 1]; ++k) {
      const int v = blend.vertex[k];
      value += blend.weight[k] * softness[v];
      swings = swings || core.swings[v];
      layers += blend.weight[k] * hops[v];
      held = held && hops[v] >= 0;
    }
    if (b < 0 || swings || !held || value < kSeen) continue;
    ++soft[b];
    deep[b] += layers >= kFreeLayers;
  }
  ThinLayers result;
  result.follows.assign(n, 0);
  for (size_t b = 0; b < n; ++b) {
    // The lattice lies differently left and right; and no hard stripe across a soft trunk.
    int all_soft = 0, all_deep = 0;
    for (const int side : {static_cast<int>(b), skeleton.bones[b].twin}) {
      if (side < 0) continue;
      std::vector<int> asked = skeleton.bones[side].children;
      asked.insert(asked.end(), {side, side, skeleton.bones[side].parent});
      for (const int a : asked) {
        if (a < 0) continue;
        all_soft += soft[a];
        all_deep += deep[a];
      }
    }
    if (soft[b] == 0 || all_deep >= kDeepEnough * all_soft) continue;
    result.follows[b] = 1;
    result.n_skin += soft[b];
    if (soft[b] > kWorthTelling * static_cast<double>(skeleton.bones[b].led.size())) {
      result.worth_telling.push_back(static_cast<int>(b));
    }
  }
  return result;
}

void drop_hidden(const CageGraph& graph, const VertexBlend& blend, std::vector<double>& softness) {
  std::vector<char> seen(softness.size(), 0);
  for (int i = 0; i < blend.size(); ++i) {
    if (on_skin(blend, softness, static_cast<size_t>(i)) < kSeen) continue;
    for (int k = blend.first[i]; k < blend.first[i + 1]; ++k) reached(graph, softness, blend.vertex[k], seen);
  }
  for (size_t v = 0; v < softness.size(); ++v) {
    if (!seen[v]) softness[v] = 0;
  }
}

void drop_crumbs(const CageGraph& graph, std::vector<double>& softness) {
  std::vector<char> seen(softness.size(), 0);
  for (int v = 0; v < graph.size(); ++v) {
    const std::vector<int> piece = reached(graph, softness, v, seen);
    if (piece.size() >= kCrumb) continue;
    for (const int p : piece) softness[p] = 0;
  }
}

}  // namespace supple
