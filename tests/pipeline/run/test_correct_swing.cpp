// What is tried next after a run that threw the flesh too far or too little.
#include <gtest/gtest.h>

#include "supple/pipeline/run/swing_correction.h"

namespace supple {

using namespace pipeline;
namespace {

MotionCheck check(double swing99, double rms_share, std::vector<RegionCheck> regions, double box = 1) {
  MotionCheck c;
  c.swing99 = swing99, c.rms_share = rms_share, c.box_ratio = box, c.regions = std::move(regions);
  return c;
}

TEST(SwingCorrector, what_is_good_stays) {
  SwingCorrector corrector(1);
  EXPECT_TRUE(corrector.after(check(0.15, 0.006, {{"belly", 50, 0.15, {}}, {"tip", 3, 0.4, {}}})).empty());
}

TEST(SwingCorrector, a_region_thrown_too_far_is_thrown_less_and_those_beside_it_a_little) {
  SwingCorrector corrector(1);
  const auto change = corrector.after(
      check(0.3, 0.01, {{"belly", 50, 0.1, {"chest"}}, {"chest", 9, 0.52, {"belly"}}, {"leg", 9, 0.1, {}}}));
  EXPECT_NEAR(change.at("chest"), 0.25, 1e-12);
  EXPECT_NEAR(change.at("belly"), 0.5, 1e-12);
  EXPECT_FALSE(change.contains("leg"));
  // That it was told twice what it does not change: no third time.
  EXPECT_TRUE(corrector.after(check(0.29, 0.01, {{"chest", 9, 0.5, {}}})).empty());
}

TEST(SwingCorrector, a_body_larger_than_its_input_swings_less_everywhere) {
  SwingCorrector corrector(1);
  const auto change = corrector.after(check(0.18, 0.02, {{"cube", 50, 0.18, {}}}, 1.5));
  EXPECT_NEAR(change.at("cube"), 0.4, 1e-12);
}

TEST(SwingCorrector, flesh_stretched_beyond_what_bones_do_is_thrown_less) {
  MotionCheck c = check(0.15, 0.02, {{"belly", 50, 0.15, {}}});
  c.worst_stretch = 3.5, c.worst_input_stretch = 3.2;
  EXPECT_TRUE(SwingCorrector(1).after(c).empty());
  c.worst_input_stretch = 2;
  EXPECT_EQ(SwingCorrector(1).after(c).at("belly"), 0.6);
}

TEST(SwingCorrector, more_where_nothing_is_seen_but_not_beyond_what_flesh_bears) {
  SwingCorrector corrector(1);
  const auto change = corrector.after(check(0.05, 0.001, {{"belly", 50, 0.06, {}}, {"ear", 9, 0.17, {}}}));
  EXPECT_NEAR(change.at("belly"), 3, 1e-12);  // to 0.18
  EXPECT_FALSE(change.contains("ear"));
  EXPECT_EQ(corrector.after(check(0.001, 0.00001, {{"belly", 50, 0.001, {}}})).at("belly"), 6);
}

TEST(SwingCorrector, the_dial_says_how_far_is_too_far) {
  const MotionCheck c = check(0.35, 0.02, {{"belly", 50, 0.35, {}}});
  EXPECT_TRUE(SwingCorrector(2).after(c).empty());
  EXPECT_FALSE(SwingCorrector(1).after(c).empty());
  // Less on purpose is not corrected.
  EXPECT_TRUE(SwingCorrector(0.2).after(check(0.02, 0.001, {{"belly", 50, 0.02, {}}})).empty());
}

}  // namespace
}  // namespace supple
