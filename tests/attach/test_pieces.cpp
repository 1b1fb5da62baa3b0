#include "supple/attach/pieces.h"

#include <gtest/gtest.h>

#include "supple/attach/pattern.h"
#include "supple/attach/piece_names.h"
#include "supple/base/error.h"
#include "tests/attach/hand_made.h"

namespace supple {
namespace {

using namespace hand_made;

const Piece& find(const std::vector<Piece>& pieces, const std::string& name) {
  for (const Piece& piece : pieces) {
    if (piece.name == name) return piece;
  }
  ADD_FAILURE() << "no piece " << name << "\n" << pieces_table(pieces);
  static const Piece none;
  return none;
}

Primitive named(Primitive p, const std::string& material) {
  p.material = material;
  return p;
}

// A body bent by the upper joint, of flat-shaded squares.
Primitive body() { return named(ball({0, 1, 0}, {0.4, 1, 0.4}, 12, true), "skin"); }

std::vector<Piece> pieces_of(const Character& c, const std::vector<PieceRule>& rules = {},
                             std::vector<std::string>* warnings = nullptr) {
  const Drawn drawn = lay_out(c);
  std::vector<std::string> said;
  const std::vector<Piece> pieces = find_pieces(c, drawn, nodding(c, drawn), rules, said);
  if (warnings) *warnings = said;
  return pieces;
}

}  // namespace

TEST(Weld, JoinsSplitVerticesAndNothingElse) {
  Character c = two_joints();
  add_mesh(c, "body", {body()}, by_height);
  const Drawn drawn = lay_out(c, 100);
  std::vector<int> welded;
  const std::vector<char> all(drawn.vertices.rest.size(), 1);
  EXPECT_EQ(weld(drawn, all, welded), 2 + 11 * 24);
  for (int v = 0; v < drawn.n_vertices(); ++v) {
    for (int w = 0; w < v; ++w) {
      const bool same = (drawn.vertices.rest[v] - drawn.vertices.rest[w]).norm() < 1e-9;
      EXPECT_EQ(welded[v] == welded[w], same);
    }
  }
  // Numbers go up by first appearance, and vertices that are not wanted have none.
  std::vector<char> some = all;
  some[0] = 0;
  weld(drawn, some, welded);
  EXPECT_EQ(welded[0], -1);
  EXPECT_EQ(welded[1], 0);
}

TEST(Weld, KeepsPointsApartThatMoveApart) {
  Character c = two_joints();
  add_mesh(c, "a", {sheet({0, 1, 0}, {1, 0, 0}, {0, 0, 1}, 1)}, by_height);
  add_mesh(c, "b", {sheet({0, 1, 0}, {1, 0, 0}, {0, 0, 1}, 1)}, by_height);
  std::vector<int> welded;
  EXPECT_EQ(weld(lay_out(c), std::vector<char>(8, 1), welded), 4);
  // Other weights.
  weigh(c.meshes[1].primitives[0], upper_only);
  EXPECT_EQ(weld(lay_out(c), std::vector<char>(8, 1), welded), 8);
  // The same weights, but one of two lips opens by a morph target.
  weigh(c.meshes[1].primitives[0], by_height);
  MorphTarget open;
  open.positions = {{0, 0.1, 0}, {0, 0.1, 0}, {0, 0, 0}, {0, 0, 0}};
  c.meshes[1].primitives[0].targets = {open};
  EXPECT_EQ(weld(lay_out(c), std::vector<char>(8, 1), welded), 6);
  // A tenth of the tolerance apart, and ten times it.
  c.meshes[1].primitives[0].targets.clear();
  for (double apart : {2e-7, 2e-5}) {
    for (int i = 0; i < 4; ++i) {
      c.meshes[1].primitives[0].positions[i] = c.meshes[0].primitives[0].positions[i] + Vec3(0, 0, apart);
    }
    EXPECT_EQ(weld(lay_out(c), std::vector<char>(8, 1), welded), apart < 1e-6 ? 4 : 8);
  }
}

TEST(Pieces, MaterialsOfOneSurfaceAreJoined) {
  // The top cap of the body has another material.
  Primitive all = body(), rest = all, cap = all;
  rest.triangles.clear();
  cap.triangles.clear();
  for (const Tri& t : all.triangles) {
    const double height = (all.positions[t[0]] + all.positions[t[1]] + all.positions[t[2]])[1] / 3;
    (height > 1.9 ? cap : rest).triangles.push_back(t);
  }
  for (const std::string name : {"spot", "horn"}) {
    Character c = two_joints();
    add_mesh(c, "body", {rest, named(cap, name)}, by_height);
    const std::vector<Piece> pieces = pieces_of(c);
    ASSERT_EQ(pieces.size(), 2u);
    EXPECT_EQ(pieces[0].joined, std::vector<int>{1});
    EXPECT_EQ(pieces[1].joined, std::vector<int>{0});
    EXPECT_EQ(find(pieces, "body/skin").role, Role::soft);
    EXPECT_FALSE(pieces[0].sheet);
    // It moves rigidly in both cases; only a horn is hard.
    EXPECT_LT(pieces[1].rigid_residual, 1e-12);
    EXPECT_EQ(find(pieces, "body/" + name).role, name == "horn" ? Role::rigid : Role::soft);
    EXPECT_EQ(pieces[0].triangles.size() + pieces[1].triangles.size(), all.triangles.size());
  }
}

TEST(Pieces, GuessesWhatSkinnedPiecesAre) {
  Character c = two_joints();
  add_mesh(c, "body", {body()}, by_height);
  add_mesh(c, "LeftEye", {ball({0.1, 1.9, 0.2}, Vec3::Constant(0.05), 6)}, upper_only);
  add_mesh(c, "wart", {ball({-0.2, 1.7, 0.2}, Vec3::Constant(0.05), 6)}, upper_only);
  add_mesh(c, "balloon", {ball({0, 5, 0}, Vec3::Constant(0.05), 6)}, upper_only);
  add_mesh(c, "bib", {sheet({0, 1, 0.42}, {0.1, 0, 0}, {0, 0.2, 0}, 8)}, by_height);
  add_mesh(c, "flag", {sheet({0, 1, 3}, {0.4, 0, 0}, {0, 0.4, 0}, 8)}, by_height);
  const std::vector<Piece> pieces = pieces_of(c);
  EXPECT_EQ(find(pieces, "body/skin").role, Role::soft);
  EXPECT_EQ(find(pieces, "LeftEye").role, Role::rigid);
  EXPECT_EQ(find(pieces, "wart").role, Role::rides);
  EXPECT_TRUE(find(pieces, "wart").hard);
  EXPECT_EQ(find(pieces, "balloon").role, Role::rigid);
  EXPECT_EQ(find(pieces, "bib").role, Role::rides);
  EXPECT_FALSE(find(pieces, "bib").hard);
  EXPECT_TRUE(find(pieces, "bib").sheet);
  EXPECT_EQ(find(pieces, "flag").role, Role::soft);
  for (const Piece& piece : pieces) EXPECT_FALSE(piece.why.empty());
}

TEST(Pieces, ABodyIsNeverGuessedRigid) {
  // Whatever the clip: this one bends nothing.
  Character c = two_joints();
  add_mesh(c, "body", {body()}, upper_only);
  EXPECT_EQ(pieces_of(c)[0].role, Role::soft);
  const Drawn drawn = lay_out(c);
  std::vector<std::string> warnings;
  EXPECT_EQ(find_pieces(c, drawn, {}, {}, warnings)[0].role, Role::soft);
  EXPECT_TRUE(warnings.empty());
}

TEST(Pieces, NodesRideOnFleshOnRidersOrNotAtAll) {
  Character c = two_joints();
  add_mesh(c, "body", {body()}, by_height);
  // Two parts of one node of which one touches; a feather on the hat; something far away; ground that stands still.
  add_mesh(c, "hat", {ball({0, 1.05, 0}, {0.06, 0.1, 0.06}, 8), ball({0, 1.3, 0}, {0.05, 0.1, 0.05}, 8)}, {}, 1);
  add_mesh(c, "feather", {ball({0, 1.5, 0}, {0.02, 0.1, 0.02}, 8)}, {}, 1);
  add_mesh(c, "bird", {ball({0, 4, 0}, Vec3::Constant(0.1), 8)}, {}, 1);
  add_mesh(c, "ground", {sheet({0, 0, 0}, {2, 0, 0}, {0, 0, 2}, 4)}, {});
  const std::vector<Piece> pieces = pieces_of(c);
  for (const std::string name : {"hat 1", "hat 2"}) {
    EXPECT_EQ(find(pieces, name).role, Role::rides) << name;
    EXPECT_TRUE(find(pieces, name).hard);
    EXPECT_EQ(find(pieces, name).on, -1);
  }
  EXPECT_EQ(find(pieces, "feather").role, Role::rides);
  ASSERT_GE(find(pieces, "feather").on, 0);
  EXPECT_EQ(pieces[find(pieces, "feather").on].node, "hat");
  EXPECT_EQ(find(pieces, "bird").role, Role::ignore);
  EXPECT_EQ(find(pieces, "ground").role, Role::ignore);
}

TEST(Pieces, WithoutSkinsLargeBodiesAreSoft) {
  Character c;
  add_mesh(c, "belly", {ball({0, 0.5, 0}, Vec3::Constant(0.5), 8)});
  add_mesh(c, "head", {ball({0, 1.3, 0}, Vec3::Constant(0.35), 8)});
  add_mesh(c, "button", {ball({0, 0.5, 0.5}, Vec3::Constant(0.05), 8)});
  std::vector<Piece> pieces = pieces_of(c);
  EXPECT_EQ(find(pieces, "belly").role, Role::soft);
  EXPECT_EQ(find(pieces, "head").role, Role::soft);
  EXPECT_EQ(find(pieces, "button").role, Role::rides);

  // Morph targets alone make flesh.
  MorphTarget fat;
  for (const Vec3& x : c.meshes[0].primitives[0].positions) fat.positions.push_back(0.1 * x);
  c.meshes[0].primitives[0].targets = {fat};
  pieces = pieces_of(c);
  EXPECT_EQ(find(pieces, "belly").role, Role::soft);
  EXPECT_EQ(find(pieces, "belly").why, "moved by morph targets");
  EXPECT_NE(find(pieces, "head").role, Role::soft);
}

TEST(Pieces, RulesDecideFirst) {
  Character c = two_joints();
  add_mesh(c, "body", {body()}, by_height);
  add_mesh(c, "LeftEye", {named(ball({0.1, 1.9, 0.2}, Vec3::Constant(0.05), 6), "glossy")}, upper_only);
  std::vector<std::string> warnings;
  std::vector<Piece> pieces =
      pieces_of(c, {{"BOD?/*", Role::ignore}, {"glos*", Role::soft}, {"nose", Role::rigid}}, &warnings);
  EXPECT_EQ(find(pieces, "body/skin").role, Role::ignore);
  EXPECT_EQ(find(pieces, "LeftEye/glossy").role, Role::soft);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("\"nose\""), std::string::npos);
  EXPECT_NE(warnings[0].find("body/skin"), std::string::npos);
  // The first of several; one that comes too late is no mistake.
  pieces = pieces_of(c, {{"*", Role::soft}, {"LeftEye", Role::rigid}}, &warnings);
  EXPECT_EQ(find(pieces, "LeftEye/glossy").role, Role::soft);
  EXPECT_TRUE(warnings.empty());
  EXPECT_NE(pieces_table(pieces).find("named by \"*\""), std::string::npos);
}

TEST(Pieces, RolesHaveNames) {
  for (Role role : {Role::soft, Role::rides, Role::rigid, Role::ignore}) {
    EXPECT_EQ(role_from_name(to_string(role)), role);
  }
  try {
    role_from_name("rigit");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(e.advice().find("rigid"), std::string::npos);
  }
}

TEST(Pieces, WordsOfNames) {
  EXPECT_EQ(name_words("LeftEyes_02"), (std::vector<std::string>{"left", "eye"}));
  EXPECT_EQ(name_words("Eyebrow.001"), (std::vector<std::string>{"eyebrow"}));
  EXPECT_EQ(name_words(""), std::vector<std::string>{});
}

TEST(Pattern, StarsAndQuestionMarks) {
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("a*b*c", "aXbXbYc"));
  EXPECT_FALSE(matches("a*b*c", "aXbXbY"));
  EXPECT_TRUE(matches("Ey?", "eye"));
  EXPECT_FALSE(matches("Ey?", "ey"));
  EXPECT_FALSE(matches("", "a"));
  EXPECT_TRUE(matches("**", "a"));
}

}  // namespace supple
