// Experiments small enough to be understood: one mass on one spring, the base shaken.
#pragma once
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "supple/tune/estimators.h"
#include "supple/tune/tune.h"

namespace supple::test {

struct OscillatorValues {
  double frequency_hz = 2;  // undamped
  double damping = 0.02;    // d_k [s]
  double gravity = 9.81;
  double cubic = 0;  // share of stiffness added at a stretch of 0.1 m
  double duration_s = 6;
  double jerk = 0.5;     // velocity of the base at once [m/s]
  double shake_hz = 0;   // sustained shaking of the base
  double shake_m = 0.0;  // its stroke
};

inline Motion motion_of(double square_time, double duration, double peak) {
  return {.ok = std::isfinite(square_time) && peak < 100,
          .amplitude = std::sqrt(square_time),
          .rms_m = std::sqrt(square_time / duration),
          .peak_m = peak,
          .trouble = peak < 100 ? "" : "grows without bound"};
}

// z'' + d z' + w^2 z = -epsilon a(t), linear, stepped exactly.
class LinearOscillator : public Experiment {
 public:
  explicit LinearOscillator(const OscillatorValues& v) : v_(v) {}
  int runs = 0, rings = 0, statics = 0;

  double omega(const Scalings& s) const { return s.chi * 2 * std::numbers::pi * v_.frequency_hz; }
  double decay(const Scalings& s) const { return 0.5 * s.ck * v_.damping * std::pow(omega(s), 2); }

  double sag(double load) override {
    ++statics;
    return load * v_.gravity / std::pow(omega({}), 2);
  }
  Ring ring(const Scalings& s, double) override {
    ++rings;
    return of_rate({-decay(s), std::sqrt(std::pow(omega(s), 2) - std::pow(decay(s), 2))});
  }
  // Exact for an acceleration constant over each small step.
  Motion run(const Scalings& s) override {
    ++runs;
    const double h = 1.0 / 960, w2 = std::pow(omega(s), 2), c = decay(s), wd = std::sqrt(w2 - c * c);
    const double e = std::exp(-c * h), co = std::cos(wd * h), si = std::sin(wd * h);
    double z = 0, v = -s.epsilon * v_.jerk, square = 0, peak = 0;
    for (double t = 0; t < v_.duration_s; t += h) {
      const double force = s.epsilon * v_.shake_m * std::pow(2 * std::numbers::pi * v_.shake_hz, 2) *
                           std::sin(2 * std::numbers::pi * v_.shake_hz * (t + 0.5 * h));
      const double rest = force / w2, y = z - rest;
      z = rest + e * (y * co + (v + c * y) / wd * si);
      v = e * (v * co - (w2 * y + c * v) / wd * si);
      square += h * z * z;
      peak = std::max(peak, std::abs(z));
    }
    return motion_of(square, v_.duration_s, peak);
  }

 protected:
  static Ring of_rate(std::complex<double> rate) {
    return {
        .found = rate.imag() > 0,
        .frequency_hz = rate.imag() / (2 * std::numbers::pi),
        .half_life_s = rate.real() < 0 ? std::numbers::ln2 / -rate.real() : std::numeric_limits<double>::infinity()};
  }
  OscillatorValues v_;
};

// The same under backward Euler with a coarse step: its own damping grows with the frequency.
class BackwardEulerOscillator : public LinearOscillator {
 public:
  BackwardEulerOscillator(const OscillatorValues& v, double step) : LinearOscillator(v), h_(step) {}
  Ring ring(const Scalings& s, double) override {
    ++rings;
    // (1 + d h + w^2 h^2) z^2 - (2 + d h) z + 1 = 0
    const double d = 2 * decay(s) * h_, a = 1 + d + std::pow(omega(s) * h_, 2);
    const std::complex<double> root = std::sqrt(std::complex<double>((2 + d) * (2 + d) - 4 * a, 0));
    return of_rate(std::log(((2 + d) + root) / (2 * a)) / h_);
  }
  Motion run(const Scalings& s) override {
    ++runs;
    const double w2 = std::pow(omega(s), 2), d = 2 * decay(s);
    double z = 0, v = -s.epsilon * v_.jerk, square = 0, peak = 0;
    for (double t = 0; t < v_.duration_s; t += h_) {
      v = (v - h_ * w2 * z) / (1 + h_ * d + h_ * h_ * w2);
      z += h_ * v;
      square += h_ * z * z;
      peak = std::max(peak, std::abs(z));
    }
    return motion_of(square, v_.duration_s, peak);
  }

 private:
  double h_;
};

// A hardening spring under gravity: frequency depends on sag and on amplitude. Stepped by Runge-Kutta, ring-downs
// measured as those of a scene would be.
class DuffingOscillator : public LinearOscillator {
 public:
  explicit DuffingOscillator(const OscillatorValues& v) : LinearOscillator(v) {}

  double place(double load) const {  // static, downward negative
    double z = 0;
    for (int i = 0; i < 100; ++i) z -= (force({}, z) + load * v_.gravity) / slope({}, z);
    return z;
  }
  double sag(double load) override {
    ++statics;
    return std::abs(place(load));
  }
  Ring ring(const Scalings& s, double release) override {
    ++rings;
    const double p = place(s.mu / (s.chi * s.chi));
    std::vector<double> y;
    double z = p + release, v = 0;
    for (int i = 0; i < 1440; ++i) {
      if (i % 8 == 0) y.push_back(z);
      step(s, 0, z, v, 1.0 / 480);
    }
    const RingEstimate e = estimate_ring(y, 1.0 / 60);
    return {.found = e.found, .frequency_hz = e.frequency_hz, .half_life_s = e.half_life_s, .trouble = e.reason};
  }
  Motion run(const Scalings& s) override {
    ++runs;
    const double p = place(s.mu / (s.chi * s.chi)), h = 1.0 / 480;
    double z = p, v = -s.epsilon * v_.jerk, square = 0, peak = 0;
    for (double t = 0; t < v_.duration_s; t += h) {
      step(s,
           s.epsilon * v_.shake_m * std::pow(2 * std::numbers::pi * v_.shake_hz, 2) *
               std::sin(2 * std::numbers::pi * v_.shake_hz * t),
           z, v, h);
      square += h * (z - p) * (z - p);
      peak = std::max(peak, std::abs(z - p));
    }
    return motion_of(square, v_.duration_s, peak);
  }

 private:
  double force(const Scalings& s, double z) const { return std::pow(omega(s), 2) * z * (1 + 100 * v_.cubic * z * z); }
  double slope(const Scalings& s, double z) const { return std::pow(omega(s), 2) * (1 + 300 * v_.cubic * z * z); }
  void step(const Scalings& s, double push, double& z, double& v, double h) const {
    const auto rate = [&](double zz, double vv) { return push - s.mu * v_.gravity - force(s, zz) - 2 * decay(s) * vv; };
    const double k1 = v, l1 = rate(z, v), k2 = v + 0.5 * h * l1, l2 = rate(z + 0.5 * h * k1, k2);
    const double k3 = v + 0.5 * h * l2, l3 = rate(z + 0.5 * h * k2, k3), k4 = v + h * l3, l4 = rate(z + h * k3, k4);
    z += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    v += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
  }
};

}  // namespace supple::test
