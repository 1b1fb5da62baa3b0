// The shape and joints of the flower that is rigged. Inside the gallery room only. Metres, y up, its face towards +z.
#pragma once
#include "supple/demos/shapes/rig.h"

namespace supple::demos::flower {

inline const Vec3 kStem[] = {{0, 0.10, 0}, {0.02, 0.34, 0}, {0.0, 0.60, 0.01}, {0, 0.86, 0.03}};
inline const Vec3 kBlossom(0, 1.05, 0.06);
// Left leaves and right ones: root, middle, tip.
inline const Vec3 kLeft[] = {{0.03, 0.24, 0}, {0.18, 0.34, 0.02}, {0.36, 0.37, 0.03}};
inline const Vec3 kRight[] = {{-0.01, 0.36, 0}, {-0.17, 0.46, 0.02}, {-0.35, 0.48, 0.03}};

double body(const Vec3& p);
double fat_body(const Vec3& p);  // thin parts thicker by what a lattice of some 0.08 m needs
// Negative on them: the pot, the blossom, its middle seen from the front.
double pot(const Vec3& p);
double petals(const Vec3& p);
double disc(const Vec3& p);

}  // namespace supple::demos::flower
