// A damped oscillator under z'' + 2 s z' + w^2 z = -a, with a going linearly from a0 to a1 over a step: exact.
#pragma once
#include <algorithm>
#include <cmath>
#include <numbers>

namespace supple {

// z and its rate after a step are linear in what they were and in the accelerations at both ends.
// w = 2 pi frequency_hz, s = log 2 / half_life_s, at most w: critical.
struct SwingRule {
  double zz, zv, vz, vv;  // of the free oscillation
  double z0, z1, v0, v1;  // of a0 and a1

  SwingRule(double frequency_hz, double half_life_s, double h) {
    const double w = 2 * std::numbers::pi * frequency_hz, s = std::min(std::numbers::ln2 / half_life_s, w);
    const double w2 = w * w, turn = std::sqrt((w - s) * (w + s)) * h, decay = std::exp(-s * h);
    const double c = std::cos(turn), sine = turn > 1e-4 ? std::sin(turn) / turn * h : (1 - turn * turn / 6) * h;
    zz = decay * (c + s * sine), zv = decay * sine;
    vz = -decay * w2 * sine, vv = decay * (c - s * sine);
    // A particular solution under a0 + b t is -(a0 + b t) / w^2 + 2 s b / w^4, its rate -b / w^2.
    const double b = 1 / (w2 * h), lag = 2 * s * b / w2;
    // By its start: for a0 = 1, a1 = 0 (b = -1/h) and for a0 = 0, a1 = 1 (b = 1/h).
    const double p0 = -1 / w2 - lag, p1 = lag;
    z0 = -lag - zz * p0 - zv * b, z1 = -1 / w2 + lag - zz * p1 + zv * b;
    v0 = b - vz * p0 - vv * b, v1 = -b - vz * p1 + vv * b;
  }
  // T: a number or a vector.
  template <class T>
  void step(T& z, T& rate, const T& a0, const T& a1) const {
    const T before = z;
    z = zz * before + zv * rate + z0 * a0 + z1 * a1;
    rate = vz * before + vv * rate + v0 * a0 + v1 * a1;
  }
};

}  // namespace supple
