// Heads, tails, ears, legs and fingers, told apart by shape alone.
#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "supple/attach/bones.h"
#include "supple/attach/trailing.h"
#include "supple/mesh/rigid_fit.h"
#include "tests/attach/flesh_body.h"

namespace supple {
namespace {

using namespace test;

// A figure of capsules, 2 m high. Each part is carried by the bones along it, from one to the next without a blend.
class Figure {
 public:
  Figure() {
    add("hips", -1, {0, 1, 0}, {0, 1.35, 0}, 0.2);
    add("chest", 0, {0, 1.35, 0}, {0, 1.75, 0}, 0.2);
    add("head", 1, {0, 1.7, 0}, {0, 2, 0}, 0.14);
    chain("tail", 0, {0, 1, -0.2}, {0, 0, -1}, 0.8, 4, 0.03);
    for (const double side : {-1.0, 1.0}) {
      const std::string s = side < 0 ? "L" : "R";
      chain("leg" + s, 0, {0.12 * side, 0.95, 0}, {0, -1, 0}, 0.95, 2, 0.05);
      chain("ear" + s, 2, {0.1 * side, 1.95, 0}, Vec3(side, 0.3, 0).normalized(), 0.3, 1, 0.015);
      const int hand = chain("arm" + s, 1, {0.2 * side, 1.6, 0}, {side, 0, 0}, 0.6, 3, 0.04);
      for (const double z : {-0.03, 0.0, 0.03}) {
        chain("finger" + s, hand, {0.8 * side, 1.6, z}, {side, 0, 0}, 0.1, 1, 0.006);
      }
    }
    draw_.drawn.vertices.rest = draw_.skin.vertices;
  }

  Skeleton skeleton() const { return find_skeleton(draw_.drawn, draw_.skin, source()); }
  BoneKinds kinds(const Skeleton& s) const {
    BoneKinds result;
    ask(s, [&](const BoneKindInput& in) { result = find_bone_kinds(s, in); });
    return result;
  }
  std::vector<int> trailing(const Skeleton& s, const TrailingWishes& wishes = {}) const {
    std::vector<int> result;
    ask(s, [&](const BoneKindInput& in) { result = find_trailing(s, in, find_bone_kinds(s, in), wishes); });
    return result;
  }
  void ask(const Skeleton& s, const std::function<void(const BoneKindInput&)>& what) const {
    BoneKindInput in;
    const std::vector<int> from = source();
    std::vector<double> half;
    for (const BoneShape& b : s.bones) half.push_back(radius_[b.bone]);
    in.drawn = &draw_.drawn;
    in.pieces = &draw_.pieces;
    in.source = &from;
    in.skin = &draw_.skin;
    std::vector<char> planted(draw_.skin.vertices.size(), 0);
    for (size_t i = 0; i < planted.size(); ++i) planted[i] = draw_.skin.vertices[i].z() < planted_behind;
    in.planted = &planted;
    in.half_thickness = &half;
    in.height = 2;
    what(in);
  }
  int bone(const std::string& name) const {
    for (size_t b = 0; b < draw_.drawn.bones.size(); ++b) {
      if (draw_.drawn.bones[b].name == name) return static_cast<int>(b);
    }
    return -1;
  }
  const std::string& name(int b) const { return draw_.drawn.bones[b].name; }
  void move(const std::string& bone_name, const std::string& parent) {
    draw_.drawn.bones[bone(bone_name)].parent = bone(parent);
  }
  double planted_behind = -100;  // skin with a lower z stands on something

