// What of the drawn skin the flesh moves, and what its swings are told as shares of.
#include <gtest/gtest.h>

#include <set>

#include "supple/attach/flesh.h"
#include "supple/attach/reach.h"
#include "supple/attach/soft_skin.h"
#include "tests/attach/flesh_body.h"

namespace supple {
namespace {

using namespace test;

Body bust() {
  return body_of_limbs({{"trunk", -1, {0, 0.6, 0}, {0, 1.2, 0}, 0.3},
                        {"neck", 0, {0, 1.2, 0}, {0, 1.5, 0}, 0.12},
                        {"head", 1, {0, 1.6, 0}, {0, 1.7, 0}, 0.15}},
                       0.08);
}

TEST(SoftSkin, IsWhatMovesEachPointByAVertexThatIsFree) {
  const Body b = bust();
  const Flesh flesh = find_flesh(b.input());
  const SoftSkin soft = soft_skin(b.cage, flesh, b.blend);
  ASSERT_GT(soft.skin.size(), 20u);
  ASSERT_EQ(soft.blend.size(), static_cast<int>(soft.skin.size()));
  const std::vector<double> reach = reach_of(b.cage, flesh);
  const std::set<int> is_soft(soft.skin.begin(), soft.skin.end());
  for (int s = 0; s < b.blend.size(); ++s)
    if (flesh.still_skin[static_cast<size_t>(s)]) EXPECT_EQ(is_soft.count(s), 0u);
  for (size_t i = 0; i < soft.skin.size(); ++i) {
    EXPECT_GT(flesh.softness[static_cast<size_t>(soft.carrier[i])], 0);
    bool named = false;
    double largest = 0;
    for (int k = soft.blend.first[i]; k < soft.blend.first[i + 1]; ++k) {
      named = named || soft.blend.vertex[k] == soft.carrier[i];
      largest = std::max(largest, reach[static_cast<size_t>(soft.blend.vertex[k])]);
    }
    EXPECT_TRUE(named);
    EXPECT_GT(soft.reach[i], 0);
    EXPECT_LE(soft.reach[i], largest);
  }
}

// The region that most of the flesh around a carrier is of, by a second count.
TEST(SoftSkin, IsOfTheRegionAroundIt) {
  const Body b = bust();
  const Flesh flesh = find_flesh(b.input());
  const SoftSkin soft = soft_skin(b.cage, flesh, b.blend);
  const std::vector<double> volumes = tet_volumes(b.cage);
  for (size_t i = 0; i < soft.skin.size(); ++i) {
    std::vector<double> around(flesh.regions.size() + 1, 0);
    for (size_t t = 0; t < b.cage.tets.size(); ++t)
      for (int v : b.cage.tets[t])
        if (v == soft.carrier[i] && flesh.region[t] >= 0)
          around[static_cast<size_t>(flesh.region[t])] += std::abs(volumes[t]);
    ASSERT_GE(soft.region[i], 0);
    EXPECT_EQ(around[static_cast<size_t>(soft.region[i])], *std::max_element(around.begin(), around.end()));
  }
}

// Vertices that are nearer to the core than the skin have other reaches, and other tets other vertices: what is said of
// the skin holds for both.
TEST(SoftSkin, HasTheSameReachInOtherTets) {
  const Body fine = bust();
  const Flesh flesh = find_flesh(fine.input());
  const SoftSkin soft = soft_skin(fine.cage, flesh, fine.blend);
  const auto mean = [](const std::vector<double>& list) {
    double sum = 0;
    for (double x : list) sum += x;
    return sum / static_cast<double>(list.size());
  };
  const Body coarse = body_of_limbs({{"trunk", -1, {0, 0.6, 0}, {0, 1.2, 0}, 0.3},
                                     {"neck", 0, {0, 1.2, 0}, {0, 1.5, 0}, 0.12},
                                     {"head", 1, {0, 1.6, 0}, {0, 1.7, 0}, 0.15}},
                                    0.12);
  const SoftSkin other = soft_skin(coarse.cage, carry_flesh(coarse.input(), flesh, fine.cage), coarse.blend);
  EXPECT_NEAR(mean(other.reach) / mean(soft.reach), 1, 0.1);
}

}  // namespace
}  // namespace supple
