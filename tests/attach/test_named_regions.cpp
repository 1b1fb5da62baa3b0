#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "supple/attach/named_regions.h"
#include "supple/base/error.h"
#include "supple/mesh/sides.h"
#include "tests/attach/flesh_body.h"

namespace supple {
namespace {

// Every vertex of the skin is drawn once, in the same order.
std::vector<int> each_its_own(const TriMesh& skin) {
  std::vector<int> source(skin.vertices.size());
  std::iota(source.begin(), source.end(), 0);
  return source;
}

TEST(Sides, NamesChangeLeftAndRight) {
  const std::pair<const char*, const char*> pairs[] = {
      {"ear.L", "ear.R"},           {"LeftArm", "RightArm"},     {"mixamorig:LeftUpLeg", "mixamorig:RightUpLeg"},
      {"b_L_leg_02", "b_R_leg_02"}, {"thigh_l", "thigh_r"},      {"LThumb", "RThumb"},
      {"HandL", "HandR"},           {"LEFT_FOOT", "RIGHT_FOOT"}, {"Ear*.L", "Ear*.R"}};
  for (const auto& [left, right] : pairs) {
    EXPECT_EQ(other_side(left), right);
    EXPECT_EQ(other_side(right), left);
  }
  for (const char* name : {"Spine", "Hair", "Collar", "Leg", "Tail", "", "belly"}) EXPECT_EQ(other_side(name), name);
}

TEST(Sides, PointsHaveTheirImageOnTheOtherSideOfTheMostAlikeAxis) {
  // Alike across x, not across z: a row that widens to the front.
  Points points;
  for (int i = 0; i < 6; ++i)
    for (const double side : {-1.0, 1.0}) points.push_back({side * (1 + i), 0.1 * i, 1.0 * i * i});
  const std::vector<int> images = mirrored_points(points, {0, 1, 0});
  for (int i = 0; i < static_cast<int>(points.size()); ++i) EXPECT_EQ(images[i], i % 2 == 0 ? i + 1 : i - 1);
}

TEST(NamedRegions, BonesTakeTheSkinThatIsMostlyTheirs) {
  const test::Body body = test::capsule_body(0.2, 1.2, 0.08, {0, 0.6});
  const std::string upper = body.drawn.bones[1].name;
  const std::vector<int> source = each_its_own(body.skin);
  RegionRule rule;
  rule.name = "top", rule.bones = {upper};
  const auto named = regions_on_skin({rule}, body.drawn, body.skin, source, {0, 1, 0});
  ASSERT_EQ(named.size(), 1u);
  const SkinWeights& w = body.drawn.vertices.skin;
  for (size_t i = 0; i < source.size(); ++i) {
    double share = 0;
    for (int k = w.first[i]; k < w.first[i + 1]; ++k)
      if (w.bone[k] == 1) share += w.weight[k];
    EXPECT_EQ(named[0].on_skin[i] != 0, share >= 0.5) << i;
  }

  // The flesh below it, and only soft tets.
  Flesh flesh = find_flesh(body.input());
  const std::vector<int> before = flesh.region;
  put_regions(named, body.cage, body.skin, flesh);
  EXPECT_EQ(flesh.regions.back().name, "top");
  EXPECT_GT(flesh.regions.back().n_free, 0);
  const int index = static_cast<int>(flesh.regions.size()) - 1;
  for (size_t t = 0; t < before.size(); ++t) {
    EXPECT_EQ(before[t] < 0, flesh.region[t] < 0);
    double height = 0;
    for (int v : body.cage.tets[t]) height += body.cage.vertices[v][1] / 4;
    if (flesh.region[t] == index) {
      EXPECT_GT(height, 0.15);
    }
    if (before[t] >= 0 && height > 0.6) {
      EXPECT_EQ(flesh.region[t], index);
    }
  }
}

TEST(NamedRegions, MapsAndMirrorImages) {
  const test::Body body = test::capsule_body(0.2, 1.2, 0.1, {0, 0.6});
  const std::vector<int> source = each_its_own(body.skin);
  RegionRule rule;
  rule.name = "side";
  for (const Vec3& x : body.skin.vertices) rule.map.push_back(x[0] > 0.08 ? 1 : 0);
  RegionRule other = rule;
  other.name = "other", other.mirrored = true;
  const auto named = regions_on_skin({rule, other}, body.drawn, body.skin, source, {0, 1, 0});
  int on = 0;
  for (size_t i = 0; i < source.size(); ++i) {
    const Vec3& x = body.skin.vertices[i];
    on += named[0].on_skin[i];
    if (std::abs(std::abs(x[0]) - 0.08) < 1e-6) continue;  // its image may be on either side of the line
    if (named[1].on_skin[i] != 0) {
      EXPECT_TRUE(x[0] < 0.08) << x.transpose();
    }
  }
  EXPECT_GT(on, 10);
  EXPECT_NEAR(std::count(named[1].on_skin.begin(), named[1].on_skin.end(), 1), on, 0.2 * on);
}

TEST(NamedRegions, WhatMatchesNothingIsRefused) {
  const test::Body body = test::capsule_body(0.2, 1.2, 0.1, {0, 0.6});
  const std::vector<int> source = each_its_own(body.skin);
  RegionRule rule;
  rule.name = "x";
  const auto found = [&] { return regions_on_skin({rule}, body.drawn, body.skin, source, {0, 1, 0}); };
  rule.bones = {"nobody"};
  EXPECT_THROW(found(), InputError);
  rule.bones.clear(), rule.map.assign(source.size(), 0);
  EXPECT_THROW(found(), InputError);
}

// The same flesh in tets of another size: as much of it is soft, and what must be hard is.
TEST(CarryFlesh, ACoarseCageIsSoftWhereTheFineOneIs) {
  const test::Body fine = test::capsule_body(0.25, 1.5, 0.05, {0, 0.7});
  const test::Body coarse = test::capsule_body(0.25, 1.5, 0.1, {0, 0.7});
  FleshOptions options;
  options.painted.assign(fine.skin.vertices.size(), 1.0);
  for (size_t i = 0; i < options.painted.size(); ++i)
    if (fine.skin.vertices[i][1] < 0.3) options.painted[i] = 0;
  const Flesh from = find_flesh(fine.input(), options);
  ASSERT_EQ(from.hard_skin.size(), fine.skin.vertices.size());
  const Flesh to = carry_flesh(coarse.input(), from, fine.cage);
  const auto soft_volume = [](const TetMesh& cage, const Flesh& f) {
    const std::vector<double> volumes = tet_volumes(cage);
    double sum = 0;
    for (size_t t = 0; t < volumes.size(); ++t)
      for (int v : cage.tets[t]) sum += 0.25 * volumes[t] * f.softness[v];
    return sum;
  };
  EXPECT_NEAR(soft_volume(coarse.cage, to) / soft_volume(fine.cage, from), 1, 0.35);
  EXPECT_EQ(to.regions.size(), from.regions.size());
  for (size_t i = 0; i < to.skin_softness.size(); ++i)
    if (from.hard_skin[i]) {
      EXPECT_EQ(to.skin_softness[i], 0);
    }
  for (size_t t = 0; t < to.region.size(); ++t) {
    const Tet& tet = coarse.cage.tets[t];
    const bool soft = std::any_of(tet.begin(), tet.end(), [&](int v) { return to.softness[v] > 0; });
    EXPECT_EQ(to.region[t] >= 0, soft);
  }
}

}  // namespace
}  // namespace supple
