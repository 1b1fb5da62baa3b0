// Parameters of a rotation from the rotation, continued from values nearby: the ways back of rotations.h.
// Inside the room only.
#pragma once
#include <Eigen/Geometry>

#include "supple/base/types.h"

namespace supple {

// w with exp(w) = q, of all that do the one nearest to `near`: its length may pass pi [rad].
Vec3 rotation_vector_near(const Eigen::Quaterniond& q, const Vec3& near);

// (x, y, z) with Rx(x) Ry(y) Rz(z) = R, of all that do the one nearest to `near` [rad]. Where x and z turn about the
// same axis, x is as nearby.
Vec3 euler_xyz_near(const Mat3& R, const Vec3& near);

// The rotations that they are parameters of, as quaternions whose sign is continuous in the parameters.
Eigen::Quaterniond turn_of_vector(const Vec3& w);
Eigen::Quaterniond turn_of_euler_xyz(const Vec3& angles);

}  // namespace supple
