// What hard things become, by bones, shape and contact: on limbs, on the trunk, on tails, in machines.
#include <gtest/gtest.h>

#include <map>

#include "supple/attach/piece_bones.h"
#include "supple/attach/piece_pairs.h"
#include "supple/attach/pieces.h"
#include "supple/attach/planted.h"
#include "supple/attach/riding.h"
#include "tests/attach/hand_made.h"

namespace supple {
namespace {

using namespace hand_made;

enum Joint { hips, chest, head, arm_l, hand_l, arm_r, hand_r, leg_l, leg_r, tail_1, tail_2, tail_3, n_joints };

double ramp(double x, double from, double to) { return std::clamp((x - from) / (to - from), 0.0, 1.0); }

// A figure 2 m high with a torso that bends, a head, arms, legs and a tail, on a skeleton of twelve joints.
class LimbedFigure {
 public:
  LimbedFigure() {
    const std::vector<std::pair<int, Vec3>> joints = {
        {-1, {0, 0.9, 0}},       {hips, {0, 1.3, 0}},     {chest, {0, 1.6, 0}},     {chest, {0.3, 1.4, 0}},
        {arm_l, {0.7, 1.4, 0}},  {chest, {-0.3, 1.4, 0}}, {arm_r, {-0.7, 1.4, 0}},  {hips, {0.15, 0.8, 0}},
        {hips, {-0.15, 0.8, 0}}, {hips, {0, 0.9, -0.3}},  {tail_1, {0, 0.9, -0.6}}, {tail_2, {0, 0.9, -0.9}}};
    Skin skin;
    for (int j = 0; j < n_joints; ++j) {
      const auto& [parent, at] = joints[j];
      add_node(c, parent, at - (parent >= 0 ? joints[parent].second : Vec3::Zero()), "j" + std::to_string(j));
      skin.joints.push_back(j);
      skin.inverse_binds.push_back(Affine(Eigen::Translation3d(-at)));
    }
    c.skins = {skin};
  }

  // A skinned mesh of its own; weights: by joint, of a point at rest.
  void skinned(const std::string& name, Primitive p, const std::function<std::map<int, double>(const Vec3&)>& weights) {
    p.influences = 2;
    for (const Vec3& x : p.positions) {
      std::map<int, double> w = weights(x);
      while (w.size() < 2) w[w.count(hips) ? chest : hips];
      for (const auto& [joint, weight] : w) {
        p.joints.push_back(joint);
        p.weights.push_back(weight);
      }
    }
    add_mesh(c, name, {p});
    c.nodes.back().skin = 0;
  }
  void on(const std::string& name, Primitive p, int joint) {
    skinned(name, std::move(p), [joint](const Vec3&) { return std::map<int, double>{{joint, 1.0}}; });
  }
  // Unskinned, on the node of a joint; places of the primitive are in the bound world.
  void held(const std::string& name, Primitive p, int joint, const Vec3& joint_at) {
    for (Vec3& x : p.positions) x -= joint_at;
    add_mesh(c, name, {p}, {}, joint);
  }

  void add_flesh() {
    skinned("torso", ball({0, 1.15, 0}, {0.3, 0.45, 0.25}, 10), [](const Vec3& x) {
      const double w = ramp(x[1], 0.9, 1.4);
      return std::map<int, double>{{hips, 1 - w}, {chest, w}};
    });
    for (const double side : {1.0, -1.0}) {
      const int arm = side > 0 ? arm_l : arm_r, hand = side > 0 ? hand_l : hand_r;
      skinned(side > 0 ? "left arm" : "right arm", ball({0.55 * side, 1.4, 0}, {0.35, 0.09, 0.09}, 8),
              [=](const Vec3& x) {
                const double w = ramp(side * x[0], 0.6, 0.75);
                return std::map<int, double>{{arm, 1 - w}, {hand, w}};
              });
      skinned(side > 0 ? "left leg" : "right leg", ball({0.15 * side, 0.45, 0}, {0.11, 0.45, 0.11}, 8),
              [=](const Vec3& x) {
                const double w = ramp(x[1], 0.6, 0.85);
                return std::map<int, double>{{side > 0 ? leg_l : leg_r, 1 - w}, {hips, w}};
              });
    }
    skinned("tail", ball({0, 0.9, -0.75}, {0.05, 0.05, 0.55}, 10), [](const Vec3& x) {
      const double at = ramp(-x[2], 0.3, 1.2) * 2.0;
      const int k = std::min(1, static_cast<int>(at));
      return std::map<int, double>{{tail_1 + k, 1 - (at - k)}, {tail_1 + k + 1, at - k}};
    });
    on("skull", ball({0, 1.85, 0}, {0.2, 0.25, 0.2}, 8), head);
  }

