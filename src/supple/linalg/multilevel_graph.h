// The structure of a multilevel preconditioner: graphs of nodes, their aggregates, and an order in which the nodes of
// an aggregate, of an aggregate of aggregates and so on are neighbours in memory. Inside the room only.
#pragma once
#include <vector>

#include "supple/linalg/block_matrix.h"

namespace supple::multilevel {

// Items of each row, ascending.
struct Lists {
  std::vector<int> start{0}, item;

  int rows() const { return static_cast<int>(start.size()) - 1; }
  int begin(int row) const { return start[static_cast<size_t>(row)]; }
  int end(int row) const { return start[static_cast<size_t>(row) + 1]; }
  int at(int k) const { return item[static_cast<size_t>(k)]; }
  size_t bytes() const { return sizeof(int) * (start.capacity() + item.capacity()); }
};

// Nodes coupled to each node, itself left out.
using Graph = Lists;

struct Aggregates {
  int count = 0;
  std::vector<int> of;  // of each node; -1 where it has no neighbours: smoothing alone solves for it
};

// Every node beside a root belongs to the root's aggregate; what is left joins that of most of its neighbours.
Aggregates aggregate(const Graph& graph);
// The aggregates a node feels after one step of smoothing: its own and those of its neighbours.
Lists felt_aggregates(const Graph& graph, const Aggregates& aggregates);
// The aggregates felt by each neighbour of a node and by itself.
void felt_nearby(const Graph& graph, const Lists& felt, int node, std::vector<int>& place, std::vector<int>& found);
// Rows and items swapped.
Lists transposed(const Lists& lists, int n_items);

struct Hierarchy {
  std::vector<int> order;              // row of the matrix at each node of the finest level
  std::vector<Graph> graphs;           // finest first
  std::vector<Aggregates> aggregates;  // between one level and the next
};
// Coarsens until a level has few nodes or none.
Hierarchy coarsen(const BlockPattern& pattern, int few_fine, int few_coarse);

}  // namespace supple::multilevel
