// Estimators against signals made from their own closed form.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>
#include <random>

#include "supple/base/error.h"
#include "supple/sim/ringdown.h"
#include "supple/tune/estimators.h"

using namespace supple;

namespace {

double ring(double t, double f, double half_life, double phase = 0) {
  return t < 0 ? 0 : std::exp2(-t / half_life) * std::cos(2 * std::numbers::pi * f * t + phase);
}

std::vector<double> signal_of(int n, double dt, const std::function<double(double)>& y) {
  std::vector<double> out;
  for (int i = 0; i < n; ++i) out.push_back(y(i * dt));
  return out;
}

std::vector<double> noisy(std::vector<double> y, double sigma, unsigned seed = 1) {
  std::mt19937 engine(seed);
  // Sums of uniforms: the same on every platform.
  for (double& v : y) {
    double g = 0;
    for (int i = 0; i < 12; ++i) g += static_cast<double>(engine()) / 4294967296.0 - 0.5;
    v += sigma * g;
  }
  return y;
}

}  // namespace

TEST(EstimateRing, AllNumbersOfOneMode) {
  const auto y = signal_of(100, 1.0 / 48, [](double t) { return 5 + 0.3 * ring(t, 1.7, 0.6, 0.4); });
  const RingEstimate e = estimate_ring(y, 1.0 / 48);
  ASSERT_TRUE(e.found && e.half_life_found) << e.reason;
  EXPECT_NEAR(e.frequency_hz, 1.7, 1e-8);
  EXPECT_NEAR(e.half_life_s, 0.6, 1e-8);
  EXPECT_NEAR(e.natural_hz, std::hypot(1.7, std::log(2) / 0.6 / (2 * std::numbers::pi)), 1e-8);
  EXPECT_NEAR(e.amplitude, 0.3, 1e-8);
  EXPECT_NEAR(e.phase_rad, 0.4, 1e-8);
  EXPECT_NEAR(e.offset, 5, 1e-8);
  EXPECT_GT(e.share, 0.999);
  EXPECT_LT(e.residual, 1e-8);
  EXPECT_EQ(e.reason, "");
}

// Two periods, down to a frequency x half-life of 0.3, with a second and a third mode and a little noise.
TEST(EstimateRing, StrongDampingShortRecordsMixedModes) {
  for (const double product : {0.3, 0.5, 1.0, 3.0})
    for (const double periods : {2.1, 3.0, 6.0, 20.0})
      for (const double per_period : {20.0, 77.0}) {
        const double f = 2.3, half_life = product / f, dt = 1 / (f * per_period);
        const auto y = signal_of(static_cast<int>(periods * per_period) + 1, dt, [&](double t) {
          return 0.1 + ring(t, f, half_life, -0.9) + 0.3 * ring(t, 2.7 * f, half_life / 4, 0.5) +
                 0.1 * ring(t, 5.1 * f, half_life / 7, 1.1);
        });
        const std::string where = testing::PrintToString(std::vector<double>{product, periods, per_period});
        const RingEstimate clean = estimate_ring(y, dt);
        ASSERT_TRUE(clean.found && clean.half_life_found) << where << clean.reason;
        EXPECT_NEAR(clean.frequency_hz / f, 1, 2e-3) << where;
        EXPECT_NEAR(clean.half_life_s / half_life, 1, 5e-3) << where;
        const RingEstimate rough = estimate_ring(noisy(y, 1e-3), dt);
        ASSERT_TRUE(rough.found) << where << rough.reason;
        EXPECT_NEAR(rough.frequency_hz / f, 1, 0.02) << where;
        EXPECT_NEAR(rough.half_life_s / half_life, 1, 0.05) << where;
      }
}

