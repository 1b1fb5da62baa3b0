#include "supple/anim/drawn.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace supple {
namespace {

using Random = std::mt19937;

double draw(Random& random, double low = -1, double high = 1) {
  return low + (high - low) * std::uniform_real_distribution<double>(0, 1)(random);
}
Vec3 draw3(Random& random) { return {draw(random), draw(random), draw(random)}; }
Quat draw_turn(Random& random, double size) {
  return Quat(Eigen::AngleAxisd(size * draw(random), draw3(random).normalized()));
}

int add_node(Character& c, int parent, const Placement& local, const std::string& name = "") {
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

Primitive cloud(Random& random, int n, int n_joints) {
  Primitive p;
  p.material = "flesh";
  for (int i = 0; i < n; ++i) p.positions.push_back(draw3(random));
  for (int i = 0; i + 2 < n; ++i) p.triangles.push_back({i, i + 1, i + 2});
  if (n_joints == 0) return p;
  p.influences = 4;
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    std::vector<double> w(4);
    for (double& x : w) sum += x = draw(random, 0, 1);
    for (int k = 0; k < 4; ++k) {
      p.joints.push_back(static_cast<int>(random() % static_cast<unsigned>(n_joints)));
      p.weights.push_back(w[k] / sum);
    }
  }
  return p;
}

// The formula of the glTF standard with nothing in common with drawn.cpp: node matrices multiplied up by recursion,
// world = sum w G IB (v + sum m d), the node's own matrix for what has no skin.
Affine world_of(const Character& c, const std::vector<Placement>& local, int node) {
  const Node& n = c.nodes[node];
  const Affine own = n.matrix ? *n.matrix : local[node].matrix();
  if (n.parent < 0) return own;
  return world_of(c, local, n.parent) * own;
}

Points plain_gltf(const Character& c, const std::vector<Placement>& local,
                  const std::vector<std::vector<double>>& weights) {
  Points all;
  for (int n = 0; n < static_cast<int>(c.nodes.size()); ++n) {
    const Node& node = c.nodes[n];
    if (node.mesh < 0) continue;
    for (const Primitive& p : c.meshes[node.mesh].primitives) {
      if (!p.triangles_only) continue;
      for (size_t i = 0; i < p.positions.size(); ++i) {
        Vec3 v = p.positions[i], x = Vec3::Zero();
        for (size_t m = 0; m < p.targets.size(); ++m) v += weights[n][m] * p.targets[m].positions[i];
        if (node.skin < 0 || p.influences == 0) {
          all.push_back(world_of(c, local, n) * v);
          continue;
        }
        const Skin& skin = c.skins[node.skin];
        for (int k = 0; k < p.influences; ++k) {
          const size_t at = i * static_cast<size_t>(p.influences) + static_cast<size_t>(k);
          const int j = p.joints[at];
          x += p.weights[at] * (world_of(c, local, skin.joints[j]) * (skin.inverse_binds[j] * v));
        }
        all.push_back(x);
      }
    }
  }
  return all;
}

// Two skins over a shared chain, a root of size 0.01 turned about x as exporters write it, positions of the second mesh
// "quantized" (integers, undone by its inverse binds), a prop on a joint, morph targets, a mesh drawn twice.
// rest_is_bound false: the file's rest pose is another one than the pose it was skinned in.
Character puppet(Random& random, bool rest_is_bound) {
  Character c;
  Placement root;
  root.rotation = Quat(Eigen::AngleAxisd(-M_PI / 2, Vec3::UnitX()));
  root.scale = Vec3::Constant(0.01);
  add_node(c, -1, root, "root");
  std::vector<int> joints;
  for (int j = 0; j < 5; ++j) {
    Placement local;
    local.translation = 100 * draw3(random);
    local.rotation = draw_turn(random, 1);
    joints.push_back(add_node(c, j == 0 ? 0 : j == 4 ? joints[1] : joints.back(), local, "joint" + std::to_string(j)));
  }
  std::vector<Placement> rest;
  for (const Node& n : c.nodes) rest.push_back(n.local);
  const double quantum = 1.0 / 4096;
  Skin a, b;
  a.name = "a";
  b.name = "b";
  for (int j : joints) {
    a.joints.push_back(j);
    a.inverse_binds.push_back(world_of(c, rest, j).inverse());
  }
  for (int j : {joints[3], joints[1], joints[2]}) {
    b.joints.push_back(j);
    Affine dequantize = Affine::Identity();
    dequantize.linear() *= quantum;
    dequantize.translation() = Vec3(0.3, -0.2, 0.1);
    b.inverse_binds.push_back(world_of(c, rest, j).inverse() * dequantize);
  }
  c.skins = {a, b};

  c.meshes.resize(3);
  c.meshes[0].name = "body";
  c.meshes[0].primitives = {cloud(random, 30, 5), cloud(random, 12, 5)};
  for (Primitive& p : c.meshes[0].primitives) {
    p.targets.resize(2);
    for (MorphTarget& t : p.targets) {
      for (size_t i = 0; i < p.positions.size(); ++i) t.positions.push_back(i % 3 ? draw3(random) : Vec3::Zero());
    }
  }
  c.meshes[0].weights = {0.1, 0.2};
  c.meshes[1].name = "cloth";
  c.meshes[1].primitives = {cloud(random, 20, 3)};
  for (Vec3& v : c.meshes[1].primitives[0].positions) v = (v / quantum).array().round();
  c.meshes[2].name = "prop";
  c.meshes[2].primitives = {cloud(random, 6, 0)};
  Primitive lines = cloud(random, 4, 0);
  lines.triangles_only = false;
  c.meshes[2].primitives.push_back(lines);

  const int body = add_node(c, 0, {}, "body");
  c.nodes[body].mesh = 0;
  c.nodes[body].skin = 0;
  const int cloth = add_node(c, -1, {}, "cloth");
  c.nodes[cloth].mesh = 1;
  c.nodes[cloth].skin = 1;
  for (int copy = 0; copy < 2; ++copy) {
    Placement place;
    place.translation = draw3(random);
    place.scale = copy ? Vec3(20, 30, 10) : Vec3(-10, 10, 10);
    const int prop = add_node(c, joints[2], place, "prop");
    c.nodes[prop].mesh = 2;
  }
  if (!rest_is_bound) {
    for (int j : joints) c.nodes[j].local.rotation = draw_turn(random, 1);
  }
  return c;
}

Channel two_keys(int node, ChannelPath path, const std::vector<double>& from, const std::vector<double>& to) {
  Channel channel;
  channel.node = node;
  channel.path = path;
  channel.width = static_cast<int>(from.size());
  channel.times = {1, 3};
  channel.values = from;
  channel.values.insert(channel.values.end(), to.begin(), to.end());
  return channel;
}
std::vector<double> numbers(const Quat& q) { return {q.x(), q.y(), q.z(), q.w()}; }

double largest_gap(const Points& a, const Points& b) {
  EXPECT_EQ(a.size(), b.size());
  double gap = 0;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) gap = std::max(gap, (a[i] - b[i]).norm());
  return gap;
}

}  // namespace

