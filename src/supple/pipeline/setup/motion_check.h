// Numbers that tell whether a character's soft motion is sane.
#pragma once
#include <string>
#include <vector>

#include "supple/report/json.h"

namespace supple::pipeline {

inline constexpr double kFarthestSwing = 0.2;  // of the thickness
inline constexpr double kWorstBox = 1.3;       // of the input's

// Of one region of the flesh.
struct RegionCheck {
  std::string name;
  int n_free = 0;                   // vertices
  double swing99 = 0;               // as below
  std::vector<std::string> beside;  // regions that touch it
};

struct MotionCheck {
  double rms_share = 0;            // rms of |u - p| over vertices that nothing holds and frames, beside the size
  double swing99 = 0;              // 99th percentile of |u - p| over the local thickness, of what trails its reach
  double held_share = 0;           // of vertices that nothing holds and frames, where the departure is held back
  double peak_share = 0;           // the farthest that anything drawn is from where the clip has it, beside the size
  double worst_stretch = 0;        // largest length of an edge with a free end beside its length at rest
  double worst_input_stretch = 0;  // the same of edges as bones alone take them
  double box_ratio = 0;            // largest ratio of a side of the drawn bounding box to that of the input, any frame
  bool finite = true;
  std::vector<RegionCheck> regions;
};
// What an edge may be stretched to: further than bones alone stretch it, and than three times its length, is too far.
double farthest_stretch(const MotionCheck& check);
Json to_json(const MotionCheck& check);
std::vector<std::string> complaints(const MotionCheck& check);  // what an artist should know; empty: all is well

}  // namespace supple::pipeline
