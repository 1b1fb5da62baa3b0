// What is held takes nothing from the flesh beside it, in any tets.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <optional>

#include "supple/anim/drawn.h"
#include "tests/cast/cast.h"
#include "tests/cast/performance.h"

namespace supple::cast {

namespace {

constexpr double kBorder = 0.12;  // [m]
using Where = std::function<bool(const Vec3&)>;

// The quadruped's trunk between its legs and its neck, and its legs well below it.
bool in_trunk(const Vec3& x) { return x.y() > 0.5 && x.z() > -0.5 && x.z() < 0.35; }
bool in_legs(const Vec3& x) { return x.y() < 0.3 && x.z() > -0.5; }

// "attach.hold=[...]" of the bones whose heads are there.
std::string named(const std::string& key, const Character& c, const Where& there) {
  std::string list;
  for (const Bone& b : lay_out(c, 1).bones)
    if (there(b.head)) list += (list.empty() ? "\"" : ", \"") + b.name + "\"";
  return key + "=[" + list + "]";
}

// Root mean squares over time of how far each vertex departs.
std::vector<double> swings(const Performance& p, size_t clip) {
  const Shot shot = shot_of(p, clip);
  std::vector<double> out(shot.bind.size(), 0);
  for (size_t v = 0; v < out.size(); ++v) {
    for (size_t f = 0; f < shot.soft.size(); ++f) out[v] += (shot.soft[f][v] - shot.drawn[f][v]).squaredNorm();
    out[v] = std::sqrt(out[v] / static_cast<double>(shot.soft.size()));
  }
  return out;
}

class Confined : public ::testing::Test {
 protected:
  static constexpr size_t kWalk = 1;
  static Performance walk(const std::vector<std::string>& set, const std::string& tets = "preview") {
    Performance p = perform(make_quadruped(), {.clip = "1", .tets = tets, .set = set});
    EXPECT_EQ(p.failure, "");
    return p;
  }
  static void SetUpTestSuite() { free_ = walk({}); }
  static void TearDownTestSuite() { free_.reset(); }
  void SetUp() override { ASSERT_EQ(free_->failure, ""); }

  // How far what goes far in the trunk goes, beside another performance; where neither is held nearby, since what is
  // drawn rises from a border to what it is within.
  static double trunk_beside(const Performance& p, const Performance& other) {
    const Points bind = shot_of(other, kWalk).bind;
    const std::vector<double> now = swings(p, kWalk), before = swings(other, kWalk);
    std::vector<double> there;
    std::vector<char> within(bind.size(), 0);
    for (size_t v = 0; v < bind.size(); ++v) {
      within[v] = in_trunk(bind[v]);
      for (size_t w = 0; w < bind.size() && within[v]; ++w)
        within[v] = now[w] > 0 || before[w] == 0 || (bind[v] - bind[w]).norm() > kBorder;
      if (within[v]) there.push_back(before[v]);
    }
    EXPECT_GT(there.size(), 20u);
    const double far = percentile(there, 99) / 2;
    double sum = 0, all = 0;
    for (size_t v = 0; v < bind.size(); ++v)
      if (within[v] && before[v] > far) sum += now[v] * now[v], all += before[v] * before[v];
    EXPECT_GT(all, 0);
    return std::sqrt(sum / all);
  }
  static double farthest(const Performance& p, const Where& there) {
    const Points bind = shot_of(p, kWalk).bind;
    const std::vector<double> now = swings(p, kWalk);
    double most = 0;
    for (size_t v = 0; v < bind.size(); ++v)
      if (there(bind[v])) most = std::max(most, now[v]);
    return most;
  }
  static std::optional<Performance> free_;
};
std::optional<Performance> Confined::free_;

TEST_F(Confined, LegsThatAreHeldTakeNothingFromTheTrunk) {
  const Character c = make_quadruped();
  const auto legs = [](const Vec3& x) { return std::abs(x.x()) > 0.09 && x.y() < 0.6; };
  const Performance held = walk({named("attach.hold", c, legs)});
  EXPECT_EQ(held.flesh, free_->flesh);
  EXPECT_EQ(farthest(held, in_legs), 0);
  EXPECT_NEAR(trunk_beside(held, *free_), 1, 0.1);
}

TEST_F(Confined, AnAreaAloneMovesAsItDoesInTheWholeBodyAndTheSameInFinalTets) {
  const Character c = make_quadruped();
  const auto trunk = [](const Vec3& x) { return x.x() == 0 && x.y() > 0.6 && x.y() < 0.7 && x.z() > -0.45; };
  const std::string only = named("attach.only", c, trunk);
  const Performance preview = walk({only});
  EXPECT_EQ(preview.flesh, free_->flesh);
  EXPECT_EQ(farthest(preview, in_legs), 0);
  EXPECT_NEAR(trunk_beside(preview, *free_), 1, 0.1);
  // Its walk is near the slowest swing, where coarse and fine tets differ most: 1.20 here, 1.14 without the area.
  EXPECT_NEAR(trunk_beside(walk({only}, "final"), preview), 1, 0.25);
}

}  // namespace
}  // namespace supple::cast
