// Symmetric sparse matrices of 3x3 blocks, one block row a vertex. Only the lower triangle is stored.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "supple/base/types.h"

namespace supple {

// Which blocks may be non-zero. Row i holds the columns j <= i in ascending order; the diagonal is always there.
struct BlockPattern {
  int n = 0;                   // block rows
  std::vector<int> row_start;  // n + 1
  std::vector<int> col;        // row_start[n] columns

  int size() const { return static_cast<int>(col.size()); }
  bool operator==(const BlockPattern&) const = default;
  // Index of block (i, j), i >= j; -1 when it is not in the pattern.
  int find(int i, int j) const;
};

class PatternBuilder {
 public:
  explicit PatternBuilder(int n);
  // Every pair of the given vertices gets a block. Duplicates are harmless.
  void couple(std::span<const int> vertices);
  void couple(int i, int j);
  std::shared_ptr<const BlockPattern> build();

 private:
  void compact();
  int n_;
  std::vector<uint64_t> pairs_;  // (row << 32 | col), row > col
  size_t compacted_ = 0;
};

struct BlockMatrix {
  std::shared_ptr<const BlockPattern> pattern;
  std::vector<double> values;  // 9 a block, row-major within the block, in the order of pattern->col

  BlockMatrix() = default;
  explicit BlockMatrix(std::shared_ptr<const BlockPattern> p);
  int n() const { return pattern->n; }
  void set_zero();
  double* block(int k) { return values.data() + 9 * static_cast<size_t>(k); }
  const double* block(int k) const { return values.data() + 9 * static_cast<size_t>(k); }
  // this += s * other; the patterns must be the same object.
  void add(double s, const BlockMatrix& other);
  // y = A x (serial, exact symmetric use of the stored half).
  VecX multiply(const VecX& x) const;
  double max_abs_diagonal() const;
  MatX dense() const;  // for tests and small problems
};

}  // namespace supple