TEST(EstimateRing, SaysWhenThereIsNothing) {
  const double dt = 1.0 / 60;
  EXPECT_FALSE(estimate_ring({}, dt).found);
  EXPECT_FALSE(estimate_ring(std::vector<double>(100, 3.0), dt).found);
  EXPECT_FALSE(estimate_ring(std::vector<double>(100, NAN), dt).found);
  const auto creep = signal_of(200, dt, [](double t) { return 1 + std::exp(-3 * t); });
  EXPECT_FALSE(estimate_ring(creep, dt).found);
  EXPECT_FALSE(estimate_ring(noisy(creep, 1e-3), dt).found);
  for (unsigned seed = 1; seed < 6; ++seed)
    EXPECT_FALSE(estimate_ring(noisy(std::vector<double>(200, 0.0), 1, seed), dt).found) << seed;
  // Steady: a frequency, no half-life.
  const RingEstimate steady = estimate_ring(signal_of(200, dt, [](double t) { return std::sin(9 * t); }), dt);
  EXPECT_TRUE(steady.found);
  EXPECT_FALSE(steady.half_life_found);
  EXPECT_NE(steady.reason, "");
}

// Thinning neither moves a pole nor its strength, though frequencies above the new rate are present.
TEST(FitPoles, ThinningKeepsPoles) {
  const double dt = 1.0 / 2000;
  const auto y = signal_of(20000, dt, [](double t) {
    return 0.4 + 2 * ring(t, 1.3, 1.1, 0.7) + 0.2 * ring(t, 61.3, 3, 0.2);  // thinned to 60 samples a second
  });
  const Ringdown r = fit_ringdown(y, dt);
  ASSERT_TRUE(r.found);
  EXPECT_NEAR(r.frequency_hz, 1.3, 1e-6);
  EXPECT_NEAR(r.half_life_s, 1.1, 1e-6);
  EXPECT_NEAR(r.amplitude, 2, 1e-5);
  EXPECT_NEAR(r.phase_rad, 0.7, 1e-5);
  EXPECT_NEAR(r.offset, 0.4, 1e-6);
}

TEST(Spectrum, PeakOfASinusoid) {
  for (const double f : {0.37, 1.0, 2.9, 7.77}) {
    const double dt = 1.0 / 30;
    const Spectrum s = spectrum(
        signal_of(300, dt, [&](double t) { return 4 + 0.7 * std::sin(2 * std::numbers::pi * f * t + 1); }), dt);
    ASSERT_TRUE(s.found);
    EXPECT_NEAR(s.peak_hz, f, 2e-3);
    EXPECT_NEAR(s.peak_magnitude, 0.7, 5e-3);
  }
  EXPECT_FALSE(spectrum(std::vector<double>(64, 2.5), 0.1).found);
  EXPECT_FALSE(spectrum({1, 2, 3}, 0.1).found);
  EXPECT_FALSE(spectrum(std::vector<double>(64, NAN), 0.1).found);
}

// The transform against the sum that defines it.
TEST(Spectrum, EqualsDirectSum) {
  const auto y = noisy(std::vector<double>(37, 0.0), 1);
  const Spectrum s = spectrum(y, 0.5);
  const size_t n = 2 * (s.magnitude.size() - 1);
  double total = 0, mean = 0;
  std::vector<double> w;
  for (int i = 0; i < 37; ++i) w.push_back(std::pow(std::sin(std::numbers::pi * (i + 1) / 38.0), 2));
  for (size_t i = 0; i < 37; ++i) total += w[i], mean += w[i] * y[i];
  for (size_t k = 0; k < s.magnitude.size(); k += 7) {
    std::complex<double> sum = 0;
    for (size_t i = 0; i < 37; ++i)
      sum += w[i] * (y[i] - mean / total) *
             std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k * i) / static_cast<double>(n));
    EXPECT_NEAR(s.magnitude[k], 2 * std::abs(sum) / total, 1e-12);
  }
  EXPECT_DOUBLE_EQ(s.bin_hz, 1 / (static_cast<double>(n) * 0.5));
}

