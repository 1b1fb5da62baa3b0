// How far parts go, met by the inertia of each.
#include "supple/tune/amount_search.h"

#include <gtest/gtest.h>

#include <cmath>

namespace supple {
namespace {

// Parts that take one another along in proportion: value = A scale.
AmountFunction carried(const MatX& A, int& runs) {
  return [&A, &runs](const std::vector<double>& scale) {
    ++runs;
    const VecX v = A * Eigen::Map<const VecX>(scale.data(), static_cast<Eigen::Index>(scale.size()));
    return AmountTrial{.scale = {}, .value = {v.data(), v.data() + v.size()}};
  };
}

TEST(AmountSearch, parts_alone_are_there_after_two) {
  MatX A = MatX::Zero(3, 3);
  A.diagonal() << 2, 0.3, 7;
  int runs = 0;
  const AmountSearchResult r = search_amounts({1, 1, 1}, carried(A, runs));
  EXPECT_TRUE(r.met);
  EXPECT_EQ(runs, 2);
  EXPECT_NEAR(r.trials[static_cast<size_t>(r.best)].scale[1], 1 / 0.3, 0.01 / 0.3);
}

TEST(AmountSearch, parts_that_hang_together_are_met_each) {
  MatX A(2, 2);
  A << 1, 0.4, 0.3, 0.8;
  int runs = 0;
  // What couples them is known roughly only.
  AmountSearchOptions o{.tolerance = 0.005, .max_runs = 8, .coupling = MatX(2, 2)};
  o.coupling << 0.9, 0.1, 0.4, 0.6;
  const AmountSearchResult r = search_amounts({2, 1}, carried(A, runs), o);
  ASSERT_TRUE(r.met) << r.reason;
  const std::vector<double>& s = r.trials[static_cast<size_t>(r.best)].scale;
  EXPECT_NEAR(s[0] + 0.4 * s[1], 2, 0.01);
  EXPECT_NEAR(0.3 * s[0] + 0.8 * s[1], 1, 0.005);
}

// One takes the other along by 0.6 of itself: half as far as it is out of reach, and the nearest is told.
TEST(AmountSearch, out_of_reach_is_told_with_the_nearest) {
  MatX A(2, 2);
  A << 1, 0.01, 0.6, 0.4;
  int runs = 0;
  AmountSearchOptions o{.max_runs = 8, .most_scale = 100, .coupling = MatX(2, 2)};
  o.coupling << 0.99, 0.01, 0.6, 0.4;
  const AmountSearchResult r = search_amounts({2, 0.5}, carried(A, runs), o);
  EXPECT_FALSE(r.met);
  ASSERT_GE(r.best, 0);
  EXPECT_FALSE(r.reason.empty());
  // No choice has a smaller worst miss than where both miss alike: A s = (2 / x, 0.5 x) with s2 = 0.
  const std::vector<double>& v = r.trials[static_cast<size_t>(r.best)].value;
  EXPECT_LT(std::abs(std::log(v[0] / 2)), 0.6);
  EXPECT_LT(std::abs(std::log(v[1] / 0.5)), 0.6);
  // What weighs more is met by more.
  o.weight = {1, 0.1};
  const AmountSearchResult first = search_amounts({2, 0.5}, carried(A, runs), o);
  EXPECT_NEAR(first.trials[static_cast<size_t>(first.best)].value[0], 2, 0.05);
}

TEST(AmountSearch, what_saturates_is_found_too) {
  const AmountFunction bends = [](const std::vector<double>& s) {
    return AmountTrial{.scale = {}, .value = {s[0] / std::sqrt(1 + 0.3 * s[0] * s[0])}};
  };
  const AmountSearchResult r = search_amounts({1.5}, bends, {.tolerance = 0.01, .max_runs = 8});
  EXPECT_TRUE(r.met);
  EXPECT_FALSE(search_amounts({5}, bends, {.max_runs = 6}).met);
}

TEST(AmountSearch, a_failed_trial_counts_as_too_much) {
  const AmountFunction fails = [](const std::vector<double>& s) {
    return AmountTrial{.scale = {}, .value = {0.5 * s[0]}, .ok = s[0] < 3, .trouble = "it burst"};
  };
  const AmountSearchResult r = search_amounts({2}, fails, {.max_runs = 5});
  EXPECT_FALSE(r.met);
  ASSERT_GE(r.best, 0);
  EXPECT_GT(r.trials[static_cast<size_t>(r.best)].value[0], 0.7);
  EXPECT_NE(r.reason.find("it burst"), std::string::npos);
}

}  // namespace
}  // namespace supple
