// Curves without a jump in speed or acceleration, for figures whose flesh feels both. Inside the gallery room only.
#pragma once
#include <vector>

#include "supple/anim/character.h"

namespace supple::demos {

enum class SplineEnds { rest, loop };  // stands still at both ends, or the last key is the first one again

// Slopes at the keys of the cubic spline through them: it is the curve whose second derivative has no jump. One row of
// values and slopes a key; times ascend. InputError: fewer than two keys (a loop: three), times that do not ascend, or
// a loop whose ends differ.
MatX spline_slopes(const std::vector<double>& times, const MatX& values, SplineEnds ends);

struct SplineKey {
  double time = 0;
  Vec3 value = Vec3::Zero();
};

class Spline {
 public:
  Spline(const std::vector<SplineKey>& keys, SplineEnds ends);
  Vec3 at(double time) const;  // held before and after; a loop goes round

 private:
  std::vector<double> times_;
  MatX values_, slopes_;
  SplineEnds ends_;
};

// Linear tracks become the cubic splines through their keys, so that a clip is as smooth between its frames.
void smooth_tracks(Clip& clip, SplineEnds ends);

}  // namespace supple::demos
