#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <functional>

#include "supple/anim/loop_track.h"
#include "supple/base/error.h"

namespace supple {
namespace {

using Kind = Seam::Kind;
using Motion = std::function<Vec3(const Vec3& x, double t)>;

constexpr double kDt = 1.0 / 24;
const Points kPoints = {{0, 0, 0}, {0.3, 0, 0}, {0, 0.4, 0.1}, {0.1, 0.1, 0.5}, {-0.2, 0.3, 0}};

std::vector<VecX> sampled(const Motion& f, int n) {
  std::vector<VecX> list;
  for (int k = 0; k < n; ++k) {
    Points x = kPoints;
    for (Vec3& y : x) y = f(y, k * kDt);
    list.push_back(flatten(x));
  }
  return list;
}

constexpr double kTurn = 2 * M_PI;  // a second
// A sway and a squash of one second, and the same carried along a screw.
Vec3 wobble(const Vec3& x, double t, double phase = 0.4) {
  const double s = std::sin(kTurn * t + phase), c = std::cos(2 * kTurn * t);
  return x + Vec3(0.1 * s, 0.05 * c, 0) + 0.2 * s * Vec3(0, 0, x[2]);
}
Mat3 yaw(double angle) { return Eigen::AngleAxisd(angle, Vec3(0, 1, 0.2).normalized()).toRotationMatrix(); }
Vec3 travelling(const Vec3& x, double t) {
  return yaw(0.7 * t) * (wobble(x, t) + Vec3(0.4, 0, 0)) + t * Vec3(0, 0.3, 0.06);
}
double ease(double s) { return s <= 0 ? 0 : s >= 1 ? 1 : s * s * s * (10 + s * (6 * s - 15)); }

}  // namespace

TEST(Seam, WhatIsALoopAndWhatIsNot) {
  struct Case {
    const char* name;
    int n;
    Motion f;
    Kind kind;
  };
  const Vec3 up(0, 1, 0);
  const std::vector<Case> cases = {
      {"sway and squash", 25, [](const Vec3& x, double t) { return wobble(x, t); }, Kind::closed},
      {"two of them", 49, [](const Vec3& x, double t) { return wobble(x, t); }, Kind::closed},
      {"cut off a frame early", 24, [](const Vec3& x, double t) { return wobble(x, t); }, Kind::apart},
      {"half of it", 13, [](const Vec3& x, double t) { return wobble(x, t); }, Kind::apart},
      {"travelling and turning", 25, travelling, Kind::closed},
      {"a bounce that begins at its top", 25,
       [&](const Vec3& x, double t) { return Vec3(x + 0.1 * std::cos(kTurn * t) * up); }, Kind::closed},
      {"twelve frames a period", 13,
       [&](const Vec3& x, double t) { return Vec3(x + 0.1 * std::sin(2 * kTurn * t + 1) * up); }, Kind::closed},
      {"a bounce cut off in its middle", 37,
       [&](const Vec3& x, double t) { return Vec3(x + 0.1 * std::sin(kTurn * t) * up); }, Kind::different},
      {"speeding up", 25, [&](const Vec3& x, double t) { return Vec3(x + (t + t * t) * up); }, Kind::different},
      {"still, then off", 25, [&](const Vec3& x, double t) { return Vec3(x + std::max(0.0, t - 0.2) * up); },
       Kind::different},
      {"an eased turn", 25, [](const Vec3& x, double t) { return Vec3(yaw(ease(t)) * x); }, Kind::at_rest},
      {"a turn with a jump of acceleration at both ends", 25,
       [](const Vec3& x, double t) { return Vec3(yaw(t * t * (3 - 2 * t)) * x); }, Kind::at_rest},
      {"there and back", 49, [&](const Vec3& x, double t) { return Vec3(x + (ease(t - 0.1) - ease(t - 0.9)) * up); },
       Kind::at_rest},
      {"a slow bounce that begins at its top", 97,
       [&](const Vec3& x, double t) { return Vec3(x + 0.1 * std::cos(kTurn * t / 4) * up); }, Kind::closed},
      {"two swings that differ", 33,
       [&](const Vec3& x, double t) { return Vec3(x + 0.1 * std::sin(kTurn * t * (1 + 0.5 * t)) * up); },
       Kind::different},
      {"uniform", 25, [&](const Vec3& x, double t) { return Vec3(x + 2 * t * up); }, Kind::uniform},
      {"spinning", 30, [](const Vec3& x, double t) { return Vec3(yaw(3 * t) * x); }, Kind::closed},
      {"still", 25, [](const Vec3& x, double) { return x; }, Kind::still},
      {"short", 5, [](const Vec3& x, double t) { return wobble(x, 6 * t); }, Kind::short_clip},
  };
  for (const Case& c : cases) {
    const Seam seam = find_seam(sampled(c.f, c.n), kDt);
    EXPECT_EQ(static_cast<int>(seam.kind), static_cast<int>(c.kind))
        << c.name << ": " << describe(seam) << ", velocities vary by " << seam.usual << ", off by " << seam.speed;
    EXPECT_FALSE(describe(seam).empty());
  }
}

// Rounding to float32, far from the origin, does not hide a loop nor make one of stillness.
TEST(Seam, RoundingOfCachesIsNoMotion) {
  const auto rounded = [](const Motion& f) {
    std::vector<VecX> x = sampled([&](const Vec3& y, double t) { return Vec3(f(y, t) + Vec3(100, 3, -50)); }, 25);
    for (VecX& y : x) y = y.cast<float>().cast<double>().eval();
    return find_seam(x, kDt).kind;
  };
  EXPECT_EQ(rounded([](const Vec3& x, double t) { return wobble(x, t); }), Kind::closed);
  EXPECT_EQ(rounded([](const Vec3& x, double t) { return Vec3(x + Vec3(0, 0, 0.4 * t)); }), Kind::uniform);
  EXPECT_EQ(rounded([](const Vec3& x, double) { return x; }), Kind::still);
}

TEST(Seam, TakesTheSimplestMotionThatWillDo) {
  EXPECT_TRUE(find_seam(sampled([](const Vec3& x, double t) { return wobble(x, t); }, 25), kDt).carry.R.isIdentity(0));
  const Seam shifted =
      find_seam(sampled([](const Vec3& x, double t) { return Vec3(wobble(x, t) + Vec3(t, 0, 0)); }, 25), kDt);
  EXPECT_TRUE(shifted.carry.R.isIdentity(0));
  EXPECT_LT((shifted.carry(Vec3(5, 5, 5)) - Vec3(6, 5, 5)).norm(), 1e-12);
  EXPECT_LT((find_seam(sampled(travelling, 25), kDt).carry.R - yaw(0.7)).norm(), 1e-12);
}

TEST(RigidPowers, AreRepetitions) {
  RigidMotion m{yaw(0.9), {1, 2, 3}, {-1, 0, 4}};
  const Vec3 x(0.3, -2, 1);
  EXPECT_LT((power(m, 3)(x) - m(m(m(x)))).norm(), 1e-13);
  EXPECT_LT((power(m, -2)(m(m(x))) - x).norm(), 1e-13);
  EXPECT_EQ(power(m, 0)(x), x);
}

// Inside the clip it is the plain track; from one cycle to the next it is carried; nothing breaks at the seam.
TEST(LoopTrack, ContinuesWithoutASeam) {
  const auto samples = sampled(travelling, 25);
  const Seam seam = find_seam(samples, kDt);
  const double t0 = 0.5;
  const auto loop = make_looped_track(samples, kDt, seam.carry, t0);
  const auto plain = make_sampled_track(samples, kDt);
  for (double t : {0.2, 0.41, 0.77})
    for (int d : {0, 1, 2})
      EXPECT_LT((loop->at(t0 + t, d) - plain->at(t, d)).cwiseAbs().maxCoeff(), 1e-9 * std::pow(24, d)) << t;
  for (int c : {-3, -1, 1, 4})
    for (double t : {0.0, 0.01, 0.5, 0.99}) {
      EXPECT_LT((loop->at(t0 + t + c) - carried(power(seam.carry, c), loop->at(t0 + t))).norm(), 1e-11);
      EXPECT_LT((loop->at(t0 + t + c, 2) - turned(power(seam.carry, c), loop->at(t0 + t, 2))).norm(), 1e-8);
    }
  // The true motion goes on for ever: the loop's error at the seam is that of the interpolant elsewhere.
  for (double t : {-0.03, -0.01, 0.0, 0.02, 0.98, 1.0, 1.01, 1.05})
    EXPECT_LT((loop->at(t0 + t) - flatten([&] {
                 Points x = kPoints;
                 for (Vec3& y : x) y = travelling(y, t);
                 return x;
               }()))
                  .cwiseAbs()
                  .maxCoeff(),
              2e-5)
        << t;
  // C2 across the seam.
  for (int d : {0, 1, 2}) {
    const double e = 1e-7;
    const VecX before = loop->at(t0 + 1 - e, d), after = loop->at(t0 + 1 + e, d);
    EXPECT_LT((after - before).cwiseAbs().maxCoeff(), 2e-6 * std::pow(24, d)) << d;
  }
  // And its derivatives are those of its values there.
  const double e = 1e-4, t = t0 + 1 + 0.3 * e;
  const VecX v = (loop->at(t + e) - loop->at(t - e)) / (2 * e);
  const VecX a = (loop->at(t + e) - 2 * loop->at(t) + loop->at(t - e)) / (e * e);
  EXPECT_LT((v - loop->at(t, 1)).cwiseAbs().maxCoeff(), 1e-5);
  EXPECT_LT((a - loop->at(t, 2)).cwiseAbs().maxCoeff(), 0.02);
  EXPECT_TRUE(std::isinf(loop->duration()));
}

TEST(LoopTrack, RigidKeysLikewise) {
  std::vector<RigidKey> keys;
  for (int k = 0; k <= 24; ++k) {
    const double t = k * kDt;
    const Mat3 R = yaw(0.7 * t) * Eigen::AngleAxisd(0.2 * std::sin(kTurn * t + 1), Vec3::UnitX()).toRotationMatrix();
    RigidKey key{.t = 0.25 + t, .translation = yaw(0.7 * t) * Vec3(0.4 + 0.1 * std::sin(kTurn * t), 0, 0)};
    key.quaternion = (k % 2 ? -2 : 1) * Eigen::Quaterniond(R).coeffs();
    keys.push_back(key);
  }
  std::vector<VecX> samples;
  const auto plain = make_rigid_track(keys, kPoints);
  for (int k = 0; k <= 24; ++k) samples.push_back(plain->at(0.25 + k * kDt));
  const Seam seam = find_seam(samples, kDt);
  ASSERT_EQ(seam.kind, Kind::closed);
  EXPECT_LT((seam.carry.R - yaw(0.7)).norm(), 1e-9);
  const auto loop = make_looped_rigid_track(keys, kPoints, seam.carry);
  EXPECT_LT((loop->at(0.8) - plain->at(0.8)).cwiseAbs().maxCoeff(), 1e-12);
  for (int d : {0, 1, 2}) {
    EXPECT_LT((loop->at(1.25 - 1e-7, d) - loop->at(1.25 + 1e-7, d)).cwiseAbs().maxCoeff(), 2e-6 * std::pow(24, d)) << d;
    EXPECT_LT((loop->at(0.25 - 1e-7, d) - loop->at(0.25 + 1e-7, d)).cwiseAbs().maxCoeff(), 2e-6 * std::pow(24, d)) << d;
  }
  // Points keep their distances in every cycle.
  const VecX x = loop->at(7.3);
  EXPECT_NEAR((x.segment<3>(0) - x.segment<3>(3)).norm(), 0.3, 1e-12);
}

// A clip cut off in full swing goes on at its end, turning as it turned; one that jumps there does not.
TEST(ContinuedEnd, GoesOnAsInTheLastStep) {
  const auto screw = [](const Vec3& x, double t) { return Vec3(yaw(2 * t) * x + t * Vec3(0, 1, 0.2)); };
  std::vector<VecX> samples = sampled(screw, 10);
  const auto longer = sampled(screw, 13);
  continue_end(samples);
  ASSERT_EQ(samples.size(), 13u);
  for (size_t k = 10; k < 13; ++k) EXPECT_LT((samples[k] - longer[k]).cwiseAbs().maxCoeff(), 1e-12);
  std::vector<RigidKey> keys;
  for (int k = 0; k < 10; ++k) {
    RigidKey key{.t = k * kDt, .translation = k * kDt * Vec3(0, 1, 0.2)};
    key.quaternion = Eigen::Quaterniond(yaw(2 * key.t)).coeffs();
    keys.push_back(key);
  }
  continue_end(keys);
  ASSERT_EQ(keys.size(), 13u);
  const VecX x = make_rigid_track(keys, kPoints)->at(12 * kDt);
  EXPECT_LT((x - longer[12]).cwiseAbs().maxCoeff(), 1e-12);
  std::vector<VecX> jumping =
      sampled([](const Vec3& y, double t) { return Vec3(y + (t > 0.37 ? 1 : 0.01 * t) * Vec3(1, 0, 0)); }, 10);
  continue_end(jumping);
  EXPECT_EQ(jumping.size(), 10u);
}

TEST(LoopTrack, TooFewSamplesAreRefused) {
  EXPECT_THROW(make_looped_track(sampled([](const Vec3& x, double t) { return wobble(x, t); }, 3), kDt, {}),
               InputError);
  EXPECT_THROW(make_looped_rigid_track({{.t = 0}, {.t = 1}}, kPoints, {}), InputError);
}

}  // namespace supple
