#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "supple/solve/line_search.h"

namespace supple {

TEST(LineSearch, MeetsTheStrongWolfeConditions) {
  // Functions of one step with their slopes, of which the first step tried is far too short, too long, or nowhere.
  const std::vector<std::pair<std::function<double(double)>, std::function<double(double)>>> functions = {
      {[](double s) { return (s - 1) * (s - 1); }, [](double s) { return 2 * (s - 1); }},
      {[](double s) { return std::pow(s - 0.01, 4); }, [](double s) { return 4 * std::pow(s - 0.01, 3); }},
      {[](double s) { return (s - 30) * (s - 30); }, [](double s) { return 2 * (s - 30); }},
      {[](double s) { return s < 0.3 ? -s : NAN; }, [](double) { return -1.0; }},
      {[](double s) { return std::sin(12 * s + 3) + 0.2 * s; },
       [](double s) { return 12 * std::cos(12 * s + 3) + 0.2; }},
  };
  for (size_t k = 0; k < functions.size(); ++k) {
    const auto& [f, df] = functions[k];
    int calls = 0;
    const SearchResult r = wolfe_search({f(0), df(0)}, 1, 10, [&, f = f, df = df](double s, bool with_slope) {
      calls += !with_slope;
      return SearchPoint{f(s), with_slope ? df(s) : 0};
    });
    ASSERT_TRUE(r.ok) << k;
    EXPECT_LE(f(r.step), f(0) + 1e-4 * r.step * df(0)) << k;
    if (k != 3) {
      EXPECT_LE(std::abs(df(r.step)), 0.9 * std::abs(df(0))) << k;
    }
    EXPECT_LE(calls, 40) << k;
  }
  // Downhill it says, but it is not.
  EXPECT_FALSE(wolfe_search({0, -1}, 1, 10, [](double s, bool) { return SearchPoint{s, 1}; }).ok);
}

// Norms may rise for a few steps beside the largest of the last five, and no longer.
TEST(LineSearch, NormsFallBesideTheLargestOfTheLastFive) {
  PastNorms past;
  past.add(10);
  EXPECT_TRUE(past.falls(9.99, 1));
  EXPECT_FALSE(past.falls(10, 1));
  EXPECT_FALSE(past.falls(NAN, 1));
  for (int k = 0; k < 4; ++k) past.add(1);
  EXPECT_TRUE(past.falls(9.99, 1));
  past.add(1);
  EXPECT_FALSE(past.falls(2, 1));
}

TEST(LineSearch, IsFlatWhereThePotentialIsRounding) {
  EXPECT_TRUE(is_flat(1e-10, 1, 1));
  EXPECT_FALSE(is_flat(1e-9, 1, 1));
  EXPECT_EQ(halved_until(1, 0.2, [](double s) { return s <= 0.25; }), 0.25);
  EXPECT_EQ(halved_until(1, 0.3, [](double s) { return s <= 0.25; }), 0);
}

}  // namespace supple
