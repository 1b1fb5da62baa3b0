// Weights of morph targets over time: those a file has, and more of ours beside them in one channel.
#pragma once
#include <vector>

#include "supple/anim/character.h"
#include "supple/base/types.h"

namespace supple {

// The weights of a node's own targets in an animation, or held when there is no channel.
struct WeightTrack {
  int width = 0;
  Interpolation interpolation = Interpolation::linear;
  std::vector<float> times, values;  // as in the file: cubic ones have three rows a key
  VecX at(double t) const;
  // Cubic ones only: rates of change just before (side < 0) or after t.
  VecX slope(double t, int side) const;
};
// Both kinds of weights as one channel.
struct JoinedTrack {
  bool cubic = false;
  std::vector<float> times, values;
};
// old: keys of the file, kept between keys as well. ours: frames x targets, straight between frames.
JoinedTrack join_tracks(const WeightTrack& old, const std::vector<float>& frames, const Eigen::MatrixXf& ours);

}  // namespace supple
