// Where surfaces pass through each other.
#pragma once
#include <compare>
#include <vector>

#include "supple/contact/broad_phase.h"
#include "supple/contact/contact_shape.h"

namespace supple {

// An edge whose ends lie on both sides of the plane of a triangle and that passes through it, borders included: in
// symmetric drawings edges do meet edges. An end that is on the plane to within rounding is on neither side, so faces,
// corners and edges that only touch a plane do not cross.
struct Crossing {
  int edge = 0, triangle = 0;  // of the shape; they share no point
  auto operator<=>(const Crossing&) const = default;
};

// All crossings at x, in order. What never collides (edge and triangle of fixed points only, or of one part when
// shape.within_parts is false) does not count unless with_fixed. broad: made from the same shape.
std::vector<Crossing> find_crossings(const ContactShape& shape, const Points& x, BroadPhase& broad,
                                     bool with_fixed = false);
// The same by trying all pairs: a second path for checks.
std::vector<Crossing> find_crossings_brute(const ContactShape& shape, const Points& x, bool with_fixed = false);

}  // namespace supple