namespace {

struct Shake {
  double frequency_hz, half_life_s;
  double fps = 24;
  int frames = 144;
  Vec3 axis = Vec3::UnitX();
  Vec3 sag = Vec3::Zero();
  double move_s = 1;               // the base is eased by 0.5 m along x in this time
  std::vector<double> begin{0.5};  // at these times
  double second_mode = 0;          // strength of a mode 2.5 times as fast that dies four times as fast
};

// A point carried by damped oscillators on a moving base, stepped finely.
Points shaken(const Shake& k) {
  const auto phase = [&](double t, double begin) { return std::clamp((t - begin) / k.move_s, 0.0, 1.0); };
  const auto base = [&](double t) {
    double x = 0;
    for (const double begin : k.begin) {
      const double s = phase(t, begin);
      x += 0.5 * s * s * s * (10 - 15 * s + 6 * s * s);
    }
    return x;
  };
  const auto acceleration = [&](double t) {
    double a = 0;
    for (const double begin : k.begin) {
      const double s = phase(t, begin);
      a += 0.5 * (60 * s - 180 * s * s + 120 * s * s * s) / (k.move_s * k.move_s);
    }
    return a;
  };
  Points path(static_cast<size_t>(k.frames));
  for (int mode = 0; mode < 2; ++mode) {
    const double decay = std::log(2) / k.half_life_s * (mode ? 4 : 1);
    const double w2 = std::pow(2 * std::numbers::pi * k.frequency_hz * (mode ? 2.5 : 1), 2) + decay * decay;
    const int sub = 200;
    const double h = 1 / (k.fps * sub);
    double z = 0, v = 0;
    for (int i = 0; i < k.frames * sub; ++i) {
      const double t = i * h;
      Vec3& x = path[static_cast<size_t>(i / sub)];
      if (i % sub == 0)
        x = mode ? Vec3(x + k.second_mode * z * k.axis) : Vec3(Vec3(base(t), 0, 0) + k.sag + z * k.axis);
      const auto rate = [&](double at, double zz, double vv) { return -acceleration(at) - 2 * decay * vv - w2 * zz; };
      const double v1 = v + 0.5 * h * rate(t, z, v), z1 = z + 0.5 * h * v;
      z += h * v1;
      v += h * rate(t + 0.5 * h, z1, v1);
    }
  }
  return path;
}

Points jittered(Points path, double sigma, unsigned seed) {
  const std::vector<double> j = noisy(std::vector<double>(3 * path.size(), 0.0), sigma, seed);
  for (size_t i = 0; i < path.size(); ++i) path[i] += Vec3(j[3 * i], j[3 * i + 1], j[3 * i + 2]);
  return path;
}

}  // namespace

TEST(MeasureTake, PointOnAMovingBody) {
  const Vec3 axis = Vec3(1, 0.5, -0.2).normalized(), sag(0.01, -0.03, 0);
  for (const bool twice : {false, true}) {
    Shake shake{.frequency_hz = 2.4, .half_life_s = 0.5, .axis = axis, .sag = sag};
    if (twice) shake.begin.push_back(3);
    const Points path = shaken(shake);
    TakeOptions o;
    o.rest = {Vec3(twice ? 1.0 : 0.5, 0, 0)};
    const TakeNumbers r = measure_take(path, 24, o);
    ASSERT_TRUE(r.frequency_found && r.half_life_found && r.peak_found && r.sag_found) << r.reason;
    EXPECT_NEAR(r.frequency_hz, 2.4, 0.002);
    EXPECT_NEAR(r.half_life_s, 0.5, 0.002);
    EXPECT_NEAR(r.sag_m, sag.norm(), 1e-5);
    EXPECT_GT(std::abs(r.axis.dot(axis)), 0.999);
    EXPECT_NEAR(r.free_from, (twice ? 4 : 1.5) * 24, 3);  // where the drive ends
    EXPECT_EQ(r.free_to, 143);

    // Against where it would be without jiggle the peak is that of the whole take.
    shake.axis = Vec3::Zero();
    const Points still = shaken(shake);
    double peak = 0;
    for (size_t i = 0; i < path.size(); ++i) {
      o.reference.push_back({still[i]});
      peak = std::max(peak, (path[i] - still[i]).norm());
    }
    const TakeNumbers with = measure_take(path, 24, o);
    EXPECT_NEAR(with.peak_m, peak, 1e-12);
    EXPECT_NEAR(with.frequency_hz, 2.4, 0.002);
    EXPECT_FALSE(with.sag_found);
  }
}

