// An arm or leg of two bones that reaches for a place.
#pragma once
#include "supple/anim/character.h"

namespace supple {

// Its joints at rest, where nothing is turned; pole: where the middle one (elbow, knee) points at rest.
struct Limb {
  Vec3 root, middle, end, pole;
};

struct LimbPose {
  Quat upper, lower;  // of the two bones in the world, from rest
  Vec3 end;           // where it comes to: the target, or as near as the limb is long
};

// root, target and pole in the world.
LimbPose reach(const Limb& limb, const Vec3& root, const Vec3& target, const Vec3& pole);

}  // namespace supple
