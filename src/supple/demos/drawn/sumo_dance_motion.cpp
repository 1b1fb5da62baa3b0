#include <algorithm>
#include <cmath>

#include "supple/demos/drawn/sumo_dance_plan.h"
#include "supple/demos/gallery/sumo_rig.h"
#include "supple/demos/shapes/draw_character.h"
#include "supple/demos/shapes/shapes.h"

namespace supple::demos::dance {

namespace {

using Keys = std::vector<Key>;

// Of the left ankle: feet under him, and wide for squats and jumps.
const Vec3 kNarrow(0.36, 0.105, -0.02), kWide(0.45, 0.105, -0.02);
constexpr double kTurnedOut = 14, kSide = 0.24;    // [deg], [m] of a step
constexpr double kStanding = -0.075;               // [m] of the hips: knees a little bent
constexpr double kJumpHeight = 0.15, kInAir = 11;  // [m], [frame]: as long as gravity lets him

// Left wrists in the space of the chest at rest.
const Vec3 kHang(0.54, 0.97, 0.14), kOut(0.74, 1.30, 0.14), kHigh(0.60, 1.74, 0.10), kOverhead(0.40, 1.84, 0.08),
    kAhead(0.25, 1.30, 0.46), kBack(0.58, 1.02, -0.16), kLow(0.62, 1.04, 0.08), kRaised(0.67, 1.62, 0.10);

void add(Keys& keys, double frame, const Vec3& value, Ease ease = Ease::smooth) {
  keys.push_back({frame, value, ease});
}
Vec3 side(bool left, const Vec3& v) { return left ? v : mirrored(v); }
// A turn on the other side: about x the same way, about y and z the other.
Vec3 turn(bool left, const Vec3& v) { return left ? v : Vec3(v[0], -v[1], -v[2]); }

struct Sides {
  Keys l, r;
  void both(double f, const Vec3& v, Ease ease = Ease::smooth) {
    add(l, f, v, ease);
    add(r, f, mirrored(v), ease);
  }
};

struct Tracks {
  Keys root, lean;  // hips [m]; hips, spine and head bent forward [deg]
  Sides ankle, wrist;
  Keys toes;  // down [deg]
};

// Hands while he sways: one high, the other low, in turn.
void sway_hands(Tracks& t) {
  t.wrist.both(kSway - 8, kHang);
  for (int b = 0; b < static_cast<int>(kSways); ++b) {
    const double f = kSway + (b + 0.5) * kBeat;
    const bool left = b % 2 == 0;
    add(t.wrist.l, f, left ? kHigh : kOut - Vec3(0.04, 0.2, 0));
    add(t.wrist.r, f, mirrored(left ? Vec3(kOut - Vec3(0.04, 0.2, 0)) : kHigh));
  }
}

// A foot to the side, the other after it; twice to his right, twice back.
void steps(Tracks& t) {
  add(t.root, kSteps, {0, kStanding, 0});
  t.ankle.both(kSteps, kNarrow);
  double at = 0;
  for (int k = 0; k < 4; ++k) {
    const bool left = k >= 2;
    const double f = kSteps + 2 * k * kBeat, way = left ? kSide : -kSide;
    Keys &first = left ? t.ankle.l : t.ankle.r, &second = left ? t.ankle.r : t.ankle.l;
    const auto stride = [&](Keys& ankle, double begin, bool of_left) {
      const Vec3 from = side(of_left, kNarrow) + Vec3(at, 0, 0);
      add(ankle, begin + 1, from);
      add(ankle, begin + 6, from + Vec3(0.5 * way, 0.10, 0.02));
      add(ankle, begin + 11, from + Vec3(way, 0, 0), Ease::hit);
    };
    stride(first, f, left);
    stride(second, f + kBeat, !left);
    add(t.root, f + 0.2 * kBeat, {at - 0.1 * way, kStanding - 0.02, 0});
    add(t.root, f + 0.8 * kBeat, {at + 0.55 * way, kStanding - 0.05, 0});
    add(t.root, f + 1.4 * kBeat, {at + 1.05 * way, kStanding, 0});
    at += way;
    t.wrist.l.push_back({f + 0.7 * kBeat, left ? kOut : kAhead});
    t.wrist.r.push_back({f + 0.7 * kBeat, mirrored(left ? kAhead : kOut)});
    t.wrist.l.push_back({f + 1.7 * kBeat, kBack});
    t.wrist.r.push_back({f + 1.7 * kBeat, mirrored(kBack)});
  }
  add(t.root, kSteps + 8 * kBeat, {0, kStanding, 0});
}

void squats(Tracks& t) {
  // Feet apart, one after the other.
  const double apart = kSquats[0] - 26;
  add(t.ankle.l, apart, kNarrow);
  add(t.ankle.l, apart + 4, kNarrow + Vec3(0.05, 0.07, 0));
  add(t.ankle.l, apart + 8, kWide, Ease::hit);
  add(t.ankle.r, apart + 8, mirrored(kNarrow));
  add(t.ankle.r, apart + 12, mirrored(kNarrow + Vec3(0.05, 0.07, 0)));
  add(t.ankle.r, apart + 16, mirrored(kWide), Ease::hit);
  add(t.lean, apart + 14, Vec3::Zero());
  for (const double low : kSquats) {
    add(t.root, low - 13, {0, kStanding, 0});
    add(t.root, low, {0, -0.29, -0.05});
    add(t.root, low + 4, {0, -0.27, -0.05});
    add(t.lean, low, {14, 0, 0});
    add(t.lean, low + 4, {13, 0, 0});
    add(t.lean, low + 14, Vec3::Zero());
    t.wrist.both(low - 12, low == kSquats[0] ? kOut : kOverhead);
    t.wrist.both(low + 1, kAhead);
    t.wrist.both(low + 5, kAhead);
  }
  t.wrist.both(kSquats[2] + 15, kOut);
}

// Off the ground and back to it with both feet.
void jump(Tracks& t, double leaves, const Vec3& from, const Vec3& to) {
  const double top = leaves + kInAir / 2, lands = leaves + kInAir;
  add(t.root, leaves - 5, {0, -0.22, -0.03});
  add(t.root, leaves, {0, -0.05, 0});
  add(t.root, top, {0, kJumpHeight - 0.03, 0});
  add(t.root, lands, {0, -0.06, 0});
  add(t.lean, leaves - 5, {10, 0, 0});
  add(t.lean, top, {-4, 0, 0});
  t.ankle.both(leaves, from);
  t.ankle.both(top, 0.5 * (from + to) + Vec3(0, kJumpHeight, -0.02));
  t.ankle.both(lands, to, Ease::hit);
  add(t.toes, leaves, Vec3::Zero());
  add(t.toes, top, {26, 0, 0});
  add(t.toes, lands, Vec3::Zero());
  // Round by the sides, and not through the shoulders.
  t.wrist.both(leaves - 5, kLow);
  t.wrist.both(leaves + 0.5, kOut);
  t.wrist.both(top + 0.5, kRaised);
  t.wrist.both(lands, kOut);
}

void land(Tracks& t, double lands) {
  add(t.root, lands + 5, {0, -0.24, -0.04});
  add(t.lean, lands + 5, {12, 0, 0});
  t.wrist.both(lands + 8, kHang);
  add(t.root, lands + 20, {0, kStanding, 0});
  add(t.lean, lands + 19, Vec3::Zero());
}

Tracks make_tracks() {
  Tracks t;
  add(t.root, 0, {0, kStanding, 0});
  sway_hands(t);
  steps(t);
  squats(t);
  for (const double leaves : kJumps) jump(t, leaves, kWide, leaves == kJumps[2] ? kNarrow : kWide);
  land(t, kJumps[2] + kInAir);
  t.wrist.both(kCircle + 10, kOut);
  t.wrist.both(kCircleEnd - 12, kOut);
  for (int b = 0; b < static_cast<int>(kLastSways); ++b)
    t.wrist.both(kLastSway + (b + 0.5) * kBeat, kOverhead + Vec3(b % 2 == 0 ? 0.0 : 0.12, 0, 0));
  t.wrist.both(kLastJump - 15, kOut);
  add(t.root, kLastSway + kLastSways * kBeat - 6, {0, kStanding, 0});
  add(t.lean, kLastSway + kLastSways * kBeat - 6, Vec3::Zero());
  jump(t, kLastJump, kNarrow, kNarrow);
  land(t, kLastJump + kInAir);
  return t;
}

struct Curves {
  KeyCurve root, lean, ankle_l, ankle_r, wrist_l, wrist_r, toes;
};
Curves make_curves() {
  const Tracks t = make_tracks();
  return {KeyCurve(t.root),    KeyCurve(t.lean),    KeyCurve(t.ankle.l), KeyCurve(t.ankle.r),
          KeyCurve(t.wrist.l), KeyCurve(t.wrist.r), KeyCurve(t.toes)};
}

// What goes on top of the keys.
struct Body {
  Vec3 shift = Vec3::Zero(), hips = Vec3::Zero(), spine = Vec3::Zero(), chest = Vec3::Zero(), head = Vec3::Zero();
};

// Hips to one side a beat, the shoulders stay over the feet.
void sway(Body& body, double f, double from, double beats) {
  const double share =
      smooth_ramp(f, from - 6, from + 6) * smooth_ramp(f, from + beats * kBeat + 4, from + beats * kBeat - 8);
  const double to = std::sin(M_PI * (f - from) / kBeat), between = 1 - to * to;
  body.shift += share * Vec3(0.08 * to, -0.035 * between, 0);
  body.hips += share * Vec3(3, -5 * to, 8 * to);
  body.spine += share * Vec3(2, 3 * to, -11 * to);
  body.chest += share * Vec3(-3, 4 * to, -5 * to);
  body.head += share * Vec3(4 * between, -6 * to, 6 * to);
}

// Twice round with chest and shoulders, hips against them.
void circle(Body& body, double f) {
  const double share = smooth_ramp(f, kCircle, kCircle + 14) * smooth_ramp(f, kCircleEnd, kCircleEnd - 14);
  const double s = std::clamp((f - kCircle) / (kCircleEnd - kCircle), 0.0, 1.0);
  const double angle = 4 * M_PI * s * s * (3 - 2 * s), c = std::cos(angle), d = std::sin(angle);
  body.shift += share * Vec3(0.06 * d, -0.02, -0.05 * c);
  body.hips += share * Vec3(4 * c, 8 * d, 4 * d);
  body.spine += share * Vec3(4 + 11 * c, 16 * d, -11 * d);
  body.chest += share * Vec3(9 * c, 18 * d, -9 * d);
  body.head += share * Vec3(-8 * c, -20 * d, 8 * d);
}

Body body_at(const Curves& curves, double f) {
  Body b;
  const double lean = curves.lean.at(f)[0];
  b.shift = curves.root.at(f);
  b.hips = {0.6 * lean, 0, 0};
  b.spine = {0.8 * lean, 0, 0};
  b.head = {-1.2 * lean, 0, 0};
  sway(b, f, kSway, kSways);
  circle(b, f);
  sway(b, f, kLastSway, kLastSways);
  return b;
}

}  // namespace

PoseFunction motion(const Rig& rig) {
  using namespace sumo;
  return [&rig, curves = make_curves()](double f, std::vector<Placement>& nodes) {
    const Body body = body_at(curves, f);
    std::vector<Quat> turns(static_cast<size_t>(rig.size()), Quat::Identity());
    turns[rig["hips"]] = turned(body.hips);
    turns[rig["spine"]] = turned(body.spine);
    turns[rig["chest"]] = turned(body.chest);
    turns[rig["neck"]] = turned(0.4 * body.head);
    turns[rig["head"]] = turned(0.6 * body.head);
    for (const bool left : {true, false}) {
      const std::string end = left ? "_l" : "_r";
      const auto mine = [&](const Vec3& v) -> Vec3 { return dance::side(left, v); };
      const Vec3 wrist = (left ? curves.wrist_l : curves.wrist_r).at(f);
      // Shoulders go up with the hands.
      turns[rig["clavicle" + end]] = turned(turn(left, {0, 0, 18 * smooth_ramp(wrist[1], 1.1, 1.6)}));
      const std::vector<Affine> bones = rig.pose(turns, body.shift);
      const Affine& chest = bones[rig["chest"]];
      const std::array<int, 3> arm = {rig["upper_arm" + end], rig["forearm" + end], rig["hand" + end]};
      place_limb(rig, {mine(kShoulder), mine(kElbow), mine(kWrist), mine({0.3, -0.2, -1})}, bones, arm, chest * wrist,
                 chest.linear() * mine({0.75, -0.25, -0.55}), Quat::Identity(), turns);
      turns[arm[2]] = Quat::Identity();
      const std::array<int, 3> leg = {rig["thigh" + end], rig["shin" + end], rig["foot" + end]};
      place_limb(rig, {mine(kThigh), mine(kKnee), mine(kAnkle), mine({0.35, 0, 1})}, bones, leg,
                 (left ? curves.ankle_l : curves.ankle_r).at(f), mine({0.7, 0.1, 0.8}),
                 turned(turn(left, {curves.toes.at(f)[0], kTurnedOut, 0})), turns);
    }
    for (size_t j = 0; j < turns.size(); ++j) nodes[j].rotation = turns[j].normalized();
    nodes[rig["hips"]].translation += body.shift;
  };
}

}  // namespace supple::demos::dance
