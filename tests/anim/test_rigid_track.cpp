#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <array>
#include <cmath>

#include "supple/anim/track.h"
#include "supple/base/error.h"

namespace supple {
namespace {

const Vec3 kAxis = Vec3(1, 2, -0.5).normalized(), kPivot(0.3, -0.2, 0.5);
const Points kCorners = {{0, 0, 0}, {1, 0, 0}, {0.2, 0.7, -0.4}};

// Turning about a pivot at a constant rate.
RigidKey spin_key(double t, double rate) {
  RigidKey key;
  key.t = t;
  const Eigen::Quaterniond q(Eigen::AngleAxisd(rate * t, kAxis));
  key.quaternion = q.coeffs();
  key.translation = kPivot - q * kPivot;
  return key;
}

VecX spin_exact(double t, double rate, int derivative) {
  const Mat3 R = Eigen::AngleAxisd(rate * t, kAxis).toRotationMatrix();
  VecX x(9);
  for (int i = 0; i < 3; ++i) {
    Vec3 arm = R * (kCorners[static_cast<size_t>(i)] - kPivot);
    for (int d = 0; d < derivative; ++d) arm = rate * kAxis.cross(arm);
    x.segment<3>(3 * i) = derivative == 0 ? Vec3(kPivot + arm) : arm;
  }
  return x;
}

double spin_error(const std::vector<double>& times, double rate, int derivative, double from, double to) {
  std::vector<RigidKey> keys;
  for (double t : times) keys.push_back(spin_key(t, rate));
  const auto track = make_rigid_track(keys, kCorners, TrackStart::moving);
  double error = 0;
  for (double t = from; t < to; t += 0.00217)
    error = std::max(error, (track->at(t, derivative) - spin_exact(t, rate, derivative)).cwiseAbs().maxCoeff());
  return error;
}

std::vector<double> even_times(int n, double dt) {
  std::vector<double> times;
  for (int k = 0; k < n; ++k) times.push_back(k * dt);
  return times;
}

TEST(RigidTrack, constant_rate_converges_at_the_order_of_the_interpolant_also_from_a_moving_start) {
  for (int d = 0; d < 3; ++d) {
    const double coarse = spin_error(even_times(30, 0.05), 6, d, 0, 1.2);
    const double fine = spin_error(even_times(60, 0.025), 6, d, 0, 1.2);
    EXPECT_GT(std::log2(coarse / fine), 4.7 - d) << coarse << " " << fine;
    EXPECT_LT(fine, (std::array{1e-6, 1e-4, 2e-2}[static_cast<size_t>(d)]));
  }
}

TEST(RigidTrack, uneven_keys) {
  std::vector<double> coarse, fine;
  for (int k = 0; k < 40; ++k) coarse.push_back(0.05 * k + 0.015 * std::sin(2.1 * k));
  for (size_t k = 0; k + 1 < coarse.size(); ++k) {
    fine.push_back(coarse[k]);
    fine.push_back(0.5 * (coarse[k] + coarse[k + 1]));
  }
  for (int d = 0; d < 3; ++d) {
    const double a = spin_error(coarse, 5, d, 0.3, 1.6), b = spin_error(fine, 5, d, 0.3, 1.6);
    EXPECT_GT(std::log2(a / b), 3.7 - d) << a << " " << b;
  }
}

TEST(RigidTrack, sign_and_length_of_quaternions_do_not_matter) {
  std::vector<RigidKey> keys, odd;
  for (int k = 0; k < 20; ++k) {
    keys.push_back(spin_key(0.04 * k, 4));
    odd.push_back(keys.back());
    odd.back().quaternion *= (k % 3 == 0 ? -1 : 1) * (1 + 0.2 * k);
  }
  const auto a = make_rigid_track(keys, kCorners), b = make_rigid_track(odd, kCorners);
  for (double t = 0; t < 0.76; t += 0.011)
    for (int d = 0; d < 3; ++d) EXPECT_LT((a->at(t, d) - b->at(t, d)).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(RigidTrack, points_keep_their_distances) {
  std::vector<RigidKey> keys;
  for (int k = 0; k < 12; ++k) keys.push_back(spin_key(0.1 * k, 9));
  const auto track = make_rigid_track(keys, kCorners);
  for (double t = -0.2; t < 1.4; t += 0.013) {
    const VecX x = track->at(t);
    EXPECT_NEAR((x.segment<3>(3) - x.segment<3>(0)).norm(), 1, 1e-13);
    EXPECT_NEAR((x.segment<3>(6) - x.segment<3>(3)).norm(), (kCorners[2] - kCorners[1]).norm(), 1e-13);
  }
}

TEST(RigidTrack, derivatives_agree_with_differences_on_a_rough_motion) {
  std::vector<RigidKey> keys;
  const double dt = 1.0 / 24, h = 1e-5;
  for (int k = 0; k < 20; ++k) {
    RigidKey key = spin_key(k * dt, 3 + (k % 4));
    key.translation += Vec3(std::sin(k), 0.1 * k, 0);
    keys.push_back(key);
  }
  const auto track = make_rigid_track(keys, kCorners);
  for (double t = -0.1; t < 0.9; t += 0.0171) {
    const VecX v = (track->at(t + h) - track->at(t - h)) / (2 * h);
    const VecX a = (track->at(t + h, 1) - track->at(t - h, 1)) / (2 * h);
    EXPECT_LT((v - track->at(t, 1)).cwiseAbs().maxCoeff(), 1e-3);
    EXPECT_LT((a - track->at(t, 2)).cwiseAbs().maxCoeff(), 0.3);
  }
}

TEST(RigidTrack, same_as_the_sampled_track_under_translation) {
  std::vector<RigidKey> keys;
  std::vector<VecX> samples;
  for (int k = 0; k < 15; ++k) {
    RigidKey key;
    key.t = 0.04 * k;
    key.translation = Vec3(std::sin(0.4 * k), 0.3 * k * k, k > 5 ? 1.0 * k : 5);
    keys.push_back(key);
    VecX x(9);
    for (int i = 0; i < 3; ++i) x.segment<3>(3 * i) = kCorners[static_cast<size_t>(i)] + key.translation;
    samples.push_back(x);
  }
  for (const TrackStart start : {TrackStart::rest, TrackStart::moving}) {
    const auto rigid = make_rigid_track(keys, kCorners, start);
    const auto sampled = make_sampled_track(samples, 0.04, start);
    for (double t = -0.3; t < 0.8; t += 0.0137)
      for (int d = 0; d < 3; ++d)
        EXPECT_LT((rigid->at(t, d) - sampled->at(t, d)).cwiseAbs().maxCoeff(), 1e-10 * std::pow(100, d)) << t;
    EXPECT_DOUBLE_EQ(rigid->duration(), sampled->duration());
  }
}

TEST(RigidTrack, a_teleport_is_cut) {
  std::vector<RigidKey> keys;
  for (int k = 0; k < 16; ++k) {
    keys.push_back(spin_key(k / 24.0, 0.5));
    if (k >= 8) keys.back().translation += Vec3(20, 0, 0);
  }
  const auto track = make_rigid_track(keys, kCorners);
  ASSERT_EQ(track->cuts().size(), 1u);
  EXPECT_DOUBLE_EQ(track->cuts()[0], 8 / 24.0);
  EXPECT_LT((track->at(7.99 / 24) - spin_exact(7.99 / 24, 0.5, 0)).norm(), 1e-4);
  EXPECT_NEAR(track->at(8.0 / 24)[0], spin_exact(8.0 / 24, 0.5, 0)[0] + 20, 1e-12);
}

TEST(RigidTrack, bad_keys_are_named) {
  EXPECT_THROW(make_rigid_track({}, kCorners), InputError);
  std::vector<RigidKey> keys = {spin_key(0, 1), spin_key(0.1, 1), spin_key(0.1, 1)};
  try {
    make_rigid_track(keys, kCorners);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_EQ(e.where().place, "key 2");
  }
  keys.pop_back();
  keys[1].quaternion.setZero();
  EXPECT_THROW(make_rigid_track(keys, kCorners), InputError);
  keys[1].quaternion = {0, NAN, 0, 1};
  EXPECT_THROW(make_rigid_track(keys, kCorners), InputError);
  EXPECT_NEAR(make_rigid_track({spin_key(0.3, 1)}, kCorners)->at(99)[0], spin_exact(0.3, 1, 0)[0], 1e-14);
}

TEST(FunctionTrack, differences_stand_in_for_missing_derivatives) {
  const auto f = [](double t, int d) -> VecX {
    if (d > 0) return VecX();
    return Vec3(std::sin(20 * t), t * t, 1);
  };
  const auto g = [](double t, int d) -> VecX {
    if (d == 0) return Vec3(std::sin(20 * t), t * t, 1);
    if (d == 1) return Vec3(20 * std::cos(20 * t), 2 * t, 0);
    return Vec3(-400 * std::sin(20 * t), 2, 0);
  };
  const auto a = make_function_track(1, f), b = make_function_track(1, g);
  EXPECT_TRUE(std::isinf(a->duration()));
  for (double t = 0; t < 1; t += 0.03) {
    EXPECT_EQ(a->at(t), b->at(t));
    EXPECT_LT((a->at(t, 1) - b->at(t, 1)).norm(), 1e-6 * 20);
    EXPECT_LT((a->at(t, 2) - b->at(t, 2)).norm(), 1e-6 * 400);
  }
}

}  // namespace
}  // namespace supple
