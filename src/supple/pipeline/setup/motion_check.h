// Numbers that tell whether a character's soft motion is sane.
#pragma once
#include <string>
#include <vector>

#include "supple/report/json.h"

namespace supple::pipeline {

inline constexpr double kFarthestSwing = 0.5;  // of the thickness; well beyond what is drawn of it
inline constexpr double kWorstBox = 1.3;       // of the input's
inline constexpr double kBlownUp = 1;          // of the size: farther than this from the clip, and a box twice as large

// Of one region of the flesh.
struct RegionCheck {
  std::string name;
  int n_seen = 0;      // vertices of the skin that it moves
  double swing99 = 0;  // as below
};

struct MotionCheck {
  double rms_share = 0;   // rms of |u - p| over vertices that nothing holds and frames, beside the size
  double swing99 = 0;     // 99th percentile of what the skin departs over the local thickness, of what trails its reach
  double held_share = 0;  // of vertices of that skin and frames, where the departure is held back
  double drawn99 = 0;     // 99th percentile of the same as it is drawn: held back and kept even
  double evened_share = 0;         // of the departure of the skin over all frames, taken from it to keep it even
  double peak_share = 0;           // the farthest that anything drawn is from where the clip has it, beside the size
  double worst_stretch = 0;        // largest length of an edge with a free end beside its length at rest
  double worst_input_stretch = 0;  // the same of edges as bones alone take them
  double box_ratio = 0;            // largest ratio of a side of the drawn bounding box to that of the input, any frame
  double turned_share = 0;         // most of the soft surface that faces away from where the clip has it, by area...
  int turned_frame = -1;           // ...and when; -1: never
  int inverted = 0;                // most tets with a free vertex that are inside out where the equilibrium is not...
  int inverted_frame = -1;         // ...and when
  int n_tets = 0;                  // with a free vertex
  std::vector<RegionCheck> regions;
};
// What an edge may be stretched to: further than bones alone stretch it, and than three times its length, is too far.
double farthest_stretch(const MotionCheck& check);
Json to_json(const MotionCheck& check);
std::vector<std::string> complaints(const MotionCheck& check);  // what an artist should know; empty: all is well
// Why it is no motion of that body any more, and is not delivered; "": it is one.
std::string blown_up(const MotionCheck& check);

}  // namespace supple::pipeline
