#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/cast/body.h"
#include "tests/cast/cast.h"

namespace supple::cast {

namespace {

// The same numbers from the same seed everywhere.
class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed * 7919u + 17u) {}
  double in(double low, double high) { return low + (high - low) * static_cast<double>(engine_()) / 4294967295.0; }
  int among(int low, int high) { return low + static_cast<int>(engine_() % static_cast<unsigned>(high - low + 1)); }
  Vec3 direction() {
    for (;;) {
      const Vec3 x(in(-1, 1), in(-1, 1), in(-1, 1));
      if (x.norm() > 0.1 && x.norm() < 1) return x.normalized();
    }
  }

 private:
  std::mt19937 engine_;
};

struct Limb {
  Vec3 root, way;
};

BodyPlan creature_plan(Dice& dice) {
  BodyPlan b;
  b.mirrored = false;
  b.edge = 0.05, b.fillet = 0.05;
  const int trunk = dice.among(2, 4);
  Vec3 at(0, dice.in(0.4, 0.8), 0), way = (dice.direction() + 1.5 * Vec3::UnitZ()).normalized();
  std::vector<Vec3> places = {at};
  std::vector<double> radii = {dice.in(0.14, 0.2)};
  for (int k = 0; k < trunk; ++k) {
    places.push_back(places.back() + dice.in(0.16, 0.26) * way);
    radii.push_back(std::clamp(radii.back() + dice.in(-0.03, 0.03), 0.11, 0.22));
    way = (way + 0.35 * dice.direction()).normalized();
    b.bone(fmt::format("t{}", k), k ? fmt::format("t{}", k - 1) : "", places[static_cast<size_t>(k)], places.back(),
           radii[static_cast<size_t>(k)], radii.back());
  }
  // Limbs leave the trunk well apart from it and from each other.
  std::vector<Limb> limbs;
  const int wanted = dice.among(3, 6);
  for (int tries = 0; tries < 200 && static_cast<int>(limbs.size()) < wanted; ++tries) {
    const int k = dice.among(0, trunk - 1), n = static_cast<int>(limbs.size());
    const Vec3 a = places[static_cast<size_t>(k)], e = places[static_cast<size_t>(k) + 1];
    const Vec3 out = dice.direction();
    if (std::abs(out.dot((e - a).normalized())) > 0.5) continue;
    const Vec3 root = a + dice.in(0.2, 0.8) * (e - a) + 0.8 * radii[static_cast<size_t>(k)] * out;
    if (std::any_of(limbs.begin(), limbs.end(), [&](const Limb& o) {
          return (o.root - root).norm() < 0.2 || (o.way.dot(out) > 0.7 && (o.root - root).norm() < 0.5);
        }))
      continue;
    limbs.push_back({root, out});
    const int bones = dice.among(1, 3);
    double radius = dice.in(0.05, 0.08);
    Vec3 from = root, along = out;
    for (int i = 0; i < bones; ++i) {
      const Vec3 to = from + dice.in(0.13, 0.22) * along;
      const double end = radius * dice.in(0.75, 0.95);
      b.bone(fmt::format("l{}_{}", n, i), i ? fmt::format("l{}_{}", n, i - 1) : fmt::format("t{}", k), from, to, radius,
             end);
      from = to, radius = end;
      along = (along + 0.4 * dice.direction()).normalized();
    }
  }
  return b;
}

}  // namespace

Character make_creature(unsigned seed) {
  Dice dice(seed);
  const BodyPlan plan = creature_plan(dice);
  Character c = plan.character();
  const double lively = seed % 2 ? 1 : 0.25;
  // Every joint to and fro about an axis of its own, once or twice a cycle.
  struct Swing {
    Vec3 axis;
    double degrees, phase;
    int times;
  };
  std::vector<Swing> swings;
  for (const demos::RigJoint& j : plan.rig.joints())
    swings.push_back({dice.direction(), lively * (j.name[0] == 't' ? dice.in(3, 8) : dice.in(8, 22)),
                      dice.in(0, 2 * M_PI), dice.among(1, 2)});
  const double bob = lively * dice.in(0.02, 0.06), phase = dice.in(0, 2 * M_PI);
  const int frames = 1 + dice.among(18, 30);
  add_action(plan,
             {.frames = frames,
              .pose =
                  [&](double s, BodyPose& p) {
                    const double a = 2 * M_PI * s;
                    for (size_t j = 0; j < swings.size(); ++j) {
                      const Swing& w = swings[j];
                      p.turn(plan.rig.joints()[j].name, w.degrees * std::sin(w.times * a + w.phase) * w.axis);
                    }
                    p.shift = {0, bob * std::sin(a + phase), 0};
                  }},
             c);
  return c;
}

const std::vector<Member>& members() {
  static const std::vector<Member> list = {
      {.name = "quadruped", .make = make_quadruped, .clips = {"idle", "walk", "run"}},
      {.name = "fighter", .make = make_fighter, .clips = {"idle", "walk", "strike", "fall"}},
      {.name = "corner", .make = [] { return make_walker({.sway = true}); }, .clips = {"sway"}},
      {.name = "machine", .make = make_machine, .clips = {"work"}, .hard = true},
      {.name = "serpent", .make = make_serpent, .clips = {"creep", "strike"}},
      {.name = "bird", .make = make_bird, .clips = {"stand", "hover"}},
      {.name = "blob", .make = make_blob, .clips = {"wobble", "hop"}},
      {.name = "creature_1", .make = [] { return make_creature(1); }, .clips = {"move"}},
      {.name = "creature_2", .make = [] { return make_creature(2); }, .clips = {"move"}},
      {.name = "creature_3", .make = [] { return make_creature(3); }, .clips = {"move"}},
      {.name = "creature_5", .make = [] { return make_creature(5); }, .clips = {"move"}},
  };
  return list;
}

}  // namespace supple::cast