// Slow and fast, short and long of breath, two modes, tracked with jitter: right, or said not to be found.
TEST(MeasureTake, ManyTakes) {
  int found = 0, takes = 0;
  for (const double jitter : {0.0, 1e-4, 1e-3})
    for (const double half_life : {0.15, 0.4, 1.5})
      for (const double f : {1.2, 2.5, 5.0})
        for (const double move : {0.3, 0.6}) {
          if (f * half_life < 0.3) continue;
          const Shake shake{.frequency_hz = f,
                            .half_life_s = half_life,
                            .frames = 120,
                            .axis = Vec3(0.3, 1, 0).normalized(),
                            .move_s = move,
                            .second_mode = 0.5};
          const TakeNumbers r = measure_take(jittered(shaken(shake), jitter, 5), 24);
          const std::string where = testing::PrintToString(std::vector<double>{jitter, half_life, f, move});
          ++takes;
          EXPECT_TRUE(jitter > 0 || (r.frequency_found && r.half_life_found)) << where << r.reason;
          EXPECT_TRUE(r.frequency_found || r.reason != "") << where;
          if (!r.frequency_found) continue;
          EXPECT_GE(r.free_from, (0.5 + move) * 24 - 3) << where;
          EXPECT_LE(r.free_from, (0.5 + move + 0.5 / f) * 24 + 2) << where;
          ++found;
          EXPECT_NEAR(r.frequency_hz / f, 1, jitter > 0 ? 0.03 : 1e-3) << where;
          const double heard = r.half_life_found ? r.half_life_s : half_life;
          EXPECT_NEAR(heard / half_life, 1, jitter > 0 ? 0.1 : 0.02) << where;
        }
  EXPECT_GE(found, takes * 3 / 4);
}

// Many points with one shape: root mean squares.
TEST(MeasureTake, ManyPoints) {
  const int n = 300;
  Points rest;
  std::vector<double> weight;
  double square = 0;
  for (int k = 0; k < n; ++k) {
    rest.push_back(Vec3(0.01 * k, 1, 2));
    weight.push_back(0.1 * (1 + 0.5 * std::sin(0.2 * k)));
  }
  for (int k = 0; k < n; k += 3) square += weight[static_cast<size_t>(k)] * weight[static_cast<size_t>(k)];
  std::vector<Points> frames;
  for (int f = 0; f < 100; ++f) {
    Points x = rest;
    for (size_t k = 0; k < x.size(); ++k) x[k] += Vec3(0, -0.05, 0) + weight[k] * Vec3(0, ring(f / 24.0, 1.5, 0.8), 0);
    frames.push_back(x);
  }
  TakeOptions o;
  o.rest = rest;
  const TakeNumbers r = measure_take(frames, 24, o);
  ASSERT_TRUE(r.frequency_found && r.half_life_found && r.sag_found && r.peak_found) << r.reason;
  EXPECT_NEAR(r.frequency_hz, 1.5, 1e-4);
  EXPECT_NEAR(r.half_life_s, 0.8, 1e-4);
  EXPECT_NEAR(r.sag_m, 0.05, 1e-6);
  EXPECT_NEAR(r.peak_m, std::sqrt(square / 100), 1e-5);
  EXPECT_EQ(r.free_from, 0);
}

TEST(MeasureTake, HonestAboutWhatIsNotThere) {
  EXPECT_FALSE(measure_take(Points(5, Vec3::Zero()), 24).frequency_found);
  const TakeNumbers still = measure_take(Points(100, Vec3(1, 2, 3)), 24);
  EXPECT_FALSE(still.frequency_found || still.half_life_found || still.peak_found);
  EXPECT_NE(still.reason, "");
  EXPECT_FALSE(measure_take(Points(100, Vec3(NAN, 2, 3)), 24).frequency_found);
  // Driven to the last frame.
  Points driven;
  std::vector<double> noise = noisy(std::vector<double>(100, 0.0), 1, 3);
  double x = 0;
  for (int f = 0; f < 100; ++f) driven.push_back(Vec3(x += noise[static_cast<size_t>(f)], 0, 0));
  const TakeNumbers d = measure_take(driven, 24);
  EXPECT_FALSE(d.frequency_found) << d.frequency_hz << " from " << d.free_from;
  EXPECT_THROW(measure_take(Points(50, Vec3::Zero()), 0), InputError);
  EXPECT_THROW(measure_take(std::vector<Points>{Points(2, Vec3::Zero()), Points(3, Vec3::Zero())}, 24), InputError);
  TakeOptions o;
  o.rest = Points(2, Vec3::Zero());
  EXPECT_THROW(measure_take(Points(50, Vec3::Zero()), 24, o), InputError);
}
