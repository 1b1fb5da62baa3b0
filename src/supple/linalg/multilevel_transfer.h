// Between one level and the next coarser, whose nodes are the aggregates of its own. A coarse node has six unknowns: a
// translation, and a rotation about its place in units that make its share of displacements as large. Inside the room
// only.
#pragma once
#include <cstdint>
#include <vector>

#include "supple/linalg/multilevel_level.h"

namespace supple::multilevel {

// Where nodes are and how they may turn.
struct Frames {
  std::vector<Vec3> place;
  // Rotations a node stands for, as a projector: not those that leave all its vertices where they are. Empty: none,
  // nodes are vertices.
  std::vector<Mat3> turn;
  double length = 1;  // unit of rotations
};

template <int N>
class Transfer {
 public:
  // Keeps references to the levels.
  Transfer(Level<N>& fine, Level<6>& coarse, const Aggregates& aggregates);

  // Of the fine nodes; before the first make. Returns those of the coarse nodes. known: false where places say nothing,
  // so that coarse nodes only translate.
  Frames set_places(const Frames& fine_frames, bool known);
  // Smooths the prolongator by the matrix of the fine level, whose diagonal is inverted, and makes the coarse matrix.
  void make();
  void restrict_residual();  // coarse.b = P^T fine.r
  void add_correction();     // fine.x += P coarse.r

  size_t memory_bytes() const;
  double flops_of_make() const { return flops_of_make_; }
  double flops_of_cycle() const { return 2.0 * kBlock * static_cast<double>(felt_.item.size()); }

  // Of a node: what the motion of its own aggregate moves it, N rows of 6, without smoothing.
  const float* tentative(int node) const { return tentative_.data() + kBlock * static_cast<size_t>(node); }

 private:
  static constexpr size_t kBlock = static_cast<size_t>(N) * 6;
  static constexpr size_t kWide = 48;  // a coarse block whose rows are padded to 8

  void place_shares();
  void place_products();
  void smooth_prolongator(float damping);
  void multiply_chunk(int chunk);
  void gather_coarse();

  Level<N>& fine_;
  Level<6>& coarse_;
  Aggregates aggregates_;
  Lists felt_;                      // by each node
  Floats tentative_, prolongator_;  // a block for each node; a block for each entry of felt_
  // A chunk of fine nodes sums up its own shares of the coarse residual, which are then added chunk by chunk.
  std::vector<int> share_;        // that each entry of felt_ adds to
  std::vector<int> share_begin_;  // of a chunk
  Lists shares_;                  // of each coarse node
  Floats share_sums_;             // 8 a share
  // Diagonal of the coarse matrix where a node does not turn: 1 less the projector, 9 a node; empty: all turn.
  Floats fixed_;
  // Products of a chunk of fine nodes go to its own coarse blocks, which are then added chunk by chunk.
  std::vector<size_t> product_start_;  // of a fine node in product_
  std::vector<int> product_;           // for each pair of a felt and a nearby aggregate: a coarse block of the chunk
  std::vector<int> chunk_blocks_;      // where those of a chunk start
  Floats sums_;                        // kWide a block
  // For each pair of coarse nodes a >= b: the blocks to add, and where the result goes.
  struct Pair {
    int a, b;
    int there, back;  // blocks of the coarse matrix: this one, and its transposed where that is stored too, or -1
  };
  std::vector<Pair> pairs_;
  Lists parts_;
  double flops_of_make_ = 0;
};

}  // namespace supple::multilevel
