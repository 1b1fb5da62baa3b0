#include "supple/anim/limb.h"
#include "supple/demos/gallery/jellyphant_plan.h"
#include "supple/demos/shapes/shapes.h"

namespace supple::demos::jellyphant {

namespace {

using Keys = std::vector<Key>;

struct Hop {
  double crouch, leaves, top, lands, low, up;  // frames
  double height, depth, yaw;
};
constexpr Hop kHops[] = {{16, 20, 25, 30, 34, 42, 0.20, 0.12, 0}, {48, 52, 58, 64, 68, 77, 0.30, 0.13, 14}};

// The trot: feet lifted in turn, two across at a time.
constexpr double kTrot = 80, kBeat = 7;
constexpr int kBeats = 5;
constexpr double kLift = 0.15, kEnd = 118;

void add(Keys& keys, double frame, const Vec3& value, Ease ease = Ease::smooth) {
  keys.push_back({frame, value, ease});
}

struct Curves {
  KeyCurve root, root_turn, chest, head, ears, trunk, tail;
  KeyCurve foot[2];  // lift of the feet that go together: left fore and right hind, right fore and left hind
};

Curves make_curves() {
  Keys root, root_turn, chest, head, ears, trunk, tail, foot[2];
  const Vec3 still = Vec3::Zero();
  for (Keys* k : {&root, &root_turn, &chest, &head, &ears, &trunk, &tail, &foot[0], &foot[1]}) add(*k, 8, still);
  for (const Hop& h : kHops) {
    add(root, h.crouch, {0, -h.depth, 0});
    add(root, h.leaves, {0, -0.01, 0});
    add(root, h.top, {0, h.height, 0});
    add(root, h.lands, {0, -0.02, 0}, Ease::hit);
    add(root, h.low, {0, -h.depth - 0.02, 0});
    add(root, h.up, {0, -0.02, 0});
    add(root_turn, h.crouch, {5, 0, 0});
    add(root_turn, h.top, {-10, h.yaw, 0.4 * h.yaw});
    add(root_turn, h.low, {7, 0.3 * h.yaw, 0});
    add(root_turn, h.up, {0, 0, 0});
    add(chest, h.crouch, {4, 0, 0});
    add(chest, h.top, {-5, 0, 0});
    add(chest, h.low, {6, 0, 0});
    add(chest, h.up, still);
    add(head, h.crouch, {6, 0, 0});
    add(head, h.top, {-20, 0.8 * h.yaw, 0});
    add(head, h.low, {6, 0, 0});
    add(head, h.up, {-4, 0, 0});
    add(trunk, h.crouch, {-16, 0, 0});
    add(trunk, h.top, {-15, 0.8 * h.yaw, 0});
    add(trunk, h.low, {-17, 0, 0});
    add(trunk, h.up, still);
    add(ears, h.crouch, {0, -14, -8});
    add(ears, h.top, {0, 24, 22});
    add(ears, h.low, {0, -18, -14});
    add(ears, h.up, still);
    add(tail, h.crouch, {-10, 0, 0});
    add(tail, h.top, {25, 0, 0});
    add(tail, h.low, {-15, 0, 0});
    add(tail, h.up, still);
    for (Keys& k : foot) {
      add(k, h.leaves, still);
      add(k, h.top, {0, h.height - 0.01, -0.03});
      add(k, h.lands, still, Ease::hit);
    }
  }
  for (int b = 0; b < kBeats; ++b) {
    const double f = kTrot + b * kBeat, sign = b % 2 == 0 ? 1 : -1;
    add(foot[b % 2], f, still);
    add(foot[b % 2], f + 0.5 * kBeat, {0, kLift, 0.05});
    add(foot[b % 2], f + kBeat, still, Ease::hit);
    add(root, f + 0.05 * kBeat, {0, -0.07, 0});
    add(root, f + 0.5 * kBeat, {-0.015 * sign, -0.015, 0});
    add(root_turn, f + 0.5 * kBeat, {0, 4 * sign, -3 * sign});
    add(chest, f + 0.5 * kBeat, {0, -3 * sign, 0});
    add(head, f + 0.6 * kBeat, {4 * sign, 9 * sign, 5 * sign});
    add(trunk, f + 0.8 * kBeat, {0, 16 * sign, 0});
    add(ears, f + 0.5 * kBeat, {0, 12 * sign, 0});
    add(tail, f + 0.5 * kBeat, {0, 0, 30 * sign});
  }
  for (Keys* k : {&root, &root_turn, &chest, &head, &ears, &trunk, &tail}) add(*k, kEnd - (k == &root ? 2 : 0), still);
  return {KeyCurve(root), KeyCurve(root_turn), KeyCurve(chest), KeyCurve(head),
          KeyCurve(ears), KeyCurve(trunk),     KeyCurve(tail),  {KeyCurve(foot[0]), KeyCurve(foot[1])}};
}

}  // namespace

Vec3 squash(double frame) {
  static const KeyCurve curve = [] {
    Keys keys;
    add(keys, 8, Vec3::Zero());
    for (const Hop& h : kHops) {
      add(keys, h.crouch, {0.8, 0, 0});
      add(keys, h.leaves + 1, {0, 1, 0});
      add(keys, h.top, {0, 0.2, 0});
      add(keys, h.lands, {0, 0.5, 0});
      add(keys, h.low, {1, 0, 0});
      add(keys, h.up, Vec3::Zero());
    }
    return KeyCurve(keys);
  }();
  return curve.at(frame);
}

PoseFunction motion(const Rig& rig) {
  return [&rig, curves = make_curves()](double f, std::vector<Placement>& nodes) {
    std::vector<Quat> turns(static_cast<size_t>(rig.size()), Quat::Identity());
    const Vec3 shift = curves.root.at(f);
    turns[rig["pelvis"]] = turned(curves.root_turn.at(f));
    turns[rig["chest"]] = turned(curves.chest.at(f));
    turns[rig["neck"]] = turned(0.5 * curves.head.at(f));
    turns[rig["head"]] = turned(0.5 * curves.head.at(f));
    // What hangs on it comes after, a frame a joint.
    for (int k = 0; rig.find("trunk" + std::to_string(k + 1)) >= 0; ++k)
      turns[rig["trunk" + std::to_string(k + 1)]] = turned(curves.trunk.at(f - 1.5 * k));
    for (int k = 0; rig.find("tail" + std::to_string(k + 1)) >= 0; ++k)
      turns[rig["tail" + std::to_string(k + 1)]] = turned(curves.tail.at(f - 1.5 * k));
    const Vec3 ear = curves.ears.at(f);
    turns[rig["ear_l"]] = turned(ear);
    turns[rig["ear_r"]] = turned({ear[0], -ear[1], -ear[2]});
    const std::vector<Affine> bones = rig.pose(turns, shift);
    for (const bool fore : {true, false}) {
      for (const bool left : {true, false}) {
        const Vec3(&at)[4] = fore ? kFore : kHind;
        const auto mine = [&](const Vec3& v) { return left ? v : mirrored(v); };
        const std::string name = fore ? "fore_" : "hind_", side = left ? "_l" : "_r";
        const int upper = rig[name + "leg" + side], lower = rig[name + "shin" + side], foot = rig[name + "foot" + side];
        const Affine& above = bones[rig.joints()[upper].parent];
        const Limb limb{mine(at[0]), mine(at[1]), mine(at[2]), Vec3::UnitZ()};
        const Vec3 target = mine(at[2]) + curves.foot[fore == left ? 0 : 1].at(f);
        const LimbPose pose = reach(limb, above * limb.root, target, mine({0.25, 0, 1}));
        turns[upper] = Quat(above.linear()).conjugate() * pose.upper;
        turns[lower] = pose.upper.conjugate() * pose.lower;
        turns[foot] = pose.lower.conjugate();
      }
    }
    for (size_t j = 0; j < turns.size(); ++j) nodes[j].rotation = turns[j].normalized();
    nodes[rig["pelvis"]].translation += shift;
  };
}

}  // namespace supple::demos::jellyphant