 private:
  std::vector<int> source() const {
    std::vector<int> s;
    for (int i = 0; i < draw_.skin.n_vertices(); ++i) s.push_back(i);
    return s;
  }
  int add(const std::string& name, int parent, const Vec3& from, const Vec3& to, double radius) {
    Bone bone;
    bone.name = name;
    bone.parent = parent;
    bone.head = from;
    bone.from_bound.setIdentity();
    draw_.drawn.bones.push_back(bone);
    radius_.push_back(radius);
    const Quat turn = turn_between(Vec3(0, 1, 0), to - from);
    TriMesh part = capsule_skin(radius, std::max((to - from).norm(), 2.01 * radius), 12, 6);
    for (Vec3& x : part.vertices) x = from + turn * x;
    append(draw_.skin, part);
    SkinWeights& w = draw_.drawn.vertices.skin;
    for (int i = 0; i < part.n_vertices(); ++i) {
      w.bone.push_back(static_cast<int>(draw_.drawn.bones.size()) - 1);
      w.weight.push_back(1);
      w.first.push_back(static_cast<int>(w.bone.size()));
    }
    return static_cast<int>(draw_.drawn.bones.size()) - 1;
  }
  // The last bone of the chain.
  int chain(const std::string& name, int parent, Vec3 from, const Vec3& direction, double length, int n,
            double radius) {
    for (int k = 0; k < n; ++k) {
      const Vec3 to = from + length / n * direction;
      parent = add(name + std::to_string(k), parent, from, to, radius);
      from = to;
    }
    return parent;
  }
  Body draw_;
  std::vector<double> radius_;
};

TEST(BoneKinds, EachPartIsKnownByItsShape) {
  const Figure figure;
  const Skeleton s = figure.skeleton();
  const BoneKinds kinds = figure.kinds(s);
  auto at = [&](const std::string& name) { return s.index[figure.bone(name)]; };
  EXPECT_TRUE(kinds.solid[at("head")]);
  EXPECT_FALSE(kinds.solid[at("chest")]);
  EXPECT_FALSE(kinds.solid[at("hips")]);
  EXPECT_EQ(s.bones[at("legL0")].twin, at("legR0"));
  EXPECT_EQ(s.bones[at("armR2")].twin, at("armL2"));
  EXPECT_EQ(s.bones[at("head")].twin, -1);
}

TEST(Trailing, TailsAndEarsDoAndLimbsDoNot) {
  const Figure figure;
  const Skeleton s = figure.skeleton();
  const std::vector<int> part = figure.trailing(s);
  auto at = [&](const std::string& name) { return part[s.index[figure.bone(name)]]; };
  for (const char* name : {"tail0", "tail3", "earL0", "earR0"}) EXPECT_GE(at(name), 0) << name;
  for (const char* name : {"legL0", "legL1", "legR1", "armL0", "armR2", "head", "chest", "hips"}) {
    EXPECT_EQ(at(name), -1) << name;
  }
  int fingers = 0;
  for (size_t b = 0; b < s.bones.size(); ++b) {
    if (figure.name(s.bones[b].bone).rfind("finger", 0) != 0) continue;
    ++fingers;
    EXPECT_EQ(part[b], -1);
  }
  EXPECT_EQ(fingers, 6);
  EXPECT_NE(at("earL0"), at("earR0"));
  EXPECT_EQ(at("tail0"), at("tail3"));
}

TEST(Trailing, ATailToStandOnIsALeg) {
  Figure figure;
  figure.planted_behind = -0.9;
  const Skeleton s = figure.skeleton();
  const std::vector<int> part = figure.trailing(s);
  EXPECT_EQ(part[s.index[figure.bone("tail0")]], -1);
  EXPECT_GE(part[s.index[figure.bone("earL0")]], 0);
}

TEST(Trailing, WhereAPairHangsOnTheMiddleItIsNoFinger) {
  // The same chains, on the head instead of a hand.
  Figure figure;
  figure.move("fingerL0", "head");
  const Skeleton s = figure.skeleton();
  EXPECT_GE(figure.trailing(s)[s.index[figure.bone("fingerL0")]], 0);
}

TEST(Trailing, AnArtistGivesAndTakesIt) {
  const Figure figure;
  const Skeleton s = figure.skeleton();
  auto at = [&](const std::string& name) { return s.index[figure.bone(name)]; };
  // An arm with all below it; of the tail only what hangs on its second bone.
  const std::vector<int> part = figure.trailing(s, {.trail = {at("armL1")}, .hold = {at("tail1")}});
  EXPECT_EQ(part[at("armL0")], -1);
  EXPECT_EQ(part[at("armR1")], -1);
  EXPECT_GE(part[at("armL1")], 0);
  EXPECT_EQ(part[at("fingerL0")], part[at("armL1")]);
  EXPECT_EQ(part[at("tail1")], -1);
  EXPECT_GE(part[at("tail0")], 0);
  EXPECT_GE(part[at("tail2")], 0);
  EXPECT_NE(part[at("tail2")], part[at("tail0")]);
  const std::vector<int> said = figure.trailing(s, {.by_shape = false, .trail = {at("tail2")}});
  for (size_t b = 0; b < said.size(); ++b) EXPECT_EQ(said[b] >= 0, b == static_cast<size_t>(at("tail2")) || b == static_cast<size_t>(at("tail3")));
}

}  // namespace
}  // namespace supple
