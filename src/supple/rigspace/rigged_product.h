// A sparse matrix times what the rig moves. Inside the room only.
#pragma once
#include <vector>

#include "supple/linalg/block_matrix.h"

namespace supple {

using RowMatX = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// K times columns that are zero but on the rigged vertices.
class RiggedProduct {
 public:
  RiggedProduct(const BlockPattern& pattern, const std::vector<int>& row_of_vertex);
  // Y (3 rows a vertex) += K J (3 rows a rigged vertex).
  void add(const BlockMatrix& K, const RowMatX& J, RowMatX& Y) const;

 private:
  struct Entry {
    int block, row;
    bool transposed;
  };
  std::vector<int> start_;
  std::vector<Entry> entries_;  // by vertex
};

}  // namespace supple
