// Motions of a held root in closed form: displacement from rest [m] at time t [s], or with derivative 1 and 2 its
// velocity and acceleration. Before t = 0 everything rests.
#pragma once
#include "supple/base/types.h"

namespace supple::demos {

// Starts abruptly at `start` with a constant velocity and stops abruptly at `stop`. The velocity jumps at both, and
// counts as moving in [start, stop); the acceleration between is zero. The defaults are the drive of the sunflower:
// 24 frames a second, off to the right at once, stopped at frame 150 of 300.
struct StartStop {
  Vec3 velocity = {0.5, 0, 0};          // [m/s]
  double start = 0, stop = 150.0 / 24;  // [s]
};
constexpr double kSunflowerFps = 24;
constexpr int kSunflowerFrames = 300;
Vec3 start_stop(double t, const StartStop& motion = {}, int derivative = 0);

// amplitude * sin(2 pi frequency (t - start)) from `start` on for a whole number of periods, then at rest again.
struct Shake {
  Vec3 amplitude = {0.05, 0, 0};  // [m]
  double frequency_hz = 2;
  double start = 0;  // [s]
  int periods = 4;
};
Vec3 shake(double t, const Shake& motion = {}, int derivative = 0);

// From rest to `offset` in `duration` along the quintic 10 s^3 - 15 s^4 + 6 s^5: no jump in velocity or acceleration.
struct Ramp {
  Vec3 offset = {0.3, 0, 0};       // [m]
  double start = 0, duration = 1;  // [s]
};
Vec3 ramp(double t, const Ramp& motion = {}, int derivative = 0);

}  // namespace supple::demos
