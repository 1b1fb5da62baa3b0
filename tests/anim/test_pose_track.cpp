// The smoothed motion of a clip.
#include "supple/anim/pose_track.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>

#include "supple/anim/loop_track.h"

namespace supple {
namespace {

std::vector<VecX> samples_of(int n, double dt, const std::function<Vec3(double)>& f) {
  std::vector<VecX> x;
  for (int k = 0; k < n; ++k) x.push_back(f(k * dt));
  return x;
}
PoseCycle cycle_of(int steps, const RigidMotion& carry = {}) {
  PoseCycle c;
  c.kind = PoseCycle::Kind::smooth;
  c.steps = steps;
  c.carry = carry;
  return c;
}
Vec3 wave(double hz, double t) { return {std::sin(2 * M_PI * hz * t), std::cos(2 * M_PI * hz * t), 0}; }

}  // namespace

// What is left of a motion: 1 / (1 + (f / hz)^6), at frequencies that a period of two seconds holds.
TEST(SmoothPoses, TakesWhatIsFast) {
  const double dt = 1.0 / 60;
  for (double hz : {1.0, 2.0, 4.0, 8.0, 12.0, 20.0}) {
    std::vector<VecX> x = samples_of(121, dt, [&](double t) { return wave(hz, t); });
    smooth_poses(x, dt, {}, cycle_of(120));
    const double ratio = std::sin(M_PI * hz * dt) / std::sin(M_PI * kForcingHz * dt);
    const double left = 1 / (1 + std::pow(ratio, 6));
    for (size_t k = 0; k < x.size(); ++k)
      EXPECT_LT((x[k] - left * wave(hz, static_cast<double>(k) * dt)).norm(), 1e-6) << hz << " " << k;
    if (hz <= kForcingHz / 2) EXPECT_GT(left, 0.98);
    if (hz >= 2 * kForcingHz) EXPECT_LT(left, 0.03);
  }
}

TEST(SmoothPoses, ParabolasStayAlsoAtEndsAndLeaps) {
  const double dt = 1.0 / 30;
  const auto thrown = [](double t) { return Vec3(3 * t, 2 * t - 4.9 * t * t, t > 0.5 ? 7 : 0); };
  std::vector<VecX> x = samples_of(31, dt, thrown);
  const int leap = 15;
  smooth_poses(x, dt, {leap}, {});
  for (size_t k = 0; k < x.size(); ++k) EXPECT_LT((x[k] - thrown(static_cast<double>(k) * dt)).norm(), 1e-9) << k;
  // Without being told the leap is smeared.
  std::vector<VecX> y = samples_of(31, dt, thrown);
  smooth_poses(y, dt, {}, {});
  EXPECT_GT((y[leap] - thrown(leap * dt)).norm(), 0.1);
  // So slow a rate holds nothing that is too fast.
  std::vector<VecX> slow = samples_of(20, 0.1, [](double t) { return wave(4, t); }), same = slow;
  smooth_poses(slow, 0.1, {}, {});
  for (size_t k = 0; k < slow.size(); ++k) EXPECT_EQ(slow[k], same[k]);
}

// The jitter of captured motion in what throws the flesh: the second derivative.
TEST(PoseTrack, JitterDoesNotThrow) {
  const double dt = 1.0 / 60;
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0, 0.002);
  const auto rms = [&](const Track& track) {
    double sum = 0;
    for (int k = 0; k < 360; ++k)
      sum += (track.at(k * dt / 3, 2) + std::pow(2 * M_PI, 2) * 0.05 * wave(1, k * dt / 3)).squaredNorm();
    return std::sqrt(sum / 360);
  };
  std::vector<VecX> x = samples_of(
      121, dt, [&](double t) { return Vec3(0.05 * wave(1, t) + Vec3(noise(random), noise(random), noise(random))); });
  x.back() = x[0];
  const PoseCycle cycle = cycle_of(120);
  const double raw = rms(*make_looped_track(x, dt, {})), smooth = rms(*make_pose_track(x, dt, {}, cycle, {}));
  EXPECT_GT(raw, 15);
  EXPECT_LT(smooth, 0.07 * raw);
}

