// The jellyphant's shape, joints and clip. Metres, y up, it looks along z; its left is +x.
#pragma once
#include "supple/anim/key_clip.h"
#include "supple/demos/shapes/rig.h"

namespace supple::demos::jellyphant {

inline const Vec3 kPelvis(0, 1.00, -0.40), kChest(0, 1.03, -0.06), kNeck(0, 1.09, 0.32), kHead(0, 1.15, 0.50),
    kHeadTip(0, 1.22, 0.68);
// Down the trunk, and its radii.
inline const Vec3 kTrunk[] = {{0, 1.13, 0.78}, {0, 0.94, 0.98}, {0, 0.72, 1.06},
                              {0, 0.52, 1.11}, {0, 0.39, 1.22}, {0, 0.42, 1.35}};
inline const double kTrunkRadius[] = {0.150, 0.118, 0.096, 0.080, 0.069, 0.064};
inline const Vec3 kTail[] = {{0, 1.0, -0.66}, {0, 0.80, -0.81}, {0, 0.58, -0.85}};
// The left ear: where it begins, outwards along it, and up.
inline const Vec3 kEar(0.235, 1.27, 0.47), kEarOut = Vec3(0.84, 0.06, -0.54).normalized();
// Left legs: hip or shoulder, knee, ankle, toe.
inline const Vec3 kFore[] = {{0.215, 0.72, 0.20}, {0.23, 0.41, 0.225}, {0.235, 0.12, 0.21}, {0.235, 0.03, 0.31}};
inline const Vec3 kHind[] = {{0.215, 0.70, -0.40}, {0.23, 0.40, -0.375}, {0.235, 0.12, -0.40}, {0.235, 0.03, -0.30}};

double body(const Vec3& p);  // all of it but tusks and eyes
double tusk(const Vec3& p);  // the left one

// Negative on what has these materials.
double inner_ear(const Vec3& p);
double nails(const Vec3& p);

// How far a place is in an ear, and in any of ears, trunk and tail: 0 not, 1 wholly.
double ear_share(const Vec3& p);
double loose(const Vec3& p);

Rig skeleton();
PoseFunction motion(const Rig& rig);  // refers to the rig
Vec3 squash(double frame);            // weights of "squash" and "stretch"

}  // namespace supple::demos::jellyphant
