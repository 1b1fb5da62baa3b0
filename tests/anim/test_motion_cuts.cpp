// Where a motion is cut, which of its frames are none of it, and what is none of both.
#include "supple/anim/motion_cuts.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <functional>
#include <random>

#include "supple/anim/loop_track.h"
#include "supple/anim/rigid_cuts.h"
#include "supple/mesh/rigid_fit.h"

namespace supple {
namespace {

constexpr double kFrameTime = 1.0 / 30;
using Motion = std::function<Vec3(const Vec3& x, double t)>;
using Kinds = std::vector<std::pair<CutKind, int>>;

// A body of 45 points, as slim as a standing one, with a diagonal of 1.
std::vector<VecX> performed(int n, const Motion& f) {
  std::vector<VecX> frames;
  for (int k = 0; k < n; ++k) {
    Points x;
    for (int i = 0; i < 45; ++i)
      x.push_back(f(Vec3(i % 3 - 1, i / 9 - 2, i / 3 % 3 - 1).cwiseProduct(Vec3(0.14, 0.24, 0.09)), k * kFrameTime));
    frames.push_back(flatten(x));
  }
  return frames;
}
Mat3 about_y(double angle) { return Eigen::AngleAxisd(angle, Vec3::UnitY()).toRotationMatrix(); }
Vec3 in_place(const Vec3& x, double) { return x; }
// Two and a half bodies a second along a bend, swaying: a run.
Vec3 run(const Vec3& x, double t) {
  const Vec3 bent = x + x.y() * 0.3 * Vec3(std::sin(9 * t), 0, std::cos(9 * t));
  return about_y(0.8 * t) * (bent + Vec3(3, 0.05 * std::sin(18 * t), 0));
}
// One and a half turns a second, arms and legs flung out by turns.
Vec3 dance(const Vec3& x, double t) {
  return about_y(3 * M_PI * t) * (x + 0.5 * x.x() * (1 + std::sin(6 * t)) * Vec3(1, 0.4, 0));
}
const std::vector<Motion> kMotions = {in_place, run, dance};

Kinds found(const std::vector<VecX>& frames) {
  Kinds kinds;
  for (const MotionCut& c : find_motion_cuts(frames, kFrameTime).list) kinds.emplace_back(c.kind, c.frame);
  return kinds;
}
// Frames from `first` on as a rigid motion about the body's middle has them.
void move(std::vector<VecX>& frames, size_t first, size_t end, double degrees, const Vec3& way) {
  for (size_t k = first; k < end; ++k) {
    const RigidMotion m = fit_rigid_motion(frames[k], frames[k]);
    for (Eigen::Index i = 0; i < frames[k].size(); i += 3)
      frames[k].segment<3>(i) = about_y(degrees * M_PI / 180) * (frames[k].segment<3>(i) - m.from) + m.from + way;
  }
}

}  // namespace

TEST(MotionCuts, AJumpOfSomeBodies) {
  for (const Motion& motion : kMotions)
    for (double bodies : {0.5, 2.0, 30.0})
      for (size_t at : {1u, 17u, 39u}) {
        std::vector<VecX> frames = performed(40, motion);
        move(frames, at, 40, 0, bodies * Vec3(0.6, 0, -0.8));
        const MotionCuts cuts = find_motion_cuts(frames, kFrameTime);
        ASSERT_EQ(cuts.list.size(), 1u) << bodies << " at " << at;
        EXPECT_EQ(cuts.list[0].kind, CutKind::jump);
        EXPECT_EQ(cuts.list[0].frame, static_cast<int>(at));
        EXPECT_NEAR(cuts.list[0].way, bodies, 0.15);
        EXPECT_EQ(cuts.leaps(), std::vector<int>{static_cast<int>(at) - 1});
        EXPECT_TRUE(cuts.bridged().empty());
      }
}

// About its own axis nothing of a slim body goes far.
TEST(MotionCuts, ATurnInAFrame) {
  for (const Motion& motion : kMotions)
    for (double degrees : {90.0, 135.0, -100.0}) {
      std::vector<VecX> frames = performed(40, motion);
      move(frames, 21, 40, degrees, Vec3::Zero());
      const MotionCuts cuts = find_motion_cuts(frames, kFrameTime);
      ASSERT_EQ(cuts.list.size(), 1u) << degrees;
      EXPECT_EQ(cuts.list[0].kind, CutKind::turn);
      EXPECT_EQ(cuts.list[0].frame, 21);
      EXPECT_NEAR(cuts.list[0].turn, std::abs(degrees) * M_PI / 180, 0.15);
    }
}

TEST(MotionCuts, OneBadFrame) {
  for (const Motion& motion : kMotions) {
    for (const auto& [degrees, way] : {std::pair(0.0, Vec3(0.8, 0, 0)), {0.0, Vec3(0, 40, 3)}, {90.0, Vec3(0, 0, 0)}}) {
      std::vector<VecX> frames = performed(40, motion);
      const std::vector<VecX> sound = frames;
      move(frames, 12, 13, degrees, way);
      EXPECT_EQ(found(frames), (Kinds{{CutKind::bad_frame, 12}}));
      // Nothing is left of it.
      bridge_frames(frames, kFrameTime, find_motion_cuts(frames, kFrameTime));
      EXPECT_LT((frames[12] - sound[12]).reshaped(3, 45).colwise().norm().maxCoeff(), 0.01);
      EXPECT_EQ(frames[11], sound[11]);
      EXPECT_TRUE(found(frames).empty());
    }
  }
}

// Every point anywhere, by some percent of the size, however fast the body moves.
TEST(MotionCuts, NoiseOnAWholeFrame) {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0, 0.04);
  for (const Motion& motion : kMotions) {
    std::vector<VecX> frames = performed(40, motion);
    for (double& x : frames[25]) x += noise(random);
    EXPECT_EQ(found(frames), (Kinds{{CutKind::bad_frame, 25}}));
  }
}

