#include <algorithm>
#include <cmath>

#include "supple/demos/drawn/bird_plan.h"
#include "supple/demos/shapes/draw_character.h"
#include "supple/demos/shapes/shapes.h"

namespace supple::demos::bird {

namespace {

using Keys = std::vector<Key>;

// Frames: it crouches, beats its wings, is off the ground, glides, is on the ground again, stands.
constexpr double kCrouch = 66, kBeats = 88, kOff = 94, kGlide = 168, kFlare = 200, kLands = 214, kStands = 240;
constexpr double kBeat = 16;      // frames
constexpr double kForward = 1.0;  // [m] from where it stood to where it lands

// Turns of a left wing [deg]. Each vector: about x, leading edge down; about y, swept back; about z, raised.
struct WingTurns {
  Vec3 arm, forearm, hand;
};
const WingTurns kLowered{{4, 30, -40}, {0, 18, -6}, {0, 22, -8}};

struct Curves {
  KeyCurve root, root_turn, head, tail, wing, bend, tuck;
};

Curves make_curves() {
  const Vec3 still = Vec3::Zero();
  const KeyCurve root({{kCrouch, still},
                       {kBeats - 6, {0, -0.085, -0.01}},
                       {kBeats, {0, -0.08, 0}},
                       {kOff, {0, 0.01, 0.025}},
                       {104, {0, 0.11, 0.09}},
                       {120, {0, 0.27, 0.22}},
                       {136, {0, 0.38, 0.37}},
                       {152, {0, 0.44, 0.53}},
                       {kGlide, {0, 0.44, 0.69}},
                       {184, {0, 0.34, 0.84}},
                       {kFlare, {0, 0.17, kForward - 0.04}},
                       {kLands, {0, 0.0, kForward}},
                       {221, {0, -0.085, kForward + 0.012}},
                       {232, {0, -0.02, kForward}},
                       {kStands, {0, 0, kForward}}});
  // About x: nods forward.
  const KeyCurve root_turn({{0, {-8, 0, 0}},
                            {kCrouch, {-8, 0, 0}},
                            {kBeats - 6, {16, 0, 0}},
                            {kBeats, {10, 0, 0}},
                            {100, {-16, 0, 0}},
                            {124, {-4, 0, 0}},
                            {150, {2, 0, 0}},
                            {kGlide, {6, 0, 0}},
                            {188, {6, 0, 4}},
                            {204, {-20, 0, 0}},
                            {kLands, {-22, 0, 0}},
                            {222, {8, 0, 0}},
                            {236, {-8, 0, 0}},
                            {256, {-8, 0, 0}},
                            {261, {-8, 6, 3}},
                            {266, {-8, -6, -3}},
                            {271, {-8, 4, 2}},
                            {277, {-8, 0, 0}}});
  const KeyCurve head({{8, {6, 0, 0}},     {13, {24, 0, 0}},     {18, {4, 0, 0}},           {22, {20, 0, 0}},
                       {28, {2, 0, 0}},    {34, {2, 38, 8}},     {44, {4, 36, 10}},         {50, {6, -30, -8}},
                       {58, {4, -26, -8}}, {kCrouch, {2, 0, 0}}, {kBeats - 6, {-14, 0, 0}}, {kBeats, {-10, 0, 0}},
                       {100, {10, 0, 0}},  {130, {4, 0, 0}},     {kGlide, {-4, 0, 0}},      {182, {0, 14, 0}},
                       {196, {10, 0, 0}},  {kLands, {22, 0, 0}}, {222, {-16, 0, 0}},        {236, {8, 0, 0}},
                       {256, {6, 0, 0}},   {261, {6, -26, 0}},   {266, {6, 26, 0}},         {271, {6, -16, 0}},
                       {277, {4, 0, 0}},   {283, {22, 0, 0}},    {288, {2, 0, 0}}});
  const KeyCurve tail({{0, {0, 0, 0}},
                       {kCrouch, {0, 0, 0}},
                       {kBeats, {18, 0, 0}},
                       {100, {-20, 0, 0}},
                       {130, {-4, 0, 0}},
                       {kGlide, {0, 0, 0}},
                       {kFlare, {-4, 0, 0}},
                       {kLands, {-28, 0, 0}},
                       {226, {14, 0, 0}},
                       {238, {0, 0, 0}},
                       {256, {0, 0, 0}},
                       {261, {4, 18, 0}},
                       {266, {4, -18, 0}},
                       {271, {4, 14, 0}},
                       {277, {0, 0, 0}}});
  // The arm between its beats, how far forearm and hand are bent as when lowered (x, 0..1), and how far the feet go
  // with the body instead of the ground (x, 0..1).
  const Vec3 low = kLowered.arm;
  const KeyCurve wing({{kCrouch + 2, low},
                       {kBeats, {-4, 4, 58}},
                       {kBeats + 4, {0, 2, 8}},
                       {kGlide - 4, {0, 0, 8}},
                       {178, {0, -2, 14}},
                       {192, {0, 0, 10}},
                       {204, {-22, -12, 44}},
                       {210, {-14, -22, 4}},
                       {216, {-14, -8, 48}},
                       {223, {0, 0, -14}},
                       {kStands, low},
                       {255, low},
                       {260, low + Vec3(0, -6, 14)},
                       {265, low},
                       {270, low + Vec3(0, -5, 11)},
                       {276, low}});
  const KeyCurve bend(
      {{kCrouch + 2, {1, 0, 0}}, {kBeats, {0.1, 0, 0}}, {kBeats + 4, still}, {214, still}, {236, {1, 0, 0}}});
  const KeyCurve tuck({{kOff - 2, still}, {kOff + 5, {1, 0, 0}}, {kFlare, {1, 0, 0}}, {kLands, still}});
  return {root, root_turn, head, tail, wing, bend, tuck};
}

// One beat is a cosine from top to top. Elbow and wrist come after: bent up on the way down, down and back on the way
// up.
WingTurns wing_turns(const Curves& c, double f) {
  WingTurns w;
  const double bent = c.bend.at(f)[0];
  w.arm = c.wing.at(f);
  w.forearm = bent * kLowered.forearm;
  w.hand = bent * kLowered.hand;
  const double beats = smooth_ramp(f, kBeats, kBeats + 4) * smooth_ramp(f, kGlide, kGlide - 14);
  const double phase = 2 * M_PI * (f - kBeats) / kBeat, down = std::sin(phase);
  w.arm += beats * Vec3(10 * down, -12 * down, 45 * std::cos(phase));
  w.forearm += beats * Vec3(0, 10 * std::max(0.0, -down) * -down, 14 * down);
  w.hand += beats * Vec3(0, 16 * std::max(0.0, -down) * -down, 22 * down);
  return w;
}

void place_legs(const Rig& rig, const std::vector<Affine>& bones, const Vec3& shift, double f, double tuck,
                std::vector<Quat>& turns) {
  const Vec3 ground(0, 0, f < 0.5 * (kOff + kLands) ? 0 : kForward);
  for (const bool left : {true, false}) {
    const auto mine = [&](const Vec3& v) -> Vec3 { return left ? v : mirrored(v); };
    const std::string end = left ? "_l" : "_r";
    const Vec3 in_air = shift + Vec3(0, 0.045, -0.075);
    const Vec3 target = mine(kLeg[2]) + (1 - tuck) * ground + tuck * in_air;
    place_limb(rig, {mine(kLeg[0]), mine(kLeg[1]), mine(kLeg[2]), -Vec3::UnitZ()}, bones,
               {rig["thigh" + end], rig["shin" + end], rig["foot" + end]}, target, mine({0.1, 0, -1}),
               turned({48 * tuck * tuck, 0, 0}), turns);
  }
}

}  // namespace

PoseFunction motion(const Rig& rig) {
  return [&rig, curves = make_curves()](double f, std::vector<Placement>& nodes) {
    std::vector<Quat> turns(static_cast<size_t>(rig.size()), Quat::Identity());
    Vec3 shift = curves.root.at(f);
    // Each beat lifts: the body is lowest in the middle of the way down.
    const double phase = 2 * M_PI * (f - kBeats) / kBeat;
    shift[1] -= 0.028 * smooth_ramp(f, kOff, kOff + 8) * smooth_ramp(f, kGlide, kGlide - 10) * std::sin(phase);
    turns[rig["body"]] = turned(curves.root_turn.at(f));
    turns[rig["neck"]] = turned(0.5 * curves.head.at(f));
    turns[rig["head"]] = turned(0.5 * curves.head.at(f));
    turns[rig["tail"]] = turned(curves.tail.at(f));
    const WingTurns w = wing_turns(curves, f);
    for (const bool left : {true, false}) {
      const std::string end = left ? "_l" : "_r";
      const auto turn = [&](const Vec3& v) { return turned(left ? v : Vec3(v[0], -v[1], -v[2])); };
      turns[rig["arm" + end]] = turn(w.arm);
      turns[rig["forearm" + end]] = turn(w.forearm);
      turns[rig["hand" + end]] = turn(w.hand);
    }
    place_legs(rig, rig.pose(turns, shift), shift, f, curves.tuck.at(f)[0], turns);
    for (size_t j = 0; j < turns.size(); ++j) nodes[j].rotation = turns[j].normalized();
    nodes[rig["body"]].translation += shift;
  };
}

}  // namespace supple::demos::bird
