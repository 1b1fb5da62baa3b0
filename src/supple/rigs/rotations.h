// Rotations of three numbers with their first and second derivatives. Inside the room only.
#pragma once
#include <array>

#include "supple/base/types.h"

namespace supple {

struct RotationDerivatives {
  Mat3 R;
  std::array<Mat3, 3> d;   // by x, y, z
  std::array<Mat3, 6> dd;  // by xx, xy, xz, yy, yz, zz
};
// Which of dd is the derivative by a and b, in either order.
inline size_t second_of(int a, int b) {
  constexpr std::array<std::array<size_t, 3>, 3> place = {{{0, 1, 2}, {1, 3, 4}, {2, 4, 5}}};
  return place[static_cast<size_t>(a)][static_cast<size_t>(b)];
}

// By |w| about w [rad]. Smooth for every w: zero, whole turns and beyond.
RotationDerivatives exponential(const Vec3& w);
// Rx(x) Ry(y) Rz(z) [rad].
RotationDerivatives euler_xyz(const Vec3& angles);

// [w] v = w x v.
Mat3 cross_matrix(const Vec3& w);

}  // namespace supple
