// Parts of bodies and words for places on them, told by shape: names of bones mean nothing here.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "supple/attach/body_words.h"
#include "supple/attach/place_names.h"
#include "supple/attach/place_text.h"
#include "supple/base/error.h"
#include "supple/mesh/sides.h"
#include "tests/attach/flesh_body.h"

namespace supple {
namespace {

using namespace test;

// Round limbs, 2 m high, that face along z. arms: degrees that they hang down by from the level.
std::vector<Limb> person(double arms = 0, double legs = 1) {
  const double down = arms * M_PI / 180, hip = 0.95 * legs;
  std::vector<Limb> list = {{"n7", -1, {0, hip, 0}, {0, hip + 0.2, 0}, 0.16},
                            {"n3", 0, {0, hip + 0.2, 0}, {0, hip + 0.5, 0}, 0.17},
                            {"n9", 1, {0, hip + 0.5, 0}, {0, hip + 0.62, 0}, 0.06},
                            {"n1", 2, {0, hip + 0.78, 0.02}, {0, hip + 0.86, 0.02}, 0.13}};
  for (const double side : {1.0, -1.0}) {
    const std::string s = side > 0 ? "x.L" : "x.R";
    const auto n = static_cast<int>(list.size());
    const Vec3 along(side * std::cos(down), -std::sin(down), 0), shoulder(side * 0.24, hip + 0.48, 0);
    list.push_back({"q" + s, 1, shoulder, shoulder + 0.28 * along, 0.05});
    list.push_back({"w" + s, n, shoulder + 0.28 * along, shoulder + 0.53 * along, 0.045});
    list.push_back({"e" + s, n + 1, shoulder + 0.57 * along, shoulder + 0.63 * along, 0.05});
    const Vec3 from(side * 0.1, hip - 0.05, 0);
    list.push_back({"r" + s, 0, from, from - Vec3(0, 0.42 * legs, 0), 0.09});
    list.push_back({"t" + s, n + 3, from - Vec3(0, 0.42 * legs, 0), from - Vec3(0, hip - 0.15, 0), 0.06});
    list.push_back({"y" + s, n + 4, {side * 0.1, 0.05, 0}, {side * 0.1, 0.05, 0.16}, 0.05});
  }
  return list;
}

std::vector<Limb> four_legged() {
  std::vector<Limb> list = {
      {"a", -1, {0, 0.8, -0.5}, {0, 0.8, 0}, 0.2},     {"b", 0, {0, 0.8, 0}, {0, 0.8, 0.5}, 0.2},
      {"c", 1, {0, 0.95, 0.6}, {0, 1.15, 0.75}, 0.08}, {"d", 2, {0, 1.25, 0.82}, {0, 1.22, 1.0}, 0.13},
      {"e", 0, {0, 0.85, -0.72}, {0, 0.7, -1}, 0.03},  {"f", 4, {0, 0.7, -1}, {0, 0.55, -1.25}, 0.03}};
  for (const double side : {1.0, -1.0})
    for (const double z : {-0.5, 0.45}) {
      const auto n = static_cast<int>(list.size());
      list.push_back({"u", z < 0 ? 0 : 1, {side * 0.15, 0.65, z}, {side * 0.15, 0.35, z}, 0.07});
      list.push_back({"v", n, {side * 0.15, 0.35, z}, {side * 0.15, 0.08, z}, 0.05});
      list.push_back({"w", n + 1, {side * 0.15, 0.04, z}, {side * 0.15, 0.04, z + 0.06}, 0.05});
    }
  return list;
}

struct Planned {
  Body body;
  std::vector<int> source;
  BodyPlan plan;
  std::vector<char> skin(const std::string& word) const { return skin_of(*said_word(word), plan); }
  int count(const std::string& word) const {
    const std::vector<char> on = skin(word);
    return static_cast<int>(std::count(on.begin(), on.end(), 1));
  }
  // Every vertex of the word is so.
  void all(const std::string& word, const std::function<bool(const Vec3&)>& so, double share = 1) const {
    const std::vector<char> on = skin(word);
    int n = 0, good = 0;
    for (size_t i = 0; i < on.size(); ++i)
      if (on[i]) ++n, good += so(body.skin.vertices[i]);
    EXPECT_GT(n, 8) << word;
    EXPECT_GE(good, share * n) << word << ": " << good << " of " << n;
  }
};

Planned planned(const std::vector<Limb>& limbs, const Affine& turn = Affine::Identity()) {
  Planned p;
  p.body = body_of_limbs(limbs, 0.1);
  for (Vec3& x : p.body.skin.vertices) x = turn * x;
  for (Vec3& x : p.body.drawn.vertices.rest) x = turn * x;
  for (Bone& b : p.body.drawn.bones) b.head = turn * b.head;
  p.source.resize(p.body.skin.vertices.size());
  std::iota(p.source.begin(), p.source.end(), 0);
  p.plan =
      find_body_plan({.drawn = &p.body.drawn, .pieces = &p.body.pieces, .skin = &p.body.skin, .source = &p.source});
  return p;
}

std::vector<std::string> names(const BodyPlan& plan) {
  std::vector<std::string> list;
  for (const BodyPart& p : plan.parts) list.push_back(p.name());
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

TEST(BodyPlan, APersonHasThePartsOfOne) {
  const Planned p = planned(person());
  EXPECT_EQ(names(p.plan), (std::vector<std::string>{"arm.L", "arm.R", "head", "leg.L", "leg.R", "neck", "trunk"}));
  EXPECT_TRUE(p.plan.upright);
  EXPECT_NEAR(p.plan.front.z(), 1, 1e-6);
  EXPECT_NEAR(p.plan.left.x(), 1, 1e-6);
  p.all("belly", [](const Vec3& x) { return x.z() > 0 && x.y() > 0.8 && x.y() < 1.3 && std::abs(x.x()) < 0.18; });
  p.all("back", [](const Vec3& x) { return x.z() < 0.02 && x.y() > 0.95; });
  p.all("chest", [](const Vec3& x) { return x.z() > 0 && x.y() > 1.15; });
  p.all("breast.L", [](const Vec3& x) { return x.x() > 0; });
  p.all("right breast", [](const Vec3& x) { return x.x() < 0; });
  p.all("thigh.L", [](const Vec3& x) { return x.x() > 0 && x.y() > 0.45 && x.y() < 1; });
  p.all("thighs", [](const Vec3& x) { return x.y() > 0.45 && x.y() < 1; });
  p.all("calves", [](const Vec3& x) { return x.z() < 0.03 && x.y() < 0.5; });
  p.all("feet", [](const Vec3& x) { return x.y() < 0.16; });
  p.all("upper arms", [](const Vec3& x) { return std::abs(x.x()) < 0.56 && x.y() > 1.3; });
  p.all("hand.R", [](const Vec3& x) { return x.x() < -0.7; });
  p.all("buttocks", [](const Vec3& x) { return x.z() < 0.03 && x.y() > 0.7 && x.y() < 1.15; });
  p.all("jowls", [](const Vec3& x) { return x.y() < 1.85 && x.z() > -0.1; });
  EXPECT_EQ(p.count("tail"), 0);
  EXPECT_EQ(p.count("ears"), 0);
  EXPECT_EQ(p.count("forelegs"), 0);
  EXPECT_EQ(p.count("thighs"), p.count("thigh.L") + p.count("thigh.R"));
}

TEST(BodyPlan, ABeastOnFourHasItsBellyBelow) {
  const Planned p = planned(four_legged());
  EXPECT_FALSE(p.plan.upright);
  EXPECT_EQ(names(p.plan),
            (std::vector<std::string>{"foreleg.L", "foreleg.R", "head", "leg.L", "leg.R", "neck", "tail", "trunk"}));
  p.all("belly", [](const Vec3& x) { return x.y() < 0.8; });
  p.all("back", [](const Vec3& x) { return x.y() > 0.8; });
  p.all("tail", [](const Vec3& x) { return x.z() < -0.66; });
  p.all("thighs", [](const Vec3& x) { return x.z() < 0; });
  p.all("forelegs", [](const Vec3& x) { return x.z() > 0.3; });
  p.all("foreleg.L", [](const Vec3& x) { return x.x() > 0; });
}

// The same words mean the same skin on a dwarf, turned around, and one whose file has another front.
TEST(BodyPlan, NeitherSizeNorPlaceNorFacingMatters) {
  for (const auto& limbs : {person(), four_legged()}) {
    const Planned plain = planned(limbs);
    Affine turn = Affine::Identity();
    turn.rotate(Eigen::AngleAxisd(M_PI, Vec3::UnitY()));
    turn.scale(0.03);
    turn.pretranslate(Vec3(4, 0, -7));
    const Planned other = planned(limbs, turn);
    for (const BodyWord& w : body_words())
      for (const int side : {0, 1, -1}) {
        if (side != 0 && w.one[0] == '\0') continue;
        const std::vector<char> a = skin_of({&w, side}, plain.plan), b = skin_of({&w, side}, other.plan);
        int differ = 0;
        for (size_t i = 0; i < a.size(); ++i) differ += a[i] != b[i];
        EXPECT_EQ(differ, 0) << w.word << " " << side;
      }
  }
}

TEST(BodyPlan, ArmsThatHangAreTheArmsThatAreHeldOut) {
  const Planned level = planned(person(0)), low = planned(person(60));
  for (const char* word : {"upper arms", "forearms", "hands", "belly", "thighs"})
    EXPECT_NEAR(low.count(word), level.count(word), 0.1 * level.count(word) + 2) << word;
}

TEST(BodyWords, AreSaidInSeveralWays) {
  const auto said = [](const std::string& text) {
    const auto s = said_word(text);
    return s ? text_of(*s) : "";
  };
  EXPECT_EQ(said("thighs"), "thighs");
  EXPECT_EQ(said("Thigh"), "thighs");
  for (const char* left : {"thigh.L", "left thigh", "Left Thighs", "thigh_left", "thigh-l"})
    EXPECT_EQ(said(left), "thigh.L") << left;
  EXPECT_EQ(said("right love handles"), "flank.R");
  EXPECT_EQ(said("Tummy"), "belly");
  EXPECT_EQ(said("upper arm.R"), "upper arm.R");
  for (const char* none : {"left belly", "thigh2", "bely", "", "L", "mixamorig:Hips"})
    EXPECT_EQ(said(none), "") << none;
}

double overlap(const std::vector<char>& a, const std::vector<char>& b) {
  double both = 0, either = 0;
  for (size_t i = 0; i < a.size(); ++i) both += a[i] && b[i], either += a[i] || b[i];
  return either > 0 ? both / either : 0;
}

// A place that was written down on one body is found again on it, and on bodies of other proportions and poses.
TEST(PlaceText, LandsOnTheSamePlaceOfAnotherBody) {
  const Planned a = planned(person(0)), b = planned(person(50, 0.7));
  for (const char* word : {"belly", "thigh.L", "buttocks", "upper arm.R", "head"}) {
    const std::vector<std::string> text = place_text(a.plan, a.skin(word), a.body.skin);
    EXPECT_FALSE(text.empty()) << word;
    EXPECT_GT(overlap(skin_of_place(a.plan, text, false, {}), a.skin(word)), 0.75) << word;
    EXPECT_GT(overlap(skin_of_place(b.plan, text, false, {}), b.skin(word)), 0.6) << word;
  }
  // Left and right are told apart, and change when they are asked to.
  const std::vector<std::string> left = place_text(a.plan, a.skin("thigh.L"), a.body.skin);
  const std::vector<std::string> breast = place_text(a.plan, a.skin("breast.L"), a.body.skin);
  EXPECT_EQ(overlap(skin_of_place(b.plan, left, false, {}), b.skin("thigh.R")), 0);
  EXPECT_GT(overlap(skin_of_place(b.plan, left, true, {}), b.skin("thigh.R")), 0.6);
  EXPECT_GT(overlap(skin_of_place(b.plan, breast, true, {}), b.skin("breast.R")), 0.5);
  // What a body does not have is nowhere.
  const Planned four = planned(four_legged());
  const std::vector<std::string> arm = place_text(a.plan, a.skin("arms"), a.body.skin);
  const std::vector<char> none = skin_of_place(four.plan, arm, false, {});
  EXPECT_EQ(std::count(none.begin(), none.end(), 1), 0);
  for (const char* bad : {"trunk", "trunk 0000", "trunk 00000000 11111111"})
    EXPECT_THROW(skin_of_place(a.plan, {bad}, false, {}), InputError) << bad;
}

TEST(PlaceNames, RegionsAndBonesComeBeforePairsAndWords) {
  Planned p = planned(person());
  std::vector<char> mine(p.source.size(), 0);
  mine[0] = mine[5] = 1;
  PlaceNames names(p.plan, p.body.drawn, p.source, {{"patch", mine}});
  EXPECT_EQ(names.find("patch"), mine);
  EXPECT_EQ(names.find("PAT*"), mine);
  // rx.L and rx.R are the thighs of this body.
  EXPECT_EQ(names.find("rx"), names.find("rx.?"));
  EXPECT_GT(overlap(names.find("rx"), p.skin("legs")), 0.3);
  EXPECT_EQ(names.find("thighs"), p.skin("thighs"));
  EXPECT_TRUE(names.find("nobody").empty());
  // A bone that is called belly is the belly.
  p.body.drawn.bones[3].name = "belly";
  const PlaceNames own(p.plan, p.body.drawn, p.source, {});
  EXPECT_NE(own.find("belly"), p.skin("belly"));
}

TEST(PlaceNames, WhatIsNotThereIsAnsweredWithTheNearest) {
  const Planned p = planned(person());
  const PlaceNames names(p.plan, p.body.drawn, p.source, {});
  const auto answer = [&](const std::string& name) {
    try {
      names.skin_of(name, {.place = "--only"});
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_NE(answer("bely").find("--only: nothing of the character is called \"bely\""), std::string::npos);
  EXPECT_NE(answer("bely").find("Did you mean belly"), std::string::npos) << answer("bely");
  EXPECT_NE(answer("thihgs").find("thighs"), std::string::npos);
  EXPECT_NE(answer("tail").find("the shape of this body shows no tail"), std::string::npos);
  EXPECT_NE(answer("Zzz*").find("Bones: n7"), std::string::npos) << answer("Zzz*");
  EXPECT_EQ(answer("belly"), "");
}

TEST(PlaceNames, PairsAreCalledByWhatTheyHaveInCommon) {
  EXPECT_EQ(pair_name("ear.L", "ear.R"), "ear");
  EXPECT_EQ(pair_name("LeftUpLeg", "RightUpLeg"), "UpLeg");
  EXPECT_EQ(pair_name("b_LeftLeg01_015", "b_RightLeg01_019"), "b_Leg01");
  EXPECT_EQ(pair_name("mixamorig:LeftArm", "mixamorig:RightArm"), "mixamorig:Arm");
  EXPECT_EQ(pair_name("joint4", "joint9"), "joint");  // PlaceNames tells several such pairs apart
  EXPECT_EQ(pair_name("one", "two"), "one+two");
  EXPECT_EQ(without_side("b_L_leg"), "b_leg");
  EXPECT_EQ(without_side("Spine"), "Spine");
}

}  // namespace
}  // namespace supple
