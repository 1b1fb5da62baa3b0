#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "supple/tune/carried_motion.h"
#include "supple/tune/swing_rule.h"

namespace supple {
namespace {

constexpr double kPi = std::numbers::pi, kForever = std::numeric_limits<double>::infinity();

struct Swinging {
  Vec3 z, rate;
};
Swinging swing_on(Swinging x, double f, double half_life, const Vec3& a0, const Vec3& a1, double h) {
  SwingRule(f, half_life, h).step(x.z, x.rate, a0, a1);
  return x;
}

// One point whose place is a function of time.
template <class Place>
CarriedPoints sampled(double fps, double duration, Place place) {
  CarriedPoints p{.fps = fps};
  for (int k = 0; k <= std::lround(duration * fps); ++k) p.positions.emplace_back(Vec3(place(k / fps)));
  return p;
}

TEST(Swing, free_oscillation_is_the_closed_form) {
  for (const double half_life : {kForever, 0.3, 0.05}) {
    const double f = 2.3, w = 2 * kPi * f, s = std::numbers::ln2 / half_life, wd = std::sqrt(w * w - s * s);
    Swinging x{{0.02, 0, 0}, {0.1, -0.3, 0}};
    for (int k = 0; k < 50; ++k) x = swing_on(x, f, half_life, Vec3::Zero(), Vec3::Zero(), 0.013);
    const double t = 50 * 0.013, e = std::exp(-s * t);
    EXPECT_NEAR(x.z[0], e * (0.02 * std::cos(wd * t) + (0.1 + s * 0.02) / wd * std::sin(wd * t)), 1e-13);
    EXPECT_NEAR(x.z[1], e * -0.3 / wd * std::sin(wd * t), 1e-13);
    EXPECT_NEAR(x.rate[1], e * -0.3 * (std::cos(wd * t) - s / wd * std::sin(wd * t)), 1e-12);
  }
}

// From the particular solution of a constant and a ramp, in equilibrium with it: it stays on it.
TEST(Swing, constant_and_linear_forcing_are_exact) {
  for (const double half_life : {kForever, 0.2, 1e-3}) {
    const double f = 3, w = 2 * kPi * f, s = std::min(std::numbers::ln2 / half_life, w), h = 0.031;
    const Vec3 a(4, -1, 0), b(7, 2, -3);
    const auto on = [&](double t) { return Vec3(-(a + b * t) / (w * w) + 2 * s * b / (w * w * w * w)); };
    Swinging x{on(0), -b / (w * w)};
    for (int k = 0; k < 20; ++k) x = swing_on(x, f, half_life, a + b * (k * h), a + b * ((k + 1) * h), h);
    EXPECT_LT((x.z - on(20 * h)).norm(), 1e-12);
    EXPECT_LT((x.rate + b / (w * w)).norm(), 1e-11);
  }
}

TEST(Swing, a_step_is_two_halves) {
  const Swinging x{{0.01, 0.02, 0}, {0, 0.1, 0.3}};
  const Vec3 a(1, 2, 3), b(-3, 1, 0);
  for (const double half_life : {0.25, 0.06, 0.01}) {  // oscillating, nearly critical, critical
    const Swinging whole = swing_on(x, 2, half_life, a, b, 0.05);
    const Swinging half = swing_on(x, 2, half_life, a, (a + b) / 2, 0.025);
    const Swinging halves = swing_on(half, 2, half_life, (a + b) / 2, b, 0.025);
    EXPECT_LT((whole.z - halves.z).norm(), 1e-15);
    EXPECT_LT((whole.rate - halves.rate).norm(), 1e-13);
  }
}

TEST(CarriedAccelerations, neither_rest_nor_steady_motion_has_any_and_a_fall_has_its_own) {
  for (const double speed : {0.0, 3.0})
    for (const VecX& a : carried_accelerations(sampled(24, 2, [&](double t) { return Vec3(speed * t, 1, 0); })))
      EXPECT_LT(a.norm(), 1e-10);
  // From the first frame to the last.
  for (const VecX& a : carried_accelerations(sampled(24, 1, [](double t) { return Vec3(0, -0.5 * 9.81 * t * t, 0); })))
    EXPECT_LT((a - VecX(Vec3(0, -9.81, 0))).norm(), 1e-9);
}

TEST(CarriedAccelerations, are_those_of_a_sine) {
  const double w = 2 * kPi * 2;
  const std::vector<VecX> a =
      carried_accelerations(sampled(60, 2, [&](double t) { return Vec3(0, std::sin(w * t), 1); }));
  for (size_t k = 2; k + 2 < a.size(); ++k)
    EXPECT_NEAR(a[k][1], -w * w * std::sin(w * static_cast<double>(k) / 60), 1e-3 * w * w);
}

// Carried round a circle.
TEST(CarriedAccelerations, a_circle_pulls_inwards) {
  const double spin = 3, radius = 0.5;
  const CarriedPoints p =
      sampled(60, 3, [&](double t) { return Vec3(radius * Vec3(std::cos(spin * t), std::sin(spin * t), 0)); });
  const std::vector<VecX> a = carried_accelerations(p);
  for (size_t k = 4; k + 4 < a.size(); ++k) EXPECT_LT((a[k] + spin * spin * p.positions[k]).norm(), 1e-3);
}

TEST(CarriedAccelerations, cuts_do_not_kick) {
  const auto path = [](double t) { return Vec3(0.02 * std::sin(2 * kPi * t), 0.01 * std::cos(3 * t), 0.3 * t); };
  const CarriedPoints p = sampled(30, 4, path);
  const std::vector<VecX> smooth = carried_accelerations(p);
  // All jump in the middle; or one of three points alone.
  CarriedPoints cut = p, partial = p;
  for (size_t k = 0; k < p.positions.size(); ++k) {
    cut.positions[k] += VecX(k > 60 ? Vec3(5, 2, -3) : Vec3(0, 0, 0));
    VecX three(9);
    three << p.positions[k], p.positions[k] + VecX(Vec3(1, 0, 0)),
        p.positions[k] + VecX(k > 60 ? Vec3(0, 4, 0) : Vec3(0, 0, 0));
    partial.positions[k] = three;
  }
  const std::vector<VecX> jumped = carried_accelerations(cut), some = carried_accelerations(partial);
  for (size_t k = 0; k < smooth.size(); ++k) {
    EXPECT_LT((jumped[k] - smooth[k]).norm(), 0.3) << k;
    EXPECT_EQ(some[k].head<3>(), smooth[k]) << k;
    EXPECT_LT((some[k].tail<3>() - smooth[k]).norm(), 0.3) << k;
  }
}

TEST(CarriedAccelerations, the_same_bits_for_any_number_of_threads_and_short_clips) {
  CarriedPoints p{.fps = 24};
  for (int k = 0; k < 40; ++k) {
    VecX x(300);
    for (int i = 0; i < 300; ++i) x[i] = std::sin(0.3 * k + i);
    p.positions.push_back(x);
  }
  set_thread_count(1);
  const std::vector<VecX> one = carried_accelerations(p);
  set_thread_count(2);
  const std::vector<VecX> two = carried_accelerations(p);
  set_thread_count(0);
  EXPECT_EQ(one, two);
  for (const size_t frames : {1, 2, 3, 4}) {
    CarriedPoints brief = p;
    brief.positions.resize(frames);
    const std::vector<VecX> a = carried_accelerations(brief);
    ASSERT_EQ(a.size(), frames);
    EXPECT_TRUE(a[0].allFinite());
    EXPECT_EQ(a[0].norm() < 1e-9, frames < 3);
  }
  EXPECT_TRUE(carried_accelerations({}).empty());
}

TEST(CarriedAccelerations, what_cannot_be_is_refused) {
  const CarriedPoints good = sampled(24, 1, [](double t) { return Vec3(t, 0, 0); });
  EXPECT_NO_THROW(carried_accelerations(good));
  CarriedPoints p = good;
  p.fps = 0;
  EXPECT_THROW(carried_accelerations(p), InputError);
  p = good;
  p.positions[3][1] = NAN;
  EXPECT_THROW(carried_accelerations(p), InputError);
  p = good;
  p.positions[3] = VecX::Zero(6);
  EXPECT_THROW(carried_accelerations(p), InputError);
  EXPECT_THROW(felt_accelerations(good, {2, 2}, {0.3, 0.3}, false), InputError);
}

// Far below its own frequency an oscillator goes as far as the acceleration says; at it, 1 / (2 zeta) times as far.
TEST(FeltAccelerations, are_those_of_an_oscillator) {
  const double f = 2, half_life = 0.3, zeta = std::numbers::ln2 / half_life / (2 * kPi * f);
  const auto most = [&](double shake_hz, bool repeats) {
    const double w = 2 * kPi * shake_hz;
    const CarriedPoints p = sampled(120, 2, [&](double t) { return Vec3(0, std::sin(w * t) / (w * w), 0); });
    double largest = 0;
    for (const auto& at : felt_accelerations(p, {f}, {half_life}, repeats)) largest = std::max(largest, at[0]);
    return largest;
  };
  EXPECT_NEAR(most(0.5, true), 1 / (1 - 1.0 / 16), 0.02);
  EXPECT_NEAR(most(2, true), 1 / (2 * zeta), 0.03 / zeta);
  // Begun at rest it is not there yet in two seconds, or swings through.
  EXPECT_LT(most(2, false), most(2, true));
}

TEST(FeltAccelerations, the_same_bits_for_any_number_of_threads) {
  CarriedPoints p{.fps = 24};
  for (int k = 0; k < 40; ++k) {
    VecX x(300);
    for (int i = 0; i < 300; ++i) x[i] = std::sin(0.3 * k + i);
    p.positions.push_back(x);
  }
  const std::vector<double> f(100, 2.5), half_life(100, 0.2);
  set_thread_count(1);
  const auto one = felt_accelerations(p, f, half_life, true);
  set_thread_count(2);
  const auto two = felt_accelerations(p, f, half_life, true);
  set_thread_count(0);
  EXPECT_EQ(one, two);
}

TEST(FrequencyForThickness, sags_by_the_same_share_of_every_thickness) {
  EXPECT_DOUBLE_EQ(frequency_for_thickness(0.15), 2.5);
  const auto share = [](double t) { return 9.81 / std::pow(2 * kPi * frequency_for_thickness(t), 2) / t; };
  for (const double t : {0.02, 0.05, 0.3, 0.4}) EXPECT_NEAR(share(t), share(0.15), 1e-12);
  EXPECT_EQ(frequency_for_thickness(5), 1.5);
  EXPECT_EQ(frequency_for_thickness(1e-3), 8);
  EXPECT_EQ(frequency_for_thickness(0), 8);
  EXPECT_EQ(frequency_for_thickness(NAN), 8);
}

TEST(Percentile, lies_between_sorted_values) {
  EXPECT_EQ(percentile({}, 0.5), 0);
  EXPECT_EQ(percentile({3}, 0.99), 3);
  EXPECT_EQ(percentile({4, 1, 3, 2}, 0), 1);
  EXPECT_EQ(percentile({4, 1, 3, 2}, 1), 4);
  EXPECT_EQ(percentile({4, 1, 3, 2}, 0.5), 2.5);
  std::vector<double> hundred;
  for (int i = 100; i >= 0; --i) hundred.push_back(i);
  EXPECT_DOUBLE_EQ(percentile(hundred, 0.99), 99);
  EXPECT_NEAR(percentile(hundred, 0.995), 99.5, 1e-9);
}

}  // namespace
}  // namespace supple
