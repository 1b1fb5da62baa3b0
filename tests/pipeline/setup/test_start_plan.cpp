// How a motion begins, decided on samples alone.
#include "supple/pipeline/setup/start_plan.h"

#include <gtest/gtest.h>

#include <cmath>

#include "supple/base/error.h"
#include "tests/support/beam.h"

namespace supple {

using namespace pipeline;
namespace {

// Four points that swing along x: `n` frames of a period of 24.
std::vector<VecX> swinging(int n) {
  std::vector<VecX> samples;
  for (int f = 0; f < n; ++f) {
    VecX x(12);
    x << 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1;
    for (Eigen::Index i = 0; i < 12; i += 3) x[i] += 0.1 * std::sin(2 * M_PI * f / 24.0);
    samples.push_back(x);
  }
  return samples;
}

class StartPlans : public ::testing::Test {
 protected:
  StartPlan plan(int n, const std::string& start = "auto", const std::string& loop = "auto") {
    SceneConfig config;
    config.timeline.start = start, config.timeline.loop = loop;
    StartPlanner planner(config, 24, spec_, nullptr, notes_);
    planner.begun(swinging(n), 0, n - 1);
    return planner.plan();
  }
  ModelSpec spec_ = test::beam_spec({});
  Notes notes_;
};

TEST_F(StartPlans, a_motion_that_closes_repeats) {
  const StartPlan closed = plan(25);
  EXPECT_TRUE(closed.loop);
  EXPECT_EQ(closed.period, 24);
  EXPECT_EQ(closed.start, "moving");
  EXPECT_FALSE(plan(20).loop);
  EXPECT_FALSE(plan(25, "rest").loop);
  EXPECT_FALSE(plan(25, "auto", "false").loop);
}

// By frames of the run, whatever range it has.
TEST_F(StartPlans, cuts_are_known_by_their_frames_and_told) {
  std::vector<VecX> samples = swinging(40);
  for (size_t f = 20; f < samples.size(); ++f)
    for (Eigen::Index i = 0; i < 12; i += 3) samples[f][i + 2] += 9;
  samples[31].array() += 4;
  SceneConfig config;
  StartPlanner planner(config, 24, spec_, nullptr, notes_);
  const auto track = planner.begun(samples, 10, 35);
  EXPECT_EQ(planner.plan().cuts.leaps(), std::vector<int>{9});
  EXPECT_EQ(planner.plan().cuts.bridged(), std::vector<int>{21});
  ASSERT_EQ(notes_.warnings.size(), 2u);
  EXPECT_NE(notes_.warnings[0].find("frame 10 (jumps 9 m)"), std::string::npos) << notes_.warnings[0];
  EXPECT_NE(notes_.warnings[1].find("frame 21 (off)"), std::string::npos) << notes_.warnings[1];
  ASSERT_EQ(track->cuts().size(), 1u);
  EXPECT_NEAR(track->cuts()[0], 20 / 24.0, 1e-12);
  EXPECT_NEAR(track->at(31 / 24.0)[2], 9, 1e-3);

  config.timeline.cuts = "off";
  StartPlanner off(config, 24, spec_, nullptr, notes_);
  const auto taken = off.begun(samples, 10, 35);
  EXPECT_TRUE(off.plan().cuts.list.empty());
  EXPECT_TRUE(taken->cuts().empty());
  EXPECT_EQ(taken->at(31 / 24.0), samples[31]);
  EXPECT_EQ(notes_.warnings.size(), 2u);
}

TEST_F(StartPlans, cuts_of_keys_are_told_by_frames) {
  std::vector<RigidKey> keys;
  for (int k = 0; k < 30; ++k)
    keys.push_back({.t = k / 12.0, .translation = Vec3(0.01 * k + (k >= 15 ? 7 : 0), 0.02 * std::sin(0.3 * k), 0)});
  SceneConfig config;
  StartPlanner planner(config, 24, spec_, nullptr, notes_);
  const auto track = planner.begun_rigid(keys, {Vec3::Zero(), Vec3(0.1, 0.2, 0)}, 0, 58);
  ASSERT_EQ(planner.plan().cuts.list.size(), 1u);
  EXPECT_EQ(planner.plan().cuts.list[0].frame, 30);
  EXPECT_EQ(track->cuts(), std::vector<double>{15 / 12.0});
}

TEST_F(StartPlans, a_loop_that_is_asked_for_and_cannot_be_is_refused) {
  EXPECT_THROW(plan(15, "auto", "true"), InputError);
  EXPECT_THROW(plan(25, "rest", "true"), InputError);
  SceneConfig config;
  config.timeline.loop = "true";
  StartPlanner planner(config, 24, spec_, nullptr, notes_);
  EXPECT_THROW(planner.begin_unmoved(), InputError);
}

TEST_F(StartPlans, what_nothing_moves_starts_at_rest) {
  SceneConfig config;
  StartPlanner planner(config, 24, spec_, nullptr, notes_);
  planner.begin_unmoved();
  EXPECT_EQ(planner.plan().start, "rest");
}

}  // namespace
}  // namespace supple
