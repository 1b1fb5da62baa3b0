// What is wanted of each part of the flesh, in numbers: dials times looks, maps, regions and keys, beside what the
// scene without dials does.
#pragma once
#include <cmath>
#include <vector>

#include "supple/pipeline/run/measured_dials.h"
#include "supple/pipeline/run/part_amounts.h"
#include "supple/tune/dials.h"

namespace supple::pipeline {

// The scene without dials: what its parts do, and the caches of its run.
struct Unadjusted {
  PointCache tets, statics;
  MeasuredResponse whole;
  std::vector<MeasuredResponse> parts;
};

struct PartTarget {
  std::string name;
  DialRatios asked;  // to the scene without dials; NaN: there is nothing to take a ratio of
  // NaN: left alone.
  double frequency_hz, half_life_s, sag_m, amount_m;
  // Something is to change here.
  bool is_asked() const {
    const auto other = [](double ratio) { return ratio > 0 ? std::abs(ratio - 1) > 1e-6 : ratio == 0; };
    return other(asked.frequency) || other(asked.amplitude) || other(asked.sag) || other(asked.half_life);
  }
};
std::vector<PartTarget> part_targets(const Job& job, const std::vector<MeasuredPart>& parts, const Unadjusted& before);

}  // namespace supple::pipeline