  // All joints but the first turn.
  std::vector<Pose> poses() const {
    Clip clip;
    clip.end = 1;
    for (int j = 1; j < n_joints; ++j) {
      Channel channel;
      channel.node = j;
      channel.path = ChannelPath::rotation;
      channel.width = 4;
      channel.times = {0, 1};
      channel.values = {0, 0, 0, 1, std::sin(0.2), 0, 0, std::cos(0.2)};
      clip.channels.push_back(channel);
    }
    std::vector<Pose> result;
    for (const double t : {0.0, 0.5, 1.0}) result.push_back(pose_at(c, drawn, clip, t));
    return result;
  }

  std::vector<Piece> pieces(const std::vector<PieceRule>& rules = {}) {
    drawn = lay_out(c);
    std::vector<std::string> warnings;
    return find_pieces(c, drawn, poses(), rules, warnings);
  }

  Character c;
  Drawn drawn;
};

const Piece& of(const std::vector<Piece>& pieces, const std::string& name) {
  for (const Piece& piece : pieces) {
    if (piece.name == name) return piece;
  }
  ADD_FAILURE() << "no piece " << name << "\n" << pieces_table(pieces);
  static const Piece none;
  return none;
}

// A box, every side with corners of its own, as files with flat shading.
Primitive box(const Vec3& middle, const Vec3& half) {
  Primitive p;
  for (int axis = 0; axis < 3; ++axis) {
    for (const double side : {-1.0, 1.0}) {
      const int first = static_cast<int>(p.positions.size());
      for (const auto& [a, b] : {std::pair{-1.0, -1.0}, {1.0, -1.0}, {1.0, 1.0}, {-1.0, 1.0}}) {
        Vec3 corner;
        corner[axis] = side, corner[(axis + 1) % 3] = a, corner[(axis + 2) % 3] = b;
        p.positions.push_back(middle + half.cwiseProduct(corner));
      }
      const int i = side > 0 ? 1 : 3, k = side > 0 ? 3 : 1;
      p.triangles.push_back({first, first + i, first + 2});
      p.triangles.push_back({first, first + 2, first + k});
    }
  }
  return p;
}

}  // namespace

TEST(Roles, BonesSayWhatIsTrunkLimbAndTail) {
  LimbedFigure f;
  f.add_flesh();
  const std::vector<Piece> pieces = f.pieces();
  const PieceBones bones(f.drawn, pieces);
  for (const int b : {hips, chest}) EXPECT_TRUE(bones.trunk(b)) << b;
  for (const int b : {head, arm_l, hand_l, arm_r, hand_r, leg_l, leg_r}) {
    EXPECT_FALSE(bones.trunk(b)) << b;
    EXPECT_FALSE(bones.tail(b)) << b;
  }
  for (const int b : {tail_1, tail_2, tail_3}) EXPECT_TRUE(bones.tail(b)) << b;
}

TEST(Roles, HardThingsAreAsHardAsWhatCarriesThem) {
  LimbedFigure f;
  f.add_flesh();
  f.on("tooth", ball({0, 1.7, 0.18}, Vec3::Constant(0.03), 6), head);
  f.held("hat", ball({0, 2.1, 0}, {0.2, 0.08, 0.2}, 8), head, {0, 1.6, 0});
  // In the left hand, along the hip: it touches both.
  f.held("sword", box({0.6, 1.2, 0}, {0.32, 0.25, 0.02}), hand_l, {0.7, 1.4, 0});
  f.on("bracer", ball({-0.6, 1.4, 0}, {0.1, 0.11, 0.11}, 8), arm_r);
  f.on("backpack", box({0, 1.25, -0.3}, {0.2, 0.2, 0.1}), chest);
  f.on("buckle", ball({0, 1.0, 0.24}, Vec3::Constant(0.03), 6), hips);
  f.on("bell", ball({0, 0.9, -1.2}, Vec3::Constant(0.05), 6), tail_3);
  f.held("cape", sheet({0, 0.95, -0.27}, {0.25, 0, 0}, {0, 0.4, 0}, 6), chest, {0, 1.3, 0});
  const std::vector<Piece> pieces = f.pieces();
  for (const char* name : {"torso", "left arm", "right arm", "left leg", "right leg", "tail"}) {
    EXPECT_EQ(of(pieces, name).role, Role::soft) << name;
  }
  for (const char* name : {"skull", "tooth", "hat", "sword", "bracer", "backpack"}) {
    EXPECT_EQ(of(pieces, name).role, Role::rigid) << name << "\n" << pieces_table(pieces);
  }
  for (const char* name : {"buckle", "bell", "cape"}) {
    EXPECT_EQ(of(pieces, name).role, Role::rides) << name << "\n" << pieces_table(pieces);
    EXPECT_TRUE(of(pieces, name).hard) << name;
    EXPECT_EQ(of(pieces, name).on, -1) << name;
  }
}

TEST(Roles, WhatAHandHoldsHardensTheHandAlone) {
  LimbedFigure f;
  f.add_flesh();
  f.held("sword", box({0.6, 1.2, 0}, {0.35, 0.25, 0.02}), hand_l, {0.7, 1.4, 0});
  const std::vector<Piece> pieces = f.pieces();
  Points skin;
  std::vector<int> source;
  for (const Piece& piece : pieces) {
    if (piece.role != Role::soft) continue;
    for (const int v : piece.vertices) {
      skin.push_back(f.drawn.vertices.rest[v]);
      source.push_back(v);
    }
  }
  const std::vector<char> beside = skin_beside_rigid(f.drawn, pieces, skin, source, 0.03);
  int hand = 0, near_torso = 0;
  const auto contains = [](const Piece& p, int v) {
    return std::binary_search(p.vertices.begin(), p.vertices.end(), v);
  };
  for (size_t i = 0; i < skin.size(); ++i) {
    const Vec3& x = skin[i];
    const bool touches = std::abs(x[0] - 0.6) < 0.38 && std::abs(x[1] - 1.2) < 0.28 && std::abs(x[2]) < 0.05;
    hand += beside[i] && contains(of(pieces, "left arm"), source[i]);
    near_torso += touches && contains(of(pieces, "torso"), source[i]);
    if (x[1] < 1.5 && contains(of(pieces, "torso"), source[i])) EXPECT_FALSE(beside[i]);
  }
  EXPECT_GT(hand, 0);
  EXPECT_GT(near_torso, 0);
}

TEST(Roles, AMachineIsHard) {
  LimbedFigure f;
  f.on("hull", box({0, 1.15, 0}, {0.3, 0.45, 0.25}), chest);
  f.on("turret", box({0, 1.8, 0}, {0.2, 0.2, 0.2}), head);
  f.on("left claw", box({0.6, 1.4, 0}, {0.3, 0.1, 0.1}), arm_l);
  f.on("right claw", box({-0.6, 1.4, 0}, {0.3, 0.1, 0.1}), arm_r);
  std::vector<Piece> pieces = f.pieces();
  for (const Piece& piece : pieces) EXPECT_EQ(piece.role, Role::rigid) << pieces_table(pieces);
  // A hose that bends makes no flesh of it.
  f.skinned("hose", ball({0.3, 1.4, 0}, {0.25, 0.03, 0.03}, 6), [](const Vec3& x) {
    const double w = ramp(x[0], 0.1, 0.5);
    return std::map<int, double>{{chest, 1 - w}, {arm_l, w}};
  });
  pieces = f.pieces();
  for (const char* name : {"hull", "turret", "left claw", "right claw"}) {
    EXPECT_EQ(of(pieces, name).role, Role::rigid) << name << "\n" << pieces_table(pieces);
  }
  // Who knows better says so.
  pieces = f.pieces({{"hull", Role::soft}});
  EXPECT_EQ(of(pieces, "hull").role, Role::soft);
}

TEST(Roles, PartsOfNodesWithSharpEdgesThatMoveApartAreAMachine) {
  for (const bool sharp : {true, false}) {
    for (const bool turns : {true, false}) {
      Character c;
      const auto part = [&](const Vec3& at) {
        return sharp ? box(at, Vec3::Constant(0.3)) : ball(at, Vec3::Constant(0.3), 8);
      };
      add_mesh(c, "base", {part({0, 0.3, 0})});
      const int arm = add_mesh(c, "arm", {part({0, 0.9, 0})}, {}, 0);
      Clip clip = nod(0.6);
      clip.channels[0].node = arm;
      const Drawn drawn = lay_out(c);
      std::vector<Pose> poses;
      for (const double t : {0.0, 1.0}) poses.push_back(pose_at(c, drawn, turns ? clip : Clip{}, t));
      std::vector<std::string> warnings;
      for (const Piece& piece : find_pieces(c, drawn, poses, {}, warnings)) {
        EXPECT_EQ(piece.role, sharp && turns ? Role::rigid : Role::soft) << piece.name << sharp << turns;
      }
    }
  }
}

TEST(Roles, LeftAndRightAreTreatedAlike) {
  // One pad lies on a little more flesh than holds it, the other, somewhat smaller, on a little less.
  LimbedFigure f;
  f.add_flesh();
  f.on("left pad", box({0.2, 1.25, 0.19}, Vec3(0.083, 0.083, 0.03)), chest);
  f.on("right pad", box({-0.2, 1.25, 0.19}, Vec3(0.08, 0.08, 0.03)), chest);
  const std::vector<Piece> pieces = f.pieces();
  const std::vector<int> other = mirrored_pieces(f.drawn, pieces);
  for (size_t p = 0; p < pieces.size(); ++p) {
    if (other[p] < 0) continue;
    EXPECT_EQ(other[other[p]], static_cast<int>(p));
    EXPECT_EQ(pieces[p].role, pieces[other[p]].role) << pieces_table(pieces);
  }
  EXPECT_EQ(of(pieces, "left pad").role, of(pieces, "right pad").role);
  int paired = 0;
  for (const int o : other) paired += o >= 0;
  EXPECT_EQ(paired, 6);  // arms, legs, pads
}

TEST(Roles, APupilMovesWithItsEyeball) {
  LimbedFigure f;
  f.add_flesh();
  f.on("stud", ball({0, 1.1, 0.24}, Vec3::Constant(0.05), 8), hips);
  f.on("gem", ball({0, 1.1, 0.285}, Vec3::Constant(0.02), 6), hips);
  const std::vector<Piece> pieces = f.pieces();
  ASSERT_EQ(of(pieces, "stud").role, Role::rides) << pieces_table(pieces);
  ASSERT_EQ(of(pieces, "gem").role, Role::rides);
  ASSERT_GE(of(pieces, "gem").on, 0);
  EXPECT_EQ(pieces[of(pieces, "gem").on].name, "stud");
  EXPECT_EQ(of(pieces, "stud").on, -1);
}

TEST(Roles, WhatIsSewnToSomethingHardIsHard) {
  // An eye in two materials, of which the name of one says that it is hard.
  LimbedFigure f;
  f.add_flesh();
  Primitive whole = ball({0, 1.1, 0.24}, Vec3::Constant(0.05), 8), lid = whole, eye = whole;
  lid.triangles.clear(), eye.triangles.clear();
  for (const Tri& t : whole.triangles) {
    const double height = (whole.positions[t[0]] + whole.positions[t[1]] + whole.positions[t[2]])[1] / 3;
    (height > 1.1 ? lid : eye).triangles.push_back(t);
  }
  eye.material = "eye";
  for (Primitive* p : {&lid, &eye}) {
    p->influences = 2;
    for (size_t i = 0; i < p->positions.size(); ++i) {
      p->joints.insert(p->joints.end(), {hips, chest});
      p->weights.insert(p->weights.end(), {1, 0});
    }
  }
  add_mesh(f.c, "orb", {lid, eye});
  f.c.nodes.back().skin = 0;
  const std::vector<Piece> pieces = f.pieces();
  EXPECT_EQ(of(pieces, "orb/eye").role, Role::rigid);
  EXPECT_EQ(of(pieces, "orb").role, Role::rigid) << pieces_table(pieces);
}

// Cloth over a torso, as a skirt that reaches the floor and a collar that reaches the skull.
TEST(Roles, ClothStaysWhereItMeetsWhatIsSolid) {
  LimbedFigure f;
  f.add_flesh();
  f.skinned("collar", sheet({0, 1.55, 0.2}, {0.1, 0, 0}, {0, 0.16, -0.03}, 8), [](const Vec3& x) {
    const double w = ramp(x[1], 1.5, 1.6);
    return std::map<int, double>{{chest, 1 - w}, {head, w}};
  });
  std::vector<Piece> pieces = f.pieces({{"collar", Role::rides}});
  for (Piece& piece : pieces) {
    if (piece.name == "collar") piece.hard = false;
  }
  TriMesh skin;
  std::vector<int> source;
  const Piece& torso = of(pieces, "torso");
  std::map<int, int> number;
  for (const int v : torso.vertices) {
    number[v] = static_cast<int>(source.size());
    source.push_back(v);
    skin.vertices.push_back(f.drawn.vertices.rest[v]);
  }
  for (const int t : torso.triangles) {
    const Tri& tri = f.drawn.triangles[t];
    skin.triangles.push_back({number[tri[0]], number[tri[1]], number[tri[2]]});
  }
  const Vec3 shift(0.05, 0, 0.02);
  const auto moved = [&] {
    const Riding riding(f.drawn, pieces, skin, source);
    Points d(f.drawn.vertices.rest.size(), Vec3::Zero());
    for (const int v : source) d[v] = shift;
    riding.apply(f.drawn.vertices.rest, d);
    return d;
  };
  Points d = moved();
  for (const int v : of(pieces, "collar").vertices) {
    const double y = f.drawn.vertices.rest[v][1];
    if (y > 1.68) EXPECT_LT(d[v].norm(), 0.1 * shift.norm());
    if (y < 1.43) EXPECT_GT(d[v].norm(), 0.9 * shift.norm());
  }
  // Where it stands on the floor it stays to the bit, and moves freely away from there.
  for (Piece& piece : pieces) {
    if (piece.name != "collar") continue;
    for (const int v : piece.vertices) {
      if (f.drawn.vertices.rest[v][1] < 1.4) piece.planted.push_back(v);
    }
    ASSERT_FALSE(piece.planted.empty());
  }
  d = moved();
  double most = 0;
  for (const int v : of(pieces, "collar").planted) EXPECT_EQ(d[v], Vec3(0, 0, 0));
  for (const int v : of(pieces, "collar").vertices) most = std::max(most, d[v].norm());
  EXPECT_GT(most, 0.5 * shift.norm());
}

}  // namespace supple
