// What is wanted of each part of the flesh, in numbers: dials times looks, maps, regions and keys, beside what the
// scene without dials does.
#pragma once
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
  struct {
    bool frequency = false, amplitude = false, sag = false, half_life = false;
  } said;  // what is to be otherwise than without dials
  // NaN: left alone.
  double frequency_hz, half_life_s, sag_m, amount_m;
  bool is_asked() const { return said.frequency || said.amplitude || said.sag || said.half_life; }
};
std::vector<PartTarget> part_targets(const Job& job, const std::vector<MeasuredPart>& parts, const Unadjusted& before);

}  // namespace supple::pipeline
