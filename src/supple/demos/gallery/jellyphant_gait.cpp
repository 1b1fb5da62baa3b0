#include "supple/demos/gallery/jellyphant_gait.h"

#include <algorithm>
#include <cmath>

#include "supple/demos/gallery/jellyphant_plan.h"
#include "supple/demos/shapes/draw_character.h"
#include "supple/demos/shapes/shapes.h"

namespace supple::demos::walk {

namespace {

// Cycles over which the body comes up to speed, and from it to rest.
constexpr double kGather = 1.0;
// [m] that the body is lower than when it stands: legs that are out before and behind it reach less high.
constexpr double kLower = 0.05;

double set_off(double cycle) {
  const double s = std::clamp(cycle / kGather, 0.0, 1.0);
  return kStride * (kGather * (s * s * s - s * s * s * s / 2) + std::max(0.0, cycle - kGather));
}

double wave(double cycle, double peak, double a_cycle = 1) { return std::cos(2 * M_PI * a_cycle * (cycle - peak)); }

// What sways with the steps, by cycles. Turns in degrees about x, y and z of the parent; weight is on the left feet at
// 0.78 of a cycle.
struct Sway {
  Vec3 shift, pelvis, chest, head, ear, tail;
};
Sway sway(double c, double share) {
  const double pelvis_yaw = -3 * wave(c, 0.3), chest_yaw = -3 * wave(c, 0.55);
  Sway s;
  s.shift = share * Vec3(0.022 * wave(c, 0.78), -kLower + 0.010 * wave(c, 0.15, 2), 0);
  s.pelvis = share * Vec3(1.2 * wave(c, 0.05, 2), pelvis_yaw, -2.2 * wave(c, 0.15));
  s.chest = share * Vec3(0.6 * wave(c, 0.3, 2), chest_yaw - pelvis_yaw, -2.0 * wave(c, 0.4) + 2.2 * wave(c, 0.15));
  s.head = share * Vec3(3 + 6 * wave(c, 0.62, 2), -1.2 * chest_yaw, 2.5 * wave(c, 0.45));
  s.ear = share * Vec3(0, 5 + 9 * wave(c, 0.1), 4 * wave(c, 0.2));
  s.tail = share * Vec3(-6, 0, 18 * wave(c, 0.5));
  return s;
}

Vec3 trunk(double c, double share) {
  return share * Vec3(-4 + 4 * wave(c, 0.75, 2), 3 * wave(c, 0.9), 8 * wave(c, 0.95));
}

void place_leg(const Rig& rig, Leg leg, double cycle, const std::vector<Affine>& bones, std::vector<Quat>& turns) {
  const bool fore = leg == Leg::left_fore || leg == Leg::right_fore;
  const bool left = leg == Leg::left_fore || leg == Leg::left_hind;
  const Vec3(&at)[4] = fore ? jellyphant::kFore : jellyphant::kHind;
  const auto mine = [&](const Vec3& v) -> Vec3 { return left ? v : mirrored(v); };
  const auto joint = [&](const char* part) {
    return rig[(fore ? "fore_" : "hind_") + std::string(part) + (left ? "_l" : "_r")];
  };
  const Step s = step(leg, cycle);
  // Knees point where they do at rest, so that a leg that stands is the leg at rest.
  const Vec3 along = (at[2] - at[0]).normalized(), knee = at[1] - at[0];
  const Vec3 pole = mine(knee - knee.dot(along) * along);
  // Toes hang while the foot is up.
  place_limb(rig, {mine(at[0]), mine(at[1]), mine(at[2]), pole}, bones, {joint("leg"), joint("shin"), joint("foot")},
             mine(at[2]) + s.shift, pole, turned({22 * s.raised, 0, 0}), turns);
}

}  // namespace

double travel(double cycle) {
  // The end is the beginning the other way round.
  const double all = kStride * (kCycles - kGather), middle = kCycles / 2;
  return cycle < middle ? set_off(cycle) : all - set_off(kCycles - cycle);
}

Step step(Leg leg, double cycle) {
  const double own = cycle - 0.25 * static_cast<int>(leg);
  // The last step may come down when the body stands already.
  const int last = static_cast<int>(std::floor(kCycles + 0.1 - 0.25 * static_cast<int>(leg) - kSwing));
  // A foot stands below its hip or shoulder in the middle of its stay; the last time, where the body stops.
  const auto stands = [&](int k) {
    if (k < 0) return 0.0;
    return k >= last ? travel(kCycles) : travel(k + 0.25 * static_cast<int>(leg) + (1 + kSwing) / 2);
  };
  const int k = std::min(static_cast<int>(std::floor(own)), last);
  const double s = k < 0 ? 1 : std::clamp((own - k) / kSwing, 0.0, 1.0);
  const double raised = 16 * s * s * (1 - s) * (1 - s);
  const double share = s * s * s * (10 - 15 * s + 6 * s * s);
  return {Vec3(0, kLift * raised, stands(k - 1) + share * (stands(k) - stands(k - 1))), raised};
}

PoseFunction motion(const Rig& rig) {
  return [&rig](double frame, std::vector<Placement>& nodes) {
    const double c = cycles(frame);
    const double share = smooth_ramp(c, 0, 0.4) * smooth_ramp(c, kCycles, kCycles - 0.4);
    const Sway s = sway(c, share);
    const Vec3 shift = s.shift + Vec3(0, 0, travel(c));
    std::vector<Quat> turns(static_cast<size_t>(rig.size()), Quat::Identity());
    turns[rig["pelvis"]] = turned(s.pelvis);
    turns[rig["chest"]] = turned(s.chest);
    turns[rig["neck"]] = turned(0.5 * s.head);
    turns[rig["head"]] = turned(0.5 * s.head);
    // What hangs on it comes after.
    for (int k = 0; k < 3; ++k) turns[rig["trunk" + std::to_string(k + 1)]] = turned(trunk(c - 0.08 * k, share));
    turns[rig["tail1"]] = turned(s.tail);
    turns[rig["ear_l"]] = turned(s.ear);
    turns[rig["ear_r"]] = turned({s.ear[0], -s.ear[1], -s.ear[2]});
    const std::vector<Affine> bones = rig.pose(turns, shift);
    for (const Leg leg : kLegs) place_leg(rig, leg, c, bones, turns);
    for (size_t j = 0; j < turns.size(); ++j) nodes[j].rotation = turns[j].normalized();
    nodes[rig["pelvis"]].translation += shift;
  };
}

}  // namespace supple::demos::walk
