// The bird's shape, joints and motion. Inside the drawn room only. Metres, y up, it looks along z; its left is +x.
#pragma once
#include "supple/anim/key_clip.h"
#include "supple/demos/shapes/rig.h"

namespace supple::demos::bird {

inline const Vec3 kBody(0, 0.33, -0.02), kNeck(0, 0.44, 0.07), kHead(0, 0.535, 0.10), kTail(0, 0.35, -0.19);
// Along the left wing: shoulder, elbow, wrist, end.
inline const Vec3 kWing[] = {{0.085, 0.405, 0.030}, {0.24, 0.41, 0.045}, {0.395, 0.41, 0.030}, {0.56, 0.41, -0.02}};
// The left leg: hip, ankle, which birds have where others have a knee, foot, toe.
inline const Vec3 kLeg[] = {{0.065, 0.245, 0.0}, {0.070, 0.135, -0.035}, {0.070, 0.035, 0.0}, {0.070, 0.018, 0.09}};
inline const Vec3 kEye(0.064, 0.597, 0.172);
constexpr double kEyeRadius = 0.024;

double body(const Vec3& p);  // all of it but the eyes
double wing(const Vec3& p);  // both
double leg(const Vec3& p);   // both, without the flesh around the hips

Rig skeleton();
PoseFunction motion(const Rig& rig);  // refers to the rig

}  // namespace supple::demos::bird
