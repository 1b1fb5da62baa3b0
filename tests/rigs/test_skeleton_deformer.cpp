#include "supple/rigs/skeleton_deformer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <random>

#include "supple/base/error.h"
#include "supple/base/parallel.h"

namespace supple {
namespace {

using BeastRandom = std::mt19937;

double beast_draw(BeastRandom& random, double low = -1, double high = 1) {
  return low + (high - low) * std::uniform_real_distribution<double>(0, 1)(random);
}
Vec3 beast_draw3(BeastRandom& random) { return {beast_draw(random), beast_draw(random), beast_draw(random)}; }

int add_beast_node(Character& c, int parent, const std::string& name, const Placement& local) {
  Node node;
  node.name = name;
  node.parent = parent;
  node.local = local;
  const int index = static_cast<int>(c.nodes.size());
  if (parent >= 0) c.nodes[parent].children.push_back(index);
  c.nodes.push_back(node);
  c.shown.push_back(1);
  return index;
}

Placement some_placement(BeastRandom& random, double scale) {
  Placement p;
  p.translation = 0.6 * beast_draw3(random);
  p.rotation = Quat(Eigen::AngleAxisd(0.8 * beast_draw(random), beast_draw3(random).normalized()));
  for (int a = 0; a < 3; ++a) p.scale[a] = scale * (1 + 0.3 * beast_draw(random));
  return p;
}

Channel some_channel(BeastRandom& random, int node, ChannelPath path, const std::vector<double>& about, double size) {
  Channel channel;
  channel.node = node;
  channel.path = path;
  channel.width = static_cast<int>(about.size());
  for (int k = 0; k <= 8; ++k) {
    channel.times.push_back(0.125 * k);
    for (double v : about) channel.values.push_back(v + size * beast_draw(random));
  }
  return channel;
}

// Armature (size 2, turned) - Hips - Tail1 - ... - Tail5, a node with a matrix between Tail2 and Tail3, a skin with
// four weights a vertex that has two morph targets, a prop on Tail4, and a clip that moves all of it.
struct Beast {
  std::shared_ptr<Character> character = std::make_shared<Character>();
  std::shared_ptr<Drawn> drawn;
  std::vector<int> tail;
  int armature = -1, hips = -1, between = -1, body = -1, prop = -1;

