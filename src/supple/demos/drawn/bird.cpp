#include "supple/demos/drawn/bird.h"

#include <algorithm>
#include <cmath>

#include "supple/anim/key_clip.h"
#include "supple/demos/drawn/bird_plan.h"
#include "supple/demos/shapes/correctives.h"
#include "supple/demos/shapes/draw_character.h"
#include "supple/demos/shapes/shapes.h"

namespace supple::demos {

namespace bird {

Rig skeleton() {
  Rig r;
  r.add("body", "", kBody, {0, 0.36, 0.05}, 0.14, 1);
  r.add("neck", "body", kNeck, kHead, 0.085, 1);
  r.add("head", "neck", kHead, {0, 0.60, 0.13}, 0.095, 1);
  r.add("tail", "body", kTail, {0, 0.32, -0.36}, 0.05, 1);
  r.add_pair("arm", "body", kWing[0], kWing[1], 0.05, 1);
  r.add_pair("forearm", "arm", kWing[1], kWing[2], 0.05, 1);
  r.add_pair("hand", "forearm", kWing[2], kWing[3], 0.05, 1);
  r.add_pair("thigh", "body", kLeg[0], kLeg[1], 0.05, 0);
  r.add_pair("shin", "thigh", kLeg[1], kLeg[2], 0.022, 0);
  r.add_pair("foot", "shin", kLeg[2], kLeg[3], 0.03, 0);
  return r;
}

namespace {

double fineness(const Vec3& p) {
  Fineness fine{.over = 0.06};
  const Vec3 q(std::abs(p[0]), p[1], p[2]);
  fine.towards(p[1] - 0.15, 0.72);
  fine.towards((p - Vec3(0, 0.555, 0.24)).norm() - 0.05, 0.7);
  fine.towards((q - kEye).norm() - 0.03, 0.8);
  return fine.value;
}

// Feathers go with the bone that they are across from, however long they are; feet stand as one.
double rigid(const Rig& rig, const Vec3& x, int j) {
  const Vec3 q(std::abs(x[0]), x[1], x[2]);
  const std::string end = x[0] > 0 ? "_l" : "_r";
  const double of_wing = smooth_ramp(q[1], 0.335, 0.365) * smooth_ramp(q[1], 0.48, 0.45);
  // Where one bone of the wing takes over from the next: across it, turned outwards behind.
  const double along = q[0] + 0.25 * std::min(0.0, q[2]);
  if (j == rig["arm" + end]) return of_wing * smooth_ramp(q[0], 0.07, 0.15);
  if (j == rig["forearm" + end]) return of_wing * smooth_ramp(along, 0.20, 0.28);
  if (j == rig["hand" + end]) return of_wing * smooth_ramp(along, 0.35, 0.44);
  if (j == rig["tail"]) return smooth_ramp(x[2], -0.18, -0.24);
  if (j == rig["head"]) return smooth_ramp(x[1], 0.51, 0.56);
  return j == rig["foot" + end] ? smooth_ramp(x[1], 0.055, 0.036) : 0.0;
}

RiggedSkin skin(const Rig& rig, double edge) {
  RiggedSkin s;
  s.surface = skin_surface(body, {{-0.68, -0.03, -0.48}, {0.68, 0.78, 0.34}},
                           {.edge = edge, .lattice = 0.8 * edge, .finer = fineness});
  s.weights = rig_weights(rig, s.surface.mesh, 4, [&](const Vec3& x, int j) { return rigid(rig, x, j); });
  return s;
}

std::vector<Ornament> eyes(const Rig& rig) {
  std::vector<Ornament> list;
  for (const double side : {1.0, -1.0}) {
    const Vec3 at(side * kEye[0], kEye[1], kEye[2]);
    list.push_back({"eyes", rig["head"], egg(at, Vec3::Constant(kEyeRadius), Mat3::Identity(), 6)});
  }
  return list;
}

// Wings raised and lowered, and bent legs.
std::vector<Corrective> correctives(const Rig& rig, const Character& character, const Clip& clip) {
  std::vector<Corrective> list;
  const auto add = [&](const std::string& joint, const std::vector<double>& frames) {
    Corrective c{.name = joint, .joints = {rig[joint]}, .poses = {}};
    for (double f : frames) {
      const std::vector<Quat> pose = {node_placements(character, clip, f / kBirdFps)[c.joints[0]].rotation};
      const auto same = [&](const auto& other) { return pose_distance(pose, other) < 0.3; };
      // A short clip has not all of the poses.
      if (!same(std::vector<Quat>{Quat::Identity()}) && std::none_of(c.poses.begin(), c.poses.end(), same))
        c.poses.push_back(pose);
    }
    if (!c.poses.empty()) list.push_back(std::move(c));
  };
  for (const std::string end : {"_l", "_r"}) {
    add("arm" + end, {0, 88, 112});
    add("thigh" + end, {82});
    add("shin" + end, {82});
  }
  return list;
}

// Shares of a place in what follows, 0 or 1 but for narrow borders: the ends of the wings, which drive the rest of
// them, legs, and the back with rump and tail.
double ends(const Vec3& x) { return smooth_ramp(std::abs(x[0]), 0.39, 0.42); }
double legs(const Vec3& x) { return smooth_ramp(x[1], 0.235, 0.21); }
double back(const Vec3& x) {
  const double to_belly = 0.8 * (x[2] + 0.01) - 0.6 * (x[1] - 0.335);
  return smooth_ramp(to_belly, 0.025, 0.0) * smooth_ramp(std::abs(x[0]), 0.155, 0.13) * smooth_ramp(x[1], 0.51, 0.485);
}

// And in the parts that have names.
double wings(const Vec3& x) { return smooth_ramp(wing(x), 0.012, 0.004) * smooth_ramp(std::abs(x[0]), 0.10, 0.125); }
double head(const Vec3& x) { return smooth_ramp(x[1], 0.455, 0.485) * smooth_ramp(std::abs(x[0]), 0.2, 0.17); }
double belly(const Vec3& x) { return (1 - wings(x)) * (1 - head(x)) * (1 - legs(x)) * (1 - back(x)); }

Painting painting() {
  const auto of = [](double (*share)(const Vec3&)) -> Paint {
    return [share](const Vec3& x, const std::string&) { return share(x); };
  };
  return {.soft = [](const Vec3& x, const std::string&) { return (1 - ends(x)) * (1 - legs(x)) * (1 - back(x)); },
          .parts = {{"wings", of(wings)}, {"head", of(head)}, {"belly", of(belly)}}};
}

}  // namespace
}  // namespace bird

DrawnAnimation make_bird(const BirdOptions& o) {
  const Rig rig = bird::skeleton();
  const RiggedSkin skin = bird::skin(rig, o.edge);
  RiggedCharacter r = assemble("bird", rig, skin, bird::eyes(rig));
  Clip clip = bake_clip(r.character, "flight", o.frames, kBirdFps, bird::motion(rig));
  add_correctives(rig, skin, bird::correctives(rig, r.character, clip), {}, o.frames, kBirdFps, r, clip);
  return draw_character(r.character, clip, o.frames, kBirdFps, bird::painting());
}

}  // namespace supple::demos
