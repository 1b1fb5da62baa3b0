// Values of rig parameters over a shot: what is keyed by hand, and what earlier layers found.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "supple/base/types.h"
#include "supple/io/curve_files.h"
#include "supple/rigspace/rig_stepper.h"

namespace supple::curves {

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

// A table's column at every frame from `first` on: eased from key to key where it has none.
VecX resampled(const CurveTable& table, int column, int first, int n_frames);

// The rig's own animation with samples over it. Both are copied.
KeyedParameters keyed_with(std::shared_ptr<const RigMap> rig, CurveSamples samples);

}  // namespace supple::curves
