#include "tests/cast/verdict.h"

#include <cmath>

#include "tests/cast/measures.h"

namespace supple::cast {

Numbers measure(const Shot& shot) {
  const Seen s(shot);
  Numbers out;
  double nan = 0;
  for (const Points& frame : shot.soft)
    for (const Vec3& x : frame)
      for (int k = 0; k < 3; ++k) nan += !std::isfinite(x[k]);
  out["nan"] = nan;
  for (auto* group : {measure_amount, measure_trembling, measure_loop, measure_rest, measure_feet, measure_edges,
                      measure_turned, measure_volume, measure_seams, measure_gaps, measure_sides})
    group(s, out);
  return out;
}

}  // namespace supple::cast