TEST(Drawn, PosesAreThoseOfThePlainFormula) {
  Random random(7);
  for (bool rest_is_bound : {true, false}) {
    const Character c = puppet(random, rest_is_bound);
    for (double scale : {1.0, 2.5}) {
      const Drawn drawn = lay_out(c, scale);
      for (int trial = 0; trial < 4; ++trial) {
        // A random pose as a clip whose keys all have the same value, and what it says by hand.
        Clip clip;
        std::vector<Placement> local;
        std::vector<std::vector<double>> weights(c.nodes.size());
        for (int n = 0; n < static_cast<int>(c.nodes.size()); ++n) {
          local.push_back(c.nodes[n].local);
          if (trial > 0) {
            local[n].rotation = draw_turn(random, 3);
            local[n].translation += 0.1 * draw3(random);
            clip.channels.push_back(
                two_keys(n, ChannelPath::rotation, numbers(local[n].rotation), numbers(local[n].rotation)));
            const Vec3& t = local[n].translation;
            clip.channels.push_back(two_keys(n, ChannelPath::translation, {t[0], t[1], t[2]}, {t[0], t[1], t[2]}));
          }
          if (c.nodes[n].mesh == 0) {
            weights[n] = c.meshes[0].weights;
            if (trial > 1) {
              weights[n] = {draw(random), draw(random)};
              clip.channels.push_back(two_keys(n, ChannelPath::weights, weights[n], weights[n]));
            }
          }
        }
        Points expected = plain_gltf(c, local, weights);
        for (Vec3& x : expected) x *= scale;
        EXPECT_LT(largest_gap(posed(drawn.vertices, pose_at(c, drawn, clip, 2)), expected), 1e-11 * scale);
        if (trial > 0) continue;
        EXPECT_LT(largest_gap(posed(drawn.vertices, rest_pose(c, drawn)), expected), 1e-11 * scale);
      }
    }
  }
}

