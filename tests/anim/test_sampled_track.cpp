#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "supple/anim/local_quintic.h"
#include "supple/anim/track.h"
#include "supple/base/error.h"

namespace supple {
namespace {

using Curve = std::function<double(double)>;

// One point that follows f along x, -f/2 along y and stays at z = 1.
std::vector<VecX> sample(const Curve& f, int n, double dt) {
  std::vector<VecX> samples;
  for (int k = 0; k < n; ++k) samples.push_back(Vec3(f(k * dt), -0.5 * f(k * dt), 1));
  return samples;
}

std::vector<VecX> steps(const std::vector<double>& values) {
  std::vector<VecX> samples;
  for (double v : values) samples.push_back(Vec3(v, 0, 0));
  return samples;
}

double x_at(const Track& track, double t, int d = 0) { return track.at(t, d)[0]; }

TEST(SampledTrack, quartics_are_exact_away_from_the_ends) {
  const double dt = 0.1;
  const auto f = [](double t) { return 1 - 2 * t + 3 * t * t - 1.5 * t * t * t + 0.7 * t * t * t * t; };
  const auto df = [](double t) { return -2 + 6 * t - 4.5 * t * t + 2.8 * t * t * t; };
  const auto ddf = [](double t) { return 6 - 9 * t + 8.4 * t * t; };
  const auto track = make_sampled_track(sample(f, 12, dt), dt);
  for (double t = 0.2; t < 0.9; t += 0.0137) {
    EXPECT_NEAR(x_at(*track, t), f(t), 1e-13);
    EXPECT_NEAR(x_at(*track, t, 1), df(t), 1e-12);
    EXPECT_NEAR(x_at(*track, t, 2), ddf(t), 1e-10);
    EXPECT_NEAR(track->at(t, 1)[1], -0.5 * df(t), 1e-12);
    EXPECT_NEAR(track->at(t)[2], 1, 1e-14);
  }
}

TEST(SampledTrack, quintics_are_not_exact) {
  // The five-point first derivative fails from degree five on; a test that passed here would prove nothing above.
  const auto f = [](double t) { return std::pow(t, 5); };
  const auto track = make_sampled_track(sample(f, 12, 0.1), 0.1);
  EXPECT_GT(std::abs(x_at(*track, 0.53) - f(0.53)), 1e-7);
}

TEST(SampledTrack, samples_are_hit_exactly) {
  const double dt = 1.0 / 24;
  const auto f = [](double t) { return std::sin(7 * t); };
  const auto track = make_sampled_track(sample(f, 100, dt), dt);
  for (int k = 0; k < 100; ++k) {
    EXPECT_EQ(x_at(*track, k * dt), f(k * dt));
    EXPECT_EQ(x_at(*track, k / 24.0), f(k * dt));
  }
  EXPECT_DOUBLE_EQ(track->duration(), 99 * dt);
}

TEST(SampledTrack, derivatives_at_samples_are_the_five_point_stencils_of_the_extended_motion) {
  const double dt = 0.05;
  const std::vector<double> y = {0.3, 0.7, -0.2, 0.5, 1.1, 0.9, 1.4};
  for (const TrackStart start : {TrackStart::rest, TrackStart::moving}) {
    const double step = start == TrackStart::moving ? y[1] - y[0] : 0;
    std::vector<double> ext = {y[0] - 2 * step, y[0] - step};
    ext.insert(ext.end(), y.begin(), y.end());
    ext.insert(ext.end(), {y.back(), y.back()});
    const auto track = make_sampled_track(steps(y), dt, start);
    for (size_t k = 0; k < y.size(); ++k) {
      const double* e = &ext[k];
      const double t = static_cast<double>(k) * dt;
      EXPECT_NEAR(x_at(*track, t, 1), (e[0] - 8 * e[1] + 8 * e[3] - e[4]) / (12 * dt), 1e-11);
      EXPECT_NEAR(x_at(*track, t, 2), (-e[0] + 16 * e[1] - 30 * e[2] + 16 * e[3] - e[4]) / (12 * dt * dt), 1e-9);
    }
  }
}

TEST(SampledTrack, mid_step_value_is_the_quintic_hermite_of_the_stencils) {
  // Halfway: (y0 + y1)/2 + 5/32 h (d0 - d1) + h^2/64 (s0 + s1).
  const std::vector<double> y = {0.3, 0.7, -0.2, 0.5, 1.1, 0.9, 1.4};
  const double dt = 0.05;
  const auto track = make_sampled_track(steps(y), dt);
  for (int k = 0; k < 6; ++k) {
    const double a = k * dt, b = (k + 1) * dt;
    const double expected = 0.5 * (x_at(*track, a) + x_at(*track, b)) +
                            5.0 / 32 * dt * (x_at(*track, a, 1) - x_at(*track, b, 1)) +
                            dt * dt / 64 * (x_at(*track, a, 2) + x_at(*track, b, 2));
    EXPECT_NEAR(x_at(*track, a + 0.5 * dt), expected, 1e-13);
  }
}

TEST(SampledTrack, value_slope_and_curvature_are_continuous_everywhere) {
  const double dt = 1.0 / 24, tiny = 1e-8;
  const std::vector<double> rough = {0, 0, 0, 1, 2, 2.5, 1.5, 3, 3, 3.2, 2};
  for (const TrackStart start : {TrackStart::rest, TrackStart::moving}) {
    const auto track = make_sampled_track(steps(rough), dt, start);
    ASSERT_TRUE(track->cuts().empty());
    for (int k = -3; k < 14; ++k) {
      for (int d = 0; d < 3; ++d) {
        // What is left over is one more derivative times the gap.
        const double below = x_at(*track, k * dt - tiny, d), above = x_at(*track, k * dt + tiny, d);
        const double scale = 100 * std::pow(1 / dt, d + 1);
        EXPECT_NEAR(below, above, scale * 2 * tiny) << "sample " << k << " derivative " << d;
      }
    }
  }
}

TEST(SampledTrack, derivatives_agree_with_differences) {
  const double dt = 1.0 / 24, h = 1e-5;
  const auto track = make_sampled_track(sample([](double t) { return std::sin(5 * t) + t; }, 30, dt), dt);
  for (double t = -0.05; t < 1.3; t += 0.0171) {
    EXPECT_NEAR(x_at(*track, t, 1), (x_at(*track, t + h) - x_at(*track, t - h)) / (2 * h), 1e-4);
    EXPECT_NEAR(x_at(*track, t, 2), (x_at(*track, t + h, 1) - x_at(*track, t - h, 1)) / (2 * h), 2e-2);
  }
}

TEST(SampledTrack, error_falls_with_the_fifth_fourth_and_third_power_of_the_spacing) {
  const auto f = [](double t) { return std::sin(4 * t); };
  const auto exact = [](double t, int d) {
    return d == 0 ? std::sin(4 * t) : d == 1 ? 4 * std::cos(4 * t) : -16 * std::sin(4 * t);
  };
  for (int d = 0; d < 3; ++d) {
    double error[2];
    for (int level = 0; level < 2; ++level) {
      const double dt = 0.1 / (1 << level);
      const auto track = make_sampled_track(sample(f, 40 << level, dt), dt);
      error[level] = 0;
      for (double t = 0.5; t < 3; t += 0.00313)
        error[level] = std::max(error[level], std::abs(x_at(*track, t, d) - exact(t, d)));
    }
    const double order = std::log2(error[0] / error[1]);
    RecordProperty("order_" + std::to_string(d), std::to_string(order));
    EXPECT_GT(order, 4.8 - d) << "derivative " << d << ", errors " << error[0] << " " << error[1];
  }
}

TEST(SampledTrack, an_edit_reaches_two_samples_and_no_further) {
  const double dt = 0.1;
  auto samples = sample([](double t) { return std::sin(3 * t); }, 20, dt);
  const auto before = make_sampled_track(samples, dt);
  samples[10][0] += 0.05;
  const auto after = make_sampled_track(samples, dt);
  for (double t = 0; t < 1.9; t += 0.0101) {
    if (t > 0.7 && t < 1.3) continue;  // derivatives of samples 8..12 change, so do the steps 7..12
    for (int d = 0; d < 3; ++d) {
      const double change = std::abs(x_at(*after, t, d) - x_at(*before, t, d));
      EXPECT_EQ(change, 0) << "t " << t << " derivative " << d;
    }
  }
  EXPECT_GT(std::abs(x_at(*after, 0.75) - x_at(*before, 0.75)), 1e-7);
  EXPECT_GT(std::abs(x_at(*after, 1.25) - x_at(*before, 1.25)), 1e-7);
}

TEST(SampledTrack, rest_and_moving_starts_and_the_held_end) {
  const double dt = 0.1;
  const auto f = [](double t) { return 2 * t; };
  const auto rest = make_sampled_track(sample(f, 10, dt), dt);
  const auto moving = make_sampled_track(sample(f, 10, dt), dt, TrackStart::moving);
  EXPECT_NEAR(x_at(*rest, -0.35), 0, 1e-15);
  EXPECT_NEAR(x_at(*rest, -50), 0, 1e-15);
  for (double t : {-50.0, -1.0, -0.13, 0.0, 0.04, 0.3}) {
    EXPECT_NEAR(x_at(*moving, t), 2 * t, 1e-12);
    EXPECT_NEAR(x_at(*moving, t, 1), 2, 1e-11);
    EXPECT_NEAR(x_at(*moving, t, 2), 0, 1e-9);
  }
  for (double t : {1.3, 7.0, 1e9}) {
    EXPECT_NEAR(x_at(*moving, t), 1.8, 1e-12);
    EXPECT_NEAR(x_at(*moving, t, 1), 0, 1e-11);
  }
}

TEST(SampledTrack, starts_and_stops_at_full_speed_are_not_cut_and_swing_out_by_less_than_nine_percent_of_a_step) {
  const std::vector<double> yank = {0, 0, 0, 1, 2, 3, 4, 5, 6, 6, 6, 6, 6};
  const auto track = make_sampled_track(steps(yank), 1.0 / 24);
  EXPECT_TRUE(track->cuts().empty());
  double low = 0, high = 0;
  for (double t = 0; t < 0.55; t += 1e-4) low = std::min(low, x_at(*track, t)), high = std::max(high, x_at(*track, t));
  EXPECT_LT(-low, 0.09);
  EXPECT_LT(high - 6, 0.09);
  EXPECT_GT(-low, 0.08);
}

TEST(SampledTrack, a_step_is_cut_without_any_overshoot) {
  const double dt = 1.0 / 24;
  const std::vector<double> step = {0, 0, 0, 0, 5, 5, 5, 5};
  const auto track = make_sampled_track(steps(step), dt);
  ASSERT_EQ(track->cuts().size(), 1u);
  EXPECT_DOUBLE_EQ(track->cuts()[0], 4 * dt);
  for (double t = 0; t < 8 * dt; t += dt / 50) {
    EXPECT_EQ(x_at(*track, t), t < 4 * dt - 1e-9 ? 0 : 5) << t / dt;
    EXPECT_EQ(x_at(*track, t, 1), 0);
  }
}

TEST(SampledTrack, a_teleport_in_motion_leaves_both_sides_smooth) {
  // A parabola, then the same moved by 10 m: both sides are exact as if the other were not there.
  const double dt = 1.0 / 30;
  const auto f = [](double t) { return 0.4 * t + 0.3 * t * t; };
  auto samples = sample(f, 20, dt);
  for (size_t k = 9; k < 20; ++k) samples[k][2] += 10;
  const auto track = make_sampled_track(samples, dt);
  ASSERT_EQ(track->cuts().size(), 1u);
  EXPECT_DOUBLE_EQ(track->cuts()[0], 9 * dt);
  for (double t = 3 * dt; t < 16 * dt; t += dt / 7) {
    EXPECT_NEAR(x_at(*track, t), f(t), 1e-12);
    EXPECT_NEAR(x_at(*track, t, 2), 0.6, 1e-8);
    EXPECT_NEAR(track->at(t)[2], t < 9 * dt - 1e-9 ? 1 : 11, 1e-12);
  }
}

TEST(SampledTrack, one_point_of_many_that_jumps_is_cut_alone) {
  const double dt = 1.0 / 24;
  std::vector<VecX> samples;
  for (int k = 0; k < 12; ++k) {
    VecX s = VecX::Zero(15);
    for (int i = 0; i < 5; ++i) s.segment<3>(3 * i) = Vec3(i, 0.01 * k, 0);
    if (k >= 6) s[3 * 2 + 2] = 1;
    samples.push_back(s);
  }
  const auto track = make_sampled_track(samples, dt);
  EXPECT_TRUE(track->cuts().empty());
  for (double t = 2 * dt; t < 9 * dt; t += dt / 11) {
    EXPECT_EQ(track->at(t)[3 * 2 + 2], t < 6 * dt - 1e-9 ? 0 : 1);
    EXPECT_NEAR(track->at(t)[3 * 2 + 1], 0.01 * t / dt, 1e-12);
    EXPECT_NEAR(track->at(t)[3 * 4 + 1], 0.01 * t / dt, 1e-12);
  }
}

TEST(SampledTrack, what_is_no_teleport) {
  const double dt = 1.0 / 24;
  const auto cut = [&](const std::vector<double>& y, double spacing) {
    return !make_sampled_track(steps(y), spacing)->cuts().empty();
  };
  EXPECT_FALSE(cut({0, 0, 1, 1, 2, 2, 3, 3, 4, 4}, dt));                           // on twos
  EXPECT_FALSE(cut({0, 0, 0, 0, 1, 1, 1, 1}, 0.5));                                // keyed half a second apart
  EXPECT_FALSE(cut({0, 1e-7, 0, 0, 3e-7, 0, 1, 2, 3}, dt));                        // rounding noise
  EXPECT_FALSE(cut({100, 100, 100, 100.0005, 100.0005, 100.0005, 100.0005}, dt));  // float32 steps far from the origin
  EXPECT_FALSE(cut({0, 1}, dt));                                                   // too little to judge by
  EXPECT_FALSE(cut({0, 0, 0.1, 0.9, 1, 1, 1}, dt));                                // a snap with an ease
  EXPECT_TRUE(cut({0, 0.01, 0.02, 0.03, 1.03, 1.04, 1.05}, dt));
}

TEST(SampledTrack, bad_samples_are_named) {
  EXPECT_THROW(make_sampled_track({}, 0.1), InputError);
  EXPECT_THROW(make_sampled_track(steps({0, 1}), 0), InputError);
  EXPECT_THROW(make_sampled_track(steps({0, 1}), NAN), InputError);
  EXPECT_THROW(make_sampled_track({VecX::Zero(3), VecX::Zero(6)}, 0.1), InputError);
  EXPECT_THROW(make_sampled_track({VecX::Zero(4)}, 0.1), InputError);
  try {
    auto samples = std::vector<VecX>(4, VecX::Zero(9));
    samples[2][7] = NAN;
    make_sampled_track(samples, 0.1);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_EQ(e.where().place, "sample 2, point 2");
  }
  EXPECT_EQ(make_sampled_track({Vec3(1, 2, 3)}, 0.1)->at(5.0)[2], 3);
}

TEST(LocalQuintic, uneven_knots_keep_quartics_exact) {
  const SixTimes times = {-0.31, -0.12, 0.05, 0.2, 0.29, 0.55};
  const auto f = [](double t, int d) {
    return d == 0   ? 2 * t - t * t + std::pow(t, 3) + 3 * std::pow(t, 4)
           : d == 1 ? 2 - 2 * t + 3 * t * t + 12 * std::pow(t, 3)
                    : -2 + 6 * t + 36 * t * t;
  };
  for (double t = 0.05; t < 0.2; t += 0.01) {
    for (int d = 0; d < 3; ++d) {
      const SixWeights w = local_quintic_weights(times, t, d);
      double sum = 0;
      for (size_t j = 0; j < 6; ++j) sum += w[j] * f(times[j], 0);
      EXPECT_NEAR(sum, f(t, d), 1e-11 * std::pow(10, d));
    }
  }
}

}  // namespace
}  // namespace supple