// Closed, travelling: value, slope and curvature go on over the seam; the miss of a hand-made cycle is spread.
TEST(PoseTrack, GoesOnOverTheSeam) {
  const double dt = 1.0 / 24;
  const Mat3 turn = Eigen::AngleAxisd(0.4, Vec3::UnitY()).toRotationMatrix();
  const auto path = [&](double t) {
    const Mat3 r = Eigen::AngleAxisd(0.4 * t, Vec3::UnitY()).toRotationMatrix();
    return Vec3(r * (0.3 * wave(2, t) + Vec3(1, 0, 0)) + Vec3(0, 0, 0));
  };
  for (bool travelling : {false, true}) {
    const RigidMotion m = travelling ? RigidMotion{turn, Vec3::Zero(), Vec3::Zero()} : RigidMotion{};
    const auto f = [&](double t) { return travelling ? path(t) : Vec3(0.3 * wave(2, t) + Vec3(0.02 * t, 0, 0)); };
    const auto track = make_pose_track(samples_of(25, dt, f), dt, {}, cycle_of(24, m), TrackStart::moving, 0.5);
    for (int d = 0; d < 3; ++d) {
      const double e = 1e-7;
      EXPECT_LT((track->at(1.5 - e, d) - track->at(1.5 + e, d)).norm(), 1e-3) << travelling << d;
      const VecX later = track->at(1.8, d), own = track->at(0.8, d);
      EXPECT_LT((later - (d == 0 ? carried(m, own) : turned(m, own))).norm(), 1e-9);
    }
    // Nowhere more bent than it is: the miss makes no kick.
    double most = 0;
    for (int k = 0; k < 240; ++k) most = std::max(most, track->at(0.5 + k * dt / 10, 2).norm());
    EXPECT_LT(most, 1.1 * 0.3 * std::pow(4 * M_PI, 2) + 1);
  }
  // A cycle that ends a step early has the same period.
  PoseCycle early = cycle_of(24);
  early.ends_before_first = true;
  const auto f = [&](double t) { return Vec3(0.3 * wave(2, t)); };
  const auto a = make_pose_track(samples_of(24, dt, f), dt, {}, early, {}),
             b = make_pose_track(samples_of(25, dt, f), dt, {}, cycle_of(24), {});
  for (double t : {0.1, 0.97, 0.999, 1.3}) EXPECT_LT((a->at(t) - b->at(t)).norm(), 1e-9);
}

// At a leap each side goes by its own samples; in a cycle the leap may be its last step.
TEST(PoseTrack, LeapsAreCuts) {
  const double dt = 1.0 / 24;
  const auto f = [](double t) { return Vec3(t * t, t < 0.49 ? 0 : 5, 0); };
  const auto track = make_pose_track(samples_of(25, dt, f), dt, {11}, {}, TrackStart::moving);
  ASSERT_EQ(track->cuts().size(), 1u);
  EXPECT_NEAR(track->cuts()[0], 0.5, 1e-12);
  EXPECT_LT((track->at(0.499) - VecX(Vec3(0.499 * 0.499, 0, 0))).norm(), 1e-6);
  EXPECT_LT((track->at(0.5) - VecX(Vec3(0.25, 5, 0))).norm(), 1e-6);
  for (double t : {0.45, 0.499, 0.5, 0.51}) EXPECT_LT((track->at(t, 2) - VecX(Vec3(2, 0, 0))).norm(), 1e-5) << t;

  std::vector<VecX> back = samples_of(24, dt, [](double t) { return Vec3(t * t, 0, 0); });
  back.push_back(back[0]);
  const auto loop = make_pose_track(back, dt, {23}, cycle_of(24), TrackStart::moving);
  const std::vector<double> cuts = loop->cuts();
  EXPECT_TRUE(std::any_of(cuts.begin(), cuts.end(), [](double t) { return std::abs(t - 1) < 1e-12; }));
  for (double t : {0.01, 0.5, 0.99, 1.01}) EXPECT_LT((loop->at(t, 2) - VecX(Vec3(2, 0, 0))).norm(), 1e-5) << t;
}

// Keys at 30 a second with straight lines between, looked at 24 times a second.
TEST(LedThroughKeys, HasNoBeat) {
  const auto f = [](double t) { return Vec3(wave(1.5, t)); };
  const std::vector<VecX> keys = samples_of(31, 1.0 / 30, f);
  std::vector<double> times;
  for (int k = 0; k < 25; ++k) times.push_back(k / 24.0);
  const std::vector<VecX> x = led_through_keys(keys, 1.0 / 30, {}, times);
  double led = 0, straight = 0;
  for (size_t k = 2; k < 23; ++k) {
    led = std::max(led, (x[k] - VecX(f(times[k]))).norm());
    const double at = times[k] * 30, left = std::floor(at);
    straight =
        std::max(straight, (f(left / 30) + (at - left) * (f((left + 1) / 30) - f(left / 30)) - f(times[k])).norm());
  }
  EXPECT_LT(led, 0.02 * straight);
  EXPECT_EQ(cuts_between({3, 29}, 1.0 / 30, times), (std::vector<int>{3, 23}));
}

}  // namespace supple
