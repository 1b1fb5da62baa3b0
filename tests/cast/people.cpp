#include <algorithm>
#include <cmath>

#include "supple/demos/shapes/shapes.h"
#include "tests/cast/body.h"
#include "tests/cast/cast.h"

namespace supple::cast {

namespace {

BodyPlan person_plan() {
  BodyPlan b;
  b.edge = 0.055, b.fillet = 0.05;
  b.bone("hips", "", {0, 0.93, 0}, {0, 1.04, 0}, 0.15, 0.145);
  b.bone("spine", "hips", {0, 1.04, 0}, {0, 1.22, 0}, 0.15, 0.155);
  b.bone("chest", "spine", {0, 1.22, 0}, {0, 1.39, -0.01}, 0.16, 0.13);
  b.bone("neck", "chest", {0, 1.45, 0}, {0, 1.54, 0.01}, 0.065, 0.06);
  b.bone("head", "neck", {0, 1.57, 0.01}, {0, 1.68, 0.02}, 0.1, 0.1);
  b.pair("arm", "chest", {0.17, 1.41, -0.01}, {0.43, 1.4, -0.02}, 0.068, 0.05);
  b.pair("forearm", "arm", {0.43, 1.4, -0.02}, {0.67, 1.4, 0}, 0.048, 0.036);
  b.pair("hand", "forearm", {0.68, 1.4, 0}, {0.77, 1.4, 0}, 0.045, 0.04);
  b.pair("thigh", "hips", {0.095, 0.88, 0}, {0.11, 0.49, 0.03}, 0.105, 0.075);
  b.pair("shin", "thigh", {0.11, 0.49, 0.03}, {0.115, 0.1, -0.02}, 0.07, 0.046);
  b.pair("foot", "shin", {0.115, 0.07, -0.02}, {0.12, 0.04, 0.11}, 0.05, 0.038);
  b.lumps.push_back([](const Vec3& x) { return demos::ellipsoid(x, {0, 1.07, 0.08}, {0.16, 0.14, 0.13}); });
  const demos::Rig rig = b.rig;
  b.alone = [rig](const Vec3& x, int j) {
    if (x[1] < 0.1 && j == rig[x[0] > 0 ? "foot_l" : "foot_r"]) return x[1] < 0.06 ? 1.0 : (0.1 - x[1]) / 0.04;
    return j == rig["head"] && x[1] > 1.6 ? 1.0 : 0.0;
  };
  return b;
}

Vec3 pace(double s, double reach, double lift) {
  const double a = 2 * M_PI * s;
  return {0, lift * std::pow(std::max(0.0, -std::sin(a)), 3), reach * std::cos(a)};
}

void stand(BodyPose& p, const Vec3& left = Vec3::Zero(), const Vec3& right = Vec3::Zero()) {
  p.step({"thigh_l", "shin_l", "foot_l"}, left, Vec3::Zero(), {0.1, 0, 1});
  p.step({"thigh_r", "shin_r", "foot_r"}, right, Vec3::Zero(), {-0.1, 0, 1});
}

void lower_arms(BodyPose& p, double degrees, double bent) {
  p.turn_both("arm", {0, 0, -degrees});
  p.turn_both("forearm", {0, -bent, 0});
}

void breathe(double s, BodyPose& p) {
  const double a = 2 * M_PI * s;
  p.shift = {0.012 * std::sin(a), -0.02 + 0.004 * std::cos(a), 0};
  p.turn("spine", {1.5 * std::sin(a), 0, 0});
  p.turn("chest", {-1.2 * std::sin(a), 0, 0});
  p.turn("head", {0, 4 * std::sin(a), 0});
  lower_arms(p, 62 + 1.5 * std::sin(a), 18);
  stand(p);
}

void walk(double s, BodyPose& p) {
  const double a = 2 * M_PI * s;
  p.shift = {0.012 * std::sin(a), -0.055 + 0.02 * std::cos(2 * a + 0.5), 0};
  p.turn("hips", {0, 5 * std::cos(a), 0});
  p.turn("spine", {2, -4 * std::cos(a), 1.5 * std::sin(a)});
  p.turn("chest", {0, -5 * std::cos(a), 0});
  lower_arms(p, 65, 15);
  p.turn("arm_l", {22 * std::cos(a), 0, 0});
  p.turn("arm_r", {-22 * std::cos(a), 0, 0});
  stand(p, pace(s, 0.17, 0.13), pace(s + 0.5, 0.17, 0.13));
}

// 0 to 1 without a jump in speed or acceleration.
double eased(double s) {
  s = std::clamp(s, 0.0, 1.0);
  return s * s * s * (10 - 15 * s + 6 * s * s);
}

void strike(double s, BodyPose& p) {
  const double up = eased(s / 0.3) - eased((s - 0.3) / 0.18), down = eased((s - 0.32) / 0.18) - eased((s - 0.6) / 0.38);
  p.shift = {0, -0.03 - 0.06 * down + 0.01 * up, 0.05 * down};
  p.turn("hips", {4 * down, 8 * down - 6 * up, 0});
  p.turn("spine", {8 * down - 3 * up, 15 * down - 14 * up, 0});
  p.turn("chest", {6 * down, 18 * down - 15 * up, 0});
  lower_arms(p, 55, 25);
  p.turn("arm_r", {-110 * up - 35 * down, 25 * down, 0});
  p.turn("forearm_r", {-15 * up, 0, 0});
  p.turn("arm_l", {-15 * down, 0, 0});
  stand(p);
}

// Falls on the back within a second and stays there.
void fall(double s, BodyPose& p) {
  const double down = eased(s / 0.3), angle = 88 * down;
  p.turn("hips", {-angle, 0, 0});
  p.shift = {0, -0.77 * (1 - std::cos(angle * M_PI / 180)), -0.3 * down};
  lower_arms(p, 62 - 30 * down, 18);
  p.turn("head", {12 * down, 0, 0});
  p.turn_both("thigh", {-8 * down, 0, 0});
  p.turn_both("shin", {10 * down, 0, 0});
}

}  // namespace

Character make_fighter() {
  BodyPlan plan = person_plan();
  plan.joint("sword", "hand_r", {-0.74, 1.4, 0.02});
  plan.piece("sword", block({-0.755, 1.375, -0.1}, {-0.725, 1.425, 0.62}, 4));
  plan.held.push_back({"hand_l", disc({0.74, 1.4, 0.07}, Vec3::UnitZ(), 0.2, 0.04)});
  plan.piece("head", half_egg({0, 1.665, 0.018}, {0.122, 0.125, 0.13}, Vec3::UnitY()));
  Character c = plan.character();
  add_action(plan, {.frames = 61, .pose = breathe}, c);
  add_action(plan, {.frames = 25, .pose = walk}, c);
  add_action(plan, {.frames = 37, .pose = strike}, c);
  add_action(plan, {.frames = 85, .cycle = false, .pose = fall}, c);
  return c;
}

Character make_walker(const WalkerOptions& o) {
  const BodyPlan plan = person_plan();
  Character c = plan.character();
  if (o.sway) {
    // From side to side, straight from key to key.
    const auto side = [](double s, BodyPose& p) {
      const double to = std::cos(2 * M_PI * s);
      p.shift = {0.07 * to, -0.03, 0};
      p.turn("spine", {0, 0, -7 * to});
      lower_arms(p, 60, 15);
      stand(p);
    };
    add_action(plan, {.frames = 5, .fps = 5, .pose = side}, c);
  } else {
    add_action(plan, {.frames = o.walk_keys, .fps = o.walk_keys - 1.0, .pose = walk}, c);
  }
  return c;
}

}  // namespace supple::cast
