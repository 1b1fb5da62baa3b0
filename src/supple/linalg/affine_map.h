// The unknowns of a constrained problem: u = Z y + u_d.
//   u    positions or displacements of all n vertices (flat, 3n)
//   y    the free unknowns: m "free vertices" of three components each (flat, 3m)
//   Z    sparse, n x m, one scalar per entry: it acts alike on x, y and z
//   u_d  what the constraints prescribe at this instant (flat, 3n)
// A driven vertex has an empty row of Z; an untouched vertex has a single 1; a vertex eliminated through a barycentric
// constraint has a few weights. Z^T A Z is symmetric positive definite whenever A is on the space of allowed motions.
#pragma once
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "supple/linalg/block_matrix.h"

namespace supple {

class AffineMap {
 public:
  AffineMap() = default;
  // rows[i]: (free vertex, weight) pairs of vertex i, no free vertex twice. Zero weights are dropped.
  AffineMap(const std::vector<std::vector<std::pair<int, double>>>& rows, int n_free);
  // All vertices free but the given ones.
  static AffineMap without(int n, const std::vector<int>& driven);

  int n() const { return static_cast<int>(start_.size()) - 1; }
  int n_free() const { return n_free_; }
  bool is_selection() const { return selection_; }  // every row has at most one entry, of weight 1
  // The free vertex behind vertex i when its row is a single weight of 1, else -1.
  int free_index(int i) const;
  // The (free vertex, weight) pairs of vertex i.
  std::span<const std::pair<int, double>> row(int i) const;
  // The (vertex, weight) pairs that free vertex f moves, ascending.
  std::span<const std::pair<int, double>> column(int f) const;

  VecX expand(const VecX& y) const;                   // Z y
  VecX expand(const VecX& y, const VecX& u_d) const;  // Z y + u_d
  VecX restrict_(const VecX& r) const;                // Z^T r
  // y as read from the vertices that are themselves unknowns (their u_d is 0); exact when u is admissible. A free
  // vertex that no row names alone gets 0.
  VecX gather(const VecX& u) const;

 private:
  std::vector<size_t> start_{0};
  std::vector<std::pair<int, double>> entries_;
  std::vector<size_t> column_start_{0};                 // the same entries by free vertex
  std::vector<std::pair<int, double>> column_entries_;  // (vertex, weight)
  std::vector<int> representative_;                     // free vertex -> the first vertex whose row is just it, or -1
  int n_free_ = 0;
  bool selection_ = true;
};

// Z^T A Z for one pattern of A: planned once, applied often. Three ways, by how much Z mixes: a copy of blocks where it
// only selects; a list of contributions to each block where few rows have a few weights; and, where rows are long
// enough for that list to grow out of hand, Z^T (A Z) in two products.
class Reduction {
 public:
  enum class Way { automatic, contributions, two_products };
  Reduction(const AffineMap& map, std::shared_ptr<const BlockPattern> full, Way way = Way::automatic);
  const std::shared_ptr<const BlockPattern>& pattern() const { return reduced_; }
  // full must have the planned pattern; reduced is given pattern() when it has another.
  void apply(const BlockMatrix& full, BlockMatrix& reduced) const;

 private:
  struct Contribution {
    int full_block;
    double weight;
    bool transposed;
  };
  struct TwoProducts;
  void plan_contributions(const AffineMap& map);
  void plan_two_products(const AffineMap& map);
  void apply_two_products(const BlockMatrix& full, BlockMatrix& reduced) const;

  std::shared_ptr<const BlockPattern> full_, reduced_;
  std::vector<int> source_;  // reduced block k is a copy of this full block; or empty, and
  // contributions to reduced block k are terms_[start_[k] .. start_[k+1]), in a fixed order; or empty, and
  std::vector<size_t> start_;
  std::vector<Contribution> terms_;
  std::shared_ptr<const TwoProducts> two_;
};

}  // namespace supple
