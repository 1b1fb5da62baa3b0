// The sumo wrestler and the jellyphant: one surface each, weights, clips, feet that stand, correctives.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "supple/anim/drawn.h"
#include "supple/anim/key_clip.h"
#include "supple/demos/gallery/jellyphant.h"
#include "supple/demos/gallery/sumo.h"
#include "supple/demos/shapes/correctives.h"
#include "supple/demos/shapes/shapes.h"

namespace supple {

using namespace demos;
namespace {

constexpr double kCoarse = 0.065;

const Character& sumo() {
  static const Character c = make_sumo({.edge = kCoarse});
  return c;
}
const Character& jellyphant() {
  static const Character c = make_jellyphant({.edge = kCoarse});
  return c;
}

// Triangles by vertices that are at one place; eyes and tusks left out.
std::vector<Tri> welded(const Character& c, const std::set<std::string>& without, int* n_vertices) {
  std::map<std::array<double, 3>, int> place;
  std::vector<Tri> all;
  for (const Primitive& p : c.meshes[0].primitives) {
    if (without.count(p.material)) continue;
    for (Tri t : p.triangles) {
      for (int& v : t) {
        const Vec3& x = p.positions[v];
        v = place.try_emplace({x[0], x[1], x[2]}, static_cast<int>(place.size())).first->second;
      }
      all.push_back(t);
    }
  }
  *n_vertices = static_cast<int>(place.size());
  return all;
}

void expect_one_closed_surface(const std::vector<Tri>& triangles, int n_vertices) {
  std::set<std::pair<int, int>> edges;
  for (const Tri& t : triangles)
    for (int c = 0; c < 3; ++c) EXPECT_TRUE(edges.insert({t[c], t[(c + 1) % 3]}).second) << "an edge with three sides";
  for (const auto& [a, b] : edges) EXPECT_TRUE(edges.count({b, a})) << "an open edge";
  // A ball: vertices - edges + triangles = 2.
  EXPECT_EQ(n_vertices - static_cast<int>(edges.size()) / 2 + static_cast<int>(triangles.size()), 2);
}

double volume(const Character& c, const std::set<std::string>& without) {
  double sum = 0;
  for (const Primitive& p : c.meshes[0].primitives) {
    if (without.count(p.material)) continue;
    for (const Tri& t : p.triangles) sum += p.positions[t[0]].dot(p.positions[t[1]].cross(p.positions[t[2]])) / 6;
  }
  return sum;
}

void expect_sound(const Character& c) {
  EXPECT_EQ(c.clips.size(), 1u);
  for (const Primitive& p : c.meshes[0].primitives) {
    ASSERT_EQ(p.influences, 4);
    ASSERT_EQ(p.weights.size(), 4 * p.positions.size());
    for (size_t i = 0; i < p.positions.size(); ++i) {
      double sum = 0;
      for (size_t k = 0; k < 4; ++k) {
        EXPECT_GE(p.weights[4 * i + k], 0);
        EXPECT_LT(p.joints[4 * i + k], static_cast<int>(c.skins[0].joints.size()));
        sum += p.weights[4 * i + k];
      }
      EXPECT_NEAR(sum, 1, 1e-9);
      EXPECT_NEAR(p.normals[i].norm(), 1, 1e-6);
      EXPECT_TRUE(p.positions[i].allFinite());
    }
    const auto& soft = p.maps.at("_SOFT");
    ASSERT_EQ(soft.size(), p.positions.size());
    for (double s : soft) EXPECT_TRUE(s >= 0 && s <= 1);
    EXPECT_EQ(p.targets.size(), c.meshes[0].weights.size());
  }
}

// The farthest that a sole goes sideways while it is on the ground, over all stays of all soles.
double slip(const Character& c, double fps, int frames, int* n_stays) {
  const Drawn d = lay_out(c);
  std::vector<int> soles;
  for (int v = 0; v < d.n_vertices(); ++v)
    if (d.vertices.rest[v][1] < 0.004) soles.push_back(v);
  EXPECT_GT(soles.size(), 20u);
  std::vector<Points> at;
  for (int f = 0; f < frames; ++f) at.push_back(posed(d.vertices, pose_at(c, d, c.clips[0], f / fps)));
  double worst = 0;
  *n_stays = 0;
  for (int v : soles) {
    int since = -1;
    for (int f = 0; f < frames; ++f) {
      // On the ground: no higher than at rest, in this frame and the one before.
      const bool down = at[f][v][1] < d.vertices.rest[v][1] + 1e-4;
      EXPECT_GT(at[f][v][1], -0.02) << "a sole goes through the ground in frame " << f;
      if (!down) since = -1;
      if (down && since < 0) since = f, ++*n_stays;
      if (down) worst = std::max(worst, (at[f][v] - at[since][v]).norm());
    }
  }
  return worst;
}

TEST(Sumo, is_one_closed_surface_that_faces_outwards) {
  int n = 0;
  const auto triangles = welded(sumo(), {"eyes"}, &n);
  expect_one_closed_surface(triangles, n);
  EXPECT_GT(volume(sumo(), {"eyes"}), 0.2);  // [m^3]: a heavy man
  expect_sound(sumo());
  std::set<std::string> materials;
  for (const Primitive& p : sumo().meshes[0].primitives) materials.insert(p.material);
  for (const char* name : {"skin", "mawashi", "hair", "eyes"}) EXPECT_TRUE(materials.count(name)) << name;
  for (const std::string& m : materials) EXPECT_TRUE(sumo_colors().count(m)) << m;
}

TEST(Sumo, feet_on_the_ground_stay_where_they_are) {
  EXPECT_NEAR(sumo().clips[0].end, (kSumoFrames - 1) / kSumoFps, 1e-9);
  EXPECT_EQ(frame_rate(sumo().clips[0]), 24);
  int stays = 0;
  const double height = 1.85;
  EXPECT_LT(slip(sumo(), kSumoFps, kSumoFrames, &stays), 0.001 * height);
  // Each sole stands, stamps once and steps once: three stays.
  EXPECT_GE(stays, 3 * 20);
}

TEST(Sumo, a_shorter_clip_is_the_beginning_of_the_long_one) {
  const Character c = make_sumo({.edge = 0.09, .frames = 40});
  EXPECT_NEAR(c.clips[0].end, 39 / kSumoFps, 1e-9);
  const auto a = node_matrices(c, c.clips[0], 1), b = node_matrices(sumo(), sumo().clips[0], 1);
  for (size_t n = 0; n < a.size(); ++n) EXPECT_NEAR((a[n].matrix() - b[n].matrix()).norm(), 0, 1e-12);
}

TEST(Jellyphant, is_one_closed_surface_that_faces_outwards) {
  int n = 0;
  const std::set<std::string> things = {"eyes", "glint", "tusks"};
  const auto triangles = welded(jellyphant(), things, &n);
  expect_one_closed_surface(triangles, n);
  EXPECT_GT(volume(jellyphant(), things), 0.5);
  expect_sound(jellyphant());
  for (const Primitive& p : jellyphant().meshes[0].primitives) {
    EXPECT_TRUE(jellyphant_colors().count(p.material)) << p.material;
    EXPECT_EQ(p.maps.at("_LOOSE").size(), p.positions.size());
  }
  EXPECT_EQ(jellyphant().meshes[0].primitives[0].targets[0].name, "squash");
}

TEST(Jellyphant, feet_on_the_ground_stay_where_they_are) {
  EXPECT_NEAR(jellyphant().clips[0].end, (kJellyphantFrames - 1) / kJellyphantFps, 1e-9);
  int stays = 0;
  EXPECT_LT(slip(jellyphant(), kJellyphantFps, kJellyphantFrames, &stays), 0.001 * 1.55);
  EXPECT_GE(stays, 3 * 20);  // before, between and after the hops
}

// A bar of two bones, bent at its middle.
struct BentBar {
  Rig rig;
  RiggedSkin skin;
  BentBar() {
    rig.add("a", "", {-0.5, 0, 0}, {0, 0, 0}, 0.1, 1);
    rig.add("b", "a", {0, 0, 0}, {0.5, 0, 0}, 0.1, 1);
    skin.surface = skin_surface(
        [](const Vec3& p) {
          return round_cone(p, {-0.5, 0, 0}, {0.5, 0, 0}, 0.1, 0.1);
        },
        {{-0.7, -0.2, -0.2}, {0.7, 0.2, 0.2}}, {.edge = 0.04});
    skin.weights = rig_weights(rig, skin.surface.mesh, 6, {});
  }
};

TEST(Correctives, the_corrected_skin_is_the_sculpted_one_in_its_pose) {
  const BentBar bar;
  RiggedCharacter r = assemble("bar", bar.rig, bar.skin, {});
  const Quat bent(Eigen::AngleAxisd(1.6, Vec3::UnitZ()));
  Clip clip = bake_clip(r.character, "bend", 11, 10, [&](double f, std::vector<Placement>& nodes) {
    nodes[1].rotation = Quat::Identity().slerp(f / 10, bent);
  });
  Sculpt sculpt;
  sculpt.round = 1;
  sculpt.smooth = 0;
  add_correctives(bar.rig, bar.skin, {{.name = "elbow", .joints = {1}, .poses = {{bent}}}}, sculpt, 11, 10, r, clip);
  r.character.clips.push_back(clip);
  EXPECT_EQ(r.character.meshes[0].primitives[0].targets[0].name, "elbow.1");
  const Drawn d = lay_out(r.character);
  const Pose pose = pose_at(r.character, d, clip, 1.0), rest = pose_at(r.character, d, clip, 0);
  EXPECT_NEAR(pose.morphs[0], 1, 1e-9);
  EXPECT_NEAR(rest.morphs[0], 0, 1e-9);
  Pose plain = pose;
  plain.morphs[0] = 0;
  const Points x = posed(d.vertices, pose), before = posed(d.vertices, plain);
  // Skin beside the joint keeps its distance from it, which blended matrices alone do not.
  double thin = 1, kept = 1;
  for (size_t i = 0; i < x.size(); ++i) {
    if (std::abs(d.vertices.rest[i][0]) > 0.03) continue;
    thin = std::min(thin, before[i].norm() / d.vertices.rest[i].norm());
    kept = std::min(kept, x[i].norm() / d.vertices.rest[i].norm());
  }
  EXPECT_LT(thin, 0.85);
  EXPECT_GT(kept, 0.99);
}

TEST(Correctives, do_not_depend_on_how_the_character_stands) {
  const BentBar bar;
  const Quat bent(Eigen::AngleAxisd(1.6, Vec3::UnitZ()));
  const auto weights = [&](double spin) {
    RiggedCharacter r = assemble("bar", bar.rig, bar.skin, {});
    Clip clip = bake_clip(r.character, "bend", 11, 10, [&](double f, std::vector<Placement>& nodes) {
      nodes[0].rotation = Quat(Eigen::AngleAxisd(spin * f, Vec3(1, 2, 3).normalized()));
      nodes[0].translation += spin * f * Vec3(1, 0, 0);
      nodes[1].rotation = Quat::Identity().slerp(f / 10, bent);
    });
    add_correctives(bar.rig, bar.skin, {{.name = "elbow", .joints = {1}, .poses = {{bent}}}}, {}, 11, 10, r, clip);
    return clip.channels.back().values;
  };
  const auto still = weights(0), spun = weights(0.7);
  ASSERT_EQ(still.size(), 11u);
  EXPECT_GT(still[5], 0.2);
  EXPECT_LT(still[5], 0.8);
  for (size_t f = 0; f < 11; ++f) EXPECT_NEAR(still[f], spun[f], 1e-12);
}

TEST(Correctives, skin_gives_way_to_a_solid) {
  const BentBar bar;
  const std::vector<Quat> turns = {Quat::Identity(), Quat(Eigen::AngleAxisd(2.4, Vec3::UnitZ()))};
  // A ball on the first bone that the second one is turned into.
  const SignedDistance solid = [](const Vec3& p) { return ball(p, {-0.25, 0.15, 0}, 0.12); };
  Sculpt without, with;
  without.smooth = with.smooth = 0;
  with.bumps.push_back({solid, 0, {1}, 1.0});
  const auto deepest = [&](const Sculpt& s) {
    const Points offsets = sculpted(bar.rig, bar.skin, turns, s);
    const auto bones = bar.rig.pose(turns);
    double depth = 0;
    for (int i = 0; i < bar.skin.surface.mesh.n_vertices(); ++i) {
      if (bar.skin.weights(i, 1) < 0.999) continue;
      depth = std::max(depth, -solid(bones[1] * Vec3(bar.skin.surface.mesh.vertices[i] + offsets[i])));
    }
    return depth;
  };
  EXPECT_GT(deepest(without), 0.03);
  EXPECT_LT(deepest(with), 0.002);
}

TEST(SkinSurface, lies_on_its_function_and_is_cut_along_paint) {
  const SignedDistance f = [](const Vec3& p) { return ellipsoid(p, Vec3::Zero(), {0.5, 0.3, 0.4}); };
  const SignedDistance paint = [](const Vec3& p) { return p[1] - 0.05; };
  const SkinSurface s = skin_surface(f, {{-0.6, -0.5, -0.5}, {0.6, 0.5, 0.5}},
                                     {.edge = 0.05,
                                      .finer = [](const Vec3& p) { return p[0] > 0.3 ? 0.5 : 1.0; },
                                      .paints = {{"below", paint}},
                                      .material = "above"});
  expect_one_closed_surface(s.mesh.triangles, s.mesh.n_vertices());
  for (int i = 0; i < s.mesh.n_vertices(); ++i) {
    EXPECT_NEAR(f(s.mesh.vertices[i]), 0, 1e-6);
    EXPECT_NEAR(s.mesh.normals[i].dot(gradient(f, s.mesh.vertices[i]).normalized()), 1, 1e-9);
  }
  double fine = 0, coarse = 0;
  int n_fine = 0, n_coarse = 0;
  for (size_t t = 0; t < s.mesh.triangles.size(); ++t) {
    const Tri& tri = s.mesh.triangles[t];
    for (int c = 0; c < 3; ++c) {
      const Vec3 &a = s.mesh.vertices[tri[c]], &b = s.mesh.vertices[tri[(c + 1) % 3]];
      // No triangle lies across the border.
      EXPECT_TRUE(s.materials[s.triangle_material[t]] == "below" ? a[1] < 0.051 : a[1] > 0.049) << a[1];
      if (a[0] > 0.35) fine += (a - b).norm(), ++n_fine;
      if (a[0] < 0.2) coarse += (a - b).norm(), ++n_coarse;
    }
  }
  EXPECT_LT(fine / n_fine, 0.7 * coarse / n_coarse);
}

TEST(SkinSurface, bodies_that_only_just_touch_are_still_a_surface) {
  // Two balls that meet in about a point of the lattice.
  const SignedDistance f = [](const Vec3& p) {
    return std::min(ball(p, {-0.2, 0, 0}, 0.2005), ball(p, {0.2, 0, 0}, 0.2005));
  };
  for (const double edge : {0.04, 0.047, 0.055}) {
    const SkinSurface s = skin_surface(f, {{-0.5, -0.3, -0.3}, {0.5, 0.3, 0.3}}, {.edge = edge});
    std::map<std::pair<int, int>, int> edges;
    for (const Tri& t : s.mesh.triangles)
      for (int c = 0; c < 3; ++c) ++edges[{t[c], t[(c + 1) % 3]}];
    for (const auto& [e, n] : edges) {
      EXPECT_EQ(n, 1);
      EXPECT_TRUE(edges.count({e.second, e.first}));
    }
  }
}

}  // namespace
}  // namespace supple
