#include "supple/report/cuts_json.h"

#include <cmath>

namespace supple {

Json json_of(const MotionCuts& cuts) {
  Json list(Json::Array{});
  for (const MotionCut& c : cuts.list) {
    Json one;
    one["frame"] = c.frame, one["kind"] = name_of(c.kind), one["way_m"] = c.way, one["turn_deg"] = c.turn * 180 / M_PI;
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace supple
