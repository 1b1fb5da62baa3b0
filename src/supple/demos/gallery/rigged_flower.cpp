#include "supple/demos/gallery/rigged_flower.h"

#include "supple/anim/key_clip.h"
#include "supple/demos/gallery/rigged_flower_plan.h"
#include "supple/demos/shapes/conforming_tets.h"
#include "supple/demos/shapes/shapes.h"

namespace supple::demos {

namespace flower {

namespace {

constexpr int kPassesOfWeights = 1;

Rig flower_skeleton() {
  Rig r;
  r.add("pot", "", Vec3::Zero(), kStem[0], 0.14, 1);
  r.add("stem1", "pot", kStem[0], kStem[1], 0.05, 1);
  r.add("stem2", "stem1", kStem[1], kStem[2], 0.05, 1);
  r.add("stem3", "stem2", kStem[2], kStem[3], 0.05, 1);
  r.add("blossom", "stem3", kStem[3], kBlossom + Vec3(0, 0.2, 0), 0.15, 1);
  r.add("leaf_l1", "stem1", kLeft[0], kLeft[1], 0.04, 1);
  r.add("leaf_l2", "leaf_l1", kLeft[1], kLeft[2], 0.06, 1);
  r.add("leaf_r1", "stem2", kRight[0], kRight[1], 0.04, 1);
  r.add("leaf_r2", "leaf_r1", kRight[1], kRight[2], 0.06, 1);
  return r;
}

// 329 vertices on the surface and 363 inside [rig-space physics, Table 1].
ConformingBody flower_tets() {
  constexpr double edge = 0.0972;
  return conforming_tets(body, fat_body, {{-0.6, -0.2, -0.5}, {0.6, 1.6, 0.5}}, {.edge = edge, .interior = 363});
}

RiggedSkin flower_skin(const Rig& rig, const TriMesh& mesh) {
  RiggedSkin s;
  s.surface.mesh = mesh;
  s.surface.materials = {"green", "petals", "disc", "pot"};
  for (const Tri& t : mesh.triangles) {
    const Vec3 x = (mesh.vertices[t[0]] + mesh.vertices[t[1]] + mesh.vertices[t[2]]) / 3;
    s.surface.triangle_material.push_back(disc(x) < 0 ? 2 : petals(x) < 0.01 ? 1 : pot(x) < 0.01 ? 3 : 0);
  }
  // What is in the pot stays in it, and the blossom goes as one.
  s.weights = rig_weights(rig, mesh, kPassesOfWeights, [&](const Vec3& x, int j) {
    const std::string& name = rig.joints()[j].name;
    if (name == "blossom") return smooth_ramp(petals(x), 0.06, 0.01);
    if (name == "pot") return smooth_ramp(x[1], 0.14, 0.10);
    return 0.0;
  });
  return s;
}

// Pushed to the right and stopped, pulled back, and tipped.
PoseFunction shove(const Rig& rig) {
  const KeyCurve place({{4, {0, 0, 0}}, {13, {0.5, 0, 0}, Ease::hit}, {40, {0.5, 0, 0}}, {52, {0, 0, 0.25}}});
  const KeyCurve tip({{64, {0, 0, 0}}, {72, {0, 0, 14}}, {78, {0, 0, 0}, Ease::hit}});
  return [&rig, place, tip](double frame, std::vector<Placement>& nodes) {
    nodes[rig["pot"]].translation += place.at(frame);
    nodes[rig["pot"]].rotation = turned(tip.at(frame));
  };
}

}  // namespace
}  // namespace flower

RiggedFlower make_rigged_flower(int frames) {
  const Rig rig = flower::flower_skeleton();
  ConformingBody body = flower::flower_tets();
  RiggedCharacter r = assemble("flower", rig, flower::flower_skin(rig, body.surface), {});
  r.character.clips.push_back(bake_clip(r.character, "shove", frames, kRiggedFlowerFps, flower::shove(rig)));
  r.character.clips[0].sources = {0};
  const int n_surface = body.n_surface();
  return {std::move(r.character), std::move(body.tets), n_surface};
}

std::map<std::string, Vec3> rigged_flower_colors() {
  return {{"green", {0.10, 0.42, 0.10}},
          {"petals", {0.88, 0.30, 0.42}},
          {"disc", {0.92, 0.66, 0.10}},
          {"pot", {0.62, 0.26, 0.12}}};
}

}  // namespace supple::demos
