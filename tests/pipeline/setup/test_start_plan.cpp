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
