#include "supple/linalg/multilevel_graph.h"

#include <algorithm>
#include <numeric>

#include "supple/base/index.h"
#include "supple/linalg/solver_backends.h"

namespace supple::multilevel {

namespace {

// Aggregates are coupled when a node felt by one is a neighbour of, or the same as, a node felt by the other.
Graph coarse_graph(const Graph& graph, const Aggregates& aggregates) {
  const Lists felt = felt_aggregates(graph, aggregates), feeling = transposed(felt, aggregates.count);
  Lists nearby;
  std::vector<int> place(at(aggregates.count), -1), found;
  for (int i = 0; i < graph.rows(); ++i) {
    felt_nearby(graph, felt, i, place, found);
    nearby.item.insert(nearby.item.end(), found.begin(), found.end());
    nearby.start.push_back(static_cast<int>(nearby.item.size()));
  }
  Graph coarse;
  std::vector<int> seen(at(aggregates.count), -1);
  for (int a = 0; a < aggregates.count; ++a) {
    seen[at(a)] = a;
    for (int k = feeling.begin(a); k < feeling.end(a); ++k)
      for (int m = nearby.begin(feeling.at(k)); m < nearby.end(feeling.at(k)); ++m)
        if (seen[at(nearby.at(m))] != a) {
          seen[at(nearby.at(m))] = a;
          coarse.item.push_back(nearby.at(m));
        }
    std::sort(coarse.item.begin() + coarse.start.back(), coarse.item.end());
    coarse.start.push_back(static_cast<int>(coarse.item.size()));
  }
  return coarse;
}

// Aggregates that touch: nodes of theirs are neighbours.
Graph touching(const Graph& graph, const Aggregates& aggregates) {
  Lists members;
  {
    Lists of;
    for (int a : aggregates.of) {
      if (a >= 0) of.item.push_back(a);
      of.start.push_back(static_cast<int>(of.item.size()));
    }
    members = transposed(of, aggregates.count);
  }
  Graph out;
  std::vector<int> seen(at(aggregates.count), -1);
  for (int a = 0; a < aggregates.count; ++a) {
    seen[at(a)] = a;
    for (int m = members.begin(a); m < members.end(a); ++m)
      for (int k = graph.begin(members.at(m)); k < graph.end(members.at(m)); ++k) {
        const int b = aggregates.of[at(graph.at(k))];
        if (seen[at(b)] == a) continue;
        seen[at(b)] = a;
        out.item.push_back(b);
      }
    std::sort(out.item.begin() + out.start.back(), out.item.end());
    out.start.push_back(static_cast<int>(out.item.size()));
  }
  return out;
}

// order: the old number of each new one.
Graph renumbered(const Graph& graph, const std::vector<int>& order, const std::vector<int>& place) {
  Graph out;
  out.item.reserve(graph.item.size());
  out.start.reserve(graph.start.size());
  for (int old : order) {
    for (int k = graph.begin(old); k < graph.end(old); ++k) out.item.push_back(place[at(graph.at(k))]);
    std::sort(out.item.begin() + out.start.back(), out.item.end());
    out.start.push_back(static_cast<int>(out.item.size()));
  }
  return out;
}

}  // namespace

Aggregates aggregate(const Graph& graph) {
  const int n = graph.rows();
  Aggregates out{.count = 0, .of = std::vector<int>(at(n), -1)};
  for (int i = 0; i < n; ++i) {
    if (out.of[at(i)] >= 0 || graph.begin(i) == graph.end(i)) continue;
    bool free = true;
    for (int k = graph.begin(i); k < graph.end(i) && free; ++k) free = out.of[at(graph.at(k))] < 0;
    if (!free) continue;
    out.of[at(i)] = out.count;
    for (int k = graph.begin(i); k < graph.end(i); ++k) out.of[at(graph.at(k))] = out.count;
    ++out.count;
  }
  const std::vector<int> of_roots = out.of;
  std::vector<int> votes(at(out.count), 0);
  for (int i = 0; i < n; ++i) {
    if (of_roots[at(i)] >= 0) continue;
    int best = -1;
    for (int k = graph.begin(i); k < graph.end(i); ++k) {
      const int a = of_roots[at(graph.at(k))];
      if (a < 0) continue;
      ++votes[at(a)];
      if (best < 0 || votes[at(a)] > votes[at(best)]) best = a;
    }
    for (int k = graph.begin(i); k < graph.end(i); ++k)
      if (of_roots[at(graph.at(k))] >= 0) votes[at(of_roots[at(graph.at(k))])] = 0;
    out.of[at(i)] = best;
  }
  return out;
}

Lists felt_aggregates(const Graph& graph, const Aggregates& aggregates) {
  Lists out;
  std::vector<int> row;
  for (int i = 0; i < graph.rows(); ++i) {
    row.clear();
    if (aggregates.of[at(i)] >= 0) row.push_back(aggregates.of[at(i)]);
    for (int k = graph.begin(i); k < graph.end(i); ++k) row.push_back(aggregates.of[at(graph.at(k))]);
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    out.item.insert(out.item.end(), row.begin(), row.end());
    out.start.push_back(static_cast<int>(out.item.size()));
  }
  return out;
}

void felt_nearby(const Graph& graph, const Lists& felt, int node, std::vector<int>& place, std::vector<int>& found) {
  found.clear();
  auto visit = [&](int j) {
    for (int k = felt.begin(j); k < felt.end(j); ++k) {
      int& p = place[at(felt.at(k))];
      if (p >= 0) continue;
      p = static_cast<int>(found.size());
      found.push_back(felt.at(k));
    }
  };
  visit(node);
  for (int k = graph.begin(node); k < graph.end(node); ++k) visit(graph.at(k));
  for (int a : found) place[at(a)] = -1;
}

Lists transposed(const Lists& lists, int n_items) {
  Lists out;
  out.start.assign(at(n_items) + 1, 0);
  for (int item : lists.item) ++out.start[at(item) + 1];
  std::partial_sum(out.start.begin(), out.start.end(), out.start.begin());
  out.item.resize(lists.item.size());
  std::vector<int> next(out.start.begin(), out.start.end() - 1);
  for (int i = 0; i < lists.rows(); ++i)
    for (int k = lists.begin(i); k < lists.end(i); ++k) out.item[at(next[at(lists.at(k))]++)] = i;
  return out;
}

Hierarchy coarsen(const BlockPattern& pattern, int few_fine, int few_coarse) {
  Hierarchy h;
  BlockGraph finest = block_graph(pattern);
  h.graphs.emplace_back();
  h.graphs.back().start = std::move(finest.start);
  h.graphs.back().item = std::move(finest.neighbour);
  int few = few_fine;
  // Aggregates are made of what touches: what is coupled reaches further from level to level.
  Graph touch = h.graphs.back();
  while (h.graphs.back().rows() > few) {
    Aggregates aggregates = aggregate(touch);
    if (aggregates.count == 0) break;
    Graph coarse = coarse_graph(h.graphs.back(), aggregates);
    touch = touching(touch, aggregates);
    h.aggregates.push_back(std::move(aggregates));
    h.graphs.push_back(std::move(coarse));
    few = few_coarse;
  }
  // From the coarsest down, nodes are ordered by the place of their aggregate; those without one come last.
  std::vector<int> coarse_place;
  for (int level = static_cast<int>(h.graphs.size()) - 1; level >= 0; --level) {
    const int n = h.graphs[at(level)].rows();
    std::vector<int> order(at(n));
    std::iota(order.begin(), order.end(), 0);
    if (level < static_cast<int>(h.aggregates.size())) {
      std::vector<int>& of = h.aggregates[at(level)].of;
      for (int& a : of)
        if (a >= 0) a = coarse_place[at(a)];
      const int last = h.aggregates[at(level)].count;
      auto key = [&](int i) { return of[at(i)] >= 0 ? of[at(i)] : last; };
      std::stable_sort(order.begin(), order.end(), [&](int i, int j) { return key(i) < key(j); });
      std::vector<int> sorted(at(n));
      for (int k = 0; k < n; ++k) sorted[at(k)] = of[at(order[at(k)])];
      of = std::move(sorted);
    }
    std::vector<int> place(at(n));
    for (int k = 0; k < n; ++k) place[at(order[at(k)])] = k;
    h.graphs[at(level)] = renumbered(h.graphs[at(level)], order, place);
    if (level == 0) h.order = std::move(order);
    coarse_place = std::move(place);
  }
  return h;
}

}  // namespace supple::multilevel
