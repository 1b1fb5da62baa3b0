#include "supple/rigs/rotations.h"

#include <cmath>

namespace supple {

namespace {

// The Stumpff functions c_n(s) = sum over k of (-s)^k / (2 k + n)!, n = 0..6 [Stumpff 1959]: c_0 = cos, c_1 = sin / t,
// c_2 = (1 - cos) / t^2, ... of t = sqrt(s). c_n = 1 / n! - s c_(n + 2), and c_n' = (n c_(n + 2) - c_(n + 1)) / 2.
std::array<double, 7> stumpff(double s) {
  constexpr std::array<double, 7> inverse_factorial = {1, 1, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720};
  std::array<double, 7> c{};
  if (s < 9) {  // the last two by their series, the others without cancellation
    for (size_t n = 5; n <= 6; ++n) {
      double term = inverse_factorial[n];
      for (int k = 1; k <= 24; ++k) {
        c[n] += term;
        const double m = 2 * k + static_cast<double>(n);
        term *= -s / (m * (m - 1));
      }
    }
    for (size_t n = 5; n-- > 0;) c[n] = inverse_factorial[n] - s * c[n + 2];
  } else {
    const double t = std::sqrt(s);
    c[0] = std::cos(t);
    c[1] = std::sin(t) / t;
    for (size_t n = 2; n <= 6; ++n) c[n] = (inverse_factorial[n - 2] - c[n - 2]) / s;
  }
  return c;
}

}  // namespace

Mat3 cross_matrix(const Vec3& w) {
  Mat3 m;
  m << 0, -w.z(), w.y(), w.z(), 0, -w.x(), -w.y(), w.x(), 0;
  return m;
}

// R = c_0 1 + c_1 [w] + c_2 w w^T with c_n of s = w . w, so that dc_n / dw_a = 2 w_a c_n' and
// d^2 c_n / dw_a dw_b = 4 w_a w_b c_n'' + 2 delta_ab c_n'.
RotationDerivatives exponential(const Vec3& w) {
  const std::array<double, 7> c = stumpff(w.squaredNorm());
  const std::array<double, 3> first = {-c[1] / 2, (c[3] - c[2]) / 2, (2 * c[4] - c[3]) / 2};
  const std::array<double, 3> second = {(c[2] - c[3]) / 4, (3 * c[5] - 3 * c[4] + c[3]) / 4,
                                        (8 * c[6] - 5 * c[5] + c[4]) / 4};
  const std::array<Mat3, 3> basis = {Mat3::Identity(), cross_matrix(w), w * w.transpose()};
  const std::array<Vec3, 3> axis = {Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()};
  std::array<Mat3, 3> turn, stretch;  // derivatives of [w] and of w w^T
  for (size_t a = 0; a < 3; ++a) {
    turn[a] = cross_matrix(axis[a]);
    stretch[a] = axis[a] * w.transpose() + w * axis[a].transpose();
  }

  RotationDerivatives r;
  r.R = c[0] * basis[0] + c[1] * basis[1] + c[2] * basis[2];
  for (int a = 0; a < 3; ++a) {
    const auto ia = static_cast<size_t>(a);
    r.d[ia] = c[1] * turn[ia] + c[2] * stretch[ia];
    for (size_t n = 0; n < 3; ++n) r.d[ia] += 2 * w[a] * first[n] * basis[n];
    for (int b = a; b < 3; ++b) {
      const auto ib = static_cast<size_t>(b);
      Mat3& dd = r.dd[second_of(a, b)];
      dd = c[2] * (axis[ia] * axis[ib].transpose() + axis[ib] * axis[ia].transpose());
      dd += 2 * w[a] * (first[1] * turn[ib] + first[2] * stretch[ib]);
      dd += 2 * w[b] * (first[1] * turn[ia] + first[2] * stretch[ia]);
      for (size_t n = 0; n < 3; ++n) dd += (4 * w[a] * w[b] * second[n] + (a == b ? 2 * first[n] : 0)) * basis[n];
    }
  }
  return r;
}

RotationDerivatives euler_xyz(const Vec3& angles) {
  // About each axis: the rotation, its derivative and its second one.
  std::array<std::array<Mat3, 3>, 3> about;
  for (int a = 0; a < 3; ++a) {
    const Mat3 turn = cross_matrix(Vec3::Unit(a));
    const double sine = std::sin(angles[a]), cosine = std::cos(angles[a]);
    about[static_cast<size_t>(a)] = {Mat3::Identity() + sine * turn + (1 - cosine) * turn * turn,
                                     cosine * turn + sine * turn * turn, -sine * turn + cosine * turn * turn};
  }
  const auto product = [&](size_t x, size_t y, size_t z) -> Mat3 { return about[0][x] * about[1][y] * about[2][z]; };
  return {product(0, 0, 0),
          {product(1, 0, 0), product(0, 1, 0), product(0, 0, 1)},
          {product(2, 0, 0), product(1, 1, 0), product(1, 0, 1), product(0, 2, 0), product(0, 1, 1), product(0, 0, 2)}};
}

}  // namespace supple
