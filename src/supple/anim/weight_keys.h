// Which frames of weights have to be keys.
#pragma once
#include <vector>

#include "supple/base/types.h"

namespace supple {

// The fewest frames, the first and the last among them, so that on straight lines between them no other is off by more
// than `allowed`: weights count by how far they reach, and together as by Pythagoras. weights: a row a frame; times [s]
// ascend.
std::vector<size_t> frames_as_keys(const std::vector<float>& times, const Eigen::MatrixXf& weights, const VecX& reach,
                                   double allowed);

}  // namespace supple
