// The sumo wrestler's shape and joints. Metres, y up, he looks along z; his left is +x.
#pragma once
#include "supple/base/types.h"

namespace supple::demos::sumo {

// Joints of the left side where there are two.
inline const Vec3 kHips(0, 0.90, 0), kSpine(0, 1.04, -0.02), kChest(0, 1.24, -0.03), kNeck(0, 1.47, -0.01),
    kHead(0, 1.55, 0.0), kHeadTop(0, 1.78, 0.02);
inline const Vec3 kClavicle(0.07, 1.42, -0.02), kShoulder(0.25, 1.395, -0.02), kElbow(0.455, 1.185, -0.035),
    kWrist(0.62, 1.0, 0.03), kFingers(0.715, 0.885, 0.075);
inline const Vec3 kThigh(0.135, 0.83, 0.0), kKnee(0.27, 0.475, 0.055), kAnkle(0.33, 0.105, -0.02),
    kToe(0.385, 0.04, 0.13);

double torso(const Vec3& p);
double leg(const Vec3& p);   // both
double body(const Vec3& p);  // all of him, belt and hair too

// Negative on what has these materials.
double belt(const Vec3& p);
double hair(const Vec3& p);
double brows(const Vec3& p);
double mouth(const Vec3& p);

}  // namespace supple::demos::sumo