TEST(Drawn, StandsBoundWhereItIsAtRestWhenTheRestPoseIsTheBoundPose) {
  Random random(8);
  const Character c = puppet(random, true);
  const Drawn drawn = lay_out(c, 1);
  for (const Affine& bone : rest_pose(c, drawn).bones) {
    EXPECT_LT((bone.matrix() - Affine::Identity().matrix()).norm(), 1e-12);
  }
  // The skins share three joints and agree on where they were bound: five bones and the two props.
  ASSERT_EQ(drawn.bones.size(), 7u);
  const std::vector<Affine> world = node_matrices(c);
  for (const Bone& bone : drawn.bones) EXPECT_LT((bone.head - world[bone.node].translation()).norm(), 1e-12);
  EXPECT_EQ(drawn.bones[4].name, "joint4");
  EXPECT_EQ(drawn.bones[4].parent, 1);
  EXPECT_EQ(drawn.bones[0].parent, -1);
  EXPECT_EQ(drawn.bones[5].parent, 2);
  ASSERT_EQ(drawn.primitives.size(), 5u);
  EXPECT_EQ(drawn.primitives[4].first_vertex, 30 + 12 + 20 + 6);
  // The first prop is mirrored: its triangles are turned so that they face as the node shows them.
  EXPECT_EQ(drawn.triangles[drawn.primitives[3].first_triangle], (Tri{62, 64, 63}));
  EXPECT_EQ(drawn.triangles[drawn.primitives[4].first_triangle], (Tri{68, 69, 70}));
  EXPECT_EQ(drawn.at_rest, (std::vector<double>{0.1, 0.2}));
  EXPECT_EQ(drawn.vertices.morphs[0].points.size(), 20u + 8u);
}

TEST(Drawn, SkinsOfOneCharacterAreBoundTogetherWhateverTheRestPose) {
  Random random(9), again(9);
  const Character at_rest = puppet(random, true), moved = puppet(again, false);
  const Drawn a = lay_out(at_rest), b = lay_out(moved);
  // One similarity apart: all distances are those of the bound pose, also between body, cloth and props.
  for (int i = 0; i < a.n_vertices(); ++i) {
    for (int j = 0; j < i; j += 3) {
      const double before = (a.vertices.rest[i] - a.vertices.rest[j]).norm();
      EXPECT_NEAR((b.vertices.rest[i] - b.vertices.rest[j]).norm(), before, 1e-11);
    }
  }
  // And it stands where the rest pose has it, on the mean over the skin that carries most.
  Pose rest = rest_pose(moved, b);
  rest.morphs = {0, 0};
  const Points posed_rest = posed(b.vertices, rest);
  Vec3 off = Vec3::Zero();
  for (int i = 0; i < 42; ++i) off += (posed_rest[i] - b.vertices.rest[i]) / 42;
  EXPECT_LT(off.norm(), 1e-12);
}

TEST(Drawn, WeightlessJointsAreNoBones) {
  Random random(10);
  Character c = puppet(random, true);
  for (Primitive& p : c.meshes[0].primitives) {
    for (int& j : p.joints) j = j == 1 ? 0 : j;
  }
  c.nodes[7].mesh = -1;
  const Drawn drawn = lay_out(c);
  for (const Bone& bone : drawn.bones) EXPECT_NE(bone.name, "joint1");
  for (const Bone& bone : drawn.bones) {
    if (bone.name == "joint4" || bone.name == "joint2") {
      ASSERT_GE(bone.parent, 0);
      EXPECT_EQ(drawn.bones[bone.parent].name, "joint0");
    }
  }
}

