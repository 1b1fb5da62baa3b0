// One way over many stages, and where its time went.
#include "supple/base/staged_work.h"

#include <gtest/gtest.h>

#include "supple/base/laps.h"

namespace supple {
namespace {

TEST(StagedWork, stages_take_what_is_left_by_their_weights) {
  StagedWork w;
  w.plan({{"read", 1}, {"run", 8}, {"write", 1}});
  EXPECT_EQ(w.share(), 0);
  w.tell("read", 1, 2);
  EXPECT_NEAR(w.share(), 0.05, 1e-12);
  w.tell("read", 2, 2);
  w.tell("run", 3, 4);
  EXPECT_NEAR(w.share(), 0.1 + 0.6, 1e-12);
  // Better known half-way: what is left is shared anew, and nothing goes back.
  w.plan({{"write", 1}, {"page", 2}});
  EXPECT_NEAR(w.share(), 0.7, 1e-12);
  w.tell("write", 1, 1);
  EXPECT_NEAR(w.share(), 0.8, 1e-12);
  w.tell("page, of 2", 1, 2);
  w.tell("page, of 3", 2, 2);  // what stands after the comma makes no other stage
  EXPECT_NEAR(w.share(), 0.999, 1e-12);
  EXPECT_LT(w.share(), 1);
  w.finish();
  EXPECT_EQ(w.share(), 1);
}

TEST(StagedWork, never_goes_back_whatever_it_is_told) {
  StagedWork w;
  w.plan({{"a", 1}, {"b", 5}, {"a", 2}, {"c", 0}});
  double before = 0;
  const auto tell = [&](const char* stage, int done, int of) {
    w.tell(stage, done, of);
    EXPECT_GE(w.share(), before) << stage << done;
    EXPECT_LT(w.share(), 1);
    before = w.share();
  };
  for (int round = 0; round < 3; ++round)
    for (int k = 0; k <= 10; ++k) tell("a", k, 10);  // begins anew twice, once of it as planned
  EXPECT_GT(before, 0.9);
  tell("unheard of", 1, 3);
  tell("b", 0, 0);
  tell("b", -3, 7);
  tell("b", 9, 7);
}

TEST(StagedWork, rounds_of_which_nobody_knows_how_many) {
  EXPECT_EQ(done_after_rounds(0, 100), 0);
  EXPECT_EQ(done_after_rounds(1, 100), 50);
  EXPECT_EQ(done_after_rounds(2, 100), 75);
  EXPECT_LT(done_after_rounds(1e9, 100), 100);
}

TEST(Laps, name_all_that_passes) {
  Laps laps;
  laps.lap("a");
  laps.lap("b");
  laps.lap("a");
  const double rest = laps.take();
  laps.add("c", rest);
  ASSERT_EQ(laps.parts().size(), 3u);
  EXPECT_EQ(laps.parts()[0].first, "a");
  EXPECT_GE(rest, 0);
  EXPECT_LE(laps.named(), laps.seconds());
  const Laps later = laps;  // goes on
  EXPECT_GE(later.seconds(), laps.named());
}

}  // namespace
}  // namespace supple
