// Where a motion is cut, as reports hold it.
#pragma once
#include "supple/anim/motion_cuts.h"
#include "supple/report/json.h"

namespace supple {

// One object each: frame, kind, way_m and turn_deg.
Json json_of(const MotionCuts& cuts);

}  // namespace supple
