// The vertices of a cage and the edges between them. Inside the room only.
#pragma once
#include <vector>

#include "supple/mesh/tet_mesh.h"

namespace supple {

struct CageGraph {
  std::vector<int> first = {0};  // neighbours of vertex i: first[i] .. first[i + 1] - 1
  std::vector<int> neighbour;
  std::vector<double> length;  // of the edge to each neighbour [m]
  std::vector<double> edge;    // mean length of the edges around each vertex [m]
  double mean_edge = 0;
  int size() const { return static_cast<int>(first.size()) - 1; }
};

CageGraph make_graph(const TetMesh& cage);

// The largest field that is nowhere above `values` and changes by no more than the length of an edge along it.
std::vector<double> limit_slope(const CageGraph& graph, std::vector<double> values);

// Edges on the shortest way from each vertex to one of the sources; -1 where none can be reached.
std::vector<int> hops_from(const CageGraph& graph, const std::vector<char>& source);

// Each value half way to the mean of its neighbours, `passes` times.
void smooth(const CageGraph& graph, std::vector<double>& values, int passes);

// 0 up to 0, 1 from 1 on, with a slope of 0 at both.
double smooth_step(double t);

}  // namespace supple
