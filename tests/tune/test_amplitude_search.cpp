// The search on functions whose answer is known.
#include <gtest/gtest.h>

#include <cmath>

#include "supple/base/error.h"
#include "supple/tune/amplitude_search.h"

using namespace supple;

namespace {

ScaleFunction plain(const std::function<double(double)>& f) {
  return [f](double e) { return ScaleTrial{.value = f(e)}; };
}

}  // namespace

TEST(ScaleSearch, LinearNeedsOneCorrection) {
  const ScaleSearchResult r = search_scale(3, 1, plain([](double e) { return 0.7 * e; }));
  EXPECT_TRUE(r.met);
  EXPECT_EQ(r.evaluations, 2);
  EXPECT_NEAR(r.scale, 3 / 0.7, 1e-12);
  EXPECT_EQ(r.reason, "");
}

// Growth from 0.4 to 2.5 in the exponent, bends, and noise of 1e-4: five trials from starts four times off, seven from
// starts ten times off.
TEST(ScaleSearch, BendsAndNoise) {
  const std::vector<std::function<double(double)>> functions = {
      [](double e) { return std::pow(e, 0.4); },
      [](double e) { return std::pow(e, 2.5); },
      [](double e) { return e / std::sqrt(1 + 0.3 * e * e) + 0.05 * e; },
      [](double e) { return e + 0.5 * e * e * e; },
      [](double e) { return std::hypot(e, 0.2) * (1 + 1e-4 * std::sin(1e5 * e)); },
  };
  for (size_t i = 0; i < functions.size(); ++i)
    for (const double wanted : {0.5, 1.0, 2.0})
      for (const double factor : {0.1, 0.25, 0.5, 0.7, 1.0, 1.4, 2.0, 4.0, 10.0}) {
        const double target = functions[i](wanted);
        ScaleSearchOptions o;
        if (std::abs(std::log(factor)) > 2) o.max_evaluations = 7;
        const ScaleSearchResult r = search_scale(target, wanted * factor, plain(functions[i]), o);
        EXPECT_TRUE(r.met) << i << " " << wanted << " " << factor << " " << r.reason;
        EXPECT_LE(r.evaluations, o.max_evaluations);
        EXPECT_NEAR(r.value / target, 1, 0.01);
      }
}

TEST(ScaleSearch, KnownTrialsSaveEvaluations) {
  const auto f = [](double e) { return std::pow(e, 0.5); };
  const ScaleSearchResult without = search_scale(2, 1, plain(f));
  ScaleSearchOptions o;
  o.known = {{.scale = 1, .value = 1}, {.scale = 2, .value = f(2)}};
  const ScaleSearchResult with = search_scale(2, 1, plain(f), o);
  EXPECT_TRUE(with.met && without.met);
  EXPECT_EQ(with.evaluations, 1);
  EXPECT_GT(without.evaluations, with.evaluations);
  o.known.push_back({.scale = 4, .value = 2});
  EXPECT_EQ(search_scale(2, 1, plain(f), o).evaluations, 0);
}

TEST(ScaleSearch, SaturationIsReported) {
  const ScaleSearchResult r = search_scale(1.5, 1.5, plain([](double e) { return std::tanh(e); }));
  EXPECT_FALSE(r.met);
  EXPECT_TRUE(r.usable);
  EXPECT_LE(r.evaluations, 4);
  EXPECT_NEAR(r.value, 1, 0.02);
  EXPECT_NE(r.reason.find("hardly grows"), std::string::npos) << r.reason;
  // What it can reach it does reach.
  const ScaleSearchResult near = search_scale(0.9, 0.9, plain([](double e) { return std::tanh(e); }));
  EXPECT_TRUE(near.met) << near.reason;
}

TEST(ScaleSearch, FailuresAreTooMuch) {
  const ScaleFunction fragile = [](double e) {
    return e > 2.5 ? ScaleTrial{.ok = false, .trouble = "diverged"} : ScaleTrial{.value = 0.5 * e};
  };
  const ScaleSearchResult below = search_scale(1.2, 10, fragile);  // reachable at 2.4, the start fails
  EXPECT_TRUE(below.met) << below.reason;
  EXPECT_LE(below.evaluations, 5);
  const ScaleSearchResult above = search_scale(2, 4, fragile);
  EXPECT_FALSE(above.met);
  EXPECT_TRUE(above.usable);
  EXPECT_GT(above.value, 1.1);  // of the 1.25 there are
  EXPECT_NE(above.reason.find("diverged"), std::string::npos) << above.reason;
  const ScaleSearchResult never = search_scale(2, 4, [](double) { return ScaleTrial{.value = NAN}; });
  EXPECT_FALSE(never.met || never.usable);
  EXPECT_EQ(never.evaluations, 5);
}

TEST(ScaleSearch, JumpIsReported) {
  ScaleSearchOptions o;
  o.max_evaluations = 40;
  const ScaleSearchResult r = search_scale(2, 1, plain([](double e) { return e < 1.7 ? e : 2 * e; }), o);
  EXPECT_FALSE(r.met);
  EXPECT_LT(r.evaluations, 25);
  EXPECT_NE(r.reason.find("jumps"), std::string::npos) << r.reason;
  EXPECT_NEAR(r.value, 1.7, 0.02);
}

TEST(ScaleSearch, ZeroAndNonsense) {
  const ScaleSearchResult zero = search_scale(0, 1, plain([](double e) { return e; }));
  EXPECT_TRUE(zero.met);
  EXPECT_EQ(zero.scale, 0);
  EXPECT_EQ(zero.evaluations, 1);
  const ScaleSearchResult left = search_scale(0, 1, plain([](double e) { return e + 0.3; }));
  EXPECT_FALSE(left.met);
  EXPECT_NE(left.reason, "");
  EXPECT_THROW(search_scale(NAN, 1, plain([](double e) { return e; })), InputError);
  EXPECT_THROW(search_scale(1, 0, plain([](double e) { return e; })), InputError);
  EXPECT_THROW(search_scale(1, 1, [](double) -> ScaleTrial { throw Cancelled(); }), Cancelled);
}
