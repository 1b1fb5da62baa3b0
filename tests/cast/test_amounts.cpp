// The amount is a factor: none of it is the drawn clip, and twice as much goes twice as far.
#include <gtest/gtest.h>

#include "tests/cast/cast.h"
#include "tests/cast/performance.h"

namespace supple::cast {

namespace {

// How far all vertices depart, in all frames.
std::vector<double> departures(const Performance& p) {
  const Shot shot = shot_of(p, 0);
  std::vector<double> out;
  for (size_t f = 0; f < shot.soft.size(); ++f)
    for (size_t v = 0; v < shot.soft[f].size(); ++v) out.push_back((shot.soft[f][v] - shot.drawn[f][v]).norm());
  return out;
}

Performance walk(const std::string& amplitude) {
  Performance p = perform(make_walker(), {.clip = "0", .set = {"controls.amplitude=" + amplitude}});
  EXPECT_EQ(p.failure, "");
  return p;
}

TEST(Amounts, NoneIsTheDrawnClip) {
  const Performance p = walk("0");
  ASSERT_EQ(p.failure, "");
  for (const double d : departures(p)) ASSERT_EQ(d, 0);
}

TEST(Amounts, TwiceAsMuchGoesTwiceAsFar) {
  const Performance little = walk("0.2"), more = walk("0.4");
  ASSERT_EQ(little.failure, "");
  ASSERT_EQ(more.failure, "");
  for (const double share : {90.0, 99.0})
    EXPECT_NEAR(percentile(departures(more), share) / percentile(departures(little), share), 2, 0.1);
}

}  // namespace
}  // namespace supple::cast
