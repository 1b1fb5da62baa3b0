// Settings of a spring bone against its own rule, played with all that is not linear in it.
#include "supple/anim/spring_bone.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <complex>

#include "supple/base/error.h"

namespace supple {
namespace {

// The longest half-life that the rule has at a frequency (undamped; damped ones differ little) and rate; 0: none.
double longest_half_life(double frequency_hz, double frame_rate = 60) {
  const double c = std::cos(2 * M_PI * frequency_hz / frame_rate);
  if (!(frequency_hz < frame_rate / 4) || !(c > 0)) return 0;
  return std::log(2.0) / frame_rate / -std::log(c);
}

struct Measured {
  double frequency_hz = 0, half_life_s = 0;
};

// The tail after a small push, from its rest at `still`: x+ = Q x - P x- by least squares, and what its roots say.
Measured measure(const SpringFit& fit, const SpringWish& wish, const Vec3& still, const Vec3& across) {
  const double dt = 1 / wish.frame_rate;
  SpringBone bone(fit.settings, Vec3::Zero(), wish.length * still);
  bone.push(0.01 * wish.length * across);
  std::vector<double> x;
  for (int f = 0; f < 400; ++f) x.push_back(bone.step(dt, Vec3::Zero(), wish.direction).dot(across));
  const double end = wish.length * still.dot(across);
  Eigen::Matrix2d A = Eigen::Matrix2d::Zero();
  Eigen::Vector2d b = Eigen::Vector2d::Zero();
  for (size_t f = 2; f < x.size() && std::abs(x[f] - end) + std::abs(x[f - 1] - end) > 1e-7 * wish.length; ++f) {
    const Eigen::Vector2d row(x[f - 1] - end, x[f - 2] - end);
    A += row * row.transpose();
    b += row * (x[f] - end);
  }
  const Eigen::Vector2d q = A.inverse() * b;
  const std::complex<double> root = std::sqrt(std::complex<double>(q[0] * q[0] / 4 + q[1]));
  const std::complex<double> s1 = std::log(q[0] / 2 + root) / dt, s2 = std::log(q[0] / 2 - root) / dt;
  return {std::sqrt(std::abs(s1 * s2)) / (2 * M_PI), -2 * std::log(2.0) / (s1 + s2).real()};
}

TEST(SpringBone, RuleByHand) {
  // One step of two: gravity and stiffness both, by the formula of the specification.
  SpringBone bone({.stiffness = 2, .drag = 0.25, .gravity_power = 1, .gravity_dir = {0, -1, 0}}, {0, 0, 0}, {2, 0, 0});
  const Vec3 a = bone.step(0.1, {0, 0, 0}, {1, 0, 0});
  const Vec3 raw(2 + 0.2, -0.1, 0);
  EXPECT_LT((a - 2 * raw.normalized()).norm(), 1e-15);
  const Vec3 b = bone.step(0.1, {1, 0, 0}, {0, 1, 0});
  const Vec3 raw2 = a + 0.75 * (a - Vec3(2, 0, 0)) + 0.2 * Vec3(0, 1, 0) + 0.1 * Vec3(0, -1, 0) - Vec3(1, 0, 0);
  EXPECT_LT((b - (Vec3(1, 0, 0) + 2 * raw2.normalized())).norm(), 1e-15);
}

TEST(SpringBone, HasTheFrequencyAndHalfLifeAskedFor) {
  int exact = 0, not_exact = 0;
  for (double hz : {1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0}) {
    for (double half_life : {0.05, 0.08, 0.12, 0.2, 0.4}) {
      for (double length : {0.02, 0.1, 0.3}) {
        const SpringWish wish{.frequency_hz = hz, .half_life_s = half_life, .length = length};
        const SpringFit fit = fit_spring(wish);
        const Measured got = measure(fit, wish, {0, -1, 0}, {1, 0, 0});
        EXPECT_GE(fit.settings.drag, 0);
        EXPECT_LE(fit.settings.drag, 1);
        EXPECT_GE(fit.settings.stiffness, 0);
        // What the fit says of itself is true either way.
        EXPECT_NEAR(got.frequency_hz, fit.frequency_hz, 0.02 * fit.frequency_hz) << hz << " " << half_life;
        EXPECT_NEAR(got.half_life_s, fit.half_life_s, 0.02 * fit.half_life_s) << hz << " " << half_life;
        if (fit.exact) {
          ++exact;
          EXPECT_NEAR(got.frequency_hz, hz, 0.05 * hz) << half_life;
          EXPECT_NEAR(got.half_life_s, half_life, 0.05 * half_life) << hz;
          EXPECT_TRUE(fit.notes.empty());
        } else {
          ++not_exact;
          EXPECT_EQ(fit.settings.drag, 0);
          EXPECT_LT(fit.half_life_error, 0);
          EXPECT_NEAR(fit.half_life_error, got.half_life_s / half_life - 1, 0.02);
          EXPECT_FALSE(fit.notes.empty());
        }
      }
    }
  }
  EXPECT_GT(exact, 50);
  EXPECT_GT(not_exact, 20);
}

// Where the half-life has to give, what is seen is still at its speed: zeros are half a period apart.
TEST(SpringBone, KeepsTheVisibleFrequency) {
  const SpringWish wish{.frequency_hz = 5, .half_life_s = 0.4, .length = 0.1};
  const SpringFit fit = fit_spring(wish);
  EXPECT_FALSE(fit.exact);
  SpringBone bone(fit.settings, Vec3::Zero(), Vec3(0, -0.1, 0));
  bone.push({1e-3, 0, 0});
  std::vector<double> zeros;
  double before = 1e-3;
  for (int f = 1; f < 60; ++f) {
    const double x = bone.step(1 / 60.0, Vec3::Zero(), {0, -1, 0})[0];
    if (x * before < 0) zeros.push_back((f - 1 + before / (before - x)) / 60.0);
    before = x;
  }
  ASSERT_GT(zeros.size(), 5u);
  const double period = 2 * (zeros[5] - zeros[1]) / 4;
  const double d = std::log(2.0) / wish.half_life_s;
  EXPECT_NEAR(1 / period, std::sqrt(25 - std::pow(d / (2 * M_PI), 2)), 0.15);
  EXPECT_NEAR(fit.half_life_s, longest_half_life(1 / period), 0.05 * fit.half_life_s);
}

TEST(SpringBone, TheLongestHalfLifeIsTheEndOfTheExactOnes) {
  for (double hz : {1.0, 2.0, 4.0}) {
    const double longest = longest_half_life(hz);
    EXPECT_TRUE(fit_spring({.frequency_hz = hz, .half_life_s = 0.95 * longest, .length = 0.1}).exact);
    EXPECT_FALSE(fit_spring({.frequency_hz = hz, .half_life_s = 1.1 * longest, .length = 0.1}).exact);
  }
  EXPECT_EQ(longest_half_life(15), 0);
  // Half the frames a second: half the frequency has twice the time.
  EXPECT_NEAR(longest_half_life(2, 60) * 2, longest_half_life(1, 30), 1e-12);
}

TEST(SpringBone, HangsAtTheSagAndSwingsAsFastThere) {
  const Vec3 direction(1, 0, 0);
  for (double sag : {0.05, 0.3, 0.8}) {
    const SpringWish wish{
        .frequency_hz = 2, .half_life_s = 0.2, .length = 0.15, .direction = direction, .sag_rad = sag};
    const SpringFit fit = fit_spring(wish);
    EXPECT_GT(fit.settings.gravity_power, 0);
    SpringBone bone(fit.settings, Vec3::Zero(), 0.15 * direction);
    for (int f = 0; f < 600; ++f) bone.step(1 / 60.0, Vec3::Zero(), direction);
    EXPECT_NEAR(std::atan2(-bone.tail()[1], bone.tail()[0]), sag, 1e-6);
    EXPECT_EQ(fit.sag_rad, sag);
    const Vec3 still = bone.tail().normalized();
    const Measured got = measure(fit, wish, still, Vec3(-still[1], still[0], 0));
    EXPECT_NEAR(got.frequency_hz, 2, 0.1);
    EXPECT_NEAR(got.half_life_s, 0.2, 0.01);
  }
  const SpringFit along = fit_spring({.frequency_hz = 2, .half_life_s = 0.2, .length = 0.1, .sag_rad = 0.2});
  EXPECT_EQ(along.settings.gravity_power, 0);
  EXPECT_EQ(along.notes.size(), 1u);
}

TEST(SpringBone, LeansAtSteadySpeed) {
  const SpringWish wish{.frequency_hz = 2, .half_life_s = 0.1, .length = 0.2};
  const SpringFit fit = fit_spring(wish);
  SpringBone bone(fit.settings, Vec3::Zero(), {0, -0.2, 0});
  Vec3 joint = Vec3::Zero();
  for (int f = 0; f < 600; ++f) {
    joint[0] += 0.1 / 60;
    bone.step(1 / 60.0, joint, {0, -1, 0});
  }
  // A tenth of the speed that the fit speaks of: there it is small.
  const double lean = std::atan2(joint[0] - bone.tail()[0], joint[1] - bone.tail()[1]);
  EXPECT_GT(lean, 0.005);
  EXPECT_NEAR(lean, 0.1 * std::tan(fit.speed_lean_rad), 0.03 * lean);
}

TEST(SpringBone, OverdampedWishes) {
  const SpringWish wish{.frequency_hz = 1, .half_life_s = 0.05, .length = 0.1};
  const SpringFit fit = fit_spring(wish);
  EXPECT_TRUE(fit.exact);
  EXPECT_NEAR(measure(fit, wish, {0, -1, 0}, {1, 0, 0}).frequency_hz, 1, 0.05);
}

TEST(SpringBone, RefusesNonsense) {
  const SpringWish good{.frequency_hz = 2, .half_life_s = 0.1, .length = 0.1};
  auto refused = [&](auto change) {
    SpringWish wish = good;
    change(wish);
    EXPECT_THROW(fit_spring(wish), InputError);
  };
  EXPECT_NO_THROW(fit_spring(good));
  refused([](SpringWish& w) { w.frequency_hz = 0; });
  refused([](SpringWish& w) { w.half_life_s = NAN; });
  refused([](SpringWish& w) { w.length = -1; });
  refused([](SpringWish& w) { w.frame_rate = INFINITY; });
  refused([](SpringWish& w) { w.direction.setZero(); });
  // Too fast for the rule: it says so and stays finite.
  SpringWish fast = good;
  fast.frequency_hz = 40;
  const SpringFit fit = fit_spring(fast);
  EXPECT_FALSE(fit.exact);
  EXPECT_TRUE(std::isfinite(fit.settings.stiffness));
  EXPECT_LT(fit.frequency_hz, 40);
}

// A mode that is a turn about the hinge, fading to the sides: the weights are how much of it each vertex does.
TEST(SpringBone, HingeWeightsOfATurn) {
  HingeShape shape;
  shape.bone = 0;
  shape.hinge = {0, 1, 0};
  shape.tail = {0, 1, 0.3};
  std::vector<double> planted;
  const Vec3 axis = Vec3(1, 0.5, 0).normalized();
  for (int i = 0; i < 7; ++i) {
    for (int j = 0; j < 7; ++j) {
      const Vec3 x(0.1 * (i - 3), 1 + 0.1 * (j - 3), 0.3);
      shape.rest.push_back(x);
      const double w = std::exp(-8 * (x - shape.tail).squaredNorm());
      planted.push_back(i == 0 ? std::min(w, 0.25) : w);
      shape.mode.push_back(w / 0.3 * axis.cross(x - shape.hinge));
      const double own = i == 0 ? 0.25 : 1;
      shape.skin.bone.push_back(0), shape.skin.weight.push_back(own);
      for (int k = 0; k < (i == 0 ? 3 : 0); ++k) shape.skin.bone.push_back(1 + k), shape.skin.weight.push_back(0.25);
      shape.skin.first.push_back(static_cast<int>(shape.skin.bone.size()));
    }
  }
  const HingeWeights got = hinge_weights(shape);
  const SkinWeights skin = with_joint(shape.skin, 0, got.weights, 4);
  // The planted fade is even about the tail, so the axis is not biased.
  EXPECT_GT(got.axis.dot(axis), 0.98);
  EXPECT_GT(got.share, 0.9);
  for (size_t v = 0; v < planted.size(); ++v) {
    EXPECT_NEAR(got.weights[v], planted[v], 0.1) << v;
    EXPECT_LE(skin.first[v + 1] - skin.first[v], 4);
    double sum = 0, other = 0;
    for (int k = skin.first[v]; k < skin.first[v + 1]; ++k) {
      sum += skin.weight[static_cast<size_t>(k)];
      if (skin.bone[static_cast<size_t>(k)] != 0 && skin.bone[static_cast<size_t>(k)] != 4)
        other += skin.weight[static_cast<size_t>(k)];
    }
    EXPECT_NEAR(sum, 1, 1e-12);
    const double h = skin.bone[static_cast<size_t>(skin.first[v + 1]) - 1] == 4
                         ? skin.weight[static_cast<size_t>(skin.first[v + 1]) - 1]
                         : 0;
    EXPECT_NEAR(h, v >= 7 ? got.weights[v] : got.weights[v] > 0.125 ? 0.25 : 0, 1e-3) << v;
    EXPECT_NEAR(other, v < 7 ? 0.75 : 0, 1e-12) << v;
  }
  // Twice the mode with a gain of a half is the same; a gain of 0 fills up to the bone's own weight.
  HingeShape twice = shape;
  for (Vec3& u : twice.mode) u *= 2;
  twice.gain = 0.5;
  for (size_t v = 0; v < planted.size(); ++v) EXPECT_NEAR(hinge_weights(twice).weights[v], got.weights[v], 1e-12);
  twice.gain = 0;
  const HingeWeights full = hinge_weights(twice);
  EXPECT_NEAR(*std::max_element(full.weights.begin(), full.weights.end()), 1, 1e-12);
  shape.tail = shape.hinge;
  EXPECT_THROW(hinge_weights(shape), InputError);
}

}  // namespace
}  // namespace supple
