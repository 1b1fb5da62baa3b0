#include "supple/demos/gallery/jellyphant.h"

#include <algorithm>
#include <cmath>

#include "supple/anim/drawn.h"
#include "supple/demos/gallery/jellyphant_plan.h"
#include "supple/demos/shapes/correctives.h"
#include "supple/demos/shapes/shapes.h"

namespace supple::demos {

namespace jellyphant {

Rig skeleton() {
  Rig r;
  r.add("pelvis", "", kPelvis, kPelvis + 0.8 * (kChest - kPelvis), 0.34, 1);
  r.add("chest", "pelvis", kChest, kNeck, 0.34, 1);
  r.add("neck", "chest", kNeck, kHead, 0.25, 0.8);
  r.add("head", "neck", kHead, kHeadTip, 0.27, 0.6);
  r.add("trunk1", "head", kTrunk[0], kTrunk[1], 0.11, 1);
  r.add("trunk2", "trunk1", kTrunk[1], kTrunk[2], 0.09, 1);
  r.add("trunk3", "trunk2", kTrunk[2], 0.5 * (kTrunk[4] + kTrunk[5]), 0.11, 1);
  r.add("tail1", "pelvis", kTail[0], kTail[2], 0.09, 1);
  r.add_pair("ear", "head", kEar, kEar + 0.30 * kEarOut, 0.05, 1);
  const auto leg = [&](const std::string& name, const std::string& parent, const Vec3(&at)[4]) {
    r.add_pair(name + "_leg", parent, at[0], at[1], 0.15, 1);
    r.add_pair(name + "_shin", name + "_leg", at[1], at[2], 0.125, 0.7);
    r.add_pair(name + "_foot", name + "_shin", at[2], at[3], 0.11, 0);
  };
  leg("fore", "chest", kFore);
  leg("hind", "pelvis", kHind);
  return r;
}

namespace {

double fineness(const Vec3& p) {
  Fineness fine{.over = 0.15};
  const Vec3 q(std::abs(p[0]), p[1], p[2]);
  fine.towards((q - Vec3(0.20, 1.24, 0.78)).norm() - 0.05, 0.6);
  fine.towards((p - kTrunk[5]).norm() - 0.10, 0.6);
  fine.towards((q - kEar - 0.2 * kEarOut).norm() - 0.35, 0.7);
  fine.towards(0.72 + p[2], 0.6);
  fine.towards(p[1] - 0.1, 0.75);
  return fine.value;
}

RiggedSkin skin(const Rig& rig, double edge) {
  RiggedSkin s;
  s.surface = skin_surface(body, {{-0.95, -0.08, -1.05}, {0.95, 1.75, 1.5}},
                           {.edge = edge,
                            .lattice = 0.7 * edge,
                            .finer = fineness,
                            .paints = {{"blush", inner_ear}, {"toes", nails}},
                            .material = "jelly"});
  const int ear[] = {rig["ear_l"], rig["ear_r"]};
  // An ear goes with its bone, however wide it is; feet stand as one.
  s.weights = rig_weights(rig, s.surface.mesh, 10, [&](const Vec3& x, int j) {
    if (j == ear[x[0] > 0 ? 0 : 1]) return ear_share(x);
    const std::string foot = std::string(x[2] > -0.1 ? "fore" : "hind") + "_foot" + (x[0] > 0 ? "_l" : "_r");
    return rig.joints()[j].name == foot && std::abs(x[2] + 0.1) < 0.55 ? smooth_ramp(x[1], 0.17, 0.10) : 0.0;
  });
  return s;
}

std::vector<Ornament> ornaments(const Rig& rig) {
  std::vector<Ornament> list;
  const SkinSurface one = skin_surface(tusk, {{0.0, 0.8, 0.6}, {0.3, 1.15, 1.2}}, {.edge = 0.018});
  for (const double x : {1.0, -1.0}) {
    const Vec3 eye(0.207 * x, 1.245, 0.765);
    list.push_back({"eyes", rig["head"], egg(eye, Vec3::Constant(0.043))});
    list.push_back(
        {"glint", rig["head"], egg(eye + Vec3(0.016 * x, 0.019, 0.03), Vec3::Constant(0.0115), Mat3::Identity(), 6)});
    TriMesh m = one.mesh;
    if (x < 0) {
      for (Vec3& v : m.vertices) v = mirrored(v);
      for (Vec3& n : m.normals) n = mirrored(n);
      for (Tri& t : m.triangles) std::swap(t[1], t[2]);
    }
    list.push_back({"tusks", rig["head"], m});
  }
  return list;
}

// Squashed, or stretched when factor is negative; feet keep their place.
Points squashed(const TriMesh& mesh, double factor) {
  Points offsets;
  for (const Vec3& x : mesh.vertices) {
    const double share = factor * smooth_ramp(x[1], 0.30, 0.60);
    offsets.push_back(share * Vec3(0.10 * x[0], -0.13 * (x[1] - 0.62), 0.06 * (x[2] + 0.05)));
  }
  return offsets;
}

std::vector<Corrective> correctives(const Rig& rig, const Character& character, const Clip& clip) {
  std::vector<Corrective> list;
  for (const std::string side : {"_l", "_r"}) {
    for (const std::string name : {"fore", "hind"}) {
      for (const std::string part : {"_leg", "_shin"}) {
        Corrective c{.name = name + part + side, .joints = {rig[name + part + side]}, .poses = {}};
        const Quat low = node_placements(character, clip, 34 / kJellyphantFps)[c.joints[0]].rotation;
        if (pose_distance({low}, {Quat::Identity()}) < 0.1) continue;
        c.poses.push_back({low});
        list.push_back(c);
      }
    }
  }
  return list;
}

}  // namespace
}  // namespace jellyphant

Character make_jellyphant(const JellyphantOptions& o) {
  const Rig rig = jellyphant::skeleton();
  const RiggedSkin skin = jellyphant::skin(rig, o.edge);
  RiggedCharacter r = assemble("jellyphant", rig, skin, jellyphant::ornaments(rig));
  for (Primitive& p : r.character.meshes[0].primitives) {
    for (const Vec3& x : p.positions) p.maps["_LOOSE"].push_back(jellyphant::loose(x));
  }
  Clip clip = bake_clip(r.character, "hop", o.frames, kJellyphantFps, jellyphant::motion(rig));
  add_surface_shape(skin, "squash", jellyphant::squashed(skin.surface.mesh, 1), r);
  add_surface_shape(skin, "stretch", jellyphant::squashed(skin.surface.mesh, -1), r);
  add_correctives(rig, skin, jellyphant::correctives(rig, r.character, clip), {}, o.frames, kJellyphantFps, r, clip,
                  [](int f) {
                    const Vec3 w = jellyphant::squash(f);
                    return std::vector<double>{w[0], w[1]};
                  });
  clip.sources = {0};
  r.character.clips.push_back(std::move(clip));
  return std::move(r.character);
}

std::map<std::string, Vec3> jellyphant_colors() {
  return {{"jelly", {0.10, 0.46, 0.62}}, {"blush", {0.86, 0.28, 0.42}}, {"toes", {0.88, 0.78, 0.62}},
          {"tusks", {0.90, 0.84, 0.68}}, {"eyes", {0.01, 0.01, 0.015}}, {"glint", {0.95, 0.95, 0.95}}};
}

}  // namespace supple::demos
