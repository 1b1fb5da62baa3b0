// Keys, blend shapes, pose space and limbs.
#include <gtest/gtest.h>

#include <cmath>

#include "supple/anim/drawn.h"
#include "supple/anim/key_clip.h"
#include "supple/anim/limb.h"
#include "supple/anim/pose_space.h"
#include "supple/base/error.h"

namespace supple {
namespace {

Quat about(const Vec3& axis, double degrees) {
  return Quat(Eigen::AngleAxisd(degrees * M_PI / 180, axis.normalized()));
}

TEST(KeyCurve, goes_through_its_keys_and_never_beyond_them) {
  const KeyCurve c({{0, {0, 1, 0}}, {10, {1, 3, 0}}, {14, {1.5, 2, 0}}, {30, {4, 2, 0}}});
  EXPECT_EQ(c.at(-5), Vec3(0, 1, 0));
  EXPECT_EQ(c.at(99), Vec3(4, 2, 0));
  EXPECT_NEAR((c.at(10) - Vec3(1, 3, 0)).norm(), 0, 1e-12);
  EXPECT_NEAR((c.at(14) - Vec3(1.5, 2, 0)).norm(), 0, 1e-12);
  double before = 0;
  for (double f = 0; f <= 30; f += 0.1) {
    const Vec3 v = c.at(f);
    EXPECT_GE(v[0], before - 1e-12) << f;  // rising keys, rising curve
    before = v[0];
    EXPECT_GE(v[1], 1 - 1e-12);
    EXPECT_LE(v[1], 3 + 1e-12);
  }
  // At rest where the values turn round.
  EXPECT_LT(std::abs(c.at(10.01)[1] - c.at(9.99)[1]), 1e-4);
}

TEST(KeyCurve, a_hit_comes_in_fast_and_stops) {
  const KeyCurve c({{0, {1, 0, 0}}, {8, {0, 0, 0}, Ease::hit}, {20, {0, 0, 0}}});
  EXPECT_NEAR(c.at(4)[0], 1 - 0.25, 1e-12);  // 1 - s^2: falls as a stone does
  EXPECT_NEAR((c.at(8)[0] - c.at(7.999)[0]) / 0.001, -0.25, 1e-3);
  EXPECT_EQ(c.at(8.5)[0], 0);
}

TEST(KeyCurve, refuses_keys_that_are_none) {
  EXPECT_THROW(KeyCurve({}), InputError);
  EXPECT_THROW(KeyCurve({{3, {}}, {3, {}}}), InputError);
  EXPECT_THROW(KeyCurve({{0, {std::nan(""), 0, 0}}}), InputError);
}

Character two_nodes() {
  Character c;
  c.nodes.resize(3);
  c.nodes[0].children = {1};
  c.nodes[1].parent = 0;
  c.nodes[1].local.translation = Vec3::UnitY();
  c.nodes[2].mesh = 0;
  Primitive p;
  p.positions = {Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY()};
  p.triangles = {{0, 1, 2}};
  c.meshes.push_back({.name = "m", .primitives = {p}, .weights = {}});
  c.shown.assign(3, 1);
  return c;
}

TEST(KeyClip, bakes_what_moves_and_nothing_else) {
  Character c = two_nodes();
  const Clip clip = bake_clip(c, "turn", 11, 10, [](double f, std::vector<Placement>& nodes) {
    nodes[1].rotation = about(Vec3::UnitZ(), 60 * f);  // past half a turn: signs of quaternions must not jump
  });
  ASSERT_EQ(clip.channels.size(), 1u);
  EXPECT_EQ(clip.channels[0].node, 1);
  EXPECT_EQ(clip.channels[0].path, ChannelPath::rotation);
  EXPECT_DOUBLE_EQ(clip.end, 1.0);
  for (size_t k = 1; k < 11; ++k) {
    double dot = 0;
    for (size_t i = 0; i < 4; ++i) dot += clip.channels[0].values[4 * k + i] * clip.channels[0].values[4 * k - 4 + i];
    EXPECT_GT(dot, 0.8);
  }
  const auto nodes = node_placements(c, clip, 0.5);
  EXPECT_NEAR(nodes[1].rotation.angularDistance(about(Vec3::UnitZ(), 300)), 0, 1e-9);
  EXPECT_EQ(nodes[1].translation, Vec3(Vec3::UnitY()));
}

TEST(KeyClip, blend_shapes_with_keyed_weights_move_the_points) {
  Character c = two_nodes();
  EXPECT_EQ(add_blend_shape(c, 0, "up", {Points(3, Vec3(0, 0.5, 0))}), 0);
  EXPECT_EQ(add_blend_shape(c, 0, "out", {Points(3, Vec3(0, 0, 2))}), 1);
  EXPECT_THROW(add_blend_shape(c, 0, "short", {Points(2)}), InputError);
  Clip clip = bake_clip(c, "weights", 5, 4, [](double, std::vector<Placement>&) {});
  add_weights(
      c, 2, 5, 4,
      [](int f) {
        return std::vector<double>{0.25 * f, 1 - 0.25 * f};
      },
      clip);
  EXPECT_THROW(add_weights(
                   c, 2, 5, 4, [](int) { return std::vector<double>{1}; }, clip),
               InputError);
  const Drawn d = lay_out(c);
  const Points x = posed(d.vertices, pose_at(c, d, clip, 0.5));
  EXPECT_NEAR((x[1] - Vec3(1, 0.25, 1)).norm(), 0, 1e-12);
}

std::vector<std::vector<Quat>> examples() {
  return {{about(Vec3::UnitX(), 70), about(Vec3::UnitZ(), 10)},
          {about(Vec3::UnitX(), 100), about(Vec3::UnitY(), 40)},
          {about(Vec3::UnitZ(), -80), Quat::Identity()},
          {about(Vec3(1, 1, 0), 30), about(Vec3::UnitZ(), -50)}};
}

TEST(PoseSpace, is_exact_at_every_example_and_at_rest) {
  const std::vector<Quat> rest(2, Quat::Identity());
  const PoseSpace space(rest, examples());
  for (double w : space.weights(rest)) EXPECT_NEAR(w, 0, 1e-9);
  for (size_t k = 0; k < 4; ++k) {
    const auto w = space.weights(examples()[k]);
    ASSERT_EQ(w.size(), 4u);
    for (size_t j = 0; j < 4; ++j) EXPECT_NEAR(w[j], j == k ? 1 : 0, 1e-9) << k << " " << j;
    // The other sign of a quaternion is the same pose.
    auto same = examples()[k];
    same[0].coeffs() *= -1;
    EXPECT_NEAR(space.weights(same)[k], 1, 1e-9);
  }
}

TEST(PoseSpace, one_example_fades_in_steadily_and_the_shares_sum_to_one) {
  const std::vector<Quat> rest(1, Quat::Identity());
  const PoseSpace one(rest, {{about(Vec3::UnitX(), 90)}});
  double before = -1e-9;
  for (double a = 0; a <= 90; a += 1) {
    const double w = one.weights({about(Vec3::UnitX(), a)})[0];
    EXPECT_GE(w, before);
    before = w;
  }
  EXPECT_NEAR(one.weights({about(Vec3::UnitX(), 45)})[0], 0.5, 1e-9);  // half way by symmetry
  // What the rest keeps is a share of its own: asked for as an example, with the first one as rest, it is the same.
  const PoseSpace other({about(Vec3::UnitX(), 90)}, {rest});
  for (double a = 0; a <= 120; a += 10) {
    const std::vector<Quat> p = {about(Vec3::UnitX(), a)};
    EXPECT_NEAR(one.weights(p)[0] + other.weights(p)[0], 1, 1e-9);
  }
}

TEST(PoseSpace, is_smooth_between_examples) {
  const std::vector<Quat> rest(2, Quat::Identity());
  const PoseSpace space(rest, examples());
  // Along paths between all of them: steps of a degree change no weight by more than a few per cent.
  auto all = examples();
  all.push_back(rest);
  for (const auto& a : all)
    for (const auto& b : all) {
      std::vector<double> before;
      for (int s = 0; s <= 100; ++s) {
        const std::vector<Quat> p = {a[0].slerp(s / 100.0, b[0]), a[1].slerp(s / 100.0, b[1])};
        const auto w = space.weights(p);
        for (size_t k = 0; k < w.size() && !before.empty(); ++k) {
          EXPECT_LT(std::abs(w[k] - before[k]), 4.0 / space.width() * pose_distance(a, b) / 100 + 1e-12);
          EXPECT_LT(std::abs(w[k]), 1.6);
        }
        before = w;
      }
    }
}

TEST(PoseSpace, refuses_what_makes_no_sense) {
  const std::vector<Quat> rest(1, Quat::Identity());
  EXPECT_THROW(PoseSpace(rest, {}), InputError);
  EXPECT_THROW(PoseSpace(rest, {rest}), InputError);
  EXPECT_THROW(PoseSpace(rest, {{about(Vec3::UnitX(), 20)}, {about(Vec3::UnitX(), 20.01)}}), InputError);
  EXPECT_THROW(PoseSpace(rest, {{Quat::Identity(), Quat::Identity()}}), InputError);
  EXPECT_THROW(PoseSpace(rest, {{Quat(0, 0, 0, 0)}}), InputError);
}

TEST(Limb, reaches_its_target_and_bends_towards_the_pole) {
  const Limb limb{{0, 2, 0}, {0.1, 1, 0.1}, {0, 0, 0}, {0, 0, 1}};
  for (const Vec3& target : {Vec3(0, 0.4, 0.2), Vec3(0.5, 0.3, -0.4), Vec3(0.6, 1.8, 0.9)}) {
    const Vec3 root(0.1, 2.1, 0), pole(0.3, 0, 1);
    const LimbPose p = reach(limb, root, target, pole);
    EXPECT_NEAR((p.end - target).norm(), 0, 1e-12);
    const Vec3 middle = root + p.upper * (limb.middle - limb.root);
    EXPECT_NEAR((middle + p.lower * (limb.end - limb.middle) - target).norm(), 0, 1e-12);
    EXPECT_GT((middle - 0.5 * (root + target)).dot(pole), 0);
  }
  // Too far: straight towards it.
  const LimbPose p = reach(limb, {0, 2, 0}, {0, -9, 0}, {0, 0, 1});
  EXPECT_NEAR(p.end[1], 2 - 0.9999 * 2 * std::sqrt(1.02), 1e-9);
  // At rest nothing is turned.
  const Limb straight{{0, 2, 0}, {0, 1, 0.3}, {0, 0, 0}, {0, 0, 1}};
  const LimbPose rest = reach(straight, straight.root, straight.end, straight.pole);
  EXPECT_NEAR(rest.upper.angularDistance(Quat::Identity()), 0, 1e-7);
  EXPECT_NEAR(rest.lower.angularDistance(Quat::Identity()), 0, 1e-7);
}

}  // namespace
}  // namespace supple
