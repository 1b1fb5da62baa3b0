// From a character to a bare surface: one vertex where materials meet, frames as the bones have them.
#include "supple/demos/shapes/draw_character.h"

#include <cmath>

#include "supple/anim/key_clip.h"
#include "supple/demos/shapes/shapes.h"
#include "tests/demos/drawn_checks.h"

namespace supple {

using namespace demos;
namespace {

// A bar of two bones, painted in two materials across its middle, and a ball on its end.
struct PaintedBar {
  Rig rig;
  RiggedSkin skin;
  RiggedCharacter made;
  Clip clip;
  PaintedBar() {
    rig.add("a", "", {-0.5, 0, 0}, {0, 0, 0}, 0.1, 1);
    rig.add("b", "a", {0, 0, 0}, {0.5, 0, 0}, 0.1, 1);
    skin.surface = skin_surface(
        [](const Vec3& p) {
          return round_cone(p, {-0.5, 0, 0}, {0.5, 0, 0}, 0.1, 0.1);
        },
        {{-0.7, -0.2, -0.2}, {0.7, 0.2, 0.2}},
        {.edge = 0.05, .paints = {{"right", [](const Vec3& p) { return -p[0]; }}}, .material = "left"});
    skin.weights = rig_weights(rig, skin.surface.mesh, 6, {});
    made = assemble("bar", rig, skin, {{"ball", 1, egg({0.65, 0, 0}, Vec3::Constant(0.03))}});
    clip = bake_clip(made.character, "bend", 11, 10, [](double f, std::vector<Placement>& nodes) {
      nodes[0].translation += Vec3(0, 0.01 * f, 0);
      nodes[1].rotation = turned({0, 0, 9 * f});
    });
  }
};

TEST(DrawCharacter, is_closed_where_materials_meet_and_keeps_other_shells_apart) {
  const PaintedBar bar;
  const WeldedSkin skin = weld(bar.made.character);
  EXPECT_LT(skin.size(), skin.drawn.n_vertices());
  EXPECT_EQ(skin.size(), bar.skin.surface.mesh.n_vertices() + egg(Vec3::Zero(), Vec3::Ones()).n_vertices());
  TriMesh mesh;
  for (int v : skin.source) mesh.vertices.push_back(skin.drawn.vertices.rest[v]);
  mesh.triangles = skin.triangles;
  expect_closed(mesh);
}

TEST(DrawCharacter, vertices_that_only_lie_at_one_place_stay_two) {
  PaintedBar bar;
  // The second material goes with the other bone alone.
  for (Primitive& p : bar.made.character.meshes[0].primitives)
    for (size_t i = 0; i < p.positions.size(); ++i) {
      p.weights[4 * i] = 1;
      for (size_t k = 1; k < 4; ++k) p.weights[4 * i + k] = 0;
      p.joints[4 * i] = p.material == "left" ? 0 : 1;
    }
  const WeldedSkin skin = weld(bar.made.character);
  EXPECT_EQ(skin.size(), skin.drawn.n_vertices());
}

TEST(DrawCharacter, frames_are_where_bones_take_the_vertices) {
  const PaintedBar bar;
  const Painting painting{.soft = [](const Vec3& x, const std::string& m) { return m == "ball" ? 0.0 : x[0] + 0.5; },
                          .parts = {{"right", [](const Vec3& x, const std::string&) { return x[0] > 0 ? 1.0 : 0.0; }}}};
  const DrawnAnimation a = draw_character(bar.made.character, bar.clip, 11, 10, painting);
  ASSERT_EQ(a.frames.size(), 11u);
  const Reopened again = reopen(bar.made.character);
  ASSERT_EQ(again.skin.surface.mesh.n_vertices(), a.neutral.n_vertices());
  for (int f = 0; f <= 10; f += 5) {
    const std::vector<Affine> bones = bar.rig.pose({Quat::Identity(), turned({0, 0, 9.0 * f})}, {0, 0.01 * f, 0});
    for (int i = 0; i < a.neutral.n_vertices(); ++i) {
      Vec3 x = Vec3::Zero();
      for (int j = 0; j < 2; ++j) x += again.skin.weights(i, j) * (bones[j] * a.neutral.vertices[i]);
      EXPECT_NEAR((a.frames[f][i] - x).norm(), 0, 1e-12);
    }
  }
  for (int i = 0; i < a.neutral.n_vertices(); ++i) {
    const double x = a.neutral.vertices[i][0];
    EXPECT_EQ(a.neutral.vertex_maps.at("soft")[i], x > 0.61 ? 0 : std::clamp(x + 0.5, 0.0, 1.0));
  }
  for (int v : a.parts.at("right")) EXPECT_GT(a.neutral.vertices[v][0], 0);
}

TEST(DrawCharacter, what_it_was_made_from_is_found_again) {
  const PaintedBar bar;
  const Reopened again = reopen(bar.made.character);
  EXPECT_TRUE(again.character.character.clips.empty());
  ASSERT_EQ(again.character.source.size(), bar.made.source.size());
  for (size_t p = 0; p < bar.made.source.size(); ++p) {
    ASSERT_EQ(again.character.source[p].size(), bar.made.source[p].size());
    for (size_t i = 0; i < bar.made.source[p].size(); ++i) {
      const int before = bar.made.source[p][i], now = again.character.source[p][i];
      if (before < 0) continue;  // the ball
      EXPECT_EQ(again.skin.surface.mesh.vertices[now], bar.skin.surface.mesh.vertices[before]);
      EXPECT_NEAR((again.skin.weights.row(now) - bar.skin.weights.row(before)).norm(), 0, 1e-12);
    }
  }
}

}  // namespace
}  // namespace supple