// The motion goes on behind it, or waits for it.
TEST(MotionCuts, ADoubledFrame) {
  for (const Motion& motion : {kMotions[1], kMotions[2]})
    for (const bool waits : {false, true}) {
      std::vector<VecX> frames = performed(40, motion);
      if (waits)
        frames.insert(frames.begin() + 19, frames[18]);
      else
        frames[19] = frames[18];
      EXPECT_EQ(found(frames), (Kinds{{CutKind::doubled_frame, 19}}));
    }
}

TEST(MotionCuts, SeveralInAClip) {
  std::vector<VecX> frames = performed(90, run);
  move(frames, 20, 90, 0, Vec3(5, 0, 0));
  move(frames, 31, 32, 0, Vec3(0, 2, 0));
  frames[45] = frames[44];
  move(frames, 60, 90, 120, Vec3::Zero());
  EXPECT_EQ(found(frames),
            (Kinds{{CutKind::jump, 20}, {CutKind::bad_frame, 31}, {CutKind::doubled_frame, 45}, {CutKind::turn, 60}}));
}

// Any speed, and what a performer does.
TEST(MotionCuts, WhatIsNone) {
  const auto none = [](const std::vector<VecX>& frames, const char* what) {
    EXPECT_EQ(describe_leaps(find_motion_cuts(frames, kFrameTime)), "") << what;
    EXPECT_EQ(describe_bridged(find_motion_cuts(frames, kFrameTime)), "") << what;
  };
  for (double speed : {1.0, 300.0, 1e5})
    none(performed(40, [&](const Vec3& x, double t) { return Vec3(x + speed * t * Vec3(1, 0, 0)); }), "a train");
  for (const Motion& motion : kMotions) none(performed(40, motion), "a performer");
  none(performed(40, [](const Vec3& x, double t) { return about_y(3 * M_PI * std::max(0.0, t - 0.5)) * x; }),
       "a spin begins");
  none(performed(40, [](const Vec3& x, double t) { return Vec3(x + 6 * std::max(0.0, t - 0.5) * Vec3::UnitX()); }),
       "a start at full speed");
  none(performed(40, [](const Vec3& x, double t) { return Vec3(x + std::abs(4 * (t - 0.51)) * Vec3::UnitY()); }),
       "a bounce");
  none(performed(40, [](const Vec3& x, double t) { return Vec3(x - std::min(0.5, t) * 5 * Vec3::UnitY()); }),
       "a fall that ends");
  // Half a turn in four frames.
  none(performed(40,
                 [](const Vec3& x, double t) {
                   const double s = std::clamp((t - 0.5) / 0.133, 0.0, 1.0);
                   return about_y(M_PI * s * s * (3 - 2 * s)) * x;
                 }),
       "a snap");
  none(performed(40,
                 [](const Vec3& x, double t) { return Vec3(x + (x.y() > 0.2 && t > 0.5 ? 0.5 : 0) * Vec3::UnitZ()); }),
       "a limb");
  // An apex: hardly anything moves there for a frame.
  none(performed(
           41, [](const Vec3& x, double t) { return Vec3(x + (2 * t - 5 * (t - 0.65) * (t - 0.65)) * Vec3::UnitY()); }),
       "a throw");
  none(std::vector<VecX>(20, performed(1, run)[0]), "a still");
}

