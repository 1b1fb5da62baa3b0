#include "supple/anim/key_clip.h"
#include "supple/anim/limb.h"
#include "supple/demos/gallery/sumo_rig.h"
#include "supple/demos/shapes/shapes.h"

namespace supple::demos::sumo {

namespace {

// Where the ankles are while both feet stand, turned out a little.
const Vec3 kStance(0.44, 0.105, -0.02);
constexpr double kTurnedOut = 12, kStride = 0.42;

// Frames of the beats: shiko left and right, the stride, the arms, the bounce.
constexpr double kSink = 16, kLeft = 48, kRight = 140, kStep = 236, kArms = 284, kBounce = 336;
// Within a shiko: the foot leaves, is up, goes down, hits the ground.
constexpr double kLeaves = 4, kUp = 36, kDown = 44, kHits = 51, kSunk = 60, kSteady = 72;

using Keys = std::vector<Key>;

struct Curves {
  KeyCurve root, root_turn, spine, chest, head;
  KeyCurve ankle_l, ankle_r, foot_l, foot_r, wrist_l, wrist_r;
};

Vec3 side(bool left, const Vec3& v) { return left ? v : mirrored(v); }
// A turn on the other side: about x the same way, about y and z the other.
Vec3 turn(bool left, const Vec3& v) { return left ? v : Vec3(v[0], -v[1], -v[2]); }

void add(Keys& keys, double frame, const Vec3& value, Ease ease = Ease::smooth) {
  keys.push_back({frame, value, ease});
}

// The body over one shiko that begins at `at`, lifting the left leg or the right one.
void shiko_body(double at, bool left, Keys& root, Keys& root_turn, Keys& spine, Keys& chest, Keys& head) {
  const auto put = [&](Keys& keys, double f, const Vec3& v) { add(keys, at + f, side(left, v)); };
  const auto bend = [&](Keys& keys, double f, const Vec3& v, Ease ease = Ease::smooth) {
    add(keys, at + f, turn(left, v), ease);
  };
  put(root, 0, {0, -0.17, -0.02});
  put(root, 10, {-0.10, -0.12, -0.02});
  put(root, 22, {-0.24, -0.05, -0.01});
  put(root, kUp, {-0.30, -0.02, 0});
  put(root, kDown, {-0.29, -0.03, 0});
  put(root, kHits, {-0.06, -0.10, -0.02});
  put(root, kSunk, {0, -0.27, -0.04});
  put(root, kSteady, {0, -0.21, -0.03});
  bend(root_turn, 0, {6, 0, 0});
  bend(root_turn, 10, {5, 0, 4});
  bend(root_turn, kUp, {2, 6, 24});
  bend(root_turn, kDown, {2, 6, 24});
  bend(root_turn, kHits, {8, 0, 2});
  bend(root_turn, kSunk, {14, 0, 0});
  bend(root_turn, kSteady, {8, 0, 0});
  bend(spine, 0, {6, 0, 0});
  bend(spine, kUp, {2, 0, 8});
  bend(spine, kDown, {2, 0, 8});
  bend(spine, kHits, {6, 0, 0});
  bend(spine, kSunk, {12, 0, 0});
  bend(spine, kSteady, {8, 0, 0});
  bend(chest, 0, {0, 0, 0});
  bend(chest, kUp, {-2, 0, -8});
  bend(chest, kDown, {-2, 0, -8});
  bend(chest, kHits, {0, 0, 0});
  bend(chest, kSunk, {4, 0, 0});
  bend(chest, kSteady, {0, 0, 0});
  bend(head, 0, {-10, 0, 0});
  bend(head, kUp, {-4, 8, -16});
  bend(head, kDown, {-4, 8, -16});
  bend(head, kHits, {-8, 0, 0});
  bend(head, kSunk, {-22, 0, 0});
  bend(head, kSteady, {-14, 0, 0});
}

void shiko_foot(double at, bool left, Keys& ankle, Keys& foot) {
  const auto put = [&](double f, const Vec3& v, Ease ease = Ease::smooth) { add(ankle, at + f, side(left, v), ease); };
  const auto bend = [&](double f, const Vec3& v, Ease ease = Ease::smooth) { add(foot, at + f, turn(left, v), ease); };
  put(kLeaves, kStance);
  put(20, {0.42, 0.30, 0.01});
  put(kUp, {0.50, 0.70, 0.06});
  put(kDown, {0.50, 0.69, 0.06});
  put(kHits, kStance, Ease::hit);
  bend(kLeaves, {0, kTurnedOut, 0});
  bend(20, {-5, 15, 18});
  bend(kUp, {-18, 20, 58});
  bend(kDown, {-18, 20, 56});
  bend(kHits, {0, kTurnedOut, 0}, Ease::hit);
}

void shiko_hands(double at, bool left, Keys& lifted, Keys& standing) {
  const Vec3 on_thigh(0.44, 0.76, 0.20);
  add(lifted, at, side(left, on_thigh));
  add(lifted, at + kUp, side(left, {0.27, 0.96, 0.26}));
  add(lifted, at + kDown, side(left, {0.27, 0.95, 0.26}));
  add(lifted, at + kSunk, side(left, {0.46, 0.66, 0.24}));
  add(lifted, at + kSteady, side(left, {0.45, 0.72, 0.22}));
  add(standing, at, side(!left, on_thigh));
  add(standing, at + kUp, side(!left, {0.78, 0.76, 0.20}));
  add(standing, at + kDown, side(!left, {0.78, 0.75, 0.20}));
  add(standing, at + kSunk, side(!left, {0.46, 0.66, 0.24}));
  add(standing, at + kSteady, side(!left, {0.45, 0.72, 0.22}));
}

Curves make_curves() {
  Keys root, root_turn, spine, chest, head, ankle_l, ankle_r, foot_l, foot_r, wrist_l, wrist_r;
  const auto both = [&](double f, const Vec3& v, Ease ease = Ease::smooth) {
    add(wrist_l, f, v, ease);
    add(wrist_r, f, mirrored(v), ease);
  };
  const auto stands = [&](double f, double forward) {
    add(root, f, {0, -0.055, forward});
    for (Keys* keys : {&root_turn, &spine, &chest, &head}) add(*keys, f, Vec3::Zero());
  };
  stands(0, 0);
  both(0, {0.60, 0.93, 0.10});
  stands(kSink - 8, 0);
  both(kSink - 8, {0.60, 0.93, 0.10});
  add(ankle_l, 0, kStance), add(ankle_r, 0, mirrored(kStance));
  add(foot_l, 0, {0, kTurnedOut, 0}), add(foot_r, 0, {0, -kTurnedOut, 0});
  shiko_body(kLeft, true, root, root_turn, spine, chest, head);
  shiko_body(kRight, false, root, root_turn, spine, chest, head);
  shiko_foot(kLeft, true, ankle_l, foot_l);
  shiko_foot(kRight, false, ankle_r, foot_r);
  shiko_hands(kLeft, true, wrist_l, wrist_r);
  shiko_hands(kRight, false, wrist_r, wrist_l);

  // The stride: low, one foot after the other, arms ahead.
  const auto walks = [&](double f, const Vec3& at, double sway) {
    add(root, kStep + f, at);
    add(root_turn, kStep + f, {7, sway, 0});
    add(spine, kStep + f, {6, -0.5 * sway, 0});
    add(chest, kStep + f, {0, -0.8 * sway, 0});
    add(head, kStep + f, {-10, 0.3 * sway, 0});
  };
  walks(0, {0, -0.13, 0}, 0);
  walks(8, {-0.09, -0.13, 0.08}, -9);
  walks(18, {0, -0.15, 0.22}, -4);
  walks(26, {0.09, -0.13, 0.32}, 9);
  walks(36, {0, -0.15, kStride}, 2);
  stands(kArms, kStride);
  const auto step = [&](Keys& ankle, double f, bool left) {
    const Vec3 from = side(left, kStance);
    add(ankle, kStep + f, from);
    add(ankle, kStep + f + 7, from + Vec3(0, 0.11, 0.5 * kStride));
    add(ankle, kStep + f + 14, from + Vec3(0, 0, kStride), Ease::hit);
  };
  step(ankle_l, 4, true);
  step(ankle_r, 21, false);
  both(kStep, {0.42, 0.90, 0.30});
  both(kStep + 18, {0.40, 1.05, 0.62});
  both(kStep + 36, {0.42, 1.02, 0.80});

  // Arms wide, a clap, wide again.
  const Vec3 ahead(0, 0, kStride);
  both(kArms + 8, ahead + Vec3(0.74, 1.30, 0.10));
  both(kArms + 14, ahead + Vec3(0.74, 1.32, 0.08));
  both(kArms + 20, ahead + Vec3(0.10, 1.20, 0.46), Ease::hit);
  both(kArms + 25, ahead + Vec3(0.10, 1.20, 0.46));
  both(kArms + 38, ahead + Vec3(0.76, 1.30, 0.05));
  both(kBounce + 4, ahead + Vec3(0.74, 1.20, 0.08));
  stands(kArms + 14, kStride);
  add(root, kArms + 20, {0, -0.10, kStride});
  add(root, kArms + 38, {0, -0.055, kStride});

  // A bounce in the knees.
  stands(kBounce, kStride);
  add(root, kBounce + 8, {0, -0.26, kStride - 0.03});
  add(root, kBounce + 14, {0, -0.055, kStride});
  add(root, kBounce + 20, {0, -0.28, kStride - 0.03}, Ease::hit);
  add(root, kBounce + 28, {0, -0.22, kStride - 0.02});
  add(root, kBounce + 46, {0, -0.055, kStride});
  for (double f : {8.0, 20.0}) {
    add(spine, kBounce + f, {9, 0, 0});
    add(head, kBounce + f, {-12, 0, 0});
    add(spine, kBounce + f + 6, {1, 0, 0});
    add(head, kBounce + f + 6, {0, 0, 0});
  }
  both(kBounce + 20, ahead + Vec3(0.70, 0.86, 0.14));
  both(kBounce + 46, ahead + Vec3(0.60, 0.93, 0.10));
  return {KeyCurve(root),   KeyCurve(root_turn), KeyCurve(spine),   KeyCurve(chest),
          KeyCurve(head),   KeyCurve(ankle_l),   KeyCurve(ankle_r), KeyCurve(foot_l),
          KeyCurve(foot_r), KeyCurve(wrist_l),   KeyCurve(wrist_r)};
}

// Two bones and what they carry at their end towards a target: local rotations of all three.
void place_limb(const Rig& rig, const Limb& limb, const std::vector<Affine>& bones, const int (&joint)[3],
                const Vec3& target, const Vec3& pole, const Quat& end_turn, std::vector<Quat>& turns) {
  const Affine& above = bones[rig.joints()[joint[0]].parent];
  const Quat parent(above.linear());
  const LimbPose pose = reach(limb, above * limb.root, target, pole);
  turns[joint[0]] = parent.conjugate() * pose.upper;
  turns[joint[1]] = pose.upper.conjugate() * pose.lower;
  turns[joint[2]] = pose.lower.conjugate() * end_turn;
}

}  // namespace

PoseFunction motion(const Rig& rig) {
  return [&rig, curves = make_curves()](double f, std::vector<Placement>& nodes) {
    std::vector<Quat> turns(static_cast<size_t>(rig.size()), Quat::Identity());
    const Vec3 shift = curves.root.at(f);
    turns[rig["hips"]] = turned(curves.root_turn.at(f));
    turns[rig["spine"]] = turned(curves.spine.at(f));
    turns[rig["chest"]] = turned(curves.chest.at(f));
    turns[rig["neck"]] = turned(0.4 * curves.head.at(f));
    turns[rig["head"]] = turned(0.6 * curves.head.at(f));
    const std::vector<Affine> trunk = rig.pose(turns, shift);
    for (const bool left : {true, false}) {
      const std::string end = left ? "_l" : "_r";
      const auto mine = [&](const Vec3& v) { return side(left, v); };
      // Shoulders go up with the hands.
      const Vec3 wrist = (left ? curves.wrist_l : curves.wrist_r).at(f);
      const double high = (trunk[rig["chest"]].inverse() * wrist)[1];
      turns[rig["clavicle" + end]] = turned(turn(left, {0, 0, 16 * smooth_ramp(high, 1.05, 1.45)}));
      const std::vector<Affine> bones = rig.pose(turns, shift);
      const Limb arm{mine(kShoulder), mine(kElbow), mine(kWrist), mine({0.3, -0.2, -1})};
      const Quat chest(bones[rig["chest"]].linear());
      const int arms[] = {rig["upper_arm" + end], rig["forearm" + end], rig["hand" + end]};
      const Vec3 elbow = chest * mine({0.75, -0.25, -0.55});
      place_limb(rig, arm, bones, arms, wrist, elbow, Quat::Identity(), turns);
      turns[arms[2]] = Quat::Identity();
      const Limb leg{mine(kThigh), mine(kKnee), mine(kAnkle), mine({0.35, 0, 1})};
      const int legs[] = {rig["thigh" + end], rig["shin" + end], rig["foot" + end]};
      place_limb(rig, leg, bones, legs, (left ? curves.ankle_l : curves.ankle_r).at(f), mine({0.75, 0.1, 0.75}),
                 turned((left ? curves.foot_l : curves.foot_r).at(f)), turns);
    }
    for (size_t j = 0; j < turns.size(); ++j) nodes[j].rotation = turns[j].normalized();
    nodes[rig["hips"]].translation += shift;
  };
}

}  // namespace supple::demos::sumo
