// Points that move, as few shapes and their weights over time, where each point has the first few shapes only.
//
// Shapes are found a few at a time: each round looks for those that the points need which are not near enough yet, so
// the first are of all points and the last of a few. Points that are near enough have no part in later rounds.
#pragma once
#include <vector>

#include "supple/base/types.h"

namespace supple {

// 3 rows a point, a column a frame.
using MotionRows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Of each point: what it has of every shape, and what is left of its motion after so many rounds.
struct RoundedShapes {
  Eigen::MatrixXf shapes;  // 3 a point x shapes; zero where a point has no part
  Eigen::MatrixXf left;    // points x (rounds + 1): the farthest at any frame
};
struct ShapeRounds {
  MatX weights;                  // frames x shapes, orthonormal columns
  std::vector<int> first = {0};  // of each round: its first shape; and how many there are
  RoundedShapes points;

  int n_rounds() const { return static_cast<int>(first.size()) - 1; }
};

// Until no point is farther off than 1 at any frame, or there are max_shapes. The same bits for any number of threads.
ShapeRounds fit_in_rounds(MotionRows motion, int max_shapes);

// Another motion (of normals, say) under the weights found, every point with all shapes. unit: of each frame, what the
// rest is measured in.
RoundedShapes follow_rounds(const MotionRows& motion, const ShapeRounds& rounds, const VecX& unit);

}  // namespace supple
