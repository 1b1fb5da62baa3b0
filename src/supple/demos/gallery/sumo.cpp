#include "supple/demos/gallery/sumo.h"

#include <algorithm>
#include <cmath>

#include "supple/anim/drawn.h"
#include "supple/demos/gallery/sumo_rig.h"
#include "supple/demos/shapes/correctives.h"
#include "supple/demos/shapes/shapes.h"

namespace supple::demos {

namespace sumo {

Rig skeleton() {
  Rig r;
  r.add("hips", "", kHips, kSpine, 0.27, 1);
  r.add("spine", "hips", kSpine, kChest, 0.32, 1);
  r.add("chest", "spine", kChest, kNeck, 0.27, 1);
  r.add("neck", "chest", kNeck, kHead, 0.12, 0.5);
  r.add("head", "neck", kHead, kHeadTop, 0.13, 0);
  r.add_pair("clavicle", "chest", kClavicle, kShoulder, 0.12, 0.8);
  r.add_pair("upper_arm", "clavicle", kShoulder, kElbow, 0.10, 0.9);
  r.add_pair("forearm", "upper_arm", kElbow, kWrist, 0.07, 0.45);
  r.add_pair("hand", "forearm", kWrist, kFingers, 0.05, 0);
  r.add_pair("thigh", "hips", kThigh, kKnee, 0.16, 1);
  r.add_pair("shin", "thigh", kKnee, kAnkle, 0.095, 0.6);
  r.add_pair("foot", "shin", kAnkle, kToe, 0.06, 0);
  return r;
}

namespace {

double fineness(const Vec3& p) {
  Fineness fine{.over = 0.12};
  const Vec3 q(std::abs(p[0]), p[1], p[2]);
  fine.towards(1.52 - p[1], 0.4);
  fine.towards(p[1] - 0.09, 0.45);
  fine.towards((q - 0.4 * kWrist - 0.6 * kFingers).norm() - 0.1, 0.42);
  fine.towards(std::abs(belt(p)) - 0.02, 0.5);
  return fine.value;
}

RiggedSkin skin(const Rig& rig, double edge) {
  RiggedSkin s;
  s.surface = skin_surface(body, {{-0.9, -0.06, -0.6}, {0.9, 1.98, 0.6}},
                           {.edge = edge,
                            .lattice = 0.6 * edge,
                            .finer = fineness,
                            .paints = {{"mawashi", belt}, {"hair", hair}, {"brow", brows}, {"lips", mouth}}});
  const int foot_l = rig["foot_l"], foot_r = rig["foot_r"], head_joint = rig["head"];
  // Feet stand as one, so that soles do not slide; so does all above the chin.
  s.weights = rig_weights(rig, s.surface.mesh, 10, [=](const Vec3& x, int j) {
    if (j == (x[0] > 0 ? foot_l : foot_r)) return smooth_ramp(x[1], 0.15, 0.085);
    // The chin is lower than the nape.
    const double jaw = 0.05 * smooth_ramp(x[2], 0.0, 0.06);
    return j == head_joint ? smooth_ramp(x[1] + jaw, 1.545, 1.595) : 0.0;
  });
  return s;
}

std::vector<Ornament> eyes(const Rig& rig) {
  std::vector<Ornament> list;
  for (const double x : {0.046, -0.046}) {
    const Mat3 slant = Eigen::AngleAxisd(x > 0 ? 0.14 : -0.14, Vec3::UnitZ()).toRotationMatrix();
    list.push_back({"eyes", rig["head"], egg({x, 1.6425, 0.1255}, {0.024, 0.0085, 0.012}, slant)});
  }
  return list;
}

// The frames whose poses have shapes of their own.
std::vector<Corrective> correctives(const Rig& rig, const Character& character, const Clip& clip) {
  const auto pose = [&](const std::vector<int>& joints, double frame) {
    const auto nodes = node_placements(character, clip, frame / kSumoFps);
    std::vector<Quat> turns;
    for (int j : joints) turns.push_back(nodes[j].rotation);
    return turns;
  };
  std::vector<Corrective> list;
  const auto add = [&](const std::string& name, const std::vector<int>& joints, const std::vector<double>& frames) {
    Corrective c{.name = name, .joints = joints, .poses = {}};
    for (double f : frames) {
      const auto p = pose(joints, f);
      // A short clip has not all of the poses.
      const auto same = [&](const auto& other) { return pose_distance(p, other) < 0.15; };
      if (same(std::vector<Quat>(joints.size(), Quat::Identity())) || std::any_of(c.poses.begin(), c.poses.end(), same))
        continue;
      c.poses.push_back(p);
    }
    if (!c.poses.empty()) list.push_back(std::move(c));
  };
  for (const std::string side : {"_l", "_r"}) {
    const double lift = side == "_l" ? 84 : 176;
    add("hip" + side, {rig["thigh" + side]}, {lift, 108});
    add("knee" + side, {rig["shin" + side]}, {108});
    add("shoulder" + side, {rig["upper_arm" + side]}, {298, 306, 108});
    add("elbow" + side, {rig["forearm" + side]}, {108});
  }
  add("waist", {rig["spine"]}, {108});
  return list;
}

}  // namespace
}  // namespace sumo

Character make_sumo(const SumoOptions& o) {
  const Rig rig = sumo::skeleton();
  const RiggedSkin skin = sumo::skin(rig, o.edge);
  RiggedCharacter r = assemble("sumo", rig, skin, sumo::eyes(rig));
  Clip clip = bake_clip(r.character, "shiko", o.frames, kSumoFps, sumo::motion(rig));
  Sculpt sculpt;
  std::vector<int> arms, legs, trunk = {rig["hips"], rig["spine"], rig["chest"]};
  for (const char* side : {"_l", "_r"}) {
    arms.push_back(rig[std::string("upper_arm") + side]);
    legs.push_back(rig[std::string("thigh") + side]);
  }
  sculpt.bumps.push_back({sumo::torso, rig["spine"], legs, 0.5});
  sculpt.bumps.push_back({sumo::torso, rig["chest"], arms, 0.6});
  for (int leg : legs) {
    const bool left = leg == legs[0];
    const SignedDistance one = [left](const Vec3& p) { return (p[0] > 0) == left ? sumo::leg(p) : 1.0; };
    sculpt.bumps.push_back({one, leg, trunk, 0.5});
  }
  add_correctives(rig, skin, sumo::correctives(rig, r.character, clip), sculpt, o.frames, kSumoFps, r, clip);
  clip.sources = {0};
  r.character.clips.push_back(std::move(clip));
  return std::move(r.character);
}

std::map<std::string, Vec3> sumo_colors() {
  return {{"skin", {0.80, 0.52, 0.36}}, {"mawashi", {0.05, 0.09, 0.30}}, {"hair", {0.02, 0.02, 0.022}},
          {"brow", {0.03, 0.02, 0.02}}, {"lips", {0.60, 0.25, 0.20}},    {"eyes", {0.015, 0.012, 0.01}}};
}

}  // namespace supple::demos
