// The shape, joints and clips of the elephant that is rigged: the jellyphant's body and legs with a trunk, ears and a
// tail of stuffed cloth, which a coarse mesh can hold. Inside the gallery room only. Metres, y up, it looks along z.
#pragma once
#include "supple/anim/key_clip.h"
#include "supple/demos/gallery/jellyphant_plan.h"
#include "supple/demos/shapes/rig.h"

namespace supple::demos::peanut {

inline const Vec3 kTrunk[] = {{0, 1.13, 0.74}, {0, 0.95, 0.97}, {0, 0.74, 1.09},
                              {0, 0.54, 1.17}, {0, 0.38, 1.28}, {0, 0.36, 1.44}};
inline const double kTrunkRadius[] = {0.170, 0.138, 0.120, 0.110, 0.102, 0.098};
inline const Vec3 kTail[] = {{0, 1.04, -0.62}, {0, 1.00, -0.84}, {0, 0.88, -1.00}, {0, 0.72, -1.08}, {0, 0.55, -1.11}};
// The left ear: where it begins, and outwards along it.
inline const Vec3 kEar(0.235, 1.30, 0.50), kEarOut = Vec3(0.92, 0.16, -0.36).normalized();

double body(const Vec3& p);
double fat_body(const Vec3& p);  // thin parts thicker by what a lattice of some 0.14 m needs
double inner_ear(const Vec3& p);
double toes(const Vec3& p);
double ear_share(const Vec3& p);    // 0 not in an ear, 1 wholly
double belly_share(const Vec3& p);  // of what hangs between the legs, and the sides
double shoulder_share(const Vec3& p);

Rig skeleton();
PoseFunction walking(const Rig& rig);  // both refer to the rig
PoseFunction dancing(const Rig& rig);

}  // namespace supple::demos::peanut
