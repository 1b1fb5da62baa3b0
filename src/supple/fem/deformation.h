// Strain and volume of one displacement gradient H (F = I + H), written so that they keep their digits near rest.
#pragma once
#include "supple/fem/lanes.h"

namespace supple {
inline namespace SUPPLE_LANES {

// det(I + H) - 1.
[[gnu::always_inline]] inline Lanes volume_change(const LaneMatrix& H) {
  const LaneVector normal = cross(H.c1, H.c2);
  const Lanes minors = H.c0.x * H.c1.y - H.c1.x * H.c0.y + (H.c0.x * H.c2.z - H.c2.x * H.c0.z) + normal.x;
  return trace(H) + (minors + dot(H.c0, normal));
}
// |I + H|^2 - 3.
[[gnu::always_inline]] inline Lanes stretch_change(const LaneMatrix& H) { return 2.0 * trace(H) + product(H, H); }
// sym(H)
[[gnu::always_inline]] inline LaneMatrix small_strain(const LaneMatrix& H) { return 0.5 * (H + transpose(H)); }
// (F^T F - I)/2
[[gnu::always_inline]] inline LaneMatrix green_strain(const LaneMatrix& H) {
  LaneMatrix E = small_strain(H);
  const Lanes xy = 0.5 * dot(H.c0, H.c1), xz = 0.5 * dot(H.c0, H.c2), yz = 0.5 * dot(H.c1, H.c2);
  E.c0 = E.c0 + LaneVector{0.5 * dot(H.c0, H.c0), xy, xz};
  E.c1 = E.c1 + LaneVector{xy, 0.5 * dot(H.c1, H.c1), yz};
  E.c2 = E.c2 + LaneVector{xz, yz, 0.5 * dot(H.c2, H.c2)};
  return E;
}

}  // namespace SUPPLE_LANES
}  // namespace supple