// Poses held for two frames, three and four, small and large.
TEST(MotionCuts, HeldPosesAreNoCuts) {
  for (int each : {2, 3, 4})
    for (double far : {0.02, 0.3})
      EXPECT_EQ(found(performed(48,
                                [&](const Vec3& x, double t) {
                                  const double held = std::floor(t / kFrameTime / each + 1e-6) * each;
                                  return Vec3(x + far * (1 + x.y()) * std::sin(0.26 * held + 0.2) * Vec3::UnitX());
                                }))
                    .size(),
                0u)
          << each << " " << far;
}

// Drawn clips as they come: the last frame back at the first, put elsewhere while it moves and from one held pose to
// the next, where little is enough.
TEST(MotionCuts, SmallLeaps) {
  std::vector<VecX> back = performed(40, run);
  back.push_back(back[0]);
  EXPECT_EQ(found(back), (Kinds{{CutKind::jump, 40}}));
  std::vector<VecX> held(20, performed(1, run)[0]);
  for (size_t k = 10; k < held.size(); ++k) held[k].array() += 0.04;
  EXPECT_EQ(found(held), (Kinds{{CutKind::jump, 10}}));
  // Attacks of a whole body, two frames out, are its own.
  std::vector<VecX> blow(30, performed(1, run)[0]);
  double at = 0;
  const std::vector<double> steps = {0.005, 0.015, 0.05, 0.2, 0.15, 0.02, -0.01, -0.02};
  for (size_t k = 10; k < blow.size(); ++k) {
    if (k - 10 < steps.size()) at += steps[k - 10];
    blow[k].array() += at;
  }
  EXPECT_TRUE(found(blow).empty());
}

TEST(MotionCuts, AnyUnitAndUnevenTimes) {
  std::vector<VecX> frames = performed(40, run);
  move(frames, 17, 40, 100, Vec3(2, 0, 0));
  for (double unit : {1e-3, 1e4}) {
    std::vector<VecX> other = frames;
    for (VecX& x : other) x *= unit;
    EXPECT_EQ(found(other), found(frames));
  }
  std::vector<double> times;
  std::vector<VecX> uneven;
  const std::vector<VecX> all = performed(80, run);
  for (size_t k = 0; k < all.size(); k += k % 3 == 0 ? 1 : 2)
    times.push_back(static_cast<double>(k) * kFrameTime), uneven.push_back(all[k]);
  EXPECT_TRUE(find_motion_cuts(uneven, times).list.empty());
  for (size_t k = 20; k < uneven.size(); ++k) uneven[k].array() += 3;
  EXPECT_EQ(find_motion_cuts(uneven, times).leaps(), std::vector<int>{19});
}

