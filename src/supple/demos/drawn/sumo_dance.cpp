#include "supple/demos/drawn/sumo_dance.h"

#include <algorithm>
#include <cmath>

#include "supple/demos/drawn/sumo_dance_plan.h"
#include "supple/demos/gallery/sumo.h"
#include "supple/demos/gallery/sumo_rig.h"
#include "supple/demos/shapes/correctives.h"
#include "supple/demos/shapes/draw_character.h"
#include "supple/demos/shapes/shapes.h"

namespace supple::demos {

namespace dance {

namespace {

// Poses of the dance that have shapes of their own.
std::vector<Corrective> correctives(const Rig& rig, const Character& character, const Clip& clip) {
  std::vector<Corrective> list;
  const auto add = [&](const std::string& joint, const std::vector<double>& frames) {
    Corrective c{.name = joint, .joints = {rig[joint]}, .poses = {}};
    for (double f : frames) {
      const std::vector<Quat> pose = {node_placements(character, clip, f / kDanceFps)[c.joints[0]].rotation};
      const auto same = [&](const auto& other) { return pose_distance(pose, other) < 0.3; };
      // A short clip has not all of the poses.
      if (!same(std::vector<Quat>{Quat::Identity()}) && std::none_of(c.poses.begin(), c.poses.end(), same))
        c.poses.push_back(pose);
    }
    if (!c.poses.empty()) list.push_back(std::move(c));
  };
  for (const std::string end : {"_l", "_r"}) {
    add("thigh" + end, {kSquats[0]});
    add("shin" + end, {kSquats[0]});
    add("upper_arm" + end, {kSway + 0.5 * kBeat, kSway + 1.5 * kBeat, kSquats[0] + 2, kJumps[0] - 5});
    add("forearm" + end, {kSquats[0] + 2});
  }
  return list;
}

// Belly and thighs give way to each other, and the breast to the arms.
Sculpt sculpt(const Rig& rig) {
  Sculpt s;
  std::vector<int> arms, legs, trunk = {rig["hips"], rig["spine"], rig["chest"]};
  for (const char* side : {"_l", "_r"}) {
    arms.push_back(rig[std::string("upper_arm") + side]);
    legs.push_back(rig[std::string("thigh") + side]);
  }
  s.bumps.push_back({sumo::torso, rig["spine"], legs, 0.5});
  s.bumps.push_back({sumo::torso, rig["chest"], arms, 0.6});
  for (const bool left : {true, false}) {
    const SignedDistance one = [left](const Vec3& p) { return (p[0] > 0) == left ? sumo::leg(p) : 1.0; };
    s.bumps.push_back({one, legs[left ? 0 : 1], trunk, 0.5});
  }
  return s;
}

// Shares of a place in the parts that are flesh, in the neutral pose.
double cheeks(const Vec3& x) {
  const double low = x[1] - 0.25 * x[2];  // higher at the front than at the nape
  return smooth_ramp(low, 1.505, 1.53) * smooth_ramp(low, 1.60, 1.58) * smooth_ramp(x[2], -0.01, 0.03);
}
double arms(const Vec3& x) {
  const Vec3 q(std::abs(x[0]), x[1], x[2]);
  const double d = std::min(round_cone(q, sumo::kShoulder + Vec3(0.05, 0, 0), sumo::kElbow, 0.115, 0.10),
                            round_cone(q, sumo::kElbow, sumo::kFingers, 0.10, 0.12));
  return smooth_ramp(d, 0.035, 0.0);
}
// Belly and chest, from the belt to the collar bones; what follows around it is the back, the sides of the hips, the
// arms.
double belly(const Vec3& x) {
  const Vec3 q(std::abs(x[0]), x[1], x[2]);
  const double hips = ellipsoid(q, {0.37, 0.95, -0.04}, {0.13, 0.10, 0.13});
  return (1 - arms(x)) * smooth_ramp(x[2], -0.11, -0.07) * smooth_ramp(hips, -0.01, 0.03) *
         smooth_ramp(x[1], 0.84, 0.88) * smooth_ramp(x[1], 1.40, 1.36);
}
double derriere(const Vec3& x) {
  return smooth_ramp(x[2], -0.03, -0.07) * smooth_ramp(x[1], 0.66, 0.70) * smooth_ramp(x[1], 0.93, 0.89);
}
double upper_legs(const Vec3& x) { return smooth_ramp(x[1], 0.53, 0.57) * smooth_ramp(x[1], 0.86, 0.82); }
double thighs(const Vec3& x) { return derriere(x) < 0.5 ? upper_legs(x) : 0.0; }

Painting painting() {
  const auto of_skin = [](double (*share)(const Vec3&)) -> Paint {
    return [share](const Vec3& x, const std::string& material) { return material == "eyes" ? 0.0 : share(x); };
  };
  const auto soft = [](const Vec3& x) { return std::max({belly(x), cheeks(x), derriere(x), upper_legs(x)}); };
  return {.soft = of_skin(soft),
          .parts = {{"belly", of_skin(belly)},
                    {"cheeks", of_skin(cheeks)},
                    {"derriere", of_skin(derriere)},
                    {"thighs", of_skin(thighs)}}};
}

}  // namespace
}  // namespace dance

DrawnAnimation make_dancing_sumo(const DanceOptions& o) {
  // One frame of his own clip: the shape is what is wanted.
  auto [skin, r] = reopen(make_sumo({.edge = o.edge, .frames = 1}));
  const Rig rig = sumo::skeleton();
  Clip clip = bake_clip(r.character, "dance", o.frames, kDanceFps, dance::motion(rig));
  add_correctives(rig, skin, dance::correctives(rig, r.character, clip), dance::sculpt(rig), o.frames, kDanceFps, r,
                  clip);
  return draw_character(r.character, clip, o.frames, kDanceFps, dance::painting());
}

}  // namespace supple::demos
