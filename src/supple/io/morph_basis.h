// A vertex animation as a few shapes and their weights over time.
#pragma once
#include <vector>

#include "supple/base/types.h"

namespace supple {

struct MorphBasis {
  int n_targets = 0;
  Eigen::MatrixXf targets;  // 3 n_points x n_targets: displacement of each target
  Eigen::MatrixXf weights;  // n_frames x n_targets, within -1 .. 1
  bool per_frame = false;   // target f is frame f itself
  double max_error = 0;     // largest distance of any point in any frame from its own displacement, as rounded
};

// displacement: 3 n_points x n_frames. Principal components without centring (eigenvectors of the frames' Gram matrix)
// in descending order, until no point is off by more than `tolerance` or max_targets is reached; max_error says which.
// When the frames are not more than the components needed they are the targets themselves.
MorphBasis fit_morphs(const MatX& displacement, double tolerance, int max_targets);

}  // namespace supple
