// What flesh is decided by: values carried from the skin into the cage, thickness, bones, what must stay hard.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "supple/attach/bones.h"
#include "supple/attach/extend.h"
#include "supple/attach/extend_samples.h"
#include "supple/attach/flesh_graph.h"
#include "supple/attach/flesh_weights.h"
#include "supple/attach/planted.h"
#include "supple/attach/thickness.h"
#include "tests/attach/flesh_body.h"

namespace supple {
namespace {

using namespace test;

double linear(const Vec3& x) { return 0.3 + 0.7 * x.x() - 1.1 * x.y() + 0.4 * x.z(); }

// Largest error of the extension of a linear function, which is harmonic.
double linear_error(const TetMesh& cage, const TriMesh& skin) {
  const VertexBlend blend = blend_of(embed(cage, skin.vertices), cage.tets);
  const Extension extension(cage, skin, blend);
  MatX known(skin.n_vertices(), 2);
  for (int i = 0; i < skin.n_vertices(); ++i) known.row(i) << linear(skin.vertices[i]), 1;
  const MatX spread = extension(known);
  double worst = 0;
  for (int v = 0; v < cage.n_vertices(); ++v) {
    worst = std::max(worst, std::abs(spread(v, 0) - linear(cage.vertices[v])));
    EXPECT_NEAR(spread(v, 1), 1, 1e-6);
  }
  return worst;
}

TEST(Extension, LinearAndConstantFieldsComeOutAsTheyWent) {
  const TetMesh cage = make_box(6, 12, 5, Vec3(0.6, 1.2, 0.5));
  EXPECT_LT(linear_error(cage, boundary_surface(cage)), 0.01);
}

// A surface within the cage: beyond it a field of least gradient flattens, and one of least bending goes on.
TEST(Extension, DisplacementsGoOnBeyondTheSkinWhenTheyBend) {
  const TetMesh cage = make_box(8, 14, 7, Vec3(0.8, 1.4, 0.7), Vec3(-0.06, -0.06, -0.06));
  const TriMesh skin = boundary_surface(make_box(12, 24, 10, Vec3(0.68, 1.28, 0.58)));
  const VertexBlend blend = blend_of(embed(cage, skin.vertices), cage.tets);
  MatX known(skin.n_vertices(), 1);
  for (int i = 0; i < skin.n_vertices(); ++i) known(i, 0) = linear(skin.vertices[i]);
  const auto worst = [&](Extend how) {
    const MatX spread = Extension(cage, skin, blend, how)(known);
    double most = 0;
    for (int v = 0; v < cage.n_vertices(); ++v)
      most = std::max(most, std::abs(spread(v, 0) - linear(cage.vertices[v])));
    return most;
  };
  EXPECT_LT(worst(Extend::bends), 1e-3);
  EXPECT_GT(worst(Extend::evenly), 1e-2);
}

TEST(Extension, FewLargeTrianglesOverManyTetsAreNoSpikes) {
  const TetMesh cage = make_box(8, 16, 8, Vec3(0.5, 1, 0.5));
  EXPECT_LT(linear_error(cage, box_skin(Vec3(0, 0, 0), Vec3(0.5, 1, 0.5))), 0.02);
}

TEST(Extension, WeightsSumToOneAndFollowARigidMotion) {
  Body body = capsule_body(0.1, 1, 0.05, {0, 0.3, 0.6, 1});
  Morph morph;
  morph.node = 0;
  morph.target = 0;
  for (int i = 0; i < body.skin.n_vertices(); ++i) {
    morph.points.push_back(i);
    morph.offsets.emplace_back(0.01, 0, 0.02);
  }
  body.drawn.vertices.morphs = {morph};
  const FleshInput in = body.input();
  const SkinnedPoints skin = skin_points(body.drawn, in.skin_source);
  const Extension extension(body.cage, body.skin, body.blend);
  const SkinnedPoints points = extend_to_cage(skin, body.cage.vertices, extension);
  ASSERT_EQ(points.skin.size(), body.cage.n_vertices());
  Affine motion(Eigen::Translation3d(1, 2, 3) * Eigen::AngleAxisd(1.1, Vec3(1, 2, 3).normalized()));
  Pose pose;
  pose.bones.assign(body.drawn.bones.size(), motion);
  pose.morphs = {0.5};
  const Points moved = posed(points, pose);
  for (int v = 0; v < points.skin.size(); ++v) {
    double sum = 0;
    for (int k = points.skin.first[v]; k < points.skin.first[v + 1]; ++k) {
      EXPECT_GT(points.skin.weight[k], 0);
      sum += points.skin.weight[k];
    }
    EXPECT_NEAR(sum, 1, 1e-12);
    EXPECT_LT((moved[v] - motion * (body.cage.vertices[v] + 0.5 * Vec3(0.01, 0, 0.02))).norm(), 1e-6);
  }
  // On the axis the weights are the skin's at that height.
  for (int v = 0; v < points.skin.size(); ++v) {
    const Vec3& x = body.cage.vertices[v];
    if (std::hypot(x.x(), x.z()) > 0.06 || x.y() < 0.2 || x.y() > 0.8) continue;
    double mean = 0;
    for (int k = points.skin.first[v]; k < points.skin.first[v + 1]; ++k) {
      mean += points.skin.weight[k] * body.drawn.bones[points.skin.bone[k]].head.y();
    }
    EXPECT_NEAR(mean, x.y(), 0.02);
  }
}

TEST(Thickness, CapsuleIsItsRadiusAndDepthIsTheDistanceToItsSkin) {
  const TriMesh skin = capsule_skin(0.1, 1, 32, 60);
  const TetMesh cage = cage_around(skin, 0.08, [](const Vec3& x) { return capsule_distance(x, 0.1, 1); });
  const BodyThickness body(skin, cage, 0.04);
  ASSERT_GT(body.balls().size(), 200u);
  for (const auto& b : body.balls()) EXPECT_NEAR(b.radius, 0.1, 0.006);
  const Thickness t = body.measure(cage.vertices, 0.02);
  for (int v = 0; v < cage.n_vertices(); ++v) {
    EXPECT_NEAR(t.half[v], 0.1, 0.004);
    EXPECT_NEAR(t.depth[v], std::max(0.0, -capsule_distance(cage.vertices[v], 0.1, 1)), 0.003);
  }
}

TEST(Thickness, SlabIsHalfItsThicknessWhicheverWayItsTrianglesFace) {
  TriMesh skin = box_skin(Vec3(0, 0, 0), Vec3(1, 0.1, 1));
  const TetMesh cage = make_box(10, 1, 10, Vec3(1, 0.1, 1));
  for (const bool inside_out : {false, true}) {
    if (inside_out) {
      for (Tri& t : skin.triangles) std::swap(t[0], t[1]);
    }
    const BodyThickness body(skin, cage, 0.1);
    const Thickness t = body.measure({Vec3(0.5, 0.05, 0.5), Vec3(0.3, 0.02, 0.6), Vec3(0.5, 0.1, 0.5)}, 0.01);
    for (const double half : t.half) EXPECT_NEAR(half, 0.05, 1e-3);
    EXPECT_NEAR(t.depth[0], 0.05, 1e-3);
    EXPECT_NEAR(t.depth[1], 0.02, 1e-9);
    EXPECT_NEAR(t.depth[2], 0, 2e-3);
  }
}

TEST(Thickness, WallsInsideOverlappingPartsDoNotCount) {
  // Two boxes that overlap by half are one of 0.4 x 0.4 x 0.6.
  TriMesh skin = box_skin(Vec3(0, 0, 0), Vec3(0.4, 0.4, 0.4));
  append(skin, box_skin(Vec3(0, 0, 0.2), Vec3(0.4, 0.4, 0.6)));
  const TetMesh cage = make_box(4, 4, 6, Vec3(0.4, 0.4, 0.6));
  const BodyThickness body(skin, cage, 0.05);
  const Thickness t = body.measure({Vec3(0.2, 0.2, 0.3)}, 0.01);
  EXPECT_NEAR(t.half[0], 0.2, 0.015);
  EXPECT_GT(t.depth[0], 0.099);
}

TEST(Thickness, AnEarOnAHeadIsThin) {
  TriMesh skin = box_skin(Vec3(-0.3, 0, -0.3), Vec3(0.3, 0.6, 0.3));
  append(skin, box_skin(Vec3(0.25, 0.4, -0.02), Vec3(0.8, 0.5, 0.02)));
  const TetMesh cage = cage_around(skin, 0.1, [](const Vec3& x) {
    const bool head = x.cwiseAbs().x() < 0.3 && std::abs(x.z()) < 0.3 && x.y() > 0 && x.y() < 0.6;
    const bool ear = x.x() > 0.2 && x.x() < 0.8 && std::abs(x.z()) < 0.05 && x.y() > 0.38 && x.y() < 0.52;
    return head || ear ? -1.0 : 1.0;
  });
  const BodyThickness body(skin, cage, 0.05);
  const Thickness t = body.measure({Vec3(0.7, 0.45, 0.1), Vec3(0.55, 0.45, 0), Vec3(0, 0.3, 0.1)}, 0.03);
  EXPECT_NEAR(t.half[0], 0.02, 0.002);
  EXPECT_NEAR(t.half[1], 0.02, 0.002);
  EXPECT_NEAR(t.half[2], 0.3, 0.02);
}

TEST(Thickness, AFlatSheetIsAsThickAsItsCage) {
  TriMesh skin;
  skin.vertices = {Vec3(0, 0.05, 0), Vec3(0, 0.05, 1), Vec3(1, 0.05, 1), Vec3(1, 0.05, 0)};
  skin.triangles = {{0, 1, 2}, {0, 2, 3}};
  const TetMesh cage = make_box(10, 1, 10, Vec3(1, 0.1, 1));
  const Thickness t = BodyThickness(skin, cage, 0.1).measure(cage.vertices, 0.03);
  for (const double half : t.half) EXPECT_LT(half, 0.06);
}

TEST(Samples, StandForAllOfTheSkinWhateverItsTriangles) {
  for (const double spacing : {0.01, 0.05, 0.5}) {
    double area = 0;
    for (const SkinSample& s : sample_skin(box_skin(Vec3(0, 0, 0), Vec3(0.2, 0.3, 0.4)), spacing)) area += s.area;
    EXPECT_NEAR(area, 2 * (0.06 + 0.08 + 0.12), 0.5 * spacing * spacing) << spacing;
  }
  const TriMesh fine = capsule_skin(0.1, 1, 64, 100);
  EXPECT_LT(sample_skin(fine, 0.1).size(), 400u);
}

TEST(Graph, SlopeIsLimitedAndNothingIsRaised) {
  const TetMesh mesh = make_box(4, 4, 4, Vec3(1, 1, 1));
  const CageGraph graph = make_graph(mesh);
  std::vector<double> values(mesh.n_vertices(), 10);
  values[0] = 0;
  const auto limited = limit_slope(graph, values);
  EXPECT_EQ(limited[0], 0);
  for (int i = 0; i < graph.size(); ++i) {
    EXPECT_LE(limited[i], values[i]);
    EXPECT_GE(limited[i], (mesh.vertices[i] - mesh.vertices[0]).norm() - 1e-12);
    for (int k = graph.first[i]; k < graph.first[i + 1]; ++k) {
      EXPECT_LE(limited[graph.neighbour[k]], limited[i] + graph.length[k] + 1e-12);
    }
  }
}

TEST(Bones, SegmentsRunToWeightedChildrenAndLeavesToTheEndOfTheirSkin) {
  Body body = capsule_body(0.1, 1, 0.1, {0, 0.4, 0.7});
  // A bone between that carries nothing is passed over.
  Bone idle;
  idle.name = "idle";
  idle.parent = 1;
  idle.head = Vec3(5, 5, 5);
  idle.from_bound.setIdentity();
  body.drawn.bones.push_back(idle);
  body.drawn.bones[2].parent = 3;
  const Skeleton s = find_skeleton(body.drawn, body.skin, body.input().skin_source);
  ASSERT_EQ(s.bones.size(), 3u);
  EXPECT_EQ(s.bones[2].parent, 1);
  EXPECT_EQ(s.index[3], -1);
  EXPECT_NEAR(s.distance(1, Vec3(0.2, 0.5, 0)), 0.2, 1e-12);
  EXPECT_NEAR((s.bones[1].segments[0][1] - Vec3(0, 0.7, 0)).norm(), 0, 1e-12);
  EXPECT_NEAR((s.bones[2].segments[0][1] - Vec3(0, 1, 0)).norm(), 0, 1e-3);
  EXPECT_EQ(s.height(0), 2);
  EXPECT_TRUE(s.above(0, 2));
  EXPECT_FALSE(s.above(2, 0));
}

std::vector<Pose> moved(const Drawn& drawn, int n, const std::function<Vec3(double)>& place, double fps) {
  std::vector<Pose> poses;
  for (int f = 0; f < n; ++f) {
    Pose pose = bound_pose(drawn);
    for (Affine& b : pose.bones) b = Eigen::Translation3d(place(f / fps)) * b;
    poses.push_back(pose);
  }
  return poses;
}

TEST(Planted, WhatStandsIsAndWhatFliesIsNot) {
  Body body = capsule_body(0.2, 1, 0.1, {0, 0.5});
  const SkinnedPoints skin = skin_points(body.drawn, body.input().skin_source);
  auto count = [&](const std::function<Vec3(double)>& place) {
    const auto flags = planted_skin(skin, moved(body.drawn, 283, place, 30), {{0, 283, 30}}, Vec3(0, 1, 0), 1);
    int n = 0;
    for (size_t i = 0; i < flags.size(); ++i) {
      n += flags[i];
      EXPECT_EQ(flags[i], n > 0 && flags[i] && skin.rest[i].y() <= 0.025 + 1e-12 ? 1 : 0);
    }
    return n;
  };
  int low = 0;
  for (const Vec3& x : skin.rest) low += x.y() <= 0.025;
  EXPECT_EQ(count([](double) { return Vec3(3, -2, 1); }), low);
  // On the spot over a floor that runs under it.
  EXPECT_EQ(count([](double t) { return Vec3(1.5 * t, 0, 0); }), low);
  // It swims: its lowest level is passed, never kept.
  EXPECT_EQ(count([](double t) { return Vec3(0, 0.15 * std::sin(2 * t), 0); }), 0);
  // One frame says nothing.
  EXPECT_EQ(planted_skin(skin, body.poses, {{0, 1, 30}}, Vec3(0, 1, 0), 1), std::vector<char>(skin.rest.size(), 0));
}

TEST(Planted, MorphsCountWhereTheirWeightChanges) {
  Body body = capsule_body(0.2, 1, 0.1, {0, 0.5});
  body.drawn.vertices.morphs.resize(2);
  for (int m = 0; m < 2; ++m) {
    body.drawn.vertices.morphs[m].points = {10 + m, 20 + m};
    body.drawn.vertices.morphs[m].offsets = {Vec3(0.01, 0, 0), Vec3(1e-5, 0, 0)};
  }
  body.poses.resize(2, body.poses[0]);
  body.poses[0].morphs = {0.2, 0.7};
  body.poses[1].morphs = {0.9, 0.7};
  const auto flags = morphed_skin(skin_points(body.drawn, body.input().skin_source), body.poses, 1);
  for (size_t i = 0; i < flags.size(); ++i) EXPECT_EQ(flags[i], i == 10) << i;
}

}  // namespace
}  // namespace supple
