// A vertex animation as a few shapes and their weights over time.
#pragma once
#include <functional>
#include <vector>

#include "supple/base/types.h"

namespace supple {

struct MorphBasis {
  int n_targets = 0;
  Eigen::MatrixXf targets;  // 3 n_points x n_targets: displacement of each target
  Eigen::MatrixXf weights;  // n_frames x n_targets, within -1 .. 1 unless lifted
  bool per_frame = false;   // target f is frame f itself
  double max_error = 0;     // largest distance of any point in any frame from its own displacement, as rounded
};

// Points that move over frames, read in pieces so that no second copy of the whole is needed.
struct MovingPoints {
  Eigen::Index n_points = 0, n_frames = 0;
  // Displacements of points begin .. end - 1: rows is 3 (end - begin) x n_frames. Called from several threads.
  std::function<void(Eigen::Index begin, Eigen::Index end, Eigen::Ref<MatX> rows)> read;
};

// Principal components without centring, in descending order, until no point is off by more than `tolerance` or
// max_targets is reached; max_error says which. At least one target.
MorphBasis fit_morphs(const MovingPoints& moving, double tolerance, int max_targets);
// The same, but when the frames are not more than the components needed they are the targets themselves; and a few that
// are found in some of the points are taken where they do for all.
MorphBasis fit_few_morphs(const MovingPoints& moving, double tolerance, int max_targets);

// Shapes that under the same weights come nearest to another motion (of normals, say) in the sense of least squares.
Eigen::MatrixXf fit_to_weights(const MovingPoints& moving, const MorphBasis& basis);

// Viewers hold weights within 0 .. 1. Those that go below 0 are counted from their lowest value, in units of their
// range, and one more target, the first, whose weight is 1 throughout, makes up for it.
struct WeightLift {
  VecX low, range;  // one a target
  explicit WeightLift(const Eigen::MatrixXf& weights);
  bool needed() const { return low.size() > 0 && low.minCoeff() < 0; }
  Eigen::MatrixXf weights(const Eigen::MatrixXf& before) const;
  Eigen::MatrixXf targets(const Eigen::MatrixXf& before) const;  // may be of the first few targets alone
};
// Without the last target; max_error is left as it was.
void drop_last(MorphBasis& basis);
// With weights within 0 .. 1; max_error anew.
void lift(const MovingPoints& moving, MorphBasis& basis);

// Largest displacement of each point over the frames.
VecX largest_displacements(const MovingPoints& moving);

}  // namespace supple
