#include "supple/demos/shapes/motion.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "supple/base/expect.h"

namespace supple::demos {

Vec3 start_stop(double t, const StartStop& motion, int derivative) {
  expect(derivative >= 0 && derivative <= 2, "a derivative up to the second");
  if (derivative == 0) return (std::clamp(t, motion.start, motion.stop) - motion.start) * motion.velocity;
  if (derivative == 1 && t >= motion.start && t < motion.stop) return motion.velocity;
  return Vec3::Zero();
}

Vec3 shake(double t, const Shake& motion, int derivative) {
  expect(derivative >= 0 && derivative <= 2, "a derivative up to the second");
  const double omega = 2 * std::numbers::pi * motion.frequency_hz, s = t - motion.start;
  if (s < 0 || s * motion.frequency_hz >= motion.periods) return Vec3::Zero();
  if (derivative == 0) return std::sin(omega * s) * motion.amplitude;
  if (derivative == 1) return omega * std::cos(omega * s) * motion.amplitude;
  return -omega * omega * std::sin(omega * s) * motion.amplitude;
}

Vec3 ramp(double t, const Ramp& motion, int derivative) {
  expect(derivative >= 0 && derivative <= 2, "a derivative up to the second");
  const double d = motion.duration, s = std::clamp((t - motion.start) / d, 0.0, 1.0);
  if (derivative == 0) return s * s * s * (10 + s * (6 * s - 15)) * motion.offset;
  if (derivative == 1) return 30 * s * s * (1 - s) * (1 - s) / d * motion.offset;
  return 60 * s * (1 - s) * (1 - 2 * s) / (d * d) * motion.offset;
}

}  // namespace supple::demos
