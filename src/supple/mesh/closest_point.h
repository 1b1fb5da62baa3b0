// The nearest point of a simplex to a given point; degenerate simplices are fine.
#pragma once
#include "supple/base/types.h"

namespace supple {

Vec3 closest_on_segment(const Vec3& p, const Vec3& a, const Vec3& b);
Vec3 closest_on_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c);
// p itself when it is inside; the orientation of the tet does not matter.
Vec3 closest_on_tet(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

}  // namespace supple
