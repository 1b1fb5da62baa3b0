// The live man's joints, shape and skeleton. Inside the gallery room only. Metres, y up, he looks along z; his left is
// +x.
#pragma once
#include "supple/anim/key_clip.h"
#include "supple/base/types.h"
#include "supple/demos/shapes/rig.h"

namespace supple::demos::live_man {

// Joints of the left side where there are two.
inline const Vec3 kHips(0, 0.93, 0), kSpine(0, 1.02, -0.02), kChest(0, 1.22, -0.035), kNeck(0, 1.475, -0.03),
    kHead(0, 1.56, -0.01), kHeadTop(0, 1.78, 0.01);
inline const Vec3 kCollar(0.06, 1.43, -0.03), kShoulder(0.205, 1.415, -0.03), kElbow(0.395, 1.205, -0.05),
    kWrist(0.555, 1.02, 0.005), kFingers(0.64, 0.915, 0.035);
inline const Vec3 kThigh(0.115, 0.88, 0.0), kKnee(0.165, 0.49, 0.03), kAnkle(0.195, 0.095, -0.03),
    kToe(0.225, 0.03, 0.13);

double body(const Vec3& p);  // all of him

// Negative on what has these materials.
double shorts(const Vec3& p);
double hair(const Vec3& p);
double brows(const Vec3& p);
double mouth(const Vec3& p);

Rig skeleton();

// A clip as a function of the frame; the rig must outlive it.
struct Motion {
  const char* name;
  int frames;  // with both ends
  bool loops;
  PoseFunction pose;
};
std::vector<Motion> motions(const Rig& rig);

}  // namespace supple::demos::live_man
