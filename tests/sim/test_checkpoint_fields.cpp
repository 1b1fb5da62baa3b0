// Fields of a struct to a checkpoint and back.
#include "supple/sim/checkpoint_fields.h"

#include <gtest/gtest.h>

namespace supple {
namespace {

struct Record {
  int count = 0;
  bool on = false;
  double value = 0;
  VecX vector;
  std::vector<int> whole;
  std::vector<VecX> rows;
  std::optional<double> some, none;
};

void list(const CheckpointFields& f, Record& r) {
  f("count", r.count), f("on", r.on), f("value", r.value), f("vector", r.vector), f("whole", r.whole),
      f("rows", r.rows);
  const auto only = [](const CheckpointFields& under, double& x) { under("x", x); };
  f.maybe("some", r.some, only), f.maybe("none", r.none, only);
}

TEST(CheckpointFieldsOf, a_record_come_back_to_the_bit) {
  Record a{.count = -3, .on = true, .value = 0.1 + 0.2, .vector = VecX::LinSpaced(5, 0, 1), .whole = {4, 0, 7}};
  a.rows = {VecX::Constant(3, 1.0 / 3), VecX::Zero(3), VecX::LinSpaced(3, 1, 2)};
  a.some = 2.5;
  Record empty, b, c{.count = 9, .whole = {1}, .rows = {VecX::Ones(2)}, .some = 1.0};
  Checkpoint kept;
  list(CheckpointFields(kept, false).under("a"), a);
  list(CheckpointFields(kept, false).under("empty"), empty);
  list(CheckpointFields(kept, true).under("a"), b);
  list(CheckpointFields(kept, true).under("empty"), c);
  EXPECT_EQ(b.count, -3);
  EXPECT_TRUE(b.on);
  EXPECT_EQ(b.value, a.value);
  EXPECT_EQ(b.vector, a.vector);
  EXPECT_EQ(b.whole, a.whole);
  ASSERT_EQ(b.rows.size(), 3u);
  for (size_t k = 0; k < 3; ++k) EXPECT_EQ(b.rows[k], a.rows[k]);
  EXPECT_EQ(b.some, a.some);
  EXPECT_FALSE(b.none);
  // What was there before is gone.
  EXPECT_EQ(c.count, 0);
  EXPECT_TRUE(c.whole.empty());
  EXPECT_TRUE(c.rows.empty());
  EXPECT_FALSE(c.some);
}

}  // namespace
}  // namespace supple