  // bent: at rest the tail is not as it was bound.
  explicit Beast(bool bent = false) {
    BeastRandom random(3);
    Character& c = *character;
    c.file = "beast.glb";
    armature = add_beast_node(c, -1, "Armature", some_placement(random, 2));
    hips = add_beast_node(c, armature, "Hips", some_placement(random, 1));
    int parent = hips;
    for (int k = 1; k <= 5; ++k) {
      parent = add_beast_node(c, parent, "Tail" + std::to_string(k), some_placement(random, 1));
      tail.push_back(parent);
      if (k != 2) continue;
      parent = between = add_beast_node(c, parent, "Between", {});
      c.nodes[between].matrix = some_placement(random, 1).matrix();
    }
    body = add_beast_node(c, armature, "Body", {});
    prop = add_beast_node(c, tail[3], "Big bow", some_placement(random, 1));

    Skin skin;
    skin.joints = {hips, tail[0], tail[1], tail[2], tail[3], tail[4]};
    const std::vector<Affine> worlds = node_matrices(c);
    for (int j : skin.joints) skin.inverse_binds.push_back(worlds[j].inverse());
    c.skins.push_back(skin);
    for (int j : tail) {
      if (!bent) break;
      Placement& p = c.nodes[j].local;
      p.rotation = p.rotation * Quat(Eigen::AngleAxisd(0.3, Vec3(0.1, 1, 0.4).normalized()));
      p.translation += Vec3(0.02, 0, -0.03);
      p.scale.y() *= 1.1;
    }
    Primitive flesh = cloud(random, 40);
    flesh.influences = 4;
    for (size_t i = 0; i < flesh.positions.size(); ++i) {
      double sum = 0;
      std::vector<double> w(4);
      for (double& x : w) sum += x = beast_draw(random, 0, 1);
      for (double x : w) {
        flesh.joints.push_back(static_cast<int>(random() % skin.joints.size()));
        flesh.weights.push_back(x / sum);
      }
    }
    for (const char* name : {"Smile", "Big frown"}) {
      MorphTarget target;
      target.name = name;
      for (size_t i = 0; i < flesh.positions.size(); ++i)
        target.positions.push_back(i % 3 == 0 ? Vec3(0.3 * beast_draw3(random)) : Vec3(Vec3::Zero()));
      flesh.targets.push_back(target);
    }
    c.meshes.push_back({"flesh", {flesh}, {0.2, 0.0}});
    c.meshes.push_back({"bow", {cloud(random, 6)}, {}});
    c.nodes[body].mesh = 0, c.nodes[body].skin = 0;
    c.nodes[prop].mesh = 1;

    Clip clip;
    clip.name = "wag";
    clip.end = 1;
    std::vector<int> moved = tail;
    moved.push_back(hips);
    for (int n : moved) {
      const Placement& p = c.nodes[n].local;
      const Quat& q = p.rotation;
      clip.channels.push_back(some_channel(random, n, ChannelPath::rotation, {q.x(), q.y(), q.z(), q.w()}, 0.4));
      clip.channels.push_back(some_channel(random, n, ChannelPath::translation,
                                           {p.translation.x(), p.translation.y(), p.translation.z()}, 0.1));
      clip.channels.push_back(
          some_channel(random, n, ChannelPath::scale, {p.scale.x(), p.scale.y(), p.scale.z()}, 0.1));
    }
    clip.channels.push_back(some_channel(random, body, ChannelPath::weights, {0.3, 0.5}, 0.3));
    c.clips.push_back(clip);
    drawn = std::make_shared<Drawn>(lay_out(c, 0.5));
  }

  static Primitive cloud(BeastRandom& random, int n) {
    Primitive p;
    for (int i = 0; i < n; ++i) p.positions.push_back(beast_draw3(random));
    for (int i = 0; i + 2 < n; ++i) p.triangles.push_back({i, i + 1, i + 2});
    return p;
  }