TEST(Drawn, NormalsFaceOutOfAMirroredCube) {
  Character c;
  Placement place;
  place.scale = {-1, 2, 1};
  add_node(c, -1, place);
  c.nodes[0].mesh = 0;
  c.meshes.resize(1);
  Primitive tetra;
  tetra.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  tetra.triangles = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  for (const Vec3& v : tetra.positions) tetra.normals.push_back((v - Vec3::Constant(0.25)).normalized());
  c.meshes[0].primitives = {tetra};
  const Drawn drawn = lay_out(c);
  double volume = 0;
  for (const Tri& t : drawn.triangles) {
    const Points& x = drawn.vertices.rest;
    volume += x[t[0]].dot(x[t[1]].cross(x[t[2]])) / 6;
  }
  EXPECT_NEAR(volume, 2.0 / 6, 1e-15);
  Vec3 middle = Vec3::Zero();
  for (const Vec3& v : drawn.vertices.rest) middle += v / 4;
  for (int i = 0; i < 4; ++i) {
    EXPECT_GT(drawn.normals[i].dot(drawn.vertices.rest[i] - middle), 0);
    EXPECT_NEAR(drawn.normals[i].norm(), 1, 1e-15);
  }
}

TEST(Drawn, FramesAreTheDerivativesOfPosedPoints) {
  Random random(11);
  const Character c = puppet(random, false);
  Drawn drawn = lay_out(c);
  Clip clip;
  for (int n = 1; n < 6; ++n) {
    const std::vector<double> q = numbers(draw_turn(random, 2));
    clip.channels.push_back(two_keys(n, ChannelPath::rotation, q, q));
  }
  const Pose pose = pose_at(c, drawn, clip, 0);
  const std::vector<Mat3> frames = posed_frames(drawn.vertices, pose);
  const Points before = posed(drawn.vertices, pose);
  const Vec3 step(0.3, -0.1, 0.2);
  for (Vec3& x : drawn.vertices.rest) x += step;
  const Points after = posed(drawn.vertices, pose);
  for (size_t i = 0; i < before.size(); ++i) EXPECT_LT((after[i] - before[i] - frames[i] * step).norm(), 1e-12);
}

TEST(PoseTowards, GoesFromTheBoundPoseToTheClip) {
  Random random(12);
  const Character c = puppet(random, false);
  const Drawn drawn = lay_out(c, 2);
  Clip clip;
  for (int n = 1; n < 6; ++n) {
    const std::vector<double> q = numbers(draw_turn(random, 3));
    clip.channels.push_back(two_keys(n, ChannelPath::rotation, q, q));
  }
  clip.channels.push_back(two_keys(6, ChannelPath::weights, {0.5, 1}, {0.5, 1}));
  const Pose full = pose_at(c, drawn, clip, 2);
  for (double tiny : {0.0, 1e-12}) {
    const Pose start = pose_towards(c, drawn, clip, 2, tiny), end = pose_towards(c, drawn, clip, 2, 1 - tiny);
    for (size_t b = 0; b < drawn.bones.size(); ++b) {
      EXPECT_LT((start.bones[b].matrix() - Affine::Identity().matrix()).norm(), 1e-10);
      EXPECT_LE((end.bones[b].matrix() - full.bones[b].matrix()).norm(), tiny * 100);
    }
    EXPECT_NEAR(start.morphs[0], 0.1, 1e-11);
    EXPECT_NEAR(end.morphs[1], 1, 1e-11);
  }
  EXPECT_NEAR(pose_towards(c, drawn, clip, 2, 0.25).morphs[0], 0.2, 1e-15);

  // Half way each joint is turned half way against its parent.
  const Pose half = pose_towards(c, drawn, clip, 2, 0.5);
  for (size_t b = 1; b < 5; ++b) {
    const size_t parent = static_cast<size_t>(drawn.bones[b].parent);
    const auto relative = [&](const Pose& p) {
      const Mat3 own = p.bones[b].linear(), up = p.bones[parent].linear();
      return Eigen::AngleAxisd(Mat3(up.transpose() * own)).angle();
    };
    EXPECT_NEAR(relative(half), relative(full) / 2, 1e-9) << b;
  }
}

