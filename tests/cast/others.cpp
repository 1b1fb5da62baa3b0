#include <fmt/format.h>

#include <cmath>

#include "supple/demos/shapes/shapes.h"
#include "tests/cast/body.h"
#include "tests/cast/cast.h"

namespace supple::cast {

namespace {

constexpr double kTurn = 2 * M_PI;

BodyPlan bird_plan() {
  BodyPlan b;
  b.edge = 0.042, b.fillet = 0.03;
  b.bone("hips", "", {0, 0.36, -0.08}, {0, 0.38, 0.02}, 0.12, 0.13);
  b.bone("chest", "hips", {0, 0.38, 0.02}, {0, 0.42, 0.12}, 0.13, 0.1);
  b.bone("neck", "chest", {0, 0.5, 0.17}, {0, 0.56, 0.2}, 0.06, 0.055);
  b.bone("head", "neck", {0, 0.6, 0.21}, {0, 0.62, 0.24}, 0.075, 0.07);
  b.bone("beak", "head", {0, 0.6, 0.3}, {0, 0.585, 0.37}, 0.03, 0.016);
  b.bone("tail", "hips", {0, 0.37, -0.19}, {0, 0.38, -0.36}, 0.05, 0.03);
  const Vec3 feeler[] = {{0.035, 0.67, 0.23}, {0.055, 0.75, 0.24}, {0.075, 0.83, 0.27}, {0.095, 0.9, 0.32}};
  for (size_t k = 0; k < 3; ++k)
    b.pair(fmt::format("feeler{}", k), k ? fmt::format("feeler{}", k - 1) : "head", feeler[k], feeler[k + 1],
           0.018 - 0.001 * static_cast<double>(k), k == 2 ? 0.024 : 0.017 - 0.001 * static_cast<double>(k));
  b.pair("wing", "chest", {0.11, 0.44, 0.03}, {0.3, 0.46, 0.01}, 0.03, 0.024);
  b.pair("wing_tip", "wing", {0.3, 0.46, 0.01}, {0.52, 0.47, -0.05}, 0.024, 0.018);
  b.lumps.push_back([](const Vec3& x) { return demos::ellipsoid(x, {0.3, 0.455, -0.03}, {0.25, 0.022, 0.1}); });
  b.pair("thigh", "hips", {0.06, 0.27, -0.03}, {0.065, 0.16, 0.02}, 0.05, 0.026);
  b.pair("shin", "thigh", {0.065, 0.16, 0.02}, {0.065, 0.04, -0.02}, 0.024, 0.02);
  b.pair("foot", "shin", {0.065, 0.024, -0.02}, {0.07, 0.022, 0.06}, 0.022, 0.02);
  b.pieces_on_both_sides("head", demos::egg({0.045, 0.635, 0.285}, Vec3::Constant(0.018), Mat3::Identity(), 6));
  return b;
}

void feelers(double a, double degrees, BodyPose& p) {
  for (int k = 0; k < 3; ++k) p.turn_both(fmt::format("feeler{}", k), {degrees * std::sin(a - 0.5 * k), 0, 0});
}

BodyPlan serpent_plan() {
  BodyPlan b;
  b.edge = 0.05, b.fillet = 0.02;
  constexpr int n = 12;
  const auto radius = [](int k) { return k < 2 ? 0.075 : 0.095 * std::sqrt(1 - std::pow(k / 12.6, 2)); };
  for (int k = 0; k < n; ++k)
    b.bone(fmt::format("b{}", k), k ? fmt::format("b{}", k - 1) : "", {0, radius(k), 0.9 - 0.16 * k},
           {0, radius(k + 1), 0.74 - 0.16 * k}, radius(k), radius(k + 1));
  return b;
}

BodyPlan blob_plan() {
  BodyPlan b;
  b.edge = 0.075, b.fillet = 0.1;
  b.bone("low", "", {0, 0.3, 0}, {0, 0.42, 0}, 0.3, 0.33);
  b.bone("middle", "low", {0, 0.42, 0}, {0, 0.6, 0}, 0.33, 0.3);
  b.bone("top", "middle", {0, 0.6, 0}, {0, 0.8, 0}, 0.3, 0.22);
  const Vec3 look = Vec3(0.3, 0.25, 0.92).normalized();
  b.pieces_on_both_sides("top", half_egg({0.09, 0.84, 0.195}, {0.055, 0.035, 0.055}, look));
  b.piece("top", half_egg({0, 0.7, 0.235}, {0.085, 0.04, 0.03}, Vec3(0, 0.1, 1).normalized()));
  return b;
}

void add_machine_block(BodyPlan& b, const std::string& joint, const Vec3& low, const Vec3& high) {
  b.piece(joint, block(low, high, 3));
}

}  // namespace

Character make_bird() {
  const BodyPlan plan = bird_plan();
  Character c = plan.character();
  const auto stand = [](double s, BodyPose& p) {
    const double a = kTurn * s;
    p.shift = {0, -0.012 + 0.003 * std::cos(a), 0};
    p.turn("chest", {1.5 * std::sin(a), 0, 0});
    p.turn("neck", {4 * std::sin(a), 6 * std::sin(a), 0});
    p.turn("head", {-3 * std::sin(a), 8 * std::sin(a - 0.5), 0});
    feelers(a, 3, p);
    p.turn_both("wing", {0, 0, -6 + 2 * std::sin(a)});
    p.step({"thigh_l", "shin_l", "foot_l"}, Vec3::Zero(), Vec3::Zero(), {0, 0, 1});
    p.step({"thigh_r", "shin_r", "foot_r"}, Vec3::Zero(), Vec3::Zero(), {0, 0, 1});
  };
  const auto hover = [](double s, BodyPose& p) {
    const double a = kTurn * s;
    p.shift = {0, 0.25 + 0.035 * std::sin(a + 1.8), 0};
    p.turn("hips", {-12, 0, 0});
    p.turn_both("wing", {0, 0, 30 * std::sin(a)});
    p.turn_both("wing_tip", {0, 0, 20 * std::sin(a - 0.8)});
    p.turn("neck", {5 * std::sin(a), 0, 0});
    p.turn("tail", {8 * std::sin(a), 0, 0});
    feelers(a, 6, p);
    p.turn_both("thigh", {25 + 5 * std::sin(a), 0, 0});
    p.turn_both("shin", {20, 0, 0});
  };
  add_action(plan, {.frames = 61, .pose = stand}, c);
  add_action(plan, {.frames = 13, .pose = hover}, c);
  return c;
}

Character make_serpent() {
  const BodyPlan plan = serpent_plan();
  Character c = plan.character();
  const auto wave = [](double degrees, double turns, double lift) {
    return [=](double s, BodyPose& p) {
      const double a = kTurn * s;
      p.turn("b0", {0, -0.5 * degrees * std::sin(a + 0.4), 0});
      for (int k = 1; k < 12; ++k) p.turn(fmt::format("b{}", k), {0, degrees * std::sin(a - turns * k), 0});
      p.shift = {0.06 * std::sin(a), lift * (1 - std::cos(a)), 0.02 * std::cos(a)};
    };
  };
  add_action(plan, {.frames = 49, .pose = wave(7, 0.6, 0)}, c);
  add_action(plan, {.frames = 16, .pose = wave(13, 0.6, 0.04)}, c);
  return c;
}

Character make_blob() {
  const BodyPlan plan = blob_plan();
  Character c = plan.character();
  const auto wobble = [](double s, BodyPose& p) {
    const double a = kTurn * s;
    p.turn("middle", {3 * std::sin(a), 0, 4 * std::cos(a)});
    p.turn("top", {2 * std::sin(a - 0.6), 5 * std::sin(a), 3 * std::cos(a - 0.6)});
  };
  const auto hop = [](double s, BodyPose& p) {
    const double a = kTurn * s, up = std::pow(std::max(0.0, std::sin(a)), 3),
                 low = std::pow(std::max(0.0, -std::sin(a)), 3);
    p.shift = {0, 0.08 * up - 0.02 * low, 0};
    p.turn("middle", {7 * low - 5 * up, 0, 0});
    p.turn("top", {8 * low - 6 * up, 0, 0});
  };
  add_action(plan, {.frames = 49, .pose = wobble}, c);
  add_action(plan, {.frames = 25, .pose = hop}, c);
  return c;
}

// A digger: nothing of it bends.
Character make_machine() {
  BodyPlan b;
  b.mirrored = false;
  b.joint("base", "", {0, 0.1, 0});
  for (const char* wheel : {"wheel_a", "wheel_b"}) {
    const double z = wheel[6] == 'a' ? 0.3 : -0.3;
    for (const double x : {0.3, -0.3}) {
      const std::string name = wheel + std::string(x > 0 ? "l" : "r");
      b.joint(name, "base", {x, 0.14, z});
      b.piece(name, disc({x, 0.14, z}, Vec3::UnitX(), 0.14, 0.1));
    }
  }
  b.joint("turret", "base", {0, 0.35, 0});
  b.joint("boom", "turret", {0, 0.55, 0.2});
  b.joint("stick", "boom", {0, 0.95, 0.6});
  b.joint("bucket", "stick", {0, 0.55, 0.9});
  add_machine_block(b, "base", {-0.25, 0.15, -0.4}, {0.25, 0.33, 0.4});
  add_machine_block(b, "turret", {-0.22, 0.35, -0.35}, {0.22, 0.65, 0.2});
  add_machine_block(b, "boom", {-0.05, 0.55, 0.2}, {0.05, 0.95, 0.6});
  add_machine_block(b, "stick", {-0.04, 0.55, 0.6}, {0.04, 0.95, 0.9});
  add_machine_block(b, "bucket", {-0.12, 0.4, 0.78}, {0.12, 0.55, 1.0});
  Character c = b.character();
  const auto work = [](double s, BodyPose& p) {
    const double a = kTurn * s;
    p.turn("turret", {0, 30 * std::sin(a), 0});
    p.turn("boom", {10 * std::sin(a), 0, 0});
    p.turn("stick", {-15 * std::sin(a - 0.5), 0, 0});
    p.turn("bucket", {20 * std::sin(a - 1), 0, 0});
  };
  add_action(b, {.frames = 31, .pose = work}, c);
  return c;
}

}  // namespace supple::cast