  // The whole tail but Tail4, the hips turned and moved, one morph target.
  SkeletonSpec spec(RotationParameters rotations = RotationParameters::exponential) const {
    SkeletonSpec s;
    s.rotations = rotations;
    s.joints = {{tail[4], true, true, true},
                {tail[0], true, false, false},
                {hips, true, true, false},
                {tail[1], true, true, true},
                {tail[2], false, false, true}};
    s.morphs = {{body, 1}};
    s.clip = character->clips[0];
    s.start = 0.125;
    s.fps = 24;
    s.frames = 20;
    return s;
  }
  SkeletonDeformer deformer(RotationParameters rotations = RotationParameters::exponential) const {
    return SkeletonDeformer(character, drawn, spec(rotations));
  }
  VecX rest() const { return flatten(drawn->vertices.rest); }
};

std::vector<int> all_parameters(const Deformer& deformer) {
  std::vector<int> which(deformer.parameters().size());
  std::iota(which.begin(), which.end(), 0);
  return which;
}
VecX rest_parameters(const Deformer& deformer) {
  VecX p(static_cast<Eigen::Index>(deformer.parameters().size()));
  for (Eigen::Index a = 0; a < p.size(); ++a) p[a] = deformer.parameters()[static_cast<size_t>(a)].rest;
  return p;
}
VecX beast_applied(const Deformer& deformer, const VecX& p, double t, VecX x) {
  deformer.apply(p, t, x);
  return x;
}
VecX beast_vector(BeastRandom& random, Eigen::Index n) {
  VecX v(n);
  for (double& x : v) x = beast_draw(random);
  return v;
}

constexpr RotationParameters kBothRotations[] = {RotationParameters::exponential, RotationParameters::euler};

TEST(SkeletonDeformer, RestParametersAreTheRestPose) {
  const Beast beast;
  SkeletonSpec spec = beast.spec();
  spec.clip = {};
  const SkeletonDeformer deformer(beast.character, beast.drawn, spec);
  const Points rest = posed(beast.drawn->vertices, rest_pose(*beast.character, *beast.drawn));
  EXPECT_LT((beast_applied(deformer, rest_parameters(deformer), 3.0, beast.rest()) - flatten(rest)).norm(), 1e-12);
  EXPECT_LT((deformer.keyed(0.7) - rest_parameters(deformer)).norm(), 1e-12);
}

// A file may rest in another pose than that of its skin: without stress is the latter.
TEST(SkeletonDeformer, WithoutStressIsTheBoundPose) {
  const Beast beast(true);
  for (RotationParameters rotations : kBothRotations) {
    SkeletonSpec spec;
    spec.rotations = rotations;
    for (int node : beast.tail) spec.joints.push_back({node, true, true, true});
    spec.morphs = {{beast.body, 0}, {beast.body, 1}};
    const SkeletonDeformer deformer(beast.character, beast.drawn, spec);
    const VecX p = rest_parameters(deformer);
    EXPECT_GT(p.head<3>().norm(), 0.1);
    // All follow the hips as one.
    const Pose pose = rest_pose(*beast.character, *beast.drawn);
    Points follow = beast.drawn->vertices.rest;
    ASSERT_EQ(beast.drawn->bones[0].node, beast.hips);
    for (Vec3& x : follow) x = pose.bones[0] * x;
    EXPECT_LT((beast_applied(deformer, p, 0, beast.rest()) - flatten(follow)).norm(), 1e-12);
    EXPECT_GT((beast_applied(deformer, 0 * p, 0, beast.rest()) - flatten(follow)).norm(), 0.1);
    EXPECT_NEAR(deformer.keys(p).morphs[0], 0, 1e-15);
  }
}

TEST(SkeletonDeformer, WhatIsKeyedIsTheClipAtItsFrames) {
  const Beast beast;
  for (RotationParameters rotations : kBothRotations) {
    const SkeletonDeformer deformer = beast.deformer(rotations);
    const SkeletonSpec& spec = deformer.spec();
    double moved = 0;
    for (int k = 0; k < spec.frames; ++k) {
      const double t = k / spec.fps;
      const VecX clip =
          flatten(posed(beast.drawn->vertices, pose_at(*beast.character, *beast.drawn, spec.clip, spec.start + t)));
      const VecX keyed = deformer.keyed(t);
      EXPECT_LT((beast_applied(deformer, keyed, t, beast.rest()) - clip).cwiseAbs().maxCoeff(), 1e-12) << k;
      moved = std::max(moved, (keyed - rest_parameters(deformer)).cwiseAbs().maxCoeff());

      const std::vector<Placement> places = node_placements(*beast.character, spec.clip, spec.start + t);
      const std::vector<Placement> ours = deformer.placements(keyed, t);
      ASSERT_EQ(ours.size(), places.size());
      for (size_t n = 0; n < places.size(); ++n)
        EXPECT_LT((ours[n].matrix().matrix() - places[n].matrix().matrix()).norm(), 1e-12) << n;
      const SkeletonDeformer::Keys keys = deformer.keys(keyed);
      ASSERT_EQ(keys.joints.size(), spec.joints.size());
      const Placement &tail5 = places[beast.tail[4]], &tail1 = places[beast.tail[0]];
      EXPECT_LT((keys.joints[0].matrix().matrix() - tail5.matrix().matrix()).norm(), 1e-12);
      EXPECT_LT(keys.joints[1].rotation.angularDistance(tail1.rotation), 1e-7);
      EXPECT_EQ(keys.joints[1].translation, beast.character->nodes[beast.tail[0]].local.translation);
      const Pose pose = pose_at(*beast.character, *beast.drawn, spec.clip, spec.start + t);
      ASSERT_EQ(keys.morphs.size(), 1u);
      EXPECT_NEAR(keys.morphs[0], pose.morphs[1], 1e-14);
    }
    EXPECT_GT(moved, 0.3);
  }
}

TEST(SkeletonDeformer, ParametersAreInMetresOfTheWorld) {
  const Beast beast;
  SkeletonSpec spec;
  spec.joints = {{beast.hips, false, true, false}};
  const SkeletonDeformer deformer(beast.character, beast.drawn, spec);
  // The armature is stretched unevenly: the volume of a unit box of translations is a cubic metre all the same.
  const MatX J = deformer.columns(VecX::Zero(3), 0, beast.rest(), {0, 1, 2});
  EXPECT_NEAR(std::abs(Mat3(J.topRows<3>()).determinant()), 1, 1e-9);
  EXPECT_EQ(deformer.parameters()[1].name, "Hips.translation.y");
  EXPECT_EQ(deformer.parameters()[1].quantity, Quantity::length);
}

TEST(SkeletonDeformer, FirstDerivatives) {
  const Beast beast;
  BeastRandom random(5);
  for (RotationParameters rotations : kBothRotations) {
    const SkeletonDeformer deformer = beast.deformer(rotations);
    const double t = 0.31;
    VecX p = deformer.keyed(t);
    p += 0.4 * beast_vector(random, p.size());
    p[7] = 0;  // a joint without thickness: nothing may be divided by
    ASSERT_EQ(deformer.parameters()[7].name, "Tail5.scale.y");
    const VecX x = beast.rest() + 0.05 * beast_vector(random, beast.rest().size());
    const MatX J = deformer.columns(p, t, x, all_parameters(deformer));
    const double h = 1e-5;
    for (Eigen::Index a = 0; a < p.size(); ++a) {
      VecX low = p, high = p;
      low[a] -= h, high[a] += h;
      const VecX slope = (beast_applied(deformer, high, t, x) - beast_applied(deformer, low, t, x)) / (2 * h);
      EXPECT_GT(slope.norm(), 1e-2) << a;
      EXPECT_LT((J.col(a) - slope).norm(), 1e-8 * slope.norm()) << deformer.parameters()[static_cast<size_t>(a)].name;
    }
    // Some only, in any order.
    const MatX some = deformer.columns(p, t, x, {17, 2, 9});
    EXPECT_EQ(some.col(0), J.col(17));
    EXPECT_EQ(some.col(1), J.col(2));
    EXPECT_EQ(some.col(2), J.col(9));
  }
}

TEST(SkeletonDeformer, SecondDerivatives) {
  const Beast beast;
  BeastRandom random(6);
  for (RotationParameters rotations : kBothRotations) {
    const SkeletonDeformer deformer = beast.deformer(rotations);
    const double t = 0.31, h = 1e-5;
    VecX p = deformer.keyed(t);
    p += 0.4 * beast_vector(random, p.size());
    const VecX x = beast.rest(), f = beast_vector(random, x.size());
    const std::vector<int> all = all_parameters(deformer);
    const MatX H = deformer.curvature(p, t, x, all, f);
    EXPECT_EQ(H, MatX(H.transpose()));
    MatX differences(p.size(), p.size());
    for (Eigen::Index a = 0; a < p.size(); ++a) {
      VecX low = p, high = p;
      low[a] -= h, high[a] += h;
      differences.col(a) =
          (deformer.columns(high, t, x, all) - deformer.columns(low, t, x, all)).transpose() * f / (2 * h);
    }
    // Rotations below rotations, scales, translations and the morph target all meet; but nothing turns the translation
    // of the hips.
    for (Eigen::Index a = 0; a < p.size(); ++a) {
      const bool hips = a >= 15 && a < 18;
      EXPECT_GT(differences.col(a).cwiseAbs().maxCoeff(), hips ? -1 : 1e-2) << a;
    }
    EXPECT_LT((H - differences).cwiseAbs().maxCoeff(), 1e-8 * differences.cwiseAbs().maxCoeff());
    const MatX some = deformer.curvature(p, t, x, {18, 0, 10}, f);
    EXPECT_NEAR(some(0, 1), H(18, 0), 1e-12);
    EXPECT_NEAR(some(2, 1), H(10, 0), 1e-12);
    EXPECT_NEAR(some(2, 2), H(10, 10), 1e-12);
  }
}

TEST(SkeletonDeformer, TangentsOfWhatComesIn) {
  const Beast beast;
  BeastRandom random(7);
  const SkeletonDeformer deformer = beast.deformer();
  const double t = 0.2;
  const VecX p = deformer.keyed(t) + 0.3 * beast_vector(random, deformer.keyed(t).size());
  const VecX x = beast.rest(), f = beast_vector(random, x.size());
  MatX d(x.size(), 2);
  d.col(0) = beast_vector(random, x.size());
  d.col(1).setZero();
  d.col(1).segment<3>(12) = beast_draw3(random);
  MatX pushed = d;
  deformer.push(p, t, pushed);
  const std::vector<int> all = all_parameters(deformer);
  const MatX mixed = deformer.mixed(p, t, all, d, f);
  for (int c = 0; c < 2; ++c) {
    // Everything is affine in what comes in, so that plain differences are exact.
    const VecX moved = x + d.col(c);
    EXPECT_LT((pushed.col(c) - (beast_applied(deformer, p, t, moved) - beast_applied(deformer, p, t, x))).norm(),
              1e-12);
    EXPECT_NEAR(f.dot(pushed.col(c)), deformer.pull(p, t, f).dot(d.col(c)), 1e-11);
    const VecX change = (deformer.columns(p, t, moved, all) - deformer.columns(p, t, x, all)).transpose() * f;
    EXPECT_GT(change.norm(), 1e-2);
    EXPECT_LT((mixed.col(c) - change).norm(), 1e-11);
  }
}

TEST(SkeletonDeformer, ForSomePoints) {
  const Beast beast;
  BeastRandom random(8);
  const SkeletonDeformer deformer = beast.deformer();
  const std::vector<int> points = {41, 3, 0, 12, 3, 27}, again = {5, 2, 1};
  const VecX p = deformer.keyed(0.3) + 0.2 * beast_vector(random, deformer.keyed(0).size());
  const VecX x = beast.rest(), y = beast_applied(deformer, p, 0.3, x);
  const std::vector<int> all = all_parameters(deformer);
  const MatX J = deformer.columns(p, 0.3, x, all);
  const auto pick = [](const MatX& rows, const std::vector<int>& of) {
    MatX some(3 * static_cast<Eigen::Index>(of.size()), rows.cols());
    for (size_t i = 0; i < of.size(); ++i)
      some.middleRows<3>(3 * static_cast<Eigen::Index>(i)) = rows.middleRows<3>(3 * of[i]);
    return some;
  };
  const auto some = deformer.for_points(points);
  ASSERT_EQ(some->n_points(), 6);
  EXPECT_EQ(MatX(beast_applied(*some, p, 0.3, pick(x, points))), pick(y, points));
  EXPECT_EQ(some->columns(p, 0.3, pick(x, points), all), pick(J, points));
  // Forces on these points alone curve as much.
  VecX f = VecX::Zero(x.size()), few = VecX::Zero(18);
  few.segment<3>(3) = Vec3(1, -2, 0.5), f.segment<3>(9) = Vec3(1, -2, 0.5);
  EXPECT_LT((some->curvature(p, 0.3, pick(x, points), all, few) - deformer.curvature(p, 0.3, x, all, f)).norm(), 1e-12);
  const auto fewer = some->for_points(again);
  EXPECT_EQ(MatX(beast_applied(*fewer, p, 0.3, pick(x, {27, 0, 3}))), pick(y, {27, 0, 3}));
}

// A straight chain: turning every joint by the same angle bends it along a regular polygon.
TEST(SkeletonDeformer, AChainBendsAlongAPolygon) {
  auto character = std::make_shared<Character>();
  int parent = -1;
  Skin skin;
  for (int k = 0; k < 5; ++k) {
    Placement p;
    p.translation = k == 0 ? Vec3(0, 0, 0) : Vec3(1, 0, 0);
    parent = add_beast_node(*character, parent, "Tail" + std::to_string(k), p);
    skin.joints.push_back(parent);
    skin.inverse_binds.push_back(Affine(Eigen::Translation3d(-k, 0, 0)));
  }
  Primitive tip;
  tip.positions = {{5, 0, 0}, {5, 1, 0}, {5, 0, 1}};
  tip.triangles = {{0, 1, 2}};
  tip.influences = 1;
  tip.joints = {4, 4, 4};
  tip.weights = {1, 1, 1};
  character->skins.push_back(skin);
  character->meshes.push_back({"tip", {tip}, {}});
  const int node = add_beast_node(*character, -1, "Tip", {});
  character->nodes[node].mesh = 0, character->nodes[node].skin = 0;
  const auto drawn = std::make_shared<Drawn>(lay_out(*character));
  for (RotationParameters rotations : kBothRotations) {
    SkeletonSpec spec;
    spec.rotations = rotations;
    for (int j : skin.joints) spec.joints.push_back({j, true, false, false});
    const SkeletonDeformer deformer(character, drawn, spec);
    VecX p = VecX::Zero(15);
    Vec3 at = Vec3::Zero();
    Points joints;
    const double angle = 0.4;
    for (int k = 0; k < 5; ++k) {
      p[3 * k + 2] = angle;
      joints.push_back(at);
      at += Vec3(std::cos((k + 1) * angle), std::sin((k + 1) * angle), 0);
    }
    const VecX x = flatten(drawn->vertices.rest);
    EXPECT_LT((beast_applied(deformer, p, 0, x).head<3>() - at).norm(), 1e-14);
    const MatX J = deformer.columns(p, 0, x, all_parameters(deformer));
    VecX f = VecX::Zero(9);
    f.head<3>() = Vec3(0.3, -1.1, 0.7);
    const MatX H = deformer.curvature(p, 0, x, all_parameters(deformer), f);
    for (int j = 0; j < 5; ++j) {
      EXPECT_LT((J.col(3 * j + 2).head<3>() - Vec3::UnitZ().cross(at - joints[j])).norm(), 1e-13);
      // Turns about one direction: z x (z x (tip - the joint further down)).
      for (int k = 0; k < 5; ++k) {
        const Vec3 arm = at - joints[std::max(j, k)];
        EXPECT_NEAR(H(3 * j + 2, 3 * k + 2), f.head<3>().dot(Vec3::UnitZ().cross(Vec3::UnitZ().cross(arm))), 1e-13);
      }
    }
  }
}

TEST(SkeletonDeformer, TwiceDifferentiableInTime) {
  const Beast beast;
  const SkeletonDeformer deformer = beast.deformer();
  const auto at = [&](double t) { return beast_applied(deformer, deformer.keyed(t), t, beast.rest()); };
  const double h = 1e-4 / 24;
  // One-sided second differences at frames: inside, and the ends.
  for (int k : {0, 1, 7, 19}) {
    const double t = k / 24.0;
    const VecX left = (at(t) - 2 * at(t - h) + at(t - 2 * h)) / (h * h);
    const VecX right = (at(t + 2 * h) - 2 * at(t + h) + at(t)) / (h * h);
    EXPECT_LT((at(t + h) - 2 * at(t) + at(t - h)).norm(), 1e-6) << k;
    EXPECT_GT(left.norm(), 1) << k;
    EXPECT_LT((left - right).norm(), 2e-2 * left.norm()) << k;
  }
  EXPECT_EQ(at(-1.0), at(-7.0));
  EXPECT_EQ(at(-1.0), at(0.0));
  EXPECT_EQ(at(5.0), at(19 / 24.0));
}

// Nodes that come back, and hips that walk on and turn.
TEST(SkeletonDeformer, LoopsAreCarriedOn) {
  const Beast beast;
  SkeletonSpec spec = beast.spec();
  spec.clip.channels.clear();
  Channel wag;
  wag.node = beast.tail[1];
  wag.path = ChannelPath::rotation;
  wag.width = 4;
  Channel walk = wag, turn = wag;
  turn.node = walk.node = beast.hips;
  walk.path = ChannelPath::translation;
  walk.width = 3;
  const int steps = 24;
  const Placement hips = beast.character->nodes[beast.hips].local;
  const Vec3 axis = Vec3(0.2, 1, 0.1).normalized();
  for (int k = 0; k <= steps; ++k) {
    const double share = k / static_cast<double>(steps);
    const Quat q = beast.character->nodes[beast.tail[1]].local.rotation *
                   Quat(Eigen::AngleAxisd(0.5 * std::sin(2 * M_PI * share), Vec3::UnitX()));
    const Quat r = Quat(Eigen::AngleAxisd(0.6 * share, axis)) * hips.rotation;
    const Vec3 x = Eigen::AngleAxisd(0.6 * share, axis) * (hips.translation - Vec3(1, 0, 0)) + Vec3(1, 2 * share, 0);
    for (Channel* channel : {&wag, &walk, &turn}) channel->times.push_back(share);
    for (double v : q.coeffs()) wag.values.push_back(v);
    for (double v : r.coeffs()) turn.values.push_back(v);
    for (double v : x) walk.values.push_back(v);
  }
  spec.clip.channels = {wag, walk, turn};
  spec.start = 0;
  spec.frames = steps + 1;
  spec.loop = true;
  const SkeletonDeformer deformer(beast.character, beast.drawn, spec);
  const auto at = [&](double t) { return beast_applied(deformer, deformer.keyed(t), t, beast.rest()); };
  // One screw motion takes every cycle to the next: distances of points agree. The armature is stretched, so distances
  // are taken in its own space.
  const Mat3 back = beast.character->nodes[beast.armature].local.matrix().linear().inverse();
  const auto spacing = [&](double a, double b) {
    const VecX xa = at(a), xb = at(b);
    VecX d(xa.size() / 3);
    for (Eigen::Index i = 0; i < d.size(); ++i)
      d[i] = (back * (xb.segment<3>(3 * i) - xa.segment<3>(3 * (i / 2)))).norm();
    return d;
  };
  for (double t : {0.0, 0.3, 0.51}) {
    const VecX once = spacing(t, t + 0.1);
    for (int c : {-3, -1, 1, 2}) EXPECT_LT((spacing(t + c, t + c + 0.1) - once).norm(), 1e-9) << c;
    EXPECT_GT(spacing(t, t + 1).minCoeff(), 0.1);  // it travels
    EXPECT_LT((spacing(t - 2, t - 1) - spacing(t, t + 1)).norm(), 1e-9);
  }
  ASSERT_EQ(deformer.parameters()[18].name, "Tail2.rotation.x");
  EXPECT_NEAR(deformer.keyed(0.25)[18], 0.5, 1e-9);
  EXPECT_NEAR(deformer.keyed(-0.75)[18], 0.5, 1e-9);
  const double h = 1e-4 / 24;
  for (double t : {0.0, 1.0}) {
    const VecX left = (at(t) - 2 * at(t - h) + at(t - 2 * h)) / (h * h);
    const VecX right = (at(t + 2 * h) - 2 * at(t + h) + at(t)) / (h * h);
    EXPECT_LT((left - right).norm(), 2e-2 * left.norm());
  }
}

// A joint that turns three times about its own x, and y past a right angle: angles go on.
TEST(SkeletonDeformer, KeyedAnglesAreContinuous) {
  const Beast beast;
  for (int axis : {0, 1}) {
    for (RotationParameters rotations : kBothRotations) {
      SkeletonSpec spec;
      spec.rotations = rotations;
      spec.joints = {{beast.tail[1], true, false, false}};
      Channel channel;
      channel.node = beast.tail[1];
      channel.path = ChannelPath::rotation;
      channel.width = 4;
      const int frames = 49;
      for (int k = 0; k < frames; ++k) {
        const double angle = 6 * M_PI * k / (frames - 1);
        Quat q =
            beast.character->nodes[beast.tail[1]].local.rotation * Quat(Eigen::AngleAxisd(angle, Vec3::Unit(axis)));
        if (k % 3 == 1) q.coeffs() *= -1;
        channel.times.push_back(k / 24.0);
        for (double v : q.coeffs()) channel.values.push_back(v);
      }
      spec.clip.channels = {channel};
      spec.frames = frames;
      const SkeletonDeformer deformer(beast.character, beast.drawn, spec);
      for (double frame : {0.0, 1.0, 12.0, 23.3, 48.0}) {
        const VecX p = deformer.keyed(frame / 24);
        Vec3 expected = Vec3::Zero();
        expected[axis] = 6 * M_PI * frame / (frames - 1);
        EXPECT_LT((p - expected).norm(), frame == 23.3 ? 1e-4 : 1e-7) << axis << " " << frame;
      }
      // Quaternions that become keys do not change sign on the way.
      Quat before = deformer.keys(deformer.keyed(0)).joints[0].rotation;
      for (int k = 1; k < frames; ++k) {
        const Quat now = deformer.keys(deformer.keyed(k / 24.0)).joints[0].rotation;
        EXPECT_GT(now.dot(before), 0.9) << k;
        before = now;
      }
    }
  }
}

TEST(SkeletonDeformer, ManyThreadsSeeOnePose) {
  const Beast beast;
  const SkeletonDeformer deformer = beast.deformer();
  const auto at = [&](size_t n) {
    const double t = static_cast<double>(n % 37) / 50;
    return beast_applied(deformer, deformer.keyed(t), t, beast.rest());
  };
  std::vector<VecX> many(400);
  parallel_for(many.size(), 1, [&](size_t begin, size_t end) {
    for (size_t n = begin; n < end; ++n) many[n] = at(n);
  });
  for (size_t n = 0; n < many.size(); ++n) EXPECT_EQ(many[n], at(n));
}

TEST(SkeletonDeformer, SaysWhatIsWrong) {
  const Beast beast;
  const auto fault = [&](const std::function<void(SkeletonSpec&)>& change) -> std::string {
    SkeletonSpec spec = beast.spec();
    change(spec);
    try {
      const SkeletonDeformer deformer(beast.character, beast.drawn, spec);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(fault([](SkeletonSpec&) {}), "");
  EXPECT_NE(fault([&](SkeletonSpec& s) { s.joints.push_back({beast.between}); }).find("joint Between"),
            std::string::npos);
  EXPECT_NE(fault([&](SkeletonSpec& s) { s.joints.push_back({beast.hips}); }).find("Hips.rotation.x"),
            std::string::npos);
  EXPECT_NE(fault([](SkeletonSpec& s) { s.joints.push_back({99}); }).find("node 99"), std::string::npos);
  EXPECT_NE(fault([&](SkeletonSpec& s) {
              s.morphs.push_back({beast.body, 2});
            }).find("morph target 2"),
            std::string::npos);
  EXPECT_NE(fault([](SkeletonSpec& s) { s.fps = 0; }).find("frames a second"), std::string::npos);
  beast.character->nodes[beast.tail[3]].local.scale.y() = 0;
  EXPECT_EQ(fault([&](SkeletonSpec& s) { s.joints.push_back({beast.tail[3], true, true, false}); }), "");
  EXPECT_NE(fault([&](SkeletonSpec& s) {
              s.joints.push_back({beast.tail[3], true, true, true});
            }).find("scale at rest"),
            std::string::npos);
}

}  // namespace
}  // namespace supple
