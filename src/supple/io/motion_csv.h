// A rigid motion as a table of keys.
#pragma once
#include <string>
#include <vector>

#include "supple/anim/track.h"

namespace supple {

// Lines of t,tx,ty,tz,qx,qy,qz,qw: seconds, metres, a unit quaternion (to within 1e-3; it is normalised). A header
// line, blank lines and # comments are allowed; times must increase.
std::vector<RigidKey> read_motion_csv(const std::string& path);

}  // namespace supple
