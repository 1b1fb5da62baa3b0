// A swing let go by itself: the driven points held at a frame of the clip, the flesh pulled aside a little along its
// slowest swing and released, stepped as the run is. For what a clip that never stands still does not show.
#pragma once
#include <limits>
#include <string>
#include <vector>

#include "supple/io/point_cache.h"
#include "supple/pipeline/job/job.h"
#include "supple/tune/tune.h"

namespace supple::pipeline {

// part: of the body, with all else held; negative: the whole. frame: counted from the first of the run. statics: where
// an equilibrium is looked for; null: as the body sags.
Ring ring_down(const Job& job, int part, int frame, double release_m, const PointCache* statics = nullptr);

struct RingDown {
  double frequency_hz = std::numeric_limits<double>::quiet_NaN(), half_life_s = frequency_hz;  // the middle one
  double least_hz = frequency_hz, most_hz = frequency_hz;
  std::vector<int> frames;  // at which it was found
  std::string trouble;      // why it was not
};
// Of the body, or of each of its parts where it has several (the lightest aside): at the first frame, and where what is
// driven bends, at three.
std::vector<RingDown> ring_downs(const Job& job, double release_m, const PointCache* statics);

}  // namespace supple::pipeline