TEST(PoseTowards, StartsFromTheIdentityAlsoWhereTwoSkinsBindOneNodeInTwoWays) {
  Random random(13);
  Character c = puppet(random, true);
  c.skins[1].inverse_binds[0] = c.skins[1].inverse_binds[0] * Eigen::AngleAxisd(0.3, Vec3::UnitX());
  const Drawn drawn = lay_out(c);
  Clip clip;
  clip.channels.push_back(two_keys(4, ChannelPath::rotation, {1, 0, 0, 0}, {1, 0, 0, 0}));
  for (const Affine& bone : pose_towards(c, drawn, clip, 2, 1e-12).bones) {
    EXPECT_LT((bone.matrix() - Affine::Identity().matrix()).norm(), 1e-10);
  }
}

TEST(Sampling, FollowsTheSamplersOfTheStandard) {
  Character c;
  add_node(c, -1, {});
  Clip clip;
  clip.channels = {two_keys(0, ChannelPath::translation, {0, 0, 0}, {4, 8, -4})};
  const auto place = [&](double t) -> Vec3 { return node_matrices(c, clip, t)[0].translation(); };
  EXPECT_EQ(place(-5), Vec3(0, 0, 0));
  EXPECT_EQ(place(1.5), Vec3(1, 2, -1));
  EXPECT_EQ(place(3), Vec3(4, 8, -4));
  EXPECT_EQ(place(99), Vec3(4, 8, -4));
  clip.channels[0].interpolation = Interpolation::step;
  EXPECT_EQ(place(2.999), Vec3(0, 0, 0));
  EXPECT_EQ(place(3), Vec3(4, 8, -4));

  // A cubic is its own spline: keys of t^3 - 2 t with its slopes.
  Channel& cubic = clip.channels[0];
  cubic.interpolation = Interpolation::cubic;
  cubic.times = {0, 0.5, 2, 3};
  cubic.values.clear();
  const auto f = [](double t) { return t * t * t - 2 * t; };
  const auto slope = [](double t) { return 3 * t * t - 2; };
  for (double t : cubic.times) {
    for (double v : {slope(t), f(t), slope(t)}) {
      for (double factor : {1.0, -2.0, 0.5}) cubic.values.push_back(factor * v);
    }
  }
  for (double t = 0; t <= 3; t += 0.125) EXPECT_LT((place(t) - f(t) * Vec3(1, -2, 0.5)).norm(), 1e-13) << t;
}

TEST(Sampling, TurnsByTheShorterArcAndKeepsTurnsUnit) {
  Character c;
  add_node(c, -1, {});
  Clip clip;
  const Quat a(Eigen::AngleAxisd(0.2, Vec3::UnitZ())), b(Eigen::AngleAxisd(1.2, Vec3::UnitZ()));
  std::vector<double> other = numbers(b);
  for (double& x : other) x = -x;  // the same turn, the long way round
  clip.channels = {two_keys(0, ChannelPath::rotation, numbers(a), other)};
  const Mat3 expected = Eigen::AngleAxisd(0.7, Vec3::UnitZ()).toRotationMatrix();
  EXPECT_LT((node_matrices(c, clip, 2)[0].linear() - expected).norm(), 1e-14);

  // Cubic: four Hermite curves, then unit length. With no slopes the middle is the mean of the keys.
  Channel& cubic = clip.channels[0];
  cubic.interpolation = Interpolation::cubic;
  cubic.values.clear();
  for (const Quat& q : {a, b}) {
    cubic.values.insert(cubic.values.end(), 4, 0.0);
    for (double x : numbers(q)) cubic.values.push_back(x);
    cubic.values.insert(cubic.values.end(), 4, 0.0);
  }
  const Mat3 turn = node_matrices(c, clip, 2)[0].linear();
  EXPECT_LT((turn - expected).norm(), 1e-14);
  EXPECT_LT(
      (node_matrices(c, clip, 1.3)[0].linear() * node_matrices(c, clip, 1.3)[0].linear().transpose() - Mat3::Identity())
          .norm(),
      1e-14);
}

