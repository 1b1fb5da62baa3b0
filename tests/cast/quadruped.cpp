#include <cmath>

#include "tests/cast/body.h"
#include "tests/cast/cast.h"

namespace supple::cast {

namespace {

BodyPlan quadruped_plan() {
  BodyPlan b;
  b.edge = 0.065, b.fillet = 0.06;
  b.bone("hips", "", {0, 0.62, -0.36}, {0, 0.64, -0.1}, 0.165, 0.175);
  b.bone("belly", "hips", {0, 0.64, -0.1}, {0, 0.66, 0.15}, 0.185, 0.175);
  b.bone("chest", "belly", {0, 0.66, 0.15}, {0, 0.68, 0.36}, 0.175, 0.15);
  b.bone("neck", "chest", {0, 0.74, 0.42}, {0, 0.93, 0.56}, 0.1, 0.08);
  b.bone("head", "neck", {0, 0.95, 0.58}, {0, 0.9, 0.8}, 0.095, 0.055);
  b.pair("ear", "head", {0.055, 1.02, 0.55}, {0.085, 1.11, 0.52}, 0.04, 0.036);
  b.pair("ear_tip", "ear", {0.085, 1.11, 0.52}, {0.115, 1.21, 0.49}, 0.036, 0.028);
  const Vec3 tail[] = {{0, 0.7, -0.5}, {0, 0.69, -0.62}, {0, 0.64, -0.74}, {0, 0.56, -0.84}, {0, 0.46, -0.92}};
  const char* names[] = {"tail_a", "tail_b", "tail_c", "tail_d"};
  for (size_t k = 0; k < 4; ++k)
    b.bone(names[k], k ? names[k - 1] : "hips", tail[k], tail[k + 1], 0.05 - 0.005 * static_cast<double>(k),
           0.045 - 0.005 * static_cast<double>(k));
  b.pair("arm", "chest", {0.1, 0.57, 0.32}, {0.105, 0.33, 0.21}, 0.07, 0.05);
  b.pair("wrist", "arm", {0.105, 0.33, 0.21}, {0.105, 0.08, 0.32}, 0.046, 0.034);
  b.pair("hand", "wrist", {0.105, 0.06, 0.32}, {0.105, 0.038, 0.38}, 0.042, 0.036);
  b.pair("thigh", "hips", {0.11, 0.56, -0.38}, {0.115, 0.33, -0.28}, 0.09, 0.06);
  b.pair("shin", "thigh", {0.115, 0.33, -0.28}, {0.115, 0.08, -0.42}, 0.05, 0.034);
  b.pair("foot", "shin", {0.115, 0.06, -0.42}, {0.115, 0.038, -0.36}, 0.042, 0.036);
  const int head = b.rig["head"];
  const demos::Rig rig = b.rig;
  b.alone = [rig, head](const Vec3& x, int j) {
    const std::string side = x[0] > 0 ? "_l" : "_r";
    if (x[1] < 0.1 && j == rig[(x[2] > 0 ? "hand" : "foot") + side]) return x[1] < 0.06 ? 1.0 : (0.1 - x[1]) / 0.04;
    return j == head && x[2] > 0.68 ? 1.0 : 0.0;
  };
  for (const double x : {0.05}) b.pieces_on_both_sides("head", demos::egg({x, 0.985, 0.655}, Vec3::Constant(0.024)));
  return b;
}

// A foot of a cycle: along the floor for half of it, then lifted forward.
Vec3 stride(double s, double reach, double lift) {
  const double a = 2 * M_PI * s;
  return {0, lift * std::pow(std::max(0.0, -std::sin(a)), 3), reach * std::cos(a)};
}

struct Gait {
  double reach = 0, lift = 0;                    // [m]
  double phase[4] = {0, 0.5, 0.75, 0.25};        // hind left and right, front left and right
  double bob = 0, low = 0;                       // [m] of the body
  double bend = 0, nod = 0, tail = 0, ears = 0;  // [deg]
  double beats = 2;                              // of the body a cycle
};

void trot(const Gait& g, double s, BodyPose& p) {
  const double a = 2 * M_PI * s, beat = g.beats * a;
  p.shift = {0, g.bob * std::cos(beat) - g.low, 0};
  p.turn("hips", {g.bend * std::sin(beat), 0, 0});
  p.turn("belly", {-1.5 * g.bend * std::sin(beat), 0.6 * g.bend * std::sin(a), 0});
  p.turn("chest", {0.5 * g.bend * std::sin(beat - 0.5), 0, 0});
  p.turn("neck", {g.nod * std::sin(beat - 0.8), 0, 0});
  p.turn("head", {g.nod * std::sin(beat - 1.3), 0.7 * g.nod * std::sin(a), 0});
  const char* tail[] = {"tail_a", "tail_b", "tail_c", "tail_d"};
  for (int k = 0; k < 4; ++k)
    p.turn(tail[k], {0.4 * g.tail * std::sin(beat - 0.5 * k), g.tail * std::sin(a - 0.6 * k), 0});
  p.turn_both("ear", {g.ears * std::sin(beat - 1), 0, 0});
  const char* legs[4][3] = {{"thigh_l", "shin_l", "foot_l"},
                            {"thigh_r", "shin_r", "foot_r"},
                            {"arm_l", "wrist_l", "hand_l"},
                            {"arm_r", "wrist_r", "hand_r"}};
  for (int k = 0; k < 4; ++k)
    p.step({legs[k][0], legs[k][1], legs[k][2]}, stride(s + g.phase[k], g.reach, g.lift), Vec3::Zero(),
           {0, 0, k < 2 ? 1.0 : -1.0});
}

}  // namespace

Character make_quadruped() {
  const BodyPlan plan = quadruped_plan();
  Character c = plan.character();
  const Gait idle{.bob = 0.005, .low = 0.01, .bend = 0.6, .nod = 2, .tail = 6, .ears = 3, .beats = 1};
  const Gait walk{.reach = 0.09, .lift = 0.07, .bob = 0.012, .low = 0.02, .bend = 1.5, .nod = 3, .tail = 8, .ears = 4};
  const Gait run{.reach = 0.15,
                 .lift = 0.12,
                 .phase = {0, 0.1, 0.5, 0.6},
                 .bob = 0.045,
                 .low = 0.05,
                 .bend = 6,
                 .nod = 6,
                 .tail = 10,
                 .ears = 8,
                 .beats = 1};
  const auto add = [&](const Gait& gait, int frames) {
    add_action(plan, {.frames = frames, .pose = [&](double s, BodyPose& p) { trot(gait, s, p); }}, c);
  };
  add(idle, 61);
  add(walk, 25);
  add(run, 13);
  return c;
}

}  // namespace supple::cast