TEST(MotionCuts, BridgesAreCubicsOfTheirOwnSide) {
  const std::vector<double> times = {0, 1, 2, 3, 4.5, 5, 6, 7};
  const auto cubic = [](double t) { return 1 + t - 2 * t * t + 0.3 * t * t * t; };
  MotionCuts cuts;
  cuts.list = {{.kind = CutKind::bad_frame, .frame = 3}};
  const auto at = [&](int frame) {
    double sum = 0;
    for (const auto& [k, weight] : bridge_of(frame, times, cuts)) sum += weight * cubic(times[static_cast<size_t>(k)]);
    return sum;
  };
  EXPECT_NEAR(at(3), cubic(3), 1e-12);
  // Beyond a leap there is nothing to go by.
  cuts.list = {{.kind = CutKind::bad_frame, .frame = 3}, {.kind = CutKind::jump, .frame = 4}};
  EXPECT_NEAR(at(3), 2 * cubic(2) - cubic(1), 1e-12);
}

TEST(MotionCuts, OfAPartAndAtAnotherRate) {
  MotionCuts cuts;
  cuts.list = {{.kind = CutKind::jump, .frame = 10},
               {.kind = CutKind::bad_frame, .frame = 20},
               {.kind = CutKind::turn, .frame = 30}};
  const MotionCuts part = cuts_within(cuts, 10, 25);
  ASSERT_EQ(part.list.size(), 1u);
  EXPECT_EQ(part.list[0].frame, 10);
  const MotionCuts slow = cuts_at_rate(cuts, 1.0 / 30, 24);
  EXPECT_EQ(slow.leaps(), (std::vector<int>{7, 23}));
  EXPECT_EQ(slow.bridged(), std::vector<int>{16});
}

TEST(MotionCuts, RigidKeys) {
  std::vector<RigidKey> keys;
  for (int k = 0; k < 40; ++k) {
    const Eigen::Quaterniond q(Eigen::AngleAxisd(0.2 * k, Vec3::UnitY()));
    keys.push_back({.t = k * kFrameTime, .translation = Vec3(0.1 * k, 0, 0), .quaternion = q.coeffs()});
  }
  const Points rest = {{0, 0, 0}, {0.3, 1, 0}, {-0.3, 0.5, 0.2}};
  std::vector<RigidKey> bad = keys;
  bad[15].translation += Vec3(0, 4, 0), bad[15].quaternion = -Eigen::Vector4d(0, 0, 0, 1);
  const MotionCuts cuts = find_motion_cuts(box_places(bad, rest), times_of(bad), {.drives_only = true});
  EXPECT_EQ(cuts.bridged(), std::vector<int>{15});
  bridge_keys(bad, cuts);
  EXPECT_LT((bad[15].translation - keys[15].translation).norm(), 1e-9);
  EXPECT_NEAR(std::abs(bad[15].quaternion.dot(keys[15].quaternion)), 1, 1e-6);
  // What is known to be cut is, and nothing else.
  EXPECT_EQ(make_rigid_track(keys, rest, TrackStart::rest, {7})->cuts(), std::vector<double>{keys[8].t});
  bad = keys;
  for (size_t k = 20; k < bad.size(); ++k) bad[k].translation.x() += 50;
  EXPECT_EQ(make_rigid_track(bad, rest)->cuts().size(), 1u);
  EXPECT_TRUE(make_rigid_track(bad, rest, TrackStart::rest, {})->cuts().empty());
  const RigidMotion stays;
  EXPECT_FALSE(make_looped_rigid_track(bad, rest, stays)->cuts().empty());
  EXPECT_TRUE(make_looped_rigid_track(bad, rest, stays, {})->cuts().empty());
}

}  // namespace supple
