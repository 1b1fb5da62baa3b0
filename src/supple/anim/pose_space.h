// Pose-space deformation: shapes that were made for certain poses of some joints fade in and out with the pose.
#pragma once
#include <vector>

#include "supple/anim/character.h"

namespace supple {

// How far apart two poses of the same joints are [rad for small ones]: the root of the sum of (2 sin(angle / 2))^2 over
// the joints. Smooth everywhere, a half turn included.
double pose_distance(const std::vector<Quat>& a, const std::vector<Quat>& b);

// Weights of the examples in any pose, by Gaussians around the examples and a constant. Rotations are those of the
// joints against their parents, so nothing depends on where the character stands or how it is turned.
class PoseSpace {
 public:
  // neutral: the pose without any shape. InputError: examples with other joints, none at all, two that are one pose.
  PoseSpace(const std::vector<Quat>& neutral, const std::vector<std::vector<Quat>>& examples);

  // One an example: 1 in its own pose, 0 in those of the others and in the neutral one. With what is left for the
  // neutral one they sum to 1.
  std::vector<double> weights(const std::vector<Quat>& pose) const;
  double width() const { return width_; }  // [rad] of the Gaussians

 private:
  VecX kernel(const std::vector<Quat>& pose) const;
  std::vector<std::vector<Quat>> poses_;  // the neutral one first
  double width_ = 1;
  MatX cardinal_;  // a column for each pose: weights of Gaussians, then of the constant
};

}  // namespace supple
