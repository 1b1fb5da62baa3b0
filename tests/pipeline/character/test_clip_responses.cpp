// Percentiles of what counts more and less.
#include "supple/pipeline/character/clip_responses.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace supple::pipeline {
namespace {

// Sorted, and passed through until the share of all weight is there.
double passed_through(std::vector<Weighted> list, double share) {
  std::sort(list.begin(), list.end(), [](const Weighted& a, const Weighted& b) { return a.value < b.value; });
  double all = 0, below = 0;
  for (const Weighted& w : list) all += w.weight;
  for (const Weighted& w : list)
    if ((below += w.weight) >= share * all) return w.value;
  return list.empty() ? 0 : list.back().value;
}

TEST(WeightedPercentile, IsTheOneOfAllSorted) {
  std::mt19937 dice(7);
  for (const size_t n : {0, 1, 2, 3, 10, 1000})
    for (const double share : {0.0, 0.02, 0.5, 0.9, 0.99, 1.0}) {
      std::vector<Weighted> list;
      for (size_t k = 0; k < n; ++k)
        list.push_back({static_cast<double>(dice() % 97), 1 + static_cast<double>(dice() % 4)});
      EXPECT_EQ(weighted_percentile(list, share), passed_through(list, share)) << n << " " << share;
    }
}

TEST(WeightedPercentile, OneThatCountsForMostIsIt) {
  EXPECT_EQ(weighted_percentile({{3, 1}, {1, 1}, {2, 100}}, 0.5), 2);
  EXPECT_EQ(weighted_percentile({{3, 1}, {1, 1}, {2, 100}}, 0.995), 3);
}

}  // namespace
}  // namespace supple::pipeline
