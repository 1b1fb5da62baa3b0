// A part of a body as a line with landmarks and a front, and points seen from it. Inside the room only.
#pragma once
#include <vector>

#include "supple/attach/body_plan.h"

namespace supple {

struct PartAxis {
  Points line;                    // from where the part begins to its end, two points at least
  std::vector<double> lengths;    // ascending [m] along the line...
  std::vector<double> landmarks;  // ...and what `along` is there; straight on before and behind
  Vec3 ahead = Vec3::UnitZ();     // about where the front is: made square to the line
  Vec3 other = Vec3::UnitX();     // about where `around` grows to
};

// Fills along, around and out of the points that are of the part. `around` is seen from the middle of each stretch of
// the part, wherever its bones lie.
void place_on_axis(const PartAxis& axis, const Points& skin, int part, std::vector<BodyPoint>& at);

double length_of(const Points& line);

}  // namespace supple
