// Sums of matrices whose patterns differ.
#pragma once
#include <memory>
#include <vector>

#include "supple/linalg/block_matrix.h"

namespace supple {

// Planned once for two patterns of as many rows. When the second has nothing that the first has not, the union is the
// first itself.
class PatternUnion {
 public:
  PatternUnion(std::shared_ptr<const BlockPattern> first, const std::shared_ptr<const BlockPattern>& second);
  const std::shared_ptr<const BlockPattern>& pattern() const { return both_; }
  // sum = a + b; it is given pattern() when it has another.
  void add(const BlockMatrix& a, const BlockMatrix& b, BlockMatrix& sum) const;

 private:
  std::shared_ptr<const BlockPattern> both_;
  std::vector<int> first_at_, second_at_;  // where each block goes
};

}  // namespace supple
