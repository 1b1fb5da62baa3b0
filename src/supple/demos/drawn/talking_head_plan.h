// Where things are in the talking head, and its shapes as functions of space. Inside the drawn room only.
#pragma once
#include "supple/base/types.h"

namespace supple::demos::talking_head {

// [m]; the left side, the right one is its mirror image.
constexpr double kMouthHeight = 0.122, kMouthHalfWidth = 0.0245;
constexpr double kLipGap = 0.0013;     // half of it, in the middle of the mouth
constexpr double kLipsApart = 0.0062;  // how far each lip moves for the open shape
constexpr double kEyeRadius = 0.012;
const Vec3 kEye(0.0315, 0.1885, 0.0655);
const Vec3 kJawHinge(0, 0.168, -0.006);
const Vec3 kNeck(0, 0.03, -0.02);  // what nods turn about
const Vec3 kFaceCentre(0, 0.150, 0.070);

// Of the neutral head, negative inside.
double skin(const Vec3& p);
double whole_skin(const Vec3& p);  // without what is hollow: mouth, eye sockets and nostrils
double mouth(const Vec3& p);       // the hollow behind the lips and the slit between them
double upper_teeth(const Vec3& p);
double lower_teeth(const Vec3& p);
double tongue(const Vec3& p);

// From the neutral shape to one with open lips and back: every point keeps its x and z, and on every such line the
// order stays. So a surface that does not meet itself in one shape does not in the other.
Vec3 opened(const Vec3& neutral);
Vec3 closed(const Vec3& open);

// A map onto space from one in which the face takes more room than the rest: a mesh with equal edges there is finer
// around the mouth and the eyes. And back.
Vec3 from_roomy(const Vec3& q);
Vec3 to_roomy(const Vec3& p);

}  // namespace supple::demos::talking_head
