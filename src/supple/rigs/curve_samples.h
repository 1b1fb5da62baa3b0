// Values of rig parameters at the frames of a shot, and in between.
#pragma once
#include <utility>
#include <vector>

#include "supple/base/types.h"

namespace supple {

// Of some parameters, one value a frame; twice continuously differentiable in between, held outside. loop: the last
// frame is the first. jumps: steps, by the frame before them, over which all that is keyed jumps: there the old values
// go on to the frame after.
class CurveSamples {
 public:
  CurveSamples() = default;
  CurveSamples(double fps, int n_frames, bool loop, std::vector<int> jumps = {})
      : fps_(fps), n_frames_(n_frames), loop_(loop), jumps_(std::move(jumps)) {}

  // In place of what was there before. values: one a frame.
  void set(int parameter, VecX values);
  bool empty() const { return columns_.empty(); }
  bool has(int parameter) const;
  // Replaces the values of its parameters by those at t [s].
  void put(double t, VecX& p) const;

 private:
  struct Column {
    int parameter;
    VecX values;
  };
  double fps_ = 24;
  int n_frames_ = 0;
  bool loop_ = false;
  std::vector<int> jumps_;
  std::vector<Column> columns_;
};

}  // namespace supple
