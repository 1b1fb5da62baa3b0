// What does not matter to the flesh: units, mirroring and motion of the root, the rate of keys, which clips are asked
// for.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "supple/demos/shapes/shapes.h"
#include "tests/cast/body.h"
#include "tests/cast/cast.h"
#include "tests/cast/performance.h"

namespace supple::cast {

namespace {

// How far two lists of departures are apart, beside how far the first goes. of: what the second one's would be.
double apart(
    const std::vector<Points>& one, const std::vector<Points>& two,
    const std::function<Vec3(const Vec3&)>& of = [](const Vec3& x) { return x; }) {
  double difference = 0, all = 0;
  for (size_t f = 0; f < std::min(one.size(), two.size()); ++f)
    for (size_t v = 0; v < one[f].size(); ++v) {
      difference += (one[f][v] - of(two[f][v])).squaredNorm();
      all += one[f][v].squaredNorm();
    }
  return std::sqrt(difference / all);
}

std::vector<Points> departure(const Performance& p, size_t clip) { return Seen(shot_of(p, clip)).d; }

class SameMotion : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { walker_ = perform(make_walker()); }
  static void TearDownTestSuite() { walker_.reset(); }
  // The walker otherwise, which must be good as well.
  static Performance otherwise(const Character& c) {
    Performance p = perform(c);
    EXPECT_EQ(p.failure, "");
    if (p.failure.empty())
      for (const std::string& rule : broken(p.clips[0])) ADD_FAILURE() << rule << "\n" << text(p.clips[0]);
    return p;
  }
  void SetUp() override {
    ASSERT_TRUE(walker_);
    ASSERT_EQ(walker_->failure, "");
  }
  static const Performance& walker() { return *walker_; }

 private:
  static std::optional<Performance> walker_;
};
std::optional<Performance> SameMotion::walker_;

TEST_F(SameMotion, UnitsOfTheRoot) {
  Character c = make_walker();
  scale_root(c, Vec3::Constant(100));
  const Performance p = otherwise(c);
  ASSERT_EQ(p.failure, "");
  EXPECT_LT(apart(departure(walker(), 0), departure(p, 0), [](const Vec3& x) { return Vec3(x / 100); }), 0.001);
}

TEST_F(SameMotion, AMirroredRoot) {
  Character c = make_walker();
  scale_root(c, {-1, 1, 1});
  const Performance p = otherwise(c);
  ASSERT_EQ(p.failure, "");
  // The lattice of the tets lies otherwise in the mirrored body: 0.22 apart in these coarse ones, 0.15 in final ones.
  EXPECT_LT(apart(departure(walker(), 0), departure(p, 0), demos::mirrored), 0.3);
  EXPECT_NEAR(p.clips[0].at("swing") / walker().clips[0].at("swing"), 1, 0.03);
}

TEST_F(SameMotion, ARootThatTravels) {
  Character c = make_walker();
  carry_root(c, 0, {0, 0, 0.7});
  const Performance p = otherwise(c);
  ASSERT_EQ(p.failure, "");
  EXPECT_LT(apart(departure(walker(), 0), departure(p, 0)), 0.02);
}

TEST_F(SameMotion, TwiceAsManyKeys) {
  const Performance p = otherwise(make_walker({.walk_keys = 49}));
  ASSERT_EQ(p.failure, "");
  std::vector<Points> every_other;
  const std::vector<Points> all = departure(p, 0);
  for (size_t f = 0; f < all.size(); f += 2) every_other.push_back(all[f]);
  EXPECT_LT(apart(departure(walker(), 0), every_other), 0.15);
  EXPECT_NEAR(p.clips[0].at("swing") / walker().clips[0].at("swing"), 1, 0.1);
}

// Its flesh belongs to the character, whichever clip is asked for.
TEST_F(SameMotion, OneClipOrAll) {
  const Character c = make_blob();
  const Performance all = perform(c), one = perform(c, {.clip = "1"});
  ASSERT_EQ(all.failure, "");
  ASSERT_EQ(one.failure, "");
  EXPECT_FALSE(all.flesh.empty());
  EXPECT_EQ(all.flesh, one.flesh);
  // Up to how exactly a file with more clips says it.
  EXPECT_LT(apart(departure(one, 1), departure(all, 1)), 0.02);
}

}  // namespace
}  // namespace supple::cast
