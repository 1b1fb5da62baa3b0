// Where the time of a command went, for its report.
#pragma once
#include "supple/base/laps.h"
#include "supple/report/json.h"

namespace supple {

// Parts that add up to `wall`, the time since the laps began and what came before them [s]; `other` is what no lap has
// a name for. `total` is `wall` again.
Json timings_json(const Laps& spent, double before_resume_s = 0);

}  // namespace supple
