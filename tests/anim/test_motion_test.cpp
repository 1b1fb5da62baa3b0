#include "supple/anim/test_motion.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "supple/base/error.h"

namespace supple {
namespace {

constexpr double kFps = 24, kSize = 0.5, kPi = std::numbers::pi;
const Points kRest = {{0.1, 1, 0.2}, {0.3, 1.1, 0.2}, {0.2, 0.9, -0.1}, {0.15, 1.2, 0.05}};
const Vec3 kTilted = Vec3(0.3, 0.2, -0.9).normalized();

double last_time(const std::string& name) { return (test_motion_frames(name, kFps) - 1) / kFps; }
VecX offset(const Track& track, double t) { return track.at(t) - flatten(kRest); }

TEST(TestMotion, rests_at_first_and_at_the_end) {
  for (const std::string& name : test_motion_names()) {
    const auto track = make_test_motion(name, kRest, kSize, kFps);
    EXPECT_EQ(track->n_points(), 4);
    for (double t : {-1.0, 0.0, 0.1, 6 / kFps}) {
      EXPECT_EQ(track->at(t), flatten(kRest)) << name << " " << t;
      EXPECT_EQ(track->at(t, 1).norm(), 0) << name;
      EXPECT_EQ(track->at(t, 2).norm(), 0) << name;
    }
    EXPECT_GT(offset(*track, 6.5 / kFps).norm(), 0) << name;
    // Still for the last three seconds, to the bit of the position.
    const double end = last_time(name);
    for (double t = end - 2.95; t < end + 1; t += 0.1) {
      EXPECT_LT((track->at(t) - track->at(end)).norm(), 1e-14) << name;
      EXPECT_LT(track->at(t, 1).norm() + track->at(t, 2).norm(), 1e-11) << name << " " << t;
    }
    EXPECT_GT((track->at(end - 3.1) - track->at(end)).norm() + track->at(end - 3.1, 2).norm(), 1e-9) << name;
    TestMotionOptions longer;
    longer.still_s = 4;
    EXPECT_EQ(test_motion_frames(name, kFps, longer), test_motion_frames(name, kFps) + 24);
  }
}

// Continuity is judged by the change of the second derivative over a step that shrinks.
TEST(TestMotion, derivatives_agree_with_differences_and_are_continuous) {
  for (const std::string& name : test_motion_names()) {
    TestMotionOptions tilted;
    tilted.up = kTilted;
    for (const TestMotionOptions& options : {TestMotionOptions{}, tilted}) {
      const auto track = make_test_motion(name, kRest, kSize, kFps, options);
      const double h = 1e-5;
      double worst[2] = {0, 0}, largest[2] = {0, 0}, jump[2] = {0, 0};
      for (double t = 0; t < last_time(name); t += 0.00173) {
        for (int d : {0, 1}) {
          const VecX difference = (track->at(t + h, d) - track->at(t - h, d)) / (2 * h);
          worst[d] = std::max(worst[d], (difference - track->at(t, d + 1)).norm());
          largest[d] = std::max(largest[d], difference.norm());
        }
      }
      for (int d : {0, 1}) {
        EXPECT_GT(largest[d], 0.01) << name;
        EXPECT_LT(worst[d], 1e-3 * largest[d]) << name << " " << d;
      }
      const double steps[2] = {4e-5, 1e-5};
      double defect[2] = {0, 0};  // of each derivative as the integral of the next
      for (int k : {0, 1}) {
        const double step = steps[k];
        for (double t = 0.2; t < last_time(name) - 2.8; t += step) {
          VecX now[3], next[3];
          for (int d : {0, 1, 2}) now[d] = track->at(t, d), next[d] = track->at(t + step, d);
          jump[k] = std::max(jump[k], (next[2] - now[2]).norm());
          for (int d : {0, 1}) {
            const VecX gain = 0.5 * step * (now[d + 1] + next[d + 1]);
            defect[d] = std::max(defect[d], (next[d] - now[d] - gain).norm() / step);
          }
        }
      }
      for (int d : {0, 1}) EXPECT_LT(defect[d], 1e-3 * largest[d]) << name << " " << d;
      EXPECT_NEAR(jump[0] / jump[1], 4, 0.2) << name;
    }
  }
}

TEST(TestMotion, is_rigid) {
  for (const std::string& name : test_motion_names()) {
    const auto track = make_test_motion(name, kRest, kSize, kFps);
    for (double t = 0; t < last_time(name); t += 0.037) {
      const Points x = unflatten(track->at(t));
      for (size_t i = 1; i < x.size(); ++i)
        EXPECT_NEAR((x[i] - x[0]).norm(), (kRest[i] - kRest[0]).norm(), 1e-14) << name;
      // No mirror image.
      const auto volume = [](const Points& p) { return (p[1] - p[0]).cross(p[2] - p[0]).dot(p[3] - p[0]); };
      EXPECT_NEAR(volume(x), volume(kRest), 1e-15);
    }
  }
}

TEST(TestMotion, each_does_what_its_name_says) {
  const Vec3 y(0, 1, 0);
  const auto first = [](const Track& track, double t) { return Vec3(offset(track, t).head<3>()); };
  const auto hop = make_test_motion("hop", kRest, kSize, kFps);
  double low = 0, high = 0;
  for (double t = 0; t < last_time("hop"); t += 0.001) {
    const Vec3 d = first(*hop, t);
    EXPECT_EQ(d.cross(y).norm(), 0);
    low = std::min(low, d.y());
    high = std::max(high, d.y());
  }
  EXPECT_NEAR(low, -0.06 * kSize, 1e-6);
  EXPECT_NEAR(high, 0.18 * kSize, 1e-6);
  EXPECT_EQ(first(*hop, last_time("hop")), Vec3::Zero());

  // A constant speed, then nothing two frames later.
  const auto stop = make_test_motion("stop", kRest, kSize, kFps);
  const double brake = last_time("stop") - 3 - 2 / kFps;
  EXPECT_NEAR(brake * kFps, std::round(brake * kFps), 1e-9);
  for (double t : {0.8, 1.2, brake - 1e-6})
    EXPECT_NEAR((stop->at(t, 1).head<3>() - Vec3(kSize, 0, 0)).norm(), 0, 1e-12);
  EXPECT_GT(stop->at(brake + 0.5 / kFps, 1)[0], 0.5 * kSize);
  EXPECT_LT(stop->at(brake + 2 / kFps, 1).norm(), 1e-12);

  const auto angle = [&](const Track& track, double t, const Vec3& axis) {
    const Vec3 arm = kRest[1] - kRest[0], now = unflatten(track.at(t))[1] - unflatten(track.at(t))[0];
    const Vec3 a = arm - arm.dot(axis) * axis, b = now - now.dot(axis) * axis;
    EXPECT_NEAR(arm.dot(axis), now.dot(axis), 1e-14);
    return std::atan2(a.cross(b).dot(axis), a.dot(b)) * 180 / kPi;
  };
  EXPECT_NEAR(angle(*make_test_motion("twist", kRest, kSize, kFps), 2, y), 60, 1e-9);
  // Tilts from y towards x: about -z.
  const auto lean = make_test_motion("lean", kRest, kSize, kFps);
  EXPECT_NEAR(angle(*lean, 6 / kFps + 1, {0, 0, -1}), 15, 1e-9);
  EXPECT_NEAR(angle(*lean, 6 / kFps + 2, {0, 0, -1}), 30, 1e-9);

  const auto shake = make_test_motion("shake", kRest, kSize, kFps);
  const double start = 6 / kFps;
  for (int k : {1, 2}) EXPECT_NEAR((first(*shake, start + 0.5 * k + 0.125) - Vec3(0.1 * kSize, 0, 0)).norm(), 0, 1e-12);
  EXPECT_LT(first(*shake, start + 1.5).norm(), 1e-15);

  // Along other axes: the side is across up.
  for (const Vec3& up : {Vec3(0, 0, 2), Vec3(1, 0, 0), kTilted}) {
    TestMotionOptions options;
    options.up = up;
    EXPECT_NEAR(first(*make_test_motion("shake", kRest, kSize, kFps, options), start + 0.625).dot(up), 0, 1e-15);
    EXPECT_LT(first(*make_test_motion("hop", kRest, kSize, kFps, options), 0.9).cross(up).norm(), 1e-15);
  }
}

TEST(TestMotion, bad_input_is_named) {
  try {
    make_test_motion("shaek", kRest, kSize, kFps);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(e.advice().find("shake"), std::string::npos) << e.what();
  }
  try {
    test_motion_frames("somersault", kFps);
    FAIL();
  } catch (const InputError& e) {
    for (const std::string& name : test_motion_names()) EXPECT_NE(e.advice().find(name), std::string::npos);
  }
  for (double bad : {0.0, -1.0, double(NAN), double(INFINITY)}) {
    EXPECT_THROW(make_test_motion("hop", kRest, bad, kFps), InputError);
    EXPECT_THROW(make_test_motion("hop", kRest, kSize, bad), InputError);
    EXPECT_THROW(test_motion_frames("hop", bad), InputError);
  }
  TestMotionOptions options;
  options.up = Vec3::Zero();
  EXPECT_THROW(make_test_motion("hop", kRest, kSize, kFps, options), InputError);
  options.up = Vec3(0, NAN, 0);
  EXPECT_THROW(make_test_motion("hop", kRest, kSize, kFps, options), InputError);
  options = {};
  options.still_s = NAN;
  EXPECT_THROW(test_motion_frames("hop", kFps, options), InputError);
  EXPECT_EQ(make_test_motion("twist", {}, kSize, kFps)->at(1).size(), 0);
}

}  // namespace
}  // namespace supple
