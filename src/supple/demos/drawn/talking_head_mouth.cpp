// The maps between the shapes of the talking head.
#include <cmath>

#include "supple/demos/drawn/talking_head_plan.h"
#include "supple/demos/shapes/shapes.h"

namespace supple::demos::talking_head {

namespace {

constexpr double kFade = 0.055;  // [m] above and below the lips, to where nothing moves
constexpr double kRoom = 0.36, kRoomReach = 0.085;

// How far a point at height d > 0 above (or below) the line between the lips moves away from it.
double parting(double x, double z, double d) {
  const double across = x / kMouthHalfWidth, share = 1 - across * across;
  // Linear within the air between the lips, and so by the same factor everywhere in it.
  const double air = 0.7 * kLipGap * std::max(share, 0.0), beyond = std::max(d - air, 0.0);
  // Away from the lips their corners no longer show.
  const double spread = beyond / 0.02, soft_share = 0.5 * (share + std::sqrt(share * share + spread * spread));
  const double within = d < air ? d / air : 1;
  return kLipsApart * within * soft_share * (1 - smooth_ramp(beyond, 0, kFade)) * smooth_ramp(z, 0.0, 0.045);
}

}  // namespace

Vec3 opened(const Vec3& p) {
  const double d = p.y() - kMouthHeight;
  return p + Vec3(0, std::copysign(parting(p.x(), p.z(), std::abs(d)), d), 0);
}

Vec3 closed(const Vec3& p) {
  const double d = std::abs(p.y() - kMouthHeight);
  // The height that parts to d lies between low and high. False position, in which an end that stays counts half.
  constexpr double kNear = 1e-13;
  double low = 0, high = d, below = -d, above = parting(p.x(), p.z(), d);
  if (above < kNear || d < kNear) return p;
  for (int k = 0, last = 0; k < 60; ++k) {
    const double at = low + (high - low) * below / (below - above);
    const double off = at + parting(p.x(), p.z(), at) - d;
    const int side = off > 0 ? 1 : -1;
    (off > 0 ? high : low) = at;
    (off > 0 ? above : below) = off;
    if (std::abs(off) < kNear) {
      high = at;
      break;
    }
    if (side == last) (off > 0 ? below : above) *= 0.5;
    last = side;
  }
  return {p.x(), kMouthHeight + std::copysign(high, p.y() - kMouthHeight), p.z()};
}

// Along each ray from the middle of the face the hyperbolic sine.
Vec3 from_roomy(const Vec3& q) {
  const Vec3 d = q - kFaceCentre;
  const double r = d.norm();
  return r > 0 ? Vec3(kFaceCentre + kRoom * kRoomReach * std::sinh(r / kRoomReach) / r * d) : kFaceCentre;
}
Vec3 to_roomy(const Vec3& p) {
  const Vec3 d = p - kFaceCentre;
  const double r = d.norm();
  return r > 0 ? Vec3(kFaceCentre + kRoomReach * std::asinh(r / (kRoom * kRoomReach)) / r * d) : kFaceCentre;
}

}  // namespace supple::demos::talking_head