TEST(Sampling, LeavesMatrixNodesAndWhatIsNotAnimated) {
  Character c;
  Placement place;
  place.translation = {1, 2, 3};
  place.scale = {2, 2, 2};
  add_node(c, -1, place);
  add_node(c, 0, {});
  c.nodes[1].matrix = Affine(Eigen::Translation3d(0, 0, 5));
  Clip clip;
  clip.channels = {two_keys(0, ChannelPath::rotation, {0, 0, 0, 1}, {0, 0, 0, 1}),
                   two_keys(1, ChannelPath::translation, {9, 9, 9}, {9, 9, 9})};
  clip.channels.push_back(Channel{});  // no node
  clip.channels.push_back(two_keys(0, ChannelPath::scale, {3, 3, 3}, {}));
  clip.channels.back().times = {};  // no keys
  const std::vector<Affine> world = node_matrices(c, clip, 2);
  EXPECT_EQ(Vec3(world[0].translation()), Vec3(1, 2, 3));
  EXPECT_EQ(Vec3(world[1].translation()), Vec3(1, 2, 13));
}

TEST(FrameRate, IsReadOffTheKeys) {
  const auto rate = [](double fps, int n, int every, double start, double rounding) {
    Clip clip;
    for (int copies = 0; copies < 3; ++copies) {
      Channel channel;
      for (int k = 0; k < n; ++k) {
        double t = start + every * k / fps;
        if (rounding > 0) t = std::round(t / rounding) * rounding;
        channel.times.push_back(static_cast<float>(t));
      }
      clip.channels.push_back(channel);
    }
    return frame_rate(clip);
  };
  for (double fps : {24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 120.0}) {
    EXPECT_EQ(rate(fps, 101, 1, 0, 0), fps);
    EXPECT_EQ(rate(fps, 101, 1, 1 / fps, 0), fps);
  }
  EXPECT_EQ(rate(24, 40, 1, 0, 1e-3), 24);
  EXPECT_EQ(rate(60, 40, 1, 0, 1e-3), 60);
  EXPECT_EQ(rate(24, 3, 11, 0, 0), 24);
  EXPECT_EQ(rate(60, 4, 7, 0, 0), 60);
  EXPECT_EQ(rate(17.3, 60, 1, 0, 0), 30);
  EXPECT_EQ(rate(17.3, 3, 1, 0, 0), 30);
  EXPECT_EQ(rate(24, 1, 1, 0.5, 0), 30);
  EXPECT_EQ(frame_rate(Clip{}), 30);
  // Sampled at 24 with a last key between frames.
  Clip odd;
  odd.channels.emplace_back();
  for (int k = 0; k < 25; ++k) odd.channels[0].times.push_back(k / 24.0);
  odd.channels[0].times.push_back(24.8 / 24);
  EXPECT_EQ(frame_rate(odd), 24);
  // The last third of the keys moved by a fifth of a frame: still not made for 120.
  Clip moved;
  moved.channels.emplace_back();
  for (int k = 0; k < 25; ++k) moved.channels[0].times.push_back((k < 17 ? k : k + 2.8) / 24);
  EXPECT_EQ(frame_rate(moved), 24);
}

TEST(Drawn, AnUnskinnedHiddenNodeStandsSomewhereAndAppears) {
  Random random(14);
  Character c;
  Placement hidden;
  hidden.scale = Vec3::Zero();
  hidden.translation = {1, 0, 0};
  add_node(c, -1, hidden);
  c.nodes[0].mesh = 0;
  c.meshes.resize(1);
  c.meshes[0].primitives = {cloud(random, 5, 0)};
  const Drawn drawn = lay_out(c);
  Clip clip;
  clip.channels = {two_keys(0, ChannelPath::scale, {0, 0, 0}, {2, 2, 2})};
  const Points seen = posed(drawn.vertices, pose_at(c, drawn, clip, 3));
  const Points gone = posed(drawn.vertices, rest_pose(c, drawn));
  for (int i = 0; i < 5; ++i) {
    EXPECT_LT((seen[i] - (2 * c.meshes[0].primitives[0].positions[i] + Vec3(1, 0, 0))).norm(), 1e-14);
    EXPECT_LT((gone[i] - Vec3(1, 0, 0)).norm(), 1e-14);
  }
}

}  // namespace supple
