#include "supple/attach/flesh_graph.h"

#include <algorithm>
#include <queue>

namespace supple {

CageGraph make_graph(const TetMesh& cage) {
  CageGraph g;
  const int n = cage.n_vertices();
  const auto edges = unique_edges(cage.tets);
  g.first.assign(n + 1, 0);
  for (const auto& [a, b] : edges) {
    ++g.first[a + 1];
    ++g.first[b + 1];
  }
  for (int i = 0; i < n; ++i) g.first[i + 1] += g.first[i];
  g.neighbour.resize(2 * edges.size());
  g.length.resize(2 * edges.size());
  std::vector<int> next(g.first.begin(), g.first.end() - 1);
  double sum = 0;
  for (const auto& [a, b] : edges) {
    const double length = (cage.vertices[a] - cage.vertices[b]).norm();
    sum += length;
    g.length[next[a]] = g.length[next[b]] = length;
    g.neighbour[next[a]++] = b;
    g.neighbour[next[b]++] = a;
  }
  g.mean_edge = edges.empty() ? 0 : sum / static_cast<double>(edges.size());
  g.edge.assign(n, g.mean_edge);
  for (int i = 0; i < n; ++i) {
    double around = 0;
    for (int k = g.first[i]; k < g.first[i + 1]; ++k) around += g.length[k];
    if (g.first[i + 1] > g.first[i]) g.edge[i] = around / (g.first[i + 1] - g.first[i]);
  }
  return g;
}

std::vector<double> limit_slope(const CageGraph& graph, std::vector<double> values) {
  using Entry = std::pair<double, int>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  for (int i = 0; i < graph.size(); ++i) queue.emplace(values[i], i);
  while (!queue.empty()) {
    const auto [value, i] = queue.top();
    queue.pop();
    if (value > values[i]) continue;
    for (int k = graph.first[i]; k < graph.first[i + 1]; ++k) {
      const int j = graph.neighbour[k];
      if (value + graph.length[k] >= values[j]) continue;
      values[j] = value + graph.length[k];
      queue.emplace(values[j], j);
    }
  }
  return values;
}

std::vector<int> hops_from(const CageGraph& graph, const std::vector<char>& source) {
  std::vector<int> hops(graph.size(), -1), front;
  for (int i = 0; i < graph.size(); ++i) {
    if (!source[i]) continue;
    hops[i] = 0;
    front.push_back(i);
  }
  for (size_t at = 0; at < front.size(); ++at) {
    const int i = front[at];
    for (int k = graph.first[i]; k < graph.first[i + 1]; ++k) {
      const int j = graph.neighbour[k];
      if (hops[j] >= 0) continue;
      hops[j] = hops[i] + 1;
      front.push_back(j);
    }
  }
  return hops;
}

void smooth(const CageGraph& graph, std::vector<double>& values, int passes) {
  std::vector<double> next(values);
  for (int pass = 0; pass < passes; ++pass) {
    for (int i = 0; i < graph.size(); ++i) {
      const int count = graph.first[i + 1] - graph.first[i];
      if (count == 0) continue;
      double sum = 0;
      for (int k = graph.first[i]; k < graph.first[i + 1]; ++k) sum += values[graph.neighbour[k]];
      next[i] = 0.5 * (values[i] + sum / count);
    }
    values.swap(next);
  }
}

double smooth_step(double t) {
  t = std::clamp(t, 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

}  // namespace supple
