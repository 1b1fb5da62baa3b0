// One level of a multilevel preconditioner: its matrix in blocks of N x N floats and its smoother. Inside the room
// only.
//
// Smoothing is Gauss-Seidel within fixed chunks of nodes, forward before the coarse correction and backward after it,
// so that the whole is symmetric. Between chunks it is Jacobi; where couplings between chunks are strong something is
// added to the diagonal, which keeps M + M^T - A positive definite whatever they are. Of the couplings within a chunk
// one triangle is stored: what is read for a product serves, still in the cache, for the transposed product too.
#pragma once
#include <cstdint>
#include <vector>

#include "supple/linalg/multilevel_graph.h"
#include "supple/linalg/multilevel_lanes.h"

namespace supple::multilevel {

using Floats = std::vector<float>;

template <int N>
class Level {
 public:
  static constexpr int kStride = Lanes<N>::kStride;  // floats a node in vectors
  static constexpr size_t kBlock = static_cast<size_t>(N) * N;

  Level(Graph graph, int nodes_a_chunk);

  int n() const { return graph_.rows(); }
  const Graph& graph() const { return graph_; }
  int chunks() const { return static_cast<int>(chunk_start_.size()) - 1; }
  int chunk_begin(int c) const { return chunk_start_[static_cast<size_t>(c)]; }

  // Blocks, row-major. An edge k of the graph either has one of its own, own(k) >= 0, or is the transposed of another.
  int own(int edge) const { return slot_[static_cast<size_t>(edge)]; }
  float* block(int slot) { return blocks_.data() + kBlock * static_cast<size_t>(slot); }
  float* diagonal(int node) { return diagonal_.data() + kBlock * static_cast<size_t>(node); }
  const float* diagonal(int node) const { return diagonal_.data() + kBlock * static_cast<size_t>(node); }
  // That of an edge, brought into `buffer` where it is transposed.
  const float* edge_block(int edge, float* buffer) const;

  // With the values in place: inverts the diagonal blocks. False where one is not positive definite.
  bool invert_diagonal();
  const float* inverse(int node) const { return inverse_.data() + kBlock * static_cast<size_t>(node); }
  // Nearly the largest eigenvalue of D^-1 A, from below.
  double largest_eigenvalue();
  // From here on inverse() is that of the diagonal with its addition.
  bool prepare_smoother();

  // b in; x and r = b - A x out.
  void smooth_forward();
  // x corrected in; r out: the result.
  void smooth_backward();

  size_t memory_bytes() const;
  double flops_of_cycle() const;  // multiplications of both smoothings

  Floats b, x, r;  // kStride floats a node

 private:
  void multiply(const Floats& from, Floats& to) const;
  void add_off_chunk(int node, const Floats& from, RowSums<N, N>& sums) const;
  bool invert(int node);
  template <typename Body>
  void each_chunk(const Body& body) const;

  Graph graph_;
  std::vector<int> chunk_start_;
  std::vector<int> slot_;  // of each edge: a block, or ~block where it is transposed
  // Blocks of a row: low, in the chunk and left of the diagonal; off, outside the chunk.
  std::vector<int> low_start_, low_col_, off_start_, off_col_;
  Floats blocks_, diagonal_, inverse_;
  Floats extra_;  // added to the diagonal, kStride a node
};

}  // namespace supple::multilevel
